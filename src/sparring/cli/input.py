"""What is typed and piped in, as a user means it: texts, files, context, evidence, budgets."""

import math
import os
import select
import stat
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import UnsupportedOperation

from sparring.app import (
    ChairedDebateWish,
    ConsultWish,
    ContextWish,
    DebateWish,
    EvidenceWish,
    FactCheckWish,
    JuryWish,
    NamedFile,
)
from sparring.app.wishes import Source
from sparring.cli.invocation import invocation
from sparring.cli.printing import say
from sparring.errors import UsageError
from sparring.schema.context import ContextPart
from sparring.schema.limits import Limits

INPUT_LIMIT = 8 * 1024 * 1024
"""Most bytes that are read from standard input."""

PATIENCE_S = 3.0
"""How long a pipe may say nothing at first: a program that writes to it takes a moment to start, as we do."""

_CHUNK = 65536


@dataclass(frozen=True)
class Piped:
    """What was read. ``is_silent`` tells that there is a pipe, still open, that has said nothing in time."""

    text: str = ""
    is_silent: bool = False


def all_input() -> str:
    """All of standard input, however long it takes.

    Raises:
        UsageError: It is no text, or too much.
    """
    return _decoded(invocation().streams.stdin.buffer.read(INPUT_LIMIT + 1))


def piped_input(*, patience_s: float = PATIENCE_S) -> Piped:
    """What a pipe or a file has for us. It is read to its end once it has begun.

    Raises:
        UsageError: It is no text, or too much.
    """
    try:
        descriptor = invocation().streams.stdin.fileno()
    except UnsupportedOperation:  # it lies in memory, and waits for nobody
        return Piped(all_input())
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return Piped(all_input())
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return Piped()
    reader = _Reader(descriptor)
    reader.start()
    if not reader.has_begun.wait(patience_s):
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
            except BlockingIOError:  # somebody has made the pipe so for everybody who holds it
                select.select([self._descriptor], [], [])


