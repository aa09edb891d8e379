"""A finished review for all of its views: findings by heading, reviewers, counts, and dismissals."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from sparring.engine.capabilities import Dismissing
from sparring.errors import UsageError
from sparring.formats.review.options import DISMISSED, LAST_REVIEW
from sparring.reports.conclusion import Conclusion
from sparring.reports.runs import FinishedRun, cause_of, record_of
from sparring.schema import base, changes, runs, transcript
from sparring.schema import review as schema
from sparring.schema.authors import Independence
from sparring.text.tidying import one_line

NOT_READABLE = "its answer could not be read"


class Heading(StrEnum):
    """Heading under which a finding is shown, in order; the value is its text."""

    TO_FIX = "To fix"
    CONTESTED = "Contested"
    OUTSIDE = "Outside the change"
    DISMISSED = "Dismissed before"
    REFUTED = "Refuted"
    STRUCK = "Struck"


_HEADINGS = {
    schema.FindingState.CONFIRMED: Heading.TO_FIX,
    schema.FindingState.CONTESTED: Heading.CONTESTED,
    schema.FindingState.REFUTED: Heading.REFUTED,
    schema.FindingState.STRUCK: Heading.STRUCK,
}


def heading_of(finding: schema.ReviewFinding) -> Heading:
    """Return the heading of ``finding``."""
    heading = _HEADINGS[finding.state]
    if heading in {Heading.TO_FIX, Heading.CONTESTED}:
        if finding.dismissed:
            return Heading.DISMISSED
        if finding.is_outside:
            return Heading.OUTSIDE
    return heading


def _lines(file: str, first: int, last: int) -> str:
    return f"{file}:{first}" if last <= first else f"{file}:{first}-{last}"


def place_of(finding: schema.ReviewFinding) -> str:
    """Return the place of ``finding``; of a struck one, the place that its reviewer named."""
    if finding.place:
        return spelled(finding.place)
    report = finding.reporters[0].report
    return _lines(report.file, report.line, report.end_line)


def spelled(place: schema.CodePlace) -> str:
    """E.g. ``src/pay.py:41-43``, or ``src/pay.py:44 (removed)``."""
    lines = _lines(place.file, place.first, place.last)
    return f"{lines} (removed)" if place.is_removed else lines


_STRUCK = {
    schema.Anchoring.NO_FILE: "that file was not found",
    schema.Anchoring.NO_QUOTE: "the code that it quotes is nowhere in that file",
}


def anchoring_of(reporter: schema.Reporter) -> str:
    """Return the error in the place that a reviewer named; empty if there is none."""
    if reporter.anchoring is schema.Anchoring.MOVED:
        lines = abs(reporter.moved_by)
        return f"it named line {reporter.report.line}, {lines} {'line' if lines == 1 else 'lines'} off"
    return _STRUCK.get(reporter.anchoring, "")


def in_words(report: schema.ReportedFinding, title: str) -> dict[str, str]:
    """Return the parts of a report, by the words that introduce them; without empty ones."""
    parts = {"": title, "Trigger: ": report.trigger, "Consequence: ": report.consequence, "Fix: ": report.fix}
    return {name: text for name, text in parts.items() if text.strip()}


def _participant(seat: schema.Reviewer) -> base.Participant:
    return base.Participant(tool=seat.tool, model=seat.model)


class FinishedReview(FinishedRun[schema.ReviewRequest, schema.ReviewOutcome]):
    """A review that has ended."""

    def __init__(self, run: runs.Run) -> None:
        super().__init__(run, schema.ReviewRequest, schema.ReviewOutcome)

    @cached_property
    def reviewers(self) -> tuple[schema.LastReviewer, ...]:
        """All reviewers of the request, each with the model that answered."""
        return tuple(self._reviewer(number, each) for number, each in enumerate(self.request.reviewers, start=1))

    def _reviewer(self, number: int, seat: schema.Reviewer) -> schema.LastReviewer:
        """The tool that answered last for a reviewer, and the family of its model."""
        last = self.respondent(_participant(seat), base.Role.REVIEWER, number)
        answers = self.run.transcript.respondents(base.Role.REVIEWER, number)
        reported = answers[-1].family if answers else ""
        return record_of(
            schema.LastReviewer,
            last,
            family=self.request.family_of(number, last.tool, reported),
            independence=self.request.independence_of(number, last.tool, last.model, reported),
        )

    def name(self, number: int) -> str:
        """The tools that answered for a reviewer, with its number where others have the same."""
        return self._numbered(number, self._names[number - 1])

    @cached_property
    def _names(self) -> tuple[str, ...]:
        seats = enumerate(self.request.reviewers, start=1)
        return tuple(self.name_of(_participant(seat), base.Role.REVIEWER, number) for number, seat in seats)

    def _numbered(self, number: int, name: str) -> str:
        return name if self._names.count(self._names[number - 1]) == 1 else f"{name} {number}"

    def title(self, number: int) -> str:
        """The same with the models."""
        seat = _participant(self.request.reviewers[number - 1])
        title = self.title_of(seat, base.Role.REVIEWER, number)
        name = self._names[number - 1]
        return title.replace(name, self.name(number), 1) if title.startswith(name) else self._numbered(number, title)

    def of(self, *wanted: Heading) -> tuple[schema.ReviewFinding, ...]:
        """The findings below these headings, in their order."""
        return tuple(each for each in self.outcome.findings if heading_of(each) in wanted)

    def reporters_of(self, finding: schema.ReviewFinding) -> str:
        """E.g. ``claude and codex``."""
        return " and ".join(dict.fromkeys(self.name(each.reviewer) for each in finding.reporters))

    def who(self, finding: schema.ReviewFinding) -> str:
        """Return the reviewers of a finding and the result of its examination, e.g. ``claude; codex confirms``."""
        examined = [self.examined_by(finding.examined)] if finding.examined else []
        return "; ".join((self.reporters_of(finding), *examined))

    def examined_by(self, examined: schema.Examined) -> str:
        """E.g. ``codex confirms``; without a verdict of the examiner, the reason."""
        name = self.name(examined.examiner)
        if examined.cause:
            return f"{name}: {examined.cause.rstrip('.')}"
        verbs = {
            schema.Examination.CONFIRMED: "confirms",
            schema.Examination.REFUTED: "refutes",
            schema.Examination.UNSURE: "is unsure",
        }
        return f"{name} {verbs[examined.verdict]}"

    @property
    def parts(self) -> int:
        """Number of parts that the change was split into."""
        return len(self.request.change.parts)

    @property
    def shortcomings(self) -> tuple[str, ...]:
        """Reasons why the review is incomplete; empty if it is complete."""
        reasons = list(self._reasons_of_reviewers)
        if any(file.reason.is_gap for file in self.request.change.left_out):
            reasons.append("not all of the change was shown")
        return tuple(reasons)

    @property
    def _reasons_of_reviewers(self) -> tuple[str, ...]:
        counted = self.outcome.counted
        thin = [str(part) for part, each in enumerate(counted, 1) if len(each) < schema.FAMILIES_NEEDED]
        of = f" for part {', '.join(thin)} of {self.parts}" if len(thin) < self.parts else ""
        independent = "independent of the author " if self.request.authors else ""
        lines = [f"fewer than two families {independent}answered{of}"] if thin else []
        if not thin and any(Independence.INDEPENDENT not in each.values() for each in counted):
            lines.append("no reviewer is independent of the author")
        numbers = sorted({number for part in self.outcome.incomplete_reviewers for number in part})
        names = ", ".join(self.name(number) for number in numbers)
        return (*lines, f"not everything of {names} could be read") if names else tuple(lines)

    @property
    def families(self) -> tuple[tuple[str, ...], ...]:
        """For each part, the families of the models that answered; a substitute counts with its own family."""
        return tuple(tuple(sorted(self._families(part))) for part in range(1, self.parts + 1))

    def _families(self, part: int) -> set[str]:
        answers = ((number, turn.answer) for number, turn in self._answers(part) if turn.answer)
        return {self.request.family_of(number, each.tool, each.family) for number, each in answers}

    def _answers(self, part: int) -> Iterator[tuple[int, transcript.Turn]]:
        """Yield the reviewers that answered for that part, each with its last answer."""
        for number in self._answering(part):
            turns = [turn for turn in self.asked(part, number) if turn.answer]
            yield from [(number, turn) for turn in turns[-1:]]

    def _answering(self, part: int) -> tuple[int, ...]:
        return self.outcome.answered[part - 1] if part <= len(self.outcome.answered) else ()

    def answered(self, number: int) -> int:
        """For how many parts that reviewer answered."""
        return sum(number in part for part in self.outcome.answered)

    def silences(self, number: int) -> Iterator[tuple[int, str]]:
        """The parts, from 1 on, for which that reviewer gave no usable answer, and why."""
        for part in range(1, self.parts + 1):
            if number not in self._answering(part):
                yield part, self._cause(part, number)

    def _cause(self, part: int, number: int) -> str:
        turns = self.asked(part, number)
        failures = [turn.failure for turn in turns if turn.failure]
        if failures:
            return cause_of(failures[-1])
        return NOT_READABLE if turns else "it was not asked"

    def asked(self, part: int, number: int) -> tuple[transcript.Turn, ...]:
        """The turns with asks for that reviewer's findings in that part: the first, and the repetition if any."""
        first = f"findings.{part}.{number}"
        turns = self.run.transcript.turns
        return tuple(turn for turn in turns if turn.ask_id == first or turn.ask_id.startswith(f"{first}."))


