"""Replies in JSON: a debater's entry, the answers of chair and audience.

Variants of spelling are accepted. The decisive fields are read strictly, and requested once more if unusable; each
ruling and each breach separately.
"""

import json
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BeforeValidator, Field, StringConstraints

from sparring.engine.course import Attempt, Course, ReadReply, ask_until_usable
from sparring.engine.lenient import EACH, LISTED, TEXT, WORD
from sparring.engine.replies import Entries, ReadEntry, ReplyForm, read_form, readable
from sparring.engine.reply_schemas import FEW, NULLABLE, requested
from sparring.formats.chaired_debate.rulebook import ACTIONS, challenge_in
from sparring.formats.chaired_debate.state import ChairedDebateState, ReturnedAnswer, SpeakerCall
from sparring.schema import chaired_debate as schema
from sparring.schema.base import LIST_LIMIT, ReasonText, ReplyText
from sparring.schema.consultation import Source
from sparring.schema.forms import RequestedForm
from sparring.schema.lookups import MOST_SOURCES
from sparring.schema.transcript import TurnKind
from sparring.text.tidying import one_line

_NOTHING = frozenset({"", "null", "none", "n/a"})
_SEQ = re.compile(r"\s*(?:seq\s*)?(\d{1,6})\s*", re.IGNORECASE)


def or_none(value: object) -> object:
    """None for the text ``"null"``, and the like."""
    return None if isinstance(value, str) and value.strip().lower() in _NOTHING else value


def _number(value: object) -> object:
    """The number of an entry: ``5``, ``"5"`` or ``"seq 5"``."""
    match = _SEQ.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else or_none(value)


_Seq = Annotated[int, BeforeValidator(_number)]
_SeqOrNone = Annotated[int | None, Field(ge=1), BeforeValidator(_number), NULLABLE]
_Prose = Annotated[str, TEXT]


class EntryForm(ReplyForm):
    """A debater's entry."""

    form = "chaired_debate_entry"
    deciding = ("type", "content", "sources", "rebuttal_to_seq", "target_seq", "source_challenge")
    marks = ("content",)
    examples = frozenset(
        {
            "Sales rose by a tenth in the first week of Sunday opening [1].",
            "https://example.org/sunday-trade",
            "Sunday trade, one week on",
            "takings were up by ten per cent on the week before",
        }
    )

    type: Annotated[schema.EntryType, WORD]
    content: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=schema.CONTENT_LIMIT)]
    sources: Annotated[tuple[Source, ...], LISTED, Field(max_length=MOST_SOURCES)] = ()
    rebuttal_to_seq: _SeqOrNone = None
    target_seq: _SeqOrNone = None
    source_challenge: Annotated[ReasonText | None, BeforeValidator(or_none), NULLABLE] = None


class Draft(Struct, frozen=True):
    """An entry as submitted by a debater, and the reason for a challenge of an opponent's source, if any."""

    entry: schema.LogDraft
    challenge: str = ""

    @property
    def as_json(self) -> str:
        """The draft as its author wrote it."""
        fields = self.entry.model_dump(mode="json", exclude={"phase", "speaker"})
        return json.dumps(fields | {"source_challenge": self.challenge or None}, ensure_ascii=False, indent=1)

    @property
    def texts(self) -> tuple[str, ...]:
        """All of its texts that others can read."""
        sources = (text for source in self.entry.sources for _, text in source)
        return (self.entry.content, self.challenge, *sources)


def read_draft(reply: str, speaker: schema.Speaker, phase: schema.Phase) -> Draft:
    """Return the entry in ``reply``; a source challenge may be in its fields, or on a line of its content.

    Raises:
        UnusableReplyError: There is no entry, there are two that differ, or a field is invalid.
    """
    fields = dict(read_form(reply, EntryForm).value)
    challenge = fields.pop("source_challenge") or ""
    if not challenge and fields["target_seq"] is None:
        in_content = challenge_in(fields["content"])
        if in_content:
            fields["target_seq"], challenge = in_content
    entry = schema.LogDraft.model_validate({**fields, "phase": phase, "speaker": speaker})
    return Draft(entry, challenge.strip())


def challenge_refusals(draft: Draft) -> tuple[str, ...]:
    """Return why the source challenge of ``draft`` is inadmissible."""
    is_request = draft.entry.type is schema.EntryType.CLARIFICATION_REQUEST  # which has a target without a challenge
    has_target = draft.entry.target_seq is not None
    if draft.challenge and is_request:
        return ("A clarification request carries no source challenge: raise it with an argument.",)
    if draft.challenge and not has_target:
        return ("A source challenge needs target_seq: the entry whose sources it is about.",)
    if has_target and not draft.challenge and not is_request:
        return ("target_seq goes with a source challenge, whose reason is missing; else it is null.",)
    return ()


class RulingForm(ReplyForm):
    """The chair's ruling on the challenge that an entry raised."""

    deciding = ("challenge_seq", "ruling")

    challenge_seq: _Seq
    reason: _Prose = ""
    ruling: Annotated[Literal["upheld", "dismissed"], WORD]

    @property
    def is_upheld(self) -> bool:
        """Return whether the source does not carry its claim."""
        return self.ruling == "upheld"


class Misconduct(StrEnum):
    """Breaches of conduct of a debater (specification: Rules of Conduct)."""

    PERSONAL_ATTACK = "personal_attack"
    MISREPRESENTATION = "misrepresentation"
    REPETITION = "repetition"
    CONCESSION = "concession"


