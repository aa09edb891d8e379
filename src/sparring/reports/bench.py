"""Measurement of reviewers on planted bugs: counted by change, as one table of figures with their intervals.

A finding counts by its place alone. Its words are not compared with the bug, and findings elsewhere
may be true as well; so the share of findings at planted places is called just that.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from pydantic import Field

from sparring.reports.markdown import inline, table
from sparring.reports.runs import spending_text
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


class ReviewedBug(Record):
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


class BoundedFigure(Record):
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
    reviewers: str
    recall: BoundedFigure
    precision: BoundedFigure
    false_alarms: BoundedFigure | None
    changes: int
    spent: Spent
    tokens: BoundedFigure | None
    usd: BoundedFigure | None


class BenchResult(Record):
    """Result of the measurement; ``spent`` covers this call only, not what earlier calls have paid for."""

    arms: tuple[ArmFigures, ...]
    reviewed: tuple[ReviewedBug, ...]
    budget: str
    drawn_of: int
    seed: int
    spent: Spent
    notices: tuple[str, ...] = ()

    @property
    def counted(self) -> tuple[ReviewedBug, ...]:
        """The changes that count."""
        return tuple(change for change in self.reviewed if not change.problem)


def count_hits(place: PlantedPlace, again: Run, joined: Run | None) -> dict[Arm, Hits]:
    """Count the hits by arm, of repeated reviews of one model (``again``) and of several families (``joined``)."""
    findings = _unstruck(again)
    turns = again.transcript.turns
    of_first = [finding for finding in findings if any(reporter.reviewer == 1 for reporter in finding.reporters)]
    asked_first = [turn for turn in turns if turn.kind is TurnKind.FINDINGS and turn.number == 1]
    by_arm = {
        Arm.ONCE: _hits(place, of_first, asked_first),
        Arm.AGAIN: _hits(place, findings, turns),
    }
    if joined:
        findings = _unstruck(joined)
        turns = joined.transcript.turns
        blind = [turn for turn in turns if turn.kind is not TurnKind.EXAMINATION]
        confirmed = [finding for finding in findings if finding.state is FindingState.CONFIRMED]
        not_refuted = [finding for finding in findings if finding.state is not FindingState.REFUTED]
        by_arm[Arm.JOINED] = _hits(place, findings, blind)
        by_arm[Arm.CONFIRMED] = _hits(place, confirmed, turns)
        by_arm[Arm.STANDING] = _hits(place, not_refuted, turns)
    return by_arm


def _unstruck(run: Run) -> list[ReviewFinding]:
    findings = run.outcome.findings if isinstance(run.outcome, ReviewOutcome) else ()
    return [finding for finding in findings if finding.state is not FindingState.STRUCK]


def _hits(place: PlantedPlace, findings: Sequence[ReviewFinding], turns: Iterable[Turn]) -> Hits:
    return Hits(at_place=sum(map(place.is_hit_by, findings)), findings=len(findings), spent=paid_for(turns))


def reason_not_counted(run: Run) -> str:
    """Return why a review cannot be counted; empty if every reviewer has answered."""
    request, outcome = run.header.request, run.outcome
    if not isinstance(request, ReviewRequest) or not isinstance(outcome, ReviewOutcome):
        return "it has not ended"
    missing = [
        reviewer.tool
        for number, reviewer in enumerate(request.reviewers, start=1)
        if any(number not in answered for answered in outcome.answered)
    ]
    return f"no answer of {', '.join(missing)}" if missing else ""


def figures(reviewed: Sequence[ReviewedBug], reviewers: Mapping[Arm, str]) -> tuple[ArmFigures, ...]:
    """The figures of each arm, over the changes that count."""
    counted = [change for change in reviewed if not change.problem]
    if not counted:
        return ()
    arms = [arm for arm in reviewers if all(arm in change.hits for change in counted)]
    return tuple(_figures(arm, reviewers[arm], counted) for arm in arms)


def _figures(arm: Arm, reviewers: str, counted: Sequence[ReviewedBug]) -> ArmFigures:
    planted = [change.hits[arm] for change in counted if not change.is_repair]
    repaired = [change.hits[arm] for change in counted if change.is_repair]
    bugs_hit = sum(hits.at_place > 0 for hits in planted)
    alarms = sum(hits.at_place > 0 for hits in repaired)
    findings_at_place = sum(hits.at_place for hits in planted)  # a repaired place has no bug to be right about
    findings = sum(hits.findings for hits in (*planted, *repaired))
    total = summed(hits.spent for hits in planted)
    return ArmFigures(
        arm=arm,
        reviewers=reviewers,
        recall=_share(bugs_hit, len(planted)),
        precision=_share(findings_at_place, findings),
        false_alarms=_share(alarms, len(repaired)) if repaired else None,
        changes=len(planted),
        spent=total,
        tokens=_per_bug(planted, lambda spent: spent.tokens) if total.tokens else None,
        usd=_per_bug(planted, lambda spent: spent.cost_usd) if total.cost_usd else None,
    )


def _share(part: int, whole: int) -> BoundedFigure:
    low, high = wilson(part, whole)
    return BoundedFigure(value=part / whole if whole else None, low=low, high=high)


def _per_bug(planted: Sequence[Hits], cost: Callable[[Spent], float]) -> BoundedFigure:
    """Return the usage per bug found; changes are resampled for its bounds."""

    def ratio(drawn: Sequence[Hits]) -> float:
        bugs_hit = sum(hits.at_place > 0 for hits in drawn)
        return sum(cost(hits.spent) for hits in drawn) / bugs_hit if bugs_hit else math.inf

    low, high = resampled(planted, ratio)
    value = ratio(planted)
    return BoundedFigure(value=_finite(value), low=_finite(low) or 0.0, high=_finite(high))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def bench_report(result: BenchResult) -> str:
    """All of it as Markdown: one table, and how it is to be read."""
    planted = sum(not change.is_repair for change in result.counted)
    has_repairs = any(figures.false_alarms for figures in result.arms)
    head = ["reviewed by", "recall, %", "at the planted place, %"]
    if has_repairs:
        head.append("repairs objected to, %")
    head += ["calls a change", "tokens a bug found", "USD a bug found"]
    rows = [_row(figures, has_repairs=has_repairs) for figures in result.arms]
    return "\n\n".join(
        (
            "# Planted bugs found",
            f"{planted} changes with a planted bug each, drawn from {result.drawn_of} with seed {result.seed}.",
            table(head, rows) if rows else "Nothing was counted.",
            result.budget,
            _READING,
            *(inline(line) for line in _left_out(result)),
            f"Used now: {spending_text(result.spent)}.",
        )
    )


_READING = (
    "In brackets: where the figure lies for other bugs of the kind, in 95 of 100 samples. A finding counts by its "
    "place, not by its words; what is found elsewhere may be true as well."
)
_NAMED = 5


def _left_out(result: BenchResult) -> Iterable[str]:
    names_by_problem: dict[str, list[str]] = {}
    for change in result.reviewed:
        if change.problem:
            names_by_problem.setdefault(change.problem, []).append(change.name)
    for problem, names in names_by_problem.items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield f"Not counted: {', '.join(names[:_NAMED])}{more}: {problem.rstrip('.')}."


def _row(figures: ArmFigures, *, has_repairs: bool) -> list[str]:
    spent = figures.spent
    cells = [figures.reviewers, _figure_text(figures.recall, _percent), _figure_text(figures.precision, _percent)]
    if has_repairs:
        cells.append(_figure_text(figures.false_alarms, _percent))
    cells += [
        f"{spent.calls / max(1, figures.changes):.1f}",
        _cost(figures.tokens, "{:,.0f}".format, unreported_calls=spent.uncounted_calls),
        _cost(figures.usd, "{:.4f}".format, unreported_calls=spent.unpriced_calls),
    ]
    return cells


def _cost(figure: BoundedFigure | None, spelled: Callable[[float], str], *, unreported_calls: int) -> str:
    if figure is None:
        return "not told" if unreported_calls else "0"
    return f"{'at least ' if unreported_calls else ''}{_figure_text(figure, spelled)}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f}"


def _figure_text(figure: BoundedFigure | None, spelled: Callable[[float], str]) -> str:
    if figure is None or figure.value is None:
        return "-"
    high = "∞" if figure.high is None else spelled(figure.high)
    return f"{spelled(figure.value)} [{spelled(figure.low)}-{high}]"
