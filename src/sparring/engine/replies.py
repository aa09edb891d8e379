"""Reading of the JSON object that a model was asked for: strict in the fields that decide, lenient in all others.

A decision comes from exactly one readable object of the requested form. Two that differ in a deciding field, or one
beside another attempt that cannot be read, are no answer: a judge that reports how somebody tried to dictate the
verdict writes two verdicts, and code cannot know which of them it means.

A form declares once which of its fields decide (``ReplyForm.deciding``). Each of the others has a default, which stands
where the reply has nothing readable; the names of those are reported (``FilledForm.defaulted``).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

from pydantic import BeforeValidator, ValidationError

from sparring.schema.base import Record
from sparring.text.extraction import Json, JsonFound, json_found, mended, remainder

_MOST_PROBLEMS = 20
_MOST_OBJECTS = 64
"""Objects of one reply that are looked at. A reply with more is not an answer with an object in it."""

_DEPTH = 3
"""Levels of objects around the requested one that are taken off."""

_SHORTEST_COPY = 12
"""Characters of a text of the form that count as copied: shorter ones may be an answer."""

COPIED = "The reply repeats the placeholders of the form instead of filling it in."
MISSING = "There is no JSON object in the reply."


class UnusableReplyError(ValueError):
    """A reply does not hold what was asked for; the message says what is wrong, for the model and for people."""


class ReplyForm(Record):
    """A record that a model fills in.

    Attributes:
        deciding: Its fields that decide something, by the names that JSON has for them; the first of them makes an
            object one of this form. All others need a default.
        examples: Texts of the form as prompts show it. An answer that repeats them has not been filled in.
    """

    deciding: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[frozenset[str]] = frozenset()


_Form = TypeVar("_Form", bound=ReplyForm)


@dataclass(frozen=True)
class FilledForm(Generic[_Form]):
    """What a reply says.

    Attributes:
        defaulted: Fields that do not decide and that the reply left out or filled with what cannot be read.
    """

    value: _Form
    defaulted: tuple[str, ...] = ()


def read_form(reply: str, kind: type[_Form]) -> FilledForm[_Form]:
    """The one filled form of this kind in ``reply``; of several that decide the same, the most complete.

    Raises:
        UnusableReplyError: There is none that can be read, or another one decides otherwise.
    """
    objects, torn = _objects_of(reply, kind)
    filled: list[tuple[Json, FilledForm[_Form]]] = []
    unread: list[tuple[Json, UnusableReplyError]] = []
    for each in objects:
        try:
            filled.append((each, filled_form(each, kind)))
        except UnusableReplyError as error:
            unread.append((each, error))
    attempts = [(each, error) for each, error in unread if str(error) != COPIED]
    if not filled:
        raise (attempts or unread)[-1][1] if unread else UnusableReplyError(MISSING)
    best, value = min(reversed(filled), key=lambda pair: len(pair[1].defaulted))
    for other, form in filled:
        if other is not best and (name := _difference(form.value, value.value, kind, {*other} & {*best})):
            raise _two_readings(name)
    for other, _ in attempts:
        if _DOUBTFUL in other or _may_differ(other.get(kind.deciding[0]), best.get(kind.deciding[0])):
            raise _two_readings(kind.deciding[0])
    if any(_may_differ(said, best.get(kind.deciding[0])) for said in torn):
        raise _two_readings(kind.deciding[0])
    return value


def _two_readings(name: str) -> UnusableReplyError:
    return UnusableReplyError(f"The reply holds two answers that differ in `{name}`. Give one JSON object only.")


def filled_form(found: Json, kind: type[_Form]) -> FilledForm[_Form]:
    """``found`` as a form of this kind. Unknown fields are ignored.

    Raises:
        UnusableReplyError: A field that decides is missing or cannot be read, or the form was copied.
    """
    if _DOUBTFUL in found:
        raise UnusableReplyError("A key stands twice in the object, or a value is no JSON.")
    if _is_copied(found, kind):
        raise UnusableReplyError(COPIED)
    said, dropped = dict(found), dict[str, None]()
    while True:
        try:
            value = kind.model_validate(said, extra="ignore")
        except ValidationError as error:
            faulty = {str(problem["loc"][0]) for problem in error.errors() if problem["loc"]}
            removable = {name for name in faulty if name in said and name not in kind.deciding}
            if not removable or faulty - removable:
                raise UnusableReplyError(problems_of(error)) from error
            for name in removable:
                del said[name]
                dropped[name] = None
        else:
            optional = (field.alias or name for name, field in kind.model_fields.items() if not field.is_required())
            missing = [name for name in optional if name not in kind.deciding and name not in found]
            return FilledForm(value, (*dropped, *missing))


def problems_of(error: ValidationError) -> str:
    """What is wrong with a record, one problem a line, in words for a model and for people."""
    problems = error.errors(include_url=False)[:_MOST_PROBLEMS]
    return "\n".join(dict.fromkeys(map(_problem, problems)))


_PROBLEMS = {
    "missing": "is missing",
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "has too few entries (at least {min_length})",
    "too_long": "has too many entries (at most {max_length})",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "value_error": "{error}",
}
"""What pydantic's types of errors are, in words for whoever filled in a form; the values come with the error."""


