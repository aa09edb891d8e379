import io

import pytest
from rich.console import Console

from sparring.app.verification import NamedText, check_text
from sparring.reports.findings import Emphasis, Line, Piece, Texts, findings_lines, plain_lines, print_findings


def lines(text: str, evidence: str) -> list[Line]:
    found = check_text(NamedText("a.md", text), [NamedText("e.txt", evidence)])
    return list(findings_lines(found, Texts(text, [evidence])))


def shown(text: str, evidence: str) -> list[str]:
    """What is shown, without the totals."""
    return plain_lines(lines(text, evidence)[:-1]).split("\n")


def terminal(*, no_color: bool = False) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=40, no_color=no_color, _environ={"TERM": "xterm"})


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_what_offends_and_what_stands_there_are_set_apart() -> None:
    [head, claim, there, why, gap, _] = lines("A castle with 300 rooms.", "It has nothing.\nA castle with 250 rooms.")
    assert head == (Piece("a.md:1: ", Emphasis.PLACE), Piece("critical mismatch", Emphasis.WRONG), Piece(" (quantity)"))
    assert claim == (Piece("    "), Piece("A castle with "), Piece("300", Emphasis.OFFENDING), Piece(" rooms."))
    assert there == (
        Piece("    "),
        Piece("e.txt:2: ", Emphasis.PLACE),
        Piece("It has nothing. A castle with "),
        Piece("250", Emphasis.THERE),
        Piece(" rooms."),
    )
    assert why == (Piece('    The claim has "300", the evidence "250" for the same.'),)
    assert gap == ()


def test_a_difference_shows_what_was_dropped_and_what_was_added() -> None:
    found = lines('They say "a castle with nice big rooms".', "There is a castle with large big rooms here.")
    assert found[3] == (
        Piece("    "),
        Piece("a castle with "),
        Piece("[-nice-]", Emphasis.DROPPED),
        Piece(" "),
        Piece("{+large+}", Emphasis.ADDED),
        Piece(" big rooms"),
    )


def test_everything_is_told_in_the_order_of_the_text() -> None:
    text = 'He said "red and blue" once.\n\nIt has 12 bells.\n\nHe said "green and grey" too.\n\nIt has 13 cats.'
    heads = [line for line in shown(text, "Nothing of all this.") if line.startswith("a.md:")]
    assert heads == [
        "a.md:1: quotation not in the evidence",
        'a.md:3: the evidence does not settle "12"',
        "a.md:5: quotation not in the evidence",
        'a.md:7: the evidence does not settle "13"',
    ]


@pytest.mark.parametrize(
    ("around", "line"),
    [
        ("{}", ">>red and blue<<"),
        ("before\n{}\nafter", "before >>red and blue<< after"),
        ("Elsewhere.\n\n{}\n\nElsewhere.", ">>red and blue<<"),
        ("Elsewhere.\r\n\r\n{}\r\n \r\nElsewhere.", ">>red and blue<<"),
        ("word " * 40 + "{}" + " word" * 40, "… " + "word " * 15 + ">>red and blue<<" + " word" * 15 + " …"),
    ],
)
def test_a_place_is_shown_with_a_few_words_of_its_paragraph(around: str, line: str) -> None:
    found = shown(around.format('"red and blue"'), "Nothing.")
    assert found[1].replace('"', "") == f"    {line}"


def test_what_acts_on_a_terminal_is_left_out() -> None:
    text, evidence = "A castle with 300\x1b[31m\x07 rooms.", "\x1b]0;title\x07A castle with 250 rooms."
    console = terminal()
    print_findings(lines(text, evidence), console)
    for out in (written(console), "\n".join(shown(text, evidence))):
        assert "\x07" not in out
        assert "title" not in out
        assert "\x1b[31m" not in out


def test_without_colour_what_offends_is_still_underlined() -> None:
    console = terminal(no_color=True)
    print_findings(lines("A castle with 300 rooms.", "A castle with 250 rooms."), console)
    assert "\x1b[4m300\x1b[0m" in written(console)
    assert "\x1b[4;31m" not in written(console)


def test_nothing_to_tell_is_one_line() -> None:
    [total] = lines("A castle with 250 rooms.", "A castle with 250 rooms.")
    assert plain_lines([total]) == (
        "1 sentence, 1 with something to compare: 0 contradicted, 1 supported, 0 open. 0 quotations."
    )
