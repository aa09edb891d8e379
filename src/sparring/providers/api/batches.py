"""Batch interface of a model API: many questions at once, answered within a day for about half of the price.

Responses are foreign and may be large: they are read piece by piece, with bounds for each line, all lines together and
their number. Nothing in an answer determines the address of the next request.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from sparring.errors import ConsultError, OutputError, SettingsError
from sparring.providers.api import anthropic, calls, endpoints, gemini, http, openai, protocol, reading
from sparring.providers.api.connections import Connections
from sparring.providers.api.consultant import ApiExchange, fault_reply, reply
from sparring.providers.available import unsupported
from sparring.providers.receiving.causes import AskedQuestion, failed
from sparring.schema.apis import ApiKind, ApiProvider
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Reply
from sparring.text.redaction import Redactor

T = TypeVar("T")

LINE_LIMIT = 8 * 1024 * 1024
"""Most bytes of the result of one question."""

RESULTS_LIMIT = 512 * 1024 * 1024
"""Most bytes of the results of a batch."""

_INLINE_LIMIT = 64 * 1024 * 1024  # of an answer that holds all results
_MOST_PAGES = 500
_FRAME = 400  # bytes about a question in a batch
_STREAMED = frozenset({"stream", "stream_options"})
_NO_QUESTION = Question(prompt="-", brief=Brief(step="batch", topic="-", role=Role.CONSULTANT, round=1), timeout_s=1)
"""In the place of a question that is known to the batch alone."""

BATCH_APIS: Mapping[ApiKind, protocol.BatchApi] = {
    ApiKind.ANTHROPIC_MESSAGES: anthropic.MESSAGE_BATCHES,
    ApiKind.CHAT_COMPLETIONS: openai.OPENAI_BATCHES,
    ApiKind.GEMINI: gemini.GEMINI_BATCHES,
    ApiKind.OPENAI_RESPONSES: openai.OPENAI_BATCHES,
}


class ApiBatches:
    """Asks the API of ``spec`` by batch, with the key and address that ``environment`` gives."""

    def __init__(
        self, spec: ApiProvider, environment: Mapping[str, str], *, connections: Connections, redactor: Redactor
    ) -> None:
        self._spec = spec
        self._environment = environment
        self._connections = connections
        self._asked = AskedQuestion(spec.name, _NO_QUESTION, redactor)
        self._api = calls.APIS[spec.api]
        self._batches = BATCH_APIS[spec.api]
        self.most_questions = self._batches.most_questions
        self.most_bytes = self._batches.most_bytes

    def size(self, question: Question) -> int:
        """Return about how many bytes of a batch the question takes: its encoded prompt, and the fields around it."""
        return len(json.dumps(question.prompt, ensure_ascii=False).encode("utf-8", "surrogatepass")) + _FRAME

    async def submit(
        self, questions: Sequence[tuple[str, Question]], *, intent: str = ""
    ) -> protocol.BatchId | Failure:
        """Submit questions for one model, each under its own name; ``listed`` recognises the batch by ``intent``.

        A name has at most 64 letters, digits, ``_`` and ``-`` (Anthropic's rule, the strictest of the three).
        """

        async def submitted(endpoint: endpoints.Endpoint) -> protocol.BatchId | Failure:
            model = self._model(endpoint, questions[0][1])
            if isinstance(model, Failure):
                return model
            entries = [(name, self._body(question, model)) for name, question in questions]
            path, uploaded = self._api.path(model), ""
            if upload := self._batches.files(entries, path):
                uploaded = self._batches.created(await self._json_of(endpoint, upload))
            return self._batches.created(
                await self._json_of(endpoint, self._batches.create(entries, path, uploaded, intent))
            )

        return await self._or_failure(submitted)

    async def listed(self) -> Sequence[protocol.ListedBatch] | Failure:
        """All batches that the provider lists, or why that list cannot be read to its end."""

        async def read(endpoint: endpoints.Endpoint) -> Sequence[protocol.ListedBatch] | Failure:
            if reason := endpoints.missing_key(self._spec, endpoint):
                return self._failure(FailureCode.AUTH, reason)
            batches, cursor = list[protocol.ListedBatch](), ""
            for _ in range(_MOST_PAGES):
                answer = await self._json_of(endpoint, self._batches.listing(cursor), limit=_INLINE_LIMIT)
                page = self._batches.listed(answer)
                batches += page.batches
                if not page.cursor or page.cursor == cursor:
                    return batches
                cursor = page.cursor
            return self._failure(FailureCode.PARSE, f"{self._spec.name} lists more batches than can be looked through")

        return await self._or_failure(read)

    async def poll(self, batch: protocol.BatchId) -> protocol.BatchStatus | Failure:
        """Return the status of a batch, or a failure if it cannot be determined."""

        async def polled(endpoint: endpoints.Endpoint) -> protocol.BatchStatus:
            answer = await self._json_of(endpoint, self._batches.poll(batch), limit=_INLINE_LIMIT)
            status = self._batches.status(batch, answer)
            if status.fault is None:
                return status
            failure = fault_reply(self._exchange(endpoint), status.fault)
            return replace(status, failure=failure)

        return await self._or_failure(polled)

    async def results(self, status: protocol.BatchStatus) -> AsyncGenerator[tuple[str, Reply]]:
        """Yield the replies by the names of their questions, in any order, of a batch that has that final ``status``.

        Unreadable and repeated results are left out.

        Raises:
            ConsultError: Reading failed before the end.
        """
        endpoint, seen = endpoints.endpoint_of(self._spec, self._environment), set[str]()
        async for entry in self._entries(endpoint, status):
            try:
                result = self._batches.result(entry)
            except (ValueError, RecursionError):
                continue
            if result.custom_id not in seen:
                seen.add(result.custom_id)
                yield result.custom_id, self._reply(endpoint, result)

    def addressed(self, reply: Reply, question: Question) -> Reply:
        """Return ``reply`` with fields that need ``question``, which a batch of an earlier process does not know."""
        model = question.model or (reply.model if isinstance(reply, Answer) else None)
        if isinstance(reply, Failure) or not model or not calls.effort_body(self._spec, question.effort, model):
            return reply
        return reply.model_copy(update={"effort": question.effort})

    async def _or_failure(self, request: Callable[[endpoints.Endpoint], Awaitable[T | Failure]]) -> T | Failure:
        try:
            endpoint = endpoints.endpoint_of(self._spec, self._environment)
            try:
                return await request(endpoint)
            except ConsultError as error:
                is_refused = isinstance(error, RequestRefusedError)
                fault = error.fault if is_refused else reading.fault_of(error, is_retryable=True)
                return fault_reply(self._exchange(endpoint), fault)
        except SettingsError as error:
            return self._failure(FailureCode.UNSUPPORTED, str(error))
        except (ValueError, RecursionError):
            detail = f"{self._spec.name}: it answered with something that cannot be parsed"
            return self._failure(FailureCode.PARSE, detail)

    def _model(self, endpoint: endpoints.Endpoint, question: Question) -> str | Failure:
        if reason := endpoints.missing_key(self._spec, endpoint):
            return self._failure(FailureCode.AUTH, reason)
        model = question.model or endpoints.named_model(self._spec, self._environment)
        if not model:
            return self._failure(FailureCode.UNSUPPORTED, f"{self._spec.name} needs the name of a model for a batch.")
        if reason := unsupported(self._spec, question.terms.model_copy(update={"model": model}), self._environment):
            return self._failure(FailureCode.UNSUPPORTED, reason)
        return model

    def _body(self, question: Question, model: str) -> protocol.Json:
        body = calls.request_body(self._spec, question, model)
        return {name: value for name, value in body.items() if name not in _STREAMED}

    @asynccontextmanager
    async def _answered(
        self, endpoint: endpoints.Endpoint, request: protocol.BatchRequest, limit: int
    ) -> AsyncGenerator[http.Response]:
        """Send a request and yield its response.

        Raises:
            RequestRefusedError: The status is not 200.
            ConsultError: Nothing was answered.
        """
        headers = {"accept": "application/json", **request.headers}
        call = calls.call_to(self._spec, endpoint, request.path, headers, request.content)
        async with (
            self._connections.acquired() as connections,
            connections.client.send(replace(call, limit=limit)) as response,
        ):
            if response.status != 200:
                raise RequestRefusedError(await reading.refusal(response))
            yield response

    async def _json_of(
        self, endpoint: endpoints.Endpoint, request: protocol.BatchRequest, *, limit: int = LINE_LIMIT
    ) -> protocol.Json:
        """Return the table of the answer; raises like ``_answered``, and ``ValueError`` where it is none."""
        async with self._answered(endpoint, request, limit) as response:
            return _table(await response.rest())

    async def _entries(
        self, endpoint: endpoints.Endpoint, status: protocol.BatchStatus
    ) -> AsyncGenerator[protocol.Json]:
        for entry in status.inline:
            yield entry
        for path in status.results:
            async with self._answered(endpoint, protocol.BatchRequest(path), RESULTS_LIMIT) as response:
                async for line in bounded_lines(response.pieces, most=2 * self.most_questions):
                    with suppress(ValueError, RecursionError):
                        yield _table(line)

    def _exchange(self, endpoint: endpoints.Endpoint, model: str = "") -> ApiExchange:
        return ApiExchange(self._spec, self._asked, endpoint, model)

    def _reply(self, endpoint: endpoints.Endpoint, result: protocol.BatchResult) -> Reply:
        answer = protocol.PartialAnswer(fault=result.fault)
        if result.fault is None:
            answer = reading.read_document(result.answer, self._api)
        return reply(self._exchange(endpoint, answer.model or "unknown"), answer)

    def _failure(self, code: FailureCode, detail: str) -> Failure:
        return failed(self._asked, code, detail)


class RequestRefusedError(OutputError):
    """The provider refused a request; ``fault`` has the reason."""

    code = "request_refused"

    def __init__(self, fault: protocol.ApiFault) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.code = fault.code.value


def _table(content: bytes) -> protocol.Json:
    parsed: Any = json.loads(content)
    if not isinstance(parsed, dict):
        raise ValueError("no table")  # noqa: TRY004 -- foreign data, not a caller's mistake
    return cast("protocol.Json", parsed)


async def bounded_lines(pieces: AsyncIterable[bytes], *, most: int, longest: int = LINE_LIMIT) -> AsyncGenerator[bytes]:
    """The lines of ``pieces`` that hold anything, however these are cut.

    Raises:
        OutputError: A line has more than ``longest`` bytes, or there are more than ``most`` of them.
    """
    begun, length, count = list[bytes](), 0, 0
    async for piece in pieces:
        *ends, rest = piece.split(b"\n")
        for end in ends:
            line = b"".join((*begun, end)).strip()
            begun, length = [], 0
            if not line:
                continue
            count += 1
            if count > most or len(line) > longest:
                raise OutputError("its results are more than the questions can have")
            yield line
        begun.append(rest)
        length += len(rest)
        if length > longest:
            raise OutputError(f"one of its results has more than {longest // 2**20} MiB")
    if line := b"".join(begun).strip():
        yield line
