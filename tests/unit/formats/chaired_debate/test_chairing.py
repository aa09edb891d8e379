"""The chair's review: rulings on source challenges, and what follows from them."""

import pytest

from sparring.schema.base import Role
from sparring.schema.consultation import Speech
from sparring.schema.lookups import SourceStatus
from support.chaired_playing import (
    CHALLENGE,
    REASON,
    UNRELIABLE,
    action,
    asked,
    found,
    log,
    outcome,
    play_chaired,
    review,
    source,
)
from support.playing import Played, Special, prompt

WORDS = "Bicycles were counted at every gate of the old town for a whole year"
OPENING: dict[str, Special] = {
    "opening.promoter.1": action("opening_statement", f"{WORDS} [1].", sources=[source()]),
    "opening.promoter.1.sources": found(SourceStatus.UNREACHABLE, reason="no network"),
}
CHALLENGED: dict[str, Special] = {**OPENING, "r1.detractor.1": CHALLENGE}
WHOSE = "The challenge by the detractor in seq 7 of the sources of seq 1"


def entries(played: Played, type_: str) -> list[str]:
    return [entry.content for entry in outcome(played).log if entry.type == type_]


def test_every_challenge_of_the_round_is_ruled_on_even_where_no_round_follows() -> None:
    played = play_chaired({**CHALLENGED, "r1.chair.1": review((7, "dismissed"), goes_on=None)})
    assert asked(played)[6] == "r1.chair.1"
    assert log(played)[6:9] == ["7 detractor new_point -> 1", "8 verifier source_check -> 7", "9 chair ruling -> 1"]
    assert entries(played, "ruling") == [
        f"{WHOSE} is dismissed. It said: The page is a joke. The chair: The log shows it."
    ]
    assert entries(played, "redaction") == []
    shown = prompt(played, "r1.chair.1")
    assert "challenge_seq 7: the detractor, in seq 7, challenges the sources of seq 1" in shown
    assert REASON in shown
    assert '"continue" is null.' in shown


def test_a_review_tells_code_the_open_challenges_behind_what_was_said() -> None:
    played = play_chaired({**CHALLENGED, "r1.chair.1": review((7, "dismissed"))}, max_rounds=2)
    assert played.asks["r1.chair.1"].question.brief.speeches[-1] == Speech(
        role=Role.DETRACTOR, round=1, text=REASON, name="challenge 7 of seq 1"
    )
    assert "challenge" not in played.asks["r2.promoter.1"].question.brief.speeches[-1].name


@pytest.mark.parametrize(("checked", "seq"), [(found(SourceStatus.UNREACHABLE), 7), (UNRELIABLE, 8)])
def test_an_upheld_challenge_takes_the_entry_out_of_the_debate(checked: Special, seq: int) -> None:
    special = {**CHALLENGED, "opening.promoter.1.sources": checked, "r1.chair.1": review((seq, "Upheld"))}
    played = play_chaired(special, max_rounds=2)
    end = outcome(played)
    assert end.log[0].content == "[REDACTED] A challenge of its sources was upheld. The log shows it."
    assert entries(played, "redaction") == [
        "Seq 1 is taken out of the debate. A challenge of its sources was upheld. The log shows it."
    ]
    assert "[WARN] Seq 1 of the promoter was taken out of the debate by a ruling of the chair." in end.notices
    later = asked(played)[asked(played).index("r2.promoter.1") :]
    assert not [id_ for id_ in later if WORDS in played.asks[id_].model_dump_json()]
    assert WORDS not in end.model_dump_json()
    assert end.disqualified == ()
    assert "Acknowledge that in your next entry" in prompt(played, "r2.promoter.1")


@pytest.mark.parametrize(
    ("first", "shown"),
    [
        ("Upheld.", "There is no JSON object in the reply."),
        (review((8, "upheld")), "There is no ruling with challenge_seq 7."),
        (review((7, "maybe")), "rulings.0.ruling"),
        (review((7, "upheld"), goes_on=None), '"continue" is missing: true or false.'),
    ],
)
def test_a_review_that_cannot_be_used_is_asked_for_once_more(first: Special, shown: str) -> None:
    second = review((7, "dismissed"))
    played = play_chaired({**CHALLENGED, "r1.chair.1": first, "r1.chair.2": second}, max_rounds=2)
    assert shown in prompt(played, "r1.chair.2")
    assert entries(played, "ruling")[0].startswith(f"{WHOSE} is dismissed. It said:")
    assert outcome(played).notices == ()
