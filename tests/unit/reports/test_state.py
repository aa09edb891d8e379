"""The records that finished runs leave for others to read."""

import pytest

from sparring.reports import consultation, debate
from sparring.reports.state import last, result
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.citations import CitationTable, PlaceCited, SourceCited, SourceKind
from sparring.schema.consult import (
    Consulted,
    ConsultResult,
    ConsultResults,
    ConsultStatus,
    LastMultiSession,
    LastSession,
    NumberedAnswer,
    NumberedSession,
)
from sparring.schema.consultation import Usage
from sparring.schema.context import ContextPart, ContextSize
from sparring.schema.debate import DebateOutcome, DebateStatus, Exchange, LastDebate
from sparring.schema.fact_check import FactCheckStatus
from sparring.schema.jury import JuryStatus
from sparring.schema.limits import Spent
from sparring.schema.participants import Participant, StateParticipant
from sparring.schema.providers import ProviderKind
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
    finished_several,
    opening,
    response,
    run,
    synthesis,
)
from support.stored_runs import stored

MINUTE_1 = CREATED_AT.replace(minute=1)


def test_a_panel_is_kept_with_the_model_of_each_judge_and_how_the_debate_was_asked_for() -> None:
    whole = stored("panel-debate", request={"blind_openings": True})
    state, outcome = debate.result(whole), whole.outcome
    assert isinstance(outcome, DebateOutcome)
    assert (state.judge, state.panel) == (
        StateParticipant(tool="gemini", model=None),
        (StateParticipant(tool="codex", model=None), StateParticipant(tool="opencode", model="m-3")),
    )
    assert (state.judgement, state.ledgers, state.conduct) == (outcome.judgement, outcome.ledgers, outcome.conduct)
    assert (state.blind_openings, state.verdict and state.verdict.winner) == (True, "claude")


