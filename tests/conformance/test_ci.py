"""What runs on every change names targets that there are, hands out no rights, and reaches for nothing by itself."""

import itertools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def targets_run(text: str) -> set[str]:
    """The targets after ``make``, those of a matrix among them."""
    named = re.findall(r"^[^#\n]*\bmake ([a-z-]+)", text, re.MULTILINE)
    listed = (names.split(",") for names in re.findall(r"^\s+target: \[(.*)\]", text, re.MULTILINE))
    return {*named, *(name.strip() for name in itertools.chain.from_iterable(listed))}


@pytest.mark.parametrize("file", [".github/workflows/ci.yml", ".ci/run", "CONTRIBUTING.md"])
def test_every_target_that_is_named_is_there(file: str) -> None:
    named = targets_run((ROOT / file).read_text(encoding="utf-8"))
    assert {"check", "test"} <= named <= TARGETS


def test_the_workflow_runs_all_that_ci_runs_here() -> None:
    assert targets_run((ROOT / ".ci" / "run").read_text(encoding="utf-8")) <= targets_run(WORKFLOW)


def test_the_workflow_pins_what_it_uses_and_may_only_read() -> None:
    used = re.findall(r"uses: *(\S+)", WORKFLOW)
    assert used
    assert [action for action in used if not re.fullmatch(r"actions/[a-z-]+@v[0-9]+", action)] == []
    assert re.findall(r"permissions:\n((?:  .*\n)+)", WORKFLOW) == ["  contents: read\n"]
    assert "secrets." not in WORKFLOW


def test_hooks_are_programs_of_the_environment() -> None:
    assert re.findall(r"repo: (\S+)", HOOKS) == ["local"]
    entries = re.findall(r"entry: (\S+)", HOOKS)
    assert entries
    assert all(entry.startswith(".venv/bin/") for entry in entries)
    assert len(re.findall(r"language: system\n", HOOKS)) == len(entries)