_TITLE_SHOWN, _PLACE_SHOWN, _WHY_SHOWN = 300, 200, 2_000
_FILES_NAMED = 5

NOT_SHOWN = {
    changes.ExclusionReason.GENERATED: "generated, by .gitattributes of the base",
    changes.ExclusionReason.VENDORED: "vendored, by .gitattributes of the base",
    changes.ExclusionReason.NO_DIFF: "not compared, by .gitattributes of the base",
    changes.ExclusionReason.FILTERED: "stored in another form, by .gitattributes of the base",
    changes.ExclusionReason.OWN: "a record of sparring",
    changes.ExclusionReason.SEEN: "reviewed before",
    changes.ExclusionReason.SUBMODULE: "submodule",
    changes.ExclusionReason.BINARY: "binary",
    changes.ExclusionReason.CONVERTED: "this change declares a filter or an encoding for it",
    changes.ExclusionReason.OVERLOOKED: "git is set to ignore it",
    changes.ExclusionReason.IGNORED: "ignored by this change alone",
    changes.ExclusionReason.SECRET: "its name is made for secrets",
    changes.ExclusionReason.REDACTED: "what was taken for a secret may be code",
    changes.ExclusionReason.LONG_LINE: "a line is too long to be shown whole",
    changes.ExclusionReason.NO_ROOM: "no room within the limit",
    changes.ExclusionReason.UNREADABLE: "could not be read",
}
"""The reasons why a file was not shown, or only in part, in words."""

