"""Replies of reviewers: findings, duplicates among them, an examination.

Each finding is a separate form: an unreadable one does not void the others, and is reported. Place, quote and
severity decide. A finding is located by its quote, so any text that names a line is accepted as line number.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated

from msgspec import Struct
from pydantic import AfterValidator, BeforeValidator, Field

from sparring.engine.course import ReadReply, UnusableReplyError
from sparring.engine.lenient import EACH, SHARE, TEXT, WORD, plain_name
from sparring.engine.replies import Entries, ReadEntry, ReplyForm, read_form, readable, unreadable
from sparring.engine.reply_schemas import requested
from sparring.formats.review.places import PointedLines
from sparring.schema import review as schema
from sparring.schema.base import LIST_LIMIT, ReplyText
from sparring.schema.forms import RequestedForm
from sparring.schema.transcript import TurnKind
from sparring.text.tidying import one_line

_LONGEST_TITLE = 300
_MOST_PROBLEMS = 20
"""Malformed findings that are reported to a reviewer."""

_OF_A_FINDING = re.compile(r'"(?:quote|severity|trigger|consequence)"\s{0,9}:')
"""A field of a finding that is lost although the list of findings is empty."""

_FIRST_NUMBER = re.compile(r"\D{0,20}(\d{1,9})(?!\d)")
_LAST_LINE = 10_000_000


def _line(value: object) -> object:
    """The first line number that ``value`` names, such as ``12`` of ``"L12-15"``."""
    match = _FIRST_NUMBER.match(value) if isinstance(value, str) else None
    if match:
        return int(match[1])
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Line = Annotated[int, Field(ge=1, le=_LAST_LINE, strict=True), BeforeValidator(_line)]

_SEVERITIES = {
    "high": schema.DefectSeverity.MAJOR,
    "medium": schema.DefectSeverity.MINOR,
    "moderate": schema.DefectSeverity.MINOR,
    "low": schema.DefectSeverity.NOTE,
    "info": schema.DefectSeverity.NOTE,
}
"""Words of another scale of four, with the same name for the worst."""


def _severity(value: object) -> object:
    return _SEVERITIES.get(value, value) if isinstance(value, str) else value


def _class(value: object) -> object:
    """Return the class that is named first in ``value``: ``Logic bug`` is a bug."""
    if not isinstance(value, str):
        return value
    words = plain_name(value).split("_")
    pairs = map("_".join, pairwise(words))
    known = {each.value: each for each in schema.DefectClass}
    for name in (*pairs, *words):  # pairs first: a name of two words may contain another class
        if name in known:
            return known[name]
    return value


_Prose = Annotated[str, TEXT]


class FindingForm(ReplyForm):
    """A defect, as a reviewer reports it. Its class is bug if the reviewer names no known class."""

    deciding = ("file", "line", "quote", "severity")
    derived = frozenset({"end_line", "title"})
    examples = frozenset({"bank/transfer.py", "if amount > balance:\n    pass"})

    file: schema.PathText
    line: _Line
    end_line: _Line | None = None
    quote: Annotated[ReplyText, Field(min_length=1)]
    trigger: _Prose = ""
    consequence: _Prose = ""
    title: _Prose = ""
    fix: _Prose = ""
    defect: Annotated[schema.DefectClass, BeforeValidator(_class)] = Field(
        default=schema.DefectClass.BUG, alias="class"
    )
    confidence: Annotated[Annotated[float, Field(ge=0, le=1)] | None, SHARE] = None
    severity: Annotated[schema.DefectSeverity, BeforeValidator(_severity), WORD]

    @property
    def reported(self) -> schema.ReportedFinding:
        """The finding as it is recorded: with a title, and with an end that is not before its first line."""
        title = self.file
        for text in (self.title, self.consequence, self.trigger, self.quote):
            if text.strip():
                title = text
                break
        if len(title) > _LONGEST_TITLE:
            title = one_line(title, _LONGEST_TITLE)
        end_line = max(self.line, self.end_line or 0)
        return schema.ReportedFinding.model_validate({**dict(self), "title": title, "end_line": end_line})


class Findings(ReplyForm):
    """A reviewer's blind answer."""

    form = "review_findings"
    deciding = ("findings",)
    bare = "quote"

    findings: Annotated[tuple[ReadEntry[FindingForm], ...], Entries(FindingForm, LIST_LIMIT)]


