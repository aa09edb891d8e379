"""``sparring demo``: nobody is asked, everything else is real, and nothing stays."""

import json
from pathlib import Path

from sparring.cli import demo
from support.workbench import Workbench


def below(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def test_its_first_line_says_that_the_speakers_are_scripted_and_the_report_follows(bench: Workbench) -> None:
    done = bench.run("demo")
    assert done.code == 0, done.err
    first, heading, *_ = done.out.splitlines()
    assert (first, heading) == (demo.NOTICE, "# scripted-challenger (challenger) wins")
    assert "scripted speakers" in first
    assert "## Verdict" in done.out
    assert "Not found: `shop/retry_policy.py:12`: there is no such file" in done.out


def test_with_json_there_is_one_object_and_the_notice_goes_to_stderr(bench: Workbench) -> None:
    done = bench.run("demo", "--json")
    assert done.err.splitlines()[0] == demo.NOTICE
    state = done.json
    assert (done.code, state["status"], state["rounds_completed"]) == (0, "completed", 2)
    assert {state[seat]["tool"] for seat in ("proposer", "challenger", "judge")} == {
        "scripted-proposer",
        "scripted-challenger",
        "scripted-judge",
    }
    assert state["judgement"]["firmness"] == "unanimous"


def test_every_speech_cites_files_that_the_example_has_and_one_that_it_has_not(bench: Workbench) -> None:
    ledgers = [each["ledger"]["entries"] for each in bench.run("demo", "--json").json["ledgers"]]
    assert len(ledgers) == 4
    assert all(any(entry["status"] == "verified" for entry in ledger) for ledger in ledgers)
    missing = [entry["text"] for ledger in ledgers for entry in ledger if entry["status"] == "not_found"]
    assert missing[:1] == ["shop/retry_policy.py:12"]


def test_it_leaves_nothing_in_the_project_and_nothing_in_the_folder_of_temporary_files(bench: Workbench) -> None:
    temporary = bench.root / "temporary"
    temporary.mkdir()
    bench.extra["TMPDIR"] = str(temporary)
    before = below(bench.root)
    bench.run("demo")
    assert below(bench.root) == before


def test_what_the_user_has_and_where_he_is_counts_for_nothing(bench: Workbench) -> None:
    for seat in ("proposer", "challenger", "judge"):
        bench.add_tool(f"scripted-{seat}", [{"response": "Something else."}])
    bench.extra["AI_STATE_DIR"] = str(bench.root / "elsewhere")
    bench.extra["CLAUDE_PROJECT_DIR"] = str(bench.project)
    done = bench.run("demo", "--json")
    assert "Something else." not in json.dumps(done.json)
    assert not (bench.root / "elsewhere").exists()
