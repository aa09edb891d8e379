"""Reading a journal back: every line is checked, and the turns are put into asking order."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from sparring.errors import StateCorruptError
from sparring.schema.runs import Outcome, RunHeader
from sparring.schema.transcript import Transcript, Turn
from sparring.store.files import accessing, open_regular
from sparring.store.lines import Defect, EndLine, Line, Link, ResumeLine, StartLine, TurnBody, TurnLine, unseal
from sparring.store.older import placed

JOURNAL_NAME = "journal.jsonl"

JOURNAL_LIMIT = 1024 * 1024 * 1024
"""Most bytes of a journal that are read."""


@dataclass(frozen=True)
class Journal:
    """What a journal holds.

    Attributes:
        steps: The turns of each complete step, in asking order.
        pending: The turns of the last step that has not all of its turns, in asking order; mostly empty.
        outcome: None while the run is not finished.
        notices: What the reader should know, e.g. that a torn last line was ignored.
    """

    header: RunHeader
    steps: tuple[tuple[Turn, ...], ...]
    pending: tuple[Turn, ...]
    outcome: Outcome | None
    notices: tuple[str, ...]

    @property
    def transcript(self) -> Transcript:
        """The turns of all complete steps, in asking order."""
        return Transcript.of_steps(self.steps)


@dataclass(frozen=True)
class Replay:
    """A journal, and where on disk its trusted part ends.

    Attributes:
        size: Bytes of all complete lines.
        torn: What stands after them.
        link: What the next line must continue.
    """

    journal: Journal
    size: int
    torn: bytes
    link: Link


@contextmanager
def journal_stream(folder: Path) -> Generator[BinaryIO]:
    """The journal of ``folder``, open for reading.

    Raises:
        StateCorruptError: There is none, or it is too large to be one.
        StateUnwritableError: It cannot be read.
    """
    path = folder / JOURNAL_NAME
    with accessing(path):
        try:
            descriptor = open_regular(path, os.O_RDONLY)
        except FileNotFoundError:
            raise StateCorruptError(f"{folder} holds no {JOURNAL_NAME}.", hint="Move the folder away.") from None
        with os.fdopen(descriptor, "rb") as stream:
            if os.fstat(descriptor).st_size > JOURNAL_LIMIT:
                raise StateCorruptError(f"{path} is larger than {JOURNAL_LIMIT:,} bytes.", hint="Move it away.")
            yield stream


def untrusted(folder: Path, number: int, problem: str) -> StateCorruptError:
    """The refusal of line ``number``, counted from 1 as editors do."""
    return StateCorruptError(
        f"{folder / JOURNAL_NAME}, line {number}: {problem}.",
        hint="Update sparring." if problem == Defect.NEWER else f"Nothing was changed; move {folder} away.",
    )


def read_journal(folder: Path) -> Journal:
    """The journal of the run that is kept in ``folder``; the disk is not changed.

    A last line that was never finished is ignored with a notice.

    Raises:
        StateCorruptError: Any other line is not as it was written, or there is no journal.
        StateUnwritableError: It cannot be read.
    """
    return replay(folder).journal


def replay(folder: Path) -> Replay:
    """The journal of ``folder`` with what is needed to write on. Raises as ``read_journal``."""
    assembly, link, size = _Assembly(), Link(), 0
    with journal_stream(folder) as stream:
        for content in stream:
            if not content.endswith(b"\n"):  # the last byte of a line; perhaps it is being written at this moment
                return Replay(assembly.journal(folder, torn=len(content)), size, content, link)
            sealed = unseal(content, link)
            if isinstance(sealed, Defect):
                # After a power cut the end of a line can be on disk and its middle not.
                if sealed is Defect.NOT_JSON and not stream.read(1):
                    return Replay(assembly.journal(folder, torn=len(content)), size, content, link)
                raise untrusted(folder, link.seq + 1, sealed)
            if problem := assembly.add(sealed.line):
                raise untrusted(folder, link.seq + 1, problem)
            link, size = sealed.following, size + len(content)
    return Replay(assembly.journal(folder), size, b"", link)


@dataclass
class _Assembly:
    """The parts of a journal while its lines are read."""

    header: RunHeader | None = None
    steps: list[tuple[Turn, ...]] = field(default_factory=list[tuple[Turn, ...]])
    open_step: dict[int, TurnBody] = field(default_factory=dict[int, TurnBody])
    outcome: Outcome | None = None
    notices: list[str] = field(default_factory=list[str])

    def add(self, line: Line) -> str:
        """Take in the next line; the answer says what is wrong with its place, and is empty when nothing is."""
        if isinstance(line, StartLine) != (self.header is None) or self.outcome is not None:
            return f"a line of type {line.type!r} has no place here"
        match line:
            case StartLine():
                self.header = line.body
            case TurnLine():
                return self._add_turn(line.body)
            case ResumeLine():
                if line.body.set_aside:
                    at = line.at.isoformat(timespec="seconds")
                    self.notices.append(f"A torn line of {line.body.set_aside} bytes was set aside at {at}.")
            case EndLine():
                self.outcome = line.body
        return ""

    def _add_turn(self, body: TurnBody) -> str:
        fits = all(body.of == other.of for other in self.open_step.values())
        if body.step != len(self.steps) or body.index >= body.of or body.index in self.open_step or not fits:
            return f"turn {body.index} of step {body.step} has no place here"
        self.open_step[body.index] = body
        if len(self.open_step) == body.of:
            self.steps.append(self._open_turns())
            self.open_step.clear()
        return ""

    def _open_turns(self) -> tuple[Turn, ...]:
        turns = (self.open_step[index].turn for index in sorted(self.open_step))
        return tuple(placed(turn, self.header) if self.header else turn for turn in turns)

    def journal(self, folder: Path, *, torn: int = 0) -> Journal:
        if self.header is None:
            raise untrusted(folder, 1, "the run was broken off before its first line was written")
        ignored = (f"The last line of the journal is incomplete; its {torn} bytes are ignored.",) if torn else ()
        return Journal(self.header, tuple(self.steps), self._open_turns(), self.outcome, (*self.notices, *ignored))
