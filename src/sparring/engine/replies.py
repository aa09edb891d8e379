"""Reading of the JSON object that a model was asked for: strict in the fields that decide, lenient in all others.

A decision comes from exactly one readable object of the requested form. Two that differ in a deciding field, or one
next to another, unreadable attempt, are no answer: a judge that reports an attempt to dictate the
verdict writes two verdicts, and code cannot know which of them it means.

A form declares once which of its fields decide (``ReplyForm.deciding``). Each of the others has a default, which
applies where the reply has nothing readable; their names are reported (``FilledForm.defaulted``). Where the entries
of a list are forms of their own (``Entries``), each is read by itself, and an unreadable one does not void the others.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar, cast

from msgspec import Struct
from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic_core import CoreSchema, core_schema

from sparring.engine.course import UnusableReplyError
from sparring.engine.lenient import plain_name
from sparring.schema.base import Record
from sparring.text.extraction import Json, LocatedJson, find_json, remainder, repaired_json
from sparring.text.words import words

_MOST_PROBLEMS = 20
_MOST_OBJECTS = 64
"""Objects of one reply that are examined. A reply with more is not an answer with an object in it."""

_DEPTH = 3
"""Levels of objects around the requested one that are taken off."""

_SHORTEST_COPY = 12
"""Characters of a text of the form that count as copied: shorter ones may be an answer."""

_FEWEST_REMAINS = 2
"""Fields of an entry next to the list of entries that show a torn one. One alone may be about the list."""

COPIED = "The reply repeats the example of the form instead of filling it in."
MISSING = "There is no JSON object in the reply."
AMBIGUOUS = "A key occurs twice in the object, or a value is not JSON."


class ReplyForm(Record):
    """A record that a model fills in.

    Its fields stand in the order in which a model should write them: findings first, then conclusions.
    Enums have the words of the prompt.

    Attributes:
        form: Its name, for servers that take a schema.
        deciding: Its fields that decide something, by the names that JSON has for them. All others need a default.
        marks: An object with any of these fields is taken for one of this form. By default, the first deciding
            field.
        spellings: Other names under which fields are accepted.
        derived: Optional fields: code knows their value without the reply, or a missing one means nothing.
        unasked: Fields that are read if they come, and that no prompt requests.
        bare: A deciding field of every entry of the list, which is then accepted without the object around it.
        examples: Texts of the form as prompts show it. An answer that repeats them has not been filled in.
    """

    form: ClassVar[str] = ""
    deciding: ClassVar[tuple[str, ...]] = ()
    marks: ClassVar[tuple[str, ...]] = ()
    spellings: ClassVar[Mapping[str, str]] = {}
    derived: ClassVar[frozenset[str]] = frozenset()
    unasked: ClassVar[frozenset[str]] = frozenset()
    bare: ClassVar[str] = ""
    examples: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _names_in_any_spelling(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        fields = cls.spelled(cast("Json", data))
        if _DOUBTFUL in fields:
            raise ValueError(AMBIGUOUS)
        return fields

    @classmethod
    def spelled(cls, fields: Json) -> Json:
        """Return ``fields`` under the names of the form, ignoring case and the signs between words.

        An object that has one field under two names, with different values, is doubtful.
        """
        names = {plain_name(name): name for name in cls.names()}
        names |= {other: name for other, name in cls.spellings.items() if other not in names}
        named: Json = {}
        for key, value in fields.items():
            name = names.get(plain_name(key), key)
            if name in named and named[name] != value:
                named[_DOUBTFUL] = True
            named.setdefault(name, value)
        return named

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of its fields in JSON."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def marked(cls) -> tuple[str, ...]:
        """The fields that make an object one of this form."""
        return cls.marks or cls.deciding[:1]


_Form = TypeVar("_Form", bound=ReplyForm)


class FilledForm(Struct, Generic[_Form], frozen=True):
    """Parsed form of a reply.

    Attributes:
        defaulted: Fields that do not decide and that the reply left out or filled with an unreadable value.
    """

    value: _Form
    defaulted: tuple[str, ...] = ()


def read_form(reply: str, kind: type[_Form]) -> FilledForm[_Form]:
    """Return the one filled form of this kind in ``reply``; of several with the same decision, the most complete.

    Raises:
        UnusableReplyError: There is no readable one, or another one decides differently.
    """
    objects, torn = _objects_of(reply, kind)
    if not objects:
        raise UnusableReplyError(_what_is_missing(reply, kind))
    filled: list[tuple[Json, FilledForm[_Form]]] = []
    attempts: list[tuple[Json, UnusableReplyError]] = []
    for fields in objects:
        try:
            filled.append((fields, filled_form(fields, kind)))
        except UnusableReplyError as error:
            if str(error) != COPIED:  # a repeated example of the prompt is no attempt to answer
                attempts.append((fields, error))
    if not filled:
        raise attempts[-1][1] if attempts else UnusableReplyError(COPIED)

    # The last of several equally complete ones: models correct themselves further down.
    best_fields, best = min(reversed(filled), key=lambda pair: len(pair[1].defaulted))
    differing = _second_answer(best_fields, best.value, filled, [fields for fields, _ in attempts], torn)
    if differing:
        raise UnusableReplyError(
            f"The reply contains two answers that differ in `{differing}`. Give one JSON object only."
        )
    return best


def _second_answer(
    best_fields: Json,
    best: _Form,
    filled: Sequence[tuple[Json, FilledForm[_Form]]],
    unreadable: Iterable[Json],
    torn: Iterable[tuple[str, object]],
) -> str:
    """Return a field in which another answer differs from the best one; empty if there is none."""
    kind = type(best)
    for fields, form in filled:
        if fields is not best_fields and (name := _difference(form.value, best, kind, {*fields} & {*best_fields})):
            return name
    # An unreadable or torn object may have been meant as another answer. Its marks show whether it differs.
    for fields in unreadable:
        different = [mark for mark in kind.marked() if _may_differ(fields.get(mark), best_fields.get(mark))]
        if different:
            return different[0]
        if _DOUBTFUL in fields:
            return kind.marked()[0]
    for name, value in torn:
        if _may_differ(value, best_fields.get(name)):
            return name
    return ""


def _what_is_missing(reply: str, kind: type[ReplyForm]) -> str:
    if not find_json(reply):
        return MISSING
    return f"No JSON object in the reply has the field `{kind.marked()[0]}`."


def filled_form(fields: Json, kind: type[_Form]) -> FilledForm[_Form]:
    """Return ``fields`` as a form of this kind. Unknown fields are ignored.

    Raises:
        UnusableReplyError: A field that decides is missing or cannot be read, or the form was copied.
    """
    given = kind.spelled(fields)
    if _DOUBTFUL in given:
        raise UnusableReplyError(AMBIGUOUS)
    if _is_copied(given, kind):
        raise UnusableReplyError(COPIED)
    kept = dict(given)
    unreadable_fields: list[str] = []
    while True:
        shortened: dict[str, None] = {}  # filled by ``lenient.EACH``: lists of which entries were left out
        try:
            value = kind.model_validate(kept, extra="ignore", context=shortened)
            break
        except ValidationError as error:
            # Fields that decide nothing are dropped, so that their defaults apply, and the rest is read again.
            faulty = dict.fromkeys(str(problem["loc"][0]) for problem in error.errors() if problem["loc"])
            removable = [name for name in faulty if name in kept and name not in kind.deciding]
            if not removable or len(removable) < len(faulty):
                raise UnusableReplyError(problems_of(error)) from error
            for name in removable:
                del kept[name]
            unreadable_fields += removable
    missing = [name for name in kind.names() if name not in given]
    defaulted = dict.fromkeys((*unreadable_fields, *shortened, *missing))
    silent = {*kind.deciding, *kind.derived, *kind.unasked}
    return FilledForm(value, tuple(name for name in defaulted if name not in silent))


class ReadEntry(Struct, Generic[_Form], frozen=True):
    """An entry of a list whose entries are forms: its content, or why it cannot be read."""

    filled: FilledForm[_Form] | None
    problem: str = ""

    @property
    def value(self) -> _Form | None:
        """The form; None if it cannot be read."""
        return self.filled.value if self.filled else None


def readable(entries: Iterable[ReadEntry[_Form]]) -> tuple[_Form, ...]:
    """Return what those of ``entries`` say that can be read."""
    return tuple(each.value for each in entries if each.value)


def unreadable(entries: Iterable[ReadEntry[Any]]) -> tuple[str, ...]:
    """Return the problems of the unreadable ones."""
    return tuple(each.problem for each in entries if each.problem)


class Entries(Generic[_Form]):
    """Reads a list of forms one by one, and a single form as a list of one.

    Entries after the last that is read are counted as unreadable.
    """

    def __init__(self, kind: type[_Form], most: int) -> None:
        self.kind = kind
        self.most = most

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The reader, in place of the validator that pydantic would derive from the annotation."""
        del source, handler
        return core_schema.no_info_plain_validator_function(self._read)

    def _read(self, raw: object) -> tuple[ReadEntry[_Form], ...]:
        if isinstance(raw, tuple):  # as a default, or read already
            return cast("tuple[ReadEntry[_Form], ...]", raw)
        if not isinstance(raw, dict | list):
            raise ValueError("must be a list")  # noqa: TRY004 -- the error that pydantic turns into a problem
        listed = cast("list[object]", raw if isinstance(raw, list) else [raw])
        entries = [self._entry(entry, number) for number, entry in enumerate(listed[: self.most], start=1)]
        if len(listed) > self.most:
            more = len(listed) - self.most
            entries.append(ReadEntry(None, f"{more:,} entries behind the first {self.most} are not read."))
        return tuple(entries)

    def _entry(self, entry: object, number: int) -> ReadEntry[_Form]:
        if not isinstance(entry, dict):
            return ReadEntry(None, f"Entry {number} is not an object.")
        try:
            return ReadEntry(filled_form(cast("Json", entry), self.kind))
        except UnusableReplyError as error:
            return ReadEntry(None, f"Entry {number}: {'; '.join(str(error).splitlines())}")


