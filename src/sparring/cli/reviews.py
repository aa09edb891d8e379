"""Commands of a format that reviews: measure reviewers on planted bugs, and dismiss findings."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer
from pydantic import BaseModel

from sparring.app import App
from sparring.cli import parsing, printing, runs
from sparring.cli.input import Budget
from sparring.cli.invocation import invocation
from sparring.engine.capabilities import Dismissing
from sparring.engine.format import Format
from sparring.errors import ExitCode, UsageError
from sparring.evaluation.planted_bugs import Drawing, PlantedBugs, project_texts, read_bugs
from sparring.participants.options import valid
from sparring.reports.bench import BenchResult, ReviewedBug, bench_report
from sparring.reports.runs import estimate_text
from sparring.schema.base import Record, utc_now
from sparring.schema.runs import Expected
from sparring.store.files import StateFolder, lock_file
from sparring.store.own_records import OwnRecords


def measure(
    format_: Format,
    spelled: str,
    how: Mapping[str, Any],
    typed: Mapping[str, Any],
    budget: Budget,
    *,
    as_json: bool,
    is_dry: bool,
) -> None:
    """Print the results for the bugs of a folder; exit code 4 when some changes do not count, 1 when none does.

    With ``is_dry``, only the estimate of the reviews is printed.
    """
    with printing.reporting_errors(as_json=as_json):
        settings = invocation().settings()
        app = App(settings)
        given = {name: value for name, value in typed.items() if value is not None}
        options = valid(lambda: format_.options.model_validate(given))
        folder = _folder(spelled, settings.cwd, app.place.project)
        bugs, drawing = read_bugs(folder), Drawing(how["sample"], how["seed"], with_repairs=how["repairs"])
        texts = project_texts(app.place.project, settings.environment, (folder, *app.place.states))
        changes, notices = drawing.drawn(bugs, texts, app.roster.redactor)
        bench = PlantedBugs(app, options, changes, budget.limits())
        if is_dry:
            estimate = anyio.run(bench.dry_run)
            runs.print_dry_run(estimate.model_copy(update={"notices": (*estimate.notices, *notices)}), as_json=as_json)
            return
        for notice in (*bench.notices, *notices):
            printing.print_notice(notice)

        def begin(expected: Expected) -> None:
            printing.print_notice(
                f"Expected for {len(changes)} changes: {estimate_text(expected, format_.expected_if)}."
            )

        async def work() -> bool:
            await bench.measure(begin, _Progress(len(changes)).show)
            return True

        done = anyio.run(runs.until_done_or_stopped, work)
        result = bench.result(drawing, len(bugs), notices)
        if as_json:
            printing.print_json(result)
        else:
            printing.print_report(bench_report(result))
        if not done:
            printing.print_stopped(runs.WAY_ON, as_json=False)
        raise typer.Exit(_exit_code(result))


def _folder(spelled: str, cwd: Path, project: Path) -> Path:
    """Return the folder of that name, relative to the folder of the call or to the root of the project."""
    folder = next((each for each in (cwd / spelled, project / spelled) if each.is_dir()), None)
    if folder is None:
        raise UsageError(f"There is no folder {spelled} with tables of planted bugs.", hint="Name one after --bench.")
    return folder


class _Progress:
    """Print a line for each change on stderr, but only one for all that do not count for the same reason."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._problems = set[str]()

    def show(self, number: int, reviewed: ReviewedBug) -> None:
        if reviewed.problem in self._problems:
            return
        self._problems |= {reviewed.problem} - {""}
        hit = ", ".join(arm for arm, hits in reviewed.hits.items() if hits.at_place) or "nobody"
        where = f"{reviewed.place.file}:{reviewed.place.first}{' (repaired)' if reviewed.is_repair else ''}"
        printing.print_notice(
            f"{number + 1}/{self._count}  {reviewed.name}  {where}  {reviewed.problem or f'found: {hit}'}"
        )


def _exit_code(result: BenchResult) -> ExitCode:
    if not result.counted:
        return ExitCode.FAILED
    return ExitCode.DONE if len(result.counted) == len(result.reviewed) else ExitCode.NO_VERDICT


class Done(BaseModel):
    """JSON that ``dismiss`` prints."""

    done: str


def command_of_memory(memory: Dismissing, name: str) -> Any:
    """Return the command of that name, ``dismiss`` or ``dismissed``."""
    return parsing.plain_command(_dismiss(memory) if name == "dismiss" else _dismissed(memory))


def _dismiss(memory: Dismissing) -> Callable[..., None]:
    def dismiss(
        finding: Annotated[str, typer.Argument(metavar="ID", help="Id in the report, or its beginning.")],
        why: Annotated[str, typer.Argument(metavar="WHY", help="Reason, shown with the finding.")] = "",
        *,
        as_json: parsing.Json = False,
    ) -> None:
        """Say that a finding of the last run is none: later ones show it as dismissed.

        It comes back when the code there changes.
        """
        with printing.reporting_errors(as_json=as_json):
            app = App(invocation().settings())
            last = app.project_context().kept(*memory.result)
            done = _changed(app, memory, lambda kept: memory.dismissed(last, kept, finding, why, utc_now()))
            _print_done(done, as_json=as_json)

    return dismiss


def _dismissed(memory: Dismissing) -> Callable[..., None]:
    def dismissed(
        *,
        undo: Annotated[str, typer.Option(metavar="ID", help="Undo this dismissal.")] = "",
        as_json: parsing.Json = False,
    ) -> None:
        """List what was dismissed in this project, and why."""
        with printing.reporting_errors(as_json=as_json):
            app = App(invocation().settings())
            if undo:
                _print_done(_changed(app, memory, lambda kept: memory.recalled(kept, undo)), as_json=as_json)
            else:
                for warning in app.project_context().foreign(memory.path):
                    printing.print_notice(warning)
                _list(memory, _kept(app, memory), as_json=as_json)

    return dismissed


def _kept(app: App, memory: Dismissing) -> Record:
    return app.project_context().kept(memory.path, memory.record) or memory.record()


def _list(memory: Dismissing, kept: Record, *, as_json: bool) -> None:
    if as_json:
        printing.print_json(kept)
    elif lines := memory.lines(kept):
        printing.print_lines("\n".join(lines))
    else:
        printing.print_notice("Nothing was dismissed here.")


def _changed(app: App, memory: Dismissing, change: Callable[[Any], tuple[Record, str]]) -> str:
    """Store the memory that ``change`` returns, and return its message; concurrent changes wait for each other."""
    app.key.ensure()  # without it no record is verified as the user's, and the error would be "no such finding"
    folder, path = StateFolder(app.place.state), app.place.state / memory.path
    folder.ensure_writable(path.parent)
    folder.hide_from_git(path.parent)
    with lock_file(path.with_name(f".{path.name}.lock")):
        record, done = change(_kept(app, memory))
        OwnRecords(app.place.state, app.place.provenance).replace(path, record)
    return done


def _print_done(done: str, *, as_json: bool) -> None:
    if as_json:
        printing.print_json(Done(done=done))
    else:
        printing.print_notice(done)
