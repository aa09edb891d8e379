"""However a tool fails, a consultation ends in time with the right code, and leaves nothing: no process, file, secret.

The program is a fake one, but everything else is real: ``sparring`` as a process, and a provider file of the user.
"""

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparring.testing import faulty_cli
from sparring.testing.attendance import Attendance
from support.processes import processes_with_home
from support.workbench import PROGRAM, Result, Workbench

pytestmark = pytest.mark.process


FAULTY_CLI = Path(faulty_cli.__file__)
KEY = "open-sesame-4711-and-more"
HIDDEN = "[REDACTED:known-value]"
PROMPT = "Is it auth that fails? Unauthorized 401, rate limit, quota."
DEADLINE_S = 3
LIMIT_S = DEADLINE_S + 5
"""A consultation that has not ended by then has broken its promise."""

INTERRUPTED = 130


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    (tmp_path / "tmp").mkdir()
    return replace(Workbench.below(tmp_path), extra={"PLANTED_API_KEY": KEY, "TMPDIR": str(tmp_path / "tmp")})


def add_program(bench: Workbench, output: str, program: str, *argv: str) -> None:
    text = f"""
kind = "cli"
family = "none"
title = "Mine"
install = "Make one."
output = "{output}"
[command]
program = {json.dumps(program)}
argv = {json.dumps([*argv, "{effort}"])}
effort = ["--effort={{effort}}"]
[efforts]
medium = "medium"
[environment]
allow = ["PLANTED_API_KEY"]
"""
    (bench.providers / "mine.toml").write_text(text, encoding="utf-8")


def add_faulty(bench: Workbench, output: str, *argv: str) -> None:
    add_program(bench, output, sys.executable, "-S", str(FAULTY_CLI), *argv)


def start(bench: Workbench, *options: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*PROGRAM, "consult", PROMPT, "--tool", "mine", "--timeout", str(DEADLINE_S), "--json", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=bench.project,
        env=bench.environment,
    )


def ended(bench: Workbench, process: "subprocess.Popen[bytes]") -> Result:
    """How it ended, after a look at what it left."""
    with process:
        out, err = process.communicate(timeout=LIMIT_S)
    left = {
        "processes": processes_with_home(bench.root),
        "files": [*bench.root.rglob("prompt-*"), *bench.root.rglob("settings-*"), *(bench.root / "tmp").iterdir()],
        "secrets": [file for file in bench.root.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()],
        "shown": [stream for stream in (out, err) if KEY.encode() in stream],
    }
    assert left == {"processes": [], "files": [], "secrets": [], "shown": []}
    return Result(process.returncode, out.decode(), err.decode())


def events(*parts: dict[str, Any]) -> tuple[str, str]:
    return "codex", "\n".join(json.dumps(part) for part in parts) + "\n"


STARTED = {"type": "thread.started", "thread_id": "01a1fb9f-c26d-72c0-a7b8-9d4de9a67beb"}
SAID = {"type": "item.completed", "item": {"type": "agent_message", "text": "Yes, KEY."}}
NOTHING_SAID = {"type": "item.completed", "item": {"type": "agent_message", "text": ""}}
DONE = {"type": "turn.completed", "usage": {"input_tokens": 7, "output_tokens": 3}}


def failed(message: str) -> dict[str, Any]:
    return {"type": "turn.failed", "error": {"message": message}}


CLAUDE: dict[str, tuple[tuple[str, ...], str, str]] = {
    "401": (
        ("result", "1", '{"is_error": true, "api_error_status": 401, "result": "No: KEY"}'),
        "auth",
        f"No: {HIDDEN}",
    ),
    "403": (("result", "1", '{"is_error": true, "api_error_status": 403, "result": "No"}'), "permission", "No"),
    "no such model": (
        ("result", "1", '{"is_error": true, "api_error_status": 404, "result": "No"}'),
        "not_found",
        "No",
    ),
    "429": (("result", "1", '{"is_error": true, "api_error_status": 429, "result": "No"}'), "rate_limit", "No"),
    "500": (("result", "1", '{"is_error": true, "api_error_status": 500, "result": "No"}'), "overloaded", "No"),
    "too long": (
        ("result", "1", '{"is_error": true, "terminal_reason": "prompt_too_long", "result": "Long"}'),
        "context_too_long",
        "Long",
    ),
    "exit 0 with an error": (
        ("result", "0", '{"is_error": true, "api_error_status": 529, "result": "Busy"}'),
        "overloaded",
        "Busy",
    ),
    "an error that nobody knows": (
        ("result", "0", '{"is_error": true, "result": "Unauthorized 401"}'),
        "exit",
        "Unauthorized 401",
    ),
    "an empty answer": (("result", "0", '{"result": " "}'), "empty", "mine gave an empty answer."),
    "half of an answer": (("cut",), "parse", "mine ended without a result."),
    "nothing": (("say", "", "", "0"), "parse", "mine ended without a result."),
    "no UTF-8": (("no_text",), "parse", "mine ended without a result."),
    "only on stderr": (("say", "", "Yes, KEY.", "0"), "parse", "mine ended without a result."),
    "only on stderr, and failed": (
        ("say", "", "KEY is\nerror: no use, KEY\n", "3"),
        "exit",
        f"mine ended with exit code 3: error: no use, {HIDDEN}",
    ),
    "the prompt on stderr": (("say", "", "PROMPT", "1"), "exit", f"mine ended with exit code 1: {PROMPT}"),
    "100 MiB of output": (("flood", "stdout"), "parse", "mine printed more than 8 MiB and was ended."),
    "100 MiB of noise": (("flood", "stderr"), "parse", "mine printed more than 8 MiB and was ended."),
    "a hang": (("hang",), "timeout", f"mine gave no answer within {DEADLINE_S} s."),
}
CODEX: dict[str, tuple[tuple[str, str], int, str, str]] = {
    "a failed turn": (events(STARTED, failed("unexpected status 401 Unauthorized: KEY")), 1, "auth",
                      f"unexpected status 401 Unauthorized: {HIDDEN}"),
    "exit 0 with a failed turn": (events(STARTED, SAID, failed("Quota exceeded, KEY")), 0, "quota",
                                  f"Quota exceeded, {HIDDEN}"),
    "words that look like a status": (events(STARTED, failed("the word auth, and 401")), 1, "exit",
                                      "the word auth, and 401"),
    "a stream that was cut": (events(STARTED, SAID), 0, "parse", "mine ended without a result."),
    "an empty answer": (events(STARTED, NOTHING_SAID, DONE),
                        0, "empty", "mine gave an empty answer."),
    "no event": (("codex", '{"type": "turn.completed", "usage": 7}\n'), 0, "parse",
                 "mine printed an event that cannot be understood."),
}  # fmt: skip
ALL = {
    **{f"claude: {name}": ("claude", argv, code, detail) for name, (argv, code, detail) in CLAUDE.items()},
    **{
        f"codex: {name}": (output, ("say", text, "", str(exit_code)), code, detail)
        for name, ((output, text), exit_code, code, detail) in CODEX.items()
    },
}


