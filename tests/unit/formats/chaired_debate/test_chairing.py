"""The chair's review: rulings on source challenges, and what follows from them."""

import pytest

from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateStatus
from sparring.schema.consultation import Speech
from sparring.schema.sources import SourceStatus
from support.chaired_playing import (
    FAILS,
    UNRELIABLE,
    Special,
    action,
    asked,
    found,
    log,
    outcome,
    play_chaired,
    prompt,
    review,
    source,
)
from support.playing import Played

WORDS = "Bicycles were counted at every gate of the old town for a whole year"
REASON = "The page is a joke."
CHALLENGE = action(
    "new_point",
    "It is not so [1].",
    sources=[source("https://example.org/answer", "the answer is on this page")],
    target_seq=1,
    source_challenge=REASON,
)
OPENING: dict[str, Special] = {
    "opening.promoter.1": action("opening_statement", f"{WORDS} [1].", sources=[source()]),
    "opening.promoter.1.sources": found(SourceStatus.UNREACHABLE, reason="no network"),
}
CHALLENGED: dict[str, Special] = {**OPENING, "r1.detractor.1": CHALLENGE}
OTHER = [source("https://example.org/other", "")]
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


def test_what_code_has_verified_is_not_taken_out_by_a_ruling_but_warned_of() -> None:
    verified = found(SourceStatus.VERIFIED)
    special = {**CHALLENGED, "opening.promoter.1.sources": verified, "r1.chair.1": review((7, "upheld"))}
    played = play_chaired(special)
    assert WORDS in outcome(played).log[0].content
    assert entries(played, "warning") == [
        "A challenge of the sources of seq 1 was upheld, though code found the quoted words in each."
    ]


def test_words_that_others_repeat_before_they_are_taken_out_are_taken_out_there_too() -> None:
    quoting = action(
        "rebuttal",
        f"It is said that {WORDS.lower()}, but who counted them [1]?",
        sources=[source("https://example.org/answer", f"whoever says that {WORDS} is wrong")],
        rebuttal_to_seq=1,
        target_seq=1,
        source_challenge=f"Nobody counted: {WORDS}.",
    )
    ruling = review((7, "upheld"), reason=f"That {WORDS} is made up.")
    played = play_chaired({**CHALLENGED, "r1.detractor.1": quoting, "r1.chair.1": ruling}, max_rounds=2)
    end = outcome(played)
    assert end.log[6].content == "It is said that [REDACTED], but who counted them [1]?"
    assert end.log[6].sources[0].quote == "whoever says that [REDACTED] is wrong"
    assert end.log[0].content == "[REDACTED] A challenge of its sources was upheld. That [REDACTED] is made up."
    assert end.sources[3].finding.quote == "whoever says that [REDACTED] is wrong"
    later = asked(played)[asked(played).index("r2.promoter.1") :]
    shown = "".join(played.asks[id_].model_dump_json() for id_ in later) + end.model_dump_json()
    assert WORDS.lower() not in shown.lower()
    assert (end.log[6].rebuttal_to_seq, end.log[6].target_seq) == (1, 1)


@pytest.mark.parametrize(
    ("first", "shown"),
    [
        ("Upheld.", "There is no JSON object in the reply."),
        (review((8, "upheld")), "There is no ruling with challenge_seq 7."),
        (review((7, "maybe")), "rulings.0.ruling"),
        (review((7, "upheld"), goes_on=None), '"continue" is missing: true or false.'),
        (FAILS, "You were asked this before, and no answer arrived."),
    ],
)
def test_a_review_that_cannot_be_used_is_asked_for_once_more(first: Special, shown: str) -> None:
    second = review((7, "dismissed"))
    played = play_chaired({**CHALLENGED, "r1.chair.1": first, "r1.chair.2": second}, max_rounds=2)
    assert shown in prompt(played, "r1.chair.2")
    assert entries(played, "ruling")[0].startswith(f"{WHOSE} is dismissed. It said:")
    assert outcome(played).notices == ()


@pytest.mark.parametrize(
    ("second", "notices"),
    [
        (FAILS, ("[WARN] The chair gave no usable review: timeout: no answer within 240 s.",)),
        ("Neither.", ("[WARN] The chair gave no usable review: the answer could not be used.",)),
        (review((1, "upheld")), ()),
    ],
)
def test_a_challenge_without_a_ruling_is_dismissed_and_the_debate_goes_on(
    second: Special, notices: tuple[str, ...]
) -> None:
    played = play_chaired({**CHALLENGED, "r1.chair.1": "Neither.", "r1.chair.2": second}, max_rounds=2)
    assert entries(played, "ruling") == [f"{WHOSE} is dismissed for want of a ruling."]
    assert outcome(played).notices == (*notices, f"[WARN] {WHOSE} is dismissed for want of a ruling.")
    assert "r2.promoter.1" in asked(played)
    assert outcome(played).status is ChairedDebateStatus.COMPLETED


def test_of_a_first_review_what_can_be_used_counts_if_the_second_is_worse() -> None:
    half = review((7, "upheld"), goes_on=None)
    played = play_chaired({**CHALLENGED, "r1.chair.1": half, "r1.chair.2": FAILS}, max_rounds=2)
    assert entries(played, "redaction")
    assert "r2.promoter.1" in asked(played)


@pytest.mark.parametrize(
    ("place", "type_", "seq", "last"),
    [
        ("opening", "opening_statement", 3, "opening.detractor.1"),
        ("closing", "closing_statement", 9, "closing.promoter.1"),
    ],
)
def test_a_challenge_in_an_opening_or_a_closing_is_ruled_on_too(place: str, type_: str, seq: int, last: str) -> None:
    said = action(type_, "It is not so [1].", target_seq=1, source_challenge=REASON, sources=OTHER)
    special = {**OPENING, f"{place}.detractor.1": said, f"{place}.chair.1": review((seq, "upheld"))}
    played = play_chaired(special)
    assert asked(played).index(f"{place}.chair.1") == asked(played).index(last) + 1
    ruling = next(entry for entry in outcome(played).log if entry.type == "ruling")
    assert (ruling.phase, ruling.target_seq) == (place, 1)
    assert outcome(played).log[0].content.startswith("[REDACTED]")


def test_an_entry_that_was_challenged_in_vain_can_be_challenged_again() -> None:
    opening = action("opening_statement", "No [1].", sources=OTHER, target_seq=1, source_challenge=REASON)
    special: dict[str, Special] = {
        **CHALLENGED,
        "opening.detractor.1": opening,
        "opening.chair.1": review((3, "dismissed")),
        "r1.chair.1": review((8, "upheld")),
    }
    played = play_chaired(special)
    assert [" is dismissed." in ruling for ruling in entries(played, "ruling")] == [True, False]
    assert len(entries(played, "redaction")) == 1


def test_a_challenge_of_an_entry_that_code_took_out_needs_no_ruling() -> None:
    lie = found(SourceStatus.FABRICATED)
    special: dict[str, Special] = {
        "opening.promoter.1": action("opening_statement", f"{WORDS} [1].", sources=[source()]),
        "opening.promoter.1.sources": lie,
        "r1.promoter.1": CHALLENGE.replace('"target_seq": 1', '"target_seq": 5'),
    }
    played = play_chaired({**special, "r1.chair.1": review((7, "dismissed"))})
    assert len(entries(played, "ruling")) == 1
