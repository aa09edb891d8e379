"""Replies of agents and second readers of a fact-check: an analysis, a rebuttal, readings.

The fields are those of the specification (seed 000), the reasons before the verdict. The decisive fields are read
strictly: the parts of an analysis, the verdict and the quotes of a rebuttal, each reading separately. The verdict of an
analysis, and an agent's statement about its own change, follow from the rest: code knows them without the reply.
Other modules check whether the statements are true.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from sparring.engine.course import ReadReply, UnusableReplyError
from sparring.engine.lenient import EACH, ONE_OR_MORE, TEXT, WHOLE
from sparring.engine.replies import Entries, ReadEntry, ReplyForm, read_form, readable, unreadable
from sparring.engine.reply_schemas import FEW, NULLABLE, requested
from sparring.formats.fact_check.grounds import verdict_by_rule
from sparring.schema import base, claims, transcript
from sparring.schema import fact_check as schema
from sparring.schema.forms import RequestedForm

MOST_NAMED_PARTS = 20
"""2 to 5 parts are requested; a list much longer is no analysis."""

MOST_REBUTTALS = 30

_NO_QUOTE = frozenset({"", "null", "none", "n/a", "no verified quote"})
"""The last is what prompts show in place of another agent's quote that failed."""

_SPELLED_OUT = {"not_enough_info": "nei", "not_enough_information": "nei"}
_NO_LETTERS = re.compile(r"[^a-z]+")


def as_name(value: object) -> str:
    """``value`` in lower case with one underscore for everything between words."""
    plain = _NO_LETTERS.sub("_", value.lower()).strip("_") if isinstance(value, str) else ""
    return _SPELLED_OUT.get(plain, plain)


def _in_capitals(value: object) -> str:
    return as_name(value).upper()


def quote_or_none(value: object) -> object:
    """``value``, or None if it states that there is no quote."""
    is_none = isinstance(value, str) and value.strip(" \t\r\n\"'()").lower() in _NO_QUOTE
    return None if is_none else value


def _known(kind: type[StrEnum]) -> BeforeValidator:
    """Return a validator that turns unknown values of ``kind``, in any spelling, into None."""
    names = {as_name(each): each for each in kind}
    return BeforeValidator(lambda value: names.get(as_name(value)))


def _bool_or_none(value: object) -> bool | None:
    return value if isinstance(value, bool) else {"true": True, "false": False}.get(as_name(value))


_Quote = Annotated[base.ReplyText | None, BeforeValidator(quote_or_none), NULLABLE]
_Verdict = Annotated[claims.Label, BeforeValidator(_in_capitals)]
_ANY_VERDICT = BeforeValidator(lambda value: _in_capitals(value) if as_name(value) in _LABELS else None)
_LABELS = frozenset(map(as_name, claims.Label))
_Truth = Annotated[bool | None, BeforeValidator(_bool_or_none)]


class PartForm(ReplyForm):
    """A part of the claim, as an agent has it."""

    deciding = ("part", "quote", "status")

    part: Annotated[base.ReplyText, StringConstraints(strip_whitespace=True)]
    quote: _Quote = None
    status: Annotated[schema.PartStatus, BeforeValidator(_in_capitals)]


class Analysis(ReplyForm):
    """An answer of round 1.

    Attributes:
        verdict: None if it has no readable one: the verdict follows from the parts.
    """

    form = "fact_check_analysis"
    deciding = ("parts",)
    derived = frozenset({"verdict"})
    spellings: ClassVar[Mapping[str, str]] = {"reasoning_vi": "reasoning"}
    examples = frozenset(
        {"The bridge opened", "was opened to traffic", "in June 1932", "on 3 March 1932", "and cost 4 million"}
    )

    parts: Annotated[
        tuple[PartForm, ...], ONE_OR_MORE, Field(max_length=MOST_NAMED_PARTS, json_schema_extra={"minItems": 1})
    ]
    reasoning: Annotated[str, TEXT] = ""
    verdict: Annotated[claims.Label | None, _ANY_VERDICT] = None

    @property
    def by_rule(self) -> claims.Label:
        """The label that follows from its parts as the agent states them."""
        return verdict_by_rule([part.status for part in self.parts])

    @property
    def claimed(self) -> claims.Label:
        """The stated verdict, else the one that follows from its parts."""
        return self.verdict or self.by_rule


class RebuttalForm(ReplyForm):
    """Rebuttal of another agent."""

    deciding = ("agent", "counter_quote")

    agent: base.ReplyText
    their_verdict: Annotated[claims.Label | None, _ANY_VERDICT] = None
    their_quote: _Quote = None
    counter_quote: _Quote = None
    issue: Annotated[schema.Issue | None, _known(schema.Issue)] = None


_ChangedFrom = Literal["SUPPORTED", "REFUTED", "NEI", "N/A"]
_NONE = "N/A"


def _changed_from(value: object) -> object:
    return _in_capitals(value) if as_name(value) in _LABELS else _NONE


