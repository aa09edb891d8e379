"""The README promises only what runs: its commands are taken from it and run."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.workbench import PATIENCE_S, SPEECHES, Workbench

pytestmark = pytest.mark.process


ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line]
COMMANDS_WITH_OPTIONS = ("debate", "chaired-debate", "consult", "fact-check", "jury", "doctor", "install")
NEVER_S = 3600


def interrupted_run(bench: Workbench) -> None:
    bench.add_tool("bob", [{"response": "Later.", "delay_s": NEVER_S}])
    process = bench.start("debate", "Interrupted?", "--proposer", "ann", "--challenger", "bob", "--judge", "cy")
    assert process.stderr is not None
    assert any(b"challenger" in line for line in process.stderr), "it ended before the challenger was asked"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    bench.add_tool("bob", SPEECHES)


def claude_code(bench: Workbench) -> Path:
    """The folder of a program that knows its version, and whose settings have our server, as the README says before."""
    program = bench.root / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 1.2.3\n", encoding="utf-8")
    program.chmod(0o755)
    bench.run("install", "claude")
    return program.parent


@pytest.mark.parametrize("command", [command for command in COMMANDS if not command.startswith("make")])
def test_a_command_of_the_readme_runs_as_it_stands(bench: Workbench, command: str) -> None:
    for name in ("claude", "codex"):
        bench.add_tool(name, SPEECHES)  # the user's own tools of these names, in the place of the real ones
    interrupted_run(bench)
    subprocess.run(["git", "add", "README.md"], cwd=bench.project, check=True)
    (bench.project / "README.md").write_text("It never retries.\n", encoding="utf-8")
    programs = (str(claude_code(bench)), str(Path(sys.executable).parent), os.environ["PATH"])
    environment = bench.environment | {"PATH": os.pathsep.join(programs)}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=bench.project,
        env=environment,
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout


def test_the_scripted_tool_of_the_readme_answers(bench: Workbench) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for suffix in ("toml", "json"):
        (block,) = re.findall(rf"^```{suffix}\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
        (bench.providers / f"parrot.{suffix}").write_text(block, encoding="utf-8")
    done = bench.run("consult", "Well?", "--tool", "parrot", "--json")
    assert (done.code, done.json["response"]) == (0, "What everybody else hears.")


def test_the_make_targets_of_the_readme_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [command.removeprefix("make ") for command in COMMANDS if command.startswith("make")]
    assert targets == ["demo", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_every_option_of_the_readme_is_an_option_of_the_program(bench: Workbench) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`(--[a-z-]+)", readme))
    known = "".join(bench.run(command, "--help").out for command in COMMANDS_WITH_OPTIONS)
    assert documented
    assert {option for option in documented if option not in known} == set()
