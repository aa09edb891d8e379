from typing import Any

import pytest

from sparring.text.extraction import find_json, remainder, repaired_json
from support.texts import cases


@pytest.mark.parametrize(("table", "text", "values"), cases("replies"))
def test_json_is_found_in_any_surrounding_text(table: str, text: str, values: list[Any]) -> None:
    assert [each.value for each in find_json(text) if not each.is_doubtful] == values, table


@pytest.mark.parametrize(("table", "text", "values"), cases("loose-objects"))
def test_a_loose_object_is_read_only_where_nothing_has_to_be_made_up(table: str, text: str, values: list[Any]) -> None:
    assert [each.value for each in repaired_json(text)] == values, table


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 2}}', '{"a": NaN}', '{"a": "half a character: \\ud83d"}']
)
def test_an_object_with_two_readings_is_marked(text: str) -> None:
    (found,) = find_json(text)
    assert found.is_doubtful


def test_places_are_those_of_the_text() -> None:
    text = 'One {"a": 1} and { "two and [{"b": 2}, {"c": 3}].'
    first, second = find_json(text)
    assert (text[first.start : first.end], text[second.start : second.end]) == ('{"a": 1}', '[{"b": 2}, {"c": 3}]')
    assert second.objects == ({"b": 2}, {"c": 3})
    assert remainder(text, (first, second)) == 'One \n and { "two and \n.'
    assert remainder(text, (first, second), emptied=True) == 'One {} and { "two and [].'


def test_endless_nesting_is_no_object() -> None:
    deep = "[" * 20_000 + "]" * 20_000
    for text in (f'{{"a": {deep}}}', '{"a": ' * 20_000 + "1" + "}" * 20_000, '{"a": "' + "x" * 200_000):
        assert find_json(text) == ()
    for text in (f'{{"a": {deep[15_000:25_000]},}}', '{"a": "' + "x" * 200_000 + '",}'):
        assert repaired_json(text) == ()


def test_an_object_behind_long_noise_with_braces_is_found() -> None:
    noise = '[WARN] {code: 7} is odd, "quotes" as well\n' * 20_000
    assert [each.value for each in find_json(noise + '{"a": 1}\n' + noise)] == [{"a": 1}]
