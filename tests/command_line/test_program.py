"""The program itself: each command once as a process, which imports only what it needs and ends with its exit code."""

import shlex
import subprocess
import sys
from importlib.metadata import version

import pytest

from support.workbench import Workbench

pytestmark = pytest.mark.process

ROW = '{"claim": "It is 3.", "quote": "is 3", "evidence": "It is 3."}\n'


@pytest.mark.parametrize(
    ("typed", "stdin", "code"),
    [
        ("--version", "", 0),
        ("", "", 2),
        ("debate 'Does it retry?' --provider offline --rounds 1", "", 4),
        ("chaired-debate 'It retries.' --provider offline --max-rounds 1", "", 4),
        ("consult 'Does it retry?' --provider offline", "", 0),
        ("demo --json", "", 0),
        ("consult q --tool scripted", "", 3),
        ("fact-check 'It opened in 1899.' --evidence 'It opened in 1889.' --provider offline --count 2", "", 0),
        ("jury 'Under 640 cases.' --truth 'More than 645 cases.' --provider offline", "", 0),
        ("jury --pairs none.csv", "", 2),
        ("verify claims", ROW, 0),
        ("verify quotes", f"{ROW}{{\n", 1),
        ("verify text - --evidence README.md", "It retries 4 times.", 1),
        ("runs list", "", 0),
        ("runs show last", "", 2),
        ("runs resume last", "", 2),
        ("log append opening promoter opening_statement -", "[CONJECTURE] It may fail.", 0),
        ("install claude --dry-run", "", 0),
        ("uninstall --all", "", 0),
        ("doctor", "", 0),
        ("doctor --host claude", "", 1),
        ("providers --json", "", 0),
        ("redact", "a", 0),
        ("serve --token-file token", "", 2),
    ],
)
def test_a_command_ends_with_its_exit_code(bench: Workbench, typed: str, stdin: str, code: int) -> None:
    bench.extra["PATH"] = "/usr/bin:/bin"
    done = bench.run_program(*shlex.split(typed), stdin=stdin.encode())
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    assert typed != "--version" or done.out == f"sparring {version('sparring')}\n"


def test_the_help_waits_for_no_record_and_no_library_but_those_that_show_it() -> None:
    asked = [sys.executable, "-X", "importtime", "-m", "sparring", "--help"]
    told = subprocess.run(asked, capture_output=True, check=True, text=True).stderr
    imported = {line.rpartition("|")[2].strip() for line in told.splitlines()}
    assert "sparring.cli" in imported
    assert not imported & {"pydantic", "anyio", "httpx", "mcp", "sparring.schema.base"}
