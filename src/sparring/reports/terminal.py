"""Live progress and readable reports on a terminal.

Rich is imported when something is shown, not before: ``sparring --help`` must not pay for it.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self, TextIO

from sparring.reports.phrases import seconds
from sparring.reports.places import who
from sparring.reports.progress import progress_line
from sparring.schema.runs import AskStarted, RunEvent
from sparring.text.tidying import for_terminal

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.markdown import Markdown
    from rich.theme import Theme

RENDERED_AT_MOST = 100_000
"""Characters that are laid out. Rich takes about a second for 200,000 (measured); more is printed as it is."""

_REFRESHES_PER_SECOND = 8


def console_on(stream: TextIO, environment: Mapping[str, str] | None = None) -> "Console":
    """A console on ``stream``, which should be a terminal: whoever writes to a file can do without Rich.

    ``environment``, by default that of this process, says what the terminal can (``TERM``, ``NO_COLOR``).
    """
    from rich.console import Console  # noqa: PLC0415 - see the module's docstring

    return Console(file=stream, _environ=environment)


def print_markdown(text: str, console: "Console") -> None:
    """Show ``text`` laid out, unless it is too long for that. ``NO_COLOR`` is honoured."""
    if len(text) > RENDERED_AT_MOST:
        print_plain(text, console.file)
        return
    with console.use_theme(theme()):
        console.print(laid_out(text))


def print_plain(text: str, stream: IO[str]) -> None:
    """Show ``text`` as it is, without what acts on a terminal. Line by line: ten speeches may be 80 MiB."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        stream.write(for_terminal(text[start:end]))
        start = end
    if not text.endswith("\n"):
        stream.write("\n")


def theme() -> "Theme":
    """How Markdown looks."""
    from rich.theme import Theme  # noqa: PLC0415 - see the module's docstring

    # A transcript is mostly quotations, and nobody wants to read pages in magenta.
    return Theme({"markdown.block_quote": "none"})


def laid_out(text: str) -> "Markdown":
    """``text`` as something that a console shows."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - see the module's docstring
    from rich.markdown import Markdown  # noqa: PLC0415

    # Without hyperlinks each address is shown beside its text, so that neither can pose as the other.
    document = Markdown("", hyperlinks=False)
    # Rich's own parser drops what looks like HTML; somebody's ``Vec<T>`` would be shown as ``Vec``.
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    document.parsed = parser.parse(for_terminal(text).rstrip("\n"))
    return document


@dataclass(frozen=True)
class _Speaking:
    ask_id: str
    who: str
    since: float


class LiveProgress:
    """Who speaks now and for how long; what has been said stands above. A context manager around a run.

    However the block is left, the cursor is shown again and the finished lines stay.
    """

    def __init__(self, console: "Console", *, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.live import Live  # noqa: PLC0415 - see the module's docstring
        from rich.spinner import Spinner  # noqa: PLC0415

        self._console = console
        self._clock = clock
        self._spinner = Spinner("dots")
        # Replaced, never changed: the refreshing thread reads it at any time.
        self._speaking: tuple[_Speaking, ...] = ()
        self._live = Live(
            console=console,
            get_renderable=self._now,
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start(refresh=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, event: RunEvent) -> None:
        """Take in what just happened."""
        others = tuple(speaking for speaking in self._speaking if speaking.ask_id != event.ask_id)
        if isinstance(event, AskStarted):
            self._speaking = (*others, _Speaking(event.ask_id, who(event), self._clock()))
        else:
            self._speaking = others
            line = progress_line(event)
            self._console.print(line, markup=False, emoji=False, highlight=False, soft_wrap=True)
        self._live.refresh()

    def _now(self) -> "RenderableType":
        moment = self._clock()
        lines = [f"{speaking.who}  {seconds(round(1000 * (moment - speaking.since)))}" for speaking in self._speaking]
        if not lines:
            return ""
        self._spinner.update(text="\n".join(lines))
        return self._spinner
