"""Standard streams that are closed, full, narrow, or watched by nobody."""

import io
import json
import os
import pty
import subprocess

import pytest

from sparring.cli import main
from sparring.cli.invocation import Streams
from support.held_debates import Held
from support.terminals import Screen, shown_until_closed
from support.workbench import DEBATE, PATIENCE_S, Workbench

pytestmark = pytest.mark.process

CONSULT = ("consult", "Is it so?", "--tool", "ann")


def test_a_reader_that_goes_away_is_no_error(held_once: Held) -> None:
    process = held_once.bench.start("runs", "show", "last")
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, [line for line in err.splitlines() if b"rror" in line]) == (0, [])


@pytest.mark.parametrize(
    "typed", [("--help",), ("debate", "--help"), ("help", "settings"), ("--version",)], ids=" ".join
)
def test_a_help_whose_reader_has_gone_away_is_no_error(bench: Workbench, typed: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        process = bench.start(*typed, stdout=pipe.fileno())
    _, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, b"")


def test_without_standard_output_the_work_is_done_all_the_same(bench: Workbench) -> None:
    done = bench.run_program(*CONSULT, line='exec "$@" >&-')
    assert (done.code, [line for line in done.err.splitlines() if "rror" in line]) == (0, [])


@pytest.mark.parametrize("command", [CONSULT, ("verify", "quotes")], ids=lambda it: it[0])
def test_a_result_that_cannot_be_written_is_an_error(bench: Workbench, command: tuple[str, ...]) -> None:
    row = json.dumps({"quote": "it is", "evidence": "it is"}).encode()
    done = bench.run_program(*command, stdin=row if command[0] == "verify" else b"", line='exec "$@" >/dev/full')
    assert done.code == 1
    assert done.err.splitlines()[-1] == "Error: Standard output cannot be written: No space left on device."


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_run_with_closed_streams_finishes(bench: Workbench, redirection: str) -> None:
    done = bench.run_program(*CONSULT, line=f'exec "$@" {redirection}')
    assert (done.code, done.out) == (0, "An answer.\n")


def test_without_standard_input_nothing_is_read(bench: Workbench) -> None:
    done = bench.run_program("consult", "-", "--tool", "ann", line='exec "$@" <&-')
    assert (done.code, done.err) == (2, "Error: question must not be empty.\n")


def test_a_letter_that_the_encoding_lacks_does_not_keep_a_report_back(bench: Workbench) -> None:
    bench.extra["PYTHONIOENCODING"] = "ascii"
    done = bench.run_program("consult", "Có nên thử lại?", "--tool", "ann", "--full")
    assert (done.code, "Question: C? n?n th? l?i?" in done.out) == (0, True)


def test_a_pipe_can_be_evidence(bench: Workbench) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "wb") as pipe:
        pipe.write(b"It has 250 rooms.\n")
        pipe.close()
        done = bench.run("verify", "text", "-", "--evidence", f"/dev/fd/{reading}", stdin=b"It has 300 rooms.\n")
    assert (done.code, "critical mismatch" in done.out) == (1, True)


def test_a_dumb_terminal_shows_lines_and_the_report_laid_out(bench: Workbench) -> None:
    terminal = Screen()
    dumb = bench.environment | {"TERM": "dumb", "PATH": ""}
    assert main(DEBATE, Streams(io.TextIOWrapper(io.BytesIO()), terminal, terminal), dumb, bench.project) == 0
    text = terminal.getvalue()
    words = ("bob (challenger) wins", "round 1/2  proposer  ann  asked", "# bob", "\x1b")
    assert [word in text for word in words] == [True, True, False, False]


def test_a_terminal_shows_who_speaks_and_the_report_laid_out(bench: Workbench) -> None:
    controller, terminal = pty.openpty()
    bench.extra.update(TERM="xterm-256color", COLUMNS="100")
    process = bench.start(*DEBATE, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    text = shown_until_closed(controller)
    assert process.wait(timeout=PATIENCE_S) == 0
    words = ("bob (challenger) wins", "── round 1/2 · proposer · ann · ", "For it: ", "# bob")
    assert [word in text for word in words] == [True, True, True, False]
    assert 1 <= text.count("\x1b[?25l") <= text.count("\x1b[?25h")


ROW = b'{"claim": "It is 3.", "quote": "is 3", "evidence": "It is 3."}\n'
FILTERS = pytest.mark.parametrize("command", [("verify", "quotes"), ("redact",)], ids=" ".join)


@FILTERS
def test_an_answer_comes_while_the_input_is_still_open(bench: Workbench, command: tuple[str, ...]) -> None:
    with bench.start(*command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(2):
            process.stdin.write(ROW)
            process.stdin.flush()
            assert process.stdout.readline().startswith(b"{")
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0


@FILTERS
def test_a_reader_that_goes_away_ends_a_filter_without_an_error(bench: Workbench, command: tuple[str, ...]) -> None:
    with bench.start(*command, stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(ROW * 5_000, timeout=PATIENCE_S)
    assert (process.returncode, len(err.splitlines()), b"rror:" in err) == (0, 1, False)
