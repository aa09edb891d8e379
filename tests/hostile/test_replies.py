"""Replies of every form: ordinary ones are read without asking again, and no other one decides anything."""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sparring.engine.course import UnusableReplyError
from sparring.engine.replies import ReadEntry, ReplyForm, read_form
from sparring.formats.jury.replies import read_checklist
from sparring.formats.review.replies import read_findings
from sparring.providers.receiving.answers import received
from sparring.schema.consultation import Answer, Failure
from support.forms import FORMS, example_of

TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("replies.toml").read_text(encoding="utf-8"))

FEWEST_ROWS = 30


def _pretty(said: Any) -> str:
    return json.dumps(said, indent=2, ensure_ascii=False)


def _compact(said: Any) -> str:
    return json.dumps(said, ensure_ascii=False)


def _renamed(said: Any, name: Callable[[str], str]) -> Any:
    """``said`` with other names of the fields that it asks for at its top."""
    return {name(key): value for key, value in said.items()}


def _first_field(said: Mapping[str, Any], mark: str) -> str:
    return f'"{mark}": {_compact(said[mark])}'


def _curly(said: Any) -> str:
    """Curly marks in place of straight ones."""
    text = _compact(said).replace('"', "“")
    for behind in ":,}]":
        text = text.replace(f"“{behind}", f"”{behind}")
    return text


SPELLINGS: dict[str, Callable[[Any, str], str]] = {
    "pretty": lambda said, _: _pretty(said),
    "text": lambda said, _: json.dumps(_compact(said)),
    "trailing-commas": lambda said, _: _pretty(said).replace("\n}", ",\n}"),
    "comments": lambda said, _: _pretty(said).replace(",\n", ", // as asked for\n", 1),
    "python": lambda said, _: repr(said),
    "curly": lambda said, _: _curly(said),
    "capitals": lambda said, _: _compact(_renamed(said, str.upper)),
    "blanks": lambda said, _: _compact(_renamed(said, lambda name: name.replace("_", " ").capitalize())),
    "reversed": lambda said, _: _compact(dict(reversed(said.items()))),
    "more": lambda said, _: _compact({"id": 7, **said, "mood": "good", "notes": [{"x": None}]}),
    "raw-lines": lambda said, _: _compact(said).replace(" of ", "\n of ").replace(" in ", "\tin "),
    "half": lambda said, _: _compact(said)[: len(_compact(said)) * 2 // 3],
    "doubled": lambda said, mark: f"{{{_first_field(said, mark)}, {_compact(said)[1:]}".replace(
        _first_field(said, mark), f'"{mark}": "?"', 1
    ),
    "doubled-spelling": lambda said, mark: f'{{"{mark.upper()}": "?", {_compact(said)[1:]}',
    "without": lambda said, mark: _compact({name: value for name, value in said.items() if name != mark}),
}


def _filled_in(says: str, name: str) -> str:
    form, kind = TABLE["form"][name], FORMS[name]
    mark = form.get("mark", kind.marked()[0])
    values = {"good": form["good"], "other": form["other"], "example": example_of(name), "mark": mark}
    for which in ("good", "other"):
        said = json.loads(form[which])
        values |= {f"{which}:{spelling}": spell(said, mark) for spelling, spell in SPELLINGS.items()}
    for hole, value in values.items():
        says = says.replace(f"‹{hole}›", value)
    assert "‹" not in says
    return says


def _rows() -> Iterator[Any]:
    for name, form in TABLE["form"].items():
        for row in (*TABLE["says"], *form.get("says", ())):
            yield pytest.param(name, row, id=f"{name}: {row['tried']}")


def _said(name: str, row: dict[str, Any]) -> str:
    if "change" in row:
        return json.dumps(json.loads(TABLE["form"][name]["good"]) | row["change"], ensure_ascii=False)
    return _filled_in(row["says"], name)


def decided(value: object) -> object:
    """What a form says in the fields that decide."""
    match value:
        case ReplyForm():
            fields = {field.alias or name: name for name, field in type(value).model_fields.items()}
            return {name: decided(getattr(value, fields[name])) for name in type(value).deciding}
        case ReadEntry():
            entry = cast("ReadEntry[Any]", value)
            return decided(entry.value) if entry.value else None
        case tuple():
            return [decided(each) for each in cast("tuple[object, ...]", value)]
        case BaseModel():
            return decided(tuple(value.model_dump().values()))
        case str():
            return " ".join(value.split())
        case _:
            return value


def _says_something(value: object) -> bool:
    match value:
        case dict():
            return any(map(_says_something, cast("dict[str, object]", value).values()))
        case list():
            return any(map(_says_something, cast("list[object]", value)))
        case _:
            return value not in {None, ""}


def _read(name: str, reply: str) -> object:
    """What decides of a reply as it arrives; None if it is asked for again or nothing at all can be read."""
    answer = received(Answer(tool="scripted", response=reply or " ", duration_ms=1))
    if isinstance(answer, Failure):
        return None
    reply = answer.response
    try:
        value = decided(read_form(reply, FORMS[name]).value)
        if name == "review_findings":
            read_findings(reply)
        if name == "jury_checklist":
            read_checklist(reply)
    except UnusableReplyError:
        return None
    if name == "chaired_debate_review" and cast("dict[str, object]", value)["continue"] is None:
        return None  # the chair is asked again
    return value if name == "review_findings" or _says_something(value) else None


@pytest.mark.parametrize(("name", "row"), list(_rows()))
def test_a_reply_decides_no_more_than_one_whole_answer_says(name: str, row: dict[str, Any]) -> None:
    form = TABLE["form"][name]
    found = _read(name, _said(name, row))
    possible = {
        "good": _read(name, form["good"]),
        "other": _read(name, form["other"]),
        "example": _read(name, example_of(name)),
        "nothing": None,
    }
    assert possible["good"] is not None
    assert possible["good"] != possible["other"] is not None
    assert found in [possible[each] for each in row["reads"].split(" or ")]


def test_there_are_enough_replies_of_every_form_and_format() -> None:
    assert TABLE["form"].keys() == FORMS.keys()
    assert len(TABLE["says"]) >= FEWEST_ROWS


GARBAGE: tuple[object, ...] = ("", "???", None, [], {}, 7_000, -1, 2.5, True, ["x"], {"x": 1}, "A | B", "None")


def _undecisive(name: str) -> set[str]:
    return json.loads(TABLE["form"][name]["good"]).keys() - {*FORMS[name].deciding}


@pytest.mark.parametrize("name", [name for name in FORMS if _undecisive(name)])
@given(st.data())
def test_garbage_in_a_field_that_does_not_decide_leaves_a_reply_readable(name: str, data: st.DataObject) -> None:
    good = json.loads(TABLE["form"][name]["good"])
    for field in sorted(_undecisive(name)):
        said = data.draw(st.one_of(st.just("as it is"), st.just("left out"), st.sampled_from(GARBAGE)))
        if said == "left out":
            del good[field]
        elif said != "as it is":
            good[field] = said
    assert _read(name, json.dumps(good)) == _read(name, TABLE["form"][name]["good"])
