"""What a failed consultation means for a debate."""

import pytest

from sparring.schema.base import Participant
from sparring.schema.consultation import FailureCode
from sparring.schema.debate import DebateStatus
from support.debating import THE_VERDICT, fails, outcome, played


@pytest.mark.parametrize(("ask_id", "who"), [("r3.proposer", "proposer"), ("r3.challenger", "challenger")])
def test_a_later_failure_is_judged_from_the_completed_rounds(ask_id: str, who: str) -> None:
    found = played({ask_id: fails()}, rounds=4)
    tool = {"proposer": "claude", "challenger": "codex"}[who]
    assert (outcome(found).status, outcome(found).verdict) == (DebateStatus.INCOMPLETE, THE_VERDICT)
    assert (outcome(found).rounds_completed, outcome(found).incomplete_round) == (2, 3)
    assert outcome(found).notices == (
        (
            f"[WARN] Round 3 is incomplete. The {who} in round 3 ({tool}) failed: overloaded: try later. "
            "The synthesis rests on rounds 1-2."
        ),
    )
    for id_ in ("judge1.ab.1", "judge1.ba.1"):
        judge = found.asks[id_].question
        assert "in round 3" not in judge.prompt
        assert {speech.round for speech in judge.brief.speeches} == {1, 2}


@pytest.mark.parametrize(
    ("proposer", "challenger", "title"),
    [
        (FailureCode.TIMEOUT, FailureCode.TIMEOUT, "[ERROR] Debate failed: all tool invocations timed out."),
        (FailureCode.AUTH, FailureCode.TIMEOUT, "[ERROR] Debate failed: no tool invocation succeeded."),
    ],
)
def test_only_where_all_have_timed_out_a_debate_is_said_to_have(
    proposer: FailureCode, challenger: FailureCode, title: str
) -> None:
    special = {"r1.proposer": fails(proposer), "r1.challenger": fails(challenger)}
    found = outcome(played(special, rounds=2, blind_openings=True))
    assert (found.status, found.notices[0]) == (DebateStatus.FAILED, title)


def test_both_sides_may_be_the_tool_that_has_no_opinion() -> None:
    offline = Participant(tool="offline")
    assert outcome(played(proposer=offline, challenger=offline, judge=offline)).notices == ()
