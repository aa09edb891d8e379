"""``sparring jury`` as somebody types it."""

import pytest

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


def test_a_jury_shows_its_case_and_leaves_the_judges_verdict_with_what_it_points_at(jurors: Workbench) -> None:
    done = jurors.run("jury", *CASE, *SEATS, "--row-id", "17", "--dataset", "nova")
    assert done.code == 0, done.err
    said = [*("Row: 17", f"Truth: {TRUTH}", f"Claim: {CLAIM}"), "| thresholds |", "asked"]
    assert sorted(said, key=done.err.index) == said  # the case, and what code finds in it, before anybody speaks
    state = jurors.kept("jury/last-verdict.json")
    assert state["verdict"] == VERDICT
    assert (state["status"], state["row_id"], state["dataset"]) == ("completed", "17", "nova")
    anchors = {(anchor["source"], anchor["text"]) for each in state["differences"] for anchor in each["anchors"]}
    assert anchors >= {("claim", "Under 650,000"), ("truth", "more than 645,000")}
    jurors_of_it = {juror["role"]: juror["tool"] for juror in state["jurors"]}
    assert jurors_of_it == {"advocate": "ann", "skeptic": "bob", "fact_checker": "ann", "judge": "cy"}
    assert "MUTATED" in done.out.splitlines()[0]


@pytest.mark.parametrize(
    ("claim", "code", "verdict", "mutations"),
    [("It has 645,000 inhabitants.", 0, "MUTATED", ["quantity"]), ("It is large.", 4, None, [])],
)
def test_offline_says_what_code_alone_finds_once_and_plays_no_roles(
    bench: Workbench, claim: str, code: int, verdict: str | None, mutations: list[str]
) -> None:
    truth = ("--truth", "It has 465,000 inhabitants.")
    done = bench.run("jury", claim, *truth, "--provider", "offline", "--json", "--max-calls", "1")
    found = done.json["verdict"] or {"verdict": None, "confidence": None}
    assert (done.code, found["verdict"], found["confidence"], done.json["mutations"]) == (
        code,
        verdict,
        None,
        mutations,
    )
    assert (done.json["statements"], done.json["checklist"], done.json["spent"]["calls"]) == ([], [], 0)
    assert "alone" in done.json["notices"][-1]
    shown = bench.run("runs", "show", "last").out
    assert "## Hearing" not in shown
    assert "confidence 0" not in shown
