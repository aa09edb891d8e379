"""Who is asked what, and when, played without runner, transport or clock.

A golden file has who was asked, the log with its contents, the decision, the sources and what the user is told.
"""

import pytest

from sparring.formats.chaired_debate.flow import log_of
from sparring.schema.base import Participant
from sparring.schema.chaired_debate import ChairedDebateStatus, EndReason
from sparring.schema.transcript import Transcript
from support.chaired_playing import FABRICATED, action, asked, chaired_request, outcome, play_chaired, review, said
from support.golden import Golden
from support.playing import parted, plays, told

PLAYS = plays("chaired-debate", said)
CLOSED = ["closing.detractor.1", "closing.promoter.1", "conclusion.1"]


@pytest.mark.parametrize(
    ("limits", "special", "ended", "rounds", "reviews"),
    [
        ((1, 3), {}, EndReason.MAX_ROUNDS, 3, ["r1", "r2"]),
        ((3, 3), {}, EndReason.MAX_ROUNDS, 3, []),
        ((2, 3), {}, EndReason.MAX_ROUNDS, 3, ["r2"]),
        ((1, 3), {"r1.chair.1": review(goes_on=False)}, EndReason.NATURAL, 1, ["r1"]),
        ((0, 3), {"opening.chair.1": review(goes_on=False)}, EndReason.NATURAL, 0, ["opening"]),
        # Every turn takes a second, those of code too: six until the openings are checked, four more in each round.
        ((9, 9, 10), {}, EndReason.TIME_BUDGET, 1, []),
        ((9, 9, 10.5), {}, EndReason.TIME_BUDGET, 2, []),
        ((1, 9, 11), {}, EndReason.TIME_BUDGET, 1, ["r1"]),
    ],
)
def test_rounds_go_on_until_nothing_is_left_or_a_limit_is_reached(
    limits: tuple[float, ...], special: dict[str, str], ended: EndReason, rounds: int, reviews: list[str]
) -> None:
    wanted = dict(zip(("min_rounds", "max_rounds", "time_budget_s"), limits, strict=False))
    played = play_chaired(special, chaired_request(**wanted))
    end = outcome(played)
    assert (end.ended, end.rounds_completed, end.status) == (ended, rounds, ChairedDebateStatus.COMPLETED)
    assert [id_.removesuffix(".chair.1") for id_ in asked(played) if ".chair." in id_] == reviews
    assert asked(played)[-3:] == CLOSED


def test_a_reply_may_be_as_long_as_it_likes() -> None:
    long = {"report.1": "long " * 10_000, "r1.promoter.1": action("new_point", "x" * 20_001)}
    end = outcome(play_chaired(long, reporter=Participant(tool="copilot")))
    assert (len(end.summary), end.summary[-4:]) == (20_000, "\n[…]")


def test_an_entry_is_logged_only_after_its_sources_were_checked() -> None:
    request = chaired_request()
    turns = play_chaired({"opening.promoter.1.sources": FABRICATED}, request=request).transcript.turns
    before, after = (log_of(request, Transcript(turns=turns[:count])) for count in (3, 4))
    types = ["opening_statement", "source_check", "redaction", "warning"]
    assert (before, [entry.type for entry in after], after[0].content[:10]) == ((), types, "[REDACTED]")


@pytest.mark.parametrize("name", PLAYS)
def test_a_debate_runs_as_its_golden_file(name: str, golden: Golden) -> None:
    special, wanted = parted(PLAYS[name])
    golden.holds(f"plays/chaired-debate/{name}.txt", told(play_chaired(special, chaired_request(**wanted))))
