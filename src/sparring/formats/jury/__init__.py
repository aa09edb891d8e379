"""The jury on one claim and its truth (specification: seed 001; design: Jury).

Reading order: ``options`` are what can be said about one; ``comparison`` is what code finds in the two texts;
``statements`` holds what the three voices say against them, ``verdict`` the judge's answer; ``asks`` words the prompts;
``rules`` is the course, and how it ends; ``report`` shows it.
"""

from sparring.engine.format import Format, Presentation, Rows, Rules
from sparring.errors import ExitCode
from sparring.formats.jury.options import JuryOptions, complete
from sparring.prompts import PromptLibrary
from sparring.schema.jury import JuryOutcome, JuryRequest, JuryStatus, LastVerdict
from sparring.schema.pairs import Pair, PairResult

__all__ = ["FORMAT"]


def _rules(request: JuryRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.jury.rules import Jury

    return Jury(request, prompts)


def _presentation() -> Presentation:
    from sparring.formats.jury.report import PRESENTATION

    return PRESENTATION


def _texts(pair: Pair) -> dict[str, object]:
    return {"claim": pair.claim, "truth": pair.truth}


def _found(outcome: JuryOutcome) -> dict[str, object]:
    if outcome.verdict is None:
        return {}
    return {"verdict": outcome.verdict, "contested": outcome.contested, "mutations": outcome.mutations}


FORMAT = Format(
    name="jury",
    title="Jury",
    description=(
        "Decide whether a claim says the same as the truth it is drawn from: FAITHFUL, PARTIALLY_FAITHFUL or "
        "MUTATED, and what was changed. An advocate and a skeptic argue, a fact-checker and code compare, a judge "
        "decides: 4 calls and 2 per rebuttal."
    ),
    options=JuryOptions,
    request=JuryRequest,
    complete=complete,
    outcome=JuryOutcome,
    rules=_rules,
    presentation=_presentation,
    examples=(
        'sparring jury "Under 640,000 cases" --truth "more than 645,000 cases were reported"',
        "sparring jury --pairs pairs.csv --provider claude",
    ),
    exit_codes={
        JuryStatus.COMPLETED: ExitCode.DONE,
        JuryStatus.INCOMPLETE: ExitCode.DONE,
        JuryStatus.BY_CODE: ExitCode.DONE,
        JuryStatus.UNJUDGED: ExitCode.NO_VERDICT,
        JuryStatus.FAILED: ExitCode.FAILED,
    },
    subject="claim",
    rows=Rows("pairs", _texts, PairResult, _found, row_names=("row_id", "dataset")),
    last_files=(("jury/last-verdict.json", LastVerdict),),
    spelled=(
        (r"opening\.(?:advocate|skeptic)(?:\.(?P<attempt>\d+))?", "opening"),
        (r"rebuttal\.(?P<which>\d+)\.(?:advocate|skeptic)", "rebuttal {which}"),
        (r"checklist\.(?P<attempt>\d+)", "checklist"),
        (r"verdict\.(?P<attempt>\d+)", "verdict"),
        (r"reconsider\.1", "verdict (reconsidered)"),
    ),
)