_COUNTING = (Heading.TO_FIX, Heading.CONTESTED, Heading.OUTSIDE)
"""Headings that count against a change; findings outside the change block as well."""

_UNFIT = {schema.ReviewStatus.INCOMPLETE, schema.ReviewStatus.FAILED}
_OTHERS = {
    Heading.CONTESTED: "contested",
    Heading.OUTSIDE: "outside the change",
    Heading.DISMISSED: "dismissed before",
    Heading.REFUTED: "refuted",
    Heading.STRUCK: "struck",
}


def conclusion(review: FinishedReview) -> Conclusion:
    """Return the conclusion of a finished review."""
    change = review.request.change
    doubts: list[str] = []
    gaps = "; ".join(left_out(change, are_gaps=True))
    if gaps:
        doubts.append(f"[WARN] Not shown: {gaps}.")
    doubts += [f"[WARN] Check failed: {check.in_words}." for check in review.request.checks if check.exit_code != 0]
    if review.outcome.is_weaker:
        doubts.append(f"[WARN] {_WEAKER}")
    doubts += review.notices
    quotes = Counter(reporter.anchoring for finding in review.outcome.findings for reporter in finding.reporters)
    missing = quotes[schema.Anchoring.NO_FILE] + quotes[schema.Anchoring.NO_QUOTE]
    counting = sorted(review.of(*_COUNTING), key=lambda finding: (finding.is_outside, finding.severity.rank))
    answered = [number for number in range(1, len(review.reviewers) + 1) if review.answered(number)]
    return Conclusion(
        headline=_headline(review),
        is_plain=not review.shortcomings and review.outcome.status not in _UNFIT,
        is_good=not counting,
        about=("Change", change.title),
        why="; ".join(review.shortcomings),
        label=review.outcome.status,
        points=tuple(point(review, finding) for finding in counting),
        firmness=_counted(review),
        doubts=tuple(doubts),
        notes=tuple(f"Left out: {line}." for line in left_out(change, are_gaps=False)),
        citations={
            "quotes there": quotes.total() - missing,
            "of them moved": quotes[schema.Anchoring.MOVED],
            "not there": missing,
        },
        answered_by=tuple(review.title(number) for number in answered),
    )