def problems_of(error: ValidationError) -> str:
    """Describe the problems of a record, one a line, in words for a model and for people."""
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
"""Sentences for pydantic's error types, filled with the values of the error."""


def _problem(problem: Any) -> str:
    place = ".".join(map(str, problem["loc"]))
    sentence = _PROBLEMS.get(problem["type"], "cannot be read").format_map(problem.get("ctx", {}))
    return f"{place}: {sentence}" if place else sentence


def _objects_of(reply: str, kind: type[ReplyForm]) -> tuple[list[Json], list[tuple[str, object]]]:
    """Return the objects of this kind in ``reply``, and the marks of torn ones with their values."""
    strict = find_json(reply)[:_MOST_OBJECTS]
    torn = _torn(remainder(reply, strict, emptied=True), kind)
    if not torn:
        return _requested(strict, kind), []
    # Some object is broken: it is repaired where that is safe, and replaces the valid objects inside it.
    repaired = repaired_json(reply, strict)
    outside = [valid for valid in strict if not any(outer.start <= valid.start < outer.end for outer in repaired)]
    outermost = tuple(sorted((*outside, *repaired), key=lambda located: located.start))
    return _requested(outermost, kind), _torn(remainder(reply, outermost, emptied=True), kind)


def _requested(objects: Iterable[LocatedJson], kind: type[ReplyForm]) -> list[Json]:
    requested: list[Json] = []
    for located in objects:
        requested += _of_kind(located.value, kind, is_doubtful=located.is_doubtful)
    return requested


