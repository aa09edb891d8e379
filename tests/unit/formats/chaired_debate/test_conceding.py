"""Who gives up the core proposition, and who only grants a point."""

import pytest

from sparring.formats.chaired_debate.replies import concedes
from sparring.schema.chaired_debate import Speaker


@pytest.mark.parametrize(
    ("speaker", "content"),
    [
        ("promoter", "On reflection, I concede the motion."),
        ("promoter", "I must concede the core\nproposition."),
        ("promoter", "You have convinced me."),
        ("promoter", "You've convinced me; there is nothing left to say."),
        ("promoter", "The negative side is right."),
        ("promoter", "After all, the detractor has won."),
        ("detractor", "The affirmative is right."),
        ("detractor", "So the promoter's case falls, but the affirmative case is in fact correct."),
        ("detractor", "I now withdraw my case."),
        ("detractor", "I was wrong about the topic."),
        ("detractor", "I have changed my position."),
        ("detractor", "I am convinced by my opponent."),
    ],
)
def test_giving_up_the_proposition_is_found(speaker: str, content: str) -> None:
    assert concedes(content, Speaker(speaker))


@pytest.mark.parametrize(
    ("speaker", "content"),
    [
        ("promoter", "I concede that buses are slow."),
        ("promoter", "I concede the point about buses, which strengthens my case."),
        ("promoter", "I do not concede the motion."),
        ("promoter", "I will never give up the motion."),
        ("promoter", "You have convinced me that buses are slow."),
        ("promoter", "The affirmative is right."),
        ("promoter", "If the negative is right, streets must be empty. They are not."),
        ("promoter", 'My opponent writes: "The negative side is right, and everybody knows it."'),
        ("promoter", "> I concede the motion.\n\nSo says nobody."),
        ("detractor", "The detractor wins on every count."),
        ("detractor", "Nuance: the promoter is right about one street."),
    ],
)
def test_nuance_quotation_and_one_s_own_side_are_none(speaker: str, content: str) -> None:
    is_about_one_point = content.startswith("Nuance")
    assert concedes(content, Speaker(speaker)) is is_about_one_point


@pytest.mark.parametrize("piece", ["I ", "the ", "the negative ", "I concede ", "you have ", '"', " "])
def test_a_long_text_is_read_in_one_pass(piece: str) -> None:
    # Were it not, this would not end within the time that a test has.
    assert not concedes(piece * 20_000, Speaker.PROMOTER)
