"""What a command takes beside the options of its format where that judges tables, or is measured on planted bugs.

``pairs`` judges them, and ``bench`` measures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparring.cli.parsing import PLANTED
from sparring.engine.format import Format


@dataclass(frozen=True)
class Table:
    """A table as it was typed.

    Attributes:
        columns: Which column is what, ``claim=Headline``.
        at_once: Rows that are judged side by side.
        is_fresh: Judge anew what was judged before.
    """

    path: str
    columns: Sequence[str] = ()
    at_once: int = 4
    is_fresh: bool = False


_TABLE = "A table (.csv, .tsv, .jsonl) of claims and truths, or evidence: a verdict for each row, none twice."
_HOW: dict[str, tuple[Any, Any, str]] = {
    "column": (
        list[str] | None,
        None,
        "Which column is what: claim=Headline, truth=..., row_id=..., dataset=..., gold=...",
    ),
    "at_once": (int, 4, "Rows of it that are judged side by side."),
    "fresh": (bool, False, "Ask again for rows that were judged before."),
}


def table_options(format_: Format) -> dict[str, tuple[Any, Any, str]]:
    """What its command takes beside its options, if it judges tables: type, default and help."""
    named = format_.rows.option if format_.rows else ""
    return {named: (str, "", _TABLE), **_HOW} if named else {}


def table_of(format_: Format, typed: Mapping[str, Any]) -> Table | None:
    """The table that was typed, if one was."""
    if format_.rows is None or not typed.get(format_.rows.option):
        return None
    return Table(typed[format_.rows.option], typed["column"] or (), typed["at_once"], is_fresh=typed["fresh"])


_BENCH = f"Measure reviewers on planted bugs: a folder of tables of them, by default {PLANTED}."
_DRAWN: dict[str, tuple[Any, Any, str]] = {
    "sample": (int, 20, "Planted bugs that are drawn; 0: all."),
    "seed": (int, 1, "What they are drawn with."),
    "repairs": (
        bool,
        False,
        "Review the change that takes each bug out as well: who objects to it objects to anything.",
    ),
}


def bench_options(format_: Format) -> dict[str, tuple[Any, Any, str]]:
    """What its command takes beside its options, if it is measured so: type, default and help."""
    return {format_.bench: (str, "", _BENCH), **_DRAWN} if format_.bench else {}
