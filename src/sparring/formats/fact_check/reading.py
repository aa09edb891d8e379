"""What an agent's answer says, field by field, as the specification names them (seed 000).

A spelling is forgiven (``supported``, ``"NULL"``), fields that we do not know are ignored, and nothing that a vote
needs is made up. Whether any of it is true is decided elsewhere.
"""

import json
import re
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field, StringConstraints

from sparring.engine.course import as_record, read_object
from sparring.schema.base import LIST_LIMIT, ReasonText, Record, SaidText
from sparring.schema.claims import Label
from sparring.schema.consultation import Brief
from sparring.schema.fact_check import ChangeTrigger, DecisionChange, Issue, PartStatus

MOST_SAID = 20
"""2 to 5 parts are asked for; a list much longer is no analysis."""

MOST_REBUTTALS = 30

_NO_QUOTE = frozenset({"", "null", "none", "n/a", "no verified quote"})
"""The last is what prompts show in place of another agent's quote that failed."""

_SPELLED_OUT = {"not_enough_info": "nei", "not_enough_information": "nei"}
_NO_LETTERS = re.compile(r"[^a-z]+")


def as_name(value: object) -> str:
    """``value`` in small letters with one underscore for all that stands between words."""
    plain = _NO_LETTERS.sub("_", value.lower()).strip("_") if isinstance(value, str) else ""
    return _SPELLED_OUT.get(plain, plain)


def _in_capitals(value: object) -> str:
    return as_name(value).upper()


def quote_or_none(value: object) -> object:
    """``value``, or None where it says that there is no quote."""
    is_none = isinstance(value, str) and value.strip(" \t\r\n\"'()").lower() in _NO_QUOTE
    return None if is_none else value


def _label_or_none(value: object) -> str | None:
    return name if (name := _in_capitals(value)) in set(Label) else None


def _issue_or_none(value: object) -> str | None:
    return name if (name := as_name(value)) in set(Issue) else None


def _change_or_none(value: object) -> str | None:
    return name if (name := _in_capitals(value)) in set(DecisionChange) else None


def _trigger_or_none(value: object) -> str | None:
    name = as_name(value)
    return ChangeTrigger.NONE if name == "n_a" else name if name in set(ChangeTrigger) else None


def _bool_or_none(value: object) -> bool | None:
    return value if isinstance(value, bool) else {"true": True, "false": False}.get(as_name(value))


def _texts(value: object) -> object:
    return [each for each in cast("list[Any]", value) if isinstance(each, str)] if isinstance(value, list) else ()


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


Quote = Annotated[SaidText | None, BeforeValidator(quote_or_none)]
Verdict = Annotated[Label, BeforeValidator(_in_capitals)]
Reason = Annotated[ReasonText, BeforeValidator(_text), Field(validation_alias="reasoning_vi")]


class SaidPart(Record):
    """A part of the claim, as an agent has it."""

    part: Annotated[SaidText, StringConstraints(strip_whitespace=True, min_length=1)]
    status: Annotated[PartStatus, BeforeValidator(_in_capitals)]
    quote: Quote = None


class Analysis(Record):
    """An answer of round 1."""

    parts: tuple[SaidPart, ...] = Field(min_length=1, max_length=MOST_SAID)
    verdict: Verdict
    reason: Reason = ""


class SaidRebuttal(Record):
    """What an agent says against another one."""

    agent: SaidText
    their_verdict: Annotated[Label | None, BeforeValidator(_label_or_none)] = None
    their_quote: Quote = None
    issue: Annotated[Issue | None, BeforeValidator(_issue_or_none)] = None
    counter_quote: Quote = None


class Rebuttal(Record):
    """An answer of a debate round: the fields of the specification, in its order (seed 000, Round 2+, Output JSON).

    What it says of itself is kept and compared, and decides nothing.
    """

    key_parts_checked: Annotated[tuple[SaidText, ...], Field(max_length=LIST_LIMIT), BeforeValidator(_texts)] = ()
    has_new_evidence: Annotated[bool | None, BeforeValidator(_bool_or_none)] = None
    has_strong_counterevidence: Annotated[bool | None, BeforeValidator(_bool_or_none)] = None
    rebuttals: tuple[SaidRebuttal, ...] = Field(default=(), max_length=MOST_REBUTTALS)
    decision_change: Annotated[DecisionChange | None, BeforeValidator(_change_or_none)] = None
    changed_from: Annotated[Label | None, BeforeValidator(_label_or_none)] = None
    change_trigger: Annotated[ChangeTrigger | None, BeforeValidator(_trigger_or_none)] = None
    verdict: Verdict
    key_quote: Quote = None
    reason: Reason = ""

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with it, in a sentence: it leaves fields out."""
        missing = [spelled for name, spelled in _FIELDS.items() if name not in self.model_fields_set]
        return (f"These fields are missing: {', '.join(missing)}.",) if missing else ()


_FIELDS = {name: str(field.validation_alias or name) for name, field in Rebuttal.model_fields.items()}
"""The fields of a rebuttal, and how an answer spells them."""


def read_analysis(reply: str) -> Analysis:
    """The analysis in a reply of round 1.

    Raises:
        UnusableReplyError: There is no JSON object, or it lacks parts or a verdict.
    """
    return as_record(read_object(reply), Analysis)


def read_rebuttal(reply: str) -> Rebuttal:
    """The rebuttal in a reply of a debate round.

    Raises:
        UnusableReplyError: There is no JSON object, or it lacks a verdict.
    """
    return as_record(read_object(reply), Rebuttal)


_QUOTE_LENGTH = 200
_WORD = re.compile(r"\w+")


def usual_position(brief: Brief, place: int) -> str:
    """What the agent at ``place`` says: every second finds a contradiction, or else nothing.

    Two such never agree, and no two name the same parts, so that each quote is read once more. That agents agree sooner
    is what a user may hope for, and should not have to pay less attention to a budget for.
    """
    quote = _nearest(brief.topic, brief.evidence) if place % 2 == 0 else None
    status, verdict = (PartStatus.CONFLICT, Label.REFUTED) if quote else (PartStatus.MISSING, Label.NEI)
    words = brief.topic.split()
    halves = [" ".join(half) for half in (words[: place + 1], words[place + 1 :]) if half]
    parts = [{"part": half, "status": status, "quote": quote} for half in halves]
    said = dict.fromkeys(_FIELDS.values()) | {"rebuttals": [], "parts": parts, "key_quote": quote, "verdict": verdict}
    return json.dumps(said)


def _nearest(claim: str, evidence: tuple[str, ...]) -> str | None:
    """The beginning of the line that has most words of ``claim``; None when none has any."""
    words = {word for word in _WORD.findall(claim.lower()) if len(word) > 3}
    lines = (line.strip()[:_QUOTE_LENGTH] for text in evidence for line in text.splitlines())
    shared = {line: len(words.intersection(_WORD.findall(line.lower()))) for line in lines}
    best = max(shared, key=lambda line: shared[line], default="")
    return best if shared.get(best) else None
