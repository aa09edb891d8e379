"""Asks of reviewers: first the material, byte for byte the same for all that are shown it, then the task."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from sparring.engine.course import Attempt, DeferredAsk, citations_wanted
from sparring.formats.review.findings import JoinedFinding
from sparring.formats.review.places import PointedLines
from sparring.formats.review.replies import form_of
from sparring.prompts import PromptLibrary
from sparring.schema import base, changes, consultation, lookups, review, transcript
from sparring.text.tidying import one_line

_ROUNDS = {transcript.TurnKind.FINDINGS: 1, transcript.TurnKind.JOINING: 2, transcript.TurnKind.EXAMINATION: 3}

_NAME_SHOWN = 1_000
_LEFT_OUT_SHOWN = 50
_TEXT_SHOWN = 4_000
"""Characters of each text of a finding, for the reviewer that compares or examines it."""


class ReviewAsks:
    """Words the asks, with the material and the reports on it."""

    def __init__(self, request: review.ReviewRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts
        self._materials: dict[int, str] = {}
        self._part_of = {
            request.change.files[number].path: part
            for part, numbers in enumerate(request.change.parts)
            for number in numbers
        }

    def findings(self, part: int, reviewer: int, first: Attempt[object] | None) -> DeferredAsk:
        """Ask ``reviewer`` for findings in ``part``, which counts from 0; ``first`` is its earlier attempt."""
        parts = len(self._request.change.parts)
        label = f"part {part + 1} of {parts}" if parts > 1 else ""
        id_ = f"findings.{part + 1}.{reviewer}"

        def task() -> str:
            kind = self._phrase(f"task#{self._request.change.kind}")
            return self._prompts.render("review/findings", {"task": kind, "language": self._request.language})

        return self._wanted(id_, transcript.TurnKind.FINDINGS, reviewer, label, part, task, first)

    def examination(self, defect: JoinedFinding, examiner: int, first: Attempt[object] | None) -> DeferredAsk:
        """Ask ``examiner`` about ``defect``, shown the part that it is in."""
        part = self._part_of.get(defect.file, 0)
        id_, label = f"examination.{defect.id}", f"finding {defect.id}"

        def task() -> str:
            values = {"place": place_name(defect.place), "finding": self._finding(defect)}
            return self._prompts.render("review/examination", values | {"language": self._request.language})

        return self._wanted(id_, transcript.TurnKind.EXAMINATION, examiner, label, part, task, first)

    def joining(
        self,
        defects: Sequence[JoinedFinding],
        pairs: Sequence[tuple[int, int]],
        reviewer: int,
        first: Attempt[object] | None,
    ) -> DeferredAsk:
        """Ask ``reviewer`` which of ``pairs`` of ``defects`` are the same."""
        label = "what may be the same"
        return self._wanted(
            "joining.1", transcript.TurnKind.JOINING, reviewer, label, None, lambda: self._pairs(defects, pairs), first
        )

    def lookup(self, which: int, pointed: Sequence[PointedLines]) -> DeferredAsk:
        """Ask code for the places of quotes in the project that are not in the material."""
        quotes: list[consultation.Exhibit] = []
        for number, each in enumerate(pointed, start=1):
            last = max(each.first, each.last)
            quotes.append(
                consultation.Exhibit(number=number, path=each.file, first=each.first, last=last, text=each.quote)
            )
        brief = consultation.Brief(
            step=lookups.PLACES_STEP, topic="places", role=base.Role.VERIFIER, round=1, exhibits=tuple(quotes)
        )
        return citations_wanted(f"places.{which}", "places in the project", brief)

    def _wanted(
        self,
        id_: str,
        kind: transcript.TurnKind,
        who: int,
        label: str,
        part: int | None,
        task: Callable[[], str],
        first: Attempt[object] | None,
    ) -> DeferredAsk:
        """``task`` for the reviewer ``who``, after the material of ``part``."""
        request, step = self._request, f"review/{kind}"
        role = base.Role.EXAMINER if kind is transcript.TurnKind.EXAMINATION else base.Role.REVIEWER
        round_, attempt = _ROUNDS[kind], 2 if first else 1
        id_ += ".2" if first else ""

        def ask() -> transcript.Ask:
            stable = "" if part is None else f"{self._material(part)}\n\n"
            again = f"\n{self._prompts.render('review/again', {'problem': first.problem})}" if first else ""
            brief = consultation.Brief(
                step=step,
                topic=request.subject,
                role=role,
                round=round_,
                attempt=attempt,
                exhibits=() if part is None else self._exhibits(part),
            )
            question = consultation.Question(
                prompt=f"{stable}{task()}{again}",
                stable=len(stable),
                brief=brief,
                effort=request.effort,
                model=request.reviewers[who - 1].model,
                timeout_s=request.timeout_s,
                repo_access=request.repo_access,
                form=form_of(kind),
            )
            return transcript.Ask(
                id=id_,
                kind=kind,
                role=role,
                round=round_,
                tool=request.reviewers[who - 1].tool,
                attempt=attempt,
                number=who,
                label=label,
                question=question,
            )

        return DeferredAsk(id_, ask)

    def _exhibits(self, part: int) -> tuple[consultation.Exhibit, ...]:
        """Return the exhibits for a reviewer that is code: the first changed line of each file of a part."""
        exhibits: list[consultation.Exhibit] = []
        for index in self._request.change.parts[part]:
            file = self._request.change.files[index]
            first_line = _first_line(file)
            if first_line:
                line, text = first_line
                exhibits.append(
                    consultation.Exhibit(number=index + 1, path=file.path, first=line, last=line, text=text)
                )
        return tuple(exhibits)

    def _finding(self, defect: JoinedFinding) -> str:
        """Return the description of a finding, without its author and confidence."""
        report = defect.report
        fields: dict[str, str] = {
            "class": report.defect,
            "severity": report.severity,
            "title": report.title,
            "quote": report.quote,
            "trigger": report.trigger,
            "consequence": report.consequence,
        }
        return "\n".join(f"{name}: {value[:_TEXT_SHOWN]}" for name, value in fields.items())

    def _pairs(self, defects: Sequence[JoinedFinding], pairs: Sequence[tuple[int, int]]) -> str:
        """Return the ask about findings that may be the same; their numbers count from 1."""
        items: list[str] = []
        for index in sorted({index for pair in pairs for index in pair}):
            values = {"place": place_name(defects[index].place), "finding": self._finding(defects[index])}
            items.append(self._phrase("joining#item", number=str(index + 1), **values))
        lines = [self._phrase("joining#pair", one=str(one + 1), other=str(other + 1)) for one, other in pairs]
        return self._phrase("joining#ask", items="\n\n".join(items), pairs="\n".join(lines))

    def _material(self, part: int) -> str:
        """Return the material of that part of the change, the same for every reader."""
        if part not in self._materials:
            self._materials[part] = self._worded(part)
        return self._materials[part]

    def _worded(self, part: int) -> str:
        change = self._request.change
        files = "\n\n".join(self._file(number + 1, change.files[number]) for number in change.parts[part])
        return self._phrase(
            "material#all",
            title=change.title,
            about=self._phrase("material#about", about=self._request.about) if self._request.about else "",
            reading=self._phrase(f"material#{change.kind}"),
            files=files,
            left_out=self._left_out,
        )

    @cached_property
    def _left_out(self) -> str:
        left_out = self._request.change.left_out
        if not left_out:
            return ""
        lines = [
            f"{one_line(file.path, _NAME_SHOWN)} ({'; '.join((file.reason, *file.facts))})"
            for file in left_out[:_LEFT_OUT_SHOWN]
        ]
        if len(left_out) > _LEFT_OUT_SHOWN:
            lines.append(f"and {len(left_out) - _LEFT_OUT_SHOWN} more")
        return self._phrase("material#left-out", files="\n".join(lines))

    def _file(self, number: int, file: changes.ReviewedFile) -> str:
        change = "; ".join(one_line(words, _NAME_SHOWN) for words in (file.change, *file.facts))
        values = {"number": str(number), "path": one_line(file.path, _NAME_SHOWN), "change": change}
        if not file.hunks:
            return self._phrase("material#file-without-lines", **values)
        return self._phrase("material#file", lines="\n".join(_listed(file)), **values)

    def _phrase(self, phrase: str, **values: str) -> str:
        return self._prompts.render(f"review/{phrase}", values).strip()


def _listed(file: changes.ReviewedFile) -> Iterable[str]:
    """The lines of a file as they are shown, with an ellipsis between its hunks."""
    width = len(str(max(line[0] for hunk in file.hunks for line in hunk.numbered)))
    for place, hunk in enumerate(file.hunks):
        if place or hunk.above:
            yield " ".join(("...", *(f"{line.strip()} ..." for line in hunk.above)))
        for number, mark, text in hunk.numbered:
            shown_number = "" if mark == changes.LineMark.REMOVED else number
            yield f"{shown_number:>{width}} {mark}| {text}" if text else f"{shown_number:>{width}} {mark}|"


def place_name(place: review.CodePlace | None) -> str:
    """E.g. ``src/a.py:12-13``; for removed lines, the line before which they stood."""
    if place is None:
        return ""
    lines = f"{place.first}-{place.last}" if place.last > place.first else f"{place.first}"
    removed = " (removed lines)" if place.is_removed else ""
    return f"{one_line(place.file, _NAME_SHOWN)}:{lines}{removed}"


def _first_line(file: changes.ReviewedFile) -> tuple[int, str] | None:
    """Return number and text of the first changed line that is not empty, else of the first one; None without any."""
    first: tuple[int, str] | None = None
    for hunk in file.hunks:
        for number, mark, text in hunk.numbered:
            if text.strip() and mark != changes.LineMark.KEPT:
                return number, text
            if text.strip() and first is None:
                first = number, text
    return first
