"""Causes in the output of a program whose own events name none: one routine for every program and agent."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from sparring.providers.receiving.causes import (
    KNOWN_SENTENCES,
    Cause,
    Sentences,
    cause_of,
    code_of_message,
    code_of_status,
)
from sparring.providers.receiving.framing import cleaned
from sparring.schema.consultation import FailureCode
from sparring.text.extraction import find_json, remainder

_PART = 512 * 1024
"""Characters at the end of a stream that are searched."""

_LINES = 200
"""Lines, from the first and from the last one on, that are searched for a known sentence."""

_SHORT = 4_000
"""Characters of a standard output that may consist of nothing but a message; a longer one may be half an answer."""

_TIME = r"\[?\d{4}-\d\d-\d\d[T ][\d:.,]{1,20}Z?\]?\s{1,3}"
_KIND = r"\W{0,4}(?:[\w.]{0,80}(?:error|exception)|fatal|failed)\b(?! code\b)\W{1,3}"
_PREFIX = re.compile(rf"(?:{_TIME})?(?:{_KIND}){{0,3}}", re.IGNORECASE)
"""Words before the message itself: a time, and that it is an error, or the class of the exception."""

_ERROR = re.compile(r"\W{0,4}(?:[\w.]{0,80}(?:Error|Exception)\b|error\b|fatal\b|panic)", re.IGNORECASE)
_ERROR_KEYS = ("error", "errors", "fault", "detail")
_LEVELS = frozenset({"error", "fatal", "critical"})

_STATUS = r"['\"(\[]?(?P<status>[45]\d\d)\b"
_BEFORE_STATUS = (
    r"(?:(?:API|Client|HTTP|Server) error(?: code)?:?|Error code:|HTTP(?:/\d(?:\.\d)?)?|(?:HTTP )?status(?: code)?:?"
    r"|(?:API|Client|HTTP|Server) error \(status(?: code)?:?|Request failed with status(?: code)?:?|Request rejected"
    r"|The requested URL returned error:|exceeded retry limit, last status:|unexpected status) "
)
_AFTER_STATUS = (
    r"['\")\]]?:? {1,3}(?:(?:Client|Server) Error\b|Bad Gateway|Forbidden|Gateway Time-?out|Internal Server Error"
    r"|Overloaded|Payload Too Large|Payment Required|Rate[ -]?limit|Request Time-?out|RESOURCE_EXHAUSTED"
    r"|Resource has been exhausted|Service (?:Temporarily )?Unavailable|Too Many Requests|Unauthorized|UNAVAILABLE)"
)
_PROGRAM = r"(?:[\w-][\w.-]{0,80}: (?:\(\d{1,4}\) )?)?"
"""A program before its message, as curl prints it, or the class of an exception by any name."""

_LIMITED = (
    r"(?:API |Request |Token |The |You(?: are|['’]re| have been) (?:being )?)?Rate[ -]?limit"
    r"(?:ed\b|(?: is| was| has been)? (?:reached|exceeded|hit)\b)|Too Many Requests\b"
)

_SENTENCES: Sentences = {
    **KNOWN_SENTENCES,
    re.compile(r"[^\n]{0,100}\b429\b[^\n]{0,300}\binsufficient_quota\b"): FailureCode.QUOTA,
    re.compile(_LIMITED, re.IGNORECASE): FailureCode.RATE_LIMIT,
    re.compile(r"(?:\w{1,40}\.){0,6}(?:RateLimit|TooManyRequests)(?:Error|Exception)?:"): FailureCode.RATE_LIMIT,
    re.compile(rf"{_PROGRAM}{_BEFORE_STATUS}{_STATUS}", re.IGNORECASE): None,
    re.compile(rf"{_PROGRAM}{_STATUS}{_AFTER_STATUS}", re.IGNORECASE): None,
    re.compile(rf"Error:? {_STATUS}\)?(?:[:.,]|$)", re.IGNORECASE | re.MULTILINE): None,
}
"""Beginnings of lines by which a program gives the reason for a missing answer."""


def cause_printed(stdout: str, stderr: str) -> Cause:
    """Return the cause in a program's output; an empty one if it printed nothing.

    Standard error takes precedence over standard output, an error in JSON over a line of text, and a line that begins
    with a known sentence over any other one. Secrets must be removed before.
    """
    streams = (_Stream(stderr), _Stream(stdout, is_answer=True))
    causes = [cause for stream in streams for cause in stream.errors()]
    sentences = [line for stream in streams for line in stream.known_sentences()]
    causes += [Cause(line) for line in (*sentences, *(stream.error_line() for stream in streams))]
    named = [cause for cause in causes if cause.message or cause.words]
    return next((cause for cause in named if code_of(cause)), named[0] if named else Cause())


def code_of(cause: Cause) -> FailureCode | None:
    """The code of a cause: by its fields, its status, or the sentence that its message begins with."""
    return cause.code or code_of_status(cause.status) or code_of_line(cause.message)


def code_of_line(line: str) -> FailureCode | None:
    """The code of a line that begins with a known sentence, whether or not it is announced as an error."""
    prefix = _PREFIX.match(line)
    return code_of_message(line, _SENTENCES) or code_of_message(line[prefix.end() if prefix else 0 :], _SENTENCES)


class _Stream:
    def __init__(self, printed: str, *, is_answer: bool = False) -> None:
        text = cleaned(printed[-_PART:])
        values = find_json(text)
        self._objects = [each for value in values for each in value.objects]
        self._text = remainder(text, values)
        self._is_answer = is_answer

    def errors(self) -> Iterator[Cause]:
        """The errors among the objects, the last one first."""
        return (cause for each in reversed(self._objects) if _is_error(each) and (cause := cause_of(each)).message)

    def known_sentences(self) -> Iterator[str]:
        if self._is_answer and len(self._text) > _SHORT:
            return iter(())
        lines = self._lines()
        ends = lines if len(lines) <= 2 * _LINES else (*lines[:_LINES], *lines[-_LINES:])
        return (line for line in ends if code_of_line(line))

    def error_line(self) -> str:
        """The first line that is announced as an error, else the last one. Hints on usage come last."""
        lines = [line.strip() for line in self._lines()]
        return next(filter(_ERROR.match, lines), lines[-1] if lines else "")

    def _lines(self) -> list[str]:
        # Not by ``splitlines``, which also splits at U+2028 and the like.
        return [line for line in self._text.split("\n") if line.strip()]


def _is_error(value: Mapping[str, object]) -> bool:
    if any(_has_error(value.get(key)) for key in _ERROR_KEYS):
        return True
    return str(value.get("level", "")).lower() in _LEVELS or value.get("type") in ("error", "turn.failed")


def _has_error(value: object) -> bool:
    """Return whether ``value`` of a member for errors is an error: not empty, false or a number such as a count."""
    return isinstance(value, str | dict | list) and bool(cast("Iterable[object]", value))
