"""The README promises only what runs: its commands are taken from it and run."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.workbench import DEBATE, PATIENCE_S, SPEECHES, Workbench

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line]
COMMANDS_WITH_OPTIONS = ("debate", "chaired-debate", "consult", "fact-check", "jury", "doctor", "install")


@pytest.mark.process
@pytest.mark.parametrize("command", [command for command in COMMANDS if not command.startswith("make")])
def test_a_command_of_the_readme_runs_as_it_stands(bench: Workbench, command: str) -> None:
    """As a function, unless a shell has to do its part."""
    for name in ("claude", "codex"):
        bench.add_tool(name, SPEECHES)  # the user's own tools of these names, in the place of the real ones
    program = bench.root / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 1.2.3\n", encoding="utf-8")
    program.chmod(0o755)
    bench.extra["PATH"] = os.pathsep.join((str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]))
    bench.run("install", "claude")
    bench.run(*DEBATE)
    (journal,) = bench.state.glob("debate/runs/*/journal.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    shell = ("bash", "-o", "pipefail", "-c")
    for line in ("git add README.md", "echo It never retries. > README.md"):
        subprocess.run((*shell, line), cwd=bench.project, env=bench.environment, check=True)

    if not set("|&>") & set(command):
        name, *arguments = shlex.split(command)
        done = bench.run(*arguments)
        assert (name, done.code, bool(done.out)) == ("sparring", 0, True), done.err
        return
    typed = subprocess.run(
        (*shell, command),
        cwd=bench.project,
        env=bench.environment,
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (typed.returncode, bool(typed.stdout)) == (0, True), typed.stderr.decode()


def test_the_scripted_tool_of_the_readme_answers(bench: Workbench) -> None:
    for suffix in ("toml", "json"):
        (block,) = re.findall(rf"^```{suffix}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
        (bench.providers / f"parrot.{suffix}").write_text(block, encoding="utf-8")
    done = bench.run("consult", "Well?", "--tool", "parrot", "--json")
    assert (done.code, done.json["response"]) == (0, "What everybody else hears.")


def test_the_make_targets_of_the_readme_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [command.removeprefix("make ") for command in COMMANDS if command.startswith("make")]
    assert targets == ["demo", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_every_option_of_the_readme_is_an_option_of_the_program(bench: Workbench) -> None:
    documented = set(re.findall(r"`(--[a-z-]+)", README))
    commands = (*((each,) for each in COMMANDS_WITH_OPTIONS), ("verify", "claims"))
    known = "".join(bench.run(*command, "--help").out for command in commands)
    assert documented
    assert {option for option in documented if option not in known} == set()
