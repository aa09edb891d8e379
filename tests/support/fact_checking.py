"""Agents of a fact-check that answer as a test says, in the specification's own JSON."""

import json
import re
from collections.abc import Iterable, Mapping

from sparring.formats.fact_check.flow import FactCheck
from sparring.schema.base import Participant
from sparring.schema.consultation import ContextPart
from sparring.schema.fact_check import FactCheckOutcome, FactCheckRequest, Position
from sparring.schema.transcript import Ask, TurnKind
from support.playing import PROMPTS, Played, Special, play, replying

CLAIM = "The Eiffel Tower in Paris is 330 metres tall and opened in 1889."
SOURCES = (
    "The Eiffel Tower stands on the Champ de Mars in Paris. With its antennas the tower is 330 metres tall.",
    "The tower opened to the public in 1889. Croissants are popular. A poster calls the tower 300 metres tall.",
)
IN_PARIS = "The Eiffel Tower stands on the Champ de Mars in Paris"
IS_TALL = "the tower is 330 metres tall"
OPENED = "The tower opened to the public in 1889"
POSTER = "A poster calls the tower 300 metres tall"
CROISSANTS = "Croissants are popular"

Json = Mapping[str, object]
Said = Special


def evidence(*sources: str) -> tuple[ContextPart, ...]:
    return tuple(
        ContextPart(name=f"source-{number}.md", size_bytes=len(text.encode()), text=text)
        for number, text in enumerate(sources, start=1)
    )


def request(*agents: str, **changes: object) -> FactCheckRequest:
    """A request with three agents, or with those named."""
    seats = tuple(Participant(tool=tool) for tool in agents or ("claude", "codex", "gemini"))
    fields: dict[str, object] = {"claim": CLAIM, "evidence": evidence(*SOURCES), "agents": seats}
    return FactCheckRequest.model_validate(fields | changes)


def covered(part: str, quote: str | None) -> Json:
    return {"part": part, "status": "COVERED", "quote": quote}


def conflict(part: str, quote: str | None) -> Json:
    return {"part": part, "status": "CONFLICT", "quote": quote}


def missing(part: str) -> Json:
    return {"part": part, "status": "MISSING", "quote": None}


def analysis(verdict: str, *parts: Json, reason: str = "Because.") -> Json:
    return {"parts": list(parts), "verdict": verdict, "reasoning_vi": reason}


def said_of(verdict: str, parts: Iterable[tuple[str, str, str | None]]) -> Json:
    """An analysis of these parts, as a table has them: the status of each, its words, its quote."""
    return analysis(verdict, *({"part": part, "status": status, "quote": quote} for status, part, quote in parts))


def rebuttal(verdict: str, key_quote: str | None = None, *against: Json, **changes: object) -> Json:
    fields: dict[str, object] = {
        "key_parts_checked": ["330 metres tall"],
        "has_new_evidence": False,
        "has_strong_counterevidence": False,
        "rebuttals": list(against),
        "decision_change": "CONSIDER_CHANGE",
        "changed_from": "N/A",
        "change_trigger": "N/A",
        "verdict": verdict,
        "key_quote": key_quote,
        "reasoning_vi": "Because of that.",
    }
    return fields | changes


def against(agent: str, verdict: str, quote: str | None = None, counter: str | None = None) -> Json:
    return {
        "agent": agent,
        "their_verdict": verdict,
        "their_quote": quote,
        "issue": "not_direct",
        "counter_quote": counter,
    }


PARIS, IN_1889 = covered("Eiffel Tower in Paris", IN_PARIS), covered("opened in 1889", OPENED)


def readings(*said: str | tuple[str, str]) -> Json:
    """Return a second reader's reply on each quote in order, with the words that it names."""
    pairs = [(each, None) if isinstance(each, str) else each for each in said]
    return {"readings": [{"number": n, "says": says, "words": words} for n, (says, words) in enumerate(pairs, start=1)]}


SUPPORTED = analysis("SUPPORTED", PARIS, covered("330 metres tall", IS_TALL), IN_1889)
REFUTED = analysis("REFUTED", PARIS, conflict("330 metres tall", POSTER), IN_1889)
NEI = analysis("NEI", PARIS, missing("330 metres tall"), IN_1889)


def check(said: Mapping[str, Said], wanted: FactCheckRequest | None = None) -> tuple[Played, FactCheckOutcome]:
    """Play a fact-check in which each ask is answered as ``said`` by its id; who is not named stays as it was.

    Whoever is asked the same again says the same again.
    """
    insisting = {f"{id_}.2": again for id_, again in said.items() if f"{id_}.2" not in said}
    played = play(FactCheck(wanted or request(), PROMPTS), replying({**insisting, **said}, well_behaved))
    assert isinstance(played.outcome, FactCheckOutcome)
    return played, played.outcome


def position(outcome: FactCheckOutcome, agent: int, round_: int = 1) -> Position:
    return outcome.agents[agent - 1].positions[round_ - 1]


def well_behaved(ask: Ask) -> str:
    """Answer as an agent that does what is asked: it keeps its position, and reads quotes word by word."""
    if ask.kind is TurnKind.READING:
        parts = _STATEMENT.findall(ask.question.prompt)
        return json.dumps(readings(*map(_read_by_words, parts, ask.question.brief.evidence)))
    return json.dumps(SUPPORTED if ask.round == 1 else _as_before(ask))


_STATEMENT = re.compile(r"^\*\*\d+\.\*\* Statement:\n`{3,}\w*\n(.*?)\n`{3,}$", re.MULTILINE | re.DOTALL)


def _read_by_words(part: str, passage: str) -> str | tuple[str, str]:
    """Say that a quote says a part if it has all its words, and contradicts it if it has other numbers beside them."""
    left = {*re.findall(r"\w+", part.lower())} - {*re.findall(r"\w+", passage.lower())}
    if " … " in passage:
        return "NEITHER"  # pieces of several sentences
    if not left:
        return "SAYS", passage
    has_numbers = any(map(str.isdigit, passage))
    return ("CONTRADICTS", passage) if has_numbers and all(map(str.isdigit, left)) else "NEITHER"


def _as_before(ask: Ask) -> Json:
    return rebuttal(ask.question.prompt.partition("previous position:** ")[2].split()[0])
