"""Where an agent stands after a rebuttal (specification: seed 000, Round 2+)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparring.formats.fact_check.changing import Change
from sparring.formats.fact_check.citing import Cited
from sparring.formats.fact_check.grounds import Grounds
from sparring.formats.fact_check.misquoting import agent_named, misquotation
from sparring.formats.fact_check.reading import Rebuttal, SaidRebuttal
from sparring.formats.fact_check.weighing import MOST_QUOTES, excerpts
from sparring.schema.fact_check import CheckedRebuttal, DecisionChange, Fault, FaultFound, Movement, Position


def moved(said: Rebuttal, own: Sequence[Position], others: Mapping[str, Position], grounds: Grounds) -> Position:
    """Where an agent stands now that it has ``said`` this.

    Args:
        said: Its rebuttal.
        own: Where it stood after each round before, oldest first.
        others: Where the others stood after the last one, by their names; it was shown this.
        grounds: Claim and evidence.
    """
    before = own[-1]
    key = grounds.look_up(said.key_quote) if said.key_quote else None
    answered = _answered(said, others, grounds)
    cited = [each for each in (key, *(answer.cited for answer in answered)) if each]
    change = Change(said.verdict, key, cited, own, grounds) if said.verdict is not before.verdict else None
    movement = _movement(change)
    return Position(
        round=before.round + 1,
        verdict=before.verdict if movement is Movement.CHANGE_REJECTED else said.verdict,
        claimed=said.verdict,
        movement=movement,
        parts_checked=said.key_parts_checked,
        key_quote=said.key_quote,
        key_quote_found=key.found if key else None,
        quotes=_quotes(movement, change, key, before),
        rebuttals=tuple(answer.checked for answer in answered),
        decision_change=said.decision_change,
        change_trigger=said.change_trigger,
        faults=(
            *dict.fromkeys(each.fault for each in cited if each.fault),  # one quote may be given several times
            *(change.faults(others) if change else ()),
            *_confusion(said, before),
            *(fault for each in said.rebuttals if (fault := misquotation(each, others))),
        ),
        reason=said.reason,
    )


@dataclass(frozen=True)
class _Answer:
    """What is said against an agent that has spoken, by its name, and the quote that is set against its own."""

    name: str
    said: SaidRebuttal
    cited: Cited | None

    @property
    def checked(self) -> CheckedRebuttal:
        return CheckedRebuttal(
            agent=self.name,
            their_verdict=self.said.their_verdict,
            their_quote=self.said.their_quote,
            issue=self.said.issue,
            counter_quote=self.said.counter_quote,
            found=self.cited.found if self.cited else None,
        )


def _answered(said: Rebuttal, others: Mapping[str, Position], grounds: Grounds) -> list[_Answer]:
    """The rebuttals of agents that have spoken; any other is a fault, and nothing else."""
    return [
        _Answer(name, each, grounds.look_up(each.counter_quote) if each.counter_quote else None)
        for each in said.rebuttals
        if (name := agent_named(each.agent, others))
    ]


def _movement(change: Change | None) -> Movement:
    if change is None:
        return Movement.MAINTAINED
    return Movement.CHANGE_REJECTED if change.refusal else Movement.CHANGED


def _quotes(movement: Movement, change: Change | None, key: Cited | None, before: Position) -> tuple[str, ...]:
    if change and movement is Movement.CHANGED:
        return excerpts(change.carried_by)
    if movement is Movement.MAINTAINED and key and key.fault is None:
        return tuple(dict.fromkeys((key.excerpt, *before.quotes)))[:MOST_QUOTES]
    return before.quotes


def _confusion(said: Rebuttal, before: Position) -> Iterator[FaultFound]:
    """That an agent calls what it does by another name; the verdict decides."""
    stands_by = {before.verdict, before.claimed}
    if said.decision_change is DecisionChange.MAINTAIN and said.verdict not in stands_by:
        why = f"It says MAINTAIN, and gives {said.verdict} after {before.verdict}."
        yield FaultFound(fault=Fault.VERDICT_NOT_BY_RULE, why=why)
    if said.decision_change is DecisionChange.CHANGE and stands_by == {said.verdict}:
        why = f"It says CHANGE, and gives {said.verdict} as before."
        yield FaultFound(fault=Fault.VERDICT_NOT_BY_RULE, why=why)
