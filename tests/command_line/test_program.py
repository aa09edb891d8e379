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
        ("chaired-debate 'It retries.' --with offline --max-rounds 1", "", 4),
        ("log append opening promoter opening_statement -", "[CONJECTURE] It may fail.", 0),
        ("install claude --dry-run", "", 0),
    ],
)
def test_a_command_ends_with_its_exit_code(bench: Workbench, typed: str, stdin: str, code: int) -> None:
    bench.extra["PATH"] = "/usr/bin:/bin"
    done = bench.run_program(*shlex.split(typed), stdin=stdin.encode())
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    assert typed != "--version" or done.out == f"sparring {version('sparring')}\n"


NO_LIBRARY = {"pyarrow", "ray", "psycopg", "fsspec", "httpx", "mcp"}
NOT_TO_ASK = {
    *("httpx", "mcp", "rich", "sqlite3", "sparring.server", "sparring.checks"),
    *(f"sparring.formats.{name}.flow" for name in ("debate", "chaired_debate", "fact_check", "jury")),
    *("sparring.cli.batch", "sparring.cli.commands", "sparring.app.exhibits"),
    *("sparring.engine.replies", "sparring.text.prose", "http.client"),
}


@pytest.mark.parametrize(
    ("typed", "needed", "others"),
    [
        ("--help", "sparring.cli", {"pydantic", "anyio", "httpx", "mcp", "sparring.schema.base"}),
        ("batch jury --help", "sparring.cli.commands", NO_LIBRARY),
        ("consult So? --tool ann", "sparring.formats.consult.report", NOT_TO_ASK),
        ("debate So? --with offline --rounds 1", "sparring.formats.debate.report", {"httpx", "mcp"}),
    ],
)
def test_a_command_does_not_wait_for_background_imports(
    bench: Workbench, typed: str, needed: str, others: set[str]
) -> None:
    asked = [sys.executable, "-X", "importtime", "-m", "sparring", *typed.split()]
    environment = bench.environment  # but for what measures coverage, which imports things of its own
    environment.pop("COVERAGE_PROCESS_CONFIG", None)
    done = subprocess.run(asked, capture_output=True, check=False, text=True, cwd=bench.project, env=environment)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert (needed in imported, imported & others) == (True, set())


def test_a_record_is_built_when_it_is_first_used() -> None:
    told = "from sparring.schema.fact_check import FactCheckRequest as R; print(R.__pydantic_complete__)"
    assert subprocess.run([sys.executable, "-c", told], capture_output=True, check=True).stdout == b"False\n"


def test_a_ctrl_c_while_modules_are_imported_ends_without_a_traceback(bench: Workbench) -> None:
    (bench.root / "typer.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    bench.extra["PYTHONPATH"] = str(bench.root)
    done = bench.run_program("--version")
    assert (done.code, done.out, done.err) == (130, "", "")
