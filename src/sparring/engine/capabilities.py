"""Capabilities that only some formats have: exports, a log, notes, dismissals, a measurement on planted bugs.

A format registers those that it has (``Format.capabilities``), and callers ask for one by its class. So the descriptor
of all formats need not grow when one format can do something more.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sparring.schema.base import Record
from sparring.schema.runs import Request, Run
from sparring.schema.transcript import Transcript, TurnKind

if TYPE_CHECKING:
    from sparring.schema.chaired_debate import LogEntry


class Capability:
    """Base of all capabilities."""


@dataclass(frozen=True)
class Export:
    """A form in which finished runs are handed to other programs.

    Attributes:
        option: What the command that begins a run calls it by. An option of the export's own name takes a file; of one
            that several share the value is the name, and what it makes takes the place of the report.
        help: What the help says of that option.
        text: What is handed on; raises ``UsageError`` where nothing can be made of the run.
        refused: Why nothing could be made of such a run, which is asked before it begins; empty: it can.
    """

    option: str
    help: str
    text: Callable[[Run], str]
    refused: Callable[[Request], str] = lambda _: ""


@dataclass(frozen=True)
class Exports(Capability):
    """Forms in which finished runs are handed to other programs, by their names."""

    forms: Mapping[str, Export]


@dataclass(frozen=True)
class RunLog(Capability):
    """Log of a run that is written as it goes on, for people who read along.

    Attributes:
        entries: Makes the log of a request and the turns so far.
    """

    entries: "Callable[[Any, Transcript], tuple[LogEntry, ...]]"


@dataclass(frozen=True)
class NoteTaking(Capability):
    """Notes of the user, which participants are shown while a run goes on.

    Attributes:
        kinds: Kinds of turns whose prompts end with the notes.
    """

    kinds: frozenset[TurnKind]


@dataclass(frozen=True)
class BugBench(Capability):
    """Measurement on planted bugs.

    Attributes:
        option: The option of the command line that begins it.
    """

    option: str


@dataclass(frozen=True)
class Dismissing(Capability):
    """Dismissal of single results by users, of which later runs are informed.

    Attributes:
        path: Where that is kept below the state folder.
        record: That, which can be made of nothing.
        result: The last result as ``last_files`` has it, in which ids are looked up.
        dismissed: The record with one more: of the last result, the id or its beginning, why, and when; says what was
            dismissed. Raises ``UsageError`` where the id is unknown or nobody has said why.
        recalled: The record without one; raises like ``dismissed``.
        lines: What is in it, a line each.
    """

    path: str
    record: type[Record]
    result: tuple[str, type[Record]]
    dismissed: Callable[[Any, Any, str, str, datetime], tuple[Record, str]]
    recalled: Callable[[Any, str], tuple[Record, str]]
    lines: Callable[[Any], tuple[str, ...]]
