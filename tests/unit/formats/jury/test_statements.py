"""What is read in an opening or a rebuttal, and when it is asked for once more."""

import pytest

from sparring.formats.jury.rules import ON_NOTHING
from sparring.formats.jury.statements import Case, quoted_phrases, read_bullets
from sparring.schema.base import Role
from sparring.schema.jury import EDITION, Phrase, TextName
from sparring.schema.lookups import TextSpan
from support.jury_playing import ADVOCATE, CLAIM, SKEPTIC, TRUTH, outcome, play_jury
from support.playing import FAILS, Special, steps
from support.texts import texts

TEXTS = texts("jury")

TOO_FEW = '- One: "25 March 2020".\n- Two.'
NOWHERE = '- One: "24 March".\n- Two: "650,000 cases".\n- Three.'


@pytest.mark.parametrize(("text", "bullets"), TEXTS["each-item-of-the-outermost-list-is-a-reason"])
def test_each_item_of_the_outermost_list_is_a_reason(text: str, bullets: list[str]) -> None:
    assert read_bullets(text) == tuple(bullets)


@pytest.mark.parametrize(("text", "phrases"), TEXTS["what-stands-between-double-quotes-is-a-phrase"])
def test_what_stands_between_double_quotes_is_a_phrase(text: str, phrases: list[str]) -> None:
    assert quoted_phrases(text) == tuple(phrases)


def test_very_many_phrases_are_not_all_looked_up() -> None:
    assert len(quoted_phrases(" ".join(f'"phrase {number}"' for number in range(1000)))) == 60


def test_a_phrase_is_looked_up_in_the_truth_before_the_claim_and_given_to_the_text_that_it_is_most_like() -> None:
    case = Case(TRUTH, CLAIM)
    said = '"25 March 2020" "fewer than" "more than 999 cases" "fewer than 999" "the moon"'
    assert case.cited(said) == (
        Phrase(text="25 March 2020", source=TextName.TRUTH, span=TextSpan(text="25 March 2020", start=3, end=16)),
        Phrase(text="fewer than", source=TextName.CLAIM, span=TextSpan(text="fewer than", start=18, end=28)),
        Phrase(text="more than 999 cases", source=TextName.TRUTH),
        Phrase(text="fewer than 999", source=TextName.CLAIM),
        Phrase(text="the moon", source=TextName.TRUTH),
    )


def test_a_statement_is_kept_whole_with_its_reasons_and_its_phrases() -> None:
    opening = outcome(play_jury(rebuttals=0)).statements[1]
    assert (opening.role, opening.round, opening.text, opening.faults) == (Role.SKEPTIC, 1, SKEPTIC, ())
    assert opening.bullets == tuple(line.removeprefix("- ") for line in SKEPTIC.splitlines())
    assert [(phrase.text, phrase.source) for phrase in opening.phrases] == [
        ("600,000", TextName.CLAIM),
        ("645,000", TextName.TRUTH),
        ("fewer than", TextName.CLAIM),
        ("more than", TextName.TRUTH),
        ("and territories", TextName.TRUTH),
    ]


@pytest.mark.parametrize(
    ("opening", "faults"),
    [
        (TOO_FEW, ["It gives 2 reasons as a list, where 3 to 5 were asked for."]),
        ('- "25 March 2020"', ["It gives 1 reason as a list, where 3 to 5 were asked for."]),
        ('- "190 countries"\n' * 6, ["It gives 6 reasons as a list, where 3 to 5 were asked for."]),
        (NOWHERE, ["None of the phrases that it quotes stands in the truth, word for word."]),
        (
            SKEPTIC.replace("645,000", "600,000")
            .replace("more than", "fewer than")
            .replace("and territories", "600,000"),
            ["None of the phrases that it quotes stands in the truth, word for word."],
        ),
    ],
    ids=["two", "one", "six", "invented", "from the claim only"],
)
def test_an_opening_without_its_form_is_asked_for_once_more_and_then_taken_with_its_faults(
    opening: str, faults: list[str]
) -> None:
    played = play_jury({"opening.advocate": opening, "opening.advocate.2": opening}, rebuttals=0)
    assert steps(played)[1:] == [["opening.advocate.2"], ["verdict.1"]]
    advocate = outcome(played).statements[0]
    assert (advocate.text, list(advocate.faults)) == (opening, faults)
    assert all(fault in played.asks["opening.advocate.2"].question.prompt for fault in faults)


def test_an_advocate_that_names_no_phrase_of_the_truth_twice_is_noted_and_the_judge_is_told() -> None:
    from_the_claim = '- "fewer than 600,000"\n- "fewer than"\n- "600,000"'
    twice = {"opening.advocate": from_the_claim, "opening.advocate.2": from_the_claim}
    told = "Looked up by code: it names no phrase of the truth, though it was asked for one twice."
    for edition, notices in ((1, ()), (EDITION, (ON_NOTHING,))):
        played = play_jury(twice, rebuttals=0, edition=edition)
        assert outcome(played).notices == notices
        assert (told in played.asks["verdict.1"].question.prompt) == (edition > 1)
    mended = play_jury({"opening.advocate": from_the_claim}, rebuttals=0)
    assert (outcome(mended).notices, told in mended.asks["verdict.1"].question.prompt) == ((), False)


def test_a_skeptic_may_quote_the_claim_alone() -> None:
    opening = '- "fewer than"\n- "600,000"\n- "in 190 countries."'
    assert len(play_jury({"opening.skeptic": opening}, rebuttals=0).steps) == 2


@pytest.mark.parametrize(
    ("second", "taken"),
    [
        (ADVOCATE, ADVOCATE),
        ('- Again: "25 March 2020".', '- Again: "25 March 2020".'),
        ("Nothing at all.", TOO_FEW),
        (FAILS, TOO_FEW),
    ],
    ids=["better", "as bad", "worse", "failed"],
)
def test_of_two_openings_the_one_with_fewer_faults_counts(second: Special, taken: str) -> None:
    played = play_jury({"opening.advocate": TOO_FEW, "opening.advocate.2": second})
    found = outcome(played)
    assert found.statements[0].text == taken
    assert (found.status.value, found.rebuttals_completed) == ("completed", 1)