def _decoded(content: bytes) -> str:
    if len(content) > INPUT_LIMIT:
        raise UsageError(f"Standard input holds more than {INPUT_LIMIT // 1024 // 1024} MiB; ask something shorter.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("Standard input is not UTF-8 text.") from error


STDIN = "-"
"""What is typed where standard input is meant, and waited for however long it takes."""

_CONTEXT_STDIN = "stdin"
_MOST_KIB = 2048
"""Prompts of 1 MiB are known to arrive whole with every tool."""


@dataclass(frozen=True)
class Budget:
    """The limits as they were typed."""

    calls: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    wall_s: float | None = None

    def limits(self) -> Limits:
        """The limits as a record; raises ``UsageError``."""
        if not all(amount is None or 0 < amount < math.inf for amount in (self.cost_usd, self.wall_s)):
            raise UsageError("--max-cost and --max-time must be greater than 0, and finite.")
        if not all(count is None or count >= 1 for count in (self.calls, self.tokens)):
            raise UsageError("--max-calls and --max-tokens must be 1 or more.")
        return Limits(calls=self.calls, tokens=self.tokens, cost_usd=self.cost_usd, wall_s=self.wall_s)


@dataclass(frozen=True)
class GivenContext:
    """The context as it was typed."""

    spellings: Sequence[str]
    limit_kib: int
    secrets_allowed: bool

    def debate(self, wish: DebateWish) -> DebateWish:
        """``wish`` with it, and with what is piped in; raises ``UsageError``."""
        context = self._wish(wish.topic)
        return replace(wish, topic=_text(wish.topic), context=context)

    def chaired_debate(self, wish: ChairedDebateWish) -> ChairedDebateWish:
        """``wish`` with it, and with what is piped in; raises ``UsageError``."""
        context = self._wish(wish.topic)
        return replace(wish, topic=_text(wish.topic), context=context)

    def consult(self, wish: ConsultWish) -> ConsultWish:
        """``wish`` with it, and with what is piped in; raises ``UsageError``."""
        context = self._wish(wish.question)
        return replace(wish, question=_text(wish.question), context=context)

    def _wish(self, question: str) -> ContextWish:
        _refuse_kib("--context-limit", self.limit_kib)
        is_wanted = _CONTEXT_STDIN in self.spellings
        return ContextWish(
            spellings=tuple(spelling for spelling in self.spellings if spelling != _CONTEXT_STDIN),
            piped=_piped(question, "the question and its context", "--context stdin", is_wanted=is_wanted),
            limit_bytes=self.limit_kib * 1024,
            secrets_allowed=self.secrets_allowed,
        )


@dataclass(frozen=True)
class GivenEvidence:
    """The evidence as it was typed."""

    texts: Sequence[str]
    files: Sequence[str]
    limit_kib: int
    secrets_allowed: bool

    def fact_check(self, wish: FactCheckWish) -> FactCheckWish:
        """``wish`` with it, and with what is piped in; raises ``UsageError``."""
        _refuse_kib("--evidence-limit", self.limit_kib)
        is_wanted = STDIN in (*self.texts, *self.files)
        texts = (text for text in self.texts if text != STDIN)
        files = (_file(path, secrets_allowed=self.secrets_allowed) for path in self.files if path != STDIN)
        evidence = EvidenceWish(
            sources=(*texts, *files),
            piped=_piped(wish.claim, "the claim and its evidence", "--evidence -", is_wanted=is_wanted),
            limit_bytes=self.limit_kib * 1024,
        )
        return replace(wish, claim=_text(wish.claim), evidence=evidence)


@dataclass(frozen=True)
class GivenTruth:
    """The truth of a jury as it was typed; what is piped in counts only where neither a text nor a file was."""

    text: str
    file: str
    secrets_allowed: bool

    def jury(self, wish: JuryWish) -> JuryWish:
        """``wish`` with it; raises ``UsageError``."""
        if not wish.claim:
            raise UsageError("There is no claim.", hint="Type it, or judge a table of claims with --pairs.")
        truth = self._source(wish.claim)
        return replace(wish, claim=_text(wish.claim), truth=truth)

    def _source(self, claim: str) -> Source:
        if self.text and self.file:
            raise UsageError("The truth is given twice: as a text and as a file.")
        if self.file not in ("", STDIN):
            return _file(self.file, secrets_allowed=self.secrets_allowed)
        if self.text not in ("", STDIN):
            return self.text
        is_wanted = STDIN in (self.text, self.file)
        piped = _piped(claim, "the claim and its truth", "--truth -", is_wanted=is_wanted)
        if piped is None:
            raise UsageError("There is no truth to hold the claim against.", hint="Give it with --truth or pipe it in.")
        return piped.text


def content_of(file: str, *, secrets_allowed: bool) -> Source:
    """A text that has to be given: what standard input holds when ``file`` is ``-``; raises ``UsageError``."""
    return all_input() if file == STDIN else _file(file, secrets_allowed=secrets_allowed)


def _file(path: str, *, secrets_allowed: bool) -> NamedFile:
    return NamedFile(path, is_named_by_user=True, secrets_allowed=secrets_allowed)


def _refuse_kib(option: str, limit_kib: int) -> None:
    if not 1 <= limit_kib <= _MOST_KIB:
        raise UsageError(f"{option} must be 1 to {_MOST_KIB:,} KiB; it is {limit_kib:,}.")


def _text(argument: str) -> str:
    """The argument, or what standard input holds when it is ``-``."""
    return all_input() if argument == STDIN else argument


def _piped(argument: str, both: str, option: str, *, is_wanted: bool) -> ContextPart | None:
    """What is piped in beside ``argument``; None when nothing is, or when it is the argument.

    Args:
        argument: The question or claim, which may be standard input itself.
        both: What standard input cannot be at once.
        option: What waits for standard input.
        is_wanted: Whether that was typed.
    """
    if argument == STDIN:
        if is_wanted:
            raise UsageError(f"Standard input cannot be both {both}.")
        return None
    piped = Piped(all_input()) if is_wanted else piped_input()
    if piped.is_silent:
        say(
            "[WARN] Standard input is an open pipe that says nothing, and was not waited for any longer; "
            f"`{option}` waits for it."
        )
    if not piped.text.strip():
        return None
    return ContextPart(name="standard input", size_bytes=len(piped.text.encode()), text=piped.text)