def _of_kind(value: object, kind: type[ReplyForm], depth: int = _DEPTH, *, is_doubtful: bool) -> Iterator[Json]:
    """Yield the object itself, or those that it wraps: as a member, as an entry of a list, or as JSON in a text."""
    table = _meant_as(value, kind)
    if table is not None:
        yield {_DOUBTFUL: True} if is_doubtful or _is_run_together(table, kind) else table
        return
    if not depth:
        return
    if isinstance(value, list):
        for entry in cast("list[object]", value)[:_MOST_OBJECTS]:
            yield from _of_kind(entry, kind, depth - 1, is_doubtful=is_doubtful)
    elif isinstance(value, dict):
        contents = {*kind.names()} - {*kind.marked()}
        for name, member in kind.spelled(cast("Json", value)).items():
            if isinstance(member, str) and name in _ENVELOPES:
                for inner in find_json(member):
                    yield from _of_kind(inner.value, kind, depth - 1, is_doubtful=is_doubtful or inner.is_doubtful)
            elif name not in contents:  # the content of a field of the form belongs to it, and is no answer
                yield from _of_kind(member, kind, depth - 1, is_doubtful=is_doubtful)


def _meant_as(value: object, kind: type[ReplyForm]) -> Json | None:
    """Return ``value`` as an object of this kind: one with a mark of the kind, or entries without an object."""
    if isinstance(value, dict):
        table = kind.spelled(cast("Json", value))
        for mark in kind.marked():
            if mark in table:
                inner = table[mark]
                wraps = isinstance(inner, dict) and mark in inner  # as in {"winner": {"winner": "a"}}
                return None if wraps else table
        entries: list[object] = [table]
    elif isinstance(value, list):
        entries = cast("list[object]", value)
    else:
        return None
    return {kind.deciding[0]: entries} if kind.bare and _are_entries(entries, kind) else None


def _is_run_together(table: Json, kind: type[ReplyForm]) -> bool:
    """Return whether an object has a list of entries and the rest of an entry that has lost its beginning."""
    entry = _kind_of_entries(kind)
    return entry is not None and len({*entry.names()} & {*entry.spelled(table)}) >= _FEWEST_REMAINS


