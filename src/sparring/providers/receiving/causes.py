"""Causes of failures: a code from the fields of a provider's report, and a sentence for people.

A code is never decided by searching for words anywhere: a prompt or an answer may hold any. It comes from a status, a
type, or the beginning of a sentence that the provider is known to write where no text of a prompt can stand.
"""

import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Annotated, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace
from pydantic import AfterValidator, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from sparring.schema.consultation import DETAIL_LIMIT, Failure, FailureCode, Question
from sparring.text.redaction import Redactor
from sparring.text.tidying import for_terminal, one_line

RETRYABLE = frozenset(
    {
        FailureCode.RATE_LIMIT,
        FailureCode.OVERLOADED,
        FailureCode.SERVER_ERROR,
        FailureCode.CONNECTION,
    }
)
"""Transient failures: no output has come yet, and the same may be answered in a moment. Others are final."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_BY_STATUS = {
    401: FailureCode.AUTH,
    402: FailureCode.QUOTA,
    403: FailureCode.PERMISSION,
    404: FailureCode.NOT_FOUND,  # of the model; a program that is missing never gets as far as a status
    408: FailureCode.TIMEOUT,
    413: FailureCode.CONTEXT_TOO_LONG,
    429: FailureCode.RATE_LIMIT,
    503: FailureCode.OVERLOADED,
    529: FailureCode.OVERLOADED,
}


class AskedQuestion(Struct, frozen=True):
    """Part of a reply that is not in the output: tool and question.

    Attributes:
        redactor: Must see a text before it is cut, since half a secret is no longer recognised.
    """

    tool: str
    question: Question
    redactor: Redactor


ForeignText = Annotated[str, AfterValidator(lambda text: _LONE_SURROGATE.sub("\ufffd", text))]
"""Text from JSON, where half of a surrogate pair may stand; no record and no file can hold one."""


def joined(texts: Iterable[str]) -> str:
    """One text of pieces: JSON may have cut a character in two, into halves that no file can hold alone."""
    return "".join(texts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _none_if_invalid(value: object, understand: ValidatorFunctionWrapHandler) -> object:
    try:
        return understand(value)
    except ValidationError:
        return None


_T = TypeVar("_T")
ValidOrNone = Annotated[_T | None, WrapValidator(_none_if_invalid)]
"""Optional report of an answer, such as its usage; None if it is malformed.

A malformed report is no reason to lose the answer.

OpenCode, for one, reports negative tokens where an endpoint counts cached tokens separately.
"""

Cost = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""In dollars."""

Sentences = Mapping[re.Pattern[str], FailureCode | None]
"""Beginnings of messages; None where the group ``status`` holds an HTTP status that decides."""


def code_of_status(status: int | None) -> FailureCode | None:
    """Return the failure code of an HTTP status; None if it implies none, or there is no status."""
    if status is None:
        return None
    return _BY_STATUS.get(status, FailureCode.SERVER_ERROR if status >= 500 else None)


def code_of_message(message: str, sentences: Sentences) -> FailureCode | None:
    """The code of the first sentence that ``message`` begins with."""
    for pattern, code in sentences.items():
        if match := pattern.match(message):
            return code_of_status(int(match["status"])) if code is None else code
    return None


def first_code(candidates: Iterable[FailureCode | None], otherwise: FailureCode = FailureCode.EXIT) -> FailureCode:
    """The first code that is known, ``otherwise`` where none is."""
    return next((code for code in candidates if code is not None), otherwise)


def elapsed_ms(began: float) -> int:
    """Milliseconds since ``began``, a moment of ``time.monotonic``."""
    return round((time.monotonic() - began) * 1000)


class Cause(Struct, frozen=True):
    """The reason of a failure by a body of JSON or text.

    Attributes:
        message: The provider's own sentence; empty where there is none.
        words: Types and codes of errors, as in the fields.
        status: An HTTP status that the body repeats.
        fields: Names of fields of the request that were refused.
        wait_s: Seconds after which the body asks to try again.
    """

    message: str = ""
    words: tuple[str, ...] = ()
    status: int | None = None
    fields: tuple[str, ...] = ()
    wait_s: float | None = None

    @property
    def code(self) -> FailureCode | None:
        """The code that its fields give, else the beginning of its message; None where neither is known."""
        by_word = (_BY_WORD.get(word) for word in self.words)
        by_sentence = code_of_message(self.message, KNOWN_SENTENCES)
        vague = FailureCode.SERVER_ERROR if "server_error" in self.words else None
        return next((code for code in (*by_word, by_sentence, vague) if code is not None), None)

    @property
    def weak_code(self) -> FailureCode | None:
        """The code of a word that is also used for failures of other kinds; it counts where not even a status does."""
        return FailureCode.SERVER_ERROR if _WEAK_WORDS & set(self.words) else None


