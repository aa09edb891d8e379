"""Shell sessions in documentation: commands behind ``$``, and what they print with ``[…]`` for what is left out."""

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"^\$ ([^\n]*<<'(\w+)'\n(?s:.*?)\n\2|[^\n]*)\n", re.MULTILINE)
_CUT = re.compile(r"\[[^\[\]\n]*…[^\[\]\n]*\]|\[id\]")
_END = "-- end of step --"
PATIENCE_S = 120
"""Longest run of a session, in seconds; no test depends on the time that one takes."""


class Step(Struct, frozen=True):
    """A command and the output that the page shows below it."""

    command: str
    shown: str

    def missing(self, output: str) -> str:
        """The first shown part that ``output`` does not have at its place, or nothing."""
        pieces = [piece for piece in (each.strip() for each in _CUT.split(self.shown)) if piece]
        at = 0
        for piece in pieces:
            found = output.find(piece, at)
            if found < 0:
                return piece
            at = found + len(piece)
        return ""


def steps(text: str) -> Iterator[Step]:
    """The steps of all console blocks of a page, in order."""
    for block in _BLOCK.findall(text):
        starts = list(_STEP.finditer(block))
        ends = [*(each.start() for each in starts[1:]), len(block)]
        for start, end in zip(starts, ends, strict=True):
            yield Step(start[1], block[start.end() : end])


def run_session(session: Sequence[Step], cwd: Path, environment: Mapping[str, str]) -> list[tuple[int, str]]:
    """Exit code and output (both streams) of each step, typed one after the other into one shell."""
    script = "".join(f"{step.command}\ncode=$?; echo; echo '{_END}' $code\n" for step in session)
    shell = ("bash", "-o", "pipefail", "-c", f"exec 2>&1\n{script}")
    done = subprocess.run(
        shell, cwd=cwd, env=environment, capture_output=True, check=False, timeout=PATIENCE_S, stdin=subprocess.DEVNULL
    )
    parts = re.split(rf"^{_END} (\d+)\n", done.stdout.decode(), flags=re.MULTILINE)
    return [(int(code), output) for output, code in zip(parts[::2], parts[1::2], strict=False)]
