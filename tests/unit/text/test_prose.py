import pytest

from sparring.text.prose import LONGEST, Prose, quotations, sentences
from support.texts import texts

TEXTS = texts("prose")


def blocks(text: str) -> list[str]:
    """The text of each block as its readers see it, with spaces folded."""
    prose = Prose(text)
    return [" ".join(prose.plain[block.start : block.end].split()) for block in prose.blocks]


@pytest.mark.parametrize(("text", "seen"), TEXTS["markup-is-blank-and-what-is-read-stays-where-it-was"])
def test_markup_is_blank_and_what_is_read_stays_where_it_was(text: str, seen: str) -> None:
    assert Prose(text).plain.rstrip() == seen.rstrip()
    assert len(Prose(text).plain) == len(text)


@pytest.mark.parametrize(("text", "found"), TEXTS["a-block-is-a-paragraph-an-item-or-a-heading"])
def test_a_block_is_a_paragraph_an_item_or_a_heading(text: str, found: list[str]) -> None:
    assert blocks(text) == found


def test_only_a_block_quotation_is_quoted() -> None:
    assert [block.is_quoted for block in Prose("one\n> two\n> > three\n\nfour > five").blocks] == [False, True, False]


def test_lines_are_counted_from_one() -> None:
    prose = Prose("a\nb\n\nc")
    assert [prose.line_at(place) for place in range(6)] == [1, 1, 2, 2, 3, 4]


def quoted(text: str) -> list[str]:
    prose = Prose(text)
    return [" ".join(prose.plain[start:end].split()) for start, end in quotations(prose)]


@pytest.mark.parametrize(("text", "found"), TEXTS["a-passage-in-quotation-marks-is-a-quotation"])
def test_a_passage_in_quotation_marks_is_a_quotation(text: str, found: list[str]) -> None:
    assert quoted(text) == found


@pytest.mark.parametrize(("text", "found"), TEXTS["a-block-quotation-is-one-for-each-paragraph"])
def test_a_block_quotation_is_one_for_each_paragraph(text: str, found: list[str]) -> None:
    assert quoted(text) == found


@pytest.mark.timeout(60)
def test_a_long_run_of_closing_marks_takes_no_more_than_its_length() -> None:
    text = "“one two three" + ",;" * 2**17 + "four”"  # looked at from each mark anew, this takes hours
    assert list(quotations(Prose(text))) == [(1, len(text) - 1)]


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text))]


@pytest.mark.parametrize("expected", TEXTS["a-sentence-ends-where-its-readers-think-it-does"])
def test_a_sentence_ends_where_its_readers_think_it_does(expected: list[str]) -> None:
    between = "" if "。" in expected[0] else " "
    assert split(between.join(expected)) == expected


def test_what_holds_no_word_is_no_sentence() -> None:
    assert split(" ... ! *** ") == []
    assert split("") == []


def test_only_the_given_part_is_read() -> None:
    text = "Not this. One. Two. Nor this."
    assert [text[start:end] for start, end in sentences(text, 10, 19)] == ["One.", "Two."]


@pytest.mark.parametrize("text", ["word " * 1000, "x" * 5000, "word\n" * 1000])
def test_what_never_ends_is_cut(text: str) -> None:
    found = split(text)
    assert all(len(sentence) <= LONGEST for sentence in found)
    assert "".join("".join(found).split()) == "".join(text.split())
