"""When a text has nothing to do with another: only where that is plain."""

import pytest

from sparring.formats.fact_check.grounds import has_no_number, says_nothing_of

CLAIM = "The Eiffel Tower in Paris is 330 metres tall."


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Croissants are popular", CLAIM),
        ("the of in", CLAIM),
        ("...", CLAIM),
        ("Marie Curie won two prizes", CLAIM),
        ("Sông Hồng chảy qua miền Bắc", "Thủ đô có tám triệu dân"),
        ("Кошка спит дома", "Башня построена в Париже"),
        ("It", CLAIM),
    ],
)
def test_texts_without_a_word_or_number_in_common_are_unrelated(text: str, subject: str) -> None:
    assert says_nothing_of(text, subject)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("the towers of Bologna", CLAIM),
        ("330", CLAIM),
        ("a height of 330.0 m", "It is 3,300 metres high"),
        ("PARIS", CLAIM),
        ("Twelve people came", "12 guests"),
        ("The Vietnamese won", "Vietnam was at war"),
        ("It burned down", CLAIM),
        ("Tháp cao ba trăm mét", CLAIM),
        ("埃菲尔铁塔", "巴黎的塔"),
        ("Der Turm wurde im Jahr danach nach seinem Erbauer benannt", CLAIM),
        ("Hà Nội", "Hanoi is the capital"),
        ("Башня", CLAIM),
        ("Thành Cát Tư Hãn", "cháu nội của Thành Cát Tư Hãn đã phát động một cuộc xâm lược"),
        ("NASA", "a turning point in NASA's decision"),
    ],
)
def test_nothing_is_concluded_from_a_common_word_another_language_or_a_word_that_points_back(
    text: str, subject: str
) -> None:
    assert not says_nothing_of(text, subject)


def test_one_subject_that_has_to_do_with_it_is_enough() -> None:
    assert not says_nothing_of("Croissants are popular", CLAIM, "Popular food")
    assert says_nothing_of("Croissants are popular", CLAIM, "Tall buildings")


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("The Eiffel Tower", True),
        ("tòa tháp ở thủ đô nước Pháp", True),
        ("The Eiffel Tower is 324 metres tall", False),
        ("three hundred and thirty metres", False),
        ("all of the users", False),
        ("hai mươi mốt người đã được cứu", False),
        ("Der Turm ist dreihundert Meter hoch seit dem letzten Umbau", False),
        ("Башня", False),
    ],
)
def test_a_text_has_no_number_only_where_its_numerals_are_known(text: str, *, lacks: bool) -> None:
    assert has_no_number(text) is lacks
