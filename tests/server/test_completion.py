"""What a host is offered while its user types."""

from pathlib import Path

from mcp import Client
from mcp.types import Completion, PromptReference, ResourceTemplateReference

from support.journals import kept_runs
from support.mcp_project import client
from support.workbench import Workbench

REPORT = "sparring://runs/{run_id}{?page}"
EVERYBODY = ["ann", "bob", "cy", "host", "offline"]


async def offered(host: Client, prompt: str, argument: str, typed: str = "") -> Completion:
    """What is offered for an argument of a prompt."""
    return (await host.complete(PromptReference(name=prompt), {"name": argument, "value": typed})).completion


async def offered_runs(host: Client, typed: str = "", template: str = REPORT, argument: str = "run_id") -> Completion:
    """What is offered for the id of a run."""
    return (await host.complete(ResourceTemplateReference(uri=template), {"name": argument, "value": typed})).completion


def complete(*values: str) -> Completion:
    """All that there is to offer."""
    return Completion(values=list(values), total=len(values), has_more=False)


ARGUMENTS: list[tuple[str, str, str, list[str]]] = [
    ("debate", "proposer", "", EVERYBODY),
    ("debate", "challenger", "b", ["bob"]),
    ("debate", "seat", "ju", ["judge="]),
    ("jury", "with", "zed", []),
    ("consult", "tool", "", ["ann", "bob", "cy", "offline"]),
    ("fact-check", "with", "ann,bob:m1,", [f"ann,bob:m1,{tool}" for tool in EVERYBODY]),
    ("fact-check", "with", "ann, o", ["ann,offline"]),
    ("debate", "with", "ann,zed", []),
    ("debate", "rounds", "", ["1", "2", "3", "4", "5"]),
    ("chaired-debate", "max_rounds", "1", ["1", "10"]),
    ("fact-check", "max_rounds", "", ["1", "2", "3", "4", "5"]),
    ("consult", "effort", "m", ["medium", "max"]),
    ("cross-review", "fail_on", "m", ["major", "minor"]),
    ("jury", "language", "", ["en", "vi"]),
    ("debate", "context", "f", ["file="]),
    ("debate", "topic", "", []),
    ("fact-check", "evidence_file", "", []),
    ("debate", "quarrel", "", []),
    ("quarrel", "judge", "", []),
]


async def test_an_argument_of_a_prompt_is_completed(bench: Workbench) -> None:
    async with client(bench) as host:
        found = [(*asked, await offered(host, *asked)) for *asked, _ in ARGUMENTS]
    assert found == [(*asked, complete(*values)) for *asked, values in ARGUMENTS]


async def test_the_id_of_a_run_is_completed_newest_first(bench: Workbench) -> None:
    ids = kept_runs(bench, 103)
    first_hundred = Completion(values=ids[:100], total=103, has_more=True)
    async with client(bench) as host:
        assert await offered_runs(host) == first_hundred
        assert await offered_runs(host, template="sparring://runs/{run_id}") == first_hundred
        assert await offered_runs(host, ids[1][:-2]) == complete(*(found for found in ids if found[:-2] == ids[1][:-2]))
        assert await offered_runs(host, "jury") == complete()
        assert await offered_runs(host, argument="page") == complete()
        assert await offered_runs(host, template="sparring://else/{run_id}") == complete()


async def test_where_the_configuration_is_broken_nothing_is_offered_and_nothing_crashes(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"SPARRING_CALL_BUDGET_S": "soon"})
    bench.project.mkdir()
    async with client(bench) as host:
        assert await offered(host, "debate", "with") == complete()
        assert await offered_runs(host) == complete()
        assert await offered(host, "debate", "effort", "h") == complete("high")