_WEAK_WORDS = frozenset({"api_error", "internal_error"})


# What Google's API reports when it fails, whether we ask it or Gemini CLI does and passes it on.
GOOGLE_REASONS = {
    "API_KEY_INVALID": FailureCode.AUTH,  # with status 400
    "API_KEY_SERVICE_BLOCKED": FailureCode.PERMISSION,
    "CREDENTIALS_MISSING": FailureCode.AUTH,
}
GOOGLE_STATUSES = {
    "DEADLINE_EXCEEDED": FailureCode.TIMEOUT,
    "INTERNAL": FailureCode.SERVER_ERROR,
    "NOT_FOUND": FailureCode.NOT_FOUND,
    "PERMISSION_DENIED": FailureCode.PERMISSION,
    "RESOURCE_EXHAUSTED": FailureCode.RATE_LIMIT,
    "UNAUTHENTICATED": FailureCode.AUTH,
    "UNAVAILABLE": FailureCode.OVERLOADED,
}
_DAILY_QUOTA = "daily quota"
_BY_WORD = {
    **GOOGLE_REASONS,
    **GOOGLE_STATUSES,
    _DAILY_QUOTA: FailureCode.QUOTA,
    "access_terminated_error": FailureCode.PERMISSION,
    "authentication_error": FailureCode.AUTH,
    "billing_error": FailureCode.QUOTA,
    "billing_hard_limit_reached": FailureCode.QUOTA,
    "billing_not_active": FailureCode.QUOTA,
    "content_filter": FailureCode.REFUSED,
    "content_policy_violation": FailureCode.REFUSED,
    "context_length_exceeded": FailureCode.CONTEXT_TOO_LONG,
    "exceed_context_size_error": FailureCode.CONTEXT_TOO_LONG,
    "insufficient_quota": FailureCode.QUOTA,
    "invalid_api_key": FailureCode.AUTH,
    "model_not_found": FailureCode.NOT_FOUND,
    "not_found_error": FailureCode.NOT_FOUND,
    "overloaded_error": FailureCode.OVERLOADED,
    "permission_error": FailureCode.PERMISSION,
    "rate_limit_error": FailureCode.RATE_LIMIT,
    "rate_limit_exceeded": FailureCode.RATE_LIMIT,
    "request_too_large": FailureCode.CONTEXT_TOO_LONG,
    "server_is_overloaded": FailureCode.OVERLOADED,
    "slow_down": FailureCode.RATE_LIMIT,
    "timeout_error": FailureCode.TIMEOUT,
    "unavailable_error": FailureCode.OVERLOADED,
    "FreeUsageLimitError": FailureCode.QUOTA,
    "GoUsageLimitError": FailureCode.QUOTA,
    "NotFoundError": FailureCode.NOT_FOUND,
    "UnrecognizedClientException": FailureCode.AUTH,
}
"""Types and codes of errors in the fields that APIs have for them."""

_OVERFLOWS = (
    r"exceeds? the available context size",
    r"exceeds? (?:the |this )?(?:model'?s? )?(?:maximum |max )?context (?:length|window|limit|size)",
    r"exceeds the maximum number of tokens allowed",
    r"exceed context limit",
    r"exceeds max context window",
    r"input tokens exceed the configured limit",
    r"maximum context length",
    r"longer than the (?:model'?s? |maximum )?(?:context|model length)",
    r"larger than the max context size",
    r"context size has been exceeded",
    r"prompt is (?:too long|longer than the context)",
    r"prompt tokens \(\d+\) exceed model maximum",
)
"""Messages of servers about prompts longer than the model's context; the status is only 400."""

