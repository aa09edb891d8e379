"""Following a run from another terminal: what was said so far, then each speech as it comes. It changes nothing.

A journal is a file, and what has grown is looked at twice a second; no lock is held, so that the run can go on, and be
taken up again, as if nobody watched.
"""

import time
from collections.abc import Callable
from pathlib import Path

import typer

from sparring.app import App
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_conclusion, print_lines, reporting_errors, say
from sparring.errors import ExitCode
from sparring.formats.reports import Telling, presentation
from sparring.reports.live import LiveProgress, is_worth_a_line
from sparring.reports.progress import progress_line
from sparring.reports.terminal import console_on
from sparring.schema.runs import Run, RunHeader, RunStatus, TurnTaken
from sparring.store.following import LOOK_EVERY_S, Watching

_Show = Callable[[TurnTaken], None]


def watch_run(run_id: str) -> None:
    """``sparring runs watch``."""
    with reporting_errors(as_json=False):
        app = App(invocation().settings())
        begun = app.run(run_id)
        id_ = begun.header.run_id
        try:
            _follow(app.folder(begun), begun.header)
        except KeyboardInterrupt:
            say(f"No longer watched. The run goes on; see it again with: sparring runs watch {id_}")
            raise typer.Exit(ExitCode.INTERRUPTED) from None
        ended = app.run(id_)
        if ended.outcome is not None:
            print_conclusion(ended)
        else:
            say(f"It rests, and nothing that was said is lost. Go on with: sparring runs resume {id_}")


def _follow(folder: Path, header: RunHeader) -> None:
    """Show what was said, and what is said until the run has ended or nobody works on it any more."""
    telling, call = Telling(header.request), invocation()
    stdout = call.streams.stdout
    if not stdout.isatty() or (console := console_on(stdout, call.environment)).is_dumb_terminal:
        _look(folder, header, lambda turn: _print(turn, telling(turn)), lambda: None)
        return
    with LiveProgress(console, telling, clock=call.clock) as live:
        _look(folder, header, live.show, lambda: live.wait_for(_next(header, telling)))


def _look(folder: Path, header: RunHeader, show: _Show, rest: Callable[[], None]) -> None:
    watching = Watching(folder)
    while True:
        news = watching.look()
        for turn in news.turns:
            show(TurnTaken.model_construct(**dict(turn), run_id=header.run_id))
        if news.is_over:
            return
        rest()
        time.sleep(LOOK_EVERY_S)


def _next(header: RunHeader, telling: Telling) -> str:
    """Who speaks next, if all goes well: a journal does not say who has been asked."""
    run = Run(header=header, status=RunStatus.RUNNING, transcript=telling.said)
    return next(iter(presentation(run).remaining(run)), "")


def _print(turn: TurnTaken, said: str) -> None:
    head = progress_line(turn) if is_worth_a_line(turn) else ""
    if head or said:
        print_lines("\n\n".join(filter(None, (head, said))) + "\n\n")
