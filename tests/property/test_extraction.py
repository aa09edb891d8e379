import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sparring.text.extraction import json_object

_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
_objects = st.dictionaries(st.text(), _values, min_size=1, max_size=5)
_prose = st.text(st.characters(exclude_characters="{}`", exclude_categories=["Cs"]))


@given(_objects, _prose, _prose, st.sampled_from([None, 2]))
def test_an_object_is_found_whole_between_any_prose(
    expected: dict[str, Any], before: str, after: str, indent: int | None
) -> None:
    assert json_object(before + json.dumps(expected, indent=indent) + after) == expected


@given(_objects, _objects, _prose)
def test_a_fenced_object_goes_before_a_later_bare_one(
    expected: dict[str, Any], other: dict[str, Any], prose: str
) -> None:
    assert json_object(f"{prose}\n```json\n{json.dumps(expected)}\n```\n{json.dumps(other)}") == expected
