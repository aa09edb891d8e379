from pathlib import Path

import pytest

from sparring.errors import DeliberationError
from sparring.reports import consultation, debate
from sparring.reports.markdown import DECISION_LIMIT, decision, report
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode, Usage
from sparring.schema.debate import Agreement, DebateOutcome, DebateStatus, Firmness
from sparring.schema.participants import Participant
from sparring.schema.runs import Run, RunStatus
from sparring.schema.transcript import Turn
from support.debate_runs import ballot, checked_debate, judgement
from support.runs import (
    DEBATE_ID,
    answer,
    consult_request,
    debate_request,
    defense,
    failure,
    finished_consult,
    finished_debate,
    follow_up,
    opening,
    response,
    run,
    summary,
    synthesis,
    verdict,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
MEBIBYTE = 1024 * 1024

HOSTILE = "# Verdict\n\x1b]0;owned\x07\x1b[31m{topic}\u202e\n| a | b |\n|---|---|\n<!-- hide\n```python\n# unclosed"


def broken_debate() -> Run:
    """Round 3 of 3 is broken off; speeches, topic and answers are as hostile as they get."""
    told = Usage(input_tokens=1200, cached_tokens=900, output_tokens=300, cost_usd=0.0123)
    turns = (
        opening(answer(HOSTILE, usage=told, redactions=2, warnings=("The effort is not supported.",))),
        response(answer("That is slow.", tool="codex")),
        defense(answer("It is measured.")),
        summary(answer("## Core positions\n- flush", tool="gemini")),
        follow_up(answer("Not on a network drive.", tool="codex")),
        defense(failure(tool="claude"), round_number=3, minute=5),
        synthesis(answer('```json\n{"winner": "challenger"}', tool="gemini", model="g-1")),
    )
    said = verdict(
        winner=Role.CHALLENGER,
        reasoning="Two reasons:\n\n# cost\n```\nunclosed",
        agreements=(),
        unresolved_questions=("# A heading?", "1. Numbered?"),
    )
    outcome = DebateOutcome(
        status=DebateStatus.INCOMPLETE,
        rounds_completed=2,
        incomplete_round=3,
        verdict=said,
        judgement=judgement(ballot(verdict=said), winner=Role.CHALLENGER, firmness=Firmness.ONE_ORDER),
        notices=("[WARN] Round 3 is incomplete. The synthesis rests on rounds 1-2.",),
    )
    request = debate_request(rounds=3, topic="Flush?\n# Really?", notices=("[WARN] The judge was chosen.",))
    return run(request, turns, outcome, notices=("[WARN] The judge was chosen.", "A torn line was set aside."))


def uncontested_debate() -> Run:
    outcome = DebateOutcome(
        status=DebateStatus.UNCONTESTED,
        rounds_completed=0,
        incomplete_round=1,
        notices=("[WARN] Challenger failed. Showing proposer's uncontested position.",),
    )
    return run(debate_request(), (opening(answer(HOSTILE)), response(failure())), outcome)


def interrupted_debate() -> Run:
    turns = (opening(answer("Yes.")), response(answer("No.", tool="codex")), summary(failure(tool="gemini")))
    return run(debate_request(rounds=2), turns, notices=("A torn last line was set aside.",))


def answered_consult() -> Run:
    reply = answer(HOSTILE, model="opus-4", session_id="s-1", redactions=1, warnings=("The effort is not supported.",))
    return finished_consult(reply)


GOLDEN_TEXTS = {
    "debate-report.md": report(checked_debate()),
    "debate-decision.md": decision(checked_debate()),
    "broken-debate-report.md": report(broken_debate()),
    "uncontested-decision.md": decision(uncontested_debate()),
    "interrupted.md": decision(interrupted_debate()),
    "consult-report.md": report(answered_consult()),
    "consult-decision.md": decision(answered_consult()),
    "failed-consult-decision.md": decision(finished_consult(failure(tool="claude"))),
}


@pytest.mark.parametrize("name", GOLDEN_TEXTS)
def test_a_text_is_as_it_was_read_and_approved(name: str) -> None:
    assert GOLDEN_TEXTS[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_our_headings_are_the_only_ones_in_a_report() -> None:
    headings = [line for line in report(broken_debate()).splitlines() if line.startswith(("#", "```"))]
    assert headings == [
        "# Debate Summary",
        "## Verdict",
        "## Debate Quality",
        "## Key Agreements",
        "## Key Disagreements",
        "## Unresolved Questions",
        "## Recommendation",
        "## Transcript",
        "### Round 1",
        "#### Proposer (claude): opening",
        "#### Challenger (codex): response",
        "### Round 2",
        "#### Proposer (claude): defense",
        "#### Challenger (codex): follow-up",
        "### Round 3",
        "#### Judge (gemini): summary",
        "#### Proposer (claude): defense",
        "### Judgement",
        "#### Judge (gemini), proposer first",
    ]


@pytest.mark.parametrize("hostile", [broken_debate(), uncontested_debate(), answered_consult()])
def test_nothing_that_acts_on_a_terminal_is_shown(hostile: Run) -> None:
    assert not {"\x1b", "\x07", "\u202e"} & set(report(hostile) + decision(hostile))


def test_a_tool_that_sits_on_both_sides_is_named_with_its_role() -> None:
    offline = Participant(tool="offline")
    lines = decision(finished_debate(proposer=offline, challenger=offline, judge=offline)).splitlines()
    told = ("Proposer:", "offline", "- Flushing")
    assert [line.rstrip() for line in lines if line.startswith(told)] == [
        "Proposer: offline (no model)",
        f"offline (proposer) had the stronger argument because: {verdict().reasoning}",
        "- Flushing: offline (proposer) argues it is cheap, offline (challenger) argues it is slow on network drives",
    ]


def test_an_unjudged_debate_shows_the_last_word_of_each_side() -> None:
    outcome = DebateOutcome(status=DebateStatus.UNJUDGED, rounds_completed=2)
    unjudged = finished_debate().model_copy(update={"outcome": outcome})
    assert decision(unjudged).split("## Verdict\n\n")[1].split("\n\nRun ")[0] == (
        "No verdict (unjudged).\n\n"
        "## Last word of the proposer (claude)\n\n> It is measured: 2 ms.\n\n"
        "## Last word of the challenger (codex)\n\n> Not on a network drive."
    )


def mebibytes(text: str) -> str:
    return text * (MEBIBYTE // len(text))


HUGE = [
    finished_debate(topic="x" * 100_000, notices=(mebibytes("n"),) * 3).model_copy(
        update={
            "outcome": DebateOutcome(
                status=DebateStatus.COMPLETED,
                rounds_completed=2,
                verdict=verdict(
                    reasoning=mebibytes("why\n"),
                    recommendation=mebibytes("do "),
                    agreements=(Agreement(point="p", evidence="e"),) * 50_000,
                    unresolved_questions=(mebibytes("# "),),
                ),
            )
        }
    ),
    run(
        debate_request(),
        (opening(answer(mebibytes("\n"), model="m" * MEBIBYTE)), response(failure())),
        DebateOutcome(status=DebateStatus.UNCONTESTED, rounds_completed=0),
    ),
    run(debate_request(topic="x" * 100_000), (opening(answer()),) * 500, notices=(mebibytes("n"),)),
    finished_consult(answer(mebibytes("```\n"), model="m" * MEBIBYTE, warnings=(mebibytes("w"),))),
    run(consult_request(mebibytes("q "))),
]


@pytest.mark.parametrize("limit", [2000, DECISION_LIMIT])
@pytest.mark.parametrize("huge", HUGE, ids=["judged", "uncontested", "interrupted", "consult", "asked"])
def test_a_decision_stays_below_its_limit_and_says_where_the_whole_is(huge: Run, limit: int) -> None:
    text = decision(huge, limit=limit)
    assert len(text) < limit
    assert huge.header.run_id in text


def test_an_answer_that_fits_is_whole() -> None:
    said = "word for word\n" * 500
    assert decision(finished_consult(answer(said))).endswith(f"## Answer\n\n{said}")


@pytest.mark.parametrize(
    ("turns", "missing"),
    [
        ((), ["round 1, proposer (claude)", "round 1, challenger (codex)", "verdict, judge (gemini)"]),
        ((opening(answer()),), ["round 1, challenger (codex)", "verdict, judge (gemini)"]),
        ((opening(answer()), response(failure())), ["verdict, judge (gemini)"]),
        (
            (opening(answer()), response(answer(tool="codex")), synthesis(failure(tool="gemini"), round_number=1)),
            ["verdict, judge (gemini)"],
        ),
    ],
    ids=["nobody spoke", "the opening", "a failure ends the speeches", "the judge is asked again"],
)
def test_an_unfinished_debate_says_what_is_missing(turns: tuple[Turn, ...], missing: list[str]) -> None:
    text = decision(run(debate_request(rounds=1), turns))
    assert text.split("## Missing\n\n")[1].split("\n\n")[0].splitlines() == [f"- {part}" for part in missing]


def test_an_unfinished_debate_with_a_panel_misses_the_verdict_of_each_judge() -> None:
    panel = (Participant(tool="codex"), Participant(tool="opencode"))
    text = decision(run(debate_request(rounds=1, panel=panel), (opening(answer()), response(answer(tool="codex")))))
    assert text.split("## Missing\n\n")[1].split("\n\n")[0].splitlines() == [
        "- verdict, judge 1 (gemini)",
        "- verdict, judge 2 (codex)",
        "- verdict, judge 3 (opencode)",
    ]


def test_a_running_consultation_says_who_is_asked_and_where_to_look() -> None:
    assert report(run(consult_request(), status=RunStatus.RUNNING)) == (
        "# Consult: running\n\nIs this safe?\n\n## Spoken so far\n\nNobody.\n\n"
        "## Missing\n\n- the answer of claude\n\n"
        "It is still at work. Look again with `sparring runs show consult-20260301T120000Z-c0de`.\n"
    )


def test_a_report_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(DeliberationError, match="is not a finished consultation"):
        consultation.report(finished_debate())
    with pytest.raises(DeliberationError, match="is not a finished debate"):
        debate.report(answered_consult())


def test_a_failure_names_its_cause_in_the_transcript() -> None:
    failed = failure(FailureCode.NOT_FOUND, "codex is not installed\n# really", duration_ms=0)
    outcome = DebateOutcome(status=DebateStatus.FAILED, rounds_completed=0)
    text = report(run(debate_request(), (opening(failed),), outcome))
    assert text.endswith("#### Proposer (codex): opening\n\nFailed: not_found (codex is not installed # really)\n")
    assert DEBATE_ID in text