def test_only_speeches_that_were_answered_are_exchanges() -> None:
    turns = (opening(answer("Yes.")), response(failure(), minute=2))
    notice = "[WARN] Challenger failed. Showing proposer's uncontested position."
    outcome = DebateOutcome(
        status=DebateStatus.UNCONTESTED, rounds_completed=0, incomplete_round=1, notices=(notice, notice)
    )
    assert debate.result(run(debate_request(), turns, outcome, notices=("A torn line was set aside.",))) == LastDebate(
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
    state = debate.result(run(debate_request(), (), outcome))
    assert (state.timestamp, state.exchanges) == (CREATED_AT, ())


def test_a_model_is_the_last_that_the_tool_reported() -> None:
    turns = (opening(answer(model="opus-4")), synthesis(answer(tool="gemini", model="g-1")), synthesis(failure()))
    outcome = DebateOutcome(status=DebateStatus.UNJUDGED, rounds_completed=1)
    state = debate.result(run(debate_request(rounds=1), turns, outcome))
    assert (state.proposer.model, state.challenger.model, state.judge.model) == ("opus-4", None, "g-1")


def test_a_tool_that_sits_on_both_sides_is_told_apart_by_its_role() -> None:
    offline = Participant(tool="offline")
    verdict = debate.result(finished_debate(proposer=offline, challenger=offline, judge=offline)).verdict
    assert verdict is not None
    assert (verdict.winner, verdict.winner_role, verdict.disagreements) == (
        "offline",
        "proposer",
        ("Flushing: offline (proposer) argues it is cheap, offline (challenger) argues it is slow on network drives",),
    )


@pytest.mark.parametrize(
    ("name", "status", "replaces"),
    [
        ("debate", DebateStatus.FAILED, False),
        ("debate", DebateStatus.UNJUDGED, True),
        ("fact-check", FactCheckStatus.NO_QUORUM, True),
        ("fact-check", FactCheckStatus.FAILED, False),
        ("jury", JuryStatus.INCOMPLETE, True),
        ("jury", JuryStatus.UNJUDGED, True),
        ("jury", JuryStatus.FAILED, False),
    ],
)
def test_only_a_run_in_which_nobody_gave_anything_leaves_an_earlier_one_in_its_place(
    name: str, status: str, *, replaces: bool
) -> None:
    assert (last(stored(name, status=status)) is not None) is replaces


def test_a_session_that_can_be_continued_is_kept_with_its_question() -> None:
    request = consult_request(asked=(Consulted(tool="claude", model="opus", transport=ProviderKind.CLI),))
    assert consultation.last(finished_consult(answer(model="opus-4", session_id="s-1"), request)) == LastSession(
        tool="claude",
        transport=ProviderKind.CLI,
        model="opus-4",
        model_asked="opus",
        effort=Effort.MEDIUM,
        session_id="s-1",
        continuable=True,
        question="Is this safe?",
        timestamp=MINUTE_1,
    )


def test_of_several_every_answer_is_kept_with_its_number_and_whether_it_can_be_continued() -> None:
    several = finished_several(answer(session_id="s-1"), failure(), answer(tool="gemini"))
    saved = {"transport": ProviderKind.CLI, "model": None, "effort": Effort.MEDIUM}
    assert consultation.last(several) == LastMultiSession(
        question="Is this safe?",
        sessions=(
            NumberedSession.model_validate(
                saved | {"number": 1, "tool": "claude", "session_id": "s-1", "continuable": True}
            ),
            NumberedSession.model_validate(
                saved | {"number": 3, "tool": "gemini", "session_id": None, "continuable": False}
            ),
        ),
        timestamp=CREATED_AT.replace(minute=3),
    )


@pytest.mark.parametrize(
    "without",
    [finished_consult(answer()), finished_consult(failure()), finished_several(failure(), failure())],
    ids=["no session id", "failed", "all failed"],
)
def test_a_run_without_a_session_leaves_none(without: Run) -> None:
    assert consultation.last(without) is None


def test_the_result_of_a_consultation_is_all_that_came_of_it() -> None:
    reply = failure()
    part = ContextPart(name="diff", size_bytes=9, text="+ x = 1")
    request = consult_request(
        tool="codex", context=(part,), redactions=2, repo_access=RepoAccess.READ, notices=("[WARN] One.",)
    )
    assert result(finished_consult(reply, request)) == ConsultResult(
        id=CONSULT_ID,
        status=ConsultStatus.FAILED,
        question="Is this safe?",
        context=(ContextSize(name="diff", size_bytes=9),),
        repo_access=RepoAccess.READ,
        tool="codex",
        transport=ProviderKind.CLI,
        model=None,
        effort=Effort.MEDIUM,
        response=None,
        session_id=None,
        continuable=False,
        duration_ms=240_000,
        usage=Usage(),
        redactions=2,
        warnings=(),
        failure=reply,
        timestamp=MINUTE_1,
        notices=("[WARN] One.",),
    )


def test_the_result_of_several_has_every_answer_by_number_and_what_they_cite() -> None:
    place = PlaceCited(answer=1, line=3, end_line=3)
    source = SourceCited(kind=SourceKind.PATH, name="a.py", places=(place,))
    said, failed = answer("See `a.py:3`.", model="opus-4", redactions=1), failure()
    several = finished_several(
        said, failed, citations=CitationTable(sources=(source,)), notices=("[WARN] Showing 1 of 2.",), redactions=2
    )
    common = {"transport": ProviderKind.CLI, "effort": Effort.MEDIUM, "continuable": False, "usage": Usage()}
    assert result(several) == ConsultResults(
        id=CONSULT_ID,
        status=ConsultStatus.COMPLETED,
        question="Is this safe?",
        answers=(
            NumberedAnswer.model_validate(
                common
                | {
                    "number": 1,
                    "status": ConsultStatus.COMPLETED,
                    "tool": "claude",
                    "model": "opus-4",
                    "response": "See `a.py:3`.",
                    "session_id": None,
                    "duration_ms": 8500,
                    "redactions": 1,
                    "warnings": (),
                    "failure": None,
                }
            ),
            NumberedAnswer.model_validate(
                common
                | {
                    "number": 2,
                    "status": ConsultStatus.FAILED,
                    "tool": "codex",
                    "model": None,
                    "response": None,
                    "session_id": None,
                    "duration_ms": 240_000,
                    "redactions": 0,
                    "warnings": (),
                    "failure": failed,
                }
            ),
        ),
        citations=(source,),
        spent=Spent(calls=2, unpriced_calls=1, uncounted_calls=1),
        redactions=2,
        timestamp=CREATED_AT.replace(minute=9),
        notices=("[WARN] Showing 1 of 2.",),
    )
