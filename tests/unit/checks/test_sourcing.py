"""Which figures say where they come from."""

import pytest

from sparring.checks.sources import entries_cited, is_conjecture, unsourced_paragraphs


@pytest.mark.parametrize(
    "content",
    [
        "Deaths fell by 12 %.",
        "Deaths fell by 12 percent in that city.",
        "Millions of people moved; a million of them by bus.",
        "It was in 1999 that this began.",
        "It was built in mid-2019, and never used.",
        "It costs $5 a day.",
        "It costs 10k a year.",
        "There were 3.5 times as many.",
        "- 20 cities have done so.",
        "Between 2010–2020 nothing happened.",
        "The law claims 200 lives.",
        "Section 5 of the law holds for 300 cities.",
        "Figure 40% of that.",
        "Deaths fell by 12 % [2].",
        "Deaths fell by 12 % (seq 4).",
        "٣٠ cities have done so.",
    ],
)
def test_a_figure_without_a_source_is_found(content: str) -> None:
    assert unsourced_paragraphs(content, entries={7}) == (1,)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "Nobody has measured anything.",
        "Deaths fell by 12 %, as entry (seq 7) shows.",
        "Deaths fell by 12 % (seq 3, 7).",
        "Deaths fell by 12 % (seqs 3 and 7).",
        "Perhaps [CONJECTURE] deaths would fall by 12 %.",
        "1. First, streets are safer.\n2) Second, they are quieter.",
        "What seq 5 said in round 2 is no argument; see section 3 and [1].",
        "There are 2 reasons for this.",
        "COVID-19 and GPT-4 changed that, as did the F-16.",
        "See https://example.org/2019/12/streets for more.",
        "H2O and CO2 are substances.",
        "In 2035 this would be in force.",
    ],
)
def test_what_is_sourced_or_labelled_or_no_figure_is_let_pass(content: str) -> None:
    assert unsourced_paragraphs(content, entries={7}, given="Ban cars by 2035.") == ()


def test_each_paragraph_needs_its_own_source_and_is_named_by_its_number() -> None:
    content = "It fell by 12 % (seq 1).\n\nIt rose by 3 %\nand then by 4 %.\r\n \r\nNo figures.\n\n\n\nAgain 12 %."
    assert unsourced_paragraphs(content, entries={1}) == (2, 4)


def test_a_label_at_the_beginning_stands_for_the_whole_text() -> None:
    assert unsourced_paragraphs("**[CONJECTURE]** It may be 5 %.\n\nOr 6 %.") == ()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[CONJECTURE] It may be.", True),
        ("**[CONJECTURE]** It may be.", True),
        ("## [Conjecture]\nIt may be.", True),
        ("It may be. [CONJECTURE]", False),
        ("CONJECTURE: it may be.", False),
        ("", False),
    ],
)
def test_a_conjecture_begins_with_its_label(content: str, expected: bool) -> None:  # noqa: FBT001 -- a table's column
    assert is_conjecture(content) is expected


def test_entries_are_cited_by_their_numbers_each_once() -> None:
    text = "As (seq 5) and seq. 7 say, and (Seq #5, 9), and seqs 11 & 12; a sequel 13 says nothing."
    assert entries_cited(text) == (5, 7, 9, 11, 12)


@pytest.mark.parametrize("piece", ["1,", "[1,", "seq 1,", "section ,", "- ", "\n ", "1.", "a-2", "*", "https://"])
def test_a_long_text_is_read_in_one_pass(piece: str) -> None:
    # Were it not, this would not end within the time that a test has.
    assert unsourced_paragraphs(piece * 50_000) in {(), (1,)}
