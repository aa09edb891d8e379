"""The consultant that needs no AI tool: it finds passages and compares by code. It never argues and never judges.

Reading order: ``consultant`` answers. About a project: ``corpus`` reads it, ``terms`` and ``retrieval`` search it,
``passages`` words what was found. About a claim and some texts: ``texts`` lists the
steps, which are in ``fact_checking`` and ``jury``; ``comparing`` holds one against the other. Sentences stand in
``prompts/offline``, put together by ``writing``.
"""

from sparring.consult.offline.consultant import OfflineConsultant

__all__ = ["OfflineConsultant"]
