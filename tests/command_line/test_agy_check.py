"""The check of Antigravity CLI for the first person who has it, run with an imitation."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from lab.agy import TRIALS, main
from sparring.testing import fake_agy

pytestmark = pytest.mark.process

SOME = ("as sparring asks it", "version", "no key", "status 403", "long prompt", "run_command: none")


def test_the_agy_check_records_the_behaviour_of_the_program(tmp_path: Path) -> None:
    program, file = tmp_path / "agy", tmp_path / "found.json"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-S", fake_agy.__file__])} answers "$@"\n')
    program.chmod(0o755)
    assert main([str(program), str(file)], [trial for trial in TRIALS if trial.name in SOME]) == 0
    found = {each["trial"]: each for each in json.loads(file.read_bytes())}
    assert {name: each["exit_code"] for name, each in found.items()} == {
        "as sparring asks it": 0,
        "version": 0,
        "no key": 1,
        "status 403": 3,
        "long prompt": 0,
        "run_command: none": 0,
    }
    assert found["long prompt"]["is_exact"]
    assert len(found["as sparring asks it"]["asked"]) == 2
    assert "own/home/.gemini/config/hooks.json" in found["as sparring asks it"]["left"]
    assert "own/home/.gemini/config/hooks.json" not in found["run_command: none"]["left"]
    assert main([]) == 2
