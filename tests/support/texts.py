"""Briefs about a claim and some texts, for consultants that are code."""

import json

from sparring.schema.base import Role
from sparring.schema.claims import Label
from sparring.schema.consultation import Brief, Speech


def analysis_brief(claim: str, *evidence: str, language: str = "en") -> Brief:
    """The brief of the blind round."""
    return Brief(
        step="fact-check/analysis",
        topic=claim,
        role=Role.FACT_CHECKER,
        round=1,
        name="Agent 1",
        evidence=evidence,
        language=language,
    )


def rebuttal_brief(claim: str, evidence: tuple[str, ...], *speeches: Speech, language: str = "en") -> Brief:
    """The brief of ``Agent 1`` in round 2."""
    brief = analysis_brief(claim, *evidence, language=language)
    return brief.model_copy(update={"step": "fact-check/rebuttal", "round": 2, "speeches": speeches})


def position(agent: int, verdict: Label, *quotes: str) -> Speech:
    """Where an agent stood after round 1, as the fact-check tells it."""
    text = json.dumps({"verdict": verdict, "quotes": quotes}, ensure_ascii=False)
    return Speech(role=Role.FACT_CHECKER, round=1, name=f"Agent {agent}", text=text)
