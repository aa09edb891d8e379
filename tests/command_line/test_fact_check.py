"""``sparring fact-check`` as somebody types it."""

import json
from typing import Any

import pytest

from sparring.testing.model_endpoint import ModelEndpoint
from support.fact_checkers import EVIDENCE, PROSE, Script, add_checkers, failing
from support.fact_checking import CLAIM, SOURCES
from support.workbench import Workbench

AGENTS = ("--agents", "ann,bob,cy")
TOKEN = "ghp_" + "a1B2" * 9


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


def test_progress_and_notices_go_to_stderr_and_json_is_alone_on_stdout(checkers: Workbench) -> None:
    done = checkers.run("fact-check", CLAIM, *EVIDENCE, *AGENTS, "--json")
    run_folder = checkers.state / "fact-check" / "runs" / done.json["id"]
    assert done.json == json.loads((run_folder / "result.json").read_text(encoding="utf-8"))
    assert done.json == last_fact_check(checkers)
    lines = done.err.splitlines()
    assert lines[0] == "Evidence: 2 parts, 207 B: evidence 1 102 B, evidence 2 105 B"
    assert lines[1].startswith("Expected, if nobody agrees: 11 calls, about ")
    assert lines[2:5] == [
        f"round 1  Agent {number}  {tool}  asked" for number, tool in enumerate(("ann", "bob", "cy"), 1)
    ]
    assert lines[-3].startswith("Used: 3 calls, tokens unknown, cost unknown, ")
    assert lines[-2:] == [f"All of it: sparring runs show {done.json['id']}", f"Kept in {run_folder}"]


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


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The Eiffel Tower opened in 1899.", "REFUTED"),
        ("The tower opened to the public in 1889.", "SUPPORTED"),
        ("The Eiffel Tower was painted by convicts.", "NEI"),
    ],
)
def test_offline_alone_gives_what_code_finds_once_and_nobody_votes(bench: Workbench, claim: str, label: str) -> None:
    done = bench.run("fact-check", claim, *EVIDENCE, "--provider", "offline", "--json")
    assert (done.code, done.json["label"], done.json["decision"]) == (0, label, "by_code")
    assert (done.json["agents"], done.json["spent"]["calls"]) == ([], 0)
    shown = bench.run("runs", "show", "last").out
    assert f"**{label}** by code alone" in shown
    assert "Votes" not in shown


def test_a_table_of_claims_is_judged_row_by_row_and_nothing_twice(checkers: Workbench) -> None:
    rows = [
        {"id": "a", "claim": CLAIM, "evidence": list(SOURCES)},
        {"id": "b", "claim": "", "evidence": "It rains."},
    ]
    (checkers.project / "claims.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    command = ("fact-check", "--claims", "claims.jsonl", *AGENTS)
    first, second = checkers.run(*command), checkers.run(*command)
    assert (first.code, second.code) == (4, 4)
    judged, refused = (json.loads(line) for line in first.out.splitlines())
    assert (judged["row_id"], judged["status"], judged["label"], judged["decision"]) == (
        *("a", "judged", "SUPPORTED"),
        "unanimous",
    )
    assert (refused["status"], refused["problem"]) == ("refused", "Line 2 cannot be judged: it has no claim.")
    assert "2 rows: 1 SUPPORTED, 1 refused. Used: 3 calls" in first.err
    assert "2 rows: 1 SUPPORTED, 1 refused (1 judged before). Used: 0 calls" in second.err


def test_a_table_and_a_claim_are_not_given_together(checkers: Workbench) -> None:
    done = checkers.run("fact-check", CLAIM, "--claims", "claims.jsonl", *AGENTS)
    assert (done.code, done.err.splitlines()[0]) == (2, "Error: Give either a claim with its evidence, or --claims.")
    done = checkers.run("fact-check", *AGENTS)
    assert (done.code, "There is no claim." in done.err) == (2, True)


@pytest.mark.parametrize("option", [(), ("--evidence", "-"), ("--evidence-file", "-")])
def test_all_evidence_may_be_piped_in(checkers: Workbench, option: tuple[str, ...]) -> None:
    done = checkers.run("fact-check", CLAIM, *option, *AGENTS, "--json", stdin="\n".join(SOURCES).encode())
    assert (done.code, done.json["label"]) == (0, "SUPPORTED")


def test_secrets_of_claim_and_evidence_reach_neither_agents_nor_disk(bench: Workbench, endpoint: ModelEndpoint) -> None:
    bench.add_api("reader", endpoint.url, 'model = "m"')
    (bench.project / f"{TOKEN}.md").write_text(f"The key is {TOKEN}.\n", encoding="utf-8")
    given = ("--evidence", f"{TOKEN} is in use.", "--evidence-file", f"{TOKEN}.md")
    done = bench.run("fact-check", f"{TOKEN} is in use.", *given, "--agents", "reader,reader")
    everything = (
        done.out
        + done.err
        + "".join(request.prompt for request in endpoint.requests)
        + b"".join(bench.files().values()).decode()
    )
    assert TOKEN not in everything
    assert "[REDACTED:" in endpoint.requests[0].prompt