_OVERFLOW = re.compile(rf"(?:[^\n]{{0,200}}\b)?(?:{'|'.join(_OVERFLOWS)})", re.IGNORECASE)
_HIT = (
    r"(?:You['’]ve hit your |(?:Claude(?: AI)? |Codex |Your )?[Uu]sage limit (?:has been )?reached\b"
    r"|Credit balance is too low\b)"
)

KNOWN_SENTENCES: Sentences = {
    _OVERFLOW: FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"Trying to keep the first \d+ tokens when "): FailureCode.CONTEXT_TOO_LONG,  # LM Studio
    re.compile(r"The input token count "): FailureCode.CONTEXT_TOO_LONG,  # Google
    re.compile(_HIT): FailureCode.QUOTA,
    re.compile(r"Quota exceeded\b|You exceeded your current quota\b"): FailureCode.QUOTA,
    re.compile(r"Your credit balance is too low\b|Insufficient (?:credits|[Bb]alance)\b"): FailureCode.QUOTA,
    re.compile(r"(?:Error: )?No key found\b|Invalid API key\b|Not logged in\b"): FailureCode.AUTH,
    re.compile(r"(?:Error: )?'?Unknown model\b"): FailureCode.NOT_FOUND,
    re.compile(r"The model `[^`\n]{1,200}` does not exist\b"): FailureCode.NOT_FOUND,
    re.compile(r"[Tt]he model is (?:still )?loading\b|Loading model\b|server busy\b"): FailureCode.OVERLOADED,
}
"""Beginnings of messages of programs and servers of which no field gives the kind."""

_NOTICES: Sentences = {
    re.compile(_HIT + r".{0,200}"): FailureCode.QUOTA,
    re.compile(r"Invalid API key · .{0,100}|Please run /login.{0,100}|Not logged in.{0,100}"): FailureCode.AUTH,
    re.compile(r"Prompt is too long\.?"): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"API Error: (?P<status>\d{3})\b.{0,300}"): None,
    re.compile(
        r"The model returned no content because the response was blocked by content filtering\."
    ): FailureCode.REFUSED,
}
"""Whole answers that are failures: output of known tools in place of an answer."""


def code_of_notice(notice: str) -> FailureCode | None:
    """Return the code of an answer that is only a known tool's sentence on a failure; else None."""
    for pattern, code in _NOTICES.items():
        if match := pattern.fullmatch(notice):
            return (code_of_status(int(match["status"])) or FailureCode.UNKNOWN) if code is None else code
    return None


_LONGEST_LINE = 300
"""Characters of a text that is no JSON and still has content for people."""

_DEPTH = 4


def cause_in(body: str, depth: int = _DEPTH) -> Cause:
    """The cause that a response body or a line of output gives: JSON of any usual shape, or a short text."""
    try:
        return cause_of(json.loads(body), depth)
    except (ValueError, RecursionError):
        return Cause(_first_line(body))


def cause_of(value: object, depth: int = _DEPTH) -> Cause:
    """The cause in decoded JSON: ``error``, ``detail``, ``message`` or ``errors[0]``, nested or not."""
    if isinstance(value, str):
        return Cause(_first_line(value)) if value.strip() else Cause()
    if isinstance(value, list):
        causes = [cause_of(each, depth - 1) for each in cast("list[object]", value)[:_DEPTH]] if depth else []
        first = next((each for each in causes if each.message), causes[0] if causes else Cause())
        return replace(first, fields=tuple(name for each in causes for name in each.fields))
    if not isinstance(value, dict) or not depth:
        return Cause()
    table = cast("dict[str, object]", value)
    inner = next((cause for name in _NESTED if (cause := cause_of(table.get(name), depth - 1)) != Cause()), Cause())
    if isinstance(passed_on := table.get("metadata"), dict):  # as OpenRouter passes on what the model's own server sent
        raw = cast("dict[str, object]", passed_on).get("raw")
        inner = cause_in(raw, depth - 1) if isinstance(raw, str) and raw.strip() else inner
    further = _cause_in_details(table.get("details"))
    own = next((text for name in _MESSAGES if (text := _sentence(table.get(name)))), "")
    if own.lstrip().startswith("{") and depth > 1:  # a body that is passed on as it came
        inner = cause_in(own, depth - 1)
        own = "" if inner.message else own
    words = tuple(str(table[name]) for name in _WORDS if isinstance(table.get(name), str))
    status = next((number for name in _STATUSES if (number := _status(table.get(name)))), None)
    place = table.get("loc")
    refused = (str(cast("list[object]", place)[-1]),) if isinstance(place, list) and place else ()
    message = inner.message or _first_line(own) or further.message
    if refused and message:
        message = f"{refused[0]}: {message}"
    param = table.get("param")
    named = (_PATH_END.split(param, maxsplit=1)[0],) if isinstance(param, str) and param else ()
    return Cause(
        message,
        (*inner.words, *further.words, *words),
        inner.status or status,
        (*inner.fields, *refused, *named),
        next((seconds for seconds in (inner.wait_s, further.wait_s) if seconds is not None), None),
    )


