"""Say before a run begins what it will probably use.

The rules are played through with usual answers in everybody's place: formats are pure, so that costs nothing, and
every kind of deliberation is estimated by its own rules.
"""

import hashlib
import json
import re

from sparring.engine.course import Asks
from sparring.engine.format import Rules
from sparring.schema.base import Role, utc_now
from sparring.schema.chaired_debate import CONJECTURE_LABEL, EntryType
from sparring.schema.claims import Label
from sparring.schema.consultation import Answer, Brief
from sparring.schema.fact_check import PartStatus
from sparring.schema.limits import CHARACTERS_PER_TOKEN, Estimate
from sparring.schema.transcript import Ask, Transcript, Turn, TurnKind

_SPEECH = "word " * 600
"""An answer of a usual length: about 750 tokens, and what prompts ask of a summary."""

_MOST_STEPS = 100
_AGENT_KINDS = frozenset({TurnKind.ANALYSIS, TurnKind.REBUTTAL})
_QUOTE_LENGTH = 200
_WORD = re.compile(r"\w+")


def _entry(type_: EntryType) -> str:
    # One without sources, so that none is waited for, and with the label that it then needs.
    return json.dumps({"type": type_, "content": f"{CONJECTURE_LABEL} {_SPEECH}", "sources": []})


_IN_A_CHAIRED_DEBATE = {
    "chaired-debate/opening": _entry(EntryType.OPENING_STATEMENT),
    "chaired-debate/action": _entry(EntryType.CONJECTURE),
    "chaired-debate/closing": _entry(EntryType.CLOSING_STATEMENT),
    "chaired-debate/questions": json.dumps({"questions": ["Who says so?", "And what if not?"]}),
    "chaired-debate/review": json.dumps({"rulings": [], "continue": True, "reason": "Not all has been said."}),
}
"""Answers that the rules of such a debate can use, by the step that they are given in."""


def estimate(format_: Rules) -> Estimate:
    """What the run of ``format_`` will use if every answer can be used at once.

    Agents of a fact-check are taken to disagree until the end: that they agree sooner is what a user may hope for,
    and should not have to pay less attention to a budget for.
    """
    transcript, asked = Transcript(), list[Ask]()
    for _ in range(_MOST_STEPS):
        decision = format_.next(transcript)
        if not isinstance(decision, tuple):
            break
        # The usual speech is no ballot and no summary, so these are asked for a second time; that is not counted, and
        # neither is what code is asked.
        asked += [ask for ask in decision if ask.attempt == 1 and ask.role is not Role.VERIFIER]
        transcript = transcript.extended(_spoken(decision))
    characters = sum(len(ask.question.prompt) for ask in asked)
    return Estimate(calls=len(asked), prompt_tokens=round(characters / CHARACTERS_PER_TOKEN))


def _spoken(asks: Asks) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            **ask.place,
            ask_id=ask.id,
            prompt_sha256=hashlib.sha256(b"").hexdigest(),
            at=utc_now(),
            reply=Answer(tool=ask.tool, response=_usual(ask, place), duration_ms=0),
        )
        for place, ask in enumerate(asks)
    )


def _usual(ask: Ask, place: int) -> str:
    if ask.role is Role.FACT_CHECKER and ask.kind in _AGENT_KINDS:
        return _position(ask.question.brief, is_against=place % 2 == 0)
    return _IN_A_CHAIRED_DEBATE.get(ask.question.brief.step, _SPEECH)


def _position(brief: Brief, *, is_against: bool) -> str:
    """What an agent says who finds a contradiction, or nothing: two such never agree."""
    quote = _nearest(brief.topic, brief.evidence) if is_against else None
    status, verdict = (PartStatus.CONFLICT, Label.REFUTED) if quote else (PartStatus.MISSING, Label.NEI)
    parts = [{"part": brief.topic, "status": status, "quote": quote}]
    return json.dumps({"parts": parts, "key_quote": quote, "verdict": verdict, "reasoning_vi": ""})


def _nearest(claim: str, evidence: tuple[str, ...]) -> str | None:
    """The beginning of the line that has most words of ``claim``; None when none has any."""
    words = {word for word in _WORD.findall(claim.lower()) if len(word) > 3}
    lines = (line.strip()[:_QUOTE_LENGTH] for text in evidence for line in text.splitlines())
    shared = {line: len(words.intersection(_WORD.findall(line.lower()))) for line in lines}
    best = max(shared, key=lambda line: shared[line], default="")
    return best if shared.get(best) else None
