"""Typed and piped input: texts, files, context, evidence, budgets."""

import math
import os
import select
import stat
import threading
from collections.abc import Mapping, Sequence
from io import UnsupportedOperation
from typing import Any, TypeVar

from msgspec import Struct

from sparring.cli.invocation import invocation
from sparring.cli.printing import print_notice
from sparring.errors import UsageError
from sparring.participants.options import AccompanyingInput, Input, Option, Options, subject_of, valid
from sparring.schema.consultation import ContextPart
from sparring.schema.runs import Limits, Request
from sparring.text.tidying import NOT_UTF_8

INPUT_LIMIT = 8 * 1024 * 1024
"""Maximum bytes read from standard input."""

STDIN_TIMEOUT_S = 3.0
"""Seconds that a pipe may be silent at first: the program that writes to it takes a moment to start."""

_CHUNK = 65536


class Piped(Struct, frozen=True):
    """Input that was read. ``is_silent``: there is an open pipe that has sent nothing in time."""

    text: str = ""
    is_silent: bool = False


def all_input() -> str:
    """Return all of standard input, however long it takes.

    Raises:
        UsageError: It is not text, or too much.
    """
    return _decoded(invocation().streams.stdin.buffer.read(INPUT_LIMIT + 1))


def piped_input() -> Piped:
    """Read the input of a pipe or a file.

    It is read to its end once the first byte has arrived.

    Raises:
        UsageError: It is not text, or too much.
    """
    try:
        descriptor = invocation().streams.stdin.fileno()
    except UnsupportedOperation:  # a stream in memory needs no waiting
        return Piped(all_input())
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return Piped(all_input())
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return Piped()
    reader = _Reader(descriptor)
    reader.start()
    if not reader.has_begun.wait(STDIN_TIMEOUT_S):
        return Piped(is_silent=True)
    reader.join()
    return Piped(_decoded(bytes(reader.content)))


class _Reader(threading.Thread):
    """Reads a descriptor to its end, or to the limit. A thread, since Windows cannot wait for a pipe in another way."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(daemon=True)
        self._descriptor = descriptor
        self.content = bytearray()
        self.has_begun = threading.Event()

    def run(self) -> None:
        while len(self.content) <= INPUT_LIMIT and (chunk := self._chunk()):
            self.content += chunk
            self.has_begun.set()
        self.has_begun.set()

    def _chunk(self) -> bytes:
        while True:
            try:
                return os.read(self._descriptor, _CHUNK)
            except BlockingIOError:  # another process has set the shared pipe to this mode
                select.select([self._descriptor], [], [])


def _decoded(content: bytes) -> str:
    if len(content) > INPUT_LIMIT:
        raise UsageError(f"Standard input is larger than {INPUT_LIMIT // 1024 // 1024} MiB; shorten it.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("Standard input is not UTF-8 text.", hint=NOT_UTF_8) from error


STDIN = "-"
"""Word for standard input, which is then awaited without a time limit."""

Q = TypeVar("Q", bound=Request)


class Budget(Struct, frozen=True):
    """Limits as typed."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    max_time: float | None = None

    def limits(self) -> Limits:
        """Return the limits as a record; raises ``UsageError``."""
        if not all(amount is None or 0 < amount < math.inf for amount in (self.max_cost, self.max_time)):
            raise UsageError("max_cost and max_time must be greater than 0, and finite.")
        if not all(count is None or count >= 1 for count in (self.max_calls, self.max_tokens)):
            raise UsageError("max_calls and max_tokens must be 1 or more.")
        return Limits(calls=self.max_calls, tokens=self.max_tokens, cost_usd=self.max_cost, wall_s=self.max_time)


def read(kind: type[Options[Q]], typed: Mapping[str, Any]) -> tuple[Options[Q], AccompanyingInput]:
    """Return the typed options, and the piped input that accompanies them; raises ``UsageError``."""
    takers = {name: option.input for name, field in kind.model_fields.items() if (option := Option.of(field)).input}
    given = {name: value for name, value in typed.items() if value is not None}
    wanted = {name for name, taker in takers.items() if taker.spelled in _words(given.get(name))}
    for name in wanted:
        rest = tuple(word for word in _words(given[name]) if word != takers[name].spelled)
        given[name] = "" if isinstance(given[name], str) else rest
    subject, piped = subject_of(kind), None
    first = next(iter(takers), None)
    if first and (wanted or not takers[first].only_instead or not any(given.get(name) for name in takers)):
        flag = Option.of(kind.model_fields[first]).typed(first)[0]
        piped = _piped(given[subject], flag, takers[first], is_wanted=bool(wanted))
    if given.get(subject) == STDIN:
        given[subject] = all_input()
    return valid(lambda: kind.model_validate(given)), AccompanyingInput(piped, is_by_user=True)


def _words(value: str | Sequence[str] | None) -> Sequence[str]:
    return (value,) if isinstance(value, str) else value or ()


def _piped(subject: str, flag: str, taker: Input, *, is_wanted: bool) -> ContextPart | None:
    """Return the piped input beside ``subject``; None if there is none, or it is the subject.

    Args:
        subject: The question or claim, which may be standard input itself.
        flag: The flag of the option that takes the piped input.
        taker: Form of the input in that option and in messages.
        is_wanted: Whether the user asked to wait for the input.
    """
    if subject == STDIN:
        if is_wanted:
            raise UsageError(f"Standard input cannot be both {taker.both}.")
        return None
    piped = Piped(all_input()) if is_wanted else piped_input()
    if piped.is_silent:
        print_notice(
            "[WARN] Standard input is an open pipe without data and was skipped; "
            f"`{flag} {taker.spelled}` waits for it."
        )
    if not piped.text.strip():
        return None
    return ContextPart(name="standard input", size_bytes=len(piped.text.encode()), text=piped.text)
