"""A debater's turn: what is returned, what is struck, and what the chair clarifies."""

import json

import pytest

from support.chaired_playing import FABRICATED, action, asked, outcome, play_chaired, source
from support.playing import Played, prompt


def content(played: Played, seq: int) -> str:
    return outcome(played).log[seq - 1].content


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("I would rather not.", "There is no JSON object in the reply."),
        ('{"type": "poem", "content": "Roses"}', "type: "),
        ('{"type": "new_point", "content": "  "}', "content: "),
        (action("new_point", "It is so [1].", rebuttal_to_seq=0), "rebuttal_to_seq: "),
        (action("new_point", "It is so [1].", sources=[source()] * 11), "sources: "),
    ],
)
def test_what_cannot_be_read_is_returned_once_and_then_struck(reply: str, shown: str) -> None:
    played = play_chaired({"r1.promoter.1": reply, "r1.promoter.2": reply})
    assert shown in prompt(played, "r1.promoter.2")
    assert content(played, 5) == "[STRUCK] The reply could not be read."
    assert outcome(played).log[4].type == "new_point"


def test_spelling_and_nulls_in_words_are_forgiven() -> None:
    said = {
        "type": "Clarification Request",
        "content": " What is meant? ",
        "sources": None,
        "rebuttal_to_seq": "null",
        "target_seq": "3",
        "source_challenge": "none",
        "mood": "good",
    }
    played = play_chaired({"r1.promoter.1": json.dumps(said)})
    entry = outcome(played).log[4]
    assert (entry.type, entry.content, entry.sources, entry.target_seq) == (
        "clarification_request",
        "What is meant?",
        (),
        3,
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"source_challenge": "It is made up."}, "A source challenge needs target_seq"),
        ({"target_seq": 3}, "target_seq goes with a source challenge, whose reason is missing"),
        (
            {"type": "clarification_request", "sources": [], "target_seq": 3, "source_challenge": "It is made up."},
            "A clarification request carries no source challenge",
        ),
        ({"target_seq": 1, "source_challenge": "It is made up."}, "seq 1 is your own."),
        ({"target_seq": 4, "source_challenge": "It is made up."}, "seq 4 is the verifier's."),
    ],
)
def test_a_source_challenge_names_an_entry_of_the_opponent_and_a_reason(
    changes: dict[str, object], reason: str
) -> None:
    played = play_chaired({"r1.promoter.1": action("new_point", "It is so [1].", **changes)})
    assert reason in prompt(played, "r1.promoter.2")


WORDS = "Bicycles were counted at every gate of the old town for a whole year"
REPEATED = "[STRUCK] It repeats what was taken out of the debate."
MADE_UP = "https://www.made-up.org/count?year=1"


@pytest.mark.parametrize(
    "again",
    [
        action("new_point", f"As I said: {WORDS.upper()} [1]."),
        action("new_point", "**Bicycles** were counted - at every\u200b gate, of the old town… [1]."),
        action("new_point", "Look at made-up.org/count?year=1 [1]."),
        action("new_point", "Look here [1].", sources=[source("http://made-up.org/count?year=1#top")]),
        action("new_point", "Look here [1].", sources=[source(quote=WORDS)]),
        action("new_point", "It is so [1].", source_challenge=WORDS, target_seq=5),
        f"I say it in prose: {WORDS}.",
    ],
)
def test_repeating_what_was_taken_out_is_struck_at_once(again: str) -> None:
    played = play_chaired(
        {
            "opening.promoter.1": action("opening_statement", f"{WORDS} [1].", sources=[source(MADE_UP)]),
            "opening.promoter.1.sources": FABRICATED,
            "r1.promoter.1": again,
        }
    )
    assert asked(played)[4:6] == ["r1.promoter.1", "r1.detractor.1"]
    struck = next(entry for entry in outcome(played).log if entry.content.startswith("[STRUCK]"))
    assert (struck.speaker, struck.content) == ("promoter", REPEATED)


@pytest.mark.parametrize(
    "said",
    [
        action("new_point", "Bicycles were counted at every gate, they say [1].", sources=[source("https://x.org/1")]),
        action("new_point", "Look at made-up.org [1].", sources=[source("https://made-up.org/count?year=12", "")]),
    ],
)
def test_what_only_resembles_it_is_let_in(said: str) -> None:
    played = play_chaired(
        {
            "opening.promoter.1": action("opening_statement", f"{WORDS} [1].", sources=[source(MADE_UP, "a b c d")]),
            "opening.promoter.1.sources": FABRICATED,
            "r1.promoter.1": said,
        }
    )
    assert not [entry for entry in outcome(played).log if entry.content.startswith("[STRUCK]")]
