import pytest

from sparring.text.prose import LONGEST, Prose, quotations, sentences
from support.texts import texts

TEXTS = texts("prose")


@pytest.mark.parametrize(("text", "seen"), TEXTS["markup-is-blank-and-what-is-read-stays-where-it-was"])
def test_markup_becomes_blanks_and_text_keeps_its_place(text: str, seen: str) -> None:
    assert Prose(text).plain.rstrip() == seen.rstrip()
    assert len(Prose(text).plain) == len(text)


@pytest.mark.parametrize(("text", "found"), TEXTS["a-block-is-a-paragraph-an-item-or-a-heading"])
def test_a_block_is_a_paragraph_an_item_or_a_heading(text: str, found: list[str]) -> None:
    prose = Prose(text)
    assert [" ".join(prose.plain[block.start : block.end].split()) for block in prose.blocks] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [*TEXTS["a-passage-in-quotation-marks-is-a-quotation"], *TEXTS["a-block-quotation-is-one-for-each-paragraph"]],
)
def test_a_passage_in_quotation_marks_is_a_quotation_and_each_paragraph_of_a_block(text: str, found: list[str]) -> None:
    prose = Prose(text)
    assert [" ".join(prose.plain[start:end].split()) for start, end in quotations(prose)] == found


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text))]


@pytest.mark.parametrize("expected", TEXTS["a-sentence-ends-where-its-readers-think-it-does"])
def test_a_sentence_ends_where_its_readers_think_it_does(expected: list[str]) -> None:
    between = "" if "。" in expected[0] else " "
    assert split(between.join(expected)) == expected


def test_a_sentence_needs_a_word_and_only_the_given_part_is_read() -> None:
    assert (split(" ... ! *** "), split("")) == ([], [])
    text = "Not this. One. Two. Nor this."
    assert [text[start:end] for start, end in sentences(text, 10, 19)] == ["One.", "Two."]


@pytest.mark.parametrize("text", ["word " * 1000, "x" * 5000, "word\n" * 1000])
def test_an_endless_sentence_is_cut(text: str) -> None:
    found = split(text)
    assert all(len(sentence) <= LONGEST for sentence in found)
    assert "".join("".join(found).split()) == "".join(text.split())
