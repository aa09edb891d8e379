from pathlib import Path

import pytest

from sparring.errors import DeliberationError
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
from sparring.schema.limits import Spent
from sparring.schema.participants import Participant, StateParticipant
from sparring.schema.providers import ProviderKind
from sparring.schema.runs import Run
from support.debate_runs import CONDUCT, LEDGERS, checked_debate, panel_debate, panel_judgement
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

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
MINUTE_1 = CREATED_AT.replace(minute=1)


def test_the_state_file_of_a_debate_is_the_one_of_the_specification() -> None:
    written = debate.result(checked_debate()).model_dump_json(indent=2) + "\n"
    assert written == (GOLDEN / "last-debate.json").read_text(encoding="utf-8")
    assert LastDebate.model_validate_json(written) == debate.result(checked_debate())


def test_a_panel_is_kept_with_the_model_of_each_judge() -> None:
    state = debate.result(panel_debate())
    assert (state.judge, state.panel) == (
        StateParticipant(tool="gemini", model=None),
        (StateParticipant(tool="codex", model=None), StateParticipant(tool="opencode", model="m-3")),
    )
    assert (state.judgement, state.ledgers, state.conduct) == (panel_judgement(), LEDGERS, CONDUCT)


def test_how_a_debate_was_asked_for_is_kept() -> None:
    claude = Participant(tool="claude")
    state = debate.result(checked_debate(challenger=claude, devil=True, blind_openings=True))
    assert (state.devil, state.blind_openings, state.verdict and state.verdict.winner) == (True, True, "claude")


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


def test_a_debate_in_which_nobody_spoke_leaves_an_earlier_one_in_its_place() -> None:
    failed = DebateOutcome(status=DebateStatus.FAILED, rounds_completed=0)
    assert last(run(debate_request(), (opening(failure()),), failed)) is None
    assert last(finished_debate()) == result(finished_debate())


@pytest.mark.parametrize("unfit", [run(debate_request()), finished_consult(answer())])
def test_what_is_no_finished_debate_has_no_debate_state(unfit: Run) -> None:
    with pytest.raises(DeliberationError, match="is not a finished debate"):
        debate.result(unfit)


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
    [
        finished_consult(answer()),
        finished_consult(failure()),
        finished_several(failure(), failure()),
    ],
    ids=["no session id", "failed", "all failed"],
)
def test_a_run_without_a_session_leaves_none(without: Run) -> None:
    assert consultation.last(without) is None


def test_the_result_of_a_debate_is_its_state() -> None:
    assert result(finished_debate()) == debate.result(finished_debate())


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


def test_an_unfinished_consultation_has_no_result() -> None:
    with pytest.raises(DeliberationError):
        result(run(consult_request()))
