"""What is said in JSON: a debater's action, the answers of chair and audience.

A spelling is forgiven, and what cannot be used is asked for once more.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Generic, TypeVar, cast

from pydantic import BeforeValidator, Field, StringConstraints, ValidationError

from sparring.engine.course import Attempt, Course, Reading, as_record, read_object, until_usable
from sparring.engine.format import SPEECH
from sparring.formats.chaired_debate.floor import Floor, FloorCall, Returned
from sparring.schema import chaired_debate as schema
from sparring.schema.base import EMPTY_IF_NULL, LIST_LIMIT, ReasonText, Record, SaidText
from sparring.schema.lookups import MOST_SOURCES, Source
from sparring.schema.transcript import Ask, Turn

_NOTHING = frozenset({"", "null", "none", "n/a"})


def plain(value: object) -> object:
    """A label in lower case with underscores: ``Closing statement`` is ``closing_statement``."""
    return value.strip().lower().replace(" ", "_").replace("-", "_") if isinstance(value, str) else value


def or_none(value: object) -> object:
    """None where somebody wrote ``"null"``."""
    return None if isinstance(value, str) and value.strip().lower() in _NOTHING else value


_Seq = Annotated[int | None, Field(ge=1), BeforeValidator(or_none)]


class _SaidAction(Record):
    type: Annotated[schema.EntryType, BeforeValidator(plain)]
    content: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=schema.CONTENT_LIMIT)]
    sources: Annotated[tuple[Source, ...], Field(max_length=MOST_SOURCES), EMPTY_IF_NULL] = ()
    rebuttal_to_seq: _Seq = None
    target_seq: _Seq = None
    source_challenge: Annotated[ReasonText | None, BeforeValidator(or_none)] = None


@dataclass(frozen=True)
class Draft:
    """An entry as a debater wants to write it, and why it challenges a source of the other one, if it does."""

    entry: schema.LogDraft
    challenge: str = ""

    @property
    def as_json(self) -> str:
        """The draft as its author wrote it."""
        said = self.entry.model_dump(mode="json", exclude={"phase", "speaker"})
        return json.dumps(said | {"source_challenge": self.challenge or None}, ensure_ascii=False, indent=1)

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything in it that somebody would read."""
        sources = (text for source in self.entry.sources for _, text in source)
        return (self.entry.content, self.challenge, *sources)


def read_draft(reply: str, speaker: schema.Speaker, phase: schema.Phase) -> Draft:
    """The action in ``reply``.

    Raises:
        UnusableReplyError: There is no JSON object, or it is no action.
    """
    said = dict(as_record(read_object(reply), _SaidAction))
    challenge = said.pop("source_challenge") or ""
    return Draft(schema.LogDraft.model_validate({**said, "phase": phase, "speaker": speaker}), challenge.strip())


def challenge_refusals(draft: Draft) -> tuple[str, ...]:
    """Why the source challenge of ``draft`` cannot be heard."""
    is_request = draft.entry.type is schema.EntryType.CLARIFICATION_REQUEST
    has_target = draft.entry.target_seq is not None
    if draft.challenge and is_request:
        return ("A clarification request carries no source challenge: raise it with an argument.",)
    if draft.challenge and not has_target:
        return ("A source challenge needs target_seq: the entry whose sources it is about.",)
    if has_target and not draft.challenge and not is_request:
        return ("target_seq goes with a source challenge, whose reason is missing; else it is null.",)
    return ()


_Said = TypeVar("_Said")


def _upheld(value: object) -> object:
    return {"upheld": True, "dismissed": False}.get(str(plain(value)), value)


class SaidRuling(Record):
    """The chair's ruling on the challenge that an entry raised."""

    challenge_seq: int
    is_upheld: Annotated[bool, BeforeValidator(_upheld)] = Field(alias="ruling")
    reason: ReasonText = Field(min_length=1)


class Misconduct(StrEnum):
    """What a debater may not do (specification: Rules of Conduct)."""

    PERSONAL_ATTACK = "personal_attack"
    MISREPRESENTATION = "misrepresentation"
    REPETITION = "repetition"
    CONCESSION = "concession"


