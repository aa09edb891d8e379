"""Asks, turns, and the transcript of all in order."""

import re
from enum import StrEnum
from hashlib import sha256
from typing import Any, Literal

from pydantic import Field

from sparring.schema.base import Moment, PlainText, Record, Role, RunId, ToolName, respondent_name
from sparring.schema.consultation import Answer, Failure, Question, Reply


class TurnKind(StrEnum):
    """Kind of a turn in its deliberation."""

    ANSWER = "answer"
    OPENING = "opening"
    RESPONSE = "response"
    DEFENSE = "defense"
    FOLLOW_UP = "follow_up"
    SUMMARY = "summary"
    SYNTHESIS = "synthesis"
    ANALYSIS = "analysis"
    CHECKLIST = "checklist"
    REBUTTAL = "rebuttal"
    READING = "reading"
    VERDICT = "verdict"
    CITATIONS = "citations"
    READY = "ready"
    ACTION = "action"
    CLOSING = "closing"
    QUESTIONS = "questions"
    SOURCES = "sources"
    CLARIFICATION = "clarification"
    RULING = "ruling"
    CONCLUSION = "conclusion"
    REPORT = "report"
    FINDINGS = "findings"
    JOINING = "joining"
    EXAMINATION = "examination"
    NOTE = "note"


SPEECH_KINDS = frozenset({TurnKind.OPENING, TurnKind.RESPONSE, TurnKind.DEFENSE, TurnKind.FOLLOW_UP})
"""Kinds of turn of the debaters, as opposed to summaries and the judge's synthesis."""


class Placed(Record):
    """Place of a turn in its deliberation; ids have no meaning of their own.

    Attributes:
        round: Round that the turn belongs to; a synthesis belongs to the last completed one.
        attempt: 2 for a repeated request.
        number: Number among several of the role, or among several answers, from 1; 0 where there is only one.
        order: In which of two orders a judge is shown the sides.
        label: The stage in the format's own words, where kind and round do not identify it.
    """

    kind: TurnKind
    role: Role
    round: int = Field(ge=1)
    tool: ToolName
    attempt: int = Field(default=1, ge=1)
    number: int = Field(default=0, ge=0)
    order: Literal[1, 2] = 1
    label: str = ""

    @property
    def place(self) -> dict[str, Any]:
        """The fields of the place, for records that contain a place."""
        return {name: getattr(self, name) for name in Placed.model_fields}


class Ask(Placed):
    """Ask: a prompt for one participant.

    Attributes:
        id: Unique in the run and derived from its place in the rules, so that a resumed run asks under the same id.
        stand_ins: The tools that are asked in turn if the first one fails for good (see ``engine.preparing``).
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    question: Question
    stand_ins: tuple[ToolName, ...] = ()

    @property
    def prompt_sha256(self) -> str:
        """The digest of its prompt, which its turn keeps."""
        return sha256(self.question.prompt.encode()).hexdigest()


NOTE_ID = re.compile(r"note\.\d{20}-[0-9a-f]{8}")
NOTE_LIMIT = 2_000
"""Characters of a note."""


class Note(Record):
    """A note of the user to the participants of a run; ``id`` is that of its turn."""

    id: str = Field(pattern=f"^{NOTE_ID.pattern}$")
    text: PlainText = Field(min_length=1, max_length=NOTE_LIMIT)


class PendingAsk(Record):
    """An ask that is about to be sent.

    Attributes:
        index: Its place in the step.
        call: The name under which its answer can be found, should this process end before it arrives.
        costs: Whether it may be paid for.
        place: The participant and the step.
    """

    index: int = Field(ge=0)
    ask_id: str
    call: str = Field(pattern=r"^[0-9a-f]{32}$")
    costs: bool = True
    place: Placed


class Respondent(Record):
    """The tool that answered, with the tool whose seat it took, if that is another.

    Attributes:
        model: As the tool reported it, else as it was requested; None where neither is known.
        family: The family of the model; empty where it is not known.
        stands_in_for: The tool of the seat, which failed; None where that tool itself answered.
        is_of_other_family: Whether the model is of another family than was known when the run began.
    """

    tool: ToolName
    model: str | None = None
    family: str = ""
    stands_in_for: ToolName | None = None
    is_of_other_family: bool = False

    @property
    def name(self) -> str:
        """E.g. ``codex``, or ``codex for claude`` if it answered in the place of claude."""
        return respondent_name(self.tool, self.stands_in_for)


class Turn(Placed):
    """An ask with its answer or failure.

    The prompt is not kept: it is a function of the request and the earlier turns. Its digest is.

    Attributes:
        taken_from: The run in which it was answered, and paid for; None: in this one.
    """

    ask_id: str
    prompt_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    at: Moment
    reply: Reply
    taken_from: RunId | None = None

    @property
    def answer(self) -> Answer | None:
        """The answer, or None when the consultation failed."""
        return self.reply if isinstance(self.reply, Answer) else None

    @property
    def respondent(self) -> Respondent | None:
        """The tool that answered, as reported in the answer; None when the consultation failed."""
        answer = self.answer
        if answer is None:
            return None
        stands_in_for = self.tool if answer.tool != self.tool else None
        return Respondent(
            tool=answer.tool,
            model=answer.model,
            family=answer.family,
            stands_in_for=stands_in_for,
            is_of_other_family=bool(answer.family),
        )

    @property
    def tool_name(self) -> str:
        """The tool that answered, as in ``Respondent.name``; of a failure the tool that was asked."""
        return self.respondent.name if self.respondent else self.tool

    @property
    def failure(self) -> Failure | None:
        """The failure, or None when there is an answer."""
        return self.reply if isinstance(self.reply, Failure) else None


class Transcript(Record):
    """Every turn so far, in asking order. There is no other memory."""

    turns: tuple[Turn, ...] = ()

    @classmethod
    def of_steps(cls, steps: tuple[tuple[Turn, ...], ...]) -> "Transcript":
        """The turns of ``steps``, one step after the other."""
        return cls(turns=tuple(turn for step in steps for turn in step))

    def extended(self, turns: tuple[Turn, ...]) -> "Transcript":
        """This transcript with ``turns`` appended."""
        return Transcript.model_construct(turns=self.turns + turns)

    @property
    def responses(self) -> tuple[str, ...]:
        """Responses of all answered turns."""
        return tuple(turn.answer.response for turn in self.turns if turn.answer)

    def respondents(self, role: Role, number: int = 0) -> tuple[Respondent, ...]:
        """Return the tools that answered in a seat, each once, with the model and family that it reported last.

        ``number`` is the number among several of the role; 0 means any of them.
        """
        respondents: dict[str, Respondent] = {}
        for turn in self.turns:
            if turn.role is role and number in (0, turn.number or 1) and (now := turn.respondent):
                before = respondents.pop(now.name, now)
                reported = {"model": now.model or before.model, "family": now.family or before.family}
                respondents[now.name] = now.model_copy(update=reported)
        return tuple(respondents.values())

    def turn(self, ask_id: str) -> Turn | None:
        """The turn that answered ``ask_id``, or None when it was not asked yet."""
        return next((turn for turn in self.turns if turn.ask_id == ask_id), None)