_WEAKER = "Weaker: a reviewer of the author's family counts here, with another model."


def _headline(review: FinishedReview) -> str:
    counts = _counts_line(review)
    match review.outcome.status:
        case schema.ReviewStatus.FAILED:
            return "Review failed: no reviewer answered"
        case schema.ReviewStatus.INCOMPLETE if not review.parts:
            return "Review incomplete: nothing of the change could be shown"
        case schema.ReviewStatus.INCOMPLETE:
            return f"Review incomplete, so far: {counts or 'nothing found'}"
        case schema.ReviewStatus.BLOCKING:
            return f"Your change is blocked: {counts}"
        case schema.ReviewStatus.CLEAN:
            return "Review: clean, weaker" if review.outcome.is_weaker else "Review: clean"
        case _:
            return f"Your change: {counts}"


def _counts_line(review: FinishedReview) -> str:
    """Return what concerns the change first, e.g. ``1 critical, confirmed; 2 findings outside it``."""
    parts: list[str] = []
    for heading, state in ((Heading.TO_FIX, "confirmed"), (Heading.CONTESTED, "contested")):
        counts = Counter(finding.severity for finding in review.of(heading))
        if counts:
            worst_first = sorted(counts, key=lambda severity: severity.rank)
            severities = ", ".join(f"{counts[severity]} {severity}" for severity in worst_first)
            parts.append(f"{severities}, {state}")
    outside = len(review.of(Heading.OUTSIDE))
    if outside:
        parts = parts or ["nothing found"]
        parts.append(f"{outside} {'finding' if outside == 1 else 'findings'} outside it")
    return "; ".join(parts)


def point(review: FinishedReview, finding: schema.ReviewFinding) -> str:
    """A finding in a line: severity, place, title, reviewers, fix, and reason."""
    report = finding.reporters[0].report
    heading = heading_of(finding)
    state = "" if heading is Heading.TO_FIX else f"{heading.lower()}, "
    place, title = one_line(place_of(finding), _PLACE_SHOWN), one_line(finding.title, _TITLE_SHOWN)
    sentences = [f"{state}{finding.severity} {place}: {title.rstrip('.')} ({review.who(finding)}; {finding.id})"]
    fix = one_line(report.fix, _WHY_SHOWN)
    if fix:
        sentences.append(f"Fix: {fix}")
    why = one_line(" → ".join(part for part in (report.trigger, report.consequence) if part.strip()), _WHY_SHOWN)
    if why:
        sentences.append(why)
    return ". ".join(sentence.rstrip(".") for sentence in sentences)


def _counted(review: FinishedReview) -> str:
    """E.g. ``2 of 6 findings confirmed, 1 contested, 2 refuted, 1 struck``; empty without any answer."""
    if not any(review.outcome.answered):
        return ""
    counts = Counter(heading_of(finding) for finding in review.outcome.findings)
    total = counts.total()
    if not total:
        return "no reviewer who answered found anything"
    parts = [f"{counts[Heading.TO_FIX]} of {total} {'finding' if total == 1 else 'findings'} confirmed"]
    parts += [f"{counts[heading]} {words}" for heading, words in _OTHERS.items() if counts[heading]]
    return ", ".join(parts)


