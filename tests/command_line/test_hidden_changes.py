"""Nothing that a change says of itself keeps it from its reviewers: in a review, a hook, a gate and on GitHub."""

import json
from collections.abc import Generator
from pathlib import Path
from urllib.parse import quote

import pytest

from sparring.testing.model_endpoint import ModelEndpoint
from support import github_action
from support.gating import REVIEWERS, git, said
from support.hidden_changes import MARK, Row, careful, change, commit, prompts, rows, set_up
from support.workbench import Result, Workbench

pytestmark = pytest.mark.process


@pytest.fixture
def model() -> Generator[ModelEndpoint]:
    with careful() as endpoint:
        yield endpoint


@pytest.fixture
def bench(tmp_path: Path, model: ModelEndpoint) -> Workbench:
    return set_up(tmp_path, model)


def of(way: str, *names: str) -> pytest.MarkDecorator:
    found = [row for row in rows() if way in row.get("ways", ("range", "staged", "tree"))]
    found = [row for row in found if not names or row["name"] in names]
    return pytest.mark.parametrize("row", found, ids=[row["name"] for row in found])


def holds(bench: Workbench, done: Result, row: Row, model: ModelEndpoint) -> None:
    """Check that the review saw, named or left out what it should."""
    last = json.loads(bench.run("runs", "show", "last", "--json").out)
    named = {each["path"].rstrip("/"): each["reason"] for each in last["left_out"]}
    want = row["want"]
    if want == "blocked":
        assert (done.code, last["status"]) == (1, "blocking"), done.err
        assert any(each["place"] and each["place"]["file"] == row["file"] for each in last["findings"])
    elif want == "shown":
        assert row["shows"] in prompts(model)
        assert (done.code, last["status"]) == (0, "clean"), done.err
    elif want == "left out":
        assert (done.code, last["status"]) == (0, "clean"), done.err
        assert row["file"] in named
        assert MARK not in prompts(model)
    else:
        assert named[row["file"]] == want
        assert last["status"] in ("incomplete", "blocking")
        assert done.code == (1 if last["status"] == "blocking" else 4), done.err
        assert row["file"] in done.err + done.out


@of("range")
def test_the_command_of_the_action_sees_it_or_names_it(bench: Workbench, row: Row, model: ModelEndpoint) -> None:
    change(bench, row)
    base = git(bench, "rev-parse", "HEAD")
    commit(bench, "change")
    file = bench.root / "sparring.sarif"
    done = bench.run(*github_action.command(base, ",".join(REVIEWERS), file))
    holds(bench, done, row, model)
    sarif = json.loads(file.read_text(encoding="utf-8"))["runs"][0]
    assert sarif["invocations"][0]["executionSuccessful"] == (row["want"] in ("blocked", "shown", "left out"))
    assert {each["uri"] for each in sarif["properties"].get("leftOut", ())} >= {
        quote(each["path"]) for each in json.loads(done.out)["left_out"]
    }


STAGED = (
    "nothing hides it",
    "binary by an attribute of its own",
    "by a filter of its own",
    "a mode",
    "a submodule",
    "generated in the base",
)


@of("staged", *STAGED)
def test_a_review_of_what_is_staged_sees_it_or_names_it(bench: Workbench, row: Row, model: ModelEndpoint) -> None:
    change(bench, row)
    git(bench, "add", "-A")
    holds(bench, bench.run("review", "--staged", "--fail-on", "major", "--full"), row, model)


@of("tree")
def test_a_gate_of_a_host_holds_back_or_names_it(bench: Workbench, row: Row, model: ModelEndpoint) -> None:
    change(bench, row)
    done = bench.run("gate", "run", "claude", "stop", stdin=said())
    answer = json.loads(done.out)
    told = answer.get("systemMessage", "")
    match row["want"]:
        case "blocked":
            assert answer.get("decision") == "block", answer
        case "shown":
            assert row["shows"] in prompts(model)
            assert "Reviewed (clean)" in told
        case "left out":
            assert "Reviewed (clean)" in told
        case _ if answer.get("decision") == "block":
            assert MARK in prompts(model)
        case why:
            assert "The review is not complete" in told
            assert f"{row['file']} ({why})" in told.replace("/ (", " (")
