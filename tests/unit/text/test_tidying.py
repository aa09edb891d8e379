import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.text.tidying import clean, clean_lines, for_terminal, is_blank, json_for_terminal, one_line, visible
from support.texts import texts

TEXTS = texts("prose")


@pytest.mark.parametrize(
    ("text", "shown"),
    [*TEXTS["what-would-act-on-a-terminal-is-removed-and-the-rest-stays"], ("lone \ud800surrogate", "lone surrogate")],
)
def test_terminal_control_is_removed_and_the_rest_stays(text: str, shown: str) -> None:
    assert for_terminal(text) == shown


@pytest.mark.parametrize("text", ["\x1b]0;never closed\nevidence", "\x1b[", "\x1b\x1b[31m[31mx", "\x1b"])
def test_an_unfinished_sequence_hides_no_later_line_and_leaves_no_escape(text: str) -> None:
    shown = for_terminal(text)
    assert "\x1b" not in shown
    assert shown.partition("\n")[2] == text.partition("\n")[2]


@pytest.mark.parametrize(("text", "limit", "line"), TEXTS["a-detail-becomes-one-line-within-its-limit"])
def test_a_detail_becomes_one_line_within_its_limit(text: str, limit: int, line: str) -> None:
    assert one_line(text, limit) == line


NEEDED = [(text, text) for text in TEXTS["what-a-script-or-an-emoji-needs-stays"]]


@pytest.mark.parametrize(("text", "seen"), [*TEXTS["what-nobody-sees-is-removed"], *NEEDED])
def test_invisible_characters_are_removed_unless_a_script_or_an_emoji_needs_them(text: str, seen: str) -> None:
    assert visible(text) == seen
    assert one_line(text, 100) == seen.strip()


@given(st.text(alphabet=st.characters(categories=["Cf", "Mn", "So", "Lo", "Ll", "Zs"]), max_size=30))
def test_visible_text_stays_unchanged(text: str) -> None:
    def kept(said: str) -> list[str]:
        return [sign for sign in said if unicodedata.category(sign) not in ("Cf", "Mn") and sign not in "\u3164\uffa0"]

    assert visible(visible(text)) == visible(text)
    assert kept(visible(text)) == kept(text)


ACTING = "".join(
    map(chr, (0x7F, *range(0x80, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)


@given(st.text() | st.text(st.sampled_from(ACTING + '"\\\x1b\x00é€\u2028😀')))
def test_json_for_terminals_has_the_same_content_without_control_characters(text: str) -> None:
    for said in (text, {text: [text]}):
        for spelled in (json.dumps(said, ensure_ascii=False), json.dumps(said, ensure_ascii=False, indent=2)):
            harmless = json_for_terminal(spelled.encode())
            assert json.loads(harmless) == said
            assert set(ACTING).isdisjoint(harmless.decode())
            assert for_terminal(harmless.decode()) == harmless.decode()


LOG = "\x1b[1;31mFAILED\x1b[0m q\U000e0041 \u202ez\u202c y\u200bx\x07\r\n\x1b]0;title\x07done"


def test_a_pasted_log_is_cleaned_of_all_that_acts_or_is_not_seen() -> None:
    assert clean(LOG) == "FAILED q z yx\ndone"


@given(st.text(alphabet=st.sampled_from("a \n\t\x1b[0m]\x07\u200b\u200d\u202e\U000e0041\ufe0f🙂❤กا1#")))
def test_cleaning_once_is_enough(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text(alphabet=st.sampled_from("a\x1b[m\r\n\u2028\u200b")))
def test_lines_that_are_cleaned_keep_their_numbers(text: str) -> None:
    assert clean_lines(text).count("\n") == text.count("\n")
    assert clean(clean_lines(text)) == clean_lines(text)


@pytest.mark.parametrize(
    "text", ["", " \n", "\u200b", "\ufeff", "\u00ad", "\u2800", "\u3164", "\U000e0041", "\x1b[31m\x1b[0m", "\0"]
)
def test_text_without_visible_characters_is_blank(text: str) -> None:
    assert is_blank(text)
    assert not is_blank(f"{text}.")
