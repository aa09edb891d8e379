import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sparring.reports.markdown import after, inline, quoted

MARKDOWN = MarkdownIt("commonmark")
HOSTILE_LINES = st.lists(
    st.sampled_from(
        [
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
    )
    | st.text(max_size=20),
    max_size=8,
).map("\n".join)


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
def test_what_is_inline_is_one_paragraph_or_nothing(text: str) -> None:
    assert outline(inline(text)) in ([], ["paragraph_open"])
    assert outline(f"- {inline(text)}\n\nOurs.") == ["bullet_list_open", "paragraph_open"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\n lines", "two lines"),
        ("# Verdict", "\\# Verdict"),
        ("#hashtag", "#hashtag"),
        ("1. first", "1\\. first"),
        ("1)", "1\\)"),
        ("===", "\\==="),
        ("3.5 is a number", "3.5 is a number"),
        ("-5 is a number", "-5 is a number"),
        ("- item", "\\- item"),
        ("**bold** move", "**bold** move"),
        ("* * *", "\\* * *"),
        ("```python", "\\```python"),
        ("<!-- hidden", "\\<!-- hidden"),
        ("> quoted", "\\> quoted"),
        ("[a]: b", "\\[a]: b"),
        ("[WARN] Challenger failed.", "[WARN] Challenger failed."),
        ("{braces} | pipes", "{braces} | pipes"),
        ("\x1b[31mred\x1b[0m \u202etext", "red text"),
    ],
)
def test_inline_text_is_changed_only_where_it_would_begin_a_block(text: str, shown: str) -> None:
    assert inline(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("one line\n", "Topic: one line"), ("two\nlines", "Topic:\n\n> two\n> lines"), ("", "Topic:")]
)
def test_text_of_several_lines_follows_its_lead_as_a_quotation(text: str, shown: str) -> None:
    assert after("Topic:", text) == shown
