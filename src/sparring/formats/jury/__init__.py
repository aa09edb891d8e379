"""The jury on one claim and its truth (specification: seed 001; design: Jury).

Reading order: ``options`` declares the options; ``case`` has the two texts, and the comparison by code; ``statements``
checks the statements of three seats against them, ``verdict`` the judge's answer; ``prompts`` words the prompts;
``flow`` is the course with its endings; ``report`` shows the outcome.
"""

from collections.abc import Iterator
from typing import Any, cast

from sparring.engine.audited import AuditedSeat
from sparring.engine.format import Arms, Format, PlannedCalls, Presentation, Rows, Rules
from sparring.errors import ExitCode
from sparring.formats.jury.options import JuryOptions, complete
from sparring.prompts import PromptLibrary
from sparring.reports import runs as runs_reported
from sparring.schema import claims, lookups, pairs, runs
from sparring.schema.base import RULE_BASED_TOOL, Participant, Role
from sparring.schema.jury import (
    Faithfulness,
    JudgeVerdict,
    JuryOutcome,
    JuryRequest,
    JuryStatus,
    LastVerdict,
    Phrase,
)

__all__ = ["FORMAT"]


def _rules(request: JuryRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.jury.flow import Jury

    return Jury(request, prompts)


_STATEMENT = 1_200
"""Characters that a statement adds to a prompt: one to five bullets with quotes from both texts, and their checks."""

_COMPARISON = 1_400
"""Characters by which the prompts of fact-checker and judge are longer, without statements: dimensions and forms."""


def _plan(request: JuryRequest) -> Iterator[PlannedCalls]:
    """Yield two openings and the checklist, two answers in each rebuttal, and the verdict.

    An unusable answer is asked for twice; a rebuttal only if it was cut off. A verdict to which code objects is
    reconsidered once.
    """
    if request.is_by_code:
        return
    for judge in request.alone:
        yield PlannedCalls("verdict without statements", Role.JUDGE, judge, added=_COMPARISON)
    if request.alone:
        return
    debaters = ((Role.ADVOCATE, request.advocate), (Role.SKEPTIC, request.skeptic))
    for role, debater in debaters:
        yield PlannedCalls("opening", role, debater)
    yield PlannedCalls("checklist", Role.FACT_CHECKER, request.fact_checker, added=_COMPARISON)
    for number in range(1, request.rebuttals + 1):
        for role, debater in debaters:
            yield PlannedCalls(f"rebuttal {number}", role, debater, added=(2 * number + 1) * _STATEMENT)
    statements = 2 * (request.rebuttals + 1) + 1
    yield PlannedCalls("verdict", Role.JUDGE, request.judge, added=_COMPARISON + statements * _STATEMENT)
    yield PlannedCalls("reconsidered verdict", Role.JUDGE, request.judge, fewest=0, usual=0, most=1)


def _presentation() -> Presentation[Any]:
    from sparring.formats.jury.report import PRESENTATION

    return PRESENTATION


def _row_verdict(run: runs.Run) -> pairs.RowVerdict | None:
    """Return the verdict; the judge itself states its firmness."""
    outcome = cast("JuryOutcome", run.outcome)
    verdict = outcome.verdict
    if verdict is None:
        return None
    return pairs.RowVerdict(
        verdict.verdict.value,
        firmness=verdict.confidence,
        doubted=outcome.contested,
        reasons=(verdict.one_sentence_summary, *verdict.critical_differences),
        seats=tuple(_seats(run, outcome)),
    )


def _seats(run: runs.Run, outcome: JuryOutcome) -> Iterator[pairs.SeatLabel]:
    """Yield for each seat asked whether it found a change; debaters are left out, minor differences do not count."""
    request = cast("JuryRequest", run.header.request)
    if request.is_by_code:
        return
    jury = runs_reported.FinishedRun(run, JuryRequest, JuryOutcome)
    tools = {role: jury.respondent(request.participant(role), role).tool for role in (Role.JUDGE, Role.FACT_CHECKER)}
    verdict = outcome.verdict.verdict if outcome.verdict else None
    by_code = {claims.Label.SUPPORTED: False, claims.Label.REFUTED: True}.get(outcome.check.label)
    listed = (
        any(entry.severity is claims.Severity.CRITICAL for entry in outcome.checklist) if outcome.checklist else None
    )
    seats = (
        ("judge", tools[Role.JUDGE], None if verdict is None else verdict is not Faithfulness.FAITHFUL),
        ("fact-checker", tools[Role.FACT_CHECKER], listed),
        ("code", None, by_code),
    )
    for seat, tool, changed in seats:
        word = None if changed is None else "changed" if changed else "the same"
        yield pairs.SeatLabel(seat=seat, tool=tool, blind=word, label=word)


def _quotes(run: runs.Run) -> Iterator[pairs.RowQuote]:
    outcome = cast("JuryOutcome", run.outcome)
    for statement in outcome.statements:
        yield from (_located(phrase, statement.role.value) for phrase in statement.phrases)
    for entry in outcome.checklist:
        yield from (_located(phrase, "fact-checker") for phrase in (*entry.truth, *entry.claim))


def _located(phrase: Phrase, seat: str) -> pairs.RowQuote:
    verdict = lookups.QuoteVerdict.VERBATIM if phrase.span else lookups.QuoteVerdict.NOT_FOUND
    place = {"start": phrase.span.start, "end": phrase.span.end} if phrase.span else {}
    return pairs.RowQuote(seat=seat, text=phrase.text, source=phrase.source.value, verdict=verdict, **place)


def _judges(request: JuryRequest) -> tuple[Participant, ...]:
    """Return each seated participant once, since any of them could judge alone."""
    return tuple(dict.fromkeys(request.participant(role) for role in (Role.JUDGE, *_OTHERS)))


_OTHERS = (Role.ADVOCATE, Role.SKEPTIC, Role.FACT_CHECKER)


def _votes(run: runs.Run) -> tuple[pairs.SeatLabel, ...]:
    request, outcome = cast("JuryRequest", run.header.request), cast("JuryOutcome", run.outcome)
    judged = zip(request.alone, outcome.alone, strict=True)
    return tuple(
        pairs.SeatLabel(seat=f"Judge {number}", tool=seat.tool, blind=label, label=None)
        for number, (seat, label) in enumerate(judged, start=1)
    )


def _by_code(request: JuryRequest) -> JuryRequest:
    code = Participant(tool=RULE_BASED_TOOL)
    return request.model_copy(update={"judge": code, **{role.value: code for role in _OTHERS}})


def _verdict(run: runs.Run) -> JudgeVerdict | None:
    return cast("JuryOutcome", run.outcome).verdict


_ARMS = Arms(
    seats=_judges,
    blind=lambda request, seats: request.model_copy(update={"alone": tuple(_judges(request)[seat] for seat in seats)}),
    by_code=_by_code,
    votes=_votes,
    label=lambda run: verdict.verdict if (verdict := _verdict(run)) else None,
    confidence=lambda run: verdict.confidence if (verdict := _verdict(run)) else None,
)


def _audited() -> AuditedSeat:
    from sparring.formats.jury.audited import SEAT

    return SEAT


FORMAT = Format(
    name="jury",
    title="Jury",
    description=(
        "Does a claim say the same as the truth it is drawn from? FAITHFUL, PARTIALLY_FAITHFUL or MUTATED, and what "
        "was changed. 4 calls, 2 per rebuttal."
    ),
    options=JuryOptions,
    request=JuryRequest,
    complete=complete,
    outcome=JuryOutcome,
    rules=_rules,
    plan=_plan,
    presentation=_presentation,
    examples=('sparring jury "Under 640,000 cases" --truth "more than 645,000 cases were reported"',),
    exit_codes={
        JuryStatus.COMPLETED: ExitCode.DONE,
        JuryStatus.INCOMPLETE: ExitCode.DONE,
        JuryStatus.BY_CODE: ExitCode.DONE,
        JuryStatus.UNJUDGED: ExitCode.NO_VERDICT,
        JuryStatus.FAILED: ExitCode.FAILED,
    },
    subject="claim",
    rows=Rows(
        fields={"claim": ("claim",), "truth": ("truth", "evidence")},
        texts=dict,
        verdict=_row_verdict,
        labels=tuple(Faithfulness),
        seats="whether they found that the claim was changed; of the checklist and of code, what is critical",
        quotes=_quotes,
        row_names=("row_id", "dataset"),
        arms=_ARMS,
    ),
    last_files=(("jury/last-verdict.json", LastVerdict),),
    audited={"jury-judge": _audited},
)
