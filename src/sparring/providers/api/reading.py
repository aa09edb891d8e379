"""Reading of responses: the answer in one, or its fault.

One rule for all dialects: an answer is lost only when its text or its end is missing. An error that the provider
reports and continues after is a notice; one after which the answer is not complete again is the cause of the failure.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime

import anyio
from msgspec.structs import replace

from sparring.errors import ConnectionFailedError, ConsultError
from sparring.providers.api import framing, http, protocol, waits
from sparring.providers.api.framing import Event
from sparring.providers.receiving.causes import Cause, cause_in, cause_of, first_words
from sparring.schema.consultation import FailureCode

END_S = 15.0
"""Seconds without a byte to wait for reports after the end of the answer, such as its usage."""

_LOADING = re.compile(r"\b(?:re)?loading\b|\bstarting\b|\bwarming up\b|\bbeing loaded\b", re.IGNORECASE)
"""Words that a server writes with status 503 while it is not ready yet."""

_FINAL = frozenset(
    {
        FailureCode.AUTH,
        FailureCode.CONTEXT_TOO_LONG,
        FailureCode.PERMISSION,
        FailureCode.QUOTA,
        FailureCode.REFUSED,
    }
)
"""Failures that are permanent with any status."""


async def read_answer(response: http.Response, api: protocol.Api) -> protocol.PartialAnswer:
    """Return the answer in ``response``; its ``fault`` is set unless it is complete. Raises nothing."""
    if not 200 <= response.status < 300:
        return await _refused(response)
    answer, reading = protocol.PartialAnswer(), _Reading(api)
    try:
        await _read_pieces(response, reading, answer)
        reading.read_remainder(answer)
    except ConsultError as error:
        reading.read_remainder(answer)
        answer.fault = fault_of(error, is_retryable=not reading.has_begun)
    except framing.TornEventError as error:
        answer.fault = _not_understood("an event that is not whole", str(error))
    except protocol.UnreadableTextError as error:
        answer.fault = _not_understood("a text that cannot be parsed", str(error))
    if not answer.is_complete:
        answer.fault = answer.error or answer.fault or reading.without_end(response, answer)
    else:
        answer.fault = None if answer.has_content or answer.reason else reading.remark
    return answer


async def _read_pieces(response: http.Response, reading: "_Reading", answer: protocol.PartialAnswer) -> None:
    async for piece in response.pieces:
        reading.take_piece(piece, answer)
        while answer.is_finished and not answer.is_ended:
            rest = None
            with anyio.move_on_after(END_S):
                rest = await anext(response.pieces, None)
            if rest is None:
                return
            reading.take_piece(rest, answer)
        if answer.is_ended:
            await response.finish()
            return


def read_document(document: protocol.Json, api: protocol.Api) -> protocol.PartialAnswer:
    """The answer in one JSON document, as the results of a batch have it; as ``read_answer``."""
    answer, reading = protocol.PartialAnswer(), _Reading(api)
    try:
        reading.take(Event(document), answer)
    except protocol.UnreadableTextError as error:
        answer.fault = _not_understood("a text that cannot be parsed", str(error))
        return answer
    if answer.error is not None:
        answer.fault = answer.error
    elif not answer.is_complete and not answer.text:
        words = first_words(json.dumps(document, ensure_ascii=False))
        answer.fault = reading.remark or _not_understood("no answer", words)
    return answer


class _Reading:
    """State of reading one response, apart from the answer itself.

    Attributes:
        remark: Text of an event that is no error by its form; it may be the reason why no answer follows.
    """

    def __init__(self, api: protocol.Api) -> None:
        self.reader = framing.BodyReader()
        self.remark: protocol.ApiFault | None = None
        self.has_begun = False
        self._api = api
        self._first: protocol.Json | None = None

    def take_piece(self, piece: bytes, answer: protocol.PartialAnswer) -> None:
        for event in self.reader.feed(piece):
            self.take(event, answer)
        self.has_begun = self.has_begun or bool(piece.strip())

    def take(self, event: Event, answer: protocol.PartialAnswer) -> None:
        if answer.is_ended:
            return
        if event.text:
            self._api.read_mark(event.text, answer)
        else:
            self._first = event.value if self._first is None else self._first
            self._api.read(event.value, answer)
        # After the answer's part of the same event: a server may end it and give the reason in one.
        if (cause := error_in(event)) is not None:
            answer.report(_fault_of_event(cause, event))
        elif self.remark is None and (remark := remark_in(event.value)) and remark.message:
            self.remark = protocol.find_reported_fault(remark)

    def read_remainder(self, answer: protocol.PartialAnswer) -> None:
        """Read the rest where the body ended; a torn event there makes the answer incomplete."""
        try:
            for event in self.reader.end():
                self.take(event, answer)
        except (framing.TornEventError, protocol.UnreadableTextError):
            return
        if self.reader.is_document and answer.has_content and answer.error is None:
            answer.complete()  # a document that is closed is its own end

    def without_end(self, response: http.Response, answer: protocol.PartialAnswer) -> protocol.ApiFault:
        """The reason why a response that ended is no complete answer."""
        if self.remark is not None and not answer.text:
            return self.remark
        if self.reader.noise and self._first is None:
            return _not_understood(f"no answer but {_media_type(response)}", self._noise())
        if self.reader.is_document:
            words = "" if self._first is None else json.dumps(self._first, ensure_ascii=False)
            return _not_understood("no answer", words)
        message = "its answer was interrupted before the end"
        return protocol.ApiFault(FailureCode.CONNECTION, message, is_retryable=not self.has_begun)

    def _noise(self) -> str:
        return cause_in(self.reader.noise).message or self.reader.noise


def _not_understood(what: str, words: str) -> protocol.ApiFault:
    quoted = first_words(words)
    return protocol.ApiFault(FailureCode.PARSE, f"it sent {what}: “{quoted}”" if quoted else f"it sent {what}")


def _media_type(response: http.Response) -> str:
    """The media type of the body by its header."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower() or "text"


