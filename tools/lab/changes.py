"""Report what ``make lab`` measured otherwise than what is committed: ``python -m lab.changes [--quiet]``.

Prints Markdown. Exit code 1: a fact has changed. A newer version that behaves as the last one is no change.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from lab.measured import measured_file
from support.desk import TOOLS

_ROOT = Path(__file__).resolve().parents[2]
_OF_A_RUN = frozenset({"day", "seconds", "version"})
"""What differs from run to run, or tells which version it is."""

_MORE = 0.1
"""Share by which a number of characters may differ: a version that says a little more is no other fact."""


def changes(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    """Yield one line for each fact that differs between two measurements of a program."""
    old, new = dict(_facts(before)), dict(_facts(after))
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        if was != now and not (name == "adds" and _is_about(was, now)):
            yield f"{name}: {json.dumps(was)} became {json.dumps(now)}"


def _facts(found: Mapping[str, object], place: str = "") -> Iterator[tuple[str, object]]:
    for name, value in found.items():
        if name in _OF_A_RUN:
            continue
        if isinstance(value, dict):
            yield from _facts(cast("dict[str, object]", value), f"{place}{name}, ")
        else:
            yield f"{place}{name}", value


def _is_about(was: object, now: object) -> bool:
    return isinstance(was, int) and isinstance(now, int) and abs(now - was) <= _MORE * was


def _committed(file: Path) -> Mapping[str, object]:
    place = file.relative_to(_ROOT).as_posix()
    shown = subprocess.run(
        [shutil.which("git") or "git", "show", f"HEAD:{place}"], cwd=_ROOT, capture_output=True, check=True
    )
    return json.loads(shown.stdout)


def main(arguments: Sequence[str]) -> int:
    """Print what has changed of each program; ``--quiet`` prints nothing."""
    changed = False
    lines: list[str] = []
    for tool in TOOLS:
        before, after = _committed(measured_file(tool)), json.loads(measured_file(tool).read_bytes())
        found = list(changes(before, after))
        changed = changed or bool(found)
        lines.append(f"\n## {tool} {before['version']} → {after['version']}\n")
        lines += [f"- {line}" for line in found] or ["Nothing has changed."]
    if "--quiet" not in arguments:
        sys.stdout.write("\n".join(lines) + "\n")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
