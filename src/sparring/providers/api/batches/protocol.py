"""What a batch interface has to say of itself, and what somebody who asks by batch sees of any of them."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sparring.providers.api.protocol import ApiFault, Event, Json
from sparring.schema.consultation import Failure, FailureCode, Question, Reply

BatchId = str
"""As the provider names it: letters, digits, ``_`` and ``-``, and for Google ``batches/`` before them."""

CUSTOM_ID_LIMIT = 64
"""Characters of what a question is called within a batch: letters, digits, ``_`` and ``-`` (Anthropic's rule, the
strictest of the three)."""


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


CANCELLED = ApiFault(FailureCode.CANCELLED, "the batch was cancelled before this question was answered")
EXPIRED = ApiFault(FailureCode.TIMEOUT, "the batch ended before it came to this question")


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

    def create(self, entries: Sequence[tuple[str, Json]], path: str, uploaded: str) -> BatchRequest:
        """The request that makes a batch of ``entries``, or of the file that is ``uploaded``."""
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

    def cancel(self, batch: BatchId) -> BatchRequest:
        """The request that ends ``batch`` early."""
        ...

    def whole(self, answer: Json) -> Iterable[Event]:
        """The events that would have come had ``answer`` been streamed, as ``Api.hear`` understands them."""
        ...


class BatchConsultant(Protocol):
    """Whoever answers many questions at once, hours later."""

    most_questions: int
    most_bytes: int

    def size(self, question: Question) -> int:
        """About how many bytes of a batch the question takes."""
        ...

    async def submit(self, questions: Sequence[tuple[str, Question]]) -> BatchId | Failure:
        """Hand in questions for one model under names of at most ``CUSTOM_ID_LIMIT`` characters, each name once."""
        ...

    async def poll(self, batch: BatchId) -> BatchStatus | Failure:
        """How far a batch is, or why that cannot be told."""
        ...

    def results(self, batch: BatchId, status: BatchStatus) -> AsyncGenerator[tuple[str, Reply]]:
        """The replies by the names of their questions, in any order, of a batch that has ended with that ``status``.

        Raises:
            ConsultError: They could not be read to their end.
        """
        ...

    def addressed(self, reply: Reply, question: Question) -> Reply:
        """``reply`` as the one to ``question``, which a batch that was handed in earlier does not know."""
        ...

    async def cancel(self, batch: BatchId) -> None:
        """End a batch early, as far as that is possible. What was answered already is paid for."""
        ...
