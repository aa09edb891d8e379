"""Where in its deliberation somebody speaks, and under which name: worded alike as it happens and afterwards."""

import re
from dataclasses import dataclass
from typing import Protocol

from sparring.reports.ballots import BallotPlace, ballot_place
from sparring.reports.chaired_places import chaired_stage
from sparring.schema.base import Role, ToolName
from sparring.schema.consult import answer_number
from sparring.schema.debate import Order
from sparring.schema.transcript import SPEECH_KINDS, TurnKind

_AGENT = re.compile(r"r\d+\.a(\d+)")
_AGAIN = re.compile(r".*(?:\.a\d+|advocate|skeptic|checklist|verdict)\.[2-9]")
"""The second ask of those for which an id tells."""

_LEDGER = ".ledger"
"""Ends the id of the check of one speech of a debate."""

_RECONSIDERING = "reconsider."
_JURY_DEBATERS = frozenset({Role.ADVOCATE, Role.SKEPTIC})
_STAGES = {
    TurnKind.CITATIONS: "citations",
    TurnKind.CHECKLIST: "checklist",
    TurnKind.SYNTHESIS: "verdict",
    TurnKind.VERDICT: "verdict",
}


class Said(Protocol):
    """Something that is said, has been, or could not be: a turn, or an event of a run."""

    @property
    def ask_id(self) -> str:
        """Its place in the rules."""
        ...

    @property
    def kind(self) -> TurnKind:
        """What it is."""
        ...

    @property
    def role(self) -> Role:
        """Whose it is."""
        ...

    @property
    def round(self) -> int:
        """Round that it belongs to."""
        ...

    @property
    def tool(self) -> ToolName:
        """Who is asked."""
        ...


@dataclass(frozen=True)
class Place:
    """Whose turn it is, e.g. stage ``round 1/2``, voice ``proposer``, tool ``claude``.

    Attributes:
        stage: Empty where there is only one.
        voice: Empty, as is the tool, for what is no speaker but code.
    """

    stage: str
    voice: str
    tool: str


def place(said: Said, rounds: int | None = None) -> Place:
    """Where ``said`` belongs. With ``rounds``, the rounds of a debate are told as parts of that many."""
    stage = _stage(said, rounds)
    if _AGAIN.fullmatch(said.ask_id):
        stage += " (again)"
    return Place(stage, "", "") if said.role is Role.VERIFIER else Place(stage, _voice(said), said.tool)


def _stage(said: Said, rounds: int | None) -> str:
    if said.kind is TurnKind.ANSWER:
        number = answer_number(said.ask_id)
        return f"answer {number}" if number else ""
    if said.kind is TurnKind.SUMMARY:
        return f"summary for round {said.round}"
    if said.role in _JURY_DEBATERS:
        return "opening" if said.kind is TurnKind.OPENING else f"rebuttal {said.round - 1}"
    return _told_by_id(said, rounds) or _STAGES.get(said.kind) or _round(said, rounds)


def _told_by_id(said: Said, rounds: int | None) -> str:
    if said.ask_id.startswith(_RECONSIDERING):
        return "verdict (reconsidered)"
    if said.ask_id.endswith(_LEDGER):
        return f"{_round(said, rounds)}, citations"
    ballot = ballot_place(said.ask_id)
    return _ballot(ballot) if ballot else chaired_stage(said.ask_id)


def _round(said: Said, rounds: int | None) -> str:
    # How many rounds a fact-check takes is found out on the way.
    counted = said.kind in SPEECH_KINDS or said.ask_id.endswith(_LEDGER)
    return f"round {said.round}/{rounds}" if rounds and counted else f"round {said.round}"


def _ballot(ballot: BallotPlace) -> str:
    order = ["order 2"] if ballot.order is Order.CHALLENGER_FIRST else []
    again = ["again"] if ballot.is_again else []
    return f"verdict ({', '.join(order + again)})" if order or again else "verdict"


def _voice(said: Said) -> str:
    if agent := _AGENT.match(said.ask_id):
        return f"Agent {agent[1]}"
    ballot = ballot_place(said.ask_id)
    # Whether others follow, the first judge's id does not tell.
    return f"{said.role.spoken} {ballot.judge}" if ballot and ballot.judge > 1 else said.role.spoken
