"""State that came with a repository: it can be looked at, and decides nothing.

Another user runs debates, dismisses findings and judges a table in the project, and commits all that this leaves.
Or the user has done it, and git tracks it: then it could come from any other just as well.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.gating import BAD, change, git, report, said, set_up_reviewers
from support.jurors import REPLIES
from support.workbench import SEATS, Workbench

pytestmark = pytest.mark.process

THEIRS = "Is everything that they wrote well?"
REVIEW = ("review", "--with", "ann,bob", "--fail-on", "major", "--json")
TABLE = ("--output", "out", "--with", "ann", "--set", "rebuttals=0", "--set", "write=jsonl", "--json")
FUTURE = "20990102T030405Z"

ORIGINS = {
    "another key": "the key of somebody else, who may commit to the project",
    "no key": "too short",
    "tracked": "",
}
"""Keys in the environment of the author of the state; empty: the author is the user."""


@pytest.fixture(scope="session", params=ORIGINS, ids=lambda name: name.replace(" ", "-"))
def cloned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A project that was cloned, in which others have run every command that leaves state behind."""
    bench = Workbench.below(tmp_path_factory.mktemp("cloned"), PATH=os.environ["PATH"], AI_STATE_DIR=".sparring")
    if key := ORIGINS[request.param]:
        bench.extra["SPARRING_STATE_KEY"] = key
    bench.run("debate", THEIRS, *SEATS, "--rounds", "1")
    set_aside(bench)
    bench.run("consult", "Well?", "--tool", "ann")
    set_up_reviewers(bench)
    change(bench)
    (found,) = bench.run(*REVIEW).json["findings"]
    bench.run("review", "dismiss", found["id"], "We looked at it.")
    if not (bench.state / "review" / "dismissed.json").exists():
        dismissal = {"id": found["id"], "why": "We looked at it.", "at": "2026-01-01T00:00:00Z"}
        dismissed = json.dumps({"schema_version": 1, "dismissed": [dismissal]})
        (bench.state / "review" / "dismissed.json").write_text(dismissed, encoding="utf-8")
    for _ in range(2):
        bench.run("gate", "run", "claude", "stop", stdin=said())
    git(bench, "add", "-f", "-A", ".sparring")
    git(bench, "commit", "-q", "-m", "State")
    bench.extra.pop("SPARRING_STATE_KEY", None)
    return bench


@pytest.fixture
def bench(cloned: Workbench, tmp_path: Path) -> Workbench:
    return cloned.copied(tmp_path)


def set_aside(bench: Workbench) -> None:
    """Let the debate look as if it had been broken off, in the far future."""
    (folder,) = bench.state.glob("debate/runs/debate-*")
    journal = folder / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    for name in ("result.json", "report.md", "report.html"):
        (folder / name).unlink()
    folder.rename(folder.with_name(f"debate-{FUTURE}-0a1b"))


def test_a_finding_that_was_dismissed_with_the_project_counts(bench: Workbench) -> None:
    done = bench.run(*REVIEW)
    assert (done.code, done.json["status"]) == (1, "blocking"), done.err
    assert [each["dismissed"] for each in done.json["findings"]] == [""]
    (warning,) = (notice for notice in done.json["notices"] if "dismissed.json" in notice)
    assert warning.endswith("it is not used.")
    listed = bench.run("review", "dismissed")
    assert "Nothing was dismissed here." in listed.err
    refused = bench.run("review", "dismiss", done.json["findings"][0]["id"], "It is none.")
    assert (refused.code, "Move it away" in refused.err) == (1, True)


def test_an_earlier_review_of_another_user_does_not_count(bench: Workbench) -> None:
    refused = bench.run(*REVIEW, "--since", "last")
    assert (refused.code, "There is no earlier review" in refused.json["error"]["message"]) == (2, True)


def test_verdicts_of_another_users_gate_are_not_used(bench: Workbench) -> None:
    held = json.loads(bench.run("gate", "run", "claude", "stop", stdin=said()).out)
    assert (held["decision"], "shop.py:2" in held["reason"]) == ("block", True)


