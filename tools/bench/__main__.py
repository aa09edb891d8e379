"""Run every bench, or those named: ``python -m bench [--smoke] [--data FOLDER] [NAME...]``.

Each runs in a process of its own: a child's peak memory counts what its parent held when it was forked.
"""

import argparse
import importlib
import os
import subprocess
import sys
from pathlib import Path

from bench.figures import BESIDE, Scale
from sparring.processes.current import collect_rarely

BENCHES = (
    "overhead",
    "startup",
    "journal",
    "history",
    "memory",
    "adapter",
    "api",
    "batch",
    "claims",
    "carries",
    "redaction",
    "fact_check",
    "jury",
    "row_cost",
    "ledger",
    "exchange_ledger",
    "prompts",
    "exhibits",
    "serving",
    "hosts",
    "ending",
    "table_page",
    "tables",
    "real_model",
)
TESTS = Path(__file__).resolve().parents[2] / "tests"
"""Benches play against what the tests play against."""


def main() -> None:
    """Run one bench here, or several as children."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="What sparring costs, in ratios.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all of them by default: {', '.join(BENCHES)}")
    parser.add_argument(
        "--smoke", action="store_true", help="only see that it runs: a few seconds, figures of no worth"
    )
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("SPARRING_BENCH_DATA", BESIDE), help="folder of the labelled rows"
    )
    asked = parser.parse_args()
    names: list[str] = asked.names or list(BENCHES)
    if unknown := set(names) - set(BENCHES):
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    if len(names) == 1:
        collect_rarely()  # as every command begins
        sys.path.insert(0, str(TESTS))
        bench = importlib.import_module(f"bench.{names[0]}")
        for line in bench.run(Scale(is_smoke=asked.smoke, data=asked.data)):
            print(line, flush=True)
        return
    for name in names:
        print(f"\n== {name}", flush=True)
        size = ["--smoke"] if asked.smoke else []
        subprocess.run([sys.executable, "-m", "bench", *size, "--data", str(asked.data), name], check=True)


if __name__ == "__main__":
    main()
