"""The dialect of a model API, for single questions and for batches, and an answer as far as it has arrived.

Reading is tolerant of everything around an answer. Unknown members and events, missing ones, and ones of another type
are ignored; only the text, its end and an error with content count. ``table``, ``tables`` and ``word`` read foreign
values that way.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol, cast

from msgspec import Struct, field

from sparring.providers.receiving.causes import RETRYABLE, Cause, code_of_status, joined
from sparring.schema.consultation import Failure, FailureCode, Question, Usage

Json = dict[str, Any]


def table(value: object) -> Json:
    """``value`` if it is an object, else an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def tables(value: object) -> list[Json]:
    """The objects in a list; of a lone object a list of one."""
    listed = cast("list[object]", value) if isinstance(value, list) else [value]
    return [cast("Json", each) for each in listed if isinstance(each, dict)]


def word(value: object) -> str:
    """``value`` if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def is_first(index: object) -> bool:
    """Return whether ``index`` is that of the first of several answers, as a missing one is."""
    return not index or index == "0"


class UnreadableTextError(ValueError):
    """A piece of the answer's text is of a type that holds none."""


def text_in(value: object, kinds: frozenset[str] = frozenset({"text", "output_text"})) -> str:
    """Return the text of a message that is one text, a list of parts, or nothing; parts of other ``kinds`` are no text.

    Raises:
        UnreadableTextError: It is none of these, so that a part of the answer would be missing.
    """
    if isinstance(value, str):
        return value
    if not value:
        return ""
    if isinstance(value, list):
        return "".join(_text_of_part(part, kinds) for part in cast("list[object]", value))
    if isinstance(value, dict):
        return _text_of_part(cast("object", value), kinds)
    raise UnreadableTextError(json.dumps(value))


def _text_of_part(part: object, kinds: frozenset[str]) -> str:
    if isinstance(part, str):
        return part
    members = table(part)
    return text_in(members.get("text"), kinds) if members.get("type") in (None, "", *kinds) else ""


_DEPTH = 4


def is_error(value: object, depth: int = _DEPTH) -> bool:
    """Return whether the member ``error`` of an event is an error; answers have empty ones, ``false`` and ``0``."""
    if isinstance(value, str):
        return value.strip().lower() not in {"", "null", "none", "false"}
    if isinstance(value, dict | list):
        members = table(cast("object", value)).values() if isinstance(value, dict) else cast("list[object]", value)
        return depth > 0 and any(is_error(each, depth - 1) for each in members)
    return bool(value)


class Stop(StrEnum):
    """The reason why a model wrote no more.

    DONE: it had finished. CUT: a limit of tokens was reached. WITHHELD: the model refused, or a filter stopped it.
    TOOL: it called a tool in the place of going on. BROKEN: something went wrong on the way.
    """

    DONE = "done"
    CUT = "cut"
    WITHHELD = "withheld"
    TOOL = "tool"
    BROKEN = "broken"


class ApiFault(Struct, frozen=True):
    """The reason why there is no answer.

    Attributes:
        message: The provider's own words if it ``is_reported``, else ours, to follow the provider's name.
        is_retryable: Whether the same may succeed when it is tried once more.
        wait_s: Seconds to wait before, if the provider announces them.
        status: The HTTP status of the response, where it is that of an error.
        fields: Fields of the request that were refused.
        words: Types and codes of the error, as the provider reports them.
        is_starting: Whether the server is only not ready yet.
    """

    code: FailureCode
    message: str
    is_reported: bool = False
    is_retryable: bool = False
    wait_s: float | None = None
    status: int | None = None
    fields: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    is_starting: bool = False


