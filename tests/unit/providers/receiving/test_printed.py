"""Causes of failures in what a program printed."""

import pytest

from sparring.providers.receiving.causes import Cause
from sparring.providers.receiving.printed import cause_printed, code_of
from support.texts import cases


@pytest.mark.parametrize(("table", "stdout", "stderr", "message", "code"), cases("printed"))
def test_a_cause_is_found_in_what_a_program_printed(
    table: str, stdout: str, stderr: str, message: str, code: str | None
) -> None:
    cause = cause_printed(stdout, stderr)
    assert (cause.message, code_of(cause)) == (message, code), table


def test_a_long_answer_decides_no_code() -> None:
    answer = "You've hit your limit, one could say.\n" * 200
    assert code_of(cause_printed(answer, "")) is not None  # its last line is all that there is to say
    assert code_of(cause_printed(f"{answer}The end.", "")) is None


def test_nothing_printed_is_no_cause() -> None:
    assert cause_printed(" \n", "\x1b[0m\n") == Cause()
