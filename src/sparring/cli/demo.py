"""``sparring demo``: a debate whose speakers read from a script, through the real engine and to the real report.

The example project and the script lie in ``example/``. All of it happens in a temporary folder, which is removed; so
are state and providers, and what the user has set or is in counts for nothing.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio
import typer

from sparring.app import App
from sparring.cli.invocation import invocation
from sparring.cli.printing import ErrorReport, print_error, print_json, print_lines, print_report, reporting_errors, say
from sparring.cli.runs import exit_code, until_done_or_stopped, watching
from sparring.errors import ExitCode
from sparring.formats.registry import FORMATS
from sparring.formats.reports import report, result
from sparring.schema.runs import Run
from sparring.settings import Settings

NOTICE = "A demonstration: scripted speakers, no model; rules, citations and report are the real ones."

_EXAMPLE = Path(__file__).parent / "example"
_TOOLS = ("scripted-proposer", "scripted-challenger", "scripted-judge")
_TOPIC = "Should the shop charge a card again when the payment provider does not answer?"
_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR")


def demonstrate(*, as_json: bool) -> None:
    """Debate about the example project, and leave nothing behind."""
    environment = invocation().environment
    with reporting_errors(as_json=as_json), _temporary_folder(environment.get("TMPDIR", "")) as folder:
        if as_json:
            say(NOTICE)
        else:
            print_lines(NOTICE)
        run = _debate(App(_settings(Path(folder), environment)))
        if run is None:
            error = ErrorReport(code="interrupted", message="Interrupted.", hint="Nothing of it is kept.")
            print_error(error, as_json=as_json)
            raise typer.Exit(ExitCode.INTERRUPTED)
        if as_json:
            print_json(result(run))
        else:
            print_report(report(run))
            say(f"What it argued about: {_EXAMPLE / 'project'}")
    raise typer.Exit(exit_code(run))


def _temporary_folder(within: str) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(
        prefix="sparring-demo-", dir=within if within and Path(within).is_dir() else None
    )


def _debate(app: App) -> Run | None:
    """The whole run; None if it was interrupted."""
    proposer, challenger, judge = _TOOLS
    seats = {"topic": _TOPIC, "proposer": proposer, "challenger": challenger, "judge": judge}
    request = app.request(FORMATS["debate"].options.model_validate(seats))
    with watching(request) as observe:
        return anyio.run(until_done_or_stopped, lambda: app.work(app.begin(request), observe))


def _settings(folder: Path, environment: Mapping[str, str]) -> Settings:
    """Those of a user who has nothing but the scripted speakers, in a copy of the example project."""
    project, providers = folder / "project", folder / "providers"
    shutil.copytree(_EXAMPLE / "project", project)
    (project / ".git").mkdir()  # so that a repository around the temporary folder is not taken for the project
    providers.mkdir()
    shutil.copy(_EXAMPLE / "script.json", providers)
    for tool in _TOOLS:
        spec = f'kind = "scripted"\nfamily = "none"\ntitle = "{tool}"\nscript = "script.json"\n'
        (providers / f"{tool}.toml").write_text(spec, encoding="utf-8")
    kept = {name: environment[name] for name in _KEPT if name in environment}
    return Settings({"PATH": os.defpath, **kept, "HOME": str(folder)}, project, providers, folder / "cache")
