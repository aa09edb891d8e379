"""``sparring jury`` as somebody types it."""

from support.jurors import REPLIES, VERDICT
from support.workbench import Workbench

TRUTH = "As of March 25, more than 645,000 cases were reported."
CLAIM = "Under 650,000 cases were reported."
SEATS = ("--seat", "advocate=ann", "--seat", "skeptic=bob", "--seat", "fact-checker=ann", "--seat", "judge=cy")


def test_a_jury_shows_its_case_and_leaves_the_judges_verdict_with_what_it_points_at(bench: Workbench) -> None:
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, REPLIES)
    done = bench.run("jury", CLAIM, "--truth", TRUTH, *SEATS, "--set", "row_id=17", "--set", "dataset=nova")
    assert done.code == 0, done.err
    said = [*("Row: 17", f"Truth: {TRUTH}", f"Claim: {CLAIM}"), "| thresholds |", "asked"]
    assert sorted(said, key=done.err.index) == said  # the case, and what code finds in it, before anybody speaks
    state = bench.kept("jury/last-verdict.json")
    assert state["verdict"] == VERDICT
    assert (state["status"], state["row_id"], state["dataset"]) == ("completed", "17", "nova")
    anchors = {(anchor["source"], anchor["text"]) for each in state["differences"] for anchor in each["anchors"]}
    assert anchors >= {("claim", "Under 650,000"), ("truth", "more than 645,000")}
    jurors_of_it = {juror["role"]: juror["tool"] for juror in state["jurors"]}
    assert jurors_of_it == {"advocate": "ann", "skeptic": "bob", "fact_checker": "ann", "judge": "cy"}
    assert "MUTATED" in done.out.splitlines()[0]


def test_offline_says_at_once_what_code_alone_finds(bench: Workbench) -> None:
    truth = "It has 465,000 inhabitants."
    done = bench.run("jury", "It has 645,000 inhabitants.", "--truth", truth, "--with", "offline", "--json")
    assert (done.code, done.json["verdict"]["verdict"], done.json["spent"]["calls"]) == (0, "MUTATED", 0)
    assert "thresholds" not in done.err  # nobody is going to speak about it
