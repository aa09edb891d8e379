"""What ``sparring install`` and ``sparring uninstall`` do to the files of hosts."""

from enum import StrEnum

from sparring.schema.base import Record


class Scope(StrEnum):
    """For whom a host is set up: the user in every project, or everybody in this one."""

    USER = "user"
    PROJECT = "project"


class FileAction(StrEnum):
    """What happens to one file."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"


class InstalledFile(Record):
    """One file that was changed, or would be.

    Attributes:
        diff: What changes in it, as a unified diff, without secrets.
        backup: Where a copy of what was there before lies; empty if nothing was there, or if it is ours as we made it.
    """

    path: str
    action: FileAction
    diff: str
    backup: str = ""


class HostOutcome(StrEnum):
    """How it went with one host. DONE: its files are as they should be now (with a dry run: would be)."""

    DONE = "done"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"


class HostInstallation(Record):
    """One host.

    Attributes:
        reason: Why it was skipped.
        notes: What the user has to know or do besides.
    """

    host: str
    title: str
    outcome: HostOutcome
    files: tuple[InstalledFile, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()


class Installation(Record):
    """What was asked for, and what became of it.

    Attributes:
        action: ``install`` or ``uninstall``.
        dry_run: Whether nothing was written.
    """

    action: str
    scope: Scope
    dry_run: bool
    hosts: tuple[HostInstallation, ...]
