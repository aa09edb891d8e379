import pytest

from sparring.checks.claims.terms import Terms, fold
from sparring.checks.claims.tokens import Language, Text


def read(text: str) -> list[str]:
    return [word.text for word in Terms(Text(text)).words]


def code(text: str) -> list[str]:
    return [word.text for word in Terms(Text(text)).words if word.is_code]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("It rained, (and) stopped.", ["It", "rained", "and", "stopped"]),
        ("`a.py` holds 3,600 of 1,2", ["a.py", "holds", "3,600", "of", "1", "2"]),
        ("`` so '' -LRB- it -RRB- is", ["so", "it", "is"]),
        ("male/female and a/b.py", ["male", "female", "and", "a/b.py"]),
        ("It is turned on.", ["It", "is", "turned on"]),
        ("turned", ["turned"]),
        ("— … !", []),
    ],
)
def test_a_text_is_read_as_terms(text: str, terms: list[str]) -> None:
    assert read(text) == terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("set max_size to v3 in `plain` words", ["max_size", "v3", "plain"]),
        ("--verbose and http://localhost:80 and fooBar", ["--verbose", "http://localhost:80", "fooBar"]),
        ("Nothing of it is 3,600 well-known words.", []),
    ],
)
def test_code_is_told_by_its_marks_or_its_shape(text: str, found: list[str]) -> None:
    assert code(text) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("closed", "closing"),
        ("stopped", "stops"),
        ("tries", "try"),
        ("sold", "sells"),
        ("Café's", "cafe"),
        ("two", "2"),
        ("3,600", "3600"),
        ("online", "on-line"),
        ("within", "inside"),
    ],
)
def test_inflection_and_spelling_are_folded(one: str, other: str) -> None:
    assert fold(one, Language.ENGLISH) == fold(other, Language.ENGLISH)


@pytest.mark.parametrize(("one", "other"), [("class", "clas"), ("bus", "buses'x"), ("his", "hi"), ("needs", "nee")])
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert fold(one, Language.ENGLISH) != fold(other, Language.ENGLISH)


def test_vietnamese_has_no_inflection() -> None:
    assert fold("Tăng", Language.VIETNAMESE) == "tăng"


def test_a_phrase_stands_where_its_words_stood() -> None:
    terms = Terms(Text("It is (turned on)."))

    assert (terms.starts[-1], terms.ends[-1]) == (7, 16)
    assert len(terms.starts) == len(terms.ends) == len(terms.words) == len(terms.sentences)


def test_a_sentence_ends_before_a_capital_letter_alone() -> None:
    assert Terms(Text("One of e.g. two. Three\nFour five.")).extents == [(0, 4), (4, 5), (5, 7)]
