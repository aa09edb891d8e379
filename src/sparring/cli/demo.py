"""``sparring demo``: scripted speakers in the real engine, with the real checks and report.

The example project, the scripts and the answer to check are in ``example/``. Everything runs in a temporary folder,
without the user's settings and project; the results are then written to a folder for the user to read.
"""

import json
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import anyio
import typer
from msgspec import Struct
from pydantic import BaseModel

from sparring.app import App
from sparring.app.verification import NamedText, RepositoryLedger, check_text, look_up
from sparring.cli import printing
from sparring.cli.filters import show_findings
from sparring.cli.invocation import invocation
from sparring.cli.runs import exit_code, until_done_or_stopped, watching
from sparring.errors import ExitCode, SparringError, StoreError, UsageError
from sparring.formats.registry import FORMATS
from sparring.formats.views import RunView
from sparring.reports.findings import Texts
from sparring.schema.debate import DebateRequest
from sparring.settings import Settings
from sparring.store.files import replace_file

NOTICE = "A demonstration: scripted speakers, no model; rules, checks and report are the real ones."

Kind = Literal["debate", "review", "fact-check", "jury", "verify"]

_EXAMPLE = Path(__file__).parent / "example"
_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR")
_PAUSE_S = 1.0
"""Seconds that a speaker takes when the output is a terminal."""

_CAUGHT = ("- Struck", "- Withdrawn", "- Fault")
"""Beginnings of the report lines that the demonstration must print."""

_CITED = re.compile(r"<(?P<path>[\w/]+\.\w+)>")
"""Reference to a file of the example in a script."""

_ABOUT = "ABOUT.md"
_OURS = """\
# Written by `sparring demo`, which rewrites it each time

`project/` is what it was about. Next to it are the results: the report as text and as a page, the record that
programs read, or the answer that was checked.
"""
_PROJECT, _REPORT, _PAGE, _ANSWER = "project", "report.md", "report.html", "answer.md"
_EVIDENCE = "docs/provider.md"
_LAST = (Path(path).name for kind in FORMATS for path, _ in FORMATS[kind].last_files)
_NAMES = frozenset({_REPORT, _PAGE, _ANSWER, *_LAST})
"""Names of all files that a demonstration may leave."""


class _Shown(Struct, frozen=True):
    """Result of a demonstration: the JSON result and the files to write."""

    result: BaseModel
    files: Mapping[str, bytes]
    code: ExitCode


def demonstrate(kind: Kind, into: str, *, as_json: bool) -> None:
    """Run one demonstration, and leave its files in the folder ``into``."""
    call = invocation()
    with printing.reporting_errors(as_json=as_json), _temporary_folder(call.environment.get("TMPDIR", "")) as temporary:
        folder = call.path(into)
        _refuse_others(folder, into)
        with _writing(into):
            replace_file(folder / _ABOUT, _OURS.encode())
        _print_text(NOTICE, as_json=as_json)
        settings = _settings(Path(temporary), call.environment)
        shown = _verified(settings, as_json=as_json) if kind == "verify" else _play(kind, settings, as_json=as_json)
        if shown is None:
            error = printing.ErrorReport(code="interrupted", message="Interrupted.", hint="Nothing is stored.")
            printing.print_error(error, as_json=as_json)
            raise typer.Exit(ExitCode.INTERRUPTED)
        if as_json:
            printing.print_json(shown.result)
        with _writing(into):
            _write(folder, shown.files)
        if not as_json:
            printing.print_lines("")
        _print_text("\n\n".join(_next_steps(kind, into, sorted(shown.files))), as_json=as_json)
    raise typer.Exit(shown.code)


def _print_text(text: str, *, as_json: bool) -> None:
    (printing.print_notice if as_json else printing.print_report)(text)


def _temporary_folder(within: str) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(
        prefix="sparring-demo-", dir=within if within and Path(within).is_dir() else None
    )


def _settings(folder: Path, environment: Mapping[str, str]) -> Settings:
    """Return settings with scripted speakers only, in a copy of the example project."""
    project, providers = folder / _PROJECT, folder / "providers"
    shutil.copytree(_EXAMPLE / "project", project)
    (project / ".git").mkdir()  # otherwise a repository around the temporary folder would be used as the project
    providers.mkdir()
    kept = {name: environment[name] for name in _KEPT if name in environment}
    elsewhere = {"HOME": str(folder), "AI_STATE_DIR": str(folder / "state")}
    return Settings({"PATH": os.defpath, **kept, **elsewhere}, project, providers, folder / "cache")