def find_reported_fault(cause: Cause, status: int | None = None) -> ApiFault:
    """The fault that a provider reports, by the first of fields, sentences and HTTP statuses that is known."""
    statuses = [each for each in (cause.status, status) if each is not None and each >= 400]
    codes = (cause.code, *map(code_of_status, statuses), None if statuses else cause.weak_code)
    otherwise = FailureCode.BAD_REQUEST if statuses and statuses[0] < 500 else FailureCode.UNKNOWN
    code = next((code for code in codes if code is not None), otherwise)
    return ApiFault(
        code,
        cause.message,
        is_reported=bool(cause.message),
        is_retryable=code in RETRYABLE,
        wait_s=cause.wait_s,
        status=statuses[0] if statuses else None,
        fields=cause.fields,
        words=cause.words,
    )


class PartialAnswer(Struct):
    """An answer as far as it has arrived.

    Attributes:
        texts: The pieces of its text.
        refusal: Text that the model wrote instead of an answer.
        thoughts: Thoughts of the model, where they come apart from the text.
        tools: Names of tools that it called.
        stop: Why the output ended; ``reason`` is the provider's own word for it.
        usage: The provider's report of tokens and costs, in its own words.
        fault: Why there is no answer.
        error: The last error that the provider reported since the answer was complete.
        recovered: Reported errors after which the answer went on.
        is_complete: Whether the answer is whole, if nothing more arrives.
        is_finished: Whether the model has finished, so that only reports other than text may follow.
        is_ended: Whether nothing more follows.
    """

    texts: list[str] = field(default_factory=list[str])
    refusal: str = ""
    thoughts: list[str] = field(default_factory=list[str])
    tools: list[str] = field(default_factory=list[str])
    model: str | None = None
    stop: Stop = Stop.DONE
    reason: str = ""
    usage: Json = field(default_factory=dict[str, Any])
    fault: ApiFault | None = None
    error: ApiFault | None = None
    recovered: list[str] = field(default_factory=list[str])
    is_complete: bool = False
    is_finished: bool = False
    is_ended: bool = False

    @property
    def text(self) -> str:
        """The answer."""
        return joined(self.texts)

    @property
    def has_content(self) -> bool:
        """Return whether the model has written anything, or called a tool."""
        return bool(self.text or self.refusal or self.tools)

    def write(self, text: str) -> None:
        """Add a piece of the text."""
        if text:
            self.texts.append(text)
            self.is_complete = self.is_finished = False

    def repeat(self, text: str) -> None:
        """Take ``text`` as all of the answer, of which any part may have come in pieces before."""
        if text.startswith(self.text):
            self.texts = [text]

    def note(self, model: object, usage: object) -> None:
        """Store reports other than text; values that are not reported again stay."""
        if model:
            self.model = word(model) or self.model
        if usage:
            self.usage |= {name: value for name, value in table(usage).items() if value is not None}

    def call(self, names: Iterator[str] | Sequence[str]) -> None:
        """Note that the model called tools; names that come in several events are noted once."""
        self.tools += [name for name in dict.fromkeys(names) if name not in self.tools]

    def end(self, reason: str, meanings: Mapping[str, Stop], otherwise: Stop = Stop.DONE) -> None:
        """Take the model as finished, for the provider's ``reason``; one that ``meanings`` lacks is ``otherwise``."""
        self.reason = reason
        self.stop = meanings.get(reason, otherwise)
        self.is_finished = True
        self.complete()

    def complete(self) -> None:
        """Take the answer as complete: an error that was reported before was recovered from."""
        self.is_complete = True
        if self.error is not None:
            self.recovered.append(self.error.message)
            self.error = None

    def report(self, error: ApiFault) -> None:
        """Note an error: what came before it does not make a complete answer."""
        self.error = error
        self.is_complete = False


def count(tokens: object) -> int | None:
    """Return ``tokens`` if it is a number of tokens, else None: an odd value is no reason to lose an answer."""
    if isinstance(tokens, float) and tokens.is_integer():
        tokens = int(tokens)
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None


def question_id(value: object) -> str:
    """Return ``value`` if it is an id of a question, which an entry of a batch's results must have.

    Raises:
        ValueError: It is no such id.
    """
    if not isinstance(value, str):
        raise ValueError("a result names no question")  # noqa: TRY004 -- foreign data, not a caller's mistake
    return value


