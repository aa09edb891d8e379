"""Conduct: the chair proposes a ruling with words and places, code looks these up, and the consequence is by rule."""

import json

import pytest

from support.chaired_playing import FABRICATED, action, conclusion, outcome, play_chaired, review, source
from support.playing import Played, Special, prompt

ATTACK = "My opponent is a paid liar, and everybody knows it."
AGAIN = "Only an idiot could say so, and here one does."
REDACTED_WORDS = "Bicycles were counted at every gate of the old town for a whole year"


def point(content: str, **changes: object) -> str:
    fields: dict[str, object] = {"sources": []}
    return action("new_point", content, **(fields | changes))


def breach(seq: int, kind: str, quote: str, **changes: object) -> dict[str, object]:
    return {"seq": seq, "kind": kind, "quote": quote, "reason": "So one does not speak."} | changes


def ruling(*breaches: dict[str, object]) -> str:
    return json.dumps(json.loads(review()) | {"conduct": breaches})


def deciding(*breaches: dict[str, object], decisive: tuple[int, ...] = (1,)) -> str:
    return json.dumps(json.loads(conclusion("affirmative_wins", *decisive)) | {"conduct": breaches})


def rulings(played: Played) -> list[tuple[str, int | None]]:
    """What the chair did about entries."""
    kinds = ("warning", "redaction")
    return [(each.type, each.target_seq) for each in outcome(played).log if each.type in kinds]


PAID = breach(5, "personal attack", "a paid liar")


def test_an_attack_is_a_warning_with_its_words_and_the_entry_stands() -> None:
    played = play_chaired({"r1.promoter.1": point(ATTACK), "r1.chair.1": ruling(PAID)}, max_rounds=2)
    assert rulings(played) == [("warning", 5)]
    why = "Seq 5 of the promoter holds a personal attack: “a paid liar”. So one does not speak."
    assert [each.content for each in outcome(played).log if each.type == "warning"] == [why]
    assert outcome(played).notices == (f"[WARN] {why}",)
    assert outcome(played).log[4].content == ATTACK
    assert why in prompt(played, "r2.promoter.1")


def test_a_further_breach_after_the_warning_takes_the_entry_out() -> None:
    special: dict[str, Special] = {
        "r1.promoter.1": point(ATTACK),
        "r1.chair.1": ruling(PAID),
        "r2.promoter.1": point(AGAIN),
        "conclusion.1": deciding(breach(9, "personal_attack", "Only an idiot could say so")),
    }
    end = outcome(play_chaired(special, max_rounds=2))
    assert end.log[8].content == "[REDACTED] It holds a personal attack. So one does not speak."
    assert AGAIN not in end.model_dump_json()
    assert (end.log[-2].type, end.log[-2].target_seq, end.log[-1].type) == ("redaction", 9, "conclusion")


def test_two_breaches_before_any_warning_are_two_warnings() -> None:
    played = play_chaired(
        {
            "r1.promoter.1": point(ATTACK),
            "closing.promoter.1": action("closing_statement", AGAIN, sources=[]),
            "conclusion.1": deciding(PAID, breach(9, "personal_attack", "Only an idiot")),
        }
    )
    assert rulings(played) == [("warning", 5), ("warning", 9)]


def test_a_decision_does_not_rest_on_what_its_own_ruling_takes_out() -> None:
    said = deciding(breach(9, "personal_attack", "Only an idiot could say so"), decisive=(9,))
    special: dict[str, Special] = {
        "r1.promoter.1": point(ATTACK),
        "r1.chair.1": ruling(PAID),
        "r2.promoter.1": point(AGAIN),
        "conclusion.1": said,
        "conclusion.2": said,
    }
    played = play_chaired(special, max_rounds=2)
    assert '"decisive" names seq 9, which is no entry' in prompt(played, "conclusion.2")
    assert outcome(played).decisive == ()