_ENVELOPES = frozenset(
    {"answer", "content", "final_answer", "json", "message", "output", "reply", "response", "result", "text"}
)
"""Members of an envelope that may hold the answer as JSON in a text. In any other text JSON is only quoted."""


def _are_entries(listed: list[object], kind: type[ReplyForm]) -> bool:
    """Return whether these are entries of the list that decides. An empty list without its name may be any other."""
    named = (isinstance(each, dict) and kind.bare in map(plain_name, cast("Json", each)) for each in listed)
    return bool(listed) and all(named)


_DOUBTFUL = "\0doubtful"
"""A key that no JSON has: of an object that has two readings, none is taken."""


def _torn(rest: str, kind: type[ReplyForm]) -> list[tuple[str, object]]:
    """Return the values after the names of the fields that identify a form, outside of parsed objects.

    The rest of an entry counts as a separate list: an empty one next to it may be the beginning of a torn list.
    """
    entry = _kind_of_entries(kind)
    inner = entry.deciding if entry else ()
    names = "|".join(map(re.escape, (*kind.marked(), *inner)))
    mark = re.compile(
        rf"""["'“”‘’]({names})["'“”‘’]\s*+:\s*+(?:["'“”‘’]([^"'“”‘’\n]{{0,200}})|([\[{{]|[\w.-]+))""", re.IGNORECASE
    )
    torn: list[tuple[str, object]] = []
    for match in mark.finditer(rest):
        name, text, start = match[1].lower(), match[2], match[3]
        # Of a list or an object only the start is known. In a list of its own it equals no single value.
        value = [start] if text is None else text
        torn.append((kind.marked()[0], [value]) if name in inner else (name, value))
    return torn


def _kind_of_entries(kind: type[ReplyForm]) -> type[ReplyForm] | None:
    """The form of the entries, where nothing decides but a list of them."""
    about = kind.model_fields[kind.deciding[0]].metadata if kind.bare else ()
    return next((cast("Entries[ReplyForm]", each).kind for each in about if isinstance(each, Entries)), None)


def _may_differ(one: object, other: object) -> bool:
    """Return whether two readings of a field may be different; one that is missing differs from none."""
    return one is not None and other is not None and _plain(one) != _plain(other)


def _difference(one: ReplyForm, other: ReplyForm, kind: type[ReplyForm], both: set[str]) -> str | None:
    """Return the first deciding field, of those that both replies have, in which they differ."""
    for name in kind.deciding:
        if name in both and _plain(_decisive(one, name)) != _plain(_decisive(other, name)):
            return name
    return None


def _decisive(form: ReplyForm, name: str) -> object:
    """Return the value of a deciding field, without those parts of it that do not decide."""
    attributes = {field.alias or attribute: attribute for attribute, field in type(form).model_fields.items()}
    return _without_trifles(getattr(form, attributes[name]))


def _without_trifles(value: object) -> object:
    if isinstance(value, ReadEntry):
        entry = cast("ReadEntry[ReplyForm]", value)
        return _without_trifles(entry.value or entry.problem)
    if isinstance(value, ReplyForm):
        return {name: _decisive(value, name) for name in type(value).deciding}
    if isinstance(value, tuple):
        return [_without_trifles(each) for each in cast("tuple[object, ...]", value)]
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value


def _plain(value: object) -> object:
    """``value`` without what makes no difference: case, punctuation and white space of texts, the order of lists."""
    if isinstance(value, str):
        return " ".join(words(value.casefold()))
    if isinstance(value, list | tuple):
        return sorted(json.dumps(_plain(each), sort_keys=True) for each in cast("Iterable[object]", value))
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in cast("Mapping[object, object]", value).items()}
    return value


_ALTERNATIVES = re.compile(r"\w\s*+\|\s*+\w")
_DOTS = frozenset({"...", "…", "<...>", "[...]"})


def _is_copied(fields: Json, kind: type[ReplyForm]) -> bool:
    """Return whether a field that decides still has the example's content: all alternatives, dots, or its text."""
    label = fields.get(kind.deciding[0])
    if isinstance(label, str) and _ALTERNATIVES.search(label):
        return True
    for name in kind.deciding:
        for text in map(str.strip, _texts(fields.get(name))):
            if text in _DOTS or (len(text) >= _SHORTEST_COPY and text in kind.examples):
                return True
    return False


def _texts(value: object, depth: int = 8) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, list | dict):
        table = cast("dict[str, object] | list[object]", value)
        for each in table.values() if isinstance(table, dict) else table:
            yield from _texts(each, depth - 1)
