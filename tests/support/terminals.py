"""Terminals in memory, and what they show."""

import io

from rich.console import Console

from sparring.text.tidying import for_terminal


def terminal(*, width: int = 100, no_color: bool = False) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, no_color=no_color, _environ={"TERM": "xterm"})


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def lines(console: Console) -> list[str]:
    return [line.strip() for line in for_terminal(written(console)).splitlines() if line.strip()]
