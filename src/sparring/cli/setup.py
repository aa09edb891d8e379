"""``sparring doctor``, ``providers``, ``install`` and ``uninstall``; and ``serve``, over standard streams or HTTP."""

from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path

import anyio
import typer

from sparring.app import App
from sparring.app.doctor import diagnose as find_out
from sparring.app.doctor import list_providers as find_providers
from sparring.app.installation import InstallationWish, install, uninstall
from sparring.app.installation import diagnose_host as find_out_about_host
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_json, print_lines, reporting_errors, say
from sparring.errors import ExitCode, UsageError
from sparring.reports.listings import diagnosis_report, host_report, installation_report, providers_list
from sparring.schema.setup import Diagnosis, Health, HostDiagnosis, Installation, Scope, Weight
from sparring.server.snapshot import load
from sparring.settings import Settings


def diagnose(*, deep: bool, as_json: bool) -> None:
    """Print the diagnosis; the exit code says whether something is broken."""
    with reporting_errors(as_json=as_json):
        app = App(invocation().settings())

        async def run() -> Diagnosis:
            return await find_out(app, deep=deep)

        diagnosis = anyio.run(run)
        if as_json:
            print_json(diagnosis)
        else:
            print_lines(diagnosis_report(diagnosis))
    raise typer.Exit(exit_code(diagnosis))


def diagnose_host(host: str, *, as_json: bool) -> None:
    """Print what is wrong with one host; the exit code says whether anything does not work."""
    with reporting_errors(as_json=as_json):
        app = App(invocation().settings())

        async def run() -> HostDiagnosis:
            return await find_out_about_host(app, host, starts_at_once=load() is not None)

        diagnosis = anyio.run(run)
        if as_json:
            print_json(diagnosis)
        else:
            print_lines(host_report(diagnosis))
    broken = any(finding.weight is Weight.PROBLEM for finding in diagnosis.findings)
    raise typer.Exit(ExitCode.FAILED if broken else ExitCode.DONE)


def list_providers(*, as_json: bool) -> None:
    """Print who can be asked. That somebody cannot is no fault of this command."""
    with reporting_errors(as_json=as_json):
        found = find_providers(App(invocation().settings()))
        if as_json:
            print_json(found)
        else:
            print_lines(providers_list(found))


def exit_code(diagnosis: Diagnosis) -> ExitCode:
    """3 when an installed tool cannot be used, 1 when something else is wrong. A tool not installed is no fault."""
    if any(provider.health is Health.BROKEN for provider in diagnosis.providers):
        return ExitCode.TOOL_MISSING
    return ExitCode.FAILED if diagnosis.problems else ExitCode.DONE


class Shown(Enum):
    """What is shown of a change that is not made: the files, or every line."""

    FILES = auto()
    LINES = auto()


def shown_of(dry_run: bool, diff: bool) -> Shown | None:  # noqa: FBT001 -- flags, as they are typed
    """What is to be shown only; None where the change is to be made."""
    return Shown.LINES if diff else Shown.FILES if dry_run else None


def install_hosts(hosts: list[str], *, everywhere: bool, scope: Scope, shown: Shown | None, as_json: bool) -> None:
    """Set the hosts up, and print what was written."""
    carry_out(install, InstallationWish(tuple(hosts), everywhere, scope, shown is not None), shown, as_json=as_json)


def uninstall_hosts(hosts: list[str], *, everywhere: bool, scope: Scope, shown: Shown | None, as_json: bool) -> None:
    """Take us out of the hosts, and print what was written."""
    carry_out(uninstall, InstallationWish(tuple(hosts), everywhere, scope, shown is not None), shown, as_json=as_json)


def scope_of(*, user: bool, project: bool, as_json: bool) -> Scope:
    """The scope that was typed; the user's, if none was."""
    with reporting_errors(as_json=as_json):
        if user and project:
            raise UsageError("Give --user or --project, not both.")
    return Scope.PROJECT if project else Scope.USER


def carry_out(
    do: Callable[[Settings, InstallationWish], Installation],
    wish: InstallationWish,
    shown: Shown | None,
    *,
    as_json: bool,
) -> None:
    """Do what was wished for, and print what was written."""
    with reporting_errors(as_json=as_json):
        installation = do(invocation().settings(), wish)
        if as_json:
            print_json(installation)
        else:
            print_lines(installation_report(installation, with_diff=shown is Shown.LINES))


def serve_stdio(token_file: Path | None) -> None:
    """Serve the host that has started us."""
    from sparring.server.__main__ import main  # noqa: PLC0415 -- the other way needs none of it

    with reporting_errors(as_json=False):
        if token_file:
            raise UsageError("A token is for who is served over HTTP.", hint="Add --http HOST:PORT.")
    main()


def serve_http(address: str, token_file: Path | None, *, grace_s: float) -> None:
    """Serve whoever comes to ``address`` with the token, until a signal ends us."""
    from sparring.server.http import Bounds, serve  # noqa: PLC0415 -- the other way needs none of it

    with reporting_errors(as_json=False):
        serve(address, token_file, say, bounds=Bounds(grace_s=grace_s), settings=invocation().settings())
