"""Run every bench, or those named.

``python -m bench [overhead] [startup] [journal] [memory] [adapter] [api] [claims]
[redaction] [fact_check] [jury] [ledger] [http]``.

Each runs in a process of its own: a child's peak memory counts what its parent held when it was forked.
"""

import os
import subprocess
import sys
from pathlib import Path

BENCHES = (
    "overhead",
    "startup",
    "journal",
    "memory",
    "adapter",
    "api",
    "claims",
    "redaction",
    "fact_check",
    "jury",
    "ledger",
    "http",
)
TESTS = Path(__file__).resolve().parents[1] / "tests"
"""Benches play against the same endpoints as the tests."""


def main(names: list[str]) -> None:
    """Run the benches of these names, by default all."""
    if unknown := set(names) - set(BENCHES):
        sys.exit(f"No such bench: {', '.join(sorted(unknown))}. There are: {', '.join(BENCHES)}.")
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    for name in names or BENCHES:
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=True, env=environment)


main(sys.argv[1:])
