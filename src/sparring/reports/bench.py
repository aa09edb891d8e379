"""Measurement of reviewers on planted bugs: counted by change, as one table of figures with their intervals.

A finding counts by its place alone. Its words are not compared with the bug, and findings elsewhere
may be true as well; so the share of findings at planted places is called just that.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from pydantic import Field

from sparring.reports.markdown import inline, table
from sparring.reports.runs import spending
from sparring.schema.base import Record
from sparring.schema.changes import LineMark, ReviewedChange
from sparring.schema.review import FindingState, ReviewFinding, ReviewOutcome, ReviewRequest
from sparring.schema.runs import Run, Spent, paid_for, summed
from sparring.schema.transcript import Turn, TurnKind
from sparring.text.intervals import resampled, wilson


class Arm(StrEnum):
    """Arm of the measurement: the reviewers, and which of their findings count."""

    ONCE = "once"
    AGAIN = "again"
    JOINED = "joined"
    CONFIRMED = "confirmed"
    STANDING = "standing"


class PlantedPlace(Record):
    """Place of a planted bug: the lines of the new file that differ, or the one behind removed lines."""

    file: str
    first: int = Field(ge=1)
    last: int = Field(ge=1)

    @classmethod
    def of(cls, change: ReviewedChange) -> "PlantedPlace":
        """The one place that ``change`` touches."""
        (file,) = change.files
        touched = [number for hunk in file.hunks for number, mark, _ in hunk.numbered if mark != LineMark.KEPT]
        return cls(file=file.path, first=min(touched), last=max(touched))

    def is_hit_by(self, finding: ReviewFinding) -> bool:
        """Return whether ``finding`` is at that place."""
        place = finding.place
        return place is not None and place.file == self.file and place.first <= self.last and self.first <= place.last


class Hits(Record):
    """Number of findings in one change, of those at the planted place, and the usage."""

    at_place: int
    findings: int
    spent: Spent


class BugReviewed(Record):
    """Review of one change.

    Attributes:
        is_repair: Whether the bug is removed instead of planted: then there is nothing to find.
        problem: Why it does not count; empty where it does.
        runs: The reviews of the change, by their keys in the ledger.
    """

    name: str
    place: PlantedPlace
    is_repair: bool = False
    problem: str = ""
    runs: tuple[str, ...] = ()
    hits: Mapping[Arm, Hits] = {}


class Bounded(Record):
    """A figure and its bounds; ``value`` is None without anything to divide by, ``high`` without an upper bound."""

    value: float | None
    low: float
    high: float | None


class ArmFigures(Record):
    """Figures of one arm.

    Attributes:
        recall: Share of the planted bugs with a finding at their place.
        precision: Share of the findings at a planted place.
        false_alarms: Share of the repaired places with a finding; None where none was shown.
        changes: Changes with a planted bug.
        spent: Usage for them.
        tokens, usd: Usage for each bug found; None where it is not reported.
    """

    arm: Arm
    who: str
    recall: Bounded
    precision: Bounded
    false_alarms: Bounded | None
    changes: int
    spent: Spent
    tokens: Bounded | None
    usd: Bounded | None


class BenchResult(Record):
    """Result of the measurement; ``spent`` covers this call only, not what earlier calls have paid for."""

    arms: tuple[ArmFigures, ...]
    reviewed: tuple[BugReviewed, ...]
    budget: str
    drawn_of: int
    seed: int
    spent: Spent
    notices: tuple[str, ...] = ()

    @property
    def counted(self) -> tuple[BugReviewed, ...]:
        """The changes that count."""
        return tuple(each for each in self.reviewed if not each.problem)


def hits(place: PlantedPlace, again: Run, joined: Run | None) -> dict[Arm, Hits]:
    """Count the hits by arm, of repeated reviews of one model (``again``) and of several families (``joined``)."""
    unstruck = [each for each in _findings(again) if each.state is not FindingState.STRUCK]
    first = [each for each in unstruck if any(by.reviewer == 1 for by in each.reporters)]
    of_first = [turn for turn in again.transcript.turns if turn.kind is TurnKind.FINDINGS and turn.number == 1]
    counted = {
        Arm.ONCE: _hits(place, first, of_first),
        Arm.AGAIN: _hits(place, unstruck, again.transcript.turns),
    }
    if joined is None:
        return counted
    unstruck = [each for each in _findings(joined) if each.state is not FindingState.STRUCK]
    confirmed = [each for each in unstruck if each.state is FindingState.CONFIRMED]
    standing = [each for each in unstruck if each.state is not FindingState.REFUTED]
    turns = joined.transcript.turns
    blind = [turn for turn in turns if turn.kind is not TurnKind.EXAMINATION]
    return counted | {
        Arm.JOINED: _hits(place, unstruck, blind),
        Arm.CONFIRMED: _hits(place, confirmed, turns),
        Arm.STANDING: _hits(place, standing, turns),
    }


def _findings(run: Run) -> tuple[ReviewFinding, ...]:
    return run.outcome.findings if isinstance(run.outcome, ReviewOutcome) else ()


def _hits(place: PlantedPlace, findings: Sequence[ReviewFinding], turns: Iterable[Turn]) -> Hits:
    return Hits(at_place=sum(map(place.is_hit_by, findings)), findings=len(findings), spent=paid_for(turns))


def silence(run: Run) -> str:
    """Return why a review cannot be counted; empty if every reviewer has answered."""
    request, outcome = run.header.request, run.outcome
    if not isinstance(request, ReviewRequest) or not isinstance(outcome, ReviewOutcome):
        return "it has not ended"
    missing = {
        number for number in range(1, len(request.reviewers) + 1) for part in outcome.answered if number not in part
    }
    return (
        f"no answer of {', '.join(request.reviewers[number - 1].tool for number in sorted(missing))}" if missing else ""
    )


def figures(reviewed: Sequence[BugReviewed], who: Mapping[Arm, str]) -> tuple[ArmFigures, ...]:
    """The figures of each arm, over the changes that count."""
    counted = [each for each in reviewed if not each.problem]
    arms = [arm for arm in who if counted and all(arm in each.hits for each in counted)]
    return tuple(_figures(arm, who[arm], counted) for arm in arms)


def _figures(arm: Arm, who: str, counted: Sequence[BugReviewed]) -> ArmFigures:
    planted = [each.hits[arm] for each in counted if not each.is_repair]
    repaired = [each.hits[arm] for each in counted if each.is_repair]
    total = summed(each.spent for each in planted)
    return ArmFigures(
        arm=arm,
        who=who,
        recall=_share(sum(each.at_place > 0 for each in planted), len(planted)),
        precision=_share(sum(each.at_place for each in planted), sum(each.findings for each in (*planted, *repaired))),
        false_alarms=_share(sum(each.at_place > 0 for each in repaired), len(repaired)) if repaired else None,
        changes=len(planted),
        spent=total,
        tokens=_for_each(planted, lambda spent: spent.tokens) if total.tokens else None,
        usd=_for_each(planted, lambda spent: spent.cost_usd) if total.cost_usd else None,
    )


def _share(part: int, whole: int) -> Bounded:
    low, high = wilson(part, whole)
    return Bounded(value=part / whole if whole else None, low=low, high=high)


def _for_each(planted: Sequence[Hits], cost: Callable[[Spent], float]) -> Bounded:
    """Return the usage per bug found; changes are resampled for its bounds."""

    def ratio(drawn: Sequence[Hits]) -> float:
        hit = sum(each.at_place > 0 for each in drawn)
        return sum(cost(each.spent) for each in drawn) / hit if hit else math.inf

    low, high = resampled(planted, ratio)
    value = ratio(planted)
    return Bounded(value=_finite(value), low=_finite(low) or 0.0, high=_finite(high))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def bench_report(result: BenchResult) -> str:
    """All of it as Markdown: one table, and how it is to be read."""
    repairs = any(each.false_alarms for each in result.arms)
    planted = sum(not each.is_repair for each in result.counted)
    heads = ("reviewed by", "recall, %", "at the planted place, %")
    heads += ("repairs objected to, %",) if repairs else ()
    heads += ("calls a change", "tokens a bug found", "USD a bug found")
    return "\n\n".join(
        (
            "# Planted bugs found",
            f"{planted} changes with a planted bug each, drawn from {result.drawn_of} with seed {result.seed}.",
            table(heads, (_row(each, repairs=repairs) for each in result.arms))
            if result.arms
            else "Nothing was counted.",
            result.budget,
            _READING,
            *(inline(each) for each in _left_out(result)),
            f"Used now: {spending(result.spent)}.",
        )
    )


_READING = (
    "In brackets: where the figure lies for other bugs of the kind, in 95 of 100 samples. A finding counts by its "
    "place, not by its words; what is found elsewhere may be true as well."
)
_NAMED = 5


def _left_out(result: BenchResult) -> Iterable[str]:
    why: dict[str, list[str]] = {}
    for each in result.reviewed:
        if each.problem:
            why.setdefault(each.problem, []).append(each.name)
    for problem, names in why.items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield f"Not counted: {', '.join(names[:_NAMED])}{more}: {problem.rstrip('.')}."


def _row(each: ArmFigures, *, repairs: bool) -> tuple[str, ...]:
    spent = each.spent
    return (
        each.who,
        _figure_text(each.recall, _percent),
        _figure_text(each.precision, _percent),
        *((_figure_text(each.false_alarms, _percent),) if repairs else ()),
        f"{spent.calls / max(1, each.changes):.1f}",
        _cost(each.tokens, "{:,.0f}".format, untold=spent.uncounted_calls),
        _cost(each.usd, "{:.4f}".format, untold=spent.unpriced_calls),
    )


def _cost(figure: Bounded | None, spelled: Callable[[float], str], *, untold: int) -> str:
    if figure is None:
        return "not told" if untold else "0"
    return f"{'at least ' if untold else ''}{_figure_text(figure, spelled)}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f}"


def _figure_text(figure: Bounded | None, spelled: Callable[[float], str]) -> str:
    if figure is None or figure.value is None:
        return "-"
    return f"{spelled(figure.value)} [{spelled(figure.low)}-{'∞' if figure.high is None else spelled(figure.high)}]"
