"""Forms, their schemas and the prompts that show them agree; and what satisfies a schema can be read."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.engine.course import UnusableReplyError
from sparring.engine.replies import COPIED, Entries, ReplyForm, read_form
from sparring.engine.reply_schemas import requested, schema_of
from sparring.formats.chaired_debate.replies import EntryForm
from sparring.formats.chaired_debate.rulebook import ACTIONS
from sparring.schema.chaired_debate import Phase
from sparring.schema.forms import Dialect, enum_values
from support.forms import FORMS, SHOWN_IN, as_reply, example_of, satisfying, texts_in, words_of
from support.golden import Golden

_SHORTEST_COPY = 12

REASONS_BEFORE = {
    "debate_verdict": ("winner", ("arguments", "scores", "reasoning")),
    "debate_second_verdict": ("winner", ("arguments", "reasoning")),
    "fact_check_analysis": ("verdict", ("parts", "reasoning")),
    "fact_check_rebuttal": ("verdict", ("key_quote", "rebuttals", "reasoning")),
    "jury_verdict": ("verdict", ("rationale", "critical_differences", "confidence")),
    "review_examination": ("verdict", ("quote", "reason")),
    "chaired_debate_review": ("continue", ("because",)),
    "chaired_debate_conclusion": ("verdict", ("decisive", "reasoning")),
}
REASONS_BEFORE_WITHIN = {
    ("fact_check_analysis", "parts"): ("status", ("part", "quote")),
    ("fact_check_readings", "readings"): ("says", ("number", "quote")),
    ("jury_checklist", "checklist"): ("status", ("dimension", "in_claim", "in_truth", "note")),
    ("review_findings", "findings"): ("severity", ("file", "quote", "consequence")),
    ("chaired_debate_review", "rulings"): ("ruling", ("challenge_seq", "reason")),
    ("chaired_debate_review", "conduct"): ("rule", ("quote", "original", "reason")),
}


def test_every_form_is_shown_by_a_prompt() -> None:
    assert FORMS.keys() == SHOWN_IN.keys()


@pytest.mark.parametrize("name", FORMS)
def test_the_schema_of_a_form_is_as_in_its_golden_file(name: str, golden: Golden) -> None:
    golden.holds(f"forms/{name}.json", json.dumps(requested(FORMS[name]).json_schema, indent=1) + "\n")


_PLAIN = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"}
_BOUNDS = {"minItems", "maxItems", "minimum", "maximum"}
_TAKEN = {
    Dialect.COMMON: _PLAIN,
    Dialect.ANTHROPIC: {*_PLAIN, "minItems"},
    Dialect.GEMINI: {*_PLAIN, "minItems", "propertyOrdering"},
    Dialect.OPENAI: {*_PLAIN, *_BOUNDS},
    Dialect.LLAMA_CPP: {*_PLAIN, *_BOUNDS},
    Dialect.VLLM: {*_PLAIN, *_BOUNDS},
}
_MOST_UNIONS = 16


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    items = [schema["items"]] if "items" in schema else []
    for each in (*schema.get("properties", {}).values(), *items, *schema.get("anyOf", ())):
        yield from _nodes(each)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("dialect", Dialect)
def test_each_server_is_sent_keywords_that_it_takes(name: str, dialect: Dialect) -> None:
    nodes = [*_nodes(schema_of(FORMS[name], dialect))]
    for node in nodes:
        assert node.keys() <= _TAKEN[dialect]
        if "properties" in node:
            assert node["required"] == node.get("propertyOrdering", node["required"]) == list(node["properties"])
            assert node["additionalProperties"] is False
        if "anyOf" in node:
            assert node["anyOf"][1:] == [{"type": "null"}]
    assert sum("anyOf" in node for node in nodes) <= _MOST_UNIONS


@pytest.mark.parametrize("phase", [phase for phase in Phase if ACTIONS[phase]])
def test_an_entry_may_have_the_types_of_its_phase_alone(phase: Phase) -> None:
    schema = requested(EntryForm, type=ACTIONS[phase]).json_schema
    assert schema["properties"]["type"]["enum"] == list(ACTIONS[phase])


@pytest.mark.parametrize("name", FORMS)
def test_the_prompt_has_every_value_that_an_enum_of_its_form_allows(name: str) -> None:
    allowed = {action for actions in ACTIONS.values() for action in actions}
    schema = schema_of(FORMS[name], type=allowed) if name == "chaired_debate_entry" else schema_of(FORMS[name])
    missing = [value for value in enum_values(schema) if isinstance(value, str) and value not in words_of(name)]
    assert missing == []


@pytest.mark.parametrize("name", FORMS)
def test_the_example_of_a_prompt_has_the_fields_of_the_form_in_their_order(name: str) -> None:
    def agrees(value: Any, schema: dict[str, Any]) -> bool:
        if "properties" in schema:
            return list(value) == schema["required"] and all(
                agrees(value[each], node) for each, node in schema["properties"].items()
            )
        if "items" in schema:
            return all(agrees(each, schema["items"]) for each in value)
        return any(agrees(value, each) for each in schema["anyOf"]) if "anyOf" in schema else _fits(value, schema)

    assert agrees(json.loads(example_of(name)), schema_of(FORMS[name]))


def _fits(value: object, schema: dict[str, Any]) -> bool:
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
    return isinstance(value, kinds[schema["type"]]) and value in schema.get("enum", [value])


def _listed_forms(kind: type[ReplyForm]) -> list[type[ReplyForm]]:
    """The form, or the forms of the entries that decide in its stead."""
    hints = [each for field in kind.model_fields.values() for each in field.metadata]
    found = [cast("Entries[ReplyForm]", each) for each in hints if isinstance(each, Entries)]
    return [each.kind for each in found] if kind.bare else [kind]


@pytest.mark.parametrize("name", FORMS)
def test_a_form_knows_the_texts_of_its_example(name: str) -> None:
    """Of the fields that decide, texts that are long enough to be distinguished from an answer."""
    kind, example = FORMS[name], json.loads(example_of(name))
    (first,) = _listed_forms(kind)
    (listed,) = example.values() if kind.bare else ([example],)
    told = {
        text
        for each in listed
        for field in first.deciding
        for text in texts_in(each.get(field))
        if len(text) >= _SHORTEST_COPY
    }
    known = {text for text in first.examples if len(text) >= _SHORTEST_COPY}
    assert told - set(map(str, enum_values(schema_of(kind)))) == known


@pytest.mark.parametrize("name", [name for name in FORMS if any(each.examples for each in _listed_forms(FORMS[name]))])
def test_a_reply_that_is_the_example_is_none(name: str) -> None:
    if not FORMS[name].bare:
        with pytest.raises(UnusableReplyError, match=COPIED):
            read_form(example_of(name), FORMS[name])
        return
    ((_, entries),) = read_form(example_of(name), FORMS[name]).value
    assert any(COPIED in each.problem for each in entries)


def _in_order(names: list[str], label: str, reasons: tuple[str, ...]) -> bool:
    return all(names.index(reason) < names.index(label) for reason in reasons)


@pytest.mark.parametrize("arranged", [list, sorted], ids=["as it is sent", "sorted, as Ollama sends it"])
def test_reasons_are_asked_for_before_what_follows_from_them(arranged: Any) -> None:
    for name, (label, reasons) in REASONS_BEFORE.items():
        assert _in_order(arranged(schema_of(FORMS[name])["properties"]), label, reasons), name
    for (name, field), (label, reasons) in REASONS_BEFORE_WITHIN.items():
        entry = schema_of(FORMS[name])["properties"][field]["items"]
        assert _in_order(arranged(entry["properties"]), label, reasons), name


TEXTS = st.one_of(st.just(""), st.text(max_size=60), st.sampled_from(["None", "null", "A | B", "{", "N/A", "…"]))


@pytest.mark.parametrize("name", FORMS)
@given(st.data())
def test_a_reply_that_satisfies_the_schema_is_readable(name: str, data: st.DataObject) -> None:
    """Empty texts, odd numbers and empty lists included; an entry of a list may be void by itself."""
    said = data.draw(satisfying(schema_of(FORMS[name]), TEXTS))
    problem = ""
    try:
        read_form(as_reply(said), FORMS[name])
    except UnusableReplyError as error:
        problem = str(error)
    assert not problem or _is_about_what_decides(problem, FORMS[name], said)


def _is_about_what_decides(problem: str, kind: type[ReplyForm], said: Any) -> bool:
    if problem == COPIED:
        return any(text.strip() in {"…", "A | B"} for name in kind.deciding for text in texts_in(said.get(name)))
    return problem.partition(":")[0].split(".")[0] in kind.deciding