class SaidBreach(Record):
    """That an entry breaks a rule of conduct, as the chair says.

    Attributes:
        quote: The words of the entry that do.
        about_seq: The opponent's entry that is misrepresented, or the redacted one that is repeated.
        original: What the misrepresented entry says, in its words.
    """

    seq: int = Field(ge=1)
    kind: Annotated[Misconduct, BeforeValidator(plain)]
    quote: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
    about_seq: _Seq = None
    original: Annotated[SaidText, BeforeValidator(lambda value: value or "")] = ""
    reason: ReasonText = Field(min_length=1)


def _breaches(value: object) -> Iterator[SaidBreach]:
    """Those that are in the form: a review or a decision is not lost for one that is not."""
    for each in cast("list[object]", value)[:LIST_LIMIT] if isinstance(value, list) else ():
        with suppress(ValidationError):
            yield SaidBreach.model_validate(each, extra="ignore")


_Conduct = Annotated[
    tuple[SaidBreach, ...], Field(max_length=LIST_LIMIT), BeforeValidator(lambda value: tuple(_breaches(value)))
]


class SaidReview(Record):
    """The chair's review of what was said. ``goes_on`` is None where the chair says nothing of it."""

    conduct: _Conduct = ()
    rulings: Annotated[tuple[SaidRuling, ...], Field(max_length=LIST_LIMIT), EMPTY_IF_NULL] = ()
    goes_on: bool | None = Field(default=None, alias="continue")
    reason: ReasonText = ""


class SaidConclusion(Record):
    """The chair's decision."""

    outcome: Annotated[schema.DebateDecision, BeforeValidator(plain)]
    reasoning: ReasonText = Field(min_length=1)
    decisive: Annotated[tuple[int, ...], Field(max_length=LIST_LIMIT), EMPTY_IF_NULL] = ()
    conduct: _Conduct = ()


class SaidQuestions(Record):
    """The audience's questions."""

    questions: Annotated[tuple[ReasonText, ...], Field(max_length=LIST_LIMIT), EMPTY_IF_NULL]


@dataclass(frozen=True)
class Answered(Generic[_Said]):
    """What came of asking, at the end: what stands, whatever is still wrong with it, or None; and the last turn."""

    floor: Floor
    said: _Said | None
    turn: Turn


def answered(stem: str, call: FloorCall, read: Callable[[str], Reading[_Said]]) -> Course[FloorCall, Answered[_Said]]:
    """Ask for something, and once more if there is anything wrong with the answer, with ids that begin with ``stem``.

    The second answer stands whatever is wrong with it, the first one where nothing of the second can be used.
    """

    def want(first: Attempt[_Said] | None) -> FloorCall:
        if first is None or first.turn.answer is None:
            return replace(call, id=f"{stem}.1")
        said = call.floor.withheld.masked(first.turn.answer.response)[: schema.CONTENT_LIMIT]
        return replace(call, id=f"{stem}.2", returned=Returned(said, first.problems))

    attempts = yield from until_usable(want, read)
    usable = [attempt.said for attempt in attempts if attempt.said is not None]
    floor = call.floor.after(tuple(attempt.turn for attempt in attempts))
    return Answered(floor, usable[-1] if usable else None, attempts[-1].turn)


def why_unusable(turn: Turn) -> str:
    """Why there is no answer, for people."""
    return turn.failure.cause if turn.failure else "the answer could not be used"


def _entry(type_: schema.EntryType) -> str:
    # One without sources, so that none is waited for, and with the label that it then needs.
    return json.dumps({"type": type_, "content": f"{schema.CONJECTURE_LABEL} {SPEECH}", "sources": []})


_USUAL = {
    "chaired-debate/opening": _entry(schema.EntryType.OPENING_STATEMENT),
    "chaired-debate/action": _entry(schema.EntryType.CONJECTURE),
    "chaired-debate/closing": _entry(schema.EntryType.CLOSING_STATEMENT),
    "chaired-debate/questions": json.dumps({"questions": ["Who says so?", "And what if not?"]}),
    "chaired-debate/review": json.dumps({"rulings": [], "continue": True, "reason": "Not all has been said."}),
}


def usual_reply(ask: Ask) -> str:
    """An answer that the rules can use, to that step."""
    return _USUAL.get(ask.question.brief.step, SPEECH)
