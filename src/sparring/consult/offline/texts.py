"""The steps about a claim and the texts in the brief, for which no project is read.

The consultant imports this module when it is first asked for one: the claims check and its vocabulary take 50 ms
(November 2026), and nobody who debates should wait for them.
"""

from collections.abc import Callable, Mapping

from sparring.consult.offline.fact_checking.analysis import analysis
from sparring.consult.offline.fact_checking.rebuttal import rebuttal
from sparring.consult.offline.jury.checklist import checklist
from sparring.consult.offline.jury.pleading import (
    advocate_opening,
    advocate_rebuttal,
    skeptic_opening,
    skeptic_rebuttal,
)
from sparring.consult.offline.jury.verdict import verdict
from sparring.consult.offline.writing import Phrases, notice
from sparring.prompts import PromptLibrary
from sparring.schema.consultation import Brief

STEPS: Mapping[str, Callable[[Brief, Phrases], str]] = {
    "fact-check/analysis": analysis,
    "fact-check/rebuttal": rebuttal,
    "jury/advocate-opening": advocate_opening,
    "jury/advocate-rebuttal": advocate_rebuttal,
    "jury/checklist": checklist,
    "jury/reconsider": verdict,
    "jury/skeptic-opening": skeptic_opening,
    "jury/skeptic-rebuttal": skeptic_rebuttal,
    "jury/verdict": verdict,
}


def compose_on_texts(brief: Brief, prompts: PromptLibrary, tool: str) -> str:
    """The whole answer to a brief of one of ``STEPS``; its first line says that no model wrote it."""
    phrases = Phrases(prompts, brief.step.partition("/")[0], brief.language)
    return f"{notice(prompts, tool)}\n\n{STEPS[brief.step](brief, phrases)}"
