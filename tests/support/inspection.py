"""The tools that look at the project from outside: bundle packer, inspector and conformance suite, from npm."""

import os
import subprocess
from pathlib import Path

CONFORMANCE = Path(__file__).resolve().parents[1] / "conformance"
BINARIES = CONFORMANCE / "node_modules" / ".bin"
PATIENCE_S = 240
"""Seconds that a test waits for a tool before it fails; nothing depends on the real duration."""


def inspect(home: Path, *argv: str) -> "subprocess.CompletedProcess[str]":
    """Run the tool in a home of its own, with the Node.js that came with it: two of them need 22 or later."""
    program = BINARIES / argv[0]
    return subprocess.run(
        [str(program), *argv[1:]],
        cwd=home,
        env={"PATH": os.pathsep.join((str(BINARIES), "/usr/bin", "/bin")), "HOME": str(home), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE_S,
    )
