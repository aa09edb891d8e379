import pytest

from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.numerals import Numeral, digits_value, numeral_at
from sparring.checks.claims.tokens import Language, Text


@pytest.mark.parametrize(
    ("text", "numeral"),
    [
        ("7", Numeral(7, 1)),
        ("1,234.5", Numeral(1234.5, 1)),
        ("394 054", Numeral(394054, 1)),
        ("5.65 million people", Numeral(5_650_000, 2)),
        ("3 hundred thousand", Numeral(300_000, 3)),
        ("21st", Numeral(21, 1, is_ordinal=True)),
        ("third place", Numeral(3, 1, is_ordinal=True)),
        ("twenty-first", Numeral(21, 3, is_ordinal=True)),
        ("twenty-one", Numeral(21, 3)),
        ("two hundred and five", Numeral(205, 4)),
        ("two million three hundred thousand", Numeral(2_300_000, 5)),
        ("two and a half", Numeral(2, 1)),
        ("five-hundred people", Numeral(500, 3)),
        ("seven", Numeral(7, 1)),
        ("seven and", Numeral(7, 1)),
        ("a million copies", Numeral(1_000_000, 2)),
        ("a copy", None),
        ("949,00", Numeral(949_000, 1)),
        ("1.2.3", None),
        ("12345678901234567890", None),
        ("word", None),
        ("million", None),
    ],
)
def test_an_english_number_is_read_with_its_scale(text: str, numeral: Numeral | None) -> None:
    assert numeral_at(Text(text).lowered, 0, lexicon(Language.ENGLISH), Language.ENGLISH) == numeral


@pytest.mark.parametrize(
    ("text", "numeral"),
    [
        ("1.234,5", Numeral(1234.5, 1)),
        ("3,5 triệu người", Numeral(3_500_000, 2)),
        ("hai trăm ba mươi lăm", Numeral(235, 5)),
        ("mười lăm", Numeral(15, 2)),
        ("mười năm", Numeral(10, 1)),
        ("hai mươi năm", Numeral(20, 2)),
        ("một nghìn không trăm lẻ hai", Numeral(1002, 6)),
        ("ba triệu hai trăm nghìn", Numeral(3_200_000, 5)),
        ("năm nghìn năm 1999", Numeral(5000, 2)),
        ("năm người", None),
        ("ba", None),
    ],
)
def test_a_vietnamese_number_is_read_with_its_scale(text: str, numeral: Numeral | None) -> None:
    assert numeral_at(Text(text).lowered, 0, lexicon(Language.VIETNAMESE), Language.VIETNAMESE) == numeral


@pytest.mark.parametrize(
    ("text", "english", "vietnamese"),
    [("1.234", 1.234, 1234), ("1,5", 15, 1.5), ("1,234,567", 1234567, 1234567), ("1.5", 1.5, 1.5), ("²", None, None)],
)
def test_points_and_commas_are_read_as_the_language_has_them(
    text: str, english: float | None, vietnamese: float | None
) -> None:
    assert digits_value(text, Language.ENGLISH) == english
    assert digits_value(text, Language.VIETNAMESE) == vietnamese
