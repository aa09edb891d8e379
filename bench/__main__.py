"""Run every bench, or those named: ``python -m bench [overhead] [startup] [journal] [memory]``.

Each runs in a process of its own: a child's peak memory counts what its parent held when it was forked.
"""

import subprocess
import sys

BENCHES = ("overhead", "startup", "journal", "memory")


def main(names: list[str]) -> None:
    """Run the benches of these names, by default all."""
    if unknown := set(names) - set(BENCHES):
        sys.exit(f"No such bench: {', '.join(sorted(unknown))}. There are: {', '.join(BENCHES)}.")
    for name in names or BENCHES:
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=True)


main(sys.argv[1:])
