"""What was typed, as the values that a request may have."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sparring.errors import UsageError
from sparring.schema.base import Effort, Language, RepoAccess
from sparring.text.tidying import one_line

R = TypeVar("R")
Kind = TypeVar("Kind", bound=StrEnum)

_VALUE_SHOWN = 100
"""Characters of a refused value that an error repeats."""

_LONG_FIELDS = frozenset({"topic", "question", "claim", "truth"})
"""Fields whose value an error does not repeat."""

_LANGUAGE = TypeAdapter[str](Language)


def valid(build: Callable[[], R]) -> R:
    """What ``build`` makes; what its record refuses is raised as a ``UsageError``."""
    try:
        return build()
    except ValidationError as error:
        raise UsageError(" ".join(_sentence(problem) for problem in error.errors())) from error


def one_of(kinds: type[Kind], wish: str, called: str) -> Kind:
    """The one of ``kinds`` that ``wish`` spells; raises ``UsageError``. ``called`` begins the sentence."""
    try:
        return kinds(wish)
    except ValueError as error:
        raise UsageError(f"{called} must be one of {', '.join(kinds)}; it is {_shown(wish)}.") from error


def effort(wish: str) -> Effort:
    """How hard to think; medium unless told otherwise."""
    return one_of(Effort, wish or Effort.MEDIUM, "The effort")


def repo_access(wish: str) -> RepoAccess:
    """What may be seen of the project; nothing unless told otherwise."""
    return one_of(RepoAccess, wish or RepoAccess.NONE, "The repository access")


def language(wish: str) -> Language:
    """What reasons are to be written in; English unless told otherwise."""
    try:
        return _LANGUAGE.validate_python(wish.strip() or "en")
    except ValidationError as error:
        raise UsageError(f"The language must be a tag such as en, vi or pt-BR; it is {_shown(wish)}.") from error


def _sentence(problem: ErrorDetails) -> str:
    """One fault of a request, in a sentence that names the field and what it should be."""
    field = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "value_error":
        said = problem["msg"].removeprefix("Value error, ")
        return f"{field}: {said}." if field else f"{said.capitalize()}."
    if problem["type"] == "string_unicode":
        return f"{field}: it is not UTF-8 text."
    if problem["type"] == "too_long" and isinstance(problem["input"], str):
        return f"{field}: string should have at most {problem.get('ctx', {})['max_length']} characters."
    shown = _shown(problem["input"])
    if problem["type"] == "string_pattern_mismatch":
        return f"{field}: {shown} begins with a hyphen or holds characters that are not allowed there."
    given = "" if field in _LONG_FIELDS else f", it is {shown}"
    return f"{field}: {problem['msg'][0].lower()}{problem['msg'][1:]}{given}."


def _shown(value: object) -> str:
    return one_line(repr(value), _VALUE_SHOWN)
