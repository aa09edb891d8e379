"""Who is asked what, and when, played without runner, transport or clock."""

import pytest

from sparring.formats.chaired_debate.rules import log_of
from sparring.schema.base import Participant
from sparring.schema.chaired_debate import ChairedDebateStatus, EndReason
from sparring.schema.transcript import Transcript
from support.chaired_playing import FABRICATED, action, asked, chaired_request, outcome, play_chaired, review
from support.playing import answer

CLOSED = ["closing.detractor.1", "closing.promoter.1", "conclusion.1"]


@pytest.mark.parametrize(
    ("limits", "special", "ended", "rounds", "reviews"),
    [
        ({"max_rounds": 3}, {}, EndReason.MAX_ROUNDS, 3, ["r1", "r2"]),
        ({"max_rounds": 3, "min_rounds": 3}, {}, EndReason.MAX_ROUNDS, 3, []),
        ({"max_rounds": 3, "min_rounds": 2}, {}, EndReason.MAX_ROUNDS, 3, ["r2"]),
        ({"max_rounds": 3}, {"r1.chair.1": review(goes_on=False)}, EndReason.NATURAL, 1, ["r1"]),
        (
            {"max_rounds": 3, "min_rounds": 0},
            {"opening.chair.1": review(goes_on=False)},
            EndReason.NATURAL,
            0,
            ["opening"],
        ),
        # Every turn takes a second, those of code too: six until the openings are checked, four more in each round.
        ({"max_rounds": 9, "min_rounds": 9, "time_budget_s": 10}, {}, EndReason.TIME_BUDGET, 1, []),
        ({"max_rounds": 9, "min_rounds": 9, "time_budget_s": 10.5}, {}, EndReason.TIME_BUDGET, 2, []),
        ({"max_rounds": 9, "time_budget_s": 11}, {}, EndReason.TIME_BUDGET, 1, ["r1"]),
        ({"max_rounds": 9, "time_budget_s": 0.5}, {}, EndReason.TIME_BUDGET, 0, []),
    ],
)
def test_rounds_are_held_until_all_is_said_or_they_or_the_time_are_used_up(
    limits: dict[str, object], special: dict[str, str], ended: EndReason, rounds: int, reviews: list[str]
) -> None:
    played = play_chaired(special, chaired_request(**limits))
    end = outcome(played)
    assert (end.ended, end.rounds_completed, end.status) == (ended, rounds, ChairedDebateStatus.COMPLETED)
    assert [id_.removesuffix(".chair.1") for id_ in asked(played) if ".chair." in id_] == reviews
    assert asked(played)[-3:] == CLOSED


def test_a_reply_may_be_as_long_as_it_likes() -> None:
    end = outcome(
        play_chaired(
            {"report.1": lambda ask: answer(ask, "long " * 10_000), "r1.promoter.1": action("new_point", "x" * 20_001)},
            reporter=Participant(tool="copilot"),
        )
    )
    assert (len(end.summary), end.summary[-4:]) == (20_000, "\n[…]")


def test_an_entry_stands_in_it_when_its_sources_were_looked_up_and_not_before() -> None:
    request = chaired_request()
    turns = play_chaired({"opening.promoter.1.sources": FABRICATED}, request=request).transcript.turns
    before, after = (log_of(request, Transcript(turns=turns[:count])) for count in (3, 4))
    assert before == ()
    assert [entry.content[:10] for entry in after[:1]] == ["[REDACTED]"]
    assert [entry.type for entry in after[1:]] == ["source_check", "redaction", "warning"]
