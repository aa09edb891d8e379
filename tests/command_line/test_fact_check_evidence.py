"""How evidence reaches the agents: from everywhere it may come from, whole, between fences, without secrets."""

import pytest

from sparring.testing.model_endpoint import ModelEndpoint
from support.fact_checkers import EVIDENCE, add_checkers
from support.fact_checking import CLAIM, SOURCES
from support.workbench import Workbench

AGENTS = ("--agents", "ann,bob,cy")
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def checkers(bench: Workbench) -> Workbench:
    add_checkers(bench)
    return bench


@pytest.mark.parametrize("option", [(), ("--evidence", "-"), ("--evidence-file", "-")])
def test_all_evidence_may_be_piped_in(checkers: Workbench, option: tuple[str, ...]) -> None:
    done = checkers.run("fact-check", CLAIM, *option, *AGENTS, "--json", stdin="\n".join(SOURCES).encode())
    assert (done.code, done.json["label"]) == (0, "SUPPORTED")


def test_the_claim_may_come_from_standard_input(checkers: Workbench) -> None:
    done = checkers.run("fact-check", "-", *EVIDENCE, *AGENTS, "--json", stdin=f"\ufeff{CLAIM}\n".encode())
    assert (done.code, done.json["claim"]) == (0, CLAIM)


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
