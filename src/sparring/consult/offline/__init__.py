"""The consultant that needs no AI tool: it retrieves, quotes verbatim, checks citations, and judges by a written rule.

Reading order: ``listing`` and ``corpus`` read the project, ``terms`` and ``retrieval`` search it, ``evidence`` chooses
what to quote, ``reading`` takes a speech apart. ``case`` holds these together for one brief; ``opening``,
``challenging``, ``defending``, ``following_up``, ``summarizing``, ``scoring`` with ``judging``, and ``answering`` are
the steps. Sentences stand in ``prompts/offline``.
"""

from sparring.consult.offline.consultant import OfflineConsultant

__all__ = ["OfflineConsultant"]
