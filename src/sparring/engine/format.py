"""DECIDE: what a kind of deliberation is, for everything outside its folder.

Its rules are a pure function of the transcript: they do no I/O, keep no state and never see an exception. They may not
know how an ask is put, where turns are kept or who is watching. The same transcript always gives the same answer; that
is why resuming a run is loading its journal and asking again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from sparring.engine.course import Asks
from sparring.errors import ExitCode
from sparring.prompts import PromptLibrary
from sparring.reports.markdown import Sections, SideBySide
from sparring.schema.base import Record
from sparring.schema.runs import Outcome, Run
from sparring.schema.transcript import Transcript


class Rules(Protocol):
    """The rules of one deliberation."""

    def next(self, transcript: Transcript) -> Asks | Outcome:
        """What follows from everything said so far: more asks, or the end."""
        ...


@dataclass(frozen=True)
class Presentation:
    """How runs of one kind are shown.

    Each function raises ``DeliberationError`` for another kind of run, all but ``remaining`` for an unfinished one.

    Attributes:
        report: All of it.
        decision: What carries the decision.
        result: All of it, for programs.
        remaining: What is still to be said if nothing (more) fails. What a failure leads to is a rule of the format.
        last: What the file of the last result is to hold; None: an earlier run's is worth more. By default that is
            the result of any run that did not fail.
        columns: The decision where its parts can stand side by side.
    """

    report: Callable[[Run], Sections]
    decision: Callable[[Run], Sections]
    result: Callable[[Run], Record]
    remaining: Callable[[Run], tuple[str, ...]]
    last: Callable[[Run], Record | None] | None = None
    columns: Callable[[Run], SideBySide] | None = None


@dataclass(frozen=True)
class Format:
    """One kind of deliberation.

    Attributes:
        name: As requests and folders spell it.
        request: The record of what is asked for.
        rules: The rules for a request. They are imported when a run begins: those that compare claims read a
            vocabulary, which takes 0.1 s (November 2026), and nobody who debates should wait for it.
        presentation: How its runs are shown; imported when the first one is.
        exit_codes: What each status that a run can end with tells the shell.
        subject: The option that says what a run is about; empty where a run cannot be resumed over MCP.
        last_files: Where the last result is kept below the state folder, and the record that it is.
    """

    name: str
    request: type[Record]
    rules: Callable[[Any, PromptLibrary], Rules]
    presentation: Callable[[], Presentation]
    exit_codes: Mapping[StrEnum, ExitCode]
    subject: str = ""
    last_files: tuple[tuple[str, type[Record]], ...] = ()
