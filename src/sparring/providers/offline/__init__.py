"""The consultant that needs no AI tool: it finds passages and compares by code. It never argues and never judges.

Reading order: ``consultant`` answers; about a project with ``passages``, about a claim and texts by ``comparison``.
"""
