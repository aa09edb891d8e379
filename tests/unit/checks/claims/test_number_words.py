import pytest

from sparring.checks.claims import check_claim
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.numerals import Numeral, numeral_at
from sparring.checks.claims.tokens import Language, Text
from sparring.schema.claims import Label


@pytest.mark.parametrize(
    ("text", "numeral"),
    [
        ("half a million people", Numeral(500_000, 3)),
        ("half a day", None),
        ("half of them", None),
        ("two dozen people", Numeral(24, 2)),
        ("a dozen people", Numeral(12, 2)),
        ("sixtieth place", Numeral(60, 1, is_ordinal=True)),
        ("one hundred and first place", Numeral(101, 4, is_ordinal=True)),
        ("two thousand third place", Numeral(2003, 3, is_ordinal=True)),
        ("five third parties", Numeral(5, 1)),
    ],
)
def test_an_english_number_in_words_is_read_to_its_end(text: str, numeral: Numeral | None) -> None:
    assert numeral_at(Text(text).lowered, 0, lexicon(Language.ENGLISH), Language.ENGLISH) == numeral


def test_a_date_written_otherwise_in_a_repeated_sentence_is_the_same() -> None:
    claim = "Matthew Vaughn was born on May 9th, 1977 in Bath."

    assert check_claim(claim, [claim.replace("9th", "9")]).label is Label.SUPPORTED
    assert check_claim(claim, [claim.replace("9th", "8")]).label is Label.REFUTED


def test_a_period_of_days_is_read_from_its_first_day() -> None:
    claim = "The games were held in Bath from 5 to 27 March 2001."

    assert check_claim(claim, ["The games were held in Bath from 5 March to 27 March 2001."]).label is Label.SUPPORTED
    assert check_claim(claim, ["The games were held in Bath from 6 to 27 March 2001."]).label is Label.REFUTED
    assert check_claim(claim, ["The games were held in Bath, starting on 29 May 2001."]).label is Label.REFUTED
