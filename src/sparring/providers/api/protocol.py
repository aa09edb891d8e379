"""What an API has to say of itself, of single questions and of batches, and what was heard of an answer."""

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, cast

from sparring.providers.receiving.causes import RETRYABLE, first_code, joined
from sparring.schema.consultation import Failure, FailureCode, Question, Usage

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK = "\ufeff"


class EventReader:
    """Cuts a stream into the data of its events, however its bytes are cut into pieces; an event without any is none.

    What follows the last empty line is no event yet, and never becomes one if the stream ends there. Bytes that are no
    UTF-8 are replaced.
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._after_return = False
        self._begun = False
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Generator[str]:
        """The data of the events that ``piece`` completes."""
        # A line end may be cut in two: then its second half ends nothing more.
        line_end = b"\n" if self._after_return else b""
        if piece:
            self._after_return = piece.endswith(b"\r")
        *ended, rest = _LINE_END.split(piece.removeprefix(line_end))
        for end in ended:
            line = b"".join((*self._line, end)).decode("utf-8", errors="replace")
            self._line.clear()
            if data := self._take(line):
                yield data
        self._line.append(rest)

    def _take(self, line: str) -> str:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line:
            data = "\n".join(self._data) if any(self._data) else ""
            self._data.clear()
            return data
        field, _, value = line.partition(":")
        if field == "data":
            self._data.append(value.removeprefix(" "))
        return ""  # any other field does not matter here, and a line that begins with a colon is a comment


class Stop(StrEnum):
    """Why a model said no more.

    DONE: it had said everything. CUT: a limit of tokens was reached. WITHHELD: it, or a filter, would not say it.
    BROKEN: something went wrong on the way.
    """

    DONE = "done"
    CUT = "cut"
    WITHHELD = "withheld"
    BROKEN = "broken"


@dataclass(frozen=True)
class ApiFault:
    """That there is no answer, and why.

    Attributes:
        message: What the provider said about it if it is ``told``, else our own words, to follow the provider's name.
        again: Whether the same may succeed when it is tried once more.
        told_s: Seconds to wait before, if the provider tells.
    """

    code: FailureCode
    message: str
    told: bool = False
    again: bool = False
    told_s: float | None = None


def told_fault(message: str, codes: Iterable[FailureCode | None], *, told_s: float | None = None) -> ApiFault:
    """What the provider said of a failure, with the first code that something in it tells."""
    code = first_code(codes)
    return ApiFault(code, message, told=True, again=code in RETRYABLE, told_s=told_s)


@dataclass
class ApiHeard:
    """An answer as far as it has come.

    Attributes:
        refusal: What the model said instead of an answer.
        stop: Why it said no more, and ``reason`` in the provider's own word.
        usage: What the provider told of it, as it told it.
        complete: Whether the answer is whole, should the stream end now.
        ended: Whether nothing more is to come.
    """

    texts: list[str] = field(default_factory=list[str])
    refusal: str = ""
    model: str | None = None
    stop: Stop = Stop.DONE
    reason: str = ""
    usage: dict[str, Any] = field(default_factory=dict[str, Any])
    fault: ApiFault | None = None
    complete: bool = False
    ended: bool = False

    @property
    def text(self) -> str:
        """The answer."""
        return joined(self.texts)

    def stopped(self, reason: str, meanings: Mapping[str, Stop], other: Stop = Stop.DONE) -> None:
        """Note the provider's ``reason`` to say no more; one that is not in ``meanings`` means ``other``."""
        self.reason = reason
        self.stop = meanings.get(reason, other)

    def fail(self, fault: ApiFault) -> None:
        """Note that the stream told of a failure: nothing that follows matters."""
        self.fault = fault
        self.ended = True


def count(tokens: object) -> int | None:
    """``tokens`` if it is a number of tokens; what else a provider may put there is no reason to lose its answer."""
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None