def _cause_in_details(value: object) -> Cause:
    """Read the details of Google's messages: reasons, exhausted quotas, and when to try again."""
    words: list[str] = []
    message, wait_s = "", None
    for each in cast("list[object]", value)[:_MOST_DETAILS] if isinstance(value, list) else [value]:
        if isinstance(each, str):
            message = message or _first_line(each)
        if not isinstance(each, dict):
            continue
        table = cast("dict[str, object]", each)
        words += [reason] if isinstance(reason := table.get("reason"), str) else []
        violations = table.get("violations")
        quotas = cast("list[object]", violations)[:_MOST_DETAILS] if isinstance(violations, list) else []
        words += [_DAILY_QUOTA] if any("PerDay" in str(quota) for quota in quotas) else []
        if isinstance(delay := table.get("retryDelay"), str) and (seconds := _DELAY.fullmatch(delay)):
            wait_s = float(seconds[1])
        message = message or _first_line(_sentence(table.get("message")))
    return Cause(message, tuple(words), wait_s=wait_s)


_MOST_DETAILS = 20
_DELAY = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")
_PATH_END = re.compile(r"[.\[]")
_CODE_WORD = re.compile(r"[A-Z][A-Z0-9_]{2,}")


def _sentence(value: object) -> str:
    """Return ``value`` if it is a sentence for people."""
    return value if isinstance(value, str) and value.strip() and not _CODE_WORD.fullmatch(value) else ""


_NESTED = ("error", "errors", "detail", "fault")
_MESSAGES = (
    "message",
    "msg",
    "error_description",
    "error_message",
    "errorMessage",
    "Message",
    "description",
    "title",
    "reason",
)
_WORDS = ("code", "type", "status", "__type", "name")
_STATUSES = ("code", "status", "statusCode", "status_code", "http_code")


def _status(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600 else None


def _first_line(text: str) -> str:
    """Return the first line with content of a text; of a page of HTML its title."""
    text = text.lstrip("\ufeff \t\r\n")[: 4 * _LONGEST_LINE]
    if text.startswith("<"):
        title = re.search(r"<title[^<>]{0,100}>([^<>]{1,200})</title", text, re.IGNORECASE)
        return " ".join(title[1].split()) if title else ""
    return text.partition("\n")[0].strip()[:_LONGEST_LINE]


def first_words(text: str, limit: int = 100) -> str:
    """Return the first words of an unreadable output, to quote in a failure; empty where there are none."""
    return one_line(for_terminal(text[: 20 * limit]), limit)


def failed(
    asked: AskedQuestion, code: FailureCode, detail: str, *, hint: str = "", duration_ms: int = 0, redactions: int = 0
) -> Failure:
    """Return a failure with a presentable detail, followed by a ``hint`` of ours, which is never cut.

    ``redactions`` counts secrets already removed from ``detail``.
    """
    shown = asked.redactor.redact(for_terminal(detail))
    line = one_line(shown.text, DETAIL_LIMIT - len(hint) - 2) if hint else one_line(shown.text, DETAIL_LIMIT)
    if hint and line:
        line = f"{line.rstrip('.')}. {hint}"
    return Failure(
        tool=asked.tool,
        code=code,
        detail=line or hint or f"{asked.tool} gave no reason.",
        retryable=code in RETRYABLE,
        duration_ms=duration_ms,
        redactions=redactions + shown.count,
    )


GOOGLE_SENTENCES: Sentences = {re.compile(r"The input token count "): FailureCode.CONTEXT_TOO_LONG}
"""Of status INVALID_ARGUMENT (400), which is too general."""
