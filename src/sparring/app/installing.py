"""Set hosts up for us, and take that back."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sparring.errors import ConfigurationError, ToolNotFoundError, UsageError
from sparring.hosts.files import LEFT, RECEIPT_NAME, Change, Receipt, carry_out, made_by, read_file, read_receipt, tidy
from sparring.hosts.known import KNOWN_HOSTS, KnownHost, Surroundings, is_here, known_host, server_program
from sparring.hosts.plan import Plan, difference, is_marked, plan_installation, plan_removal
from sparring.schema.installations import (
    FileAction,
    HostInstallation,
    HostOutcome,
    Installation,
    InstalledFile,
    Scope,
)
from sparring.settings import Settings
from sparring.store.files import replace_file
from sparring.store.hosts import project_root
from sparring.text.tidying import for_terminal

_ABSENT = "not found on this machine"


@dataclass(frozen=True)
class InstallationWish:
    """What was typed.

    Attributes:
        hosts: Their names; none with ``everywhere``.
        everywhere: Every host that is here.
    """

    hosts: tuple[str, ...]
    everywhere: bool
    scope: Scope
    dry_run: bool


def install(settings: Settings, wish: InstallationWish) -> Installation:
    """Give the hosts our server, skills and commands; nothing is written unless everything can be.

    Raises:
        UsageError: The wish contradicts itself, or names a host that is not known.
        ConfigurationError: A file of a host is in the way or cannot be understood; nothing was changed.
        ToolNotFoundError: No host is here, or there is no program that a host could start.
        HostFileError: A file cannot be written.
    """
    around = _surroundings(settings)
    chosen = _chosen(wish)
    here = [host for host in chosen if is_here(host, around)]
    if wish.everywhere and not here:
        raise ToolNotFoundError("No host was found on this machine.", hint="Name one: `sparring install HOST`.")
    program = server_program(wish.scope, Path(sys.executable), settings.environment)
    receipt = read_receipt(settings.provider_dir.parent)
    wanted = here if wish.everywhere else chosen
    plans = [plan_installation(host, wish.scope, around, program, receipt) for host in wanted]
    results = {
        result.host: result
        for result in _carried_out(
            settings, wish, plans, receipt, note=lambda host: "" if host in here else f"It was {_ABSENT}."
        )
    }
    skipped = {
        host.name: HostInstallation(
            host=host.name, title=host.title, outcome=HostOutcome.SKIPPED, reason=f"It was {_ABSENT}."
        )
        for host in chosen
    }
    return _installation("install", wish, [(skipped | results)[host.name] for host in chosen])


def uninstall(settings: Settings, wish: InstallationWish) -> Installation:
    """Take out of the hosts what ``install`` put there, and nothing else.

    Raises:
        UsageError, ConfigurationError, HostFileError: As ``install``.
    """
    receipt = read_receipt(settings.provider_dir.parent)
    around = _surroundings(settings)
    plans = [plan_removal(host, wish.scope, around, receipt) for host in _chosen(wish)]
    return _installation("uninstall", wish, _carried_out(settings, wish, plans, receipt, note=lambda _: ""))


def _chosen(wish: InstallationWish) -> tuple[KnownHost, ...]:
    if wish.everywhere == bool(wish.hosts):
        names = ", ".join(host.name for host in KNOWN_HOSTS)
        raise UsageError("Name a host, or give --all instead.", hint=f"Hosts: {names}.")
    return KNOWN_HOSTS if wish.everywhere else tuple(map(known_host, dict.fromkeys(wish.hosts)))


def _surroundings(settings: Settings) -> Surroundings:
    return Surroundings.of(settings.environment, project_root(settings.cwd, settings.environment))


def _installation(action: str, wish: InstallationWish, hosts: list[HostInstallation]) -> Installation:
    return Installation(action=action, scope=wish.scope, dry_run=wish.dry_run, hosts=tuple(hosts))


def _carried_out(
    settings: Settings, wish: InstallationWish, plans: list[Plan], receipt: Receipt, *, note: Callable[[KnownHost], str]
) -> list[HostInstallation]:
    """Write all plans down, unless it is a dry run, and say what each came to."""
    folder = settings.provider_dir.parent
    changes = _changes(plans)
    backups: dict[Path, Path | None] = {}
    if changes and not wish.dry_run:
        record = Change(folder / RECEIPT_NAME, read_file(folder / RECEIPT_NAME), b"")
        receipt = receipt.with_made(made_by([*changes, record]), _provided(plans))
        _remember(folder, receipt)  # first: what cannot be remembered is not made
        written = carry_out(changes, wish.scope)
        backups = {change.path: backup for change, backup in zip(changes, written, strict=True)}
        tidy(changes, receipt)
        _remember(folder, receipt.of_what_is_there())
    return [_result(settings, plan, backups, note(plan.host)) for plan in plans]


def _changes(plans: list[Plan]) -> list[Change]:
    """All changes, each file once: the skills of one host may be a link to those of another.

    Raises:
        ConfigurationError: Two hosts want different things of one file.
    """
    changes: dict[Path, Change] = {}
    for change in (change for plan in plans for change in plan.changes):
        if changes.setdefault(change.path, change).after != change.after:
            raise ConfigurationError(f"{change.path} belongs to two hosts. {LEFT}", hint="Name one host at a time.")
    return list(changes.values())


def _provided(plans: list[Plan]) -> dict[Path, bytes]:
    """The skills and commands that are about to be written."""
    return {
        change.path: change.after
        for plan in plans
        for change in plan.changes
        if change.after is not None and is_marked(change.after)
    }


def _remember(folder: Path, receipt: Receipt) -> None:
    """Keep ``receipt``; one that tells of nothing but itself goes, with the folders made for it."""
    record = folder / RECEIPT_NAME
    if any(Path(path) not in (record, *record.parents) for path in receipt.made):
        replace_file(record, receipt.model_dump_json(indent=2).encode() + b"\n")
    else:
        record.unlink(missing_ok=True)
        tidy([Change(record, b"", None)], receipt)


def _result(settings: Settings, plan: Plan, backups: dict[Path, Path | None], note: str) -> HostInstallation:
    files = [
        InstalledFile(
            path=_shown(change.path),
            action=_action(change),
            diff=for_terminal(difference(plan.host, change, settings.environment)),
            backup=_shown(backups.get(change.path) or ""),
        )
        for change in plan.changes
    ]
    return HostInstallation(
        host=plan.host.name,
        title=plan.host.title,
        outcome=HostOutcome.DONE if files else HostOutcome.UNCHANGED,
        files=tuple(files),
        notes=tuple(_shown(text) for text in (*plan.notes, note) if text),
    )


def _action(change: Change) -> FileAction:
    if change.before is None:
        return FileAction.CREATE
    return FileAction.DELETE if change.after is None else FileAction.CHANGE


def _shown(found: object) -> str:
    # A path may hold bytes that are no text, and JSON holds only text.
    return for_terminal(str(found))
