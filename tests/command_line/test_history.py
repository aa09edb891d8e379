"""The runs of a project: one history, whoever has begun them, and what git sees of it."""

import os
from pathlib import Path

import pytest

from sparring.app import App
from sparring.settings import Settings
from support import projects
from support.held_debates import Held
from support.journals import kept_runs
from support.workbench import DEBATE, Workbench


def ids(bench: Workbench) -> list[str]:
    return [run["run_id"] for run in bench.run("runs", "list", "--json").json["runs"]]


def test_runs_are_listed_newest_first_and_shown_by_id_prefix_or_last(held: Held) -> None:
    bench = held.bench
    shown = bench.run("runs", "show", "last").out
    assert ("# Debate Summary" in shown, bench.run("runs", "show", held.folder.name[:-3]).out) == (True, shown)
    assert bench.run("runs", "show", "last", "--json").json == bench.last_debate()
    bench.run("consult", "What now?", "--tool", "ann")
    listed = bench.run("runs", "list", "--json").json["runs"]
    told = [(run["kind"], run["outcome"], run["turns"]) for run in listed]
    assert told == [("consult", "completed", 1), ("debate", "completed", 12)]
    lines = bench.run("runs", "list").out.splitlines()
    assert lines[1].split()[3:7] == ["debate", "completed", "bob", "(challenger)"]


@pytest.mark.process
def test_a_run_resumes_in_the_folder_of_its_start(held: Held) -> None:
    bench, last = held.bench, held.bench.state / "debate" / "last-debate.json"
    before = last.read_bytes()
    held.broken_off(-1)
    last.unlink()
    (bench.project / ".codex").mkdir()

    resumed = bench.run("runs", "resume", "last")

    assert (resumed.code, last.read_bytes()) == (0, before)
    assert f"Saved in {held.folder}" in resumed.err
    assert not (bench.project / ".codex" / "debate").exists()
    theirs = bench.run("consult", "And now?", "--tool", "ann", "--json").json["id"]
    assert (bench.state / "consult" / "runs" / theirs).is_dir(), "the folder in use stays in use"
    assert ids(bench) == [theirs, held.folder.name]
    assert [run.run_id for run in App(Settings.read(bench.environment, bench.project)).runs()] == ids(bench)


@pytest.mark.process
@pytest.mark.parametrize("folder", [".sparring", ".claude"])
def test_git_sees_the_last_results_and_nothing_else(bench: Workbench, folder: str) -> None:
    bench.extra["PATH"] = os.environ["PATH"]
    if folder != ".sparring":
        (bench.project / folder).mkdir()
    bench.run(*DEBATE)
    bench.run("runs", "list")
    told = projects.git(bench.project, "status", "--porcelain", "--untracked-files=all", environment=bench.environment)
    assert told.splitlines() == [f"?? {folder}/debate/last-debate.json", "?? README.md"]


def test_a_list_is_filtered_and_says_how_much_it_leaves_out(held: Held) -> None:
    bench = held.bench
    for question in ("Retry it?", "Cache it?", "Name it?"):
        bench.run("consult", question, "--tool", "ann")

    both = bench.run("runs", "list", "--kind", "consult", "--limit", "2")
    found = bench.run("runs", "list", "RETRY", "--json").json

    assert (len(both.out.splitlines()), both.err) == (2, "1 more; `--limit 0` shows all.\n")
    assert [run["topic"] for run in found["runs"]] == ["Retry it?", "Should it retry?"]
    assert [run["finding"] for run in found["runs"]] == ["", "bob (challenger)"]
    assert bench.run("runs", "list", "--state", "interrupted").err == "No run matches.\n"


def test_runs_are_removed_by_their_ids_or_by_age_and_never_unasked(bench: Workbench) -> None:
    first, second = (bench.run("consult", "x", "--tool", "ann", "--json").json["id"] for _ in range(2))
    assert bench.run("runs", "rm", first, "nothing").code == 2
    assert sorted(ids(bench)) == sorted((first, second))

    assert bench.run("runs", "rm", first).err == f"Removed {first}.\n"
    assert bench.run("runs", "prune", "--older-than", "1d", "--yes").err == "Removed 0 runs.\n"
    unasked = bench.run("runs", "prune", "--keep", "0")
    assert (unasked.code, ids(bench)) == (2, [second])
    assert unasked.err.splitlines()[-1].endswith(
        "1 run would be removed, and there is no terminal to confirm it. Add --yes."
    )
    assert bench.run("runs", "prune", "--keep", "0", "--yes", "--json").json == {"removed": [second]}


def test_a_run_is_exported_as_its_report_or_its_record(held: Held) -> None:
    bench = held.bench
    shown = bench.run("runs", "show", "last")
    export = ("runs", "export", "last")
    assert bench.run(*export).out == shown.out
    assert bench.run(*export, "--format", "json").json == bench.last_debate()
    assert bench.run(*export, "--output", "out.md").code == 0
    assert (bench.project / "out.md").read_text(encoding="utf-8") == shown.out
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb"), os.fdopen(reading, "rb") as pipe:
        assert bench.run(*export, "--output", f"/dev/fd/{writing}").code == 0
        assert pipe.read1().decode() == shown.out
    page = Path(bench.run("view").out.strip()).read_text(encoding="utf-8")
    assert bench.run(*export, "--format", "html").out == page
    for wrong, told in (("--output .", "is a folder; name a file."), ("--format jsn", "Did you mean json?")):
        refused = bench.run(*export, *wrong.split())
        assert (refused.code, told in refused.err) == (2, True)


@pytest.mark.parametrize("command", ["runs list", "runs show last", "runs resume last", "consult So? --tool ann"])
def test_files_missing_after_a_kill_are_written_by_the_next_command(held: Held, command: str) -> None:
    """As a process leaves it that is killed after the end of the journal."""
    folder, last = held.folder, held.bench.state / "debate" / "last-debate.json"
    files = (folder / "result.json", folder / "report.md", last)
    filed = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    (folder / ".report.md.0123456789abcdef.new").touch()
    os.utime(folder / ".report.md.0123456789abcdef.new", (0, 0))
    assert held.bench.run(*command.split()).code == 0
    assert [file.read_bytes() for file in files] == filed
    assert not list(folder.glob(".*.new"))


def test_an_earlier_run_that_is_filed_late_takes_no_later_ones_place(bench: Workbench) -> None:
    later, earlier = kept_runs(bench, 2)
    bench.run("runs", "show", later)
    last = (bench.state / "debate" / "last-debate.json").read_bytes()
    assert later.encode() in last
    bench.run("runs", "show", earlier)
    assert (bench.state / "debate" / "runs" / earlier / "result.json").exists()
    assert (bench.state / "debate" / "last-debate.json").read_bytes() == last


def test_a_gitignore_of_the_users_own_stays_as_it_is(bench: Workbench) -> None:
    ignore = bench.state / "consult" / ".gitignore"
    ignore.parent.mkdir(parents=True)
    ignore.touch()
    bench.run("consult", "Well?", "--tool", "ann")
    assert ignore.read_bytes() == b""