def _problem(problem: Any) -> str:
    place = ".".join(map(str, problem["loc"]))
    said = _PROBLEMS.get(problem["type"], "cannot be read").format_map(problem.get("ctx", {}))
    return f"{place}: {said}" if place else said


def _objects_of(reply: str, kind: type[ReplyForm]) -> tuple[list[Json], list[object]]:
    """The objects of this kind in ``reply``, and what torn ones say in the field that makes them one."""
    strict = json_found(reply)[:_MOST_OBJECTS]
    if not (torn := _torn(remainder(reply, strict), kind)):
        return _requested(strict, kind), []
    loose = mended(reply, strict)
    inner = [each for each in strict if not any(outer.start <= each.start < outer.end for outer in loose)]
    outermost = sorted((*inner, *loose), key=lambda each: each.start)
    torn = _torn(remainder(reply, tuple(outermost)), kind)
    return _requested(outermost, kind), torn


def _requested(found: Iterable[JsonFound], kind: type[ReplyForm]) -> list[Json]:
    return [each for one in found for each in _of_kind(one.value, kind, is_doubtful=one.is_doubtful)]


def _of_kind(value: object, kind: type[ReplyForm], depth: int = _DEPTH, *, is_doubtful: bool) -> Iterator[Json]:
    """The object itself, or the one that it wraps: as a member, as an entry of a list, or as JSON in a text."""
    if isinstance(value, list):
        for each in cast("list[object]", value)[:_MOST_OBJECTS] if depth else ():
            yield from _of_kind(each, kind, depth - 1, is_doubtful=is_doubtful)
    elif isinstance(value, str):
        for each in json_found(value) if depth and "{" in value else ():
            yield from _of_kind(each.value, kind, depth - 1, is_doubtful=is_doubtful or each.is_doubtful)
    elif isinstance(value, dict):
        table = cast("Json", value)
        mark = kind.deciding[0]
        inner = table.get(mark)
        if mark in table and not (isinstance(inner, dict) and mark in inner):
            yield {_DOUBTFUL: True} if is_doubtful else table
            return
        for each in table.values() if depth else ():
            yield from _of_kind(each, kind, depth - 1, is_doubtful=is_doubtful)


_DOUBTFUL = "\0doubtful"
"""A key that no JSON has: of an object that has two readings, none is taken."""