@pytest.mark.parametrize(("output", "argv", "code", "detail"), ALL.values(), ids=ALL.keys())
def test_a_fault_is_a_failure_that_leaves_nothing(
    output: str, argv: tuple[str, ...], code: str, detail: str, bench: Workbench
) -> None:
    add_faulty(bench, output, *argv)

    done = ended(bench, start(bench))

    failure = done.json["failure"]
    assert (failure["code"], failure["detail"]) == (code, detail)
    assert done.code == (3 if code in {"auth", "not_found"} else 1)
    assert done.json["response"] is None


@pytest.mark.parametrize("traits", [(), ("deaf",), ("deaf", "cleared")], ids=["polite", "deaf", "deaf and unmarked"])
def test_a_family_that_hangs_is_ended_with_the_runaway_that_holds_the_output(
    traits: tuple[str, ...], bench: Workbench
) -> None:
    with Attendance() as attendance:
        add_faulty(bench, "claude", "family", attendance.address, *traits)

        done = ended(bench, start(bench))

        assert attendance.arrivals(3) == {"parent", "child", "runaway"}
        assert attendance.last_words() == {"parent": "", "child": "", "runaway": ""}
    assert done.json["failure"]["code"] == "timeout"


@pytest.mark.parametrize("traits", [(), ("deaf",)], ids=["polite", "deaf"])
def test_an_answer_is_not_held_up_by_a_runaway_that_holds_the_output(traits: tuple[str, ...], bench: Workbench) -> None:
    with Attendance() as attendance:
        add_faulty(bench, "claude", "orphan", attendance.address, *traits)

        done = ended(bench, start(bench))

        assert attendance.arrivals(1) == {"runaway"}
        assert attendance.last_words() == {"runaway": ""}
    assert (done.code, done.json["response"]) == (0, f"Yes, {HIDDEN}.")


def test_bytes_that_are_no_text_do_not_cost_the_answer(bench: Workbench) -> None:
    add_faulty(bench, "claude", "half_text")

    done = ended(bench, start(bench))

    assert (done.code, done.json["response"]) == (0, f"Y\ufffds, {HIDDEN}.")


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("traits", [(), ("deaf",)], ids=["polite", "deaf"])
def test_a_signal_to_us_ends_everything_that_was_started(
    signum: signal.Signals, traits: tuple[str, ...], bench: Workbench
) -> None:
    with Attendance() as attendance:
        add_faulty(bench, "claude", "family", attendance.address, *traits)
        process = start(bench, "--timeout", "60")
        assert attendance.arrivals(3) == {"parent", "child", "runaway"}

        process.send_signal(signum)
        done = ended(bench, process)

        assert attendance.last_words() == {"parent": "", "child": "", "runaway": ""}
    assert (done.code, done.json["error"]["code"]) == (INTERRUPTED, "interrupted")


def test_a_program_that_is_not_there_is_not_found(bench: Workbench) -> None:
    add_program(bench, "claude", str(bench.root / "nothing"))

    done = ended(bench, start(bench))

    assert (done.code, done.json["error"]["code"]) == (3, "not_found")


def test_a_program_that_may_not_be_executed_is_a_matter_of_permission(bench: Workbench) -> None:
    program = bench.root / "program"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o600)
    add_program(bench, "claude", str(program))

    done = ended(bench, start(bench))

    assert (done.code, done.json["error"]["code"]) == (3, "permission")
