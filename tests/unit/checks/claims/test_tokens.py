from unicodedata import normalize

import pytest

from sparring.checks.claims.tokens import Language, Text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("The 21st of May", ["The", "21st", "of", "May"]),
        ("394 054 people", ["394 054", "people"]),
        ("in 1999 200 people", ["in", "1999", "200", "people"]),
        ("1,234.5 and 3.", ["1,234.5", "and", "3", "."]),
        ("2003-04", ["2003", "-", "04"]),
        ("isn't it's", ["isn't", "it's"]),
        ("9.8\ufffdmillion", ["9.8", "million"]),
        ("9.8\u00a0million", ["9.8", "million"]),
        ("1990s", ["1990", "s"]),
        ("x² ٣", ["x²", "٣"]),
    ],
)
def test_a_text_is_words_numbers_and_marks(text: str, tokens: list[str]) -> None:
    assert Text(text).written == tokens


def test_the_offsets_of_a_decomposed_text_are_those_of_the_text_as_given() -> None:
    decomposed = normalize("NFD", "Nguyễn có 1.234 người")
    text = Text(decomposed)

    assert text.written == ["Nguyễn", "có", "1.234", "người"]
    assert [decomposed[slice(*text.offsets(at, at + 1))] for at in range(4)] == decomposed.split()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("dân số là 5 triệu người", Language.VIETNAMESE),
        ("José was born in São Paulo", Language.ENGLISH),
        ("dan so la 5", Language.ENGLISH),
    ],
)
def test_the_language_shows_in_the_letters(text: str, language: Language) -> None:
    assert Text(text).language is language


def test_dashes_and_quotation_marks_are_plain_and_stand_where_they_stood() -> None:
    text = Text("It’s “1987–1990”")

    assert text.written == ["It's", '"', "1987", "-", "1990", '"']
    assert text.original[slice(*text.offsets(2, 5))] == "1987–1990"


def test_in_english_accents_do_not_tell_words_apart() -> None:
    assert Text("São Tomé").lowered == Text("Sao Tome").lowered
    assert Text("Ở Huế có").lowered == ["ở", "huế", "có"]


@pytest.mark.parametrize(
    ("text", "ends"), [("", (0,)), ("One. Two", (2, 3)), ("One. Two.", (2, 4)), ("ships etc. came. So", (5, 6))]
)
def test_a_full_stop_before_a_small_letter_ends_no_sentence(text: str, ends: tuple[int, ...]) -> None:
    assert Text(text).sentence_ends == ends