MISREAD = breach(
    6, "misrepresentation", "says that nobody ever walks", about_seq=5, original="that hardly anybody walks"
)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, ""),
        ({"quote": "says that nobody ever drives"}, '"quote" does not stand in seq 6, word for word.'),
        ({"quote": "nobody"}, '"quote" does not stand in seq 6, word for word.'),
        ({"original": "that nobody walks"}, '"original" does not stand in seq 5, word for word.'),
        ({"original": None}, '"original" does not stand in seq 5, word for word.'),
        ({"about_seq": None}, '"about_seq" names no earlier entry of the opponent that still stands.'),
        ({"about_seq": 3}, '"about_seq" names no earlier entry of the opponent that still stands.'),
        ({"seq": 99}, "seq 99 is no entry of a debater that still stands."),
        ({"kind": "repetition"}, '"about_seq" names no entry that had been redacted before.'),
        ({"kind": "concession"}, '"quote" stands in no line of seq 6 that begins with "I concede:"'),
    ],
)
def test_what_cannot_be_found_is_returned_once_and_then_no_ruling(changes: dict[str, object], fault: str) -> None:
    said = ruling({**MISREAD, **changes})
    special: dict[str, Special] = {
        "r1.promoter.1": point("The count shows that hardly anybody walks there."),
        "r1.detractor.1": point("The promoter says that nobody ever walks."),
        "r1.chair.1": said,
    }
    if fault:
        special["r1.chair.2"] = said
    played = play_chaired(special, max_rounds=2)
    assert rulings(played) == ([] if fault else [("warning", 6)])
    if fault:
        assert f'"conduct", number 1: {fault}' in prompt(played, "r1.chair.2")
        assert "could not be followed" in outcome(played).notices[0]


@pytest.mark.parametrize(
    ("again", "quote", "is_out"),
    [
        ("As I said, they were counted at every gate of it.", "counted at every gate of", True),
        ("As I said, every door of it was watched.", "every door of it", False),
        ("Once more: cars in a city centre.", "a city centre", False),
    ],
)
def test_a_repetition_is_what_code_finds_in_the_redacted_words(again: str, quote: str, *, is_out: bool) -> None:
    special: dict[str, Special] = {
        "opening.promoter.1": action("opening_statement", f"{REDACTED_WORDS} [1].", sources=[source()]),
        "opening.promoter.1.sources": FABRICATED,
        "r1.promoter.1": point(again),
        "r1.chair.1": ruling(breach(7, "repetition", quote, about_seq=1)),
    }
    if not is_out:
        special["r1.chair.2"] = special["r1.chair.1"]
    played = play_chaired(special, max_rounds=2)
    assert (("redaction", 7) in rulings(played)) is is_out
    assert REDACTED_WORDS not in outcome(played).model_dump_json()


@pytest.mark.parametrize(
    ("content", "is_warned"),
    [
        ("It was a good debate.\n\nI concede: the motion as a whole", True),
        ("On reflection, I concede the motion as a whole.", False),
        ("I concede: the motion as a whole\n\nI withdraw: the motion as a whole", False),
    ],
)
def test_a_concession_is_one_by_its_mark_and_is_warned_of(content: str, *, is_warned: bool) -> None:
    said = ruling(breach(5, "concession", "the motion as a whole"))
    special: dict[str, Special] = {"r1.promoter.1": point(content), "r1.chair.1": said}
    if not is_warned:
        special["r1.chair.2"] = said
    played = play_chaired(special, max_rounds=2)
    assert rulings(played) == ([("warning", 5)] if is_warned else [])
    assert outcome(played).log[4].content == content


def test_what_is_not_in_the_form_costs_no_ruling_and_no_decision() -> None:
    odd = {"conduct": [{"seq": "five"}, "rude", None, PAID]}
    said = json.dumps(json.loads(conclusion("draw", 1)) | odd)
    played = play_chaired({"r1.promoter.1": point(ATTACK), "conclusion.1": said})
    assert (rulings(played), outcome(played).decision) == ([("warning", 5)], "draw")
    none = json.dumps(json.loads(conclusion("draw", 1)) | {"conduct": None})
    assert outcome(play_chaired({"conclusion.1": none})).decision == "draw"
