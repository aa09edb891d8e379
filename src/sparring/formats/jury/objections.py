"""What speaks against a verdict by code: it is said to the judge once, and to people where it still holds.

Only a verdict at one of the two ends can be objected to. PARTIALLY_FAITHFUL stands even against a critical mismatch:
it grants that the claim is not the truth, and how much of the meaning a difference takes is what a judge is for.
"""

from enum import StrEnum

from sparring.formats.jury.case import Case
from sparring.schema.jury import CriticalDifference, Faithfulness, JudgeVerdict


class Objection(StrEnum):
    """AGAINST_CODE: FAITHFUL, where code has found a critical mismatch. UNANCHORED: MUTATED, but nowhere."""

    AGAINST_CODE = "against-code"
    UNANCHORED = "unanchored"


def objection_to(verdict: JudgeVerdict, differences: tuple[CriticalDifference, ...], case: Case) -> Objection | None:
    """What speaks against ``verdict``, whose critical differences are ``differences``."""
    if verdict.verdict is Faithfulness.FAITHFUL and case.check.critical_mismatches:
        return Objection.AGAINST_CODE
    if verdict.verdict is Faithfulness.MUTATED and not any(difference.anchors for difference in differences):
        return Objection.UNANCHORED
    return None


def contested(objection: Objection | None, case: Case) -> tuple[str, ...]:
    """Why a verdict should be doubted to which there is ``objection``, in sentences for people."""
    if objection is Objection.AGAINST_CODE:
        return tuple(
            f"The verdict is FAITHFUL against a critical mismatch found by code. {finding.why}"
            for finding in case.check.critical_mismatches
        )
    if objection is Objection.UNANCHORED:
        return ("The verdict is MUTATED, but no critical difference points at words of the truth or the claim.",)
    return ()
