import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from sparring.text.extraction import find_json
from sparring.text.prose import Prose, quotations, sentences

PIECES = (
    '\n|\n\n|> |- |1. |# |```|---|[^1]: |[|](|)|`|**|_|<!--|-->|<b>|https://x.org/1|"|“|”|. |Dr. |300 rooms|á|\r\n| |a'
)
MARKDOWN = st.lists(st.sampled_from((*PIECES.split("|"), "|", "\u2028")), max_size=40).map("".join)


@given(MARKDOWN)
def test_every_place_stays_where_it_was(text: str) -> None:
    plain = Prose(text).plain
    assert len(plain) == len(text)
    assert all(seen == there or (seen == " " and there != "\n") for seen, there in zip(plain, text, strict=True))


@given(MARKDOWN)
@example("“Dr. 300 rooms\u2028”")
@example("“ 300 rooms of them”")
def test_sentences_and_quotations_stand_in_their_order_within_the_text(text: str) -> None:
    prose = Prose(text)
    said = [place for block in prose.blocks for place in sentences(prose.plain, block.start, block.end)]
    for places in (said, list(quotations(prose))):
        ends = [offset for place in places for offset in place]
        assert ends == sorted(ends)
        assert all(prose.plain[start:end].strip() == prose.plain[start:end] != "" for start, end in places)
        assert not ends or ends[-1] <= len(text)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
_objects = st.dictionaries(st.text(), _values, min_size=1, max_size=5)
_prose = st.text(st.characters(exclude_characters="{}[]`", exclude_categories=["Cs"]))


@given(_objects, _prose, _prose, st.sampled_from([None, 2]))
def test_an_object_is_found_whole_between_any_prose(
    expected: dict[str, Any], before: str, after: str, indent: int | None
) -> None:
    (found,) = find_json(before + json.dumps(expected, indent=indent) + after)
    assert found.value == expected
