"""The records that finished runs leave for others to read."""

from collections.abc import Callable

import pytest

from sparring.formats.reports import last, result
from sparring.reports.conclusion import spending_of
from sparring.schema.base import Record, RepoAccess
from sparring.schema.consult import Consulted
from sparring.schema.consultation import ContextPart, Usage
from sparring.schema.debate import DebateOutcome, DebateStatus, LastDebate
from sparring.schema.fact_check import FactCheckStatus
from sparring.schema.jury import JuryStatus
from sparring.schema.lookups import CitationTable, PlaceCited, SourceCited, SourceKind
from sparring.schema.providers import ProviderKind
from sparring.schema.runs import Run
from support.golden import Golden
from support.runs import (
    CREATED_AT,
    answer,
    consult_request,
    debate_request,
    failure,
    finished_consult,
    finished_several,
    opening,
    response,
    run,
    synthesis,
)
from support.stored_runs import stored


def debate_state(whole: Run) -> LastDebate:
    state = result(whole)
    assert isinstance(state, LastDebate)
    return state


@pytest.mark.parametrize(
    ("usages", "used"),
    [
        ([Usage(input_tokens=9, output_tokens=1, cost_usd=0.5)], (10, 0.5, False)),
        ([Usage(input_tokens=9, output_tokens=1)], (10, None, True)),
        ([Usage(cost_usd=0.5)], (None, 0.5, True)),
        ([Usage(), Usage(input_tokens=9, output_tokens=1, cost_usd=0.5)], (10, 0.5, True)),
        ([], (0, 0.0, False)),
    ],
)
def test_what_was_used_is_at_least_so_much_where_anything_was_not_counted_or_not_priced(
    usages: list[Usage], used: tuple[int | None, float | None, bool]
) -> None:
    said = tuple(opening(answer(usage=usage)) for usage in usages)
    found = spending_of(run(debate_request(), said))
    assert (found.tokens, found.cost_usd, found.at_least) == used


def test_a_debate_without_a_turn_is_dated_by_its_creation() -> None:
    outcome = DebateOutcome(status=DebateStatus.FAILED, rounds_completed=0)
    state = debate_state(run(debate_request(), (), outcome))
    assert (state.timestamp, state.exchanges) == (CREATED_AT, ())


def test_a_model_is_the_last_that_the_tool_reported() -> None:
    turns = (opening(answer(model="opus-4")), synthesis(answer(tool="gemini", model="g-1")), synthesis(failure()))
    outcome = DebateOutcome(status=DebateStatus.UNJUDGED, rounds_completed=1)
    state = debate_state(run(debate_request(rounds=1), turns, outcome))
    assert (state.proposer.model, state.challenger.model, state.judge.model) == ("opus-4", None, "g-1")


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


@pytest.mark.parametrize(
    "without",
    [finished_consult(answer()), finished_consult(failure()), finished_several(failure(), failure())],
    ids=["no session id", "failed", "all failed"],
)
def test_a_run_without_a_session_leaves_none(without: Run) -> None:
    assert last(without) is None


NOTICE = "[WARN] Challenger failed. Showing proposer's uncontested position."
PLACE = PlaceCited(answer=1, line=3, end_line=3)
RECORDS: dict[str, Callable[[], Record | None]] = {
    # A panel has the model of each of its judges, and the record says how the debate was asked for.
    "panel-debate": lambda: last(stored("panel-debate", request={"blind_openings": True})),
    # Only speeches that were answered are exchanges; a notice is told once.
    "uncontested-debate": lambda: last(
        run(
            debate_request(),
            (opening(answer("Yes.")), response(failure(), minute=2)),
            DebateOutcome(
                status=DebateStatus.UNCONTESTED, rounds_completed=0, incomplete_round=1, notices=(NOTICE, NOTICE)
            ),
            notices=("A torn line was set aside.",),
        )
    ),
    "session": lambda: last(
        finished_consult(
            answer(model="opus-4", session_id="s-1"),
            consult_request(asked=(Consulted(tool="claude", model="opus", transport=ProviderKind.CLI),)),
        )
    ),
    # Each keeps its number, and whether it can be continued.
    "sessions": lambda: last(finished_several(answer(session_id="s-1"), failure(), answer(tool="gemini"))),
    "failed-consult": lambda: result(
        finished_consult(
            failure(),
            consult_request(
                tool="codex",
                context=(ContextPart(name="diff", size_bytes=9, text="+ x = 1"),),
                redactions=2,
                repo_access=RepoAccess.READ,
                notices=("[WARN] One.",),
            ),
        )
    ),
    "several-consulted": lambda: result(
        finished_several(
            answer("See `a.py:3`.", model="opus-4", redactions=1),
            failure(),
            citations=CitationTable(sources=(SourceCited(kind=SourceKind.PATH, name="a.py", places=(PLACE,)),)),
            notices=("[WARN] Showing 1 of 2.",),
            redactions=2,
        )
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_has_all_that_came_of_the_run(name: str, golden: Golden) -> None:
    record = RECORDS[name]()
    assert record
    golden.holds(f"records/{name}.json", record.model_dump_json(indent=2) + "\n")
