"""DECIDE: what a kind of deliberation is, for everything outside its folder.

Its rules are a pure function of the transcript: they do no I/O, keep no state and never see an exception. They may not
know how an ask is put, where turns are kept or who is watching. The same transcript always gives the same answer; that
is why resuming a run is loading its journal and asking again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from sparring.engine.course import Asks
from sparring.errors import ExitCode
from sparring.prompts import PromptLibrary
from sparring.schema.base import Record
from sparring.schema.runs import Outcome, Request, Run
from sparring.schema.transcript import Ask, Transcript

if TYPE_CHECKING:
    from sparring.schema.chaired_debate import LogDraft, LogEntry


class Rules(Protocol):
    """The rules of one deliberation."""

    def next(self, transcript: Transcript) -> Asks | Outcome:
        """What follows from everything said so far: more asks, or the end."""
        ...


SPEECH = "word " * 600
"""An answer of a usual length: about 750 tokens, and what prompts ask of a summary."""


def _speech(ask: Ask, place: int) -> str:  # noqa: ARG001 -- whoever is asked, and for whatever
    return SPEECH


def _no_log(draft: "LogDraft", log: "Sequence[LogEntry]", topic: str) -> tuple[str, ...]:  # noqa: ARG001 -- the same
    return ("No log is kept of such a deliberation.",)


@dataclass(frozen=True)
class Format:
    """One kind of deliberation.

    What takes long to import, or is needed only while a run is held, is imported by the functions here when they are
    called: rules that compare claims read a vocabulary, which takes 0.1 s (November 2026), and nobody who debates
    should wait for it.

    Attributes:
        name: As requests and folders spell it.
        request: The record of what is asked for.
        outcome: The record of how it ended.
        rules: The rules for a request.
        exit_codes: What each status that a run can end with tells the shell.
        subject: The option that says what a run is about; empty where a run cannot be resumed over MCP.
        last_files: Where the last result is kept below the state folder, and the record that it is.
        usual: What the ask at that place of its step is answered if all goes well, for the estimate.
        expected_if: On what condition the estimate holds, e.g. ``nobody agrees``.
        asks_at_once: Whether everybody is asked at the same time, so that no limit could stop any of it.
        shows_answers: Whether people at a terminal are to see the answers themselves, not a decision.
        log: Makes of a request and what was said the log that is kept for who reads along; None: none is.
        refusals: Why a draft may not follow what the log of a debate on that topic holds, where agents keep one.
        files: What a finished run leaves beside its report: the name of each file, and what it holds.
        spelled: How ids of asks spelled the places of turns in journals of schema 1 (see ``store.older``).
    """

    name: str
    request: type[Request]
    outcome: type[Outcome]
    rules: Callable[[Any, PromptLibrary], Rules]
    exit_codes: Mapping[StrEnum, ExitCode]
    subject: str = ""
    last_files: tuple[tuple[str, type[Record]], ...] = ()
    usual: Callable[[Ask, int], str] = _speech
    expected_if: str = ""
    asks_at_once: bool = False
    shows_answers: bool = False
    log: "Callable[[Any, Transcript], tuple[LogEntry, ...]] | None" = None
    refusals: "Callable[[LogDraft, Sequence[LogEntry], str], tuple[str, ...]]" = _no_log
    files: Mapping[str, Callable[[Run], str | Record]] = field(default_factory=dict[str, Callable[[Run], str | Record]])
    spelled: tuple[tuple[str, str], ...] = ()
