"""Run every bench, or those named: ``python -m bench [overhead] [startup] [journal] [memory]``."""

import sys
from collections.abc import Callable

from bench import journal, memory, overhead, startup

BENCHES: dict[str, Callable[[], None]] = {
    "overhead": overhead.main,
    "startup": startup.main,
    "journal": journal.main,
    "memory": memory.main,
}


def main(names: list[str]) -> None:
    """Run the benches of these names, by default all."""
    if unknown := set(names) - BENCHES.keys():
        sys.exit(f"No such bench: {', '.join(sorted(unknown))}. There are: {', '.join(BENCHES)}.")
    for name in names or BENCHES:
        print(f"\n== {name}", flush=True)
        BENCHES[name]()


main(sys.argv[1:])
