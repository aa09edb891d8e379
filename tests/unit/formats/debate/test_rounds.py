"""Who is asked what, when, and with which settings."""

import pytest

from sparring.schema.base import Participant
from sparring.schema.debate import DebateStatus
from support.debating import THE_VERDICT, ids, outcome, played, request

JUDGE = ["judge1.ab.1", "judge1.ba.1"]


@pytest.mark.parametrize(
    ("rounds", "steps"),
    [
        (1, [["r1.proposer"], ["r1.challenger"], JUDGE]),
        (2, [["r1.proposer"], ["r1.challenger"], ["r2.proposer"], ["r2.challenger"], JUDGE]),
        (
            5,
            [
                ["r1.proposer"],
                ["r1.challenger"],
                ["r2.proposer", "r3.summary.1"],
                ["r2.challenger"],
                ["r3.proposer", "r4.summary.1"],
                ["r3.challenger"],
                ["r4.proposer", "r5.summary.1"],
                ["r4.challenger"],
                ["r5.proposer"],
                ["r5.challenger"],
                JUDGE,
            ],
        ),
    ],
)
def test_the_sides_alternate_and_summaries_are_made_beside_the_speeches_nobody_waits_for(
    rounds: int, steps: list[list[str]]
) -> None:
    found = played(rounds=rounds)
    assert ids(found) == steps
    assert (outcome(found).status, outcome(found).verdict) == (DebateStatus.COMPLETED, THE_VERDICT)


def test_both_sides_may_be_the_tool_that_has_no_opinion() -> None:
    offline = Participant(tool="offline")
    found = played(proposer=offline, challenger=offline, judge=offline)
    assert outcome(found).notices == ()
    assert request(proposer=offline, challenger=offline).devil is False
