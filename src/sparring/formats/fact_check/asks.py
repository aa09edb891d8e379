"""What each agent is asked, the prompt for models and the brief for consultants made of code, and what it answers.

Whatever somebody else wrote stands between fences.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field, StringConstraints

from sparring.engine.course import Reading, Wanted, as_record, read_object
from sparring.engine.replies import UnusableReplyError
from sparring.formats.fact_check.grounds import OpenQuote
from sparring.prompts import PromptLibrary
from sparring.schema import base, claims, consultation, transcript
from sparring.schema import fact_check as schema

_NAME_LIMIT = 200
"""Characters of a source's name."""

_MOST_FAILED, _QUOTE_LIMIT = 5, 1_000
"""How many of its failed quotes an agent is shown, and how much of each."""

_NOT_THERE = frozenset({schema.Fault.FABRICATED_QUOTE, schema.Fault.ALTERED_QUOTE})
_SAYING_ELSE = frozenset({schema.Fault.CONTRADICTED_PART})


class FactCheckAsks:
    """Words the asks. A ``problem`` is what was wrong with the first answer, if this is the second attempt."""

    def __init__(self, request: schema.FactCheckRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts

    def wanted(self, name: str, shown: Mapping[str, schema.Position], *, problem: str) -> Wanted:
        """The ask of the agent ``name``.

        ``shown`` is where everybody, itself included, stood after the round before; empty in round 1.
        """
        round_ = shown[name].round + 1 if shown else 1
        kind = transcript.TurnKind.REBUTTAL if shown else transcript.TurnKind.ANALYSIS
        placed = self._placed(kind, name, round_, f"round {round_}", problem)
        id_ = f"r{round_}.a{placed.number}{'.2' if problem else ''}"

        def ask() -> transcript.Ask:
            sources = tuple(part.text for part in self._request.evidence)
            return self._ask(id_, placed, self._values(name, shown), problem, sources)

        return Wanted(id_, ask)

    def reading(self, name: str, quotes: Sequence[OpenQuote], round_: int, *, problem: str) -> Wanted:
        """The ask of the agent ``name`` as a second reader of ``quotes``."""
        placed = self._placed(transcript.TurnKind.READING, name, round_, f"round {round_}, reading", problem)
        id_ = f"r{round_}.reading{placed.number}{'.2' if problem else ''}"

        def ask() -> transcript.Ask:
            values = {"items": self._items(quotes), "count": str(len(quotes))}
            return self._ask(id_, placed, values, problem, tuple(quote.passage for quote in quotes))

        return Wanted(id_, ask)

    def _placed(self, kind: transcript.TurnKind, name: str, round_: int, label: str, problem: str) -> transcript.Placed:
        number = self._request.names.index(name) + 1
        return transcript.Placed(
            kind=kind,
            role=base.Role.FACT_CHECKER,
            round=round_,
            tool=self._request.agents[number - 1].tool,
            attempt=2 if problem else 1,
            number=number,
            label=label,
        )

    def _ask(
        self,
        id_: str,
        placed: transcript.Placed,
        values: Mapping[str, str],
        problem: str,
        evidence: tuple[str, ...],
    ) -> transcript.Ask:
        """What is put to the agent in that place, with what code would read of it."""
        request, step = self._request, f"fact-check/{placed.kind}"
        again = f"\n{self._prompts.render('fact-check/again', {'problem': problem})}" if problem else ""
        brief = consultation.Brief(
            step=step,
            topic=request.claim,
            role=placed.role,
            round=placed.round,
            attempt=placed.attempt,
            name=request.names[placed.number - 1],
            evidence=evidence,
        )
        question = consultation.Question(
            prompt=f"{self._prompts.render(step, values)}{again}",
            brief=brief,
            effort=request.effort,
            model=request.agents[placed.number - 1].model,
            timeout_s=request.timeout_s,
        )
        return transcript.Ask(id=id_, question=question, **placed.place)

    def _values(self, name: str, shown: Mapping[str, schema.Position]) -> dict[str, str]:
        values = {"claim": self._request.claim, "evidence": self._evidence, "language": self._request.language}
        if not shown:
            return values
        others = "\n".join(
            self._phrase("position", name=other, verdict=position.verdict, quotes=self._quotes(position.quotes))
            for other, position in shown.items()
            if other != name
        )
        return values | {
            "round": str(shown[name].round + 1),
            "name": name,
            "own_position": self._own(shown[name]),
            "other_positions": others.strip(),
        }

    @cached_property
    def _evidence(self) -> str:
        blocks = (
            self._phrase("source", number=str(number), name=" ".join(part.name.split())[:_NAME_LIMIT], text=part.text)
            for number, part in enumerate(self._request.evidence, start=1)
        )
        return "\n".join(blocks).strip()

    def _own(self, position: schema.Position) -> str:
        """An agent's own last position, and what of it was not found."""
        blocks = [self._phrase("own-position", verdict=position.verdict, quotes=self._quotes(position.quotes))]
        if position.claimed is not position.verdict:
            blocks.append(self._phrase("recounted", claimed=position.claimed, verdict=position.verdict))
        for phrase, faults in (("failed-quotes", _NOT_THERE), ("idle-quotes", _SAYING_ELSE)):
            if failed := _quotes_of(position, faults):
                blocks.append(self._phrase(phrase, quotes=self._quotes(failed)))
        return "\n".join(blocks).strip()

    def _items(self, quotes: Sequence[OpenQuote]) -> str:
        blocks = (
            self._phrase("item", number=str(number), part=quote.part, quote=quote.passage)
            for number, quote in enumerate(quotes, start=1)
        )
        return "\n".join(blocks).strip()

    def _quotes(self, quotes: Iterable[str]) -> str:
        blocks = [self._phrase("quote", quote=quote) for quote in quotes]
        return "".join(blocks).strip() if blocks else self._phrase("no-quote").strip()

    def _phrase(self, phrase: str, **values: str) -> str:
        return self._prompts.render(f"fact-check/shown#{phrase}", values)


def _quotes_of(position: schema.Position, faults: frozenset[schema.Fault]) -> list[str]:
    quotes = (found.quote[:_QUOTE_LIMIT] for found in position.faults if found.fault in faults and found.quote)
    return list(dict.fromkeys(quotes))[:_MOST_FAILED]


# -- What an answer says: field by field, as the specification names them (seed 000) --------------------------------
# A spelling is forgiven (``supported``, ``"NULL"``), fields that we do not know are ignored, and nothing that a vote
# needs is made up. Whether any of it is true is decided elsewhere.

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


def _known(kind: type[StrEnum]) -> BeforeValidator:
    """What is none of ``kind``, however it is spelled, is None."""
    names = {as_name(each): each for each in kind}
    return BeforeValidator(lambda value: names.get(as_name(value)))


def _bool_or_none(value: object) -> bool | None:
    return value if isinstance(value, bool) else {"true": True, "false": False}.get(as_name(value))


def _texts(value: object) -> object:
    return [each for each in cast("list[Any]", value) if isinstance(each, str)] if isinstance(value, list) else ()


Quote = Annotated[base.SaidText | None, BeforeValidator(quote_or_none)]
Verdict = Annotated[claims.Label, BeforeValidator(_in_capitals)]
Reason = Annotated[base.ReasonText, BeforeValidator(lambda value: value.strip() if isinstance(value, str) else "")]


class SaidPart(base.Record):
    """A part of the claim, as an agent has it."""

    part: Annotated[base.SaidText, StringConstraints(strip_whitespace=True, min_length=1)]
    status: Annotated[schema.PartStatus, BeforeValidator(_in_capitals)]
    quote: Quote = None


class Analysis(base.Record):
    """An answer of round 1."""

    parts: tuple[SaidPart, ...] = Field(min_length=1, max_length=MOST_SAID)
    verdict: Verdict
    reasoning_vi: Reason = ""


class SaidRebuttal(base.Record):
    """What an agent says against another one."""

    agent: base.SaidText
    their_verdict: Annotated[claims.Label | None, _known(claims.Label)] = None
    their_quote: Quote = None
    issue: Annotated[schema.Issue | None, _known(schema.Issue)] = None
    counter_quote: Quote = None


class Rebuttal(base.Record):
    """An answer of a debate round: the fields of the specification, in its order (seed 000, Round 2+, Output JSON).

    What it says of itself is kept and compared, and decides nothing.
    """

    key_parts_checked: Annotated[
        tuple[base.SaidText, ...], Field(max_length=base.LIST_LIMIT), BeforeValidator(_texts)
    ] = ()
    has_new_evidence: Annotated[bool | None, BeforeValidator(_bool_or_none)] = None
    has_strong_counterevidence: Annotated[bool | None, BeforeValidator(_bool_or_none)] = None
    rebuttals: Annotated[tuple[SaidRebuttal, ...], Field(max_length=MOST_REBUTTALS), base.EMPTY_IF_NULL] = ()
    decision_change: Annotated[schema.DecisionChange | None, _known(schema.DecisionChange)] = None
    changed_from: Annotated[claims.Label | None, _known(claims.Label)] = None
    change_trigger: Annotated[schema.ChangeTrigger | None, _known(schema.ChangeTrigger)] = None
    verdict: Verdict
    key_quote: Quote = None
    reasoning_vi: Reason = ""

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with it, in a sentence: it leaves fields out."""
        missing = [name for name in Rebuttal.model_fields if name not in self.model_fields_set]
        return (f"These fields are missing: {', '.join(missing)}.",) if missing else ()


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


MOST_READ = 20
"""Quotes that a reader is shown in a round; what is more stays open."""

LONGEST_PASSAGE = 2_000
"""Characters of a quote, with its sentence, that is put to a reader. Whoever quotes more has quoted no passage."""

_SAID = {"says": claims.Relation.CARRIES, "contradicts": claims.Relation.CONFLICTS, "neither": claims.Relation.OPEN}


_Words = Annotated[str, StringConstraints(max_length=LONGEST_PASSAGE)]


class SaidReading(base.Record):
    """What a reader says of one quote."""

    number: int
    says: Annotated[claims.Relation, BeforeValidator(lambda value: _SAID.get(as_name(value), value))]
    words: Annotated[_Words | None, BeforeValidator(quote_or_none)] = None


class SaidReadings(base.Record):
    """A reader's whole answer."""

    readings: tuple[SaidReading, ...] = Field(max_length=2 * MOST_READ)

    def of(self, number: int) -> SaidReading | None:
        """What it says of the quote of that number; the first, if it says several things."""
        return next((each for each in self.readings if each.number == number), None)


def read_readings(reply: str, count: int) -> Reading[SaidReadings]:
    """The readings of ``count`` quotes in a reply, and which of them are missing.

    Raises:
        UnusableReplyError: There is no JSON object, or an entry lacks what it needs.
    """
    said = as_record(read_object(reply), SaidReadings)
    missing = [str(number) for number in range(1, count + 1) if said.of(number) is None]
    if len(missing) == count:
        raise UnusableReplyError("None of the numbers has an entry.")
    return Reading(said, (f"These numbers have no entry: {', '.join(missing)}.",) if missing else ())


def usual_reading(brief: consultation.Brief) -> str:
    """What a reader says who finds what somebody else has found."""
    entries = [
        {"number": number, "says": "contradicts", "words": passage}
        for number, passage in enumerate(brief.evidence, start=1)
    ]
    return json.dumps({"readings": entries})


_QUOTE_LENGTH = 200
_WORD = re.compile(r"\w+")


def usual_position(brief: consultation.Brief, place: int) -> str:
    """What the agent at ``place`` says: every second finds a contradiction, or else nothing.

    Two such never agree, and no two name the same parts, so that each quote is read once more. That agents agree sooner
    is what a user may hope for, and should not have to pay less attention to a budget for.
    """
    quote = _nearest(brief.topic, brief.evidence) if place % 2 == 0 else None
    status, verdict = (
        (schema.PartStatus.CONFLICT, claims.Label.REFUTED) if quote else (schema.PartStatus.MISSING, claims.Label.NEI)
    )
    words = brief.topic.split()
    halves = [" ".join(half) for half in (words[: place + 1], words[place + 1 :]) if half]
    parts = [{"part": half, "status": status, "quote": quote} for half in halves]
    empty = dict[str, object].fromkeys(Rebuttal.model_fields)
    said = {**empty, "rebuttals": [], "parts": parts, "key_quote": quote, "verdict": verdict}
    return json.dumps(said)


def _nearest(claim: str, evidence: tuple[str, ...]) -> str | None:
    """The beginning of the line that has most words of ``claim``; None when none has any."""
    words = {word for word in _WORD.findall(claim.lower()) if len(word) > 3}
    lines = (line.strip()[:_QUOTE_LENGTH] for text in evidence for line in text.splitlines())
    shared = {line: len(words.intersection(_WORD.findall(line.lower()))) for line in lines}
    best = max(shared, key=lambda line: shared[line], default="")
    return best if shared.get(best) else None
