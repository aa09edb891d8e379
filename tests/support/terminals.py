"""Terminals in memory, and what they show."""

import io
import os
from contextlib import suppress

from rich.console import Console

from sparring.text.tidying import for_terminal


class Screen(io.StringIO):
    """A stream that says to be a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(*, width: int = 100, no_color: bool = False) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, no_color=no_color, _environ={"TERM": "xterm"})


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def lines(console: Console) -> list[str]:
    return [line.strip() for line in for_terminal(written(console)).splitlines() if line.strip()]


def shown_until_closed(controller: int) -> str:
    """All that a terminal of the system shows until nobody has it any more; our end of it is closed, too."""
    shown = b""
    with os.fdopen(controller, "rb", buffering=0) as reader, suppress(OSError):  # as which Linux reports the end
        while chunk := reader.read(65536):
            shown += chunk
    return shown.decode()
