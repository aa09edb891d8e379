"""Whatever ends a real tool, or us, the command line ends with the right code, and leaves nothing behind."""

import os
import signal
import subprocess
from dataclasses import replace

import pytest

from sparring.testing.model_endpoint import Hang, Refuse, Say
from support.desk import PATIENCE_S, Desk
from support.processes import processes_with_home
from support.recordings import KEY
from support.workbench import PROGRAM, Result

pytestmark = pytest.mark.npm


@pytest.fixture
def keyed(desk: Desk) -> Desk:
    return replace(desk, variables={"ANTHROPIC_API_KEY": KEY, "LOOPBACK_API_KEY": KEY})


def start(desk: Desk, tool: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*PROGRAM, "consult", "Is it so?", "--tool", tool, "--timeout", str(PATIENCE_S), "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=desk.project,
        env=desk.environment,
    )


def ended(desk: Desk, process: "subprocess.Popen[bytes]") -> Result:
    """How it ended, after a look at what it left."""
    with process:
        out, err = process.communicate(timeout=PATIENCE_S)
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


@pytest.mark.parametrize(
    ("tool", "behaviour", "failed", "code"),
    [
        ("claude", Refuse(401, "authentication_error", f"The key {KEY} is no good"), "auth", 3),
        ("codex", Say(f"Half of {KEY}", pieces=3), "connection", 1),
    ],
    ids=["claude", "codex"],
)
def test_a_key_that_the_endpoint_repeats_is_neither_shown_nor_kept(
    tool: str, behaviour: Refuse | Say, failed: str, code: int, keyed: Desk
) -> None:
    keyed.endpoint.behaviour = behaviour

    done = ended(keyed, start(keyed, tool))

    assert (done.json["failure"]["code"], done.json["response"], done.code) == (failed, None, code)


@pytest.mark.parametrize(("tool", "signum"), [("claude", signal.SIGINT), ("codex", signal.SIGTERM)])
def test_a_signal_to_us_ends_the_tool_too(tool: str, signum: signal.Signals, keyed: Desk) -> None:
    keyed.endpoint.behaviour = Hang()
    process = start(keyed, tool)
    keyed.endpoint.wait_for(1)

    process.send_signal(signum)
    done = ended(keyed, process)

    assert (done.code, done.json["error"]["code"]) == (130, "interrupted")


@pytest.mark.parametrize(
    ("tool", "signum", "code"),
    [
        ("claude", signal.SIGINT, "cancelled"),  # it ends with exit code 0, and says that it was interrupted
        ("codex", signal.SIGKILL, "exit"),
    ],
)
def test_a_tool_that_somebody_else_ends_has_not_answered(
    tool: str, signum: signal.Signals, code: str, keyed: Desk
) -> None:
    keyed.endpoint.behaviour = Hang()
    process = start(keyed, tool)
    keyed.endpoint.wait_for(1)

    programs = [folder for folder in processes_with_home(keyed.home) if folder.name != str(process.pid)]
    os.kill(min(int(folder.name) for folder in programs), signum)
    done = ended(keyed, process)

    assert done.json["failure"]["code"] == code
