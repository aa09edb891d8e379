"""In a shell nobody can be asked as ``host``: said in a sentence, whatever is asked for."""

import pytest

from support.workbench import Workbench

pytestmark = pytest.mark.process


SENTENCES = (
    "host is the agent that calls over MCP; here is nobody who could answer. "
    "Have an agent call sparring's MCP tools, or name another tool."
)


@pytest.mark.parametrize(
    "arguments",
    [
        ("debate", "So?", "--proposer", "ann", "--challenger", "bob", "--judge", "host"),
        ("debate", "So?", "--proposer", "host", "--challenger", "bob", "--judge", "cy"),
        ("jury", "It is tall.", "--truth", "It is high.", "--provider", "ann", "--judge", "host"),
        ("fact-check", "It is tall.", "--evidence", "It is high.", "--agents", "ann,host"),
        ("chaired-debate", "So?", "--promoter", "ann", "--detractor", "bob", "--chair", "host"),
    ],
    ids=["judge", "proposer", "jury", "fact-check", "chair"],
)
def test_the_host_cannot_be_named(bench: Workbench, arguments: tuple[str, ...]) -> None:
    done = bench.run(*arguments, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "unsupported")
    assert done.err.splitlines()[-1] == f"Error: {SENTENCES}"
    assert not list(bench.root.rglob("journal.jsonl"))


def test_the_host_cannot_be_consulted(bench: Workbench) -> None:
    done = bench.run("consult", "So?", "--tool", "host")
    assert (done.code, SENTENCES in done.err) == (2, True)


def test_the_host_is_listed_and_nobody_misses_it(bench: Workbench) -> None:
    listed = {provider["name"]: provider for provider in bench.run("providers", "--json").json["providers"]}
    reason, hint = SENTENCES.split(". ", 1)
    assert listed["host"] == {
        "name": "host",
        "kind": "host",
        "family": "unknown",
        "title": "the agent that calls sparring's tools",
        "origin": "built-in",
        "available": False,
        "location": "",
        "problem": f"{reason}.",
        "advice": hint,
    }
    found = bench.run("doctor", "--json")
    (host,) = (provider for provider in found.json["providers"] if provider["name"] == "host")
    assert (found.code, host["health"], host["problem"], host["advice"]) == (0, "missing", f"{reason}.", "")
