"""The consultant that needs no AI tool: it finds passages and compares by code. It never argues and never judges.

Reading order: ``consultant`` answers. About a project: ``corpus`` reads it, ``retrieval`` searches it, ``passages``
words what was found. About a claim and some texts: ``comparison``. Sentences stand in ``prompts/offline``, put together
by ``phrases``.
"""