class Rebuttal(ReplyForm):
    """An answer of a debate round (specification: Round 2+, Output JSON).

    Its statements about itself are compared with the findings of code, and decide nothing.
    """

    form = "fact_check_rebuttal"
    deciding = ("verdict", "key_quote")
    derived = frozenset(
        {"has_new_evidence", "has_strong_counterevidence", "decision_change", "changed_from", "change_trigger"}
    )
    spellings: ClassVar[Mapping[str, str]] = {"reasoning_vi": "reasoning"}
    examples = frozenset({"in use from 3 March 1932 on"})

    key_parts_checked: Annotated[tuple[base.ReplyText, ...], EACH, FEW] = ()
    rebuttals: Annotated[
        tuple[RebuttalForm, ...],
        EACH,
        AfterValidator(lambda entries: entries[:MOST_REBUTTALS]),
        Field(json_schema_extra={"maxItems": MOST_REBUTTALS}),
    ] = ()
    key_quote: _Quote = None
    reasoning: Annotated[str, TEXT] = ""
    has_new_evidence: _Truth = None
    has_strong_counterevidence: _Truth = None
    decision_change: Annotated[schema.DecisionChange | None, _known(schema.DecisionChange)] = None
    changed_from: Annotated[_ChangedFrom, BeforeValidator(_changed_from)] = _NONE
    change_trigger: Annotated[schema.ChangeTrigger | None, _known(schema.ChangeTrigger)] = None
    verdict: _Verdict

    @property
    def former(self) -> claims.Label | None:
        """The verdict that the agent claims to have had before; None if it names none."""
        return None if self.changed_from == _NONE else claims.Label(self.changed_from)


def read_analysis(reply: str) -> ReadReply[Analysis]:
    """Return the analysis in a reply of round 1.

    Raises:
        UnusableReplyError: There is no analysis, there are two that differ, or a part cannot be read.
    """
    filled = read_form(reply, Analysis)
    return ReadReply(filled.value, defaulted=filled.defaulted)


def read_rebuttal(reply: str) -> ReadReply[Rebuttal]:
    """Return the rebuttal in a reply of a debate round.

    Raises:
        UnusableReplyError: There is no rebuttal, there are two that differ, or its verdict cannot be read.
    """
    filled = read_form(reply, Rebuttal)
    return ReadReply(filled.value, defaulted=filled.defaulted)


MOST_READ = 20
"""Quotes that a reader is shown in a round; further ones stay open."""

LONGEST_PASSAGE = 2_000
"""Characters of a quote, with its sentence, that a reader is shown. A longer quote is no passage."""

_Words = Annotated[str, StringConstraints(max_length=LONGEST_PASSAGE)]


class _Says(StrEnum):
    SAYS = "SAYS"
    CONTRADICTS = "CONTRADICTS"
    NEITHER = "NEITHER"


_RELATIONS = {
    _Says.SAYS: claims.Relation.CARRIES,
    _Says.CONTRADICTS: claims.Relation.CONFLICTS,
    _Says.NEITHER: claims.Relation.OPEN,
}


class ReadingForm(ReplyForm):
    """A reader's judgement of one quote, and the deciding words of the quote."""

    deciding = ("number", "quote", "says")
    spellings: ClassVar[Mapping[str, str]] = {"words": "quote"}
    examples = frozenset({"were built of oak"})

    number: Annotated[int, WHOLE]
    quote: Annotated[_Words | None, BeforeValidator(quote_or_none), NULLABLE] = None
    says: Annotated[_Says, BeforeValidator(_in_capitals)]

    @property
    def relation(self) -> claims.Relation:
        """The relation of the quote to the statement."""
        return _RELATIONS[self.says]


class ReadingsForm(ReplyForm):
    """A reader's whole answer."""

    form = "fact_check_readings"
    deciding = ("readings",)
    bare = "number"

    readings: Annotated[tuple[ReadEntry[ReadingForm], ...], Entries(ReadingForm, 2 * MOST_READ)]

    def of(self, number: int) -> ReadingForm | None:
        """Return the reading of the quote of that number; None without one, or if several differ."""
        readings = [reading for reading in readable(self.readings) if reading.number == number]
        if not readings or any(reading != readings[0] for reading in readings):
            return None
        return readings[0]


def read_readings(reply: str, count: int) -> ReadReply[ReadingsForm]:
    """Return the readings of ``count`` quotes in a reply, and the numbers of missing ones.

    Raises:
        UnusableReplyError: There is no list of readings, or it has none of these quotes.
    """
    form = read_form(reply, ReadingsForm).value
    missing = [str(number) for number in range(1, count + 1) if form.of(number) is None]
    unread = unreadable(form.readings)
    if len(missing) == count:
        raise UnusableReplyError("\n".join(("None of the numbers has one readable entry.", *unread)))
    if not missing:
        return ReadReply(form)
    return ReadReply(form, (f"These numbers have no readable entry: {', '.join(missing)}.", *unread))


_FORMS: Mapping[transcript.TurnKind, type[ReplyForm]] = {
    transcript.TurnKind.ANALYSIS: Analysis,
    transcript.TurnKind.REBUTTAL: Rebuttal,
    transcript.TurnKind.READING: ReadingsForm,
}


def form_of(kind: transcript.TurnKind) -> RequestedForm:
    """Return the form that is requested with that kind of turn."""
    return requested(_FORMS[kind])
