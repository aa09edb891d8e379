"""Turns of journals of schema 1 (sparring 0.1), which spelled their places in the ids of the asks."""

import re
from typing import Any

from sparring.formats.registry import FORMATS
from sparring.schema.runs import JOURNAL_SCHEMA, Request, RunHeader
from sparring.schema.transcript import Turn


def placed(turn: Turn, header: RunHeader) -> Turn:
    """``turn`` of the run that ``header`` begins, with its place in fields; as it is, if it has that already."""
    if header.schema_version >= JOURNAL_SCHEMA:
        return turn
    patterns = FORMATS[header.kind].spelled
    return turn.model_copy(update=spelled(turn.ask_id, turn.round, header.request, patterns))


def spelled(ask_id: str, round_: int, request: Request, patterns: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """The fields of the place that ``ask_id`` spells, as sparring 0.1 did; none for an id of something else.

    ``round_`` is the round of the turn, ``request`` that of its run, and ``patterns`` are those of its format.
    """
    found = ((re.fullmatch(pattern, ask_id), label) for pattern, label in patterns)
    match, label = next(((match, label) for match, label in found if match), (None, ""))
    if match is None:
        return {}
    named: dict[str, str | None] = {"part": None, "chair": None, "which": None} | match.groupdict()
    values = {"round": round_, "request": request, "which": named["which"], "part": named["part"] or f"round {round_}"}
    return {
        "label": label.format(review=", review" if named["chair"] else "", **values),
        "number": int(named.get("number") or 0),
        "order": 2 if named.get("order") == "ba" else 1,
        "attempt": int(named.get("attempt") or 1),
    }
