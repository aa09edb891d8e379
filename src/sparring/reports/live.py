"""A run while it goes on: on a terminal each speech as it comes, elsewhere a line for whatever happens.

What a turn tells is not known here: whoever shows a run says it, as Markdown (``formats.reports.told``).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sparring.reports.progress import progress_line, stage, voice, who
from sparring.reports.runs import seconds
from sparring.reports.terminal import print_markdown
from sparring.schema.base import Role
from sparring.schema.runs import AskRepeated, AskStarted, RunEvent, TurnTaken

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

Tell = Callable[[TurnTaken], str]
"""What a turn tells, as Markdown; empty: nothing but that it was taken. Each turn is asked about once, in order."""

_REFRESHES_PER_SECOND = 8


def is_worth_a_line(event: RunEvent) -> bool:
    """Whether whoever watches wants to know: that code looks something up, nobody does, unless it cannot."""
    return event.role is not Role.VERIFIER or (isinstance(event, TurnTaken) and event.failure is not None)


@dataclass(frozen=True)
class _Speaking:
    ask_id: str
    who: str
    since: float


class LiveProgress:
    """Who speaks now and for how long; what has been said stands above. A context manager around a run.

    However the block is left, the cursor is shown again and what was said stays.
    """

    def __init__(self, console: "Console", tell: Tell, *, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.live import Live  # noqa: PLC0415 -- see ``terminal``
        from rich.spinner import Spinner  # noqa: PLC0415

        self._console = console
        self._tell = tell
        self._clock = clock
        self._spinner = Spinner("dots", style="dim")
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
        if isinstance(event, AskRepeated):
            self._say(event)
            return
        others = tuple(speaking for speaking in self._speaking if speaking.ask_id != event.ask_id)
        if isinstance(event, AskStarted):
            is_told = is_worth_a_line(event)
            self._speaking = (*others, _Speaking(event.ask_id, who(event), self._clock())) if is_told else others
        else:
            self._speaking = others
            self._said(event)
        self._live.refresh()

    def wait_for(self, whom: str) -> None:
        """Say that nothing is known but whom one waits for; empty: for nobody."""
        known = [speaking for speaking in self._speaking if speaking.who == whom]
        self._speaking = tuple(known) or ((_Speaking("", whom, self._clock()),) if whom else ())

    def _say(self, event: AskRepeated) -> None:
        from rich.text import Text  # noqa: PLC0415 -- see ``terminal``

        self._console.print(Text(f"── {progress_line(event)}", style="dim"), soft_wrap=True)

    def _said(self, turn: TurnTaken) -> None:
        from rich.text import Text  # noqa: PLC0415 -- see ``terminal``

        said = self._tell(turn)
        if is_worth_a_line(turn):
            style = "bold red" if turn.failure else "bold cyan"
            self._console.print(Text(_heading(turn), style=style), Text(), sep="\n", soft_wrap=True)
        if said:
            print_markdown(said, self._console)
            self._console.print()

    def _now(self) -> "RenderableType":
        moment = self._clock()
        lines = [f"{speaking.who}  {seconds(round(1000 * (moment - speaking.since)))}" for speaking in self._speaking]
        if not lines:
            return ""
        self._spinner.update(text="\n".join(lines))
        return self._spinner


def _heading(turn: TurnTaken) -> str:
    """E.g. ``── round 1/2 · proposer · claude · 8.5 s``."""
    if turn.failure:
        return f"── {progress_line(turn)}"
    facts = (stage(turn), voice(turn), turn.tool, seconds(turn.reply.duration_ms))
    return f"── {' · '.join(filter(None, facts))}"
