"""The fact-check by several agents (specification: seed 000; design: Fact-check).

Round 1 is blind: every agent analyses the claim alone. Debate rounds follow as long as they are needed, then the votes
of the last round are counted. Reading order: ``options`` declares the options; ``grounds`` compares parts with the
whole claim, and looks up quotes; ``prompts`` words the prompts, ``replies`` reads the answers; ``readers`` has quotes
read a second time, ``positions`` derives the position of an agent; ``flow`` is the course, and counts the votes;
``outcome`` words the result, ``report`` and ``page`` show all of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sparring.engine.audited import AuditedSeat
from sparring.engine.format import Arms, Format, PlannedCalls, Presentation, Rows, Rules
from sparring.errors import ExitCode
from sparring.formats.fact_check.options import FactCheckOptions, complete
from sparring.prompts import PromptLibrary
from sparring.schema import claims, lookups, pairs, runs
from sparring.schema.base import Role
from sparring.schema.fact_check import (
    Escalation,
    FactCheckOutcome,
    FactCheckRequest,
    FactCheckStatus,
    LastFactCheck,
    ShownPositions,
)

__all__ = ["FORMAT"]


def _rules(request: FactCheckRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.fact_check.flow import FactCheck

    return FactCheck(request, prompts)


_POSITION = 400
"""Characters of an agent's position as others are shown it: parts and quotes, and one or two sentences."""

_READING = 1_200
"""Characters of a prompt for second readings: instructions, and a passage or two."""


def _plan(request: FactCheckRequest) -> Iterator[PlannedCalls]:
    """Yield for each agent one analysis, a rebuttal in each debate round, and the readings of others' quotes.

    The agents debate after the first round if they disagree; usual are all rounds, and readings in the first one. All
    asks are repeated once if the answer cannot be used. In each round an agent may read quotes twice: those that
    code leaves open, and then those where agents and a reader contradict code.
    """
    rounds = 1 if request.escalation is Escalation.NEVER else request.max_rounds
    certain = 2 if request.escalation is Escalation.ALWAYS else 1
    others = len(request.agents) - 1
    for round_ in range(1, rounds + 1):
        step, is_certain, added = f"round {round_}", int(round_ <= certain), (round_ > 1) * others * _POSITION
        for agent in request.agents:
            yield PlannedCalls(step, Role.FACT_CHECKER, agent, fewest=is_certain, added=added)
            if request.evidence:
                usual = int(round_ == 1)
                yield PlannedCalls(f"{step}, reading", Role.FACT_CHECKER, agent, 0, usual, most=2 * 2, whole=_READING)


def _presentation() -> Presentation[Any]:
    from sparring.formats.fact_check.report import PRESENTATION

    return PRESENTATION


def _texts(row: Mapping[str, str]) -> dict[str, object]:
    return {"claim": row["claim"], "evidence": (row["truth"],)}


def _row_verdict(run: runs.Run) -> pairs.RowVerdict | None:
    """Return the label; its firmness is the share of the votes that are for it."""
    outcome = cast("FactCheckOutcome", run.outcome)
    if outcome.label is None:
        return None
    seats, word = tuple(_seats(outcome)), outcome.label.value
    votes = [seat.label for seat in seats if seat.label and seat.tool]
    decision = (outcome.decision or "").replace("_", " ")
    return pairs.RowVerdict(
        word,
        firmness=votes.count(word) / len(votes) if votes else None,
        doubted=("Code finds the opposite.",) if outcome.is_contested else (),
        reasons=(*filter(None, (decision,)), *(doubt.why for doubt in outcome.doubts)),
        seats=seats,
    )


def _seats(outcome: FactCheckOutcome) -> Iterator[pairs.SeatLabel]:
    for agent in outcome.agents:
        yield pairs.SeatLabel(seat=agent.name, tool=agent.tool, blind=agent.blind, label=agent.debated)
    yield pairs.SeatLabel(seat="code", tool=None, blind=outcome.check.label, label=outcome.check.label)


