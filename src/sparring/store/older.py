"""Turns of journals of schema 1 (sparring 0.1), which spelled their places in the ids of the asks."""

import re
from typing import Any

from sparring.schema.debate import DebateRequest
from sparring.schema.runs import JOURNAL_SCHEMA, RunHeader
from sparring.schema.transcript import Turn

_CHAIRED = r"(?:(?P<part>ready|opening|closing)|r\d+)\.(?:promoter|detractor|audience|(?P<chair>chair))(?:\.after)?"
_SPELLED = tuple(
    (re.compile(pattern), label)
    for pattern, label in (
        (r"judge(?P<number>\d+)\.(?P<order>ab|ba)\.(?P<attempt>\d+)", "verdict"),
        (r"r\d+\.a(?P<number>\d+)(?:\.(?P<attempt>\d+))?", "round {round}"),
        (r"question\.(?P<which>\d+)", "answer {which}"),
        (r"citations", "citations"),
        (r"r\d+\.(?:proposer|challenger)", "round {round}/{rounds}"),
        (r"r\d+\.(?:proposer|challenger)\.ledger", "round {round}/{rounds}, citations"),
        (r"r\d+\.summary\.(?P<attempt>\d+)", "summary for round {round}"),
        (r"opening\.(?:advocate|skeptic)(?:\.(?P<attempt>\d+))?", "opening"),
        (r"rebuttal\.(?P<which>\d+)\.(?:advocate|skeptic)", "rebuttal {which}"),
        (r"checklist\.(?P<attempt>\d+)", "checklist"),
        (r"verdict\.(?P<attempt>\d+)", "verdict"),
        (r"reconsider\.1", "verdict (reconsidered)"),
        (r"conclusion\.(?P<attempt>\d+)", "conclusion"),
        (r"report\.1", "summary"),
        (rf"{_CHAIRED}(?:\.(?P<attempt>\d+))?", "{part}{review}"),
        # What is looked up is looked up once, whichever attempt it belongs to.
        (rf"{_CHAIRED}(?:\.\d+)?\.(?P<which>sources|clarification)(?:\.(?P<attempt>\d+))?", "{part}, {which}"),
    )
)


def placed(turn: Turn, header: RunHeader) -> Turn:
    """``turn`` of the run that ``header`` begins, with its place in fields; as it is, if it has that already."""
    if header.schema_version >= JOURNAL_SCHEMA:
        return turn
    rounds = header.request.rounds if isinstance(header.request, DebateRequest) else 0
    return turn.model_copy(update=spelled(turn.ask_id, turn.round, rounds))


def spelled(ask_id: str, round_: int, rounds: int) -> dict[str, Any]:
    """The fields of the place that ``ask_id`` spells; none for an id of something else.

    Args:
        ask_id: As sparring 0.1 spelled it.
        round_: The round of the turn.
        rounds: Of a debate, how many it was to have.
    """
    found = ((pattern.fullmatch(ask_id), label) for pattern, label in _SPELLED)
    match, label = next(((match, label) for match, label in found if match), (None, ""))
    if match is None:
        return {}
    named: dict[str, str | None] = {"part": None, "chair": None, "which": None} | match.groupdict()
    values = {"round": round_, "rounds": rounds, "which": named["which"], "part": named["part"] or f"round {round_}"}
    return {
        "label": label.format(review=", review" if named["chair"] else "", **values),
        "number": int(named.get("number") or 0),
        "order": 2 if named.get("order") == "ba" else 1,
        "attempt": int(named.get("attempt") or 1),
    }