class FindingsForm(Struct, frozen=True):
    """A reviewer's findings in one part.

    Attributes:
        malformed: The defect of each finding that is left out.
    """

    findings: tuple[schema.ReportedFinding, ...]
    malformed: tuple[str, ...] = ()


def read_findings(reply: str) -> ReadReply[FindingsForm]:
    """Return the findings in a reply; a malformed one does not void the others.

    Raises:
        UnusableReplyError: There is no list of findings, there are two that differ, or all entries are unreadable.
    """
    listed = read_form(reply, Findings).value.findings
    if not listed and _OF_A_FINDING.search(reply):
        raise UnusableReplyError("findings: the list is empty, but there is a finding next to it")
    malformed = tuple(problem.replace("Entry", "Finding", 1) for problem in unreadable(listed))
    findings = tuple(finding.reported for finding in readable(listed))
    if malformed and not findings:
        raise UnusableReplyError("\n".join(malformed[:_MOST_PROBLEMS]))
    defaulted = [name for entry in listed if entry.filled for name in entry.filled.defaulted]
    return ReadReply(FindingsForm(findings, malformed), malformed[:_MOST_PROBLEMS], tuple(defaulted))


class SameFindingsForm(ReplyForm):
    """Pairs that a reviewer calls the same, by their numbers."""

    form = "review_same"
    deciding = ("same",)

    same: Annotated[
        tuple[Annotated[tuple[int, ...], Field(min_length=2, max_length=2)], ...],
        EACH,
        Field(json_schema_extra={"maxItems": LIST_LIMIT}),
    ]


def read_same(reply: str, pairs: Sequence[tuple[int, int]]) -> ReadReply[tuple[tuple[int, int], ...]]:
    """Parse which of ``pairs``, numbered from 1 in the prompt, are the same; other pairs are ignored.

    Raises:
        UnusableReplyError: There is no list of pairs, or there are two that differ.
    """
    same = {tuple(sorted(pair)) for pair in read_form(reply, SameFindingsForm).value.same}
    return ReadReply(tuple(pair for pair in pairs if pair in same))


class ExaminationForm(ReplyForm):
    """A cross-examiner's answer."""

    form = "review_examination"
    deciding = ("verdict", "quote")
    examples = frozenset({"if amount > limit(account):"})

    file: Annotated[str, TEXT, AfterValidator(lambda file: file[:1_000])] = ""
    line: _Line = 1
    quote: ReplyText = ""
    reason: _Prose = ""
    verdict: Annotated[schema.Examination, WORD]


def read_examination(reply: str, reported: PointedLines) -> ReadReply[schema.CrossExamination]:
    """Read an examiner's reply on a finding. If unsure, or without a place of its own, it refers to ``reported``.

    Raises:
        UnusableReplyError: There is no examination, there are two that differ, or it lacks what its verdict needs.
    """
    filled = read_form(reply, ExaminationForm)
    form = filled.value
    if form.verdict is schema.Examination.CONFIRMED and not form.reason:
        raise UnusableReplyError("reason: a confirmation has to name what triggers it")
    fields = {"verdict": form.verdict, "reason": form.reason, "file": reported.file, "line": reported.first}
    if form.verdict is schema.Examination.UNSURE:
        # It points at nothing of its own, so that missing fields have no effect.
        return ReadReply(schema.CrossExamination.model_validate({**fields, "quote": ""}))
    fields["quote"] = form.quote
    if form.file:
        fields |= {"file": form.file, "line": form.line}
    return ReadReply(schema.CrossExamination.model_validate(fields), defaulted=filled.defaulted)


_FORMS: Mapping[TurnKind, type[ReplyForm]] = {
    TurnKind.FINDINGS: Findings,
    TurnKind.JOINING: SameFindingsForm,
    TurnKind.EXAMINATION: ExaminationForm,
}


def form_of(kind: TurnKind) -> RequestedForm:
    """Return the form that is requested with that kind of turn."""
    return requested(_FORMS[kind])
