"""The program itself: commands that no other test starts, and that each imports only what it needs."""

import shlex
import subprocess
import sys
from importlib.metadata import version

import pytest

from support.workbench import Workbench

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("typed", "stdin", "code"),
    [
        ("--version", "", 0),
        ("", "", 2),
        ("chaired-debate 'It retries.' --provider offline --max-rounds 1", "", 4),
        ("demo --json", "", 0),
        ("jury 'Under 640 cases.' --truth 'More than 645 cases.' --provider offline", "", 0),
        ("runs list", "", 0),
        ("log append opening promoter opening_statement -", "[CONJECTURE] It may fail.", 0),
        ("install claude --dry-run", "", 0),
        ("providers --json", "", 0),
    ],
)
def test_a_command_ends_with_its_exit_code(bench: Workbench, typed: str, stdin: str, code: int) -> None:
    bench.extra["PATH"] = "/usr/bin:/bin"
    done = bench.run_program(*shlex.split(typed), stdin=stdin.encode())
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    assert typed != "--version" or done.out == f"sparring {version('sparring')}\n"


def imported_by(bench: Workbench, *typed: str) -> set[str]:
    asked = [sys.executable, "-X", "importtime", "-m", "sparring", *typed]
    environment = bench.environment  # but for what measures coverage, which imports things of its own
    environment.pop("COVERAGE_PROCESS_CONFIG", None)
    told = subprocess.run(asked, capture_output=True, check=True, text=True, cwd=bench.project, env=environment).stderr
    return {line.rpartition("|")[2].strip() for line in told.splitlines() if line.startswith("import time:")}


def test_the_help_waits_for_no_record_and_no_library_but_those_that_show_it(bench: Workbench) -> None:
    imported = imported_by(bench, "--help")
    assert "sparring.cli" in imported
    assert not imported & {"pydantic", "anyio", "httpx", "mcp", "sparring.schema.base"}


def test_the_help_of_a_batch_waits_for_no_package_that_only_some_tables_need(bench: Workbench) -> None:
    imported = imported_by(bench, "batch", "jury", "--help")
    assert "sparring.cli.commands" in imported
    assert not imported & {"pyarrow", "ray", "psycopg", "fsspec", "httpx", "mcp"}


def test_a_consultation_waits_for_nothing_that_others_need(bench: Workbench) -> None:
    imported = imported_by(bench, "consult", "Is it so?", "--tool", "ann")
    assert "sparring.formats.consult.report" in imported
    assert not imported & {
        *("httpx", "mcp", "rich", "sqlite3", "sparring.server", "sparring.checks"),
        *("sparring.formats.debate", "sparring.formats.chaired_debate", "sparring.formats.fact_check"),
        *("sparring.formats.jury", "sparring.cli.pairs", "sparring.app.exhibits"),
    }


def test_a_record_is_built_when_it_is_first_used() -> None:
    told = "from sparring.schema.fact_check import FactCheckRequest as R; print(R.__pydantic_complete__)"
    assert subprocess.run([sys.executable, "-c", told], capture_output=True, check=True).stdout == b"False\n"
