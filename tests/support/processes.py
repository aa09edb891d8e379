"""Which processes run for a test, found by what only they were given."""

from pathlib import Path


def processes_with_home(home: Path) -> list[Path]:
    """The processes whose ``HOME`` is this folder, as their folders in ``/proc``."""
    mark = f"HOME={home}".encode()
    found: list[Path] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(process)
        except OSError:
            continue  # it ended, or is not ours to look into
    return found
