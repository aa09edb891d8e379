"""Runs as the store keeps them, one a file below ``tests/data/runs``, and what a test makes of them.

Each has what is rare: a judge asked twice, a quote that was altered, an entry that was taken out. A test names the run
and what is different in it.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from sparring.formats.registry import FORMATS
from sparring.schema.runs import Outcome, Request, Run
from sparring.schema.transcript import Turn
from support.runs import run

_DATA = Path(__file__).parents[1] / "data" / "runs"
_OURS = frozenset({"run_id", "ask_id", "sparring_version", "notices", "kind", "type", "label"})
"""Keys that mark our own records."""

_Changed = TypeVar("_Changed", bound=BaseModel)


@cache
def _stored(name: str) -> Run:
    return _read(json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8")))


def _validated(kind: type[_Changed], part: Any, _place: tuple[str, ...]) -> _Changed:
    return kind.model_validate(part)


def _read(found: dict[str, Any], validate: Callable[[type[Any], Any, tuple[str, ...]], Any] = _validated) -> Run:
    """The run that was read: its format knows the records of its request and its outcome.

    ``validate`` makes a record of a part of it: the one at that place.
    """
    format_ = FORMATS[found["header"]["request"]["kind"]]
    request = validate(format_.request, found["header"]["request"], ("header", "request"))
    outcome = validate(format_.outcome, found["outcome"], ("outcome",))
    whole = {**found, "header": {**found["header"], "request": request}, "outcome": outcome}
    return validate(Run, whole, ())


def stored(name: str, *, request: object = None, turns: object = None, **outcome: object) -> Run:
    """The run of that name, with changes to its request (a mapping), other turns, and changes to its outcome.

    Of any type, so that a table may hold what is changed in one mapping.
    """
    whole = _stored(name)
    said = whole.transcript.turns if turns is None else tuple(cast("Iterable[Turn]", turns))
    changes = cast("Mapping[str, object]", request or {})
    return run(asked_for(name, **changes), said, ended(name, **outcome))


def asked_for(name: str, **changes: object) -> Request:
    """Return the request of the run of that name, with ``changes``."""
    return _changed(_stored(name).header.request, changes)


def ended(name: str, **changes: object) -> Outcome:
    """Return the outcome of the run of that name, with ``changes``."""
    outcome = _stored(name).outcome
    assert outcome is not None
    return _changed(outcome, changes)


def turns(name: str, count: int | None = None) -> tuple[Turn, ...]:
    """Return the turns of the run of that name, or the first ``count`` of them."""
    return _stored(name).transcript.turns[:count]


def unfinished(name: str, count: int, **request: object) -> Run:
    """The run of that name as it was broken off after ``count`` turns."""
    return run(asked_for(name, **request), turns(name, count))


def _changed(record: _Changed, changes: Mapping[str, object]) -> _Changed:
    return type(record).model_validate({**dict(record), **changes})


def said_by_all(words: str, whole: Run) -> Run:
    """``whole`` where everybody has said ``words``, and nothing else, wherever the schema lets them.

    Which strings are free is found out by the schema itself: what it refuses stays, or is cut if it is too long.
    """
    original: dict[str, Any] = json.loads(whole.model_dump_json())
    found = cast("dict[str, Any]", _said(original, words))

    def repaired(kind: type[BaseModel], part: Any, place: tuple[str, ...]) -> BaseModel:
        before = reduce(getitem, place, original)
        while True:
            try:
                return kind.model_validate(part)
            except ValidationError as error:
                for problem in error.errors():
                    _repair(part, before, problem["loc"], problem.get("ctx", {}).get("max_length"))

    return _read(found, repaired)


def _said(value: object, words: str) -> object:
    match value:
        case {"start": int(), "end": int(), "text": str()}:
            place = {"index": 0} if "index" in cast("dict[str, object]", value) else {}
            return {"start": 0, "end": len(words), "text": words, **place}
        case dict():
            members = cast("dict[str, object]", value)
            ours = _OURS if "size_bytes" in members else _OURS | {"name"}  # an agent's, where it is no source's
            return {name: each if name in ours else _said(each, words) for name, each in members.items()}
        case list():
            return [_said(each, words) for each in cast("list[object]", value)]
        case str():
            return words
        case _:
            return value


def _repair(found: Any, original: Any, place: tuple[Any, ...], longest: int | None) -> None:
    """Put back what may not be anything else, or cut it; names of kinds stand in ``place`` that are not in the data."""
    here, before = found, original
    *path, last = [step for step in place if not isinstance(step, str) or "-" not in step]
    for step in path:
        if isinstance(step, int) or step in here:
            here, before = here[step], before[step]
    here[last] = here[last][:longest] if longest and here[last] != before[last] else before[last]
