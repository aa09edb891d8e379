"""``sparring doctor`` and ``sparring providers``."""

import anyio
import typer

from sparring.app import App
from sparring.app.doctor import diagnose as find_out
from sparring.app.installation import diagnose_host as find_out_about_host
from sparring.app.listing import list_providers as find_providers
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_json, print_lines, reporting_errors
from sparring.errors import ExitCode
from sparring.reports.listings import diagnosis_report, host_report, providers_list
from sparring.schema.diagnosis import Diagnosis, Health, HostDiagnosis, Weight
from sparring.server.snapshot import load


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