def part(usage: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The part of ``usage`` of that name, which some leave out."""
    found = usage.get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


Json = dict[str, Any]


class Api(Protocol):
    """One model API."""

    key_header: str
    """Header that takes the key."""

    headers: Mapping[str, str]
    """Further headers that each request needs."""

    def path(self, model: str) -> str:
        """Where questions to ``model`` go, after the base URL."""
        ...

    def body(self, question: Question, model: str) -> Json:
        """A request for a streamed answer to the question's prompt."""
        ...

    def hear(self, data: str, heard: ApiHeard) -> None:
        """Add what the ``data`` of an event say to ``heard``.

        Raises:
            ValueError: It cannot be understood.
        """
        ...

    def fault(self, error: Any, status: int | None) -> ApiFault:
        """What the member ``error`` of an answer says that came with ``status``.

        Raises:
            ValueError: It cannot be understood.
        """
        ...

    def usage(self, told: Mapping[str, Any]) -> Usage:
        """What was used."""
        ...


BatchId = str
"""As the provider names it: letters, digits, ``_`` and ``-``, and for Google ``batches/`` before them."""


@dataclass(frozen=True)
class BatchStatus:
    """How far a batch is.

    Attributes:
        is_ended: Whether nothing more happens to it.
        results: Where its results are, after the base URL, in the order of reading; those of Google are in ``inline``.
        inline: The results themselves, each as ``BatchApi.result`` reads it.
        fault: Why none of its questions was answered, if that is so; ``failure`` is the reply that this is to each.
    """

    is_ended: bool = False
    results: tuple[str, ...] = ()
    inline: tuple[Json, ...] = ()
    fault: ApiFault | None = None
    failure: Failure | None = None


@dataclass(frozen=True)
class BatchResult:
    """What became of one question: an answer in one piece, or a fault."""

    custom_id: str
    answer: Json = field(default_factory=dict[str, object])
    fault: ApiFault | None = None


@dataclass(frozen=True)
class BatchRequest:
    """A request after the base URL; POST with ``content``, GET without any."""

    path: str
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class ListedBatch:
    """A batch in the provider's list.

    Attributes:
        intent: What was given with it when it was handed in; None where the interface takes nothing of that kind.
        created_at: Seconds since 1970, by the provider's clock.
    """

    id: BatchId
    intent: str | None
    created_at: float


@dataclass(frozen=True)
class BatchPage:
    """A page of the provider's list of batches; ``cursor`` asks for the next one, and is empty at the end."""

    batches: tuple[ListedBatch, ...]
    cursor: str = ""


CANCELLED = ApiFault(FailureCode.CANCELLED, "the batch was cancelled before this question was answered")
EXPIRED = ApiFault(FailureCode.TIMEOUT, "the batch ended before it came to this question")
WITHOUT_RESULT = ApiFault(FailureCode.EXIT, "the batch has ended without any result")


class BatchApi(Protocol):
    """The batch interface of one model API. Nothing is sent here."""

    most_questions: int
    """Of one batch."""

    most_bytes: int
    """Of all requests of one batch together."""

    def files(self, entries: Sequence[tuple[str, Json]], path: str) -> BatchRequest | None:
        """The upload that comes before a batch is made, where there is one.

        ``entries`` are the questions' names and request bodies, and ``path`` where each would go if it went alone.
        """
        ...

    def create(self, entries: Sequence[tuple[str, Json]], path: str, uploaded: str, intent: str) -> BatchRequest:
        """The request that makes a batch of ``entries``, or of the file that is ``uploaded``.

        ``intent`` goes with it where the interface has a place for it.
        """
        ...

    def listing(self, cursor: str) -> BatchRequest:
        """The request for a page of the list of batches."""
        ...

    def listed(self, told: Json) -> BatchPage:
        """The page that its answer is.

        Raises:
            ValueError: It cannot be understood.
        """
        ...

    def created(self, told: Json) -> BatchId:
        """The id in the answer to ``files`` or ``create``.

        Raises:
            ValueError: There is none, or it is none that could stand in an address.
        """
        ...

    def poll(self, batch: BatchId) -> BatchRequest:
        """The request that asks how far ``batch`` is."""
        ...

    def status(self, batch: BatchId, told: Json) -> BatchStatus:
        """What its answer says.

        Raises:
            ValueError: It cannot be understood.
        """
        ...

    def result(self, entry: Json) -> BatchResult:
        """What one entry of the results says.

        Raises:
            ValueError: It cannot be understood.
        """
        ...

    def whole(self, answer: Json) -> Iterable[Json]:
        """What would have come had ``answer`` been streamed; as JSON, that is data for ``Api.hear``."""
        ...
