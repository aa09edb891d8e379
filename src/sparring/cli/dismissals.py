"""``dismiss`` and ``dismissed`` behind the name of a format with such a memory: ``sparring review dismiss ID``."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from sparring.app import App
from sparring.cli.invocation import invocation
from sparring.cli.parsing import Json, PlainCommand
from sparring.cli.printing import print_json, print_lines, reporting_errors, say
from sparring.engine.format import Dismissing
from sparring.schema.base import Record, utc_now
from sparring.store.files import StateFolder, lock_file


class Done(BaseModel):
    """What ``dismiss`` prints with ``--json``."""

    done: str


def command_of_memory(memory: Dismissing, name: str) -> Any:
    """The command of that name, ``dismiss`` or ``dismissed``."""
    app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
    app.command(cls=PlainCommand)(_dismiss(memory) if name == "dismiss" else _dismissed(memory))
    return typer.main.get_command(app)


def _dismiss(memory: Dismissing) -> Callable[..., None]:
    def dismiss(
        finding: Annotated[str, typer.Argument(metavar="ID", help="As the report has it, or its beginning.")],
        *,
        why: Annotated[str, typer.Option(metavar="TEXT", help="For whoever meets it again.")] = "",
        as_json: Json = False,
    ) -> None:
        """Say that a finding of the last run is none: later ones show it as dismissed.

        It comes back when the code there changes.
        """
        with reporting_errors(as_json=as_json):
            app = App(invocation().settings())
            last = app.here().kept(*memory.result)
            done = _changed(app, memory, lambda kept: memory.dismissed(last, kept, finding, why, utc_now()))
            _tell(done, as_json=as_json)

    return dismiss


def _dismissed(memory: Dismissing) -> Callable[..., None]:
    def dismissed(
        *,
        undo: Annotated[str, typer.Option(metavar="ID", help="Let this one count again.")] = "",
        as_json: Json = False,
    ) -> None:
        """List what was dismissed in this project, and why."""
        with reporting_errors(as_json=as_json):
            app = App(invocation().settings())
            if undo:
                _tell(_changed(app, memory, lambda kept: memory.recalled(kept, undo)), as_json=as_json)
            else:
                _list(memory, _kept(app, memory), as_json=as_json)

    return dismissed


def _kept(app: App, memory: Dismissing) -> Record:
    return app.here().kept(memory.path, memory.record) or memory.record()


def _list(memory: Dismissing, kept: Record, *, as_json: bool) -> None:
    if as_json:
        print_json(kept)
    elif lines := memory.lines(kept):
        print_lines("\n".join(lines))
    else:
        say("Nothing was dismissed here.")


def _changed(app: App, memory: Dismissing, change: Callable[[Any], tuple[Record, str]]) -> str:
    """Keep what ``change`` makes of the memory, and say what it says; of two who change it, one waits."""
    folder, path = StateFolder(app.place.state), app.place.state / memory.path
    folder.ensure_writable(path.parent)
    folder.hide_from_git(path.parent)
    with lock_file(path.with_name(f".{path.name}.lock")):
        record, done = change(_kept(app, memory))
        folder.replace(path, record)
    return done


def _tell(done: str, *, as_json: bool) -> None:
    if as_json:
        print_json(Done(done=done))
    else:
        say(done)