def _fault_of_event(cause: Cause, event: Event) -> protocol.ApiFault:
    fault = protocol.find_reported_fault(cause)
    if fault.message:
        return fault
    words = first_words(event.text or json.dumps(event.value, ensure_ascii=False))
    return replace(fault, message=f"it reported an error: “{words}”")


def error_in(event: Event) -> Cause | None:
    """The cause if the event reports an error, in any of the usual forms; else None."""
    value = event.value
    is_named = event.name.lower() == "error"
    if event.text:
        return cause_in(event.text) if is_named and protocol.is_error(event.text) else None
    if value.keys().isdisjoint(_ERRORS):
        return cause_of(value) if is_named else None
    words = {protocol.word(value.get(member)).lower() for member in ("type", "object", "status")}
    has_cause = any(protocol.is_error(value.get(member)) for member in ("error", "errors"))
    return cause_of(value) if is_named or has_cause or "error" in words else None


_ERRORS = frozenset({"error", "errors", "object", "status", "type"})
_REMARKS = frozenset({"detail", "message", "msg"})


def remark_in(value: Mapping[str, object]) -> Cause | None:
    """The message to people in an event that is neither a piece of an answer nor an error by its form."""
    has_any = any(isinstance(value.get(name), str | list) for name in _REMARKS & value.keys())
    return cause_of(value) if has_any else None


def fault_of(error: ConsultError, *, is_retryable: bool) -> protocol.ApiFault:
    """The fault that a transport's ``error`` stands for; only where there was no connection it may be retryable."""
    code = FailureCode(error.code)
    is_connection = code is FailureCode.CONNECTION
    is_starting = isinstance(error, ConnectionFailedError) and error.is_refused
    return protocol.ApiFault(code, str(error), is_retryable=is_retryable and is_connection, is_starting=is_starting)


async def _refused(response: http.Response) -> protocol.PartialAnswer:
    """Read a refusal, in which Groq passes on an answer that does not fit its schema: it counts as an answer."""
    body = await _body(response)
    with suppress(ValueError, RecursionError):
        error = protocol.table(protocol.table(json.loads(body)).get("error"))
        if error.get("code") == "json_validate_failed" and (text := protocol.word(error.get("failed_generation"))):
            return protocol.PartialAnswer(texts=[text], is_complete=True)
    return protocol.PartialAnswer(fault=_refusal(response, body))


async def refusal(response: http.Response) -> protocol.ApiFault:
    """Return the fault of a response whose status is not that of an answer."""
    return _refusal(response, await _body(response))


def _refusal(response: http.Response, body: str) -> protocol.ApiFault:
    status, headers = response.status, response.headers
    if 300 <= status < 400:
        # A key must not go where an answer sends it.
        detail = f"it sent us to another address (status {status}), which is not followed"
        return protocol.ApiFault(FailureCode.CONNECTION, detail)
    cause = cause_in(body)
    fault = protocol.find_reported_fault(cause, status)
    wait_s = waits.announced_wait_s(headers, datetime.now(UTC))
    is_reported = fault.is_reported and not fault.message.startswith(("{", "[", "<"))
    words = first_words(body)
    ours = f"it answered with status {status}" + (f": “{words}”" if words else "")
    return replace(
        fault,
        message=fault.message if is_reported else ours,
        is_reported=is_reported,
        is_retryable=waits.may_retry(status, headers) and fault.code not in _FINAL,
        wait_s=cause.wait_s if wait_s is None else wait_s,
        is_starting=status == 503 and _LOADING.search(fault.message) is not None,
    )


async def _body(response: http.Response) -> str:
    try:
        return (await response.rest()).decode("utf-8", errors="replace")
    except ConsultError:
        return ""
