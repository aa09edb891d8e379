"""``sparring review --bench``: planted bugs put to reviewers, and a table of what they are worth."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import typer

from sparring.app import App
from sparring.app.planted_bugs import Drawing, PlantedBugs, project_texts, read_bugs
from sparring.cli.input import Budget
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_json, print_report, reporting_errors, say
from sparring.cli.runs import until_done_or_stopped
from sparring.engine.format import Format
from sparring.errors import ExitCode, UsageError
from sparring.reports.bench import BenchResult, BugReviewed, bench_report
from sparring.reports.runs import estimated
from sparring.seating.options import valid


def measure(
    format_: Format, how: Mapping[str, Any], typed: Mapping[str, Any], budget: Budget, *, as_json: bool
) -> None:
    """Print the table; exit code 4 when some change does not count, 1 when none does."""
    with reporting_errors(as_json=as_json):
        settings = invocation().settings()
        app = App(settings)
        given = {name: value for name, value in typed.items() if value is not None}
        options = valid(lambda: format_.options.model_validate(given))
        folder = _folder(how[format_.bench], settings.cwd, app.place.project)
        bugs, drawing = read_bugs(folder), Drawing(how["sample"], how["seed"], with_repairs=how["repairs"])
        texts = project_texts(app.place.project, settings.environment, (folder, *app.place.states))
        changes, notices = drawing.drawn(bugs, texts, app.roster.redactor)
        bench = PlantedBugs(app, options, changes, budget.limits())
        for notice in (*bench.notices, *notices):
            say(notice)
        say(f"Expected for {len(changes)} changes: {estimated(bench.expected())}; {format_.expected_if}.")

        async def work() -> bool:
            await bench.measure(_Progress(len(changes)).tell)
            return True

        done = anyio.run(until_done_or_stopped, work)
        result = bench.result(drawing, len(bugs), notices)
        if as_json:
            print_json(result)
        else:
            print_report(bench_report(result))
        if not done:
            say("Interrupted. Nothing is lost: the same command goes on where it was stopped.")
            raise typer.Exit(ExitCode.INTERRUPTED)
        raise typer.Exit(_exit_code(result))


def _folder(spelled: str, cwd: Path, project: Path) -> Path:
    """The folder of that name, as seen from where it was typed, or from the root of the project."""
    found = next((each for each in (cwd / spelled, project / spelled) if each.is_dir()), None)
    if found is None:
        raise UsageError(f"There is no folder {spelled} with tables of planted bugs.", hint="Name one behind --bench.")
    return found


class _Progress:
    """A line for each change on stderr, but one alone for all that do not count for the same reason."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._problems = set[str]()

    def tell(self, number: int, found: BugReviewed) -> None:
        if found.problem in self._problems:
            return
        self._problems |= {found.problem} - {""}
        hit = ", ".join(arm for arm, hits in found.hits.items() if hits.at_place) or "nobody"
        where = f"{found.place.file}:{found.place.first}{' (repaired)' if found.is_repair else ''}"
        say(f"{number + 1}/{self._count}  {found.name}  {where}  {found.problem or f'found: {hit}'}")


def _exit_code(result: BenchResult) -> ExitCode:
    if not result.counted:
        return ExitCode.FAILED
    return ExitCode.DONE if len(result.counted) == len(result.reviewed) else ExitCode.NO_VERDICT