def left_out(change: changes.ReviewedChange, *, are_gaps: bool) -> Iterator[str]:
    """The files that no reviewer is shown, by the reason, e.g. ``a.lock, b.lock and 3 more (generated)``."""
    for why, words in NOT_SHOWN.items():
        paths = tuple(dict.fromkeys(file.path for file in change.left_out if file.reason is why))
        if paths and why.is_gap is are_gaps:
            named = ", ".join(one_line(path, _PLACE_SHOWN) for path in paths[:_FILES_NAMED])
            more = f" and {len(paths) - _FILES_NAMED} more" if len(paths) > _FILES_NAMED else ""
            yield f"{named}{more} ({words})"


_LEAST = 4
"""Characters of an id that may stand for it."""

_KNOWN_SHOWN = 8
_SHOWN = 120
_WHY_KEPT = 2_000


def _dismissed(
    last: schema.LastReview | None, kept: schema.Dismissals, begun: str, why: str, now: datetime
) -> tuple[schema.Dismissals, str]:
    """``kept`` with the finding of the last review whose id is ``begun`` or begins with it."""
    if last is None:
        raise UsageError(
            "There is no review in this project, so there is no finding to dismiss.", hint="Start one: sparring review"
        )
    if not why.strip():
        hint = 'Add it after the id: sparring review dismiss ID "the caller holds the lock"'
        raise UsageError("The reason for the dismissal is missing.", hint=hint)
    by_id = {finding.id: finding for finding in last.findings if finding.state is not schema.FindingState.STRUCK}
    choices = {id_: f"{id_} ({one_line(finding.title, 40)})" for id_, finding in by_id.items()}
    finding = by_id[_meant(begun, choices)]
    new = schema.Dismissal(
        id=finding.id, why=one_line(why, _WHY_KEPT), title=finding.title, file=place_of(finding), at=now
    )
    others = tuple(dismissal for dismissal in kept.dismissed if dismissal.id != finding.id)
    return schema.Dismissals(dismissed=(*others, new)), f"Dismissed {_dismissal_line(new)}"


def _recalled(kept: schema.Dismissals, begun: str) -> tuple[schema.Dismissals, str]:
    id_ = _meant(begun, {dismissal.id: dismissal.id for dismissal in kept.dismissed})
    remaining = tuple(dismissal for dismissal in kept.dismissed if dismissal.id != id_)
    return schema.Dismissals(dismissed=remaining), f"{id_} counts again from the next review on."


def _meant(begun: str, known: Mapping[str, str]) -> str:
    """The id of ``known`` that ``begun`` stands for; raises ``UsageError`` with the choices if none or several fit."""
    wanted = begun.strip().lower()
    matching = [id_ for id_ in known if id_ == wanted or (len(wanted) >= _LEAST and id_.startswith(wanted))]
    if len(matching) == 1:
        return matching[0]
    shown = one_line(repr(begun), 40)
    if matching:
        raise UsageError(f"Several findings begin with {shown}: {', '.join(matching)}.")
    more = f" and {len(known) - _KNOWN_SHOWN} more" if len(known) > _KNOWN_SHOWN else ""
    listed = ", ".join(list(known.values())[:_KNOWN_SHOWN])
    raise UsageError(f"No finding has the id {shown}.", hint=f"Known: {listed}{more}." if known else "There is none.")


def _listed(kept: schema.Dismissals) -> tuple[str, ...]:
    return tuple(f"{dismissal.at:%Y-%m-%d}  {_dismissal_line(dismissal)}" for dismissal in kept.dismissed)


def _dismissal_line(dismissal: schema.Dismissal) -> str:
    file, title, why = (one_line(text, _SHOWN) for text in (dismissal.file, dismissal.title, dismissal.why))
    return f"{dismissal.id}  {file}: {title} ({why})"


DISMISSING = Dismissing(
    path=DISMISSED,
    record=schema.Dismissals,
    result=(LAST_REVIEW, schema.LastReview),
    dismissed=_dismissed,
    recalled=_recalled,
    lines=_listed,
)
