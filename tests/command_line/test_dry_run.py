"""A dry run of every command that asks a tool: its cost, without asking."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

import pytest
from msgspec import Struct

from crash.scenes import SCENES, TOOLS, Scene
from support.workbench import Workbench


class Played(Struct):
    """A scene in a project, with scripted tools."""

    bench: Workbench
    scene: Scene

    def run(self, *more: str) -> tuple[int, dict[str, object], str]:
        done = self.bench.run(*self.scene.command, *more, "--json")
        return done.code, json.loads(done.out or "{}"), done.err


@pytest.fixture(params=list(SCENES.values()), ids=str)
def played(request: pytest.FixtureRequest, bench: Workbench) -> Played:
    scene: Scene = request.param
    rows = "claim,truth\nUnder 650 cases.,More than 650 cases.\nUnder 652 cases.,More than 652 cases.\n"
    (bench.project / "table.csv").write_text(rows, encoding="utf-8")
    for tool in TOOLS:
        bench.add_tool(tool, scene.of_bob if tool == "bob" and scene.of_bob else scene.speeches)
    return Played(bench, scene)


def test_a_dry_run_calls_and_writes_nothing_and_predicts_the_run(played: Played) -> None:
    before = played.bench.files()
    code, found, err = played.run("--dry-run")
    assert code == 0, err
    calls = found["calls"]
    assert isinstance(calls, Mapping)
    assert 1 <= calls["fewest"] <= calls["usual"] <= calls["most"]
    assert (found["cost_usd"], found["first_prompt"]) == (0.0, "")  # a script is not paid
    seats = cast("Sequence[Mapping[str, int]]", found["seats"])
    assert sum(seat["calls"] for seat in seats) == calls["usual"]
    made = {name for name in played.bench.files() if not name.startswith("batch/")}  # a table looks into its ledger
    assert made == set(before)

    done = played.bench.run(*played.scene.command, "--json")
    assert calls["fewest"] <= json.loads(done.out)["spent"]["calls"] <= calls["most"]


def test_a_dry_run_names_the_participants_and_the_price(played: Played) -> None:
    done = played.bench.run(*played.scene.command, "--dry-run")
    assert done.code == 0
    assert done.out.startswith("No tool was called.")
    assert "Price: nothing" in done.out
    assert "\n- ann (effort " in done.out


def test_the_first_prompt_is_shown_on_request(bench: Workbench) -> None:
    bench.add_tool("ann", [{"response": "Yes."}])
    done = bench.run("consult", "Is seven even?", "--tool", "ann", "--dry-run", "--full")
    assert "The first prompt:" in done.out
    assert "Is seven even?" in done.out


def test_the_price_of_what_is_paid_for_is_unknown_and_not_nothing(bench: Workbench) -> None:
    bench.add_cli("ann", "false")
    done = bench.run("consult", "Is seven even?", "--tool", "ann", "--dry-run", "--json")
    assert json.loads(done.out)["cost_usd"] is None
    assert "Price: unknown" in bench.run("consult", "Is seven even?", "--tool", "ann", "--dry-run").out


@pytest.mark.parametrize("limit", [("--max-calls", "2"), ("--set", "max_tokens=20")])
def test_a_limit_below_what_a_verdict_takes_is_refused_before_anything_is_asked(
    bench: Workbench, limit: tuple[str, str]
) -> None:
    scene = SCENES["debate"]
    for tool in TOOLS:
        bench.add_tool(tool, scene.speeches)
    before = bench.files()
    for more in ((), ("--dry-run",)):
        refused = bench.run(*scene.command, *limit, *more)
        assert refused.code == 2
        assert "takes at least" in refused.err
    assert bench.files() == before


def test_a_table_with_a_limit_below_one_row_is_refused_as_well(bench: Workbench) -> None:
    scene = SCENES["table"]
    (bench.project / "table.csv").write_text("claim,truth\nUnder 650.,Over 650.\n", encoding="utf-8")
    bench.add_tool("ann", scene.speeches)
    refused = bench.run("batch", "jury", "--input", "table.csv", "--output", "out", "--with", "ann", "--max-calls", "1")
    assert refused.code == 2
    assert "takes at least" in refused.err
    assert not (bench.project / "out").exists()
