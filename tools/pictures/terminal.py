"""Draws the end of a real run of ``sparring demo`` in a terminal: ``python tools/pictures/terminal.py demo.svg``.

The program runs in a pseudo-terminal; what it writes there is followed as a terminal would, and the last lines become
an SVG that holds no fonts and no links.
"""

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from itertools import groupby
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.ansi import SGR_STYLE_MAP
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import MONOKAI
from rich.text import Text

COLUMNS, ROWS = 100, 50
LAST_SPEECH = "── round"
"""Beginning of a speech's heading; the picture shows the first line, and all after the last such heading."""

_SEQUENCE = re.compile(r"\x1b\[(?P<numbers>[?\d;]*)(?P<what>[A-Za-z])|\x1b\][^\x07]*\x07")
_FONTS = re.compile(r"@font-face \{\{.*?\n    \}\}", re.DOTALL)


def recorded(arguments: list[str], folder: str) -> str:
    """Return the output of ``sparring`` with these arguments on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    environment = {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "HOME": folder}
    command = [sys.executable, "-m", "sparring", *arguments]
    process = subprocess.Popen(  # noqa: S603 -- our own program
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment
    )
    os.close(theirs)
    written = bytearray()
    try:
        while part := os.read(ours, 1 << 16):
            written += part
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(ours)
    if process.wait() != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{written.decode(errors='replace')}")
    return written.decode(errors="replace")


class Screen:
    """The lines that a terminal shows, and those that have left it upwards."""

    def __init__(self) -> None:
        self.lines: list[list[tuple[str, Style]]] = [[]]
        self._row, self._column, self._style = 0, 0, Style()

    def take(self, written: str) -> None:
        """Follow what a program writes."""
        place = 0
        for match in _SEQUENCE.finditer(written):
            self._put(written[place : match.start()])
            self._obey(match["what"] or "", match["numbers"] or "")
            place = match.end()
        self._put(written[place:])

    def _put(self, text: str) -> None:
        for character in text:
            if character == "\r":
                self._column = 0
            elif character == "\n":
                self._go_to(self._row + 1)
            elif character >= " ":
                if self._column == COLUMNS:
                    self._go_to(self._row + 1)
                    self._column = 0
                line = self.lines[self._row]
                line += [(" ", Style())] * (self._column + 1 - len(line))
                line[self._column] = (character, self._style)
                self._column += 1

    def _go_to(self, row: int) -> None:
        self._row = max(row, 0)
        self.lines += [[] for _ in range(self._row + 1 - len(self.lines))]

    def _obey(self, what: str, numbers: str) -> None:
        if what == "A":
            self._go_to(self._row - int(numbers or 1))
        elif what == "K":
            self.lines[self._row] = []
        elif what == "m":
            self._emphasize([int(number or 0) for number in numbers.split(";")])

    def _emphasize(self, codes: list[int]) -> None:
        if codes[0] in (38, 48):
            colour = f"color({codes[2]})"
            self._style += Style(color=colour) if codes[0] == 38 else Style(bgcolor=colour)
            return
        for code in codes:
            self._style = self._style + Style.parse(SGR_STYLE_MAP[code]) if code else Style()


def drawn(screen: Screen, title: str) -> str:
    """The last lines as an SVG."""
    lines = screen.lines
    while lines and not lines[-1]:
        lines.pop()
    begun = [number for number, line in enumerate(lines) if _text(line).startswith(LAST_SPEECH)]
    lines = [*map(_plain, ("$ " + title, "")), lines[0], *map(_plain, ("", "…", "")), *lines[begun[-1] :]]
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for line in lines:
        pieces = ((style, "".join(character for character, _ in cells)) for style, cells in groupby(line, _style_of))
        console.print(Text.assemble(*((text, style) for style, text in pieces)), soft_wrap=True)
    plain = _FONTS.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code", "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono'")
    return console.export_svg(title=title, theme=MONOKAI, code_format=plain, unique_id="demo")


def _plain(text: str) -> list[tuple[str, Style]]:
    return [(character, Style()) for character in text]


def _text(line: list[tuple[str, Style]]) -> str:
    return "".join(character for character, _ in line)


def _style_of(cell: tuple[str, Style]) -> Style:
    return cell[1]


def main(target: str) -> None:
    """Write the picture to the file ``target``."""
    with tempfile.TemporaryDirectory() as folder:
        screen = Screen()
        screen.take(recorded(["demo"], folder))
    Path(target).write_text(drawn(screen, "sparring demo"), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
