"""What follows from the sources of an entry, once somebody has looked them up."""

import pytest

from sparring.schema.base import Role
from sparring.schema.chaired_debate import CheckedSource, DebateDecision, DecidedBy, EndReason
from sparring.schema.consultation import Answer, Reply
from sparring.schema.sources import SourceFinding, SourceStatus
from sparring.schema.transcript import Ask
from support.chaired_playing import (
    FABRICATED,
    FAILS,
    QUOTE,
    UNRELIABLE,
    URL,
    VERIFIED,
    Special,
    action,
    asked,
    found,
    log,
    outcome,
    play_chaired,
    prompt,
    source,
)
from support.playing import answer

WORDS = "Bicycles were counted at every gate of the old town for a whole year"
OPENING = action("opening_statement", f"{WORDS} [1].", sources=[source()])
MADE_UP: dict[str, Special] = {"opening.promoter.1": OPENING, "opening.promoter.1.sources": FABRICATED}
LIE = "A second lie that the promoter tells about bicycles and the gates of towns [1]."
SECOND: dict[str, Special] = {
    "r1.promoter.1": action("new_point", LIE, sources=[source("https://example.org/lie", "the lie on the other page")]),
    "r1.promoter.1.sources": FABRICATED,
}
BECAUSE = "Source [1] is fabricated: there is no such page (404)."


def test_an_entry_with_a_fabricated_source_is_taken_out_before_anybody_else_speaks() -> None:
    played = play_chaired(MADE_UP)
    end = outcome(played)
    assert log(played)[:5] == [
        "1 promoter opening_statement",
        "2 verifier source_check -> 1",
        "3 chair redaction -> 1",
        "4 chair warning -> 1",
        "5 detractor opening_statement",
    ]
    assert [entry.content for entry in end.log[:4]] == [
        f"[REDACTED] {BECAUSE}",
        "Sources of seq 1: source [1] is fabricated: there is no such page (404).",
        f"Seq 1 is taken out of the debate. {BECAUSE}",
        "The promoter is warned: another entry with a fabricated source means disqualification.",
    ]
    assert end.log[0].sources == ()
    assert end.notices[0] == f"[WARN] Seq 1 of the promoter was taken out of the debate. {BECAUSE}"
    assert end.sources[0] == CheckedSource(
        seq=1,
        finding=SourceFinding(url="", status=SourceStatus.FABRICATED, reason="there is no such page (404)"),
    )


def test_redacted_words_are_in_no_later_prompt_and_not_in_the_outcome() -> None:
    played = play_chaired(MADE_UP, max_rounds=2)
    later = [ask for id_, ask in played.asks.items() if id_ not in {"opening.promoter.1", "opening.promoter.1.sources"}]
    for words in (WORDS, URL, QUOTE):
        assert not [ask.id for ask in later if words in ask.model_dump_json()]
        assert words not in outcome(played).model_dump_json()
    assert "Acknowledge that in your next entry" in prompt(played, "r1.promoter.1")
    assert "Acknowledge that in your next entry" not in prompt(played, "r1.detractor.1")


def test_a_reason_that_names_the_address_or_the_words_is_shown_without_them() -> None:
    lies = found(SourceStatus.FABRICATED, reason=f"{URL} knows nothing of “{QUOTE}”.")
    end = outcome(play_chaired({**MADE_UP, "opening.promoter.1.sources": lies}))
    assert end.sources[0].finding.reason == "… knows nothing of “…”"
    assert URL not in end.model_dump_json()


def test_the_second_entry_with_a_fabricated_source_disqualifies_and_the_other_side_has_won() -> None:
    played = play_chaired({**MADE_UP, **SECOND}, max_rounds=3)
    end = outcome(played)
    assert asked(played)[-1] == "r1.promoter.1"
    assert log(played)[6:] == [
        "7 promoter new_point",
        "8 verifier source_check -> 7",
        "9 chair redaction -> 7",
        "10 chair disqualification -> 7",
        "11 chair conclusion",
    ]
    assert (end.decision, end.decided_by, end.ended) == (
        DebateDecision.NEGATIVE_WINS,
        DecidedBy.RULE,
        EndReason.DISQUALIFICATION,
    )
    assert (end.disqualified, end.rounds_completed, end.decisive) == ((Role.PROMOTER,), 0, ())
    assert end.reasoning == "The promoter was disqualified, so that the detractor has won."
    assert end.log[-1].content == f"negative_wins: {end.reasoning}"
    assert end.log[9].content == "The promoter is disqualified for a second entry with a fabricated source."


@pytest.mark.parametrize(("place", "rounds", "type_"), [("r1", 1, "new_point"), ("closing", 1, "closing_statement")])
def test_the_detractor_is_disqualified_likewise_in_any_phase(place: str, rounds: int, type_: str) -> None:
    lie = action(type_, LIE, sources=[source("https://example.org/lie", "")])
    special: dict[str, Special] = {
        "opening.detractor.1.sources": FABRICATED,
        f"{place}.detractor.1": lie,
        f"{place}.detractor.1.sources": FABRICATED,
    }
    played = play_chaired(special)
    end = outcome(played)
    assert asked(played)[-1] == f"{place}.detractor.1"
    assert (end.decision, end.disqualified, end.rounds_completed) == (
        DebateDecision.AFFIRMATIVE_WINS,
        (Role.DETRACTOR,),
        rounds,
    )


def test_where_nothing_of_the_other_side_stands_nobody_has_won() -> None:
    special: dict[str, Special] = {"opening.detractor.1": "No.", "opening.detractor.2": "No."}
    end = outcome(play_chaired({**MADE_UP, **SECOND, **special}))
    assert (end.decision, end.decided_by, end.disqualified) == (
        DebateDecision.VOID,
        DecidedBy.RULE,
        (Role.PROMOTER,),
    )


