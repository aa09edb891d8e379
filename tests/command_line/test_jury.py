"""``sparring jury`` as somebody types it."""

import json
import stat
from collections.abc import Mapping
from typing import Any

import pytest

from support.fact_checkers import failing
from support.jurors import REPLIES, VERDICT
from support.workbench import Workbench

TRUTH = "As of March 25, more than 645,000 cases were reported."
CLAIM = "Under 650,000 cases were reported."
SEATS = ("--advocate", "ann", "--skeptic", "bob", "--fact-checker", "ann", "--judge", "cy")
CASE = (CLAIM, "--truth", TRUTH)


@pytest.fixture
def jurors(bench: Workbench) -> Workbench:
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, REPLIES)
    return bench


def last_verdict(bench: Workbench) -> dict[str, Any]:
    return json.loads((bench.state / "jury" / "last-verdict.json").read_text(encoding="utf-8"))


def test_a_jury_leaves_the_judges_verdict_with_what_it_points_at(jurors: Workbench) -> None:
    done = jurors.run("jury", *CASE, *SEATS, "--row-id", "17", "--dataset", "nova")
    assert done.code == 0, done.err
    state = last_verdict(jurors)
    assert state["verdict"] == VERDICT
    assert (state["status"], state["row_id"], state["dataset"]) == ("completed", "17", "nova")
    anchors = {(anchor["source"], anchor["text"]) for each in state["differences"] for anchor in each["anchors"]}
    assert anchors >= {("claim", "Under 650,000"), ("truth", "more than 645,000")}
    assert [(juror["role"], juror["tool"]) for juror in state["jurors"]] == [
        ("advocate", "ann"),
        ("skeptic", "bob"),
        ("fact_checker", "ann"),
        ("judge", "cy"),
    ]
    assert "MUTATED" in done.out.splitlines()[0]


@pytest.mark.parametrize(("rebuttals", "calls"), [(0, 4), (1, 6), (2, 8)])
def test_as_many_are_asked_as_was_expected_before(jurors: Workbench, rebuttals: int, calls: int) -> None:
    done = jurors.run("jury", *CASE, *SEATS, "--rebuttals", str(rebuttals), "--json")
    assert f"Expected: {calls} calls, about " in done.err.splitlines()[0]
    assert (done.code, done.json["spent"]["calls"], done.json["rebuttals_completed"]) == (0, calls, rebuttals)


def test_everything_that_is_kept_is_for_the_user_alone_with_report_and_result_beside_it(jurors: Workbench) -> None:
    done = jurors.run("jury", *CASE, *SEATS, "--json")
    for path in jurors.state.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600) or path.name == ".gitignore", (path, oct(mode))
    folder = jurors.state / "jury" / "runs" / done.json["id"]
    assert done.json == json.loads((folder / "result.json").read_text(encoding="utf-8")) == last_verdict(jurors)
    assert jurors.run("runs", "show", "last").out == (folder / "report.md").read_text(encoding="utf-8")
    assert CLAIM in jurors.run("runs", "list").out


@pytest.mark.parametrize(
    ("given", "stdin"),
    [
        ((CLAIM,), TRUTH),
        ((CLAIM, "--truth", "-"), TRUTH),
        ((CLAIM, "--truth-file", "-"), f"\ufeff{TRUTH}\n"),
        ((CLAIM, "--truth-file", "truth.txt"), "What nobody asked for."),
        (("-", "--truth-file", "truth.txt"), CLAIM),
    ],
)
def test_the_truth_is_typed_in_a_file_or_piped_in(jurors: Workbench, given: tuple[str, ...], stdin: str) -> None:
    (jurors.project / "truth.txt").write_text(f"{TRUTH}\n", encoding="utf-8")
    done = jurors.run("jury", *given, *SEATS, "--json", stdin=stdin.encode())
    assert done.code == 0, done.err
    assert (done.json["truth"], done.json["claim"]) == (TRUTH, CLAIM)


@pytest.mark.parametrize(
    ("tool", "replies", "code", "status", "said"),
    [
        ("cy", [failing("overloaded")], 4, "unjudged", "overloaded"),
        ("cy", [{"response": "Hard to say."}], 4, "unjudged", "no usable verdict"),
        ("bob", [failing("timeout")], 0, "incomplete", "timeout"),
    ],
    ids=["judge fails", "judge talks prose", "skeptic fails"],
)
def test_a_failure_is_reported_and_never_becomes_a_verdict(
    jurors: Workbench, tool: str, replies: list[Mapping[str, object]], code: int, status: str, said: str
) -> None:
    jurors.add_tool(tool, replies)
    done = jurors.run("jury", *CASE, *SEATS)
    state = last_verdict(jurors)
    assert (done.code, state["status"], state["verdict"] is None) == (code, status, code == 4)
    assert said in done.out


@pytest.mark.parametrize(("failure", "code"), [("timeout", 1), ("auth", 3), ("not_found", 3)])
def test_a_jury_in_which_all_fail_keeps_the_last_verdict(jurors: Workbench, failure: str, code: int) -> None:
    jurors.run("jury", *CASE, *SEATS)
    for name in ("ann", "bob", "cy"):
        jurors.add_tool(name, [failing(failure)])
    done = jurors.run("jury", "Another claim.", "--truth", TRUTH, *SEATS)
    assert done.code == code, done.out
    assert last_verdict(jurors)["claim"] == CLAIM


def test_secrets_in_either_text_are_nowhere(jurors: Workbench) -> None:
    token = "ghp_" + "a1B2" * 9
    done = jurors.run("jury", f"{token} is old.", "--truth", f"{token} is new.", *SEATS, "--row-id", token, "--json")
    everything = done.out + done.err + b"".join(jurors.files().values()).decode()
    assert done.json["redactions"] == 3
    assert token not in everything


def test_offline_needs_nothing_and_finds_the_number_that_was_changed(bench: Workbench) -> None:
    claim, truth = "It has 645,000 inhabitants.", "It has 465,000 inhabitants."
    done = bench.run("jury", claim, "--truth", truth, "--provider", "offline", "--json")
    assert (done.code, done.json["verdict"]["verdict"]) == (0, "MUTATED")
    assert done.json["mutations"] == ["quantity"]
