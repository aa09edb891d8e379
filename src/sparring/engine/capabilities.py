"""Capabilities that only some formats have: exports, a log, notes, dismissals, a measurement on planted bugs.

A format registers those that it has (``Format.capabilities``), and callers look one up by its class. So the descriptor
of all formats need not grow with the abilities of one format.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sparring.schema.base import Record
from sparring.schema.runs import Request, Run
from sparring.schema.transcript import Transcript, TurnKind

if TYPE_CHECKING:
    from sparring.schema.chaired_debate import LogEntry


class Capability:
    """Base of all capabilities."""


class Export(Struct, frozen=True):
    """A form of finished runs for other programs.

    Attributes:
        option: Its option in the command that begins a run. An option of the export's own name takes a file; for one
            that several exports share, the value is the name, and the export replaces the report.
        help: The help of that option.
        text: Makes the export; raises ``UsageError`` where that is impossible for the run.
        refused: Returns why such a run cannot be exported, before it begins; empty: it can.
    """

    option: str
    help: str
    text: Callable[[Run], str]
    refused: Callable[[Request], str] = lambda _: ""


class Exports(Struct, Capability, frozen=True):
    """Forms in which finished runs are handed to other programs, by their names."""

    forms: Mapping[str, Export]


class RunLog(Struct, Capability, frozen=True):
    """Log of a run that is written as it goes on, for people to follow.

    Attributes:
        entries: Makes the log from a request and the turns so far.
    """

    entries: "Callable[[Any, Transcript], tuple[LogEntry, ...]]"


class NoteTaking(Struct, Capability, frozen=True):
    """Notes of the user, which participants see while a run goes on.

    Attributes:
        kinds: Kinds of turns whose prompts end with the notes.
    """

    kinds: frozenset[TurnKind]


class BugBench(Struct, Capability, frozen=True):
    """Measurement on planted bugs.

    Attributes:
        option: The option of the command line that begins it.
    """

    option: str


class Dismissing(Struct, Capability, frozen=True):
    """Dismissal of single results by users, of which later runs are informed.

    Attributes:
        path: Its file below the state folder.
        record: Type of the record, which has an empty default.
        result: The last result as in ``last_files``, in which ids are looked up.
        dismissed: Adds a dismissal to the record: from the last result, the id or its beginning, the reason, and the
            time; also returns the dismissed entry. Raises ``UsageError`` for an unknown id or a missing reason.
        recalled: Removes one from the record; raises like ``dismissed``.
        lines: Its content, a line each.
    """

    path: str
    record: type[Record]
    result: tuple[str, type[Record]]
    dismissed: Callable[[Any, Any, str, str, datetime], tuple[Record, str]]
    recalled: Callable[[Any, str], tuple[Record, str]]
    lines: Callable[[Any], tuple[str, ...]]