class BreachForm(ReplyForm):
    """Breach of a rule of conduct in an entry, as the chair states it.

    Attributes:
        quote: The words of the entry that break the rule.
        about_seq: The opponent's entry that is misrepresented, or the redacted one that is repeated.
        original: The words of the misrepresented entry.
    """

    deciding = ("seq", "quote", "rule")
    spellings: ClassVar[Mapping[str, str]] = {"kind": "rule"}

    seq: Annotated[int, Field(ge=1), BeforeValidator(_number)]
    quote: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
    about_seq: _SeqOrNone = None
    original: Annotated[ReplyText, BeforeValidator(lambda value: value or "")] = ""
    reason: _Prose = ""
    kind: Annotated[Misconduct, WORD] = Field(alias="rule")


_Conduct = Annotated[tuple[ReadEntry[BreachForm], ...], Entries(BreachForm, LIST_LIMIT)]


class ReviewForm(ReplyForm):
    """The chair's review of the entries. ``goes_on`` is None if the chair does not decide it."""

    form = "chaired_debate_review"
    deciding = ("rulings", "conduct", "continue")
    marks = ("rulings", "continue", "conduct")
    examples = frozenset({"The page speaks of another year."})
    spellings: ClassVar[Mapping[str, str]] = {"reason": "because"}

    rulings: Annotated[tuple[ReadEntry[RulingForm], ...], Entries(RulingForm, LIST_LIMIT)] = ()
    conduct: _Conduct = ()
    because: _Prose = ""
    goes_on: bool | None = Field(default=None, alias="continue")

    @property
    def breaches(self) -> tuple[BreachForm, ...]:
        """The breaches of conduct that can be read."""
        return readable(self.conduct)


class RulingsForm(ReviewForm):
    """The same, without the question whether there should be another round."""

    form = "chaired_debate_rulings"
    unasked = frozenset({"because", "continue"})


class ConclusionForm(ReplyForm):
    """The chair's decision."""

    form = "chaired_debate_conclusion"
    deciding = ("verdict", "decisive", "conduct")
    spellings: ClassVar[Mapping[str, str]] = {"outcome": "verdict"}

    decisive: Annotated[tuple[_Seq, ...], LISTED, Field(max_length=LIST_LIMIT), FEW] = ()
    conduct: _Conduct = ()
    reasoning: _Prose = ""
    outcome: Annotated[schema.DebateDecision, WORD] = Field(alias="verdict")

    @property
    def breaches(self) -> tuple[BreachForm, ...]:
        """The breaches of conduct that can be read."""
        return readable(self.conduct)


class QuestionsForm(ReplyForm):
    """The audience's questions."""

    form = "chaired_debate_questions"
    deciding = ("questions",)
    examples = frozenset({"To the PROMOTER: who pays for the second shift?"})

    questions: Annotated[tuple[_Prose, ...], EACH, Field(json_schema_extra={"maxItems": schema.QUESTIONS_A_ROUND})]


_FORMS: Mapping[TurnKind, type[ReplyForm]] = {
    TurnKind.QUESTIONS: QuestionsForm,
    TurnKind.CONCLUSION: ConclusionForm,
}


def form_of(call: SpeakerCall) -> RequestedForm | None:
    """Return the requested form; None for prose. An entry has one of the types that its phase allows."""
    if call.kind in {TurnKind.OPENING, TurnKind.ACTION, TurnKind.CLOSING}:
        return requested(EntryForm, type=ACTIONS[call.state.phase])
    if call.kind is TurnKind.RULING:
        return requested(ReviewForm if call.may_go_on else RulingsForm)
    return requested(_FORMS[call.kind]) if call.kind in _FORMS else None


_Answer = TypeVar("_Answer")
_LONGEST_CAUSE = 200


class Answered(Struct, Generic[_Answer], frozen=True):
    """The final result of an ask.

    Attributes:
        value: The usable part of the answer, with its remaining faults, or None.
        why_not: The reason why there is no value, for people.
        defaulted: Unreadable fields that decide nothing.
    """

    state: ChairedDebateState
    value: _Answer | None
    why_not: str = ""
    defaulted: tuple[str, ...] = ()


def answered(
    stem: str, call: SpeakerCall, read: Callable[[str], ReadReply[_Answer]]
) -> Course[SpeakerCall, Answered[_Answer]]:
    """Ask, and once more if the answer has any fault, with ids that begin with ``stem``.

    The second answer counts with its faults, the first one if the second is unusable.
    """
    return _asked_twice((f"{stem}.1", f"{stem}.2"), call, read)


def in_prose(id_: str, call: SpeakerCall) -> Course[SpeakerCall, Answered[str]]:
    """Ask for a text, and once more if it was cut off."""
    return _asked_twice((id_, f"{id_}.2"), call, ReadReply)


def _asked_twice(
    ids: tuple[str, str], call: SpeakerCall, read: Callable[[str], ReadReply[_Answer]]
) -> Course[SpeakerCall, Answered[_Answer]]:
    def want(first: Attempt[_Answer] | None) -> SpeakerCall:
        if first is None or first.turn.answer is None:
            return replace(call, id=ids[0])
        returned = call.state.withheld.masked(first.turn.answer.response)[: schema.CONTENT_LIMIT]
        return replace(call, id=ids[1], returned=ReturnedAnswer(returned, first.problems))

    attempts = yield from ask_until_usable(want, read)
    usable = [attempt for attempt in attempts if attempt.value is not None]
    state = call.state.after(tuple(attempt.turn for attempt in attempts))
    if usable:
        return Answered(state, usable[-1].value, defaulted=usable[-1].defaulted)
    return Answered(state, None, why_not(attempts[-1]))


def why_not(attempt: Attempt[Any]) -> str:
    """Return why there is no answer, in a line for people."""
    return one_line(attempt.cause, _LONGEST_CAUSE)