def _quotes(run: runs.Run) -> Iterator[pairs.RowQuote]:
    """Yield the quotes of each agent's last position."""
    outcome = cast("FactCheckOutcome", run.outcome)
    for agent in outcome.agents:
        if not agent.positions:
            continue
        for part in agent.positions[-1].parts:
            if part.quote and part.quote_finding:
                yield _located(agent.name, part.quote, part.quote_finding)


def _located(seat: str, quote: str, finding: lookups.QuoteFinding) -> pairs.RowQuote:
    span = finding.span
    place = {"source": str(span.index), "start": span.start, "end": span.end} if span else {}
    return pairs.RowQuote.model_validate({"seat": seat, "text": quote, "verdict": finding.verdict, **place})


def _blind(request: FactCheckRequest, seats: Sequence[int]) -> FactCheckRequest:
    families = request.families
    return request.model_copy(
        update={
            "agents": tuple(request.agents[seat] for seat in seats),
            "families": tuple(families[seat] for seat in seats) if families else (),
            "max_rounds": 1,
            "escalation": Escalation.NEVER,
        }
    )


def _alike(request: FactCheckRequest, run: runs.Run) -> FactCheckRequest:
    """Return ``request`` with as many rounds as ``run`` had."""
    rounds = max((turn.round for turn in run.transcript.turns), default=1)
    escalation = Escalation.ALWAYS if rounds > 1 else Escalation.NEVER
    return request.model_copy(update={"max_rounds": rounds, "escalation": escalation})


def _revise(request: FactCheckRequest, run: runs.Run) -> FactCheckRequest:
    return _alike(request, run).model_copy(update={"shown_positions": ShownPositions.NONE})


def _placebo(request: FactCheckRequest, run: runs.Run, other: runs.Run) -> FactCheckRequest:
    outcome = cast("FactCheckOutcome", other.outcome)
    positions = tuple(agent.positions[0] if agent.positions else None for agent in outcome.agents)
    update = {"shown_positions": ShownPositions.OTHER_ROW, "other_row_positions": positions}
    return _alike(request, run).model_copy(update=update)


_ARMS = Arms(
    seats=lambda request: request.agents,
    blind=_blind,
    by_code=lambda request: request.model_copy(update={"agents": (), "families": ()}),
    votes=lambda run: tuple(each for each in _seats(cast("FactCheckOutcome", run.outcome)) if each.tool),
    label=lambda run: cast("FactCheckOutcome", run.outcome).label,
    revise=_revise,
    placebo=_placebo,
    open_label=claims.Label.NEI,
)


def _audited() -> AuditedSeat:
    from sparring.formats.fact_check.audited import SEAT

    return SEAT


FORMAT = Format(
    name="fact-check",
    title="Fact-check",
    description=(
        "Is a claim SUPPORTED or REFUTED by evidence, or NEI? AI tools judge blind, code looks quotes up, and they "
        "debate where they disagree."
    ),
    options=FactCheckOptions,
    request=FactCheckRequest,
    complete=complete,
    outcome=FactCheckOutcome,
    rules=_rules,
    plan=_plan,
    presentation=_presentation,
    examples=('sparring fact-check "It reopened in June 2020." --evidence-file report.md',),
    exit_codes={
        FactCheckStatus.COMPLETED: ExitCode.DONE,
        FactCheckStatus.NO_QUORUM: ExitCode.NO_VERDICT,
        FactCheckStatus.FAILED: ExitCode.FAILED,
    },
    subject="claim",
    rows=Rows(
        fields={"claim": ("claim",), "truth": ("truth", "evidence")},
        texts=_texts,
        verdict=_row_verdict,
        labels=tuple(claims.Label),
        seats="which label they gave in the blind round",
        quotes=_quotes,
        arms=_ARMS,
    ),
    last_files=(("fact-check/last-fact-check.json", LastFactCheck),),
    expected_if="no agent agrees",
    audited={"reader": _audited},
)
