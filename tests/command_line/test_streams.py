"""Standard streams that are closed, full, narrow, or watched by nobody."""

import json
import subprocess

import pytest

from support.workbench import PATIENCE_S, PROGRAM, Workbench

pytestmark = pytest.mark.process


SEATS = ("--proposer", "ann", "--challenger", "bob", "--judge", "cy")
DEBATE = ("debate", "Should it retry?", *SEATS)
RESULTS = pytest.mark.parametrize(
    "command", [DEBATE, (*DEBATE, "--json"), ("runs", "list"), ("runs", "show", "last"), ("doctor", "--json")]
)


def redirected(bench: Workbench, redirection: str, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    """``sparring`` as a shell starts it with ``redirection``."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *PROGRAM, *arguments],
        capture_output=True,
        check=False,
        cwd=bench.project,
        env=bench.environment,
        timeout=PATIENCE_S,
    )


@RESULTS
def test_a_reader_that_goes_away_is_no_error(bench: Workbench, command: tuple[str, ...]) -> None:
    assert bench.run(*DEBATE).code == 0
    process = bench.start(*command)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, [line for line in err.splitlines() if b"rror" in line]) == (0, [])


@RESULTS
def test_without_standard_output_the_work_is_done_all_the_same(bench: Workbench, command: tuple[str, ...]) -> None:
    assert bench.run(*DEBATE).code == 0
    done = redirected(bench, ">&-", *command)
    assert (done.returncode, [line for line in done.stderr.splitlines() if b"rror" in line]) == (0, [])


@RESULTS
def test_a_result_that_cannot_be_written_is_an_error(bench: Workbench, command: tuple[str, ...]) -> None:
    assert bench.run(*DEBATE).code == 0
    done = redirected(bench, ">/dev/full", *command)
    assert done.returncode == 1
    last = done.stderr.decode().splitlines()[-1]
    assert last == "Error: Standard output cannot be written: No space left on device."


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_run_that_nobody_watches_comes_to_its_end(bench: Workbench, redirection: str) -> None:
    done = redirected(bench, redirection, *DEBATE, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["status"] == "completed"


def test_without_standard_input_nothing_is_read(bench: Workbench) -> None:
    done = redirected(bench, "<&-", "consult", "-", "--tool", "ann")
    assert (done.returncode, done.stderr) == (2, b"Error: question: string should have at least 1 character.\n")


def test_a_letter_that_the_encoding_lacks_does_not_keep_a_report_back(bench: Workbench) -> None:
    bench.extra["PYTHONIOENCODING"] = "ascii"
    done = bench.run("debate", "Có nên thử lại?", *SEATS)
    assert done.code == 0
    assert "Topic: C? n?n th? l?i?" in done.out
