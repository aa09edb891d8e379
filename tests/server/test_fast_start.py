"""The server as a process, before the SDK is there, while it arrives, and after."""

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sparring.server.stdio import LISTS
from support.mcp_peer import INITIALIZE, Message, modern, request
from support.mcp_project import BOUND_S, NEVER, SERVER
from support.sdk_gate import Gate, Host, gated
from support.workbench import Workbench

pytestmark = pytest.mark.process

INITIALIZED: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ROADS = (
    SERVER,
    (sys.executable, "-m", "sparring", "serve"),
    (str(Path(sys.executable).with_name("sparring")), "serve"),
)


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """Its programs can be started: the gate does so."""
    return Workbench.below(tmp_path)


def handshake(number: int, version: str) -> Message:
    return request(number, "initialize", {**INITIALIZE, "protocolVersion": version})


def quarrel(number: int) -> Message:
    """A call that only the SDK can answer."""
    return request(number, "tools/call", {"name": "quarrel", "arguments": {}})


def by_id(answers: list[Message]) -> dict[Any, Any]:
    assert max(Counter(answer["id"] for answer in answers).values(), default=1) == 1
    return {answer["id"]: answer.get("result") or answer.get("error") for answer in answers}


def test_a_host_hears_the_same_before_and_after_the_sdk_is_there(bench: Workbench) -> None:
    """And what waits for the SDK is done in order and once."""
    given_up = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}
    bench.add_tool("bob", NEVER)
    never = {"name": "consult", "arguments": {"question": "?", "tool": "bob"}}
    asked = [request(number, method) for number, method in enumerate(("ping", *LISTS), 10)]
    with gated(bench) as (gate, host):
        host.send(handshake(0, "2025-06-18"), INITIALIZED, quarrel(1), quarrel(2))
        assert host.hear()["result"]["protocolVersion"] == "2025-06-18"
        host.send(*asked)
        before = by_id(host.hear_all(len(asked)))
        host.send(request(3, "tools/call", never), given_up, quarrel(4), request(5, "x"))
        gate.open()
        host.send(quarrel(6))
        heard = host.hear_all(5)
        assert [answer["id"] for answer in heard if "result" in answer] == [1, 2, 4, 6]
        assert [answer["error"]["code"] for answer in heard if "error" in answer] == [-32601]
        host.send(*asked)
        assert by_id(host.hear_all(len(asked))) == before
        assert host.rest() == []


@pytest.mark.parametrize("command", ROADS, ids=["server", "module", "script"])
def test_every_entry_point_starts_fast(bench: Workbench, command: tuple[str, ...]) -> None:
    Gate(bench)
    with Host(bench, command) as host:
        host.send(modern(1, "tools/list"))
        assert host.hear()["result"]["tools"]
        assert host.rest() == []  # the gate was never opened


def test_nothing_but_the_standard_library_is_imported_before_hosts_are_answered(bench: Workbench) -> None:
    with gated(bench) as (gate, host):
        host.send(modern(1, "tools/list"))
        host.hear()
        gate.open()
        host.rest()
    program = "import sys; print(*sys.modules)"
    bare = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.split()
    imported = {module for module in gate.modules() - set(bare) if module.split(".")[0] not in sys.stdlib_module_names}
    ours = {"sparring", "sparring.processes", "sparring.server"}
    ours |= {f"sparring.processes.{module}" for module in ("current", "prctl")}
    ours |= {f"sparring.server.{module}" for module in ("__main__", "building", "fast_start", "snapshot", "wire")}
    assert imported - {"mcp"} == ours


def test_with_another_sdk_each_start_answers_from_the_snapshot_of_the_one_before(bench: Workbench) -> None:
    gate = Gate(bench, "2.9.9")
    titles = [started(bench, gate)]
    (written,) = (bench.root / ".cache" / "sparring" / "snapshots").iterdir()
    right = written.read_text(encoding="utf-8")
    assert json.loads(right)["made_of"]["mcp"] == "2.9.9"
    written.write_text(right.replace(f'"title": "{titles[0]}"', '"title": "As it was written"'), encoding="utf-8")
    titles.append(started(bench, gate))
    assert titles[1] == "As it was written"
    assert written.read_text(encoding="utf-8") == right  # what did not agree with the SDK


def started(bench: Workbench, gate: Gate) -> str:
    """The title of the first tool before the SDK is there; the server ends when it has been there."""
    with Host(bench) as host:
        host.send(modern(1, "tools/list"))
        title = host.hear()["result"]["tools"][0]["title"]
        host.send(modern(2, "tools/call", {"name": "quarrel"}))
        gate.open()
        assert host.hear()["id"] == 2
        assert host.rest() == []
    return title


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGHUP])
def test_a_host_that_ends_us_before_the_sdk_is_there_is_obeyed_at_once(bench: Workbench, signum: int) -> None:
    with gated(bench) as (_, host):
        host.send(modern(1, "tools/list"))
        host.hear()
        host.process.send_signal(signum)
        _, errors = host.process.communicate(timeout=BOUND_S)
        assert (host.process.returncode, b"Traceback" in errors) == (0, False)


@pytest.mark.parametrize("arrived", [False, True])
def test_a_host_that_stops_reading_counts_as_gone(bench: Workbench, *, arrived: bool) -> None:
    with gated(bench) as (gate, host):
        host.send(modern(1, "tools/list"))
        host.hear()
        if arrived:
            gate.open()
            host.send(modern(2, "tools/call", {"name": "quarrel"}))
            host.hear()
        assert host.process.stdout is not None
        host.process.stdout.close()
        host.send(modern(3, "tools/list"))
        assert host.process.wait(BOUND_S) == 0


def test_a_server_without_input_explains_what_it_needs() -> None:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *SERVER]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=BOUND_S)
    assert (done.returncode, done.stdout) == (2, "")
    assert "standard input and output" in done.stderr


UNLOADABLE = {"MemoryError": "there is not enough memory", "ExceptionGroup('', [OSError('no room')])": "no room"}


@pytest.mark.parametrize(("error", "words"), UNLOADABLE.items())
def test_a_server_that_fails_to_load_reports_it_in_a_sentence(bench: Workbench, error: str, words: str) -> None:
    (bench.root / "mcp.py").write_text(f"raise {error}", encoding="utf-8")
    environment = {**bench.environment, "PYTHONPATH": str(bench.root)}
    done = subprocess.run(SERVER, input=b"?\n", capture_output=True, check=False, env=environment, timeout=BOUND_S)
    assert (done.returncode, done.stderr.decode()) == (1, f"The server stopped: {words}.\n")
