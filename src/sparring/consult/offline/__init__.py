"""The consultant that needs no AI tool: it retrieves, quotes verbatim, checks citations, and judges by a written rule.

Reading order: ``consultant`` answers. About a project: ``corpus`` reads it, ``terms`` and ``retrieval`` search it,
``evidence`` chooses what to quote, ``reading`` takes a speech apart, ``case`` holds these together for one brief; the
steps are ``answering`` and those in ``debating`` and ``chairing``. About a claim and some texts: ``texts`` lists the
steps, which are in ``fact_checking`` and ``jury``; ``comparing`` holds one against the other. Sentences stand in
``prompts/offline``, put together by ``writing``.
"""

from sparring.consult.offline.consultant import OfflineConsultant

__all__ = ["OfflineConsultant"]
