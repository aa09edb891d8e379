"""However a tool fails, a consultation ends with the right code, and leaves nothing: no process, file, secret.

The program is a fake one, but everything else is real: a provider file of the user, its process, and what it prints.
"""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from sparring.testing import fake_claude
from sparring.testing.workspace import Attendance
from support.processes import processes_with_home
from support.workbench import PATIENCE_S, Result, Workbench, limited

pytestmark = pytest.mark.process

KEY = "open-sesame-4711-and-more"
HIDDEN = "[REDACTED:known-value]"
PROMPT = "Is it auth that fails? Unauthorized 401, rate limit, quota."
ASK = ("consult", PROMPT, "--tool", "mine", "--json")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    (tmp_path / "tmp").mkdir()
    return Workbench.below(tmp_path, PLANTED_API_KEY=KEY, TMPDIR=str(tmp_path / "tmp"))


def add_faulty(bench: Workbench, *argv: str) -> None:
    text = f"""
kind = "cli"
family = "none"
title = "Mine"
install = "Make one."
output = "claude"
[command]
program = {json.dumps(sys.executable)}
argv = {json.dumps(["-S", fake_claude.__file__, *argv, "{effort}"])}
effort = ["--effort={{effort}}"]
[efforts]
medium = "medium"
[environment]
allow = ["PLANTED_API_KEY"]
"""
    (bench.providers / "mine.toml").write_text(text, encoding="utf-8")


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


FAULTS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "401": (("result", "1", '{"is_error": true, "api_error_status": 401, "result": "No: KEY"}'), "auth",
            f"No: {HIDDEN}"),
    "half of an answer": (("cut",), "parse",
                          ('mine ended without a result; it printed: {"type": "result", "subtype": "success", '
                          '"is_error": false, "num_turns": 1, "session_id": "6b1f7f0a…')),
    "only on stderr": (("say", "", "KEY is\nerror: no use, KEY\n", "3"), "exit",
                       f"mine ended with exit code 3: error: no use, {HIDDEN}"),
    "the prompt on stderr": (("say", "", "PROMPT", "1"), "exit", f"mine ended with exit code 1: {PROMPT}"),
    "100 MiB of output": (("flood", "stdout"), "parse", "mine printed more than 8 MiB and was stopped."),
    "a hang": (("hang",), "timeout", "mine gave no answer within 0.5 s."),
}  # fmt: skip


@pytest.mark.parametrize(("argv", "code", "detail"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_fails_and_leaves_nothing(argv: tuple[str, ...], code: str, detail: str, bench: Workbench) -> None:
    add_faulty(bench, *argv)
    done = clean(bench, bench.run(*ASK, "--timeout", "0.5" if code == "timeout" else "120"))
    failure = done.json["failure"]
    assert (failure["code"], failure["detail"], done.json["response"]) == (code, detail, None)
    assert done.code == (3 if code == "auth" else 1)


@pytest.mark.parametrize(
    ("signum", "traits"),
    [(signal.SIGTERM, ("deaf",)), (signal.SIGINT, ("deaf", "cleared"))],
    ids=["deaf", "deaf and unmarked"],
)
def test_a_signal_ends_all_that_was_started(signum: signal.Signals, traits: tuple[str, ...], bench: Workbench) -> None:
    with Attendance() as attendance:
        add_faulty(bench, "family", attendance.address, *traits)
        process = bench.start(*ASK)
        assert attendance.arrivals(3) == {"parent", "child", "runaway"}
        process.send_signal(signum)
        out, err = process.communicate(timeout=PATIENCE_S)
        done = clean(bench, Result(process.returncode, out.decode(), err.decode()))
        assert attendance.last_words() == {"parent": "", "child": "", "runaway": ""}
    assert (done.code, done.json["error"]["code"]) == (130, "interrupted")


@pytest.mark.parametrize("limits", ["-n 8", "-f 1"])
def test_an_exhausted_resource_is_one_sentence_and_no_failure_of_the_tool(limits: str, tmp_path: Path) -> None:
    """How little is too little depends on the system; whatever comes of it must be one of two ends."""
    bench = Workbench.below(tmp_path, PATH=os.environ["PATH"])
    (bench.providers / "mine.toml").write_text(
        'kind = "cli"\nfamily = "none"\ntitle = "Mine"\ninstall = "x"\noutput = "text"\n'
        "[command]\nprogram = 'cat'\nargv = []\n[efforts]\n",
        encoding="utf-8",
    )
    bench.run("consult", "Is it?", "--tool", "mine")

    done = bench.run_program("consult", "Is it so?", "--tool", "mine", line=limited(limits))

    assert "Traceback" not in done.err
    assert (done.code, "Error: " in done.err) in {(0, False), (1, True)}, done.err
    journals = [file.read_text(encoding="utf-8") for file in bench.state.glob("consult/runs/*/journal.jsonl")]
    assert [journal for journal in journals if '"type":"failure"' in journal] == []
    if "runs resume" in done.err:
        assert bench.run("runs", "resume", "last").code == 0
