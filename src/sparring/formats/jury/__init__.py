"""The jury on one claim and its truth (specification: seed 001; design: Jury).

Reading order: ``case`` searches and compares the two texts; ``statements`` reads what the three voices say; ``verdict``
holds the judge's answer against the texts; ``asks`` words the prompts; ``rules`` is the course, and how it ends;
``report`` shows it.
"""

from sparring.engine.format import Format, Presentation, Rules
from sparring.errors import ExitCode
from sparring.prompts import PromptLibrary
from sparring.schema.jury import JuryRequest, JuryStatus, LastVerdict

__all__ = ["FORMAT"]


def _rules(request: JuryRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.jury.rules import Jury  # noqa: PLC0415 -- see Format

    return Jury(request, prompts)


def _presentation() -> Presentation:
    from sparring.formats.jury.report import PRESENTATION  # noqa: PLC0415 -- see Format

    return PRESENTATION


FORMAT = Format(
    name="jury",
    request=JuryRequest,
    rules=_rules,
    presentation=_presentation,
    exit_codes={
        JuryStatus.COMPLETED: ExitCode.DONE,
        JuryStatus.INCOMPLETE: ExitCode.DONE,
        JuryStatus.UNJUDGED: ExitCode.NO_VERDICT,
        JuryStatus.FAILED: ExitCode.FAILED,
    },
    subject="claim",
    last_files=(("jury/last-verdict.json", LastVerdict),),
)
