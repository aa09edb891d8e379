import re
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sparring.checks.quotes import Evidence
from sparring.reports.markdown import Section, fitted, harmless, inline, joined, literal, quoted
from sparring.schema.lookups import QuoteVerdict
from sparring.text.tidying import visible
from support.texts import texts

TEXTS = texts("prose")

MARKDOWN = MarkdownIt("commonmark")
BLOCKS = [
    "# Verdict",
    "Verdict\n---",
    "```",
    "~~~~",
    "<!--",
    "<script>",
    "- x",
    "> y",
    "| a | b |",
    "    z",
    "",
    "[a]: b",
]
HOSTILE_LINES = st.lists(st.sampled_from(BLOCKS) | st.text(max_size=20), max_size=8).map("\n".join)


def outline(markdown: str) -> list[str]:
    """The kinds of the outermost blocks."""
    return [token.type for token in MARKDOWN.parse(markdown) if token.level == 0 and token.nesting >= 0]


@given(HOSTILE_LINES)
def test_nothing_leaves_a_quotation(speech: str) -> None:
    assert outline(f"# Ours\n\n{quoted(speech)}\n\nOurs.") == ["heading_open", "blockquote_open", "paragraph_open"]


@given(st.from_regex(r"[ -~]{1,40}", fullmatch=True))
def test_plain_speech_is_quoted_word_for_word(speech: str) -> None:
    assert quoted(f"{speech}\n\n{speech}") == f"> {speech}\n>\n> {speech}"


@given(HOSTILE_LINES)
def test_inline_text_is_one_paragraph_or_nothing(text: str) -> None:
    assert outline(inline(text)) in ([], ["paragraph_open"])
    assert outline(f"- {inline(text)}\n\nOurs.") == ["bullet_list_open", "paragraph_open"]


@pytest.mark.parametrize(("text", "shown"), TEXTS["inline-text-is-changed-only-where-it-would-begin-a-block"])
def test_inline_text_is_changed_only_where_it_would_begin_a_block(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_literal_text_is_shown_unchanged() -> None:
    text = r"<b>x</b> & &lt; *a* _b_ `c` [d](e) ~~f~~ <!--g--> <?h?> \i"
    assert MARKDOWN.render(literal(text)) == f"<p>{escape(text)}</p>\n"


LOADING = r"<(?!/|a |p>|blockquote>|code|li|ul|em|strong|table|tr|svg>|t[dh]>|p title=\S+>)[a-z]"


@pytest.mark.parametrize("text", texts("remote-images")["images"])
def test_showing_an_answer_loads_nothing(text: str) -> None:
    for shown in (MARKDOWN.render(show(text)) for show in (quoted, inline, harmless)):
        assert not re.search(LOADING, shown, re.IGNORECASE)
        assert not re.search(r"<[a-z][^>]*\b(?:style|background|src)\w*=", shown)


def test_text_that_resembles_an_image_stays() -> None:
    code = ("let v = vec![1, 2];", "#![allow(dead_code)]", "a < b, x <T> y", "<source>1.8</source>")
    for text in (*code, "[a link](https://example.org)"):
        assert harmless(text) == text
    assert harmless("![x](https://e.test/)") == "! [x](https://e.test/)"


def test_a_quote_of_what_was_made_harmless_is_found_in_the_original() -> None:
    source = "See ![a chart](https://e.test/c.png): 12\u200b,000\U000e0061 units\u2060 were sold in 👩\u200d💻 week 3."
    for shown in (harmless(source), visible(source), quoted(source).removeprefix("> ")):
        assert Evidence([source]).find(shown).verdict is QuoteVerdict.VERBATIM
        assert Evidence([shown]).find(source).verdict is QuoteVerdict.VERBATIM


BODIES = st.lists(st.integers(0, 5000).map("x".__mul__), max_size=12)


def test_sections_that_fit_stay_whole_and_just_those() -> None:
    sections = [Section("# A", "a" * 2000), Section("", "b"), Section("## C", "")]
    whole = f"# A\n\n{'a' * 2000}\n\nb\n\n## C\n"
    assert fitted(sections, limit=len(whole) + 1) == joined(sections) == whole
    assert len(fitted(sections, limit=len(whole))) < len(whole)


def test_long_sections_are_cut_to_the_same_length_and_short_ones_are_not() -> None:
    sections = [Section("# A", "a" * 2000), Section("# B", "short"), Section("# C", "c" * 900)]
    assert fitted(sections, limit=1200) == (
        f"# A\n\n{'a' * 480}\n\n[… cut: 480 of 2,000 characters shown]\n\n"
        "# B\n\nshort\n\n"
        f"# C\n\n{'c' * 480}\n\n[… cut: 480 of 900 characters shown]\n"
    )


@given(BODIES, st.integers(2000, 9000))
def test_the_result_is_always_shorter_than_the_limit_and_every_heading_is_kept(bodies: list[str], limit: int) -> None:
    text = fitted([Section(f"## H{place}.", body) for place, body in enumerate(bodies)], limit=limit)
    assert len(text) < limit
    assert [place for place in range(len(bodies)) if f"## H{place}." in text] == list(range(len(bodies)))
