"""The chaired debate without a model: who argues, who presides, and who listens.

There is no web here. So debaters argue from the project's own text, and label all of it as conjecture.
"""

from collections.abc import Callable, Mapping

from sparring.consult.offline.case import Case
from sparring.consult.offline.chairing.arguing import action, closing, opening, ready
from sparring.consult.offline.chairing.attending import questions, report
from sparring.consult.offline.chairing.presiding import clarification, conclusion, review

__all__ = ["LITERAL_STEPS", "STEPS"]

STEPS: Mapping[str, Callable[[Case], str]] = {
    "chaired-debate/ready": ready,
    "chaired-debate/opening": opening,
    "chaired-debate/action": action,
    "chaired-debate/closing": closing,
    "chaired-debate/clarification": clarification,
    "chaired-debate/review": review,
    "chaired-debate/conclusion": conclusion,
    "chaired-debate/questions": questions,
    "chaired-debate/report": report,
}

LITERAL_STEPS = frozenset({"chaired-debate/ready"})
"""Steps whose answer must hold nothing but the words that were asked for."""
