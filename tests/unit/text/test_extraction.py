from typing import Any

import pytest

from sparring.text.extraction import json_object


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"winner": "proposer"}', {"winner": "proposer"}),
        ('Here it is: {"a": {"b": [1, {"c": null}]}} Hope it helps.', {"a": {"b": [1, {"c": None}]}}),
        ('{"text": "braces } and { and \\" quotes"}', {"text": 'braces } and { and " quotes'}),
        ('A 5" pipe, then {"a": 1}', {"a": 1}),
        ('The template {name} and the set {} come before {"a": 1} and after: {x}', {"a": 1}),
        ('{ note: {"a": 1} }', {"a": 1}),
        ('} stray {"a": 1} }', {"a": 1}),
        ('You want {"a": "…"}. First thought {"a": "b"}, finally {"a": "c"}', {"a": "c"}),
    ],
)
def test_an_object_is_found_in_prose(reply: str, found: dict[str, Any]) -> None:
    assert json_object(reply) == found


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('```json\n{"a": 1}\n```\nor rather {"a": 2}', {"a": 1}),
        ('  ```JSON \n{"a": 1}\n  ```', {"a": 1}),
        ('````json\n{"a": 1}\n```\n{"a": 2}\n````', {"a": 2}),
        ('```json\n{"a": 1}\n```\nNo, wait.\n```json\n{"a": 2}\n```', {"a": 2}),
        ('```python\nx = {"a": 1}\n```\n{"a": 2}', {"a": 2}),
        ('{"a": 2}\n```json\nnothing here\n```', {"a": 2}),
        ('```json\n{"a": 2}', {"a": 2}),
        ('{"text": "```json\\n{}\\n```", "a": 1}', {"text": "```json\n{}\n```", "a": 1}),
    ],
)
def test_a_fenced_json_block_goes_before_the_rest(reply: str, found: dict[str, Any]) -> None:
    assert json_object(reply) == found


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"a": 1, "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ("{'a': 'one'}", {"a": "one"}),
        ('{"a": 1 // a remark\n}', {"a": 1}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{"a": "say "hi" now", "b": {"c": 1}}', {"a": 'say "hi" now', "b": {"c": 1}}),
        ('```json\n{"a": {"b": 1}, "c": {"d": 2}\n```', {"a": {"b": 1}, "c": {"d": 2}}),
    ],
)
def test_small_slips_are_mended(reply: str, found: dict[str, Any]) -> None:
    assert json_object(reply) == found


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no object",
        "{}",
        "[1, 2]",
        "The set {1, 2} and {name}",
        '{"a": 1, "a": 2}',
        '{"a": {"b": 1, "b": 2}}',
        '{"a": 1, "a": 2,}',
        '{"a" 1}',
        '{"a": }',
        '{"a": "cut off',
        '{"outer": {"inner": 1}, "text": "cut off',
        '{"a": 1, "b": {"',
        '{"python", "set"}',
        '{"a": {"b": ["half a character: \\ud83d"]}}',
        '{"a": "half a character: \\ud83d",}',
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"a": ' * 100_000 + "1" + "}" * 100_000,
        '{"a": ' + "[" * 20_000 + "]" * 20_000 + ",}",
        '{"a": "' + "x" * 200_000 + '",}',
    ],
)
def test_what_cannot_be_trusted_is_no_object(reply: str) -> None:
    assert json_object(reply) is None
