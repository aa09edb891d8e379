"""``docs/tools.md``: what was measured of the command lines, side by side."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lab.measured import FailureTaken, Measured, SignalTaken, measured
from support.desk import TOOLS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"


def tools_page() -> str:
    """The page as it is, with the table made anew from what lies beside the providers."""
    table = "\n".join(_rows([found for tool in TOOLS if (found := measured(tool))]))
    before, _, rest = PAGE.read_text(encoding="utf-8").partition("\n| ")
    return f"{before}\n{table}\n\n{rest.partition(chr(10) * 2)[2]}"


def _rows(all_: Sequence[Measured]) -> Iterator[str]:
    yield _row("", [each.tool for each in all_])
    yield _row("---", ["---"] * len(all_))

    def of_each(name: str, fact: Callable[[Measured], str]) -> str:
        return _row(name, [fact(each) for each in all_])

    yield of_each("version", lambda each: each.version)
    yield of_each("measured", lambda each: each.day)
    yield of_each("hears", lambda each: ", ".join(each.hears) or "nothing")
    yield of_each("adds", lambda each: f"{each.adds:,} characters")
    yield of_each("largest answer tried that arrived whole", lambda each: f"{each.largest_answer:,} bytes")
    yield of_each("waits for the first word", lambda each: f"{each.waits_s} s")
    for how in all_[0].failures if all_ else ():
        yield of_each(f"{how}: code, requests", lambda each, how=how: _failure(each.failures[how]))
    for name in all_[0].signals if all_ else ():
        yield of_each(name, lambda each, name=name: _ending(each.signals[name]))
    yield of_each("leaves after one question", lambda each: _listed(each.leaves))
    yield of_each("as a host says first", lambda each: ", ".join(f"`{name}`" for name in each.opening.messages))
    yield of_each("as a host asks for", lambda each: each.opening.protocol)
    yield of_each("as a host is called", lambda each: f"`{each.opening.client}`")


def _row(name: str, cells: Sequence[str]) -> str:
    return f"| {' | '.join((name, *cells))} |"


def _failure(given: FailureTaken) -> str:
    requests = "" if given.requests is None else f", {given.requests}"
    return f"{given.code}{requests} ({given.seconds} s)"


def _ending(ended: SignalTaken) -> str:
    code = "goes on" if ended.exit_code is None else f"exit {ended.exit_code}"
    alive = f", {ended.left_alive} left" if ended.left_alive else ""
    return f"{code}, {'says something' if ended.printed else 'says nothing'}{alive}"


def _listed(files: Sequence[str]) -> str:
    return "<br>".join(f"`{file}`" for file in files) or "nothing"
