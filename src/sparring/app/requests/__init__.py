"""Turn what a user wrote into a complete request: defaults filled in, everything checked, nothing started.

There is a module for each kind. What they share: ``debaters``, ``judges``, ``seats`` and ``agents`` say who is asked,
``validating`` refuses in sentences, ``checking`` looks whether everybody can be asked.
"""

from sparring.app.requests.chaired_debate import complete_chaired_debate
from sparring.app.requests.checking import check_tools
from sparring.app.requests.consult import complete_consult
from sparring.app.requests.debate import complete_debate
from sparring.app.requests.desk import Desk
from sparring.app.requests.fact_check import complete_fact_check
from sparring.app.requests.jury import complete_jury

__all__ = [
    "Desk",
    "check_tools",
    "complete_chaired_debate",
    "complete_consult",
    "complete_debate",
    "complete_fact_check",
    "complete_jury",
]
