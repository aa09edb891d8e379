"""``sparring fact-check`` as somebody types it."""

import json
import stat
from typing import Any

import pytest

from support.fact_checkers import AGAINST, EVIDENCE, FOR, PROSE, Script, add_checkers, failing, said
from support.fact_checking import CLAIM, IN_PARIS, SOURCES, analysis, covered, rebuttal
from support.workbench import Workbench

AGENTS = ("--agents", "ann,bob,cy")


@pytest.fixture
def checkers(bench: Workbench) -> Workbench:
    add_checkers(bench)
    return bench


def last_fact_check(bench: Workbench) -> dict[str, Any]:
    return json.loads((bench.state / "fact-check" / "last-fact-check.json").read_text(encoding="utf-8"))


def test_a_claim_that_all_agents_find_in_the_evidence_is_supported_after_the_blind_round(checkers: Workbench) -> None:
    done = checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS)
    assert done.code == 0, done.err
    assert "SUPPORTED" in done.out.splitlines()[0]
    state = last_fact_check(checkers)
    assert (state["label"], state["decision"], state["stop_reason"]) == ("SUPPORTED", "unanimous", "not_escalated")
    assert state["evidence"] == [
        {"name": f"evidence {number}", "size_bytes": len(source)} for number, source in enumerate(SOURCES, start=1)
    ]
    found = [part["found"] for part in state["agents"][0]["positions"][0]["parts"]]
    for quote in found:
        span = quote["parts"][0]
        assert SOURCES[span["index"]][span["start"] : span["end"]] == span["text"]


def test_agents_that_disagree_debate_until_the_rounds_are_used_up(checkers: Workbench) -> None:
    add_checkers(checkers, bob=AGAINST)
    done = checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS, "--max-rounds", "2", "--json")
    assert (done.code, done.json["label"], done.json["decision"]) == (0, "SUPPORTED", "majority")
    assert (done.json["stop_reason"], done.json["rounds_completed"], done.json["spent"]["calls"]) == (
        "max_rounds",
        2,
        6,
    )
    assert [agent["debated"] for agent in done.json["agents"]] == ["SUPPORTED", "REFUTED", "SUPPORTED"]


@pytest.mark.parametrize(("escalation", "rounds"), [("always", 2), ("never", 1)])
def test_escalation_decides_whether_agents_debate(checkers: Workbench, escalation: str, rounds: int) -> None:
    add_checkers(checkers, bob=AGAINST if escalation == "never" else FOR)
    done = checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS, "--escalation", escalation, "--json")
    assert (done.code, done.json["rounds_completed"]) == (0, rounds)


def test_progress_and_notices_go_to_stderr_and_json_is_alone_on_stdout(checkers: Workbench) -> None:
    done = checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS, "--json")
    run_folder = checkers.state / "fact-check" / "runs" / done.json["id"]
    assert done.json == json.loads((run_folder / "result.json").read_text(encoding="utf-8"))
    assert done.json == last_fact_check(checkers)
    lines = done.err.splitlines()
    assert lines[0] == "Evidence: 2 parts, 207 B: evidence 1 102 B, evidence 2 105 B"
    assert lines[1].startswith("Expected, if nobody agrees: 9 calls, about ")
    assert lines[2:5] == [
        f"round 1  Agent {number}  {tool}  asked" for number, tool in enumerate(("ann", "bob", "cy"), 1)
    ]
    assert lines[-2:] == ["Used: 3 calls, tokens unknown, cost unknown", f"Kept in {run_folder}"]


def test_everything_that_is_kept_is_for_the_user_alone_with_a_report_beside_it(checkers: Workbench) -> None:
    done = checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS)
    for path in checkers.state.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600) or path.name == ".gitignore", (path, oct(mode))
    (report,) = checkers.state.glob("fact-check/runs/*/report.md")
    assert report.read_text(encoding="utf-8").strip() == done.out.strip()
    assert "The Eiffel Tower in Paris is 330 metres tall" in checkers.run("runs", "list").out
    assert checkers.run("runs", "show", "last").out == done.out


@pytest.mark.parametrize(
    ("scripts", "code", "status", "said"),
    [
        ({"cy": PROSE}, 0, "completed", "[WARN] Agent 3 (cy) abstains: parse"),
        ({"cy": [failing("timeout")]}, 0, "completed", "[WARN] Agent 3 (cy) abstains: timeout"),
        ({"bob": PROSE, "cy": [failing("quota")]}, 4, "no_quorum", "Agent 2: parse, Agent 3: quota"),
        ({"bob": [failing("auth")], "cy": [failing("auth")]}, 4, "no_quorum", "Agent 2: auth, Agent 3: auth"),
    ],
    ids=["prose", "timeout", "too few votes", "not signed in"],
)
def test_an_agent_without_a_usable_answer_has_no_vote(
    checkers: Workbench, scripts: dict[str, Script], code: int, status: str, said: str
) -> None:
    add_checkers(checkers, **scripts)
    done = checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS)
    assert (done.code, last_fact_check(checkers)["status"]) == (code, status)
    assert said in done.out
    assert (last_fact_check(checkers)["label"] is None) == (code == 4)


@pytest.mark.parametrize(("failure", "code"), [("timeout", 1), ("exit", 1), ("auth", 3), ("not_found", 3)])
def test_a_fact_check_in_which_all_fail_keeps_the_last_result(checkers: Workbench, failure: str, code: int) -> None:
    checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS)
    add_checkers(checkers, **{name: [failing(failure)] for name in ("ann", "bob", "cy")})
    done = checkers.run("fact-check", "Another claim.", *EVIDENCE, *AGENTS)
    assert (done.code, "[ERROR] No verdict" in done.out) == (code, True)
    assert last_fact_check(checkers)["claim"] == CLAIM


def test_a_limit_on_calls_leaves_agents_without_a_vote(checkers: Workbench) -> None:
    done = checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS, "--max-calls", "2", "--json")
    assert done.code == 0
    assert [agent["abstention"] and agent["abstention"]["code"] for agent in done.json["agents"]] == [
        None,
        None,
        "budget",
    ]


def test_offline_needs_nothing_and_refutes_what_the_evidence_contradicts(bench: Workbench) -> None:
    claim = "The Eiffel Tower opened in 1899."
    done = bench.run("fact-check", claim, *EVIDENCE, "--provider", "offline", "--count", "2", "--json")
    assert (done.code, done.json["label"]) == (0, "REFUTED")
    assert [(agent["tool"], agent["debated"]) for agent in done.json["agents"]] == [("offline", "REFUTED")] * 2


def test_who_invents_a_quote_and_then_goes_with_the_others_is_named_and_carries_nothing(checkers: Workbench) -> None:
    invented = analysis(
        "SUPPORTED",
        covered("Eiffel Tower in Paris", IN_PARIS),
        covered("330 metres tall", "surveyors have confirmed it"),
    )
    add_checkers(checkers, bob=[said(invented, round=1), said(rebuttal("SUPPORTED", decision_change="CHANGE"))])
    done = checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS, "--json")
    assert (done.code, done.json["label"]) == (0, "SUPPORTED")
    liar = done.json["agents"][1]
    assert [fault["fault"] for fault in liar["positions"][0]["faults"]] == ["fabricated_quote"]
    assert (liar["positions"][0]["claimed"], liar["blind"], liar["debated"]) == ("SUPPORTED", "NEI", "NEI")