class Api(Protocol):
    """The dialect of one model API."""

    key_header: str
    """Header that takes the key."""

    headers: Mapping[str, str]
    """Further headers that each request needs."""

    def path(self, model: str) -> str:
        """The path of questions to ``model``, after the base URL."""
        ...

    def body(self, question: Question, model: str) -> Json:
        """A request for a streamed answer to the question's prompt."""
        ...

    def read(self, event: Json, answer: PartialAnswer) -> None:
        """Add to ``answer`` the content of an event, or a whole body of a server that does not stream.

        Raises:
            UnreadableTextError: A piece of the text cannot be read.
        """
        ...

    def read_mark(self, text: str, answer: PartialAnswer) -> None:
        """Add to ``answer`` the content of an event that is no JSON, such as a mark of the end."""
        ...

    def usage(self, reported: Mapping[str, Any]) -> Usage:
        """Tokens and costs."""
        ...


BatchId = str
"""As the provider names it: letters, digits, ``_`` and ``-``, and for Google ``batches/`` before them."""


class BatchStatus(Struct, frozen=True):
    """The progress of a batch.

    Attributes:
        is_ended: Whether its state is final.
        results: Places of its results, after the base URL, in the order of reading; those of Google are in ``inline``.
        inline: The results themselves, each as ``BatchApi.result`` reads it.
        fault: Why none of its questions was answered, if so; ``failure`` is the corresponding reply to each.
    """

    is_ended: bool = False
    results: tuple[str, ...] = ()
    inline: tuple[Json, ...] = ()
    fault: ApiFault | None = None
    failure: Failure | None = None


class BatchResult(Struct, frozen=True):
    """The result of one question: an answer in one piece, or a fault."""

    custom_id: str
    answer: Json = field(default_factory=dict[str, object])
    fault: ApiFault | None = None


class BatchRequest(Struct, frozen=True):
    """A request after the base URL; POST with ``content``, GET without any."""

    path: str
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class ListedBatch(Struct, frozen=True):
    """A batch in the provider's list.

    Attributes:
        intent: The mark that was submitted with it; None where the interface has no such field.
        created_at: Seconds since 1970, by the provider's clock.
    """

    id: BatchId
    intent: str | None
    created_at: float


class BatchPage(Struct, frozen=True):
    """A page of the provider's list of batches; ``cursor`` asks for the next one, and is empty at the end."""

    batches: tuple[ListedBatch, ...]
    cursor: str = ""


CANCELLED = ApiFault(FailureCode.CANCELLED, "the batch was cancelled before this question was answered")
EXPIRED = ApiFault(FailureCode.TIMEOUT, "the batch ended before this question")
WITHOUT_RESULT = ApiFault(FailureCode.UNKNOWN, "the batch has ended without any result")


class BatchApi(Protocol):
    """The batch interface of one model API. Nothing is sent here."""

    most_questions: int
    """Most questions of one batch."""

    most_bytes: int
    """Most bytes of all requests of one batch together."""

    def files(self, entries: Sequence[tuple[str, Json]], path: str) -> BatchRequest | None:
        """Return the upload that precedes the creation of a batch, where there is one.

        ``entries`` are the questions' names and request bodies, and ``path`` is that of a single request.
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

    def listed(self, answer: Json) -> BatchPage:
        """The page that its answer is.

        Raises:
            ValueError: It cannot be parsed.
        """
        ...

    def created(self, answer: Json) -> BatchId:
        """Return the id in the answer to ``files`` or ``create``.

        Raises:
            ValueError: There is none, or it cannot be a part of an address.
        """
        ...

    def poll(self, batch: BatchId) -> BatchRequest:
        """The request that asks for the progress of ``batch``."""
        ...

    def status(self, batch: BatchId, answer: Json) -> BatchStatus:
        """The progress in its answer.

        Raises:
            ValueError: It cannot be parsed.
        """
        ...

    def result(self, entry: Json) -> BatchResult:
        """The result in one entry of the results; its answer is read by ``Api.read``.

        Raises:
            ValueError: It cannot be parsed.
        """
        ...
