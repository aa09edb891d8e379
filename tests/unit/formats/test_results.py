"""The records that finished runs leave for others to read."""

from collections.abc import Callable
from typing import Any

import pytest

from sparring.formats.views import RunView
from sparring.reports.conclusion import spending_of
from sparring.schema.base import Record, RepoAccess
from sparring.schema.consult import ConsultedTool
from sparring.schema.consultation import ContextPart, Exhibit, Usage
from sparring.schema.debate import DebateOutcome, DebateStatus
from sparring.schema.fact_check import FactCheckStatus
from sparring.schema.jury import JuryStatus
from sparring.schema.lookups import CitationTable, CitedPlace, CitedSource, SourceKind
from sparring.schema.providers import ProviderKind
from sparring.schema.runs import Run
from sparring.schema.transcript import Turn
from support.golden import Golden
from support.runs import (
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


def test_usage_is_a_lower_bound_if_anything_was_not_counted_or_priced() -> None:
    counted, priced = Usage(input_tokens=9, output_tokens=1), Usage(cost_usd=0.5)
    both = Usage(input_tokens=9, output_tokens=1, cost_usd=0.5)
    used = {
        (both,): (10, 0.5, False),
        (counted,): (10, None, True),
        (priced,): (None, 0.5, True),
        (Usage(), both): (10, 0.5, True),
        (): (0, 0.0, False),
    }
    for usages, expected in used.items():
        found = spending_of(run(debate_request(), tuple(opening(answer(usage=usage)) for usage in usages)))
        assert (found.tokens, found.cost_usd, found.at_least) == expected


STATUSES = {"debate": DebateStatus, "fact-check": FactCheckStatus, "jury": JuryStatus}


@pytest.mark.parametrize("name", STATUSES)
def test_only_a_run_without_answers_does_not_replace_the_last_result(name: str) -> None:
    assert [status for status in STATUSES[name] if RunView(stored(name, status=status)).last() is None] == ["failed"]


def test_a_run_without_a_session_stores_none() -> None:
    nobody = (failure(), failure())
    for without in (finished_consult(answer()), finished_consult(failure()), finished_several(*nobody)):
        assert RunView(without).last() is None


NOTICE = "[WARN] Challenger failed. Showing proposer's uncontested position."
PLACE = CitedPlace(answer=1, line=3, end_line=3)
EXHIBIT = Exhibit(number=1, path="shop/part1.py", first=3, last=4, text="a = `1`")
LAST = (opening(answer(model="opus-4")), synthesis(answer(tool="gemini", model="g-1")), synthesis(failure()))


def debate(*turns: Turn, **outcome: Any) -> Run:
    ended = DebateOutcome(rounds_completed=0, **outcome)
    return run(debate_request(rounds=1), turns, ended, notices=("A torn line was set aside.",))


RECORDS: dict[str, Callable[[], Record | None]] = {
    # Without a turn it is dated by its creation; a model is the last that the tool reported.
    "debate-without-a-turn": lambda: RunView(debate(status=DebateStatus.FAILED)).result(),
    "debate-with-models": lambda: RunView(debate(*LAST, status=DebateStatus.UNJUDGED)).result(),
    # A panel has the model of each of its judges, and the record says how the debate was asked for, and what was shown.
    "panel-debate": lambda: RunView(
        stored("panel-debate", request={"blind_openings": True, "exhibits": (EXHIBIT,)})
    ).last(),
    # Only speeches that were answered are exchanges; a notice is told once.
    "uncontested-debate": lambda: RunView(
        debate(
            *(opening(answer("Yes.")), response(failure(), minute=2)),
            status=DebateStatus.UNCONTESTED,
            incomplete_round=1,
            notices=(NOTICE, NOTICE),
        )
    ).last(),
    "session": lambda: RunView(
        finished_consult(
            answer(model="opus-4", session_id="s-1"),
            consult_request(asked=(ConsultedTool(tool="claude", model="opus", transport=ProviderKind.CLI),)),
        )
    ).last(),
    # Each keeps its number, and whether it can be continued.
    "sessions": lambda: RunView(finished_several(answer(session_id="s-1"), failure(), answer(tool="gemini"))).last(),
    "failed-consult": lambda: RunView(
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
    ).result(),
    "several-consulted": lambda: RunView(
        finished_several(
            answer("See `a.py:3`.", model="opus-4", redactions=1),
            failure(),
            citations=CitationTable(sources=(CitedSource(kind=SourceKind.PATH, name="a.py", places=(PLACE,)),)),
            notices=("[WARN] Showing 1 of 2.",),
            redactions=2,
        )
    ).result(),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_has_all_results_of_its_run(name: str, golden: Golden) -> None:
    record = RECORDS[name]()
    assert record
    golden.holds(f"records/{name}.json", record.model_dump_json(indent=2) + "\n")
