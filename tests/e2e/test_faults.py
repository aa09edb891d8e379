"""However an endpoint fails a real tool, ``sparring`` ends in time with the right code, and leaves nothing behind."""

import os
import signal
import subprocess
from dataclasses import replace

import pytest

from sparring.testing.model_endpoint import Behaviour, Hang, Refuse, Reset, Say
from support.desk import Desk
from support.processes import processes_with_home
from support.workbench import PROGRAM, Result

pytestmark = pytest.mark.npm

TOOLS = ("claude", "codex")
KEY = "sk-planted-open-sesame-4711-and-more"
PATIENT_S, SHORT_S = 30, 4
GRACE_S = 5
"""How long after its deadline a consultation may still take to end what it started."""

TOO_LONG = {
    "claude": Refuse(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
    "codex": Refuse(400, "context_length_exceeded", "Your input exceeds the context window of this model."),
}
SAYS_KEY = f"The key {KEY} is no good"
ENDING: dict[str, tuple[Behaviour | dict[str, Refuse], str]] = {
    "401": (Refuse(401, "authentication_error", SAYS_KEY), "auth"),
    "403": (Refuse(403, "permission_error", SAYS_KEY), "permission"),
    "404 model": (Refuse(404, "not_found_error", SAYS_KEY), "not_found"),
    "429 with retry-after": (Refuse(429, "rate_limit_error", SAYS_KEY, {"retry-after": "1"}), "rate_limit"),
    "429 without": (Refuse(429, "rate_limit_error", SAYS_KEY), "rate_limit"),
    "400 too long": (TOO_LONG, "context_too_long"),
    "500": (Refuse(500, "api_error", SAYS_KEY), "overloaded"),
    "503": (Refuse(503, "api_error", SAYS_KEY), "overloaded"),
    "529": (Refuse(529, "overloaded_error", SAYS_KEY), "overloaded"),
    "reset": (Reset(), "connection"),
    "cut off": (Say(f"Half of {KEY}", pieces=3), "connection"),
    "empty": (Say(""), "empty"),
}
SILENT = {"hang": Hang(), "stall": Say(f"Half of {KEY}", pieces=3, stalled=True)}


@pytest.fixture
def keyed(desk: Desk) -> Desk:
    return replace(desk, variables={"ANTHROPIC_API_KEY": KEY, "LOOPBACK_API_KEY": KEY})


def start(desk: Desk, tool: str, timeout_s: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*PROGRAM, "consult", "Is it so?", "--tool", tool, "--timeout", str(timeout_s), "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=desk.project,
        env=desk.environment,
    )


def ended(desk: Desk, process: "subprocess.Popen[bytes]", limit_s: float) -> Result:
    """How it ended, after a look at what it left."""
    with process:
        out, err = process.communicate(timeout=limit_s)
    ours = [file for folder in (desk.project, desk.private_dir) for file in folder.rglob("*") if file.is_file()]
    left = {
        "processes": processes_with_home(desk.home),
        "files": [file for file in ours if file.name.startswith(("prompt-", "settings-"))],
        "secrets": [file for file in ours if KEY.encode() in file.read_bytes()],
        "shown": [stream for stream in (out, err) if KEY.encode() in stream],
    }
    assert left == {"processes": [], "files": [], "secrets": [], "shown": []}
    assert any(file.name == "journal.jsonl" for file in ours)
    return Result(process.returncode, out.decode(), err.decode())


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(("behaviour", "code"), ENDING.values(), ids=ENDING.keys())
def test_an_endpoint_that_fails_is_a_failure_with_its_code(
    tool: str, behaviour: Behaviour | dict[str, Refuse], code: str, keyed: Desk
) -> None:
    keyed.endpoint.behaviour = behaviour[tool] if isinstance(behaviour, dict) else behaviour

    done = ended(keyed, start(keyed, tool, PATIENT_S), PATIENT_S + GRACE_S)

    assert (done.json["failure"]["code"], done.json["response"]) == (code, None)
    assert done.code == (3 if code in {"auth", "not_found"} else 1)


@pytest.mark.parametrize("tool", TOOLS)
def test_an_endpoint_that_is_not_there_is_no_connection(tool: str, keyed: Desk) -> None:
    keyed.endpoint.close()

    done = ended(keyed, start(keyed, tool, PATIENT_S), PATIENT_S + GRACE_S)

    assert done.json["failure"]["code"] == "connection"


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("behaviour", SILENT.values(), ids=SILENT.keys())
def test_silence_is_ended_at_the_deadline(tool: str, behaviour: Behaviour, keyed: Desk) -> None:
    keyed.endpoint.behaviour = behaviour

    done = ended(keyed, start(keyed, tool, SHORT_S), SHORT_S + GRACE_S)

    assert keyed.endpoint.requests
    assert done.json["failure"]["code"] == "timeout"


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_us_ends_the_tool_too(tool: str, signum: signal.Signals, keyed: Desk) -> None:
    keyed.endpoint.behaviour = Hang()
    process = start(keyed, tool, PATIENT_S)
    keyed.endpoint.wait_for(1)

    process.send_signal(signum)
    done = ended(keyed, process, GRACE_S)

    assert (done.code, done.json["error"]["code"]) == (130, "interrupted")


@pytest.mark.parametrize(
    ("tool", "signum", "code"),
    [
        ("claude", signal.SIGINT, "cancelled"),  # it ends with exit code 0, and says that it was interrupted
        ("claude", signal.SIGTERM, "exit"),
        ("codex", signal.SIGINT, "exit"),
        ("codex", signal.SIGTERM, "exit"),
        ("claude", signal.SIGKILL, "exit"),
        ("codex", signal.SIGKILL, "exit"),
    ],
)
def test_a_tool_that_somebody_else_ends_has_not_answered(
    tool: str, signum: signal.Signals, code: str, keyed: Desk
) -> None:
    keyed.endpoint.behaviour = Hang()
    process = start(keyed, tool, PATIENT_S)
    keyed.endpoint.wait_for(1)

    programs = [folder for folder in processes_with_home(keyed.home) if folder.name != str(process.pid)]
    for pid in sorted(int(folder.name) for folder in programs)[:1]:
        os.kill(pid, signum)
    done = ended(keyed, process, PATIENT_S + GRACE_S)

    assert done.json["failure"]["code"] == code
