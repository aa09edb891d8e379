"""The runs of a project: one history, whoever has begun them, and what git sees of it."""

import os
import subprocess

import pytest

from support.workbench import DEBATE, Workbench


def ids(bench: Workbench) -> list[str]:
    return [run["run_id"] for run in bench.run("runs", "list", "--json").json["runs"]]


def test_runs_of_a_host_and_of_the_command_line_are_one_history(bench: Workbench) -> None:
    ours = bench.run(*DEBATE, "--json").json["id"]
    bench.run("consult", "Well?", "--tool", "ann")
    (bench.project / ".claude").mkdir()
    assert len(ids(bench)) == 2

    theirs = bench.run("consult", "And now?", "--tool", "ann", "--json").json["id"]

    assert sorted(ids(bench)) == sorted({*ids(bench), ours, theirs})
    assert (bench.project / ".claude" / "consult" / "runs" / theirs).is_dir()
    assert "And now?" in bench.run("runs", "show", "last").out
    assert "Should it retry?" in bench.run("runs", "show", ours).out


def test_a_run_goes_on_in_the_folder_in_which_it_began(bench: Workbench) -> None:
    bench.run(*DEBATE)
    last = bench.state / "debate" / "last-debate.json"
    before = last.read_bytes()
    (journal,) = bench.state.glob("debate/runs/*/journal.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    last.unlink()
    (bench.project / ".codex").mkdir()

    resumed = bench.run("runs", "resume", "last")

    assert (resumed.code, last.read_bytes()) == (0, before)
    assert f"Kept in {journal.parent}" in resumed.err
    assert not (bench.project / ".codex" / "debate").exists()


@pytest.mark.process
@pytest.mark.parametrize("folder", [".sparring", ".claude"])
def test_git_sees_the_last_results_and_nothing_else(bench: Workbench, folder: str) -> None:
    bench.extra["PATH"] = os.environ["PATH"]
    if folder != ".sparring":
        (bench.project / folder).mkdir()
    bench.run(*DEBATE)
    (bench.project / folder / "consult" / "prompt").touch()  # as a crash leaves one
    bench.run("runs", "list")

    told = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=bench.project, env=bench.environment, capture_output=True, check=True, text=True,
    )  # fmt: skip

    assert told.stdout.splitlines() == [
        f"?? {folder}/debate/last-debate.json", "?? README.md",
    ]  # fmt: skip


def test_a_gitignore_of_the_users_own_stays_as_it_is(bench: Workbench) -> None:
    ignore = bench.state / "consult" / ".gitignore"
    ignore.parent.mkdir(parents=True)
    ignore.touch()
    bench.run("consult", "Well?", "--tool", "ann")
    assert ignore.read_bytes() == b""
