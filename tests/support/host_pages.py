"""The pages about hosts, as far as they can be run: command lines, and the recording of a debate."""

import re
from pathlib import Path

from msgspec import Struct

_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "hosts"
_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<lines>.*?)^```$", re.MULTILINE | re.DOTALL)
_CUT = "[…]"


class Recording(Struct, frozen=True):
    """A command line, and what it prints, with ``[…]`` where something was left out."""

    command: str
    shown: str

    def is_of(self, output: str) -> bool:
        """Return whether everything shown occurs in ``output``, in that order."""
        at = 0
        for piece in map(str.strip, self.shown.split(_CUT)):
            at = output.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        return True


def recording(page: str) -> Recording:
    """The recording on that page."""
    (block,) = [found["lines"] for found in _BLOCK.finditer(_text(page)) if found["language"] == "console"]
    command, _, shown = block.removeprefix("$ ").partition("\n")
    return Recording(command, shown)


def headless_commands(page: str) -> list[str]:
    """The command lines of the section "Without a terminal", each to be run by itself."""
    section = _text(page).partition("\n## Without a terminal\n")[2].partition("\n## ")[0]
    blocks = [found["lines"] for found in _BLOCK.finditer(section) if found["language"] == "sh"]
    commands = [line for block in blocks for line in block.splitlines()]
    assert commands, f"{page} shows no command line"
    return commands


def _text(page: str) -> str:
    return (_FOLDER / page).read_text(encoding="utf-8")
