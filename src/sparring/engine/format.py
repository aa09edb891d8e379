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
from sparring.schema.base import Record
from sparring.schema.runs import Outcome
from sparring.schema.transcript import Transcript
from sparring.seating.circumstances import Circumstances
from sparring.seating.options import Options


class Rules(Protocol):
    """The rules of one deliberation."""

    def next(self, transcript: Transcript) -> Asks | Outcome:
        """What follows from everything said so far: more asks, or the end."""
        ...


@dataclass(frozen=True)
class Format:
    """One kind of deliberation.

    Attributes:
        name: As requests and folders spell it.
        title: What its tool is called in a list of tools.
        description: What a model reads about it before it calls the tool.
        options: All that can be said when a run is asked for.
        request: The record of what is asked for.
        complete: Makes a request of options; raises ``UsageError`` where they contradict themselves or name what does
            not exist.
        rules: The rules for a request. They are imported when a run begins: those that compare claims read a
            vocabulary, which takes 0.1 s (November 2026), and nobody who debates should wait for it.
        asks_at_once: Whether everybody is asked at the same time: nothing can be held against a limit meanwhile.
        exit_codes: What each status that a run can end with tells the shell.
        subject: The option that says what a run is about; empty where a run cannot be resumed over MCP.
        last_files: Where the last result is kept below the state folder, and the record that it is.
    """

    name: str
    title: str
    description: str
    options: type[Options[Any]]
    request: type[Record]
    complete: Callable[[Any, Circumstances], Record]
    rules: Callable[[Any, PromptLibrary], Rules]
    exit_codes: Mapping[StrEnum, ExitCode]
    asks_at_once: bool = False
    subject: str = ""
    last_files: tuple[tuple[str, type[Record]], ...] = ()
