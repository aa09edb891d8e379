import pytest

from sparring.checks.claims.crossing.dictionary import dictionary
from sparring.checks.claims.crossing.phrasebook import Found, Phrasebook, plain
from sparring.checks.claims.tokens import Language, Text

BOOK = Phrasebook({("first",): 1, ("last",): 2, ("at", "last"): 3, ("last", "year", "of"): 4})


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("the first one", [Found(1, 2, 1)]),
        ("at last", [Found(0, 2, 3)]),
        ("at the last", [Found(2, 3, 2)]),
        ("last year", [Found(0, 1, 2)]),
        ("first last year of first", [Found(0, 1, 1), Found(1, 4, 4), Found(4, 5, 1)]),
        ("none", []),
        ("", []),
    ],
)
def test_the_longest_phrase_is_found_and_none_within_another_one(words: str, found: list[Found[int]]) -> None:
    assert list(BOOK.find(words.split())) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("increased", "increases"),
        ("increasing", "increase"),
        ("stopped", "stop"),
        ("cities", "city"),
        ("called", "call"),
        ("museum's", "museum"),
        ("finally", "final"),
    ],
)
def test_an_english_word_is_the_same_with_any_ending(one: str, other: str) -> None:
    assert plain(one, Language.ENGLISH) == plain(other, Language.ENGLISH)


@pytest.mark.parametrize(
    ("one", "other"),
    [("hoá", "hóa"), ("thuỷ", "thủy"), ("khoẻ", "khỏe"), ("tỷ", "tỉ"), ("lý", "lí"), ("sỹ", "sĩ")],
)
def test_a_vietnamese_syllable_is_the_same_however_it_is_spelled(one: str, other: str) -> None:
    assert plain(one, Language.VIETNAMESE) == plain(other, Language.VIETNAMESE)


@pytest.mark.parametrize(("one", "other"), [("tay", "tai"), ("thuý", "thui"), ("bà", "bá"), ("mới", "mời")])
def test_other_vietnamese_syllables_stay_apart(one: str, other: str) -> None:
    assert plain(one, Language.VIETNAMESE) != plain(other, Language.VIETNAMESE)


def test_a_word_is_looked_up_in_both_languages() -> None:
    syllables = [plain(word, Language.VIETNAMESE) for word in Text("Các nhà thờ cổ ở châu Âu").lowered]
    there = {found.meaning for found in dictionary().phrases.find(syllables)}

    assert there & dictionary().in_vietnamese("churches")
    assert there & dictionary().in_vietnamese("european")
    assert not there & dictionary().in_vietnamese("temple")
    assert not dictionary().in_vietnamese("xylophone")