def test_an_unreliable_source_is_a_warning_and_the_entry_stands() -> None:
    played = play_chaired({"opening.promoter.1.sources": UNRELIABLE})
    assert log(played)[:4] == [
        "1 promoter opening_statement",
        "2 verifier source_check -> 1",
        "3 chair warning -> 1",
        "4 detractor opening_statement",
    ]
    end = outcome(played)
    why = "In seq 1, source [1] is unreliable: the page does not hold these words."
    assert end.log[2].content == why
    assert end.log[0].content.startswith("Here opening.promoter.1 argues")
    assert end.sources[0].finding.status is SourceStatus.UNRELIABLE
    assert why in prompt(played, "r1.promoter.1").partition("Rulings and warnings of the CHAIR")[2]


def test_an_unreachable_source_speaks_neither_for_the_entry_nor_against_it() -> None:
    unreachable = found(SourceStatus.UNREACHABLE, reason="no network")
    played = play_chaired({"opening.promoter.1.sources": unreachable})
    assert log(played)[1:3] == ["2 verifier source_check -> 1", "3 detractor opening_statement"]
    assert outcome(played).log[1].content == "Sources of seq 1: source [1] is unreachable: no network."


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (FAILS, "timeout: no answer within 240 s"),
        ("Nothing found.", "the findings could not be read"),
        ('{"findings": []}', "the findings could not be read"),
    ],
)
def test_sources_that_nobody_could_look_up_are_unreachable_and_that_is_said(reply: Special, why: str) -> None:
    end = outcome(play_chaired({"opening.promoter.1.sources": reply}))
    assert end.notices == (f"[WARN] The sources of seq 1 were not looked up: {why}.",)
    assert end.log[1].content == "Sources of seq 1: source [1] is unreachable: nobody could look it up."
    assert end.sources[0].finding.status is SourceStatus.UNREACHABLE


def test_what_the_verifier_warns_of_is_told_once() -> None:
    def reply(ask: Ask) -> Reply:
        verified = VERIFIED(ask)
        assert isinstance(verified, Answer)
        return verified.model_copy(update={"warnings": ("SPARRING_SOURCES_ALLOW: 'x y' allows nothing.",)})

    end = outcome(play_chaired(dict.fromkeys(["opening.promoter.1.sources", "opening.detractor.1.sources"], reply)))
    assert end.notices == ("[WARN] SPARRING_SOURCES_ALLOW: 'x y' allows nothing.",)


def test_each_source_is_looked_up_once_with_the_words_it_is_cited_for() -> None:
    again = [source(), source(quote="other words of the same page"), source(), {**source(), "title": "Roads"}]
    played = play_chaired(
        {
            "opening.promoter.1": OPENING,
            "opening.detractor.1": action("opening_statement", "It is so [1].", sources=again),
            "r1.promoter.1": action("new_point", "So it is, as [1] says.", sources=again),
        }
    )
    looked_up = {id_: [each.quote for each in ask.question.brief.sources] for id_, ask in played.asks.items()}
    assert looked_up["opening.promoter.1.sources"] == [QUOTE]
    assert looked_up["opening.detractor.1.sources"] == ["other words of the same page"]
    assert "r1.promoter.1.sources" not in looked_up
    end = outcome(played)
    assert [each.seq for each in end.sources if each.finding.url == URL] == [1, 3, 3, 3, 3, 5, 5, 5, 5]
    assert end.log[5].content.count("is verified: the page says so") == 4


def test_what_could_not_be_looked_up_is_tried_again_with_the_next_entry_that_cites_it() -> None:
    played = play_chaired(
        {
            "opening.promoter.1": OPENING,
            "opening.promoter.1.sources": FAILS,
            "opening.detractor.1": action("opening_statement", "It is so [1].", sources=[source()]),
        }
    )
    assert [each.url for each in played.asks["opening.detractor.1.sources"].question.brief.sources] == [URL]
    statuses = [each.finding.status for each in outcome(played).sources]
    assert statuses[:2] == [SourceStatus.UNREACHABLE, SourceStatus.VERIFIED]


def test_one_fabricated_source_among_others_takes_the_entry_out_and_all_its_sources_with_it() -> None:
    sources = [source(), source("https://example.org/2", "verified words")]
    played = play_chaired(
        {
            "opening.promoter.1": action("opening_statement", f"{WORDS} [1]. So it is [2].", sources=sources),
            "opening.promoter.1.sources": found(SourceStatus.VERIFIED, SourceStatus.FABRICATED),
        }
    )
    end = outcome(played)
    assert [(each.finding.url, each.finding.quote) for each in end.sources if each.seq == 1] == [("", ""), ("", "")]
    assert end.log[0].content == "[REDACTED] Source [2] is fabricated: the page says so."


def test_words_that_others_had_said_before_stay_everybody_s() -> None:
    topic = "Cities should close the whole of their old centres to private cars for good"
    lie = action("opening_statement", f"{topic}, and {WORDS} [1].", sources=[source()])
    said = f"{topic}: that is the question, and nobody has answered it [1]."
    played = play_chaired(
        {
            "opening.promoter.1": lie,
            "opening.promoter.1.sources": FABRICATED,
            "opening.detractor.1": action("opening_statement", said, sources=[source("https://x.org/1", "")]),
            "ready.promoter": lambda ask: answer(ask, "Ready."),
        },
        topic=topic,
    )
    assert outcome(played).log[4].content == said
