"""Replies of the Fact-Checker and the Judge of a jury in JSON: a checklist, a verdict.

The fields are those of the specification (seed 001), the reasons before the verdict. Each entry of a checklist is read
separately. In a verdict the label and the critical differences decide.
"""

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field

from sparring.engine.course import ReadReply, UnusableReplyError
from sparring.engine.lenient import EACH, LISTED, SHARE, TEXT, WORD, plain_name
from sparring.engine.replies import Entries, ReadEntry, ReplyForm, read_form, readable, unreadable
from sparring.engine.reply_schemas import FEW, NULLABLE, requested
from sparring.schema import base, claims, jury
from sparring.schema.forms import RequestedForm
from sparring.schema.transcript import TurnKind

_MOST_PHRASES = 20
"""Phrases of one dimension and text. A longer list is no extract."""


def _dimension(value: object) -> object:
    """The dimension that is named first in ``value``: ``Numbers & units`` is ``numbers``."""
    named = plain_name(value).split("_") if isinstance(value, str) else []
    return next((word for word in named if word in set(jury.ChecklistDimension)), value)


def _severity(value: object) -> object:
    """A severity, else None: other words that a match gives instead of null do not count."""
    word = value.strip(" \t\n*_.").lower() if isinstance(value, str) else ""
    return next((each for each in claims.Severity if each == word), None)


_Phrases = Annotated[
    tuple[base.ReplyText, ...],
    EACH,
    AfterValidator(lambda phrases: phrases[:_MOST_PHRASES]),
    Field(json_schema_extra={"maxItems": _MOST_PHRASES}),
]


class ComparisonForm(ReplyForm):
    """A dimension as the Fact-Checker compares it."""

    deciding = ("dimension", "status")
    spellings: ClassVar[Mapping[str, str]] = {"claim": "in_claim", "truth": "in_truth"}

    dimension: Annotated[jury.ChecklistDimension, BeforeValidator(_dimension)]
    in_claim: _Phrases = ()
    in_truth: _Phrases = ()
    note: Annotated[str, TEXT] = ""
    severity: Annotated[claims.Severity | None, BeforeValidator(_severity), NULLABLE] = None
    status: Annotated[jury.ChecklistStatus, WORD]

    @property
    def rank(self) -> int:
        """The rank of an entry: those most unfavourable to the claim come first."""
        if self.status is jury.ChecklistStatus.MISMATCH:
            return 0 if self.severity is claims.Severity.CRITICAL else 1
        return 2 if self.status is jury.ChecklistStatus.MATCH else 3


class ChecklistForm(ReplyForm):
    """The Fact-Checker's answer."""

    form = "jury_checklist"
    deciding = ("checklist",)
    bare = "dimension"

    checklist: Annotated[tuple[ReadEntry[ComparisonForm], ...], Entries(ComparisonForm, base.LIST_LIMIT)]


def read_checklist(reply: str) -> ReadReply[tuple[ComparisonForm, ...]]:
    """Return the entries of a checklist in the order of ``ChecklistDimension``, and its faults.

    Of several entries for one dimension the one that is most unfavourable to the claim counts.

    Raises:
        UnusableReplyError: There is no checklist, or there are two that differ, or none of its entries can be read.
    """
    entries = read_form(reply, ChecklistForm).value.checklist
    problems = list(unreadable(entries))
    comparisons: dict[jury.ChecklistDimension, ComparisonForm] = {}
    defaulted: list[str] = []
    for entry in readable(entries):
        earlier = comparisons.get(entry.dimension)
        if earlier is None or entry.rank <= earlier.rank:  # of two of the same rank the later one
            comparisons[entry.dimension] = entry
        # Other missing fields have no effect.
        if entry.status is jury.ChecklistStatus.MISMATCH and entry.severity is None:
            defaulted.append(f"the severity of the mismatch of {entry.dimension}, which counts as minor")
    if not comparisons:
        raise UnusableReplyError("\n".join(problems) or "The checklist has no entries.")
    missing = [dimension for dimension in jury.ChecklistDimension if dimension not in comparisons]
    if missing:
        problems.append(f"There is no readable entry for: {', '.join(missing)}.")
    in_order = [comparisons[dimension] for dimension in jury.ChecklistDimension if dimension in comparisons]
    return ReadReply(tuple(in_order), tuple(problems), tuple(defaulted))


_NO_LETTERS = re.compile(r"[^A-Za-z]+")


def _label(value: object) -> object:
    if not isinstance(value, str):
        return value
    return _NO_LETTERS.sub("_", value).strip("_").upper()


_Prose = Annotated[str, TEXT, Field(min_length=1)]
_FIRST = AfterValidator(lambda entries: entries[: jury.VERDICT_LIST_LIMIT])


class VerdictForm(ReplyForm):
    """The judge's answer."""

    form = "jury_verdict"
    deciding = ("verdict", "critical_differences")
    examples = frozenset({"the claim says “in June” where the truth says “on 3 March”"})

    rationale: Annotated[tuple[_Prose, ...], EACH, _FIRST, FEW] = ()
    critical_differences: Annotated[tuple[_Prose, ...], LISTED, _FIRST, FEW]
    what_would_make_it_faithful: Annotated[tuple[_Prose, ...], EACH, _FIRST, FEW] = ()
    one_sentence_summary: Annotated[str, TEXT] = ""
    confidence: Annotated[Annotated[float, Field(ge=0, le=1)] | None, SHARE] = None
    verdict: Annotated[jury.Faithfulness, BeforeValidator(_label)]


def read_verdict(reply: str) -> ReadReply[jury.JudgeVerdict]:
    """Return the verdict in a judge's reply.

    Raises:
        UnusableReplyError: There is no verdict, there are two that differ, or a decisive field is unreadable.
    """
    filled = read_form(reply, VerdictForm)
    return ReadReply(jury.JudgeVerdict(**dict(filled.value)), defaulted=filled.defaulted)


_FORMS: Mapping[TurnKind, type[ReplyForm]] = {TurnKind.CHECKLIST: ChecklistForm, TurnKind.VERDICT: VerdictForm}


def form_of(kind: TurnKind) -> RequestedForm | None:
    """Return the form that is requested with that kind of turn; None for prose."""
    return requested(_FORMS[kind]) if kind in _FORMS else None
