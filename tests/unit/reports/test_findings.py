import pytest

from sparring.app.verification import NamedText, check_text
from sparring.reports.findings import Emphasis, Line, Piece, Texts, findings_lines, plain_lines, print_findings
from support.golden import Golden
from support.terminals import terminal, written
from support.texts import texts


def lines(text: str, evidence: str) -> list[Line]:
    found = check_text(NamedText("a.md", text), [NamedText("e.txt", evidence)], None)
    return list(findings_lines(found, Texts(text, [evidence])))


def shown(text: str, evidence: str) -> list[str]:
    """What is shown, without the totals."""
    return plain_lines(lines(text, evidence)[:-1]).split("\n")


def marked(piece: Piece) -> str:
    return piece.text if piece.emphasis is Emphasis.NONE else f"<{piece.emphasis.name.lower()}: {piece.text}>"


def test_findings_are_shown_as_in_their_golden_file(golden: Golden) -> None:
    told: list[str] = []
    for text, evidence in texts("findings")["told"]:
        told.append(f"== {text!r} on {evidence!r}")
        told += ["".join(map(marked, line)) for line in lines(text, evidence)]
    golden.holds("reports/findings.txt", "\n".join(told) + "\n")


@pytest.mark.parametrize(("around", "line"), texts("findings")["places"])
def test_a_place_is_shown_with_a_few_words_of_its_paragraph(around: str, line: str) -> None:
    found = shown(around.format('"red and blue"'), "Nothing.")
    assert found[1].replace('"', "") == f"    {line}"


def test_terminal_control_is_left_out() -> None:
    text, evidence = (f"\x1b]0;title\x07The castle\x1b[2J has {number}\x07 rooms." for number in (300, 250))
    console = terminal(width=40)
    print_findings(lines(text, evidence), console)
    for out in (written(console), "\n".join(shown(text, evidence))):
        assert "The castle has" in out
        assert not [acting for acting in ("\x07", "title", "\x1b[2J") if acting in out]


def test_without_colour_faults_are_still_underlined() -> None:
    console = terminal(width=40, no_color=True)
    print_findings(lines("A castle with 300 rooms.", "A castle with 250 rooms."), console)
    assert "\x1b[4m300\x1b[0m" in written(console)
    assert "\x1b[4;31m" not in written(console)
