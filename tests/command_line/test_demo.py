"""``sparring demo``: nobody is asked, everything else is real, and what came of it lies where one can look."""

import json

import pytest

from sparring.cli import demo
from support.workbench import Workbench


def test_first_it_says_that_it_is_scripted_then_the_verdict_in_twenty_lines_then_what_to_do(bench: Workbench) -> None:
    done = bench.run("demo")
    assert done.code == 0, done.err
    notice, verdict, rest = done.out.split("\n", 2)
    assert (notice, verdict) == (demo.NOTICE, "# scripted-proposer (proposer) wins")
    first, _, caught = rest.partition("\n\nFrom report.md:\n\n")
    assert len(first.splitlines()) < 20
    assert "3 not found, 1 unchecked; not there: TIMEOUT_S = 30, shop/provider.py:6, shop/retry_policy.py:12" in first
    struck, withdrawn, _, files, _, own = caught.splitlines()
    assert struck.startswith("- Struck, since no side said it")
    assert withdrawn.startswith("- Withdrawn: scripted-challenger, round 1: “with one key for each order")
    assert files == "In sparring-demo/: last-debate.json, report.html, report.md, and project/, its subject."
    assert own.startswith("No AI tool is ready")


def test_agents_of_the_fact_check_disagree_until_a_quote_that_stands_there_is_shown(bench: Workbench) -> None:
    done = bench.run("demo", "fact-check")
    assert (done.code, done.out.splitlines()[:2]) == (0, [demo.NOTICE, "# Fact-check: REFUTED"])
    state = json.loads((bench.project / "sparring-demo" / "last-fact-check.json").read_text(encoding="utf-8"))
    verdicts = [[position["verdict"] for position in agent["positions"]] for agent in state["agents"]]
    assert verdicts == [["NEI", "REFUTED"], ["REFUTED", "REFUTED"], ["NEI", "REFUTED"]]
    assert "- Fault in round 1, altered quote: The evidence has something else there: One request in" in done.out


def test_an_answer_is_looked_up_in_the_example(bench: Workbench) -> None:
    done = bench.run("demo", "verify")
    assert done.code == 0
    assert "1 contradicted, 0 supported, 3 open. 1 quotation: 0 verbatim, 1 altered, 0 not found." in done.out
    assert "9 citations looked up: 3 verified, 2 existing, 4 not found" in done.out
    shown = [done.out.count(f"\nanswer.md:{line}: citation does not hold") for line in (4, 6)]
    assert (sum(shown), done.out.count(": critical mismatch"), done.out.count(": altered quotation")) == (4, 1, 1)
    again = bench.run("verify", "text", "sparring-demo/answer.md", "--repo", "sparring-demo/project")
    assert (again.code, again.out.splitlines()[-1] in done.out) == (1, True)


def test_of_two_reviewers_each_examines_what_only_the_other_found(bench: Workbench) -> None:
    done = bench.run("demo", "review")
    assert (done.code, done.out.splitlines()[1]) == (0, "# Your change: 1 critical, 1 major, confirmed")
    assert "2 of 3 findings confirmed, 1 refuted" in done.out
    heard = [line for line in done.err.splitlines() if line.startswith("(again)")]
    assert len(heard) == 2, "a line that stands nowhere is sent back once"


def test_a_judge_that_overlooks_a_difference_is_shown_it(bench: Workbench) -> None:
    done = bench.run("demo", "jury")
    assert (done.code, done.out.splitlines()[1]) == (0, "# Jury: MUTATED")
    assert "verdict (reconsidered)  judge" in done.err


@pytest.mark.parametrize("kind", ["debate", "review", "fact-check", "jury", "verify"])
def test_with_json_there_is_one_object_and_all_else_goes_to_stderr(bench: Workbench, kind: str) -> None:
    done = bench.run("demo", kind, "--json", "--output", "elsewhere")
    assert (done.code, done.err.splitlines()[0]) == (0, demo.NOTICE)
    assert isinstance(done.json, dict)
    assert done.err.splitlines()[-3].startswith("In elsewhere/: ")
    project = bench.project / "elsewhere" / "project"
    assert {path.name for path in project.iterdir()} == {"README.md", "docs", "shop"}


def test_a_foreign_folder_is_refused_and_an_own_one_rewritten(bench: Workbench) -> None:
    folder = bench.project / "sparring-demo"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    done = bench.run("demo", "verify")
    assert (done.code, done.out, [path.name for path in folder.iterdir()]) == (2, "", ["notes.txt"])
    assert done.err.startswith("Error: 'sparring-demo' contains files that are not from a demonstration.")
    (folder / "notes.txt").unlink()
    assert bench.run("demo", "verify").code == 0
    (folder / "project" / "README.md").write_text("changed", encoding="utf-8")
    (folder / "report.html").write_text("of another one", encoding="utf-8")
    assert bench.run("demo", "verify").code == 0
    assert {path.name for path in folder.iterdir()} == {"ABOUT.md", "answer.md", "project"}
    assert "Corner shop" in (folder / "project" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("what", ["link", "file"])
def test_the_demo_follows_no_link_and_overwrites_no_file(bench: Workbench, what: str) -> None:
    folder, target = bench.project / "sparring-demo", bench.root / "target"
    target.mkdir()
    folder.symlink_to(target) if what == "link" else folder.write_text("mine", encoding="utf-8")
    done = bench.run("demo", "verify")
    told = "Error: 'sparring-demo' exists and is not a folder. Name another one with --output.\n"
    assert (done.code, done.err, list(target.iterdir())) == (2, told, [])


def test_the_demo_is_independent_of_the_users_settings_and_folder(bench: Workbench) -> None:
    for number in (1, 2, 3):
        bench.add_tool(f"scripted-{number}", [{"response": "Something else."}])
    temporary, elsewhere = bench.root / "temporary", bench.root / "elsewhere"
    temporary.mkdir()
    bench.extra.update(TMPDIR=str(temporary), AI_STATE_DIR=str(elsewhere), CLAUDE_PROJECT_DIR=str(bench.project))
    done = bench.run("demo", "fact-check", "--json")
    assert "Something else." not in json.dumps(done.json)
    assert (elsewhere.exists(), list(temporary.iterdir())) == (False, [])
    assert {path.name for path in bench.project.iterdir()} == {".git", "README.md", "sparring-demo"}


def test_the_last_line_names_the_tools_that_are_ready(bench: Workbench) -> None:
    bench.add_api("own-model", "http://127.0.0.1:1", 'model = "m"')
    own = 'You have own-model: `sparring fact-check "We retry three times." --evidence-file README.md`'
    assert bench.run("demo", "fact-check").out.splitlines()[-1] == own
