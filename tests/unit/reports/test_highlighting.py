"""Quotes in bold where they stand, whatever the source is made of."""

from itertools import chain, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sparring.reports.markdown import cell, literal
from sparring.reports.verification import highlighted, reference
from sparring.schema.lookups import TextSpan
from sparring.text.tidying import for_terminal, visible
from support.texts import texts

TEXTS = texts("prose")

MARKDOWN = MarkdownIt("commonmark").enable(["strikethrough", "table"])
NASTY = st.text(alphabet="ab1 *_`[]()<>&;:#!~|\\\"'.,\n-=+…“。、\u202e\x1b\u200b", max_size=60)
CUTS = st.lists(st.integers(0, 60), min_size=2, max_size=6, unique=True)


def span(source: str, start: int, end: int) -> TextSpan:
    return TextSpan(text=source[start:end], start=start, end=end)


def place(source: str, quote: str) -> TextSpan:
    return span(source, source.index(quote), source.index(quote) + len(quote))


def inline_tokens(markdown: str) -> list[Token]:
    return [token for block in MARKDOWN.parse(markdown) for token in block.children or ()]


def shown(tokens: list[Token]) -> str:
    """What a reader sees, without white space."""
    return "".join("".join(token.content.split()) for token in tokens if token.type == "text")


def in_bold(tokens: list[Token]) -> str:
    depth, bold = 0, list[Token]()
    for token in tokens:
        depth += token.nesting if token.tag == "strong" else 0
        bold += [token] if depth else []
    return shown(bold)


def solid(text: str) -> str:
    return "".join(visible(for_terminal(text)).split())


@given(NASTY, CUTS)
def test_marked_text_is_bold_and_the_rest_is_as_in_the_source(source: str, cuts: list[int]) -> None:
    ends = sorted(min(cut, len(source)) for cut in cuts)
    spans = [span(source, start, end) for start, end in zip(ends[::2], ends[1::2], strict=False)]
    markdown = highlighted(source, spans)
    tokens = inline_tokens(markdown)
    between = [source[one.end : other.start] for one, other in pairwise(spans)]
    passages = [source[: spans[0].start], *chain(*zip((each.text for each in spans), [*between, ""], strict=True))]
    assert in_bold(tokens) == "".join(solid(each.text) for each in spans)
    assert shown(tokens) == "".join(map(solid, [*passages, source[spans[-1].end :]]))
    assert {token.type for token in tokens} <= {"text", "softbreak", "strong_open", "strong_close"}
    assert all(block.type.startswith("blockquote_") for block in MARKDOWN.parse(markdown) if not block.level)


@given(NASTY)
@example("__x__ a_b")
@example("1)")
def test_literal_text_is_shown_as_it_is_and_does_nothing(text: str) -> None:
    tokens = inline_tokens(f"- {literal(text)}")
    assert shown(tokens) == solid(text)
    assert {token.type for token in tokens} <= {"text"}


@given(NASTY)
def test_no_text_ends_its_table_cell(text: str) -> None:
    blocks = MARKDOWN.parse(f"| a | b |\n| --- | --- |\n| {cell(text)} | end |")
    assert [token.content for token in blocks if token.type == "inline"][-1] == "end"
    assert sum(token.type == "td_open" for token in blocks) == 2


@pytest.mark.parametrize(
    ("source", "quote", "markdown"),
    TEXTS["a-quote-begins-a-line-where-white-space-is-around-it-or-its-marks-would-fail"],
)
def test_a_quote_starts_a_line_at_white_space_or_where_marks_fail(source: str, quote: str, markdown: str) -> None:
    assert highlighted(source, [place(source, quote)]) == markdown


def test_text_between_two_marked_passages_is_shortened() -> None:
    source = f"one {'x ' * 200}two {'y ' * 10}three"
    lines = highlighted(source, [place(source, part) for part in ("one", "two", "three")]).splitlines()
    assert lines[1:] == ["> " + "x " * 39 + "… " + "x " * 39 + "x", "> **two**", "> " + "y " * 9 + "y", "> **three**"]


def test_a_reference_names_the_source_and_the_characters() -> None:
    assert reference("a *b*\n.md", span("0123456789", 2, 5)) == "a \\*b\\* .md, 2–5"
