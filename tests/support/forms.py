"""Every form that a model fills in, and random objects that satisfy its schema."""

import json
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any, cast

from hypothesis import strategies as st

import sparring.formats
from sparring.engine.replies import ReplyForm
from sparring.prompts import PromptLibrary

PROMPTS = PromptLibrary()

SHOWN_IN = {
    "debate_verdict": "debate/synthesis#first",
    "debate_second_verdict": "debate/synthesis#second",
    "fact_check_analysis": "fact-check/analysis",
    "fact_check_rebuttal": "fact-check/rebuttal",
    "fact_check_readings": "fact-check/reading",
    "jury_checklist": "jury/checklist",
    "jury_verdict": "jury/verdict",
    "review_findings": "review/findings",
    "review_same": "review/joining#ask",
    "review_examination": "review/examination",
    "chaired_debate_entry": "chaired-debate/debater#form",
    "chaired_debate_review": "chaired-debate/review-parts#needed",
    "chaired_debate_rulings": "chaired-debate/review-parts#not-asked",
    "chaired_debate_conclusion": "chaired-debate/conclusion",
    "chaired_debate_questions": "chaired-debate/questions",
}
"""The template that shows each form."""

BESIDE = {
    "chaired_debate_entry": tuple(f"chaired-debate/{step}" for step in ("opening", "action", "closing")),
    "chaired_debate_review": ("chaired-debate/review-parts#challenges", "chaired-debate/review-parts#conduct"),
    "chaired_debate_rulings": ("chaired-debate/review-parts#challenges", "chaired-debate/review-parts#conduct"),
    "chaired_debate_conclusion": ("chaired-debate/review-parts#conduct",),
}
"""Templates whose words stand in the same prompt."""

_EXAMPLE = re.compile(r"```json\n(.*?)\n```", re.DOTALL)


def _forms() -> dict[str, type[ReplyForm]]:
    found: dict[str, type[ReplyForm]] = {}
    for module in pkgutil.walk_packages(sparring.formats.__path__, "sparring.formats."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, ReplyForm) and value.form:
                found[value.form] = value
    return found


FORMS = _forms()


def words_of(name: str) -> str:
    """Words of the prompt that asks for that form."""
    return "\n".join(PROMPTS.template(each).body for each in (SHOWN_IN[name], *BESIDE.get(name, ())))


def example_of(name: str) -> str:
    """The filled form that the prompt shows."""
    found = _EXAMPLE.search(PROMPTS.template(SHOWN_IN[name]).body)
    assert found, name
    return found[1]


def texts_in(value: object) -> Iterator[str]:
    """Every text in a JSON value."""
    match value:
        case str():
            yield value
        case dict():
            for each in cast("dict[str, object]", value).values():
                yield from texts_in(each)
        case list():
            for each in cast("list[object]", value):
                yield from texts_in(each)
        case _:
            return


_ANY_NUMBER = st.floats(allow_nan=False, allow_infinity=False)


def satisfying(schema: dict[str, Any], texts: st.SearchStrategy[str], most: int = 3) -> st.SearchStrategy[Any]:
    """Values that satisfy ``schema``, whatever they mean."""
    if "anyOf" in schema:
        return st.one_of(*(satisfying(each, texts, most) for each in schema["anyOf"]))
    if "properties" in schema:
        members: dict[str, Any] = schema["properties"]
        return st.fixed_dictionaries({name: satisfying(each, texts, most) for name, each in members.items()})
    if "items" in schema:
        return st.lists(satisfying(schema["items"], texts, most), max_size=most)
    scalars = {"integer": st.integers(-(10**12), 10**12), "number": _ANY_NUMBER, "boolean": st.booleans()}
    scalars |= {"null": st.none(), "string": texts}
    return st.sampled_from(cast("list[object]", schema["enum"])) if "enum" in schema else scalars[schema["type"]]


def filled(schema: dict[str, Any], text: str, entries: int) -> Any:
    """A value of ``schema`` in which every text is ``text``, and every list has so many entries."""
    if "anyOf" in schema:
        return filled(schema["anyOf"][0], text, entries)
    if "properties" in schema:
        members: dict[str, Any] = schema["properties"]
        return {name: filled(each, text, entries) for name, each in members.items()}
    if "items" in schema:
        return [filled(schema["items"], text, entries)] * entries
    scalars = {"integer": 1, "number": 1, "boolean": True, "string": text}
    return schema["enum"][0] if "enum" in schema else scalars[schema["type"]]


def as_reply(value: object) -> str:
    """Reply of a model that fills in a form with ``value``."""
    return json.dumps(value, ensure_ascii=False)
