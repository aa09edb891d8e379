"""Lines, and descriptors that nobody else can reach."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sparring.server.wire import Wire


def batches(*pieces: bytes) -> list[list[bytes]]:
    """What is read when each of the pieces is there by itself."""
    outlet, inlet = os.pipe()
    wire = Wire(outlet, inlet)
    found: list[list[bytes]] = []
    reading = wire.batches()
    with os.fdopen(inlet, "wb", buffering=0) as host, os.fdopen(outlet, "rb"):
        for piece in pieces:
            host.write(piece)
            if b"\n" in piece:
                found.append(next(reading))
        host.close()
        return [*found, *reading]


def test_lines_come_together_if_they_were_there_together() -> None:
    assert batches() == []
    assert batches(b"a\nb\n", b"\n") == [[b"a", b"b"], [b""]]
    assert batches(b"a\nb", b"c\nd\ne") == [[b"a"], [b"bc", b"d"], [b"e"]]
    assert batches(b"a\r\n", b"b") == [[b"a\r"], [b"b"]]


def test_a_line_longer_than_a_pipe_is_one_line() -> None:
    outlet, inlet = os.pipe()
    wire = Wire(outlet, inlet)
    line = b"x" * 1_000_000
    writing = threading.Thread(target=wire.write, args=(line,))
    writing.start()
    assert next(wire.batches()) == [line]
    writing.join()
    os.close(outlet)
    with pytest.raises(BrokenPipeError):
        wire.write(b"nobody")
    os.close(inlet)


@pytest.mark.process
@pytest.mark.parametrize("redirection", ["", "2>&-"])
def test_output_of_prints_and_children_never_reaches_the_wire(tmp_path: Path, redirection: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        """
import os, subprocess, sys
from sparring.server.wire import Wire
wire = Wire.claim()
print("printed")
os.write(1, b"written")
subprocess.run(["sh", "-c", "echo said; cat"])
wire.write(b"/".join(line for batch in wire.batches() for line in batch))
""",
        encoding="utf-8",
    )
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, str(program)]
    done = subprocess.run(command, input=b"from\nhost\n", capture_output=True, check=True)
    assert done.stdout == b"from/host\n"
