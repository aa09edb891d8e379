"""Briefs about a claim and some texts, for consultants that are code."""

from sparring.schema.base import Role
from sparring.schema.consultation import Brief, Speech


def jury_brief(step: str, claim: str, truth: str, *speeches: Speech, language: str = "en") -> Brief:
    """The brief of a seat of the jury; ``step`` is named without its format."""
    seat = step.partition("-")[0]
    role = Role(seat) if seat in set(Role) else Role.FACT_CHECKER if step == "checklist" else Role.JUDGE
    return Brief(
        step=f"jury/{step}",
        topic=claim,
        role=role,
        round=max((speech.round for speech in speeches), default=0) + 1,
        speeches=speeches,
        evidence=(truth,),
        language=language,
    )
