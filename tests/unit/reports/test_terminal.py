import io

import pytest

from sparring.formats.views import RunView
from sparring.reports.terminal import console_on, print_first_lines, print_markdown, print_plain
from sparring.text.tidying import for_terminal
from support.decisions import decision
from support.runs import answer, finished_consult
from support.stored_runs import stored
from support.terminals import Screen, lines, terminal, written


@pytest.mark.parametrize("width", [60, 100, 200])
def test_a_report_is_laid_out_at_the_left_margin_and_no_wider_than_prose_is_read(width: int) -> None:
    console = terminal(width=width)
    print_markdown(decision(stored("debate")), console)
    shown = for_terminal(written(console)).splitlines()
    assert max(len(line.rstrip()) for line in shown) in range(min(width, 100) - 12, min(width, 100) + 1)
    headings = ["claude (proposer) wins", "Verdict", "Debate Quality", "Key Agreements"]
    assert [line.rstrip() for line in shown if line.rstrip() in headings] == headings


@pytest.mark.parametrize(("is_plain", "colour"), [(True, "\x1b[1;32m"), (False, "\x1b[1;33m")])
def test_the_winner_is_in_colour_and_so_are_warnings(is_plain: bool, colour: str) -> None:  # noqa: FBT001
    console = terminal()
    text = RunView(stored("debate", request={"notices": ("[WARN] It was cheap.",)})).verdict()
    print_first_lines(text, console, is_plain=is_plain)
    assert f"{colour}claude (proposer) wins" in written(console)
    assert "\x1b[33m[WARN] It was cheap.\x1b[0m" in written(console)
    assert "\x1b[1mUsed:\x1b[0m" in written(console)


def test_without_a_terminal_or_too_long_to_lay_out_a_report_is_printed_as_it_is() -> None:
    text, stream, console = decision(stored("debate")), io.StringIO(), terminal()
    print_plain(text, stream)
    print_plain("no end of line \x1b[2J", stream)
    assert stream.getvalue() == text + "no end of line \n"
    print_markdown("# A\n" + "word " * 30_000, console)
    assert written(console) == "# A\n" + "word " * 30_000 + "\n"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("A `Vec<T>` or Vec<T>", "A Vec<T> or Vec<T>"),
        ("before <!-- hidden --> after", "before <!-- hidden --> after"),
        ("[good](https://bad.example)", "good (https://bad.example)"),
        ("\x1b]8;;https://bad.example\x07good\x1b]8;;\x07 \x1b[2J", "good"),
        (f"| a |\n|---|\n| {'x' * 100}end |", "xxend"),
        (":smile: [red]not markup[/red]", ":smile: [red]not markup[/red]"),
    ],
)
def test_text_on_a_terminal_is_neither_hidden_nor_active(said: str, shown: str) -> None:
    console = terminal()
    print_markdown(decision(finished_consult(answer(said))), console)
    assert lines(console)[-1] == shown
    assert "\x1b]8" not in written(console)


@pytest.mark.parametrize("columns", ["0", "1", "2"])
def test_a_width_into_which_nothing_fits_is_not_believed(columns: str) -> None:
    stream = Screen()
    print_markdown("All of the answer.", console_on(stream, {"TERM": "dumb", "COLUMNS": columns}))
    assert "All of the answer." in stream.getvalue()