def test_the_last_run_is_the_users_own_whatever_the_names_of_other_runs(bench: Workbench) -> None:
    none = bench.run("runs", "show", "last")
    assert (none.code, "You have no runs" in none.err) == (2, True)
    mine = bench.run("consult", "Mine?", "--tool", "ann", "--json").json["id"]
    assert bench.run("runs", "show", "last", "--json").json["id"] == mine
    listed = bench.run("runs", "list", "--json").json["runs"]
    assert [run["run_id"] for run in listed if run["is_own"]] == [mine]
    assert listed[0]["run_id"] == mine
    theirs = bench.run("runs", "show", f"debate-{FUTURE}")
    assert theirs.code == 0
    assert "[WARN] This run came with the project" in theirs.err
    assert THEIRS in theirs.out


def written(bench: Workbench) -> Mapping[str, bytes]:
    """Files of the project but for locks and indexes."""
    return {name: content for name, content in bench.files().items() if not name.endswith((".lock", ".index.json"))}


def test_a_run_of_another_is_neither_resumed_nor_asked_again_nor_filed(bench: Workbench) -> None:
    before = written(bench)
    for command in ("resume", "retry"):
        done = bench.run("runs", command, f"debate-{FUTURE}")
        assert (done.code, "came with the project" in done.err, "asked" in done.out) == (1, True, False), done.err
    bench.run("runs", "list")
    bench.run("runs", "prune", "--keep", "0", "--yes")
    assert written(bench) == before


def test_the_doctor_lists_what_came_with_the_project(bench: Workbench) -> None:
    listed = bench.run("doctor", "--json").json["came_with_project"]
    for named in (f"debate-{FUTURE}", "consult-", "review-", "dismissed.json"):
        assert sum(named in told for told in listed) >= 1, named
    told = bench.run("doctor").out
    assert all(f"-- {each}" in told for each in listed)


def test_a_session_of_another_is_not_continued(bench: Workbench) -> None:
    done = bench.run("consult", "And then?", "--continue")
    assert (done.code, "you have no consultation with one" in done.err) == (2, True)


@pytest.mark.parametrize("origin", ORIGINS.values(), ids=[name.replace(" ", "-") for name in ORIGINS])
def test_answers_of_another_are_used_for_no_table(tmp_path: Path, origin: str) -> None:
    bench = Workbench.below(tmp_path, PATH=os.environ["PATH"])
    bench.add_tool("ann", REPLIES)
    (bench.project / "t.csv").write_text("claim,truth\nAll is well.,Nothing is well.\n", encoding="utf-8")
    if origin:
        bench.extra["SPARRING_STATE_KEY"] = origin
    first = bench.run("batch", "jury", "--input", "t.csv", *TABLE)
    if origin == ORIGINS["no key"]:
        assert (first.code, "SPARRING_STATE_KEY must have" in first.out + first.err) == (1, True)
        return
    assert first.code == 0, first.err
    git(bench, "add", "-f", ".sparring/batch/ledger.sqlite")
    bench.extra.pop("SPARRING_STATE_KEY", None)
    again = bench.run("batch", "jury", "--input", "t.csv", *TABLE)
    assert again.code == 1, again.err
    assert "its answers are not used. Move it away" in again.out + again.err
    (listed,) = bench.run("doctor", "--json").json["came_with_project"]
    assert "ledger.sqlite" in listed


def test_the_users_own_untracked_records_count(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path, PATH=os.environ["PATH"])
    set_up_reviewers(bench, [report({"file": "shop.py", "line": 2, "end_line": 2, "quote": BAD})])
    set_up_reviewers(bench)
    change(bench)
    (found,) = bench.run(*REVIEW).json["findings"]
    assert bench.run("review", "dismiss", found["id"], "It is none.").code == 0
    done = bench.run(*REVIEW)
    assert (done.code, done.json["status"], done.json["findings"][0]["dismissed"]) == (0, "clean", "It is none.")
    assert bench.run("runs", "show", "last", "--json").json["id"] == done.json["id"]
    assert "There is nothing to review" in bench.run(*REVIEW, "--since", "last").json["message"]
