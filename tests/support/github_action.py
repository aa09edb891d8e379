"""The step of the GitHub action that reviews, run as GitHub runs it, with our program on PATH."""

import os
import re
import shlex
import subprocess
import textwrap
from pathlib import Path

from support.workbench import INSTALLED, PATIENCE_S, Workbench

ACTION = Path(__file__).parents[2] / ".github" / "actions" / "sparring-review" / "action.yml"


def command(base: str, reviewers: str, sarif: Path) -> list[str]:
    """The arguments with which the action calls our program."""
    text = re.sub(r"\\\n\s*", "", ACTION.read_text(encoding="utf-8"))
    line = next(line for line in text.splitlines() if line.strip().startswith("sparring review "))
    values = {"BASE": base, "REVIEWERS": reviewers, "FAIL_ON": "major", "DISMISSED": "", "sarif": str(sarif)}
    script = f'set -- {line.partition(" > ")[0]}; printf "%s\\0" "$@"'
    typed = subprocess.check_output(["bash", "-c", script], env=values, text=True)
    return typed.split("\0")[1:-1]


def put_program_on_path(bench: Workbench) -> None:
    program = bench.add_program("sparring", f'exec {shlex.quote(str(INSTALLED))} "$@"')
    bench.extra["PATH"] = os.pathsep.join((str(program.parent), os.environ["PATH"]))


def run(bench: Workbench, *command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = bench.environment | variables
    return subprocess.run(
        command, cwd=bench.project, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )


def review(bench: Workbench, base: str, **inputs: str) -> "subprocess.CompletedProcess[str]":
    """Run the step that reviews."""
    put_program_on_path(bench)
    text = ACTION.read_text(encoding="utf-8")
    step = text[text.index("- name: Review\n") : text.index("- name: Upload\n")].partition("run: |\n")[2]
    assert "${{" not in step, "what others write would become part of a script"
    files = {"GITHUB_OUTPUT": str(bench.root / "output"), "GITHUB_STEP_SUMMARY": str(bench.root / "summary")}
    given = {"BASE": base, "REVIEWERS": "", "FAIL_ON": "major", "DISMISSED": "", "RUNNER_TEMP": str(bench.root)}
    given |= {**files, **inputs}
    return run(bench, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", textwrap.dedent(step), **given)
