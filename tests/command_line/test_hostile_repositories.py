"""Commands that look into a repository which somebody else has made."""

import os
import shlex
import sys

import pytest

from support.gating import git
from support.hostile_repositories import FOREIGN, HOSTILE, ground
from support.workbench import DEBATE, INSTALLED, SEATS, Workbench

pytestmark = pytest.mark.process

QUESTION = ("debate", f"Is `a.py` right with x = 2, and {FOREIGN[:4]}?", *SEATS, "--rounds", "1")
COMMANDS = ((*DEBATE, "--context", "diff"), QUESTION, ("verify", "text", "-", "--repo", "--json"))


@pytest.mark.parametrize("attack", ["filter", "promisor_program", "submodule", "files_elsewhere", "store_elsewhere"])
def test_a_hostile_repository_starts_nothing_and_shows_nothing_foreign(bench: Workbench, attack: str) -> None:
    here = ground(bench.root)
    HOSTILE[attack](here)
    here.marker.unlink(missing_ok=True)
    bench.extra["PATH"] = os.environ["PATH"]
    said = b"See `a.py:1` and commit 0123456789abcdef0123456789abcdef01234567."
    for command in COMMANDS:
        done = bench.run(*command, stdin=said if "-" in command else b"")
        assert done.code in (0, 1, 2), done.err
        assert FOREIGN not in done.out + done.err
        assert not here.marker.exists(), command
    kept = [file.read_bytes() for file in bench.state.rglob("*") if file.is_file()]
    assert kept
    assert not any(FOREIGN.encode() in content for content in kept)


def test_an_unreadable_repository_is_reported_next_to_the_exhibits(bench: Workbench) -> None:
    here = ground(bench.root)
    HOSTILE["files_elsewhere"](here)
    bench.extra["PATH"] = os.environ["PATH"]
    done = bench.run(*QUESTION)
    assert (done.code, "is not read: " in done.err and "core.worktree" in done.err) == (0, True)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.parametrize(
    ("name", "command"),
    [
        (".gitattributes", ("review", "--with", "ann,bob")),
        ("sub/.gitignore", (*DEBATE, "--context", "diff")),
        ("sub/.gitattributes", QUESTION),
    ],
    ids=["review", "context", "exhibits"],
)
def test_a_pipe_in_the_place_of_a_file_that_git_reads_holds_nothing_up(
    bench: Workbench, name: str, command: tuple[str, ...]
) -> None:
    """Each takes seconds: a repository that is in order is given this time first."""
    bench.extra["PATH"] = os.environ["PATH"]
    for path in ("a.py", "sub/b.py"):
        (bench.project / path).parent.mkdir(exist_ok=True)
        (bench.project / path).write_text("x = 1\n", encoding="utf-8")
    git(bench, "add", "-A")
    git(bench, "commit", "-q", "-m", "Begin")
    for path in ("a.py", "sub/b.py"):
        (bench.project / path).write_text("x = 2\n", encoding="utf-8")
    os.mkfifo(bench.project / name)
    done = bench.run(*command)
    if done.code:
        assert (done.code, f"{name} is not a regular file" in done.err) == (2, True), done.err


# Each command that starts processes of ours; nothing may be imported from the folder in which they are started.
STARTING = {
    "verify": (("verify", "claims", "rows.jsonl"), 0),
    "batch": (("batch", "verify", "--input", "rows.csv", "--output", "out", "--set", "write=jsonl"), 0),
    "sources": (("verify", "text", "notes.md", "--repo"), 0),
}


@pytest.mark.parametrize(("command", "code"), STARTING.values(), ids=STARTING)
def test_a_file_named_after_a_module_of_python_is_not_run(
    bench: Workbench, command: tuple[str, ...], code: int
) -> None:
    marker = bench.root / "run"
    for name in ("multiprocessing", "concurrent", "json", "pickle", "sparring", "anyio", "sitecustomize"):
        (bench.project / f"{name}.py").write_text(f"open({str(marker)!r}, 'w')\n", encoding="utf-8")
    row = '{"id": "a", "claim": "All is well.", "evidence": ["All is well."]}\n'
    (bench.project / "rows.jsonl").write_text(row * 400, encoding="utf-8")
    (bench.project / "rows.csv").write_text("claim,evidence\n" + "All is well.,All is well.\n" * 400, encoding="utf-8")
    (bench.project / "notes.md").write_text("See `rows.csv:1`.\n", encoding="utf-8")
    bench.extra["PATH"] = os.environ["PATH"]
    done = bench.run_program(*command, line=f'shift 3; exec {shlex.quote(str(INSTALLED))} "$@"')
    assert (done.code, marker.exists()) == (code, False), done.err
