"""Time that a cancelled run takes to end when the program it asks ignores signals and writes all the time.

Two seconds is what it may take, from the end of ``max_time``, from a signal and from a call of ``cancel``.
"""

import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.figures import Figure, Figures, Scale
from sparring.testing import fake_cli
from sparring.testing.workspace import Attendance
from support.mcp_peer import Peer
from support.workbench import PATIENCE_S, SEATS, Workbench

MAY_TAKE_S = 2.0
TOOL = "deaf"
DEBATE = ("debate", "Should it retry?", "--proposer", TOOL, *SEATS[2:])
ASKED = {"topic": "Should it retry?", "proposer": TOOL, "challenger": "bob", "seat": ["judge=cy"]}


def run(scale: Scale) -> Figures:
    """The longest that each of them took, as a part of what it may take."""
    ways: dict[str, Callable[[Workbench, Attendance], float]] = {
        "max_time": _out_of_time,
        "SIGTERM, command line": _signalled,
        "SIGTERM, server": _server_signalled,
        "cancel, server": _cancelled,
    }
    for name, way in list(ways.items())[:: scale.of(1, smoke=3)]:  # a command and a server will do to see that it runs
        took = [_measured(way) for _ in range(scale.of(5, smoke=1))]
        told = ", ".join(f"{each:.2f}" for each in took)
        yield Figure(f"{name}: goes on / may go on", max(took) / MAY_TAKE_S, f"{told} s of {MAY_TAKE_S:g} s", "<= 1")


def _measured(way: Callable[[Workbench, Attendance], float]) -> float:
    with tempfile.TemporaryDirectory() as folder, Attendance() as attendance:
        bench = Workbench.below(Path(folder))
        argv = ["-S", fake_cli.__file__, "babble", attendance.address, TOOL]
        (bench.providers / f"{TOOL}.toml").write_text(
            f'kind = "cli"\nfamily = "none"\ntitle = "Deaf"\noutput = "text"\n'
            f"[command]\nprogram = {json.dumps(sys.executable)}\nargv = {json.dumps(argv)}\n",
            encoding="utf-8",
        )
        return way(bench, attendance)


def _out_of_time(bench: Workbench, attendance: Attendance) -> float:
    limit_s = 1.0
    with bench.start(*DEBATE, "--set", f"max_time={limit_s:g}") as process:
        attendance.arrivals(1)  # the time of the run has begun a moment before
        began = time.monotonic()
        process.communicate(timeout=PATIENCE_S)
        return time.monotonic() - began - limit_s


def _signalled(bench: Workbench, attendance: Attendance) -> float:
    with bench.start(*DEBATE) as process:
        attendance.arrivals(1)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
        return time.monotonic() - began


def _server_signalled(bench: Workbench, attendance: Attendance) -> float:
    with Peer(bench) as peer:
        peer.call(1, "debate", ASKED)
        attendance.arrivals(1)
        began = time.monotonic()
        peer.end(signal.SIGTERM)
        return time.monotonic() - began


def _cancelled(bench: Workbench, attendance: Attendance) -> float:
    with Peer(bench) as peer:
        peer.call(1, "debate", ASKED)
        run_id = peer.told(f"{TOOL}  asked").split()[0]
        attendance.arrivals(1)
        began = time.monotonic()
        peer.call(2, "cancel", {"run_id": run_id})
        peer.receive(lambda message: message.get("id") == 2)
        return time.monotonic() - began