def _play(kind: str, settings: Settings, *, as_json: bool) -> _Shown | None:
    """Run a deliberation to its end; None if it was interrupted."""
    script = tomllib.loads((_EXAMPLE / f"{kind}.toml").read_text(encoding="utf-8"))
    for tool in script["tools"]:
        _seat(tool, script.get("families", {}).get(tool, "none"), settings.provider_dir)
    request = App(settings).request(FORMATS[kind].options.model_validate(script["options"]))
    exhibits = request.exhibits if isinstance(request, DebateRequest) else ()
    numbers = {f"<{each.path}>": f"E{each.number}" for each in exhibits}
    for tool in script["tools"]:
        replies = [reply for reply in script["replies"] if reply.get("tool", tool) == tool]
        _write_script(settings.provider_dir / f"{tool}.json", replies, numbers)
    app = App(settings)  # a new one: the first read the scripts while they were empty
    opened = app.begin(request)
    with watching(opened.header.request) as observe:
        run = anyio.run(until_done_or_stopped, lambda: app.work(opened, observe))
    if run is None:
        return None
    view = RunView(run)
    text = view.report()
    if not as_json:
        printing.print_conclusion(view)
        if caught := [line for line in text.splitlines() if line.startswith(_CAUGHT)]:
            printing.print_lines("")
            printing.print_report("\n".join((f"From {_REPORT}:", "", *caught)))
    last = [app.place.state / path for path, _ in FORMATS[kind].last_files]
    files = {path.name: path.read_bytes() for path in last if path.is_file()}
    return _Shown(view.result(), {**files, _REPORT: text.encode(), _PAGE: view.page().encode()}, exit_code(run))


def _seat(tool: str, family: str, providers: Path) -> None:
    """Create a provider of that name, without a script yet."""
    _write_script(providers / f"{tool}.json", (), {})
    spec = f'kind = "scripted"\nfamily = "{family}"\ntitle = "{tool}"\nscript = "{tool}.json"\n'
    (providers / f"{tool}.toml").write_text(spec, encoding="utf-8")


def _write_script(file: Path, replies: Sequence[Mapping[str, Any]], numbers: Mapping[str, str]) -> None:
    """Write a speaker's script; a file that is an exhibit is cited by its number from ``numbers``, others by path."""
    delay_s = _PAUSE_S if invocation().streams.stderr.isatty() else 0
    responses = [
        {
            "match": reply.get("match", {}),
            "response": _CITED.sub(lambda cited: numbers.get(cited[0], cited["path"]), reply["response"].strip()),
            "delay_s": delay_s,
        }
        for reply in replies
    ]
    file.write_text(json.dumps({"replies": responses}), encoding="utf-8")


def _verified(settings: Settings, *, as_json: bool) -> _Shown:
    """Check the answer about the example project against that project."""
    answer = NamedText(_ANSWER, (_EXAMPLE / _ANSWER).read_text(encoding="utf-8"))
    evidence = NamedText(_EVIDENCE, (_EXAMPLE / _PROJECT / _EVIDENCE).read_text(encoding="utf-8"))
    cited = anyio.run(look_up, answer.text, settings.cwd, settings.environment)
    checked = check_text(answer, [evidence], RepositoryLedger(Path(_PROJECT), cited.ledger))
    if not as_json:
        printing.print_lines("")
        printing.print_report(answer.text)
        printing.print_lines("")
        show_findings(checked, Texts(answer.text, [evidence.text]))
    return _Shown(checked, {_ANSWER: answer.text.encode()}, ExitCode.DONE)


def _refuse_others(folder: Path, into: str) -> None:
    """Raise ``UsageError`` if the folder contains files that no demonstration wrote."""
    shown = repr(into)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{shown} exists and is not a folder.", hint="Name another one with --output.")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    about = folder / _ABOUT
    if (
        about.is_symlink()
        or not about.is_file()
        or not about.read_bytes().startswith(_OURS.partition("\n")[0].encode())
    ):
        raise UsageError(
            f"{shown} contains files that are not from a demonstration.", hint="Name another with --output."
        )


@contextmanager
def _writing(into: str) -> Generator[None]:
    try:
        yield
    except (OSError, StoreError) as error:
        raise UsageError(f"{into!r} cannot be written.", hint="Name another folder with --output.") from error


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Replace the files of an earlier demonstration by ``files`` and the example project."""
    project = folder / _PROJECT
    with suppress(FileNotFoundError):
        shutil.rmtree(project)
    for name in _NAMES:
        (folder / name).unlink(missing_ok=True)
    for path in sorted((_EXAMPLE / "project").rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            replace_file(project / path.relative_to(_EXAMPLE / "project"), path.read_bytes())
    for name, content in files.items():
        replace_file(folder / name, content)


_COMMANDS: Mapping[Kind, str] = {
    "debate": '`sparring debate "Should we ...?"`',
    "review": "`sparring review`",
    "jury": '`sparring jury "We retry three times." --truth-file README.md`',
    "fact-check": '`sparring fact-check "We retry three times." --evidence-file README.md`',
    "verify": '`claude -p "How do we retry?" | sparring verify text - --repo`',
}


def _next_steps(kind: Kind, into: str, files: Sequence[str]) -> Sequence[str]:
    """Return hints about the files, and about doing the same with the user's own tools."""
    files_line = f"In {into}/: {', '.join(files)}, and project/, its subject."
    if kind == "verify":
        return files_line, f"With any answer of yours: {_COMMANDS[kind]}"
    if not (ready := _ready()):
        return files_line, "No AI tool is ready, and one is enough: `sparring doctor` lists what each needs."
    return files_line, f"You have {_listed(ready)}: {_COMMANDS[kind]}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _ready() -> Sequence[str]:
    """Return the user's own tools that can be asked."""
    try:
        return tuple(App(invocation().settings()).roster.ai_tools())
    except SparringError:
        return ()
