"""A finished review as everything speaks of it that is made of one: what stands where, who said it, who was silent."""

from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property

from sparring.reports.runs import FinishedRun, cause_of, tool_with_model
from sparring.schema.base import Role
from sparring.schema.review import (
    FAMILIES_NEEDED,
    Anchoring,
    CodePlace,
    Examination,
    Examined,
    FindingState,
    LastReviewer,
    Reporter,
    ReviewFinding,
    ReviewOutcome,
    ReviewRequest,
)
from sparring.schema.runs import Run
from sparring.schema.transcript import Turn

NOT_READABLE = "its answer could not be read"


class Heading(StrEnum):
    """Where a finding stands in what is shown, in that order; the value is the heading."""

    TO_FIX = "To fix"
    CONTESTED = "Contested"
    OUTSIDE = "Outside the change"
    DISMISSED = "Dismissed before"
    REFUTED = "Refuted"
    STRUCK = "Struck"


_STANDINGS = {
    FindingState.CONFIRMED: Heading.TO_FIX,
    FindingState.CONTESTED: Heading.CONTESTED,
    FindingState.REFUTED: Heading.REFUTED,
    FindingState.STRUCK: Heading.STRUCK,
}


def heading_of(finding: ReviewFinding) -> Heading:
    """Where ``finding`` stands."""
    found = _STANDINGS[finding.state]
    if found in {Heading.TO_FIX, Heading.CONTESTED}:
        return Heading.DISMISSED if finding.dismissed else Heading.OUTSIDE if finding.is_outside else found
    return found


def _lines(file: str, first: int, last: int) -> str:
    return f"{file}:{first}" if last <= first else f"{file}:{first}-{last}"


def place_of(finding: ReviewFinding) -> str:
    """Where ``finding`` is; of one that is struck, where it was said to be."""
    if finding.place:
        return spelled(finding.place)
    said = finding.reporters[0].said
    return _lines(said.file, said.line, said.end_line)


def spelled(place: CodePlace) -> str:
    """E.g. ``src/pay.py:41-43``, or ``src/pay.py:44 (removed)``."""
    lines = _lines(place.file, place.first, place.last)
    return f"{lines} (removed)" if place.is_removed else lines


_STRUCK = {
    Anchoring.NO_FILE: "that file was not found",
    Anchoring.NO_QUOTE: "the code that it quotes stands nowhere in that file",
}


def anchoring_of(reporter: Reporter) -> str:
    """What code found of the place that a reviewer named; empty where that is right."""
    if reporter.anchoring is Anchoring.MOVED:
        lines = abs(reporter.moved_by)
        return f"it named line {reporter.said.line}, {lines} {'line' if lines == 1 else 'lines'} off"
    return _STRUCK.get(reporter.anchoring, "")


class FinishedReview(FinishedRun[ReviewRequest, ReviewOutcome]):
    """A review that has ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, ReviewRequest, ReviewOutcome)

    @cached_property
    def reviewers(self) -> tuple[LastReviewer, ...]:
        """Everybody who was to review, with the model that answered."""
        return tuple(
            LastReviewer(tool=each.tool, model=self.model(each, Role.REVIEWER, number), family=each.family)
            for number, each in enumerate(self.request.reviewers, start=1)
        )

    def name(self, number: int) -> str:
        """What the reviewer of that number is called: its tool, with its number where others have the same."""
        tools = [each.tool for each in self.request.reviewers]
        tool = tools[number - 1]
        return tool if tools.count(tool) == 1 else f"{tool} {number}"

    def title(self, number: int) -> str:
        """The same with the model."""
        reviewer = self.reviewers[number - 1]
        told = tool_with_model(reviewer.tool, reviewer.model)
        return told.replace(reviewer.tool, self.name(number), 1)

    def of(self, *wanted: Heading) -> tuple[ReviewFinding, ...]:
        """The findings that stand there, in their order."""
        return tuple(each for each in self.outcome.findings if heading_of(each) in wanted)

    def key(self, finding: ReviewFinding) -> str:
        """What ``finding`` is called in links; two may have the same id."""
        alike = [each for each in self.outcome.findings if each.id == finding.id]
        place = next(place for place, each in enumerate(alike, start=1) if each is finding)
        return f"finding-{finding.id}" + (f"-{place}" if place > 1 else "")

    def found_by(self, finding: ReviewFinding) -> str:
        """E.g. ``claude and codex``."""
        return " and ".join(dict.fromkeys(self.name(each.reviewer) for each in finding.reporters))

    def who(self, finding: ReviewFinding) -> str:
        """Who found it and what came of asking another, e.g. ``claude; codex confirms``."""
        examined = [self.examined_by(finding.examined)] if finding.examined else []
        return "; ".join((self.found_by(finding), *examined))

    def examined_by(self, examined: Examined) -> str:
        """E.g. ``codex confirms``; of no verdict of its own, why."""
        name = self.name(examined.examiner)
        if examined.cause:
            return f"{name}: {examined.cause.rstrip('.')}"
        verbs = {Examination.CONFIRMED: "confirms", Examination.REFUTED: "refutes", Examination.UNSURE: "is unsure"}
        return f"{name} {verbs[examined.verdict]}"

    @property
    def parts(self) -> int:
        """In how many parts the change was handed out."""
        return len(self.request.change.parts)

    @property
    def shortcomings(self) -> tuple[str, ...]:
        """Why it is not all that a review should be; empty where it is."""
        thin = [str(part) for part in range(1, self.parts + 1) if len(self._families(part)) < FAMILIES_NEEDED]
        of = f" for part {', '.join(thin)} of {self.parts}" if len(thin) < self.parts else ""
        told = (f"fewer than two families answered{of}",) if thin else ()
        has_gap = any(each.why.is_gap for each in self.request.change.left_out)
        return (*told, "some of the change was shown to nobody") if has_gap else told

    def _families(self, part: int) -> set[str]:
        """Whose models answered for ``part``."""
        answered = self._answering(part)
        told = ((number, turn.answer.tool) for number in answered for turn in self.asked(part, number) if turn.answer)
        return {self.request.family_of(number, tool) for number, tool in dict(told).items()}

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
        return cause_of(failures[-1]) if failures else NOT_READABLE if turns else "it was not asked"

    def asked(self, part: int, number: int) -> tuple[Turn, ...]:
        """The turns in which that reviewer was asked for its findings in that part: the first, and once more."""
        begun = f"findings.{part}.{number}"
        turns = self.run.transcript.turns
        return tuple(turn for turn in turns if turn.ask_id == begun or turn.ask_id.startswith(f"{begun}."))
