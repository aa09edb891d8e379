"""Debates played to their end, with participants who behave well but for the asks that a test names."""

import re
from collections.abc import Callable, Mapping

from sparring.formats.debate.flow import Debate
from sparring.schema.base import Effort
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.debate import DebateOutcome, DebateRequest, SpeechLedger
from sparring.schema.judgement import Side
from sparring.schema.lookups import CitationKind, CitationLedger, CitationStatus, LedgerEntry
from sparring.schema.transcript import Ask
from support.playing import PROMPTS, Played, Special, failure, play, replying, well_behaved
from support.runs import debate_request


def request(**changes: object) -> DebateRequest:
    """Claude against codex over two rounds, judged by gemini, with ``changes``."""
    usual = {"topic": "Should the client retry?", "effort": Effort.HIGH}
    return debate_request(**usual | changes)


def debate(**changes: object) -> Debate:
    return Debate(request(**changes), PROMPTS)


def played(special: Mapping[str, Special] | None = None, **changes: object) -> Played:
    """A debate in which everybody behaves well but for the asks in ``special``; a speech is said again as it was."""
    said = dict(special or {})
    speeches = [id_ for id_ in said if re.fullmatch(r"r\d\.(?:proposer|challenger)", id_)]
    again = {f"{id_}{ending}": said[id_] for id_ in speeches for ending in (".2", ".line")}
    return play(debate(**changes), replying(again | said, well_behaved))


def outcome(found: Played) -> DebateOutcome:
    assert isinstance(found.outcome, DebateOutcome)
    return found.outcome


def fails(code: FailureCode = FailureCode.OVERLOADED) -> Callable[[Ask], Reply]:
    return lambda ask: failure(ask, code, "try later")


def ids(found: Played) -> list[list[str]]:
    """The ids of the asks of each step; a ledger of its own step is left out."""
    steps = [[ask.id for ask in step] for step in found.steps]
    return [step for step in steps if not all(id_.endswith(".ledger") for id_ in step)]


def entry(
    text: str,
    status: CitationStatus = CitationStatus.VERIFIED,
    reason: str = "as looked up",
    kind: CitationKind = CitationKind.PATH,
) -> LedgerEntry:
    return LedgerEntry(text=text, start=0, end=len(text), kind=kind, status=status, reason=reason)


def speech_ledger(role: Side, round_: int, *entries: LedgerEntry) -> SpeechLedger:
    return SpeechLedger(role=role, round=round_, ledger=CitationLedger(entries=entries))
