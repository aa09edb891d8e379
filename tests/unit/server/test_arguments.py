"""Arguments of tool calls, read leniently by the schema of the tool."""

from typing import Any

import pytest

from sparring.formats.registry import FORMATS
from sparring.server.arguments import example_call, example_of, leniently
from sparring.server.tools import all_tools

SCHEMA: dict[str, Any] = {
    "properties": {
        "topic": {"type": "string"},
        "agents": {"type": "string"},
        "effort": {"type": "string", "enum": ["", "low", "high"]},
        "rounds": {"type": "integer"},
        "evidence": {"type": "array", "items": {"type": "string"}},
        "no_web": {"type": "boolean"},
    },
    "required": ["topic"],
}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"topic": "x", "effort": None, "evidence": None, "rounds": None}, {"topic": "x"}),
        ({"topic": None}, {"topic": None}),
        ({"evidence": "one"}, {"evidence": ["one"]}),
        ({"evidence": ["one", None]}, {"evidence": ["one"]}),
        ({"agents": ["claude", "codex:o3"]}, {"agents": "claude,codex:o3"}),
        ({"topic": ["x"]}, {"topic": "x"}),
        ({"topic": 7}, {"topic": "7"}),
        ({"topic": 2.5}, {"topic": "2.5"}),
        ({"topic": True}, {"topic": True}),
        ({"topic": [1]}, {"topic": [1]}),
        ({"effort": " High"}, {"effort": "high"}),
        ({"effort": "huge"}, {"effort": "huge"}),
        ({"rounds": "2", "no_web": "true", "other": None}, {"rounds": "2", "no_web": "true"}),
        ({"other": 1}, {"other": 1}),
    ],
)
def test_arguments_with_one_possible_reading_are_accepted(given: dict[str, Any], read: dict[str, Any]) -> None:
    assert leniently(given, SCHEMA) == read


def test_every_format_has_an_example_of_its_own_options() -> None:
    for name in FORMATS:
        format_ = FORMATS[name]
        (tool,) = (each for each in all_tools() if each.name == name.replace("-", "_"))
        example = leniently(example_of(format_), tool.parameters)
        assert example
        assert set(tool.parameters.get("required", ())) <= example.keys() <= set(tool.parameters["properties"])
        tool.fn_metadata.validate_arguments(example)


def test_an_example_is_a_sentence() -> None:
    assert example_call("debate", {"topic": "Tabs?"}) == 'Example: debate {"topic": "Tabs?"}'
