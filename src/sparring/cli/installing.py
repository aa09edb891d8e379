"""``sparring install`` and ``sparring uninstall``."""

from collections.abc import Callable

from sparring.app.installation import InstallationWish, install, uninstall
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_json, print_lines, reporting_errors
from sparring.errors import UsageError
from sparring.reports.listings import installation_report
from sparring.schema.installations import Installation, Scope
from sparring.settings import Settings


def install_hosts(hosts: list[str], *, everywhere: bool, scope: Scope, dry_run: bool, as_json: bool) -> None:
    """Set the hosts up, and print what was written."""
    _print(install, InstallationWish(tuple(hosts), everywhere, scope, dry_run), as_json=as_json)


def uninstall_hosts(hosts: list[str], *, everywhere: bool, scope: Scope, dry_run: bool, as_json: bool) -> None:
    """Take us out of the hosts, and print what was written."""
    _print(uninstall, InstallationWish(tuple(hosts), everywhere, scope, dry_run), as_json=as_json)


def scope_of(*, user: bool, project: bool, as_json: bool) -> Scope:
    """The scope that was typed; the user's, if none was."""
    with reporting_errors(as_json=as_json):
        if user and project:
            raise UsageError("Give --user or --project, not both.")
    return Scope.PROJECT if project else Scope.USER


def _print(do: Callable[[Settings, InstallationWish], Installation], wish: InstallationWish, *, as_json: bool) -> None:
    with reporting_errors(as_json=as_json):
        installation = do(invocation().settings(), wish)
        if as_json:
            print_json(installation)
        else:
            print_lines(installation_report(installation))
