"""The fact-check by several agents (specification: seed 000; design: Fact-check).

Round 1 is blind: every agent analyses the claim by itself. Debate rounds follow as far as they are called for, then
the votes of the last round are counted. Reading order: ``reading`` reads the answers, ``grounds`` looks up what they
quote, ``positions`` says where an agent stands; ``asks`` words the prompts; ``rules`` is the course, and how it ends;
``report`` shows it.
"""

from sparring.engine.format import Format, Presentation, Rules
from sparring.errors import ExitCode
from sparring.prompts import PromptLibrary
from sparring.schema.fact_check import FactCheckRequest, FactCheckStatus, LastFactCheck

__all__ = ["FORMAT"]


def _rules(request: FactCheckRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.fact_check.rules import FactCheck  # noqa: PLC0415 -- see Format

    return FactCheck(request, prompts)


def _presentation() -> Presentation:
    from sparring.formats.fact_check.report import PRESENTATION  # noqa: PLC0415 -- see Format

    return PRESENTATION


FORMAT = Format(
    name="fact-check",
    request=FactCheckRequest,
    rules=_rules,
    presentation=_presentation,
    exit_codes={
        FactCheckStatus.COMPLETED: ExitCode.DONE,
        FactCheckStatus.NO_QUORUM: ExitCode.NO_VERDICT,
        FactCheckStatus.FAILED: ExitCode.FAILED,
    },
    subject="claim",
    last_files=(("fact-check/last-fact-check.json", LastFactCheck),),
)
