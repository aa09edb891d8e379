"""Objects found in what programs print, whole and broken."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.receiving.framing import ObjectReader, TornEvent, cleaned, events_in, objects_in

EVENT = {"type": "text", "part": {"text": 'đúng 🙂 \u2028 \x9b \u202e {"type": "result"} [1'}}
LINE = json.dumps(EVENT, ensure_ascii=False)


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ("", []),
        ("no object", []),
        (LINE, [EVENT]),
        (f"\ufeff{LINE}\r\n{LINE}", [EVENT, EVENT]),
        (f"Update available{LINE}done", [EVENT]),
        (f'\x1b[32m{{"type":\x1b[0m "x"}}\x1b]0;title\x07{LINE}\x1b]8;;', [{"type": "x"}, EVENT]),
        (f"\x1b]0;a title that never ends {LINE}\x07", [EVENT]),
        (json.dumps([EVENT, 1, [EVENT], EVENT], indent=1), [EVENT, EVENT]),
        (f"[warn] [1, 2] {LINE}", [EVENT]),
        (f"[\n{LINE},\n{LINE}", [EVENT, EVENT]),  # an array that was never closed
        (f'{{"wrapped": {LINE}}}', [{"wrapped": EVENT}]),
        (f'{{"half": {LINE}', []),  # what stands inside an object that is never closed is none of its own
    ],
)
def test_objects_are_found_anywhere_in_an_output(printed: str, found: list[object]) -> None:
    assert list(objects_in(printed)) == found


def test_an_event_that_is_needed_and_broken_is_found_between_the_whole_ones() -> None:
    half = LINE[:30]
    other = '{"type":"step_start","part":{'
    assert list(events_in(f"{half}\n{LINE}\n{other}\n{half}", needed=("text",))) == [
        TornEvent("text", f"{half}\n"),
        EVENT,
        TornEvent("text", half),
    ]
    assert list(events_in(f"{half}\n{LINE}")) == [EVENT]


def test_cleaning_leaves_every_text_in_json_as_it_is() -> None:
    assert cleaned(LINE) == LINE
    assert cleaned("\ufeff\x1b[1ma\x1b[0m\r\nb\rc\x00\x07\td") == "a\nb\nc\td"


@given(st.lists(st.dictionaries(st.text(), st.text(), min_size=1), max_size=4), st.data())
def test_objects_are_found_once_in_any_pieces(events: list[dict[str, str]], data: st.DataObject) -> None:
    printed = "\n".join(json.dumps(event, ensure_ascii=False, indent=1) for event in events)
    raw = printed.encode("utf-8", errors="replace")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    reader = ObjectReader()
    found = [
        each for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True) for each in reader.feed(raw[start:end])
    ]
    assert found == list(objects_in(raw.decode()))
