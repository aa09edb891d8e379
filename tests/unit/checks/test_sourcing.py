"""Which figures say where they come from."""

import pytest

from sparring.checks.sources import entries_cited, is_conjecture, unsourced_paragraphs
from support.texts import texts

TEXTS = texts("quotes")


@pytest.mark.parametrize("content", TEXTS["a-figure-without-a-source-is-found"])
def test_a_figure_without_a_source_is_found(content: str) -> None:
    assert unsourced_paragraphs(content, entries={7}) == (1,)


@pytest.mark.parametrize("content", TEXTS["what-is-sourced-or-labelled-or-no-figure-is-let-pass"])
def test_what_is_sourced_or_labelled_or_no_figure_is_let_pass(content: str) -> None:
    assert unsourced_paragraphs(content, entries={7}, given="Ban cars by 2035.") == ()


def test_each_paragraph_needs_its_own_source_and_is_named_by_its_number() -> None:
    content = "It fell by 12 % (seq 1).\n\nIt rose by 3 %\nand then by 4 %.\r\n \r\nNo figures.\n\n\n\nAgain 12 %."
    assert unsourced_paragraphs(content, entries={1}) == (2, 4)


def test_a_label_at_the_beginning_stands_for_the_whole_text() -> None:
    assert unsourced_paragraphs("**[CONJECTURE]** It may be 5 %.\n\nOr 6 %.") == ()


@pytest.mark.parametrize(("content", "expected"), TEXTS["a-conjecture-begins-with-its-label"])
def test_a_conjecture_begins_with_its_label(content: str, expected: bool) -> None:  # noqa: FBT001 -- a table's column
    assert is_conjecture(content) is expected


def test_entries_are_cited_by_their_numbers_each_once() -> None:
    text = "As (seq 5) and seq. 7 say, and (Seq #5, 9), and seqs 11 & 12; a sequel 13 says nothing."
    assert entries_cited(text) == (5, 7, 9, 11, 12)
