"""What has to change for a host to have us, or to be rid of us: worked out for every file before any is touched."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sparring.errors import ConfigurationError
from sparring.hosts.backups import kept
from sparring.hosts.entries import (
    Entry,
    command_of,
    is_ours,
    names_address,
    read_entry,
    wanted,
    with_entry,
    without_entry,
)
from sparring.hosts.known import KnownHost
from sparring.hosts.offerings import Offering, is_marked, offerings
from sparring.hosts.places import Surroundings, places
from sparring.hosts.reading import LEFT, check_writable, not_understood, read_file, resolved, text_of
from sparring.hosts.receipt import Receipt
from sparring.schema.installations import Scope


@dataclass(frozen=True)
class Change:
    """One file before and after; None where it is not there.

    Attributes:
        path: The file itself, not a link to it.
        is_ours: Whether ``before`` is exactly what an installation makes, so that nothing is lost with it.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    is_ours: bool = False


@dataclass(frozen=True)
class Plan:
    """All changes for one host; none if everything is as it should be."""

    host: KnownHost
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


def plan_installation(host: KnownHost, scope: Scope, around: Surroundings, program: str, receipt: Receipt) -> Plan:
    """What it takes for ``host`` to start ``program`` as our server and to know our skills.

    Args:
        host: Whose files are meant.
        scope: Which of them.
        around: Where they are.
        program: What is to be started.
        receipt: What installations have made so far.

    Raises:
        ConfigurationError: A file is in the way, is protected, cannot be read or cannot be understood.
    """
    where, within = places(host, scope, around), _within(scope, around)
    settings = _settings_file(host, where.settings, within)
    before = read_file(settings)
    notes = list(host.notes)
    try:
        if names_address(read_entry(host, text_of(before))):
            after = before
            notes.append(_at_address(settings))
        else:
            after = with_entry(host, text_of(before), program).encode()
    except ValueError as error:
        raise not_understood(settings, error) from error
    changes = [Change(settings, before, after)] if after != before else []
    changes += [change for offering in offerings(host, where) for change in _provided(offering, within, receipt)]
    return _plan(host, changes, tuple(notes) if changes else ())


def plan_removal(host: KnownHost, scope: Scope, around: Surroundings, receipt: Receipt) -> Plan:
    """What it takes for ``host`` to have nothing of ours any more.

    Args:
        host: Whose files are meant.
        scope: Which of them.
        around: Where they are.
        receipt: What installations have made; a file among it goes when nothing is left in it.

    Raises:
        ConfigurationError: As ``plan_installation``.
    """
    where, within = places(host, scope, around), _within(scope, around)
    changes: list[Change] = []
    notes: list[str] = []
    for path in where.settings:
        settings = resolved(path, within)
        before = read_file(settings)
        if before is None:
            continue
        try:
            entry = read_entry(host, text_of(before))
            if entry is not None and is_ours(entry):
                change = _without(host, settings, before, entry, is_made=receipt.has_made(settings))
                changes.append(change)
                if read_entry(host, text_of(change.after)) is not None:
                    notes.append(f"{settings} has the entry again that was there before the installation.")
            elif names_address(entry):
                notes.append(_at_address(settings))
            elif entry is not None:
                notes.append(f"The entry in {settings} starts another program, so it stays.")
        except ValueError as error:
            raise not_understood(settings, error) from error
    for offering in offerings(host, where):
        path = resolved(offering.path, within)
        content = read_file(path)
        if content is not None and is_marked(content):
            changes.append(Change(path, content, None, is_ours=_is_ours(path, content, offering, receipt)))
    return _plan(host, changes, tuple(notes))


def _plan(host: KnownHost, changes: list[Change], notes: tuple[str, ...]) -> Plan:
    for change in changes:
        check_writable(change.path)
    return Plan(host, tuple(changes), notes)


def _at_address(settings: Path) -> str:
    return f"The entry in {settings} is for a server at an address, so it stays."


def _within(scope: Scope, around: Surroundings) -> Path | None:
    # A cloned repository must not choose what is changed outside of it.
    return around.project if scope is Scope.PROJECT else None


def _without(host: KnownHost, settings: Path, before: bytes, entry: Entry, *, is_made: bool) -> Change:
    text, program = text_of(before), command_of(entry).program
    for copy in kept(settings):
        if _leads_to(host, copy, text, program):
            return Change(settings, before, copy, is_ours=True)
    after = without_entry(host, text)
    if is_made and after.strip() in {"", "{}"}:
        return Change(settings, before, None, is_ours=entry == wanted(host, program, entry))
    return Change(settings, before, after.encode())


def _leads_to(host: KnownHost, copy: bytes, text: str, program: str) -> bool:
    """Whether ``text`` is what an installation makes of ``copy``: nobody has changed it since."""
    try:
        so_far = read_entry(host, text_of(copy))
        return not (so_far and is_ours(so_far)) and with_entry(host, text_of(copy), program) == text
    except ValueError:
        return False


def _provided(offering: Offering, within: Path | None, receipt: Receipt) -> Iterator[Change]:
    path = resolved(offering.path, within)
    before = read_file(path)
    if before == offering.content:
        return
    if before is not None and not is_marked(before):
        raise ConfigurationError(
            f"{path} is not from sparring. {LEFT}", hint="Rename it or move it away; it would be replaced."
        )
    is_ours = before is not None and _is_ours(path, before, offering, receipt)
    yield Change(path, before, offering.content, is_ours=is_ours)


def _is_ours(path: Path, content: bytes, offering: Offering, receipt: Receipt) -> bool:
    """Whether nobody has changed what an installation, of this version or another, has written there."""
    return content == offering.content or receipt.has_written(path, content)


def _settings_file(host: KnownHost, candidates: tuple[Path, ...], within: Path | None) -> Path:
    """The file that holds our entry, else the first that is there, else the first."""
    there: list[Path] = []
    for candidate in candidates:
        path = resolved(candidate, within)
        content = read_file(path)
        if content is None:
            continue
        there.append(path)
        try:
            if read_entry(host, text_of(content)) is not None:
                return path
        except ValueError as error:
            raise not_understood(path, error) from error
    return there[0] if there else resolved(candidates[0], within)
