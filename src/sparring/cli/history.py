"""The runs of a project from the command line: list, show, export, remove; and the log of an outside debate."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import typer
from msgspec import Struct
from pydantic import BaseModel

from sparring.app import App
from sparring.app.log_writing import EntryRequest, append_entry
from sparring.cli.invocation import invocation
from sparring.cli.printing import (
    ErrorReport,
    ErrorResult,
    print_json,
    print_lines,
    print_notice,
    print_report,
    reporting_errors,
)
from sparring.engine.format import exports_of
from sparring.errors import ExitCode, StoreError, UsageError
from sparring.formats.registry import FORMATS
from sparring.reports.listings import runs_list
from sparring.reports.terminal import NARROWEST_SHOWN
from sparring.schema.base import utc_now
from sparring.schema.runs import Run, RunStatus, RunSummary
from sparring.store import debate_log, files, history, hosts
from sparring.text.tidying import did_you_mean, json_for_terminal, one_line

_SHOWN = 60


class RunList(BaseModel):
    """JSON that ``sparring runs list --json`` prints. ``more`` is the number of runs that ``--limit`` left out."""

    runs: tuple[RunSummary, ...]
    more: int = 0


class Removed(BaseModel):
    """JSON that ``sparring runs rm`` and ``prune`` print."""

    removed: tuple[str, ...]


class Filter(Struct, frozen=True):
    """Filter of runs; an empty field fits any.

    Attributes:
        word: Occurs in the subject of a run, its id or its outcome.
        state: Status of a run, or the label of its outcome.
    """

    word: str = ""
    kind: str = ""
    state: str = ""

    def of(self, runs: Sequence[RunSummary]) -> list[RunSummary]:
        """Return the matching runs; raises ``UsageError`` for an unknown kind or state."""
        states = [*RunStatus, *sorted({run.outcome for run in runs if run.outcome})]
        _refuse_unknown("kind of run", self.kind, list(FORMATS))
        _refuse_unknown("state of a run", self.state, states)
        word = self.word.casefold()
        return [
            run
            for run in runs
            if self.kind in {"", run.kind}
            and self.state in {"", run.status, run.outcome}
            and word in f"{run.topic}\n{run.run_id}\n{run.finding}".casefold()
        ]


def _refuse_unknown(called: str, word: str, known: Sequence[str]) -> None:
    if word and word not in known:
        shown = one_line(repr(word), _SHOWN)
        raise UsageError(
            f"There is no {called} {shown}.{did_you_mean(word, known)}", hint=f"Known: {', '.join(known)}."
        )


def show_list(wanted: Filter, *, limit: int, as_json: bool) -> None:
    """Run ``sparring runs list``; a limit of 0 is no limit."""
    with reporting_errors(as_json=as_json):
        place = current_place()
        shown, more = _listed(place, wanted, limit)
        ended = (run.run_id for run in shown if run.is_own and run.status is RunStatus.FINISHED)
        _file(place, *history.folders_of(ended, place))
        if as_json:
            print_json(RunList(runs=shown, more=more))
        elif shown:
            print_lines(runs_list(shown, now=datetime.now().astimezone(), width=_width()))
        elif wanted == Filter():
            print_notice(f'No runs in {place.state}. Start one: sparring debate "..."')
        else:
            print_notice("No run matches.")
        if more and not as_json:
            print_notice(f"{more:,} more; `--limit 0` shows all.")


def _listed(place: hosts.Place, wanted: Filter, limit: int) -> tuple[tuple[RunSummary, ...], int]:
    """Return the runs to show, and the number of matching runs beyond the limit."""
    if limit and wanted == Filter():
        newest = history.newest_runs(place, limit)
        return newest.runs, newest.more
    matching = wanted.of(history.list_runs(place))
    shown = tuple(matching[: limit or None])
    return shown, len(matching) - len(shown)


def _width() -> int | None:
    """Return the width of the terminal in columns; None if the list goes to a file or a program."""
    stdout = invocation().streams.stdout
    if not stdout.isatty():
        return None
    columns = invocation().environment.get("COLUMNS", "")
    is_wide = columns.isdecimal() and int(columns) >= NARROWEST_SHOWN
    return int(columns) if is_wide else _terminal_width()


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(invocation().streams.stdout.fileno()).columns or 80
    except OSError:
        return 80


def show_run(run_id: str, *, as_json: bool) -> None:
    """Run ``sparring runs show``."""
    from sparring.formats.views import RunView, report  # noqa: PLC0415 -- a list needs none of it

    with reporting_errors(as_json=as_json):
        run = history.load_run(folder_of(run_id), current_place())
        for notice in run.notices:
            print_notice(notice)
        if as_json:
            print_json(RunView(run).result() if run.outcome else run)
            return
        print_report(report(run))
        if run.status is RunStatus.RUNNING:
            print_notice(f"It is still running. Follow it with: sparring runs watch {run.header.run_id}")
        elif run.status is RunStatus.INTERRUPTED:
            print_notice(f"Nothing is lost. Resume it with: sparring runs resume {run.header.run_id}")


def export_run(run_id: str, form: str, output: Path | None) -> None:
    """Run ``sparring runs export``."""
    with reporting_errors(as_json=False):
        text = _exported(history.load_run(folder_of(run_id), current_place()), form)
        if output is None:
            print_lines(text)
        elif (path := invocation().path(str(output))).is_dir():
            raise UsageError(f"{one_line(str(path), _SHOWN)} is a folder; name a file.")
        else:
            files.write_out(path, text.encode())
            print_notice(f"Written to {output}")


def _exported(run: Run, form: str) -> str:
    from sparring.formats.views import RunView, page, report  # noqa: PLC0415 -- the same

    exports = exports_of(FORMATS[run.header.kind])
    _refuse_unknown("format", form, ["md", "html", "json", *exports])
    if form in exports:
        return exports[form].text(run)
    if form in {"md", "html"}:
        return report(run) if form == "md" else page(run)
    content = (RunView(run).result() if run.outcome else run).model_dump_json(indent=2).encode()
    return json_for_terminal(content).decode() + "\n"


def remove_runs(run_ids: Sequence[str], *, as_json: bool) -> None:
    """Run ``sparring runs rm``; nothing is removed unless every run exists."""
    with reporting_errors(as_json=as_json):
        folders = dict.fromkeys(map(folder_of, run_ids))
        _remove(list(folders), as_json=as_json)


class Pruning(Struct, frozen=True):
    """Runs to remove: those that began longer ago than ``older_than``, or all but the newest ``keep``."""

    older_than: str
    keep: int | None
    kind: str

    def of(self, runs: Sequence[RunSummary], now: datetime) -> list[RunSummary]:
        """Return the runs to remove among ``runs``, which are sorted from the newest.

        A run is kept if it is at work, cannot be read, or came with the project, where git is to remove it.
        """
        if bool(self.older_than) == (self.keep is not None):
            raise UsageError("Name the runs to remove.", hint="Give --older-than 30d, or --keep 100.")
        own = [run for run in Filter(kind=self.kind).of(runs) if run.is_own]
        left = own[self.keep :] if self.keep is not None else own
        until = now - _age(self.older_than) if self.older_than else now
        return [
            run
            for run in left
            if run.created_at and run.created_at < until and run.status is not RunStatus.RUNNING and not run.problem
        ]


_AGE = re.compile(r"([0-9]{1,5})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def _age(spelled: str) -> timedelta:
    match = _AGE.fullmatch(spelled)
    if not match:
        raise UsageError(
            f"--older-than must be an age such as 12h, 30d or 8w; it is {one_line(repr(spelled), _SHOWN)}."
        )
    return int(match[1]) * _UNITS[match[2]]


def prune_runs(wanted: Pruning, *, is_sure: bool, as_json: bool) -> None:
    """Run ``sparring runs prune``."""
    with reporting_errors(as_json=as_json):
        place = current_place()
        gone = wanted.of(history.list_runs(place), utc_now())
        if gone and not is_sure and not _is_to_remove(gone):
            print_notice("Nothing was removed.")
            raise typer.Exit
        _remove(history.folders_of([run.run_id for run in gone], place), as_json=as_json)


def _is_to_remove(runs: Sequence[RunSummary]) -> bool:
    streams = invocation().streams
    if not streams.stdin.isatty():
        raise UsageError(
            f"{_counted(len(runs))} would be removed, and there is no terminal to confirm it.", hint="Add --yes."
        )
    unfinished = sum(run.status is RunStatus.INTERRUPTED for run in runs)
    which = f", of which {unfinished} could still be resumed" if unfinished else ""
    streams.stderr.write(f"Remove {_counted(len(runs))}{which}? [y/N] ")
    streams.stderr.flush()
    return streams.stdin.readline().strip().lower() in {"y", "yes"}


def _remove(folders: Sequence[Path], *, as_json: bool) -> None:
    history.remove_runs(folders)
    if as_json:
        print_json(Removed(removed=tuple(folder.name for folder in folders)))
    else:
        print_notice(f"Removed {folders[0].name}." if len(folders) == 1 else f"Removed {_counted(len(folders))}.")


def _counted(count: int) -> str:
    return f"{count:,} run" if count == 1 else f"{count:,} runs"


def current_place() -> hosts.Place:
    """Return the current project, and where its runs are kept."""
    return hosts.Place.find(invocation().settings(), None)


def folder_of(run_id: str) -> Path:
    """Return the folder of that run with all its files."""
    place = current_place()
    folder = history.find_run(run_id, place)
    _file(place, folder)
    return folder


def _file(place: hosts.Place, *folders: Path) -> None:
    """Write the files of ended runs whose process was killed before it wrote them."""
    if unfiled := [folder for folder in folders if not history.is_filed(folder)]:
        from sparring.app.artifacts import file_if_finished  # noqa: PLC0415 -- a list needs none of it

        for folder in unfiled:
            with suppress(StoreError):  # reported when the run is read
                file_if_finished(folder, place)


def append_to_log(request: EntryRequest, *, as_json: bool) -> None:
    """Run ``sparring log append``: only the seq goes to standard output; refusals go to standard error."""
    with reporting_errors(as_json=as_json):
        written = append_entry(request, App(invocation().settings()))
    if isinstance(written, debate_log.RefusedEntry):
        if as_json:
            print_json(ErrorResult(error=ErrorReport(code="refused", message=" ".join(written.reasons), hint="")))
        for reason in written.reasons:
            print_notice(reason)
        raise typer.Exit(ExitCode.USAGE)
    if as_json:
        print_json(written)
    else:
        print_lines(f"{written.seq}\n")
