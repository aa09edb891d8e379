import pytest

from sparring.text.tidying import for_terminal, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext — naïve 日本語 👩‍💻", "plain\n\ttext — naïve 日本語 👩‍💻"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b2Jcleared", "cleared"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9d0;title\x9ctext", "text"),
        ("\x1bP+q\x1b\\dcs", "dcs"),
        ("\x1b(Bcharset \x1bcreset \x1b7saved", "charset reset saved"),
        ("bell\x07 back\x08space del\x7f nul\x00 c1\x85", "bell backspace del nul c1"),
        ("10 %\r20 %\r\ndone", "10 %\n20 %\ndone"),
        ("\u202egnp.exe\u202c \u2066isolated\u2069", "gnp.exe isolated"),
        ("lone \ud800surrogate", "lone surrogate"),
    ],
)
def test_what_would_act_on_a_terminal_is_removed_and_the_rest_stays(text: str, shown: str) -> None:
    assert for_terminal(text) == shown


@pytest.mark.parametrize("text", ["\x1b]0;never closed\nevidence", "\x1b[", "\x1b\x1b[31m[31mx", "\x1b"])
def test_an_unfinished_sequence_hides_no_later_line_and_leaves_no_escape(text: str) -> None:
    shown = for_terminal(text)
    assert "\x1b" not in shown
    assert shown.partition("\n")[2] == text.partition("\n")[2]


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        ("", 10, ""),
        (" \x1b[0m\r\n\t\x00 ", 10, ""),
        ("  error:\r\n\tno   such\u2028model ", 40, "error: no such model"),
        ("exactly ten", 11, "exactly ten"),
        ("one too many", 11, "one too ma…"),
        ("cut after a space", 12, "cut after a…"),
        ("anything", 1, "…"),
    ],
)
def test_a_detail_becomes_one_line_within_its_limit(text: str, limit: int, line: str) -> None:
    assert one_line(text, limit) == line