def _torn(rest: str, kind: type[ReplyForm]) -> list[object]:
    """What stands behind the name of the deciding field, between quotation marks, outside of what parses."""
    mark = re.compile(
        rf"""["'“”‘’]{re.escape(kind.deciding[0])}["'“”‘’]\s*+:\s*+(?:["'“”‘’]([^"'“”‘’\n]{{0,200}})|([\[{{]|[\w.-]+))"""
    )
    return [found[1] if found[1] is not None else [found[2]] for found in mark.finditer(rest)]


def _may_differ(one: object, other: object) -> bool:
    """Return whether two readings of a field may be different; one that is missing differs from none."""
    return one is not None and other is not None and _plain(one) != _plain(other)


def _difference(one: ReplyForm, other: ReplyForm, kind: type[ReplyForm], both: set[str]) -> str | None:
    """The first deciding field, of those that both replies have, in which they differ."""
    fields = {field.alias or name: name for name, field in kind.model_fields.items()}
    for name in kind.deciding:
        if name in both and name in fields:
            values = [form.model_dump(mode="json", include={fields[name]}) for form in (one, other)]
            if _plain(values[0]) != _plain(values[1]):
                return name
    return None


def _plain(value: object) -> object:
    """``value`` without what makes no difference: case, punctuation and white space of texts, the order of lists."""
    if isinstance(value, str):
        return " ".join(_WORD.findall(value.casefold()))
    if isinstance(value, list | tuple):
        return sorted(json.dumps(_plain(each), sort_keys=True) for each in cast("Iterable[object]", value))
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in cast("Mapping[object, object]", value).items()}
    return value


_WORD = re.compile(r"\w+")
_ALTERNATIVES = re.compile(r"\w+\s*+\|\s*+\w+")
_DOTS = frozenset({"...", "…", "<...>", "[...]"})


def _is_copied(found: Json, kind: type[ReplyForm]) -> bool:
    texts = [text.strip() for name in kind.deciding for text in _texts(found.get(name))]
    label = found.get(kind.deciding[0])
    if isinstance(label, str) and (_ALTERNATIVES.search(label) or label.strip() in _DOTS):
        return True
    return any(text in _DOTS or (len(text) >= _SHORTEST_COPY and text in kind.examples) for text in texts)


def _texts(value: object, depth: int = 8) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, list | dict):
        table = cast("dict[str, object] | list[object]", value)
        for each in table.values() if isinstance(table, dict) else table:
            yield from _texts(each, depth - 1)


_NOTHING = frozenset({"", "-", "n/a", "none", "nothing", "null"})


def _listed(value: object) -> object:
    if value is None:
        return ()
    entries = cast("list[object]", value) if isinstance(value, list | tuple) else [value]
    return [each for each in entries if not (isinstance(each, str) and each.strip(" \t\n.").casefold() in _NOTHING)]


LISTED = BeforeValidator(_listed)
"""Reads one entry as a list of one, null as an empty list, and leaves out entries such as "None"."""


def _share(value: object) -> object:
    """A number from 0 to 1, of ``0.9``, ``"0.9"``, ``"90 %"`` and ``90``; anything else as it is."""
    number = _number(value)
    if number is None:
        return value
    is_percentage = number > 1 or (isinstance(value, str) and value.rstrip().endswith("%"))
    return number / 100 if is_percentage else number


_NUMBER = re.compile(r"\s*([+-]?\d{1,12}(?:[.,]\d{1,12})?)\s*%?\s*")


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return float(found[1].replace(",", ".")) if found else None


SHARE = BeforeValidator(_share)


def _plain_number(value: object) -> object:
    number = _number(value)
    return value if number is None else number


NUMBER = BeforeValidator(_plain_number)
"""Reads a number that stands between quotation marks."""


def _word(value: object) -> object:
    """A label without emphasis, in lower case, its words joined by underscores."""
    return "_".join(_LETTERS.findall(value.casefold())) if isinstance(value, str) else value


_LETTERS = re.compile(r"[^\W_]+")

WORD = BeforeValidator(_word)
"""Reads a label in any spelling: ``**Partially faithful**`` is ``partially_faithful``."""
