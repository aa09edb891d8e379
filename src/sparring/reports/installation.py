"""An installation for people."""

from sparring.schema.installations import FileAction, HostInstallation, HostOutcome, Installation, InstalledFile

_DONE = {FileAction.CREATE: "made", FileAction.CHANGE: "changed", FileAction.DELETE: "removed"}
_WOULD = {FileAction.CREATE: "would make", FileAction.CHANGE: "would change", FileAction.DELETE: "would remove"}


def installation_report(installation: Installation) -> str:
    """A few lines for each host; with a dry run the diff of every file."""
    lines: list[str] = []
    for host in installation.hosts:
        lines += _host_lines(host, dry_run=installation.dry_run)
    changed = any(host.outcome is HostOutcome.DONE for host in installation.hosts)
    if installation.dry_run:
        lines += ["", "Nothing was written: this was a dry run."]
    elif changed:
        lines += ["", "A host that is running sees this when it is started again."]
    return "\n".join(lines)


def _host_lines(host: HostInstallation, *, dry_run: bool) -> list[str]:
    if host.outcome is HostOutcome.SKIPPED:
        return [f"{host.title}: skipped. {host.reason}"]
    if host.outcome is HostOutcome.UNCHANGED:
        return [f"{host.title}: nothing to change.", *(f"  {note}" for note in host.notes)]
    lines = [f"{host.title}:"]
    for file in host.files:
        lines += _file_lines(file, dry_run=dry_run)
    return [*lines, *(f"  {note}" for note in host.notes)]


def _file_lines(file: InstalledFile, *, dry_run: bool) -> list[str]:
    if dry_run:
        return [f"  {_WOULD[file.action]} {file.path}", *file.diff.splitlines()]
    kept = f" (before: {file.backup})" if file.backup else ""
    return [f"  {_DONE[file.action]} {file.path}{kept}"]
