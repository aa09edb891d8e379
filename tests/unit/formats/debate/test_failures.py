"""What a failed consultation means for a debate."""

import pytest

from sparring.schema.base import Role
from sparring.schema.consultation import Failure, FailureCode
from sparring.schema.debate import DebateOutcome, DebateStatus
from sparring.schema.ledger import Ledger
from support.debating import THE_VERDICT, fails, ids, outcome, played, spoken_ledgers


def test_a_proposer_that_fails_in_round_one_ends_the_debate() -> None:
    assert outcome(played({"r1.proposer": fails(FailureCode.AUTH)})) == DebateOutcome(
        status=DebateStatus.FAILED,
        rounds_completed=0,
        notices=(
            "[ERROR] Debate failed: no tool invocation succeeded.",
            (
                "The proposer in round 1 (claude) failed: auth: try later. "
                "A debate cannot proceed without an opening position."
            ),
        ),
    )


@pytest.mark.parametrize("blind", [False, True])
def test_when_everything_timed_out_the_debate_says_so(blind: bool) -> None:  # noqa: FBT001 -- a table
    timeout = fails(FailureCode.TIMEOUT)
    found = played({"r1.proposer": timeout, "r1.challenger": timeout}, blind_openings=blind)
    assert outcome(found) == DebateOutcome(
        status=DebateStatus.FAILED,
        rounds_completed=0,
        notices=(
            "[ERROR] Debate failed: all tool invocations timed out.",
            "The proposer in round 1 (claude) failed: timeout: try later.",
        ),
    )


def test_a_challenger_that_has_opened_does_not_make_up_for_the_proposers_opening() -> None:
    found = played({"r1.proposer": fails()}, blind_openings=True)
    assert ids(found) == [["r1.proposer", "r1.challenger"]]
    assert outcome(found) == DebateOutcome(
        status=DebateStatus.FAILED,
        rounds_completed=0,
        notices=(
            "[ERROR] Debate failed: there is no opening position.",
            (
                "The proposer in round 1 (claude) failed: overloaded: try later. "
                "A debate cannot proceed without an opening position."
            ),
        ),
    )


@pytest.mark.parametrize("blind", [False, True])
def test_a_challenger_that_fails_in_round_one_leaves_the_opening_uncontested(blind: bool) -> None:  # noqa: FBT001
    found = played({"r1.challenger": fails()}, blind_openings=blind)
    assert outcome(found) == DebateOutcome(
        status=DebateStatus.UNCONTESTED,
        rounds_completed=0,
        incomplete_round=1,
        ledgers=spoken_ledgers((1, Role.PROPOSER)),
        notices=(
            "[WARN] Challenger failed. Showing proposer's uncontested position.",
            "The challenger in round 1 (codex) failed: overloaded: try later.",
        ),
    )


def test_an_uncontested_position_of_which_nothing_was_verified_says_so_first() -> None:
    found = played({"r1.challenger": fails(), "r1.proposer.ledger": Ledger().model_dump_json()})
    assert outcome(found).notices[:2] == (
        "[WARN] Nothing in this debate was verified by code.",
        "[WARN] Challenger failed. Showing proposer's uncontested position.",
    )


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


def test_what_was_said_in_the_broken_round_is_looked_up_and_kept() -> None:
    found = played({"r2.challenger": fails()})
    assert outcome(found).ledgers == spoken_ledgers((1, Role.PROPOSER), (1, Role.CHALLENGER), (2, Role.PROPOSER))


def test_failures_are_kept_apart_from_answers() -> None:
    found = played({"r2.challenger": fails()})
    failed = [turn for turn in found.transcript.turns if isinstance(turn.reply, Failure)]
    assert [turn.ask_id for turn in failed] == ["r2.challenger"]
