"""However a tool fails, a consultation ends with the right code, and leaves nothing: no process, file, secret.

The program is a fake one, but everything else is real: a provider file of the user, its process, and what it prints.
"""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring.testing import faulty_cli
from sparring.testing.workspace import Attendance
from support.processes import processes_with_home
from support.workbench import PATIENCE_S, Result, Workbench

pytestmark = pytest.mark.process

KEY = "open-sesame-4711-and-more"
HIDDEN = "[REDACTED:known-value]"
PROMPT = "Is it auth that fails? Unauthorized 401, rate limit, quota."
ASK = ("consult", PROMPT, "--tool", "mine", "--json")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    (tmp_path / "tmp").mkdir()
    return Workbench.below(tmp_path, PLANTED_API_KEY=KEY, TMPDIR=str(tmp_path / "tmp"))


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
    add_program(bench, output, sys.executable, "-S", faulty_cli.__file__, *argv)


def clean(bench: Workbench, done: Result) -> Result:
    """What was said, after a look at what was left."""
    left = {
        "processes": processes_with_home(bench.root),
        "files": [*bench.root.rglob("prompt-*"), *bench.root.rglob("settings-*"), *(bench.root / "tmp").iterdir()],
        "secrets": [file for file in bench.root.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()],
        "shown": [stream for stream in (done.out, done.err) if KEY in stream],
    }
    assert left == {"processes": [], "files": [], "secrets": [], "shown": []}
    return done


def events(*parts: dict[str, Any]) -> tuple[str, ...]:
    return ("say", "\n".join(json.dumps(part) for part in parts) + "\n", "")


STARTED = {"type": "thread.started", "thread_id": "01a1fb9f-c26d-72c0-a7b8-9d4de9a67beb"}
SAID = {"type": "item.completed", "item": {"type": "agent_message", "text": "Yes, KEY."}}
REFUSED = {"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized: KEY"}}
USED_UP = {"type": "turn.failed", "error": {"message": "Quota exceeded, KEY"}}

FAULTS: dict[str, tuple[str, tuple[str, ...], str, str]] = {
    "401": ("claude", ("result", "1", '{"is_error": true, "api_error_status": 401, "result": "No: KEY"}'), "auth",
            f"No: {HIDDEN}"),
    "exit 0 with an error": ("claude", ("result", "0", '{"is_error": true, "api_error_status": 529, "result": "Busy"}'),
                             "overloaded", "Busy"),
    "an error that nobody knows": ("claude", ("result", "0", '{"is_error": true, "result": "Unauthorized 401"}'),
                                   "exit", "Unauthorized 401"),
    "an empty answer": ("claude", ("result", "0", '{"result": " "}'), "empty", "mine gave an empty answer."),
    "half of an answer": ("claude", ("cut",), "parse", "mine ended without a result."),
    "no UTF-8": ("claude", ("no_text",), "parse", "mine ended without a result."),
    "only on stderr": ("claude", ("say", "", "KEY is\nerror: no use, KEY\n", "3"), "exit",
                       f"mine ended with exit code 3: error: no use, {HIDDEN}"),
    "the prompt on stderr": ("claude", ("say", "", "PROMPT", "1"), "exit", f"mine ended with exit code 1: {PROMPT}"),
    "100 MiB of output": ("claude", ("flood", "stdout"), "parse", "mine printed more than 8 MiB and was ended."),
    "100 MiB of noise": ("claude", ("flood", "stderr"), "parse", "mine printed more than 8 MiB and was ended."),
    "a hang": ("claude", ("hang",), "timeout", "mine gave no answer within 2 s."),
    "codex: a failed turn": ("codex", (*events(STARTED, REFUSED), "1"), "auth",
                             f"unexpected status 401 Unauthorized: {HIDDEN}"),
    "codex: exit 0 with a failed turn": ("codex", (*events(STARTED, SAID, USED_UP), "0"), "quota",
                                         f"Quota exceeded, {HIDDEN}"),
    "codex: a stream that was cut": ("codex", (*events(STARTED, SAID), "0"), "parse", "mine ended without a result."),
}  # fmt: skip


@pytest.mark.parametrize(("output", "argv", "code", "detail"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_a_failure_that_leaves_nothing(
    output: str, argv: tuple[str, ...], code: str, detail: str, bench: Workbench
) -> None:
    add_faulty(bench, output, *argv)

    done = clean(bench, bench.run(*ASK, "--timeout", "2" if code == "timeout" else "120"))

    failure = done.json["failure"]
    assert (failure["code"], failure["detail"], done.json["response"]) == (code, detail, None)
    assert done.code == (3 if code == "auth" else 1)


@pytest.mark.parametrize(
    ("signum", "traits"),
    [(signal.SIGINT, ()), (signal.SIGTERM, ("deaf",)), (signal.SIGINT, ("deaf", "cleared"))],
    ids=["polite", "deaf", "deaf and unmarked"],
)
def test_a_signal_to_us_ends_everything_that_was_started(
    signum: signal.Signals, traits: tuple[str, ...], bench: Workbench
) -> None:
    with Attendance() as attendance:
        add_faulty(bench, "claude", "family", attendance.address, *traits)
        process = bench.start(*ASK)
        assert attendance.arrivals(3) == {"parent", "child", "runaway"}

        process.send_signal(signum)
        out, err = process.communicate(timeout=PATIENCE_S)
        done = clean(bench, Result(process.returncode, out.decode(), err.decode()))

        assert attendance.last_words() == {"parent": "", "child": "", "runaway": ""}
    assert (done.code, done.json["error"]["code"]) == (130, "interrupted")
