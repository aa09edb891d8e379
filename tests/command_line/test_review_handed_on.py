"""``sparring review`` as it is handed to other programs, and its findings dismissed, as somebody types it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.testing.workspace import Finished as Result
from support.workbench import Workbench

RETRY = "It retries a failed request three times."
FINDING = {
    "file": "README.md",
    "line": 3,
    "end_line": 3,
    "quote": RETRY,
    "class": "docs",
    "severity": "major",
    "title": "Nobody says what happens then",
    "trigger": "the third request fails",
    "consequence": "the caller waits",
    "fix": "Say it.",
    "confidence": 0.8,
}


def with_reviewers(bench: Workbench) -> Workbench:
    """Two of two families who both find the same."""
    for name in ("ann", "bob"):
        bench.add_tool(name, ({"response": json.dumps({"findings": [FINDING]})},), family=name)
    return bench


@pytest.fixture
def reviewers(bench: Workbench) -> Workbench:
    return with_reviewers(bench)


@pytest.fixture(scope="module")
def reviewed_once(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    bench = with_reviewers(Workbench.below(tmp_path_factory.mktemp("reviewed")))
    assert review(bench).code == 0
    return bench


@pytest.fixture
def reviewed(reviewed_once: Workbench, tmp_path: Path) -> Workbench:
    """After their review."""
    return reviewed_once.copied(tmp_path)


def review(bench: Workbench, *more: str) -> Result:
    return bench.run("review", "--plan", "README.md", "--reviewers", "ann,bob", *more)


def last(bench: Workbench) -> Mapping[str, Any]:
    (finding,) = bench.kept("review/last-review.json")["findings"]
    return finding


def test_sarif_is_written_beside_the_report_or_printed_in_its_place(reviewers: Workbench) -> None:
    done = review(reviewers, "--sarif", "out.sarif")
    assert done.code == 0, done.err
    assert done.out.startswith("# Review: 1 to fix\n")
    written = (reviewers.project / "out.sarif").read_text(encoding="utf-8")
    assert json.loads(written)["runs"][0]["results"][0]["ruleId"] == "docs"
    printed = review(reviewers, "--sarif", "-")
    assert json.loads(printed.out)["runs"][0]["results"] == json.loads(written)["runs"][0]["results"]
    assert reviewers.run("runs", "export", "last", "--format", "sarif").out == printed.out


def test_comments_are_printed_in_place_of_the_report_and_the_exit_code_stays(reviewers: Workbench) -> None:
    done = review(reviewers, "--comments", "github", "--fail-on", "minor")
    assert done.code == 1, done.err
    assert json.loads(done.out)["event"] == "COMMENT"
    assert reviewers.run("runs", "export", "last", "--format", "github").out == done.out


def test_a_finding_is_dismissed_until_the_code_there_is_another(reviewed: Workbench) -> None:
    id_ = last(reviewed)["id"]
    done = reviewed.run("review", "dismiss", id_[:5], "--why", "The caller  knows.")
    assert done.code == 0, done.err
    assert f"Dismissed {id_}  README.md:3: Nobody says what happens then (The caller knows.)" in done.err
    assert reviewed.run("review", "dismissed").out.split("  ", 1)[1] == done.err.removeprefix("Dismissed ")
    again = review(reviewed)
    assert again.out.startswith("# Review: clean\n")
    assert "1 dismissed before" in again.out
    assert last(reviewed)["dismissed"] == "The caller knows."
    readme = reviewed.project / "README.md"
    readme.write_text(readme.read_text(encoding="utf-8").replace(RETRY, f"{RETRY} Or more."), encoding="utf-8")
    for name in ("ann", "bob"):
        file = reviewed.providers / f"{name}.json"
        file.write_text(file.read_text(encoding="utf-8").replace(RETRY, f"{RETRY} Or more."), encoding="utf-8")
    assert review(reviewed).out.startswith("# Review: 1 to fix\n")


def test_a_dismissal_is_undone(reviewed: Workbench) -> None:
    id_ = last(reviewed)["id"]
    reviewed.run("review", "dismiss", id_, "--why", "No.")
    assert f"{id_} counts again" in reviewed.run("review", "dismissed", "--undo", id_).err
    assert reviewed.run("review", "dismissed", "--json").json["dismissed"] == []
    assert review(reviewed).out.startswith("# Review: 1 to fix\n")


def test_what_cannot_be_dismissed_is_refused_with_what_is_known(reviewed: Workbench) -> None:
    id_ = last(reviewed)["id"]
    for wrong in ("ffffffff", id_[:3], ""):
        done = reviewed.run("review", "dismiss", wrong, "--why", "No.")
        assert done.code == 2
        assert f"Known: {id_} (Nobody says what happens then)." in done.err
    assert "Nobody will know why" in reviewed.run("review", "dismiss", id_).err
    assert "There is none." in reviewed.run("review", "dismissed", "--undo", id_).err


def test_a_file_that_is_called_like_a_command_can_be_reviewed(reviewers: Workbench) -> None:
    (reviewers.project / "dismiss").write_text("No.", encoding="utf-8")
    assert "1 struck" in reviewers.run("review", "./dismiss", "--reviewers", "ann,bob").out
