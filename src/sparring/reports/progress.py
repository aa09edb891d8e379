"""Progress of a run: events as plain lines, or on a terminal each speech as it comes.

Speakers and their names are worded alike during a run and afterwards. The content of a turn is not
known here: the caller supplies it as Markdown (``formats.views.LiveTurnRenderer``).
"""

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from msgspec import Struct

from sparring.reports import markdown, runs, terminal
from sparring.reports.seat_names import seat_name
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.runs import AskRepeated, AskStarted, Run, RunEvent, TurnCompleted
from sparring.schema.transcript import Placed, Turn
from sparring.text.tidying import one_line

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def stage(place: Placed) -> str:
    """E.g. ``round 1/2`` or ``verdict (order 2, again)``; empty where there is only one."""
    remarks: list[str] = []
    if place.order == 2:
        remarks.append("order 2")
    if place.attempt > 1:
        remarks.append("again")
    return f"{place.label} ({', '.join(remarks)})".strip() if remarks else place.label.strip()


def place_line(place: Placed) -> str:
    """All of it, e.g. ``round 1/2  proposer  claude``."""
    parts = (stage(place), seat_name(place), place.tool if seat_name(place) else "")
    return "  ".join(part for part in parts if part)


def progress_line(event: RunEvent) -> str:
    """One line without its end, e.g. ``round 1/2  proposer  claude  asked``."""
    if isinstance(event, AskStarted):
        happened = "asked"
    elif isinstance(event, AskRepeated):
        happened = _repeated(event)
    else:
        happened = _result(event)
    return f"{place_line(event)}  {happened}"


def _result(turn: Turn) -> str:
    """E.g. ``answered in 8.5 s``; the tool that answered is named if another one was asked."""
    if turn.failure:
        return f"failed: {runs.cause_of(turn.failure)}"
    if turn.taken_from:
        return f"reused from {turn.taken_from}"
    answered = f"answered in {runs.seconds(turn.reply.duration_ms)}"
    is_substitute = seat_name(turn) and turn.reply.tool != turn.tool
    return f"{turn.reply.tool} {answered}" if is_substitute else answered


_PASSING = {
    FailureCode.CONNECTION: "cannot be reached",
    FailureCode.OVERLOADED: "is overloaded",
    FailureCode.RATE_LIMIT: "is over its rate limit",
    FailureCode.SERVER_ERROR: "failed within",
}


def _repeated(event: AskRepeated) -> str:
    if event.next_tool != event.failure.tool:
        return f"failed: {runs.cause_of(event.failure)}; {event.next_tool} is called in its place"
    wrong = _PASSING.get(event.failure.code, f"failed for the moment ({event.failure.code})")
    return f"{event.failure.tool} {wrong}; retry in {event.wait_s:.0f} s"


_SUBJECT_SHOWN = 300
"""Characters of the topic, question or claim."""


def state_of_run(run: Run, case: markdown.Sections, remaining: Sequence[str], *, limit: int) -> str:
    """Return the state of an unfinished run in fewer than ``limit`` characters; ``case`` is its subject."""
    request, expected = run.header.request, run.header.estimate
    subject = markdown.inline(one_line(request.subject, _SUBJECT_SHOWN))
    sections = [markdown.Section(f"# {request.kind.capitalize()}: {run.status}", subject)]
    notices = dict.fromkeys(request.notices + run.notices)
    sections += markdown.optional_section("", "\n\n".join(map(markdown.inline, notices)))
    if expected:
        sections.append(markdown.Section("", f"Expected: {runs.estimate_text(expected)}."))
    sections += case
    turn_lines = "\n".join(f"- {_turn_line(turn)}" for turn in run.transcript.turns)
    missing = "\n".join(f"- {words}" for words in remaining)
    sections += [
        markdown.Section("## Spoken so far", turn_lines or "Nobody."),
        markdown.Section("## Missing", missing),
    ]
    return markdown.fitted(sections, limit=limit)


def _turn_line(turn: Turn) -> str:
    speaker = f"{seat_name(turn)} ({turn.tool})" if seat_name(turn) else ""
    title = ", ".join(part for part in (stage(turn), speaker) if part)
    return markdown.inline(f"{title}: {_result(turn)}")


TurnRenderer = Callable[[TurnCompleted], str]
"""Function that returns the Markdown of a turn; empty if only its end is to be shown.

Each turn is asked about once, in order.
"""

_REFRESHES_PER_SECOND = 8


def should_print(event: RunEvent) -> bool:
    """Return whether a viewer needs to see it: lookups by code are not shown, unless they fail."""
    return event.role is not Role.VERIFIER or (isinstance(event, TurnCompleted) and event.failure is not None)


class _OpenAsk(Struct, frozen=True):
    ask_id: str
    place: str
    since: float


class LiveProgress:
    """Live display of the current speakers and their time, below the speeches so far.

    A context manager around a run.

    On every exit, the cursor is shown again and the speeches stay.
    """

    def __init__(
        self, console: "Console", render_turn: TurnRenderer, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        from rich.live import Live  # noqa: PLC0415 -- see ``terminal``
        from rich.spinner import Spinner  # noqa: PLC0415

        self._console = console
        self._render_turn = render_turn
        self._clock = clock
        self._spinner = Spinner("dots", style="dim")
        # Replaced, never changed: the refreshing thread reads it at any time.
        self._open_asks: tuple[_OpenAsk, ...] = ()
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
        """Process an event."""
        if isinstance(event, AskRepeated):
            self._print_repetition(event)
            return
        others = tuple(speaking for speaking in self._open_asks if speaking.ask_id != event.ask_id)
        self._open_asks = others
        if not isinstance(event, AskStarted):
            self._print_turn(event)
        elif should_print(event):
            self._open_asks = (*others, _OpenAsk(event.ask_id, place_line(event), self._clock()))
        self._live.refresh()

    def show_waiting(self, name: str) -> None:
        """Show only the participant that is waited for; empty: none."""
        known = tuple(speaking for speaking in self._open_asks if speaking.place == name)
        if known or not name:
            self._open_asks = known
        else:
            self._open_asks = (_OpenAsk("", name, self._clock()),)

    def _print_repetition(self, event: AskRepeated) -> None:
        from rich.text import Text  # noqa: PLC0415 -- see ``terminal``

        self._console.print(Text(f"── {progress_line(event)}", style="dim"), soft_wrap=True)

    def _print_turn(self, turn: TurnCompleted) -> None:
        from rich.text import Text  # noqa: PLC0415 -- see ``terminal``

        text = self._render_turn(turn)
        if should_print(turn):
            style = "bold red" if turn.failure else "bold cyan"
            self._console.print(Text(_heading(turn), style=style), Text(), sep="\n", soft_wrap=True)
        if text:
            terminal.print_markdown(text, self._console)
            self._console.print()

    def _now(self) -> "RenderableType":
        moment = self._clock()
        lines = [
            f"{speaking.place}  {runs.seconds(round(1000 * (moment - speaking.since)))}" for speaking in self._open_asks
        ]
        if not lines:
            return ""
        self._spinner.update(text="\n".join(lines))
        return self._spinner


def _heading(turn: TurnCompleted) -> str:
    """E.g. ``── round 1/2 · proposer · claude · 8.5 s``."""
    if turn.failure:
        return f"── {progress_line(turn)}"
    facts = (stage(turn), seat_name(turn), turn.tool_name, runs.seconds(turn.reply.duration_ms))
    return f"── {' · '.join(filter(None, facts))}"
