"""``docs/tools.md``: what was measured of the command lines, side by side."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sparring.providers.cli.measured import FailureTaken, Measured, SignalTaken, measured
from support.desk import TOOLS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"

_INTRODUCTION = """\
# What was measured of the command lines

`make lab` asks each of them as sparring does, with a model on this machine, and writes this page and the
`measured.json` beside each provider. `sparring doctor` compares the version that is installed with the one below, and
says so when nothing is known of it. Nothing here is what a tool is documented to do: it is what was seen.
"""

_NOTES = """\
## What the rows mean

- **Hears**: instructions of the user's and of the project's, in every place where one of the tools looks for some, of
  which a word reached the model. **Adds**: what reaches the model beside the question, when the tool may use nothing.
- **Waits**: for an answer that does not begin, of 75 seconds that it was given. `gemini` gives up after 60 s for
  whoever is signed in to Google: only Google can lengthen that. `opencode` gives up after 300 s.
- **Requests** for one question that fails. They are kept low by each tool's own settings; what the user has set counts.
  `codex` puts a question to OpenAI's own endpoint up to 30 times, which nothing shortens, and `opencode` and `copilot`
  have no setting either; `opencode` is ended when it waits for more than 6 s before it asks again. The cause is then
  that of the last try, as it is when time runs out.
- **An answer that a limit of tokens or a filter ended** (not in the table): `codex` fails. `opencode` tells of a limit,
  and fails by a filter. `claude` and `copilot` have the model go on after a limit; `claude` then prints the last piece
  alone, and sparring says so. It fails by a filter, of which `copilot` tells nothing; `gemini` tells of neither.
- **A signal** to the whole group while it waits: its exit code, whether it printed anything, who goes on.
"""


def tools_page() -> str:
    """The page, from what lies beside the providers."""
    all_ = [found for tool in TOOLS if (found := measured(tool))]
    table = "\n".join(_rows(all_))
    return f"{_INTRODUCTION}\n{table}\n\n{_NOTES}"


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
