"""A program that writes entries of several pages to a log, and one that looks at a log until it is whole.

Usage: ``python debate_log_writer.py write LOG NAME COUNT`` or ``... watch LOG COUNT``
"""

import json
import sys
from pathlib import Path

from sparring.store.debate_log import DebateLog
from support.debate_logs import draft, nothing_refused


def write(path: Path, name: str, count: int) -> None:
    log = DebateLog(path)
    for number in range(count):
        log.append(draft(f"{name} {number} " + "word " * (number % 10) * 300), nothing_refused)


def watch(path: Path, count: int) -> None:
    """Look at the file as fast as can be; every line ever seen must be whole."""
    seen = 0
    sys.stdout.write("watching\n")
    sys.stdout.flush()
    while seen < count:
        content = path.read_bytes() if path.exists() else b""
        assert content.endswith(b"\n") or not content, content[-80:]
        seqs = [json.loads(line)["seq"] for line in content.splitlines()]
        assert seqs == list(range(1, len(seqs) + 1)), seqs
        assert len(seqs) >= seen
        seen = len(seqs)


if __name__ == "__main__":
    what, path, *rest = sys.argv[1:]
    if what == "write":
        write(Path(path), rest[0], int(rest[1]))
    else:
        watch(Path(path), int(rest[0]))
