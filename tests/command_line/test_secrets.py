"""A key that only a provider file knows appears nowhere, whatever its program does with it."""

import shlex
import sys

import pytest

from sparring.testing import fake_claude
from support.workbench import Workbench

pytestmark = pytest.mark.process


KEY = "known-to-nobody-else-4711"


def add_program(bench: Workbench, mode: str) -> None:
    program = bench.root / "program"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, fake_claude.__file__, mode])} "$@"\n')
    program.chmod(0o700)
    text = f"""
kind = "cli"
family = "none"
title = "Mine"
output = "claude"
efforts = {{medium = "medium"}}
[command]
program = "{program}"
argv = ["{{effort}}"]
effort = ["{{effort}}"]
version = []
[environment.fixed]
MY_API_KEY = "{KEY}"
"""
    (bench.providers / "mine.toml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("mode", ["answers", "complains"])
def test_a_key_in_a_provider_file_is_neither_shown_nor_stored(mode: str, bench: Workbench) -> None:
    add_program(bench, mode)

    asked = bench.run("consult", f"What is {KEY}?", "--tool", "mine", "--json")
    looked_at = bench.run("doctor", "--json")

    assert "[REDACTED:known-value]" in asked.out
    assert KEY not in asked.out + asked.err + looked_at.out + looked_at.err
    for name, content in bench.files().items():
        assert KEY.encode() not in content, name
