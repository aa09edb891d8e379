"""``sparring review`` as it is handed to other programs, and its findings dismissed, as somebody types it."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sparring.testing.workspace import Finished as Result
from support.gating import FOUND, report
from support.workbench import Workbench

RETRY = "It retries a failed request three times."
IN_README = {"file": "README.md", "line": 3, "end_line": 3, "quote": RETRY}
FINDING = dict(FOUND) | IN_README | {"class": "docs", "title": "Nobody says what happens then"}


def agree(bench: Workbench, finding: Mapping[str, object]) -> None:
    """Let two of two families both find that."""
    for name in ("ann", "bob"):
        bench.add_tool(name, (report(finding),), family=name)


@pytest.fixture
def reviewers(bench: Workbench) -> Workbench:
    agree(bench, FINDING)
    return bench


@pytest.fixture
def reviewed(reviewers: Workbench) -> Workbench:
    """After their review."""
    assert review(reviewers).code == 0
    return reviewers


def review(bench: Workbench, *more: str) -> Result:
    return bench.run("review", "--plan", "README.md", "--with", "ann,bob", *more)


def last(bench: Workbench) -> Mapping[str, Any]:
    (finding,) = bench.kept("review/last-review.json")["findings"]
    return finding


def test_sarif_is_written_to_a_file_or_printed_instead_of_the_report(reviewers: Workbench) -> None:
    done = review(reviewers, "--sarif", "out.sarif")
    assert (done.code, done.out.partition(",")[0]) == (0, "# Your change: 1 major"), done.err
    written = (reviewers.project / "out.sarif").read_text(encoding="utf-8")
    assert json.loads(written)["runs"][0]["results"][0]["ruleId"] == "docs"
    printed = review(reviewers, "--sarif", "-")
    assert json.loads(printed.out)["runs"][0]["results"] == json.loads(written)["runs"][0]["results"]
    assert reviewers.run("runs", "export", "last", "--format", "sarif").out == printed.out


def test_comments_are_printed_in_place_of_the_report_and_the_exit_code_stays(reviewers: Workbench) -> None:
    done = review(reviewers, "--set", "comments=github", "--fail-on", "minor")
    assert done.code == 1, done.err
    assert json.loads(done.out)["event"] == "COMMENT"
    assert reviewers.run("runs", "export", "last", "--format", "github").out == done.out


def test_a_finding_is_dismissed_until_the_code_there_is_another(reviewed: Workbench) -> None:
    id_ = last(reviewed)["id"]
    done = reviewed.run("review", "dismiss", id_[:5], "The caller  knows.")
    assert done.code == 0, done.err
    assert f"Dismissed {id_}  README.md:3: Nobody says what happens then (The caller knows.)" in done.err
    assert reviewed.run("review", "dismissed").out.split("  ", 1)[1] == done.err.removeprefix("Dismissed ")
    again = review(reviewed)
    assert (again.out[:16], "1 dismissed before" in again.out) == ("# Review: clean\n", True)
    assert last(reviewed)["dismissed"] == "The caller knows."
    readme = reviewed.project / "README.md"
    readme.write_text(readme.read_text(encoding="utf-8").replace(RETRY, f"{RETRY} Or more."), encoding="utf-8")
    agree(reviewed, FINDING | {"quote": f"{RETRY} Or more."})
    assert review(reviewed).out.startswith("# Your change: 1 ")


def test_a_dismissal_is_undone(reviewed: Workbench) -> None:
    id_ = last(reviewed)["id"]
    reviewed.run("review", "dismiss", id_, "No.")
    assert f"{id_} counts again" in reviewed.run("review", "dismissed", "--undo", id_).err
    assert reviewed.run("review", "dismissed", "--json").json["dismissed"] == []
    assert review(reviewed).out.startswith("# Your change: 1 ")


def test_an_unknown_finding_cannot_be_dismissed_and_known_ones_are_listed(reviewed: Workbench) -> None:
    id_ = last(reviewed)["id"]
    for wrong in ("ffffffff", id_[:3], ""):
        done = reviewed.run("review", "dismiss", wrong, "No.")
        assert (done.code, f"Known: {id_} (Nobody says what happens then)." in done.err) == (2, True)
    assert "The reason for the dismissal is missing" in reviewed.run("review", "dismiss", id_).err
    assert "There is none." in reviewed.run("review", "dismissed", "--undo", id_).err


def test_a_file_that_is_called_like_a_command_can_be_reviewed(reviewers: Workbench) -> None:
    (reviewers.project / "dismiss").write_text("No.", encoding="utf-8")
    assert "1 struck" in reviewers.run("review", "./dismiss", "--with", "ann,bob").out
