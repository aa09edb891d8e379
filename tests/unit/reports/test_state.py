from pathlib import Path

import pytest

from sparring.errors import DeliberationError
from sparring.reports.state import last_debate, last_session, result
from sparring.schema.base import Effort
from sparring.schema.consult import ConsultResult, ConsultStatus, LastSession
from sparring.schema.consultation import Usage
from sparring.schema.debate import DebateOutcome, DebateStatus, Exchange, LastDebate, Participant, StateParticipant
from sparring.schema.runs import Run
from support.runs import (
    CONSULT_ID,
    CREATED_AT,
    DEBATE_ID,
    answer,
    consult_request,
    debate_request,
    failure,
    finished_consult,
    finished_debate,
    opening,
    response,
    run,
    synthesis,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
MINUTE_1 = CREATED_AT.replace(minute=1)


def test_the_state_file_of_a_debate_is_the_one_of_the_specification() -> None:
    written = last_debate(finished_debate()).model_dump_json(indent=2) + "\n"
    assert written == (GOLDEN / "last-debate.json").read_text(encoding="utf-8")
    assert LastDebate.model_validate_json(written) == last_debate(finished_debate())


def test_only_speeches_that_were_answered_are_exchanges() -> None:
    turns = (opening(answer("Yes.")), response(failure(), minute=2))
    notice = "[WARN] Challenger failed. Showing proposer's uncontested position."
    outcome = DebateOutcome(
        status=DebateStatus.UNCONTESTED, rounds_completed=0, incomplete_round=1, notices=(notice, notice)
    )
    assert last_debate(run(debate_request(), turns, outcome, notices=("A torn line was set aside.",))) == LastDebate(
        id=DEBATE_ID,
        topic="Should every turn be flushed to disk?",
        proposer=StateParticipant(tool="claude", model="opus"),
        challenger=StateParticipant(tool="codex", model=None),
        effort=Effort.MEDIUM,
        rounds_completed=0,
        max_rounds=2,
        status=DebateStatus.UNCONTESTED,
        exchanges=(Exchange.model_validate(EXCHANGE),),
        verdict=None,
        timestamp=CREATED_AT.replace(minute=2),
        judge=StateParticipant(tool="gemini", model=None),
        incomplete_round=1,
        notices=(notice, "A torn line was set aside."),
    )


EXCHANGE = {"round": 1, "role": "proposer", "tool": "claude", "response": "Yes.", "duration_ms": 8500}


def test_a_debate_without_a_turn_is_dated_by_its_creation() -> None:
    outcome = DebateOutcome(status=DebateStatus.FAILED, rounds_completed=0)
    state = last_debate(run(debate_request(), (), outcome))
    assert (state.timestamp, state.exchanges) == (CREATED_AT, ())


def test_a_model_is_the_last_that_the_tool_reported() -> None:
    turns = (opening(answer(model="opus-4")), synthesis(answer(tool="gemini", model="g-1")), synthesis(failure()))
    outcome = DebateOutcome(status=DebateStatus.UNJUDGED, rounds_completed=1)
    state = last_debate(run(debate_request(rounds=1), turns, outcome))
    assert (state.proposer.model, state.challenger.model, state.judge.model) == ("opus-4", None, "g-1")


def test_a_tool_that_sits_on_both_sides_is_told_apart_by_its_role() -> None:
    offline = Participant(tool="offline")
    verdict = last_debate(finished_debate(proposer=offline, challenger=offline, judge=offline)).verdict
    assert verdict is not None
    assert (verdict.winner, verdict.winner_role, verdict.disagreements) == (
        "offline",
        "proposer",
        ("Flushing: offline (proposer) argues it is cheap, offline (challenger) argues it is slow on network drives",),
    )


@pytest.mark.parametrize("unfit", [run(debate_request()), finished_consult(answer())])
def test_what_is_no_finished_debate_has_no_debate_state(unfit: Run) -> None:
    with pytest.raises(DeliberationError, match="is not a finished debate"):
        last_debate(unfit)


def test_a_session_that_can_be_continued_is_kept_with_its_question() -> None:
    assert last_session(finished_consult(answer(model="opus-4", session_id="s-1"))) == LastSession(
        tool="claude",
        model="opus-4",
        effort=Effort.MEDIUM,
        session_id="s-1",
        continuable=True,
        question="Is this safe?",
        timestamp=MINUTE_1,
    )


@pytest.mark.parametrize(
    "without",
    [finished_consult(answer()), finished_consult(failure()), run(consult_request()), finished_debate()],
    ids=["no session id", "failed", "unfinished", "a debate"],
)
def test_a_run_without_a_session_leaves_none(without: Run) -> None:
    assert last_session(without) is None


def test_the_result_of_a_debate_is_its_state() -> None:
    assert result(finished_debate()) == last_debate(finished_debate())


def test_the_result_of_a_consultation_is_all_that_came_of_it() -> None:
    reply = failure()
    assert result(finished_consult(reply)) == ConsultResult(
        id=CONSULT_ID,
        status=ConsultStatus.FAILED,
        question="Is this safe?",
        tool="codex",
        model=None,
        effort=Effort.MEDIUM,
        response=None,
        session_id=None,
        continuable=False,
        duration_ms=240_000,
        usage=Usage(),
        redactions=0,
        warnings=(),
        failure=reply,
        timestamp=MINUTE_1,
    )


def test_an_unfinished_consultation_has_no_result() -> None:
    with pytest.raises(DeliberationError):
        result(run(consult_request()))
