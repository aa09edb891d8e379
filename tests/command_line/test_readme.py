"""The README promises only what runs: its commands are taken from it and run."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sparring.formats.registry import FORMATS
from support.workbench import DEBATE, PATIENCE_S, SPEECHES, Workbench

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/commands.md")}
BLOCKS = re.findall(r"^```sh\n(.*?)^```", "\n".join(PAGES.values()), re.DOTALL | re.MULTILINE)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line]
OURS = [line for line in COMMANDS if not line.startswith(("make", "pipx"))]


SHELL = ("bash", "-o", "pipefail", "-c")
OF_A_SHELL = [line for line in OURS if set("|&>") & set(line)]


@pytest.fixture
def user(bench: Workbench) -> Workbench:
    """A user who has tools, a change and a debate that is broken off."""
    for name in ("claude", "codex"):
        bench.add_tool(name, SPEECHES)  # the user's own tools of these names, in the place of the real ones
    program = bench.add_program("claude", "echo 1.2.3")
    bench.extra["PATH"] = os.pathsep.join((str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]))
    bench.run("install", "claude")
    bench.run(*DEBATE)
    (journal,) = bench.state.glob("debate/runs/*/journal.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    change = "git add README.md && echo It never retries. > README.md"
    subprocess.run((*SHELL, change), cwd=bench.project, env=bench.environment, check=True)
    return bench


@pytest.mark.process
def test_the_commands_of_the_readme_run_as_they_stand(user: Workbench) -> None:
    """As functions, those that go on with a run first."""
    commands = sorted((line for line in OURS if line not in OF_A_SHELL), key=lambda line: " last" not in line)
    for command in commands:
        name, *arguments = shlex.split(command, comments=True)
        done = user.run(*arguments)
        assert (name, done.code, bool(done.out)) == ("sparring", 0, True), (command, done.err)


@pytest.mark.process
def test_the_commands_of_the_readme_that_need_a_shell_run_in_one(user: Workbench) -> None:
    for command in OF_A_SHELL:
        for log in user.project.rglob("debate-log.jsonl"):
            log.unlink()  # each command is one that somebody begins with
        typed = subprocess.run(
            (*SHELL, command),
            cwd=user.project,
            env=user.environment,
            capture_output=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert (typed.returncode, bool(typed.stdout)) == (0, True), (command, typed.stderr.decode())


def test_the_make_targets_of_the_readme_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [command.removeprefix("make ") for command in COMMANDS if command.startswith("make")]
    assert targets == ["demo", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_every_page_that_the_readme_points_at_is_there_and_it_is_short() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert [link for link in links if not link.startswith("http") and not (ROOT / link).exists()] == []
    assert len(README.split()) <= 1_000


def test_every_option_of_the_pages_is_an_option_of_the_program(bench: Workbench) -> None:
    documented = set(re.findall(r"`[^`\n]*?(--[a-z-]+)", "\n".join(PAGES.values())))
    commands = [(name,) for name in FORMATS] + [
        ("doctor",),
        ("install",),
        ("uninstall",),
        ("verify", "claims"),
        ("batch", "jury"),
    ]
    known = "".join(bench.run(*command, "--help").out for command in commands)
    assert documented
    assert {option for option in documented if option not in known} == set()
