"""Plans to install sparring into a host, or to remove it, complete before any file is touched.

An entry goes into the host's settings. Skills are installed with it, and commands for hosts that need them; each
has a mark that identifies it as ours, and a file of the same name without the mark belongs to another author.
"""

import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import cast

from msgspec import Struct

from sparring.errors import ConfigurationError
from sparring.hosts import entries
from sparring.hosts.files import (
    LEFT,
    Change,
    Receipt,
    check_writable,
    kept,
    read_file,
    resolved,
    text_of,
    unreadable_settings_error,
)
from sparring.hosts.known import CommandFile, HostPaths, HostSurroundings, KnownHost, host_paths
from sparring.prompts.skills import PROVIDED_BY, Skill, skills
from sparring.schema.setup import Scope
from sparring.text.redaction import Redactor, secret_values

_MARK = re.compile(rb"^(?:[ \t]+|# )provided-by: " + PROVIDED_BY.encode() + rb"[ \t]*\r?$", re.MULTILINE)
_HEAD_LIMIT = 4096
"""Bytes within which the mark must occur: it belongs to the head of a file, not to its content."""


class HostFile(Struct, frozen=True):
    """One file of ours.

    Attributes:
        content: Content that an installation writes.
        portable: The same without parts for this host only; a file with this content is up to date as well.
    """

    path: Path
    content: bytes
    portable: bytes | None = None

    def is_in(self, content: bytes | None) -> bool:
        """Return whether ``content`` is this file, as this host or as any host reads it."""
        return content is not None and content in (self.content, self.portable)


def host_files(host: KnownHost, where: HostPaths) -> tuple[HostFile, ...]:
    """Return all files that ``host`` is to have there; none for a host without skills and commands.

    Raises:
        PromptError: The skills of this installation cannot be read.
    """
    ours = skills() if where.skills or where.commands else ()
    files = list[HostFile]()
    if where.skills is not None:
        files += [file for skill in ours for file in _skill_files(host, skill, where.skills / skill.name)]
    if where.commands is not None:
        files += [_command(host.command_file, skill, where.commands) for skill in ours]
    return tuple(files)


def is_marked(content: bytes) -> bool:
    """Return whether a skill or command with this content is ours."""
    return _MARK.search(content, 0, _HEAD_LIMIT) is not None


def _skill_files(host: KnownHost, skill: Skill, folder: Path) -> list[HostFile]:
    sources = sorted(file for file in skill.folder.rglob("*") if file.is_file())
    files = {folder / file.relative_to(skill.folder): file.read_bytes() for file in sources}
    if not host.shows_argument_hint:
        return [HostFile(path, content) for path, content in files.items()]
    # The specification of skills knows no such field, and its validator rejects a skill that has it.
    hint = f"argument-hint: {json.dumps(skill.argument_hint)}\nmetadata:\n".encode()
    return [HostFile(path, body.replace(b"metadata:\n", hint, 1), body) for path, body in files.items()]


def _command(kind: CommandFile, skill: Skill, folder: Path) -> HostFile:
    if kind is CommandFile.GEMINI:
        return HostFile(folder / f"{skill.name}.toml", _gemini_command(skill).encode())
    return HostFile(folder / f"{skill.name}.md", _opencode_command(skill).encode())


def _gemini_command(skill: Skill) -> str:
    import tomlkit  # noqa: PLC0415 -- only an installation needs it

    prompt = tomlkit.string(skill.body.replace("$ARGUMENTS", "{{args}}"), multiline=True).as_string()
    prompt = f'"""\n{prompt[3:]}'  # the line end right after the quotes does not count
    return f"# provided-by: {PROVIDED_BY}\ndescription = {json.dumps(skill.description)}\nprompt = {prompt}\n"


def _opencode_command(skill: Skill) -> str:
    head = f"description: {json.dumps(skill.description)}\nmetadata:\n  provided-by: {PROVIDED_BY}"
    return f"---\n{head}\n---\n{skill.body}"


class Plan(Struct, frozen=True):
    """All changes for one host; none if everything is as it should be."""

    host: KnownHost
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


def plan_installation(host: KnownHost, scope: Scope, around: HostSurroundings, program: str, receipt: Receipt) -> Plan:
    """Plan the changes that make ``host`` start ``program`` as our server and know our skills.

    Args:
        host: The host of the files.
        scope: The scope of the files.
        around: Their folders.
        program: The program to start.
        receipt: Files and folders of earlier installations.

    Raises:
        ConfigurationError: A file is in the way, is protected, cannot be read or cannot be parsed.
    """
    where, within = host_paths(host, scope, around), bounds(scope, around)
    settings = _settings_file(host, where.settings, within)
    before = read_file(settings)
    notes = list(host.notes)
    changes: list[Change] = []
    try:
        text = text_of(before)
        entry = entries.read_entry(host, text)
        if entries.names_address(entry):
            notes.append(_at_address(settings))
        else:
            after = entries.with_entry(host, text, program).encode()
            if after != before:
                # The file of an earlier installation that is unchanged since needs no backup copy.
                is_ours = False
                if before and entry and entries.is_ours(entry):
                    is_ours = _without(host, settings, before, entry, receipt).is_ours
                changes.append(Change(settings, before, after, is_ours=is_ours))
    except ValueError as error:
        raise unreadable_settings_error(settings, error) from error
    for offering in host_files(host, where):
        changes += changes_to_write(offering, within, receipt)
    return checked_plan(host, changes, tuple(notes) if changes else ())


def plan_removal(host: KnownHost, scope: Scope, around: HostSurroundings, receipt: Receipt) -> Plan:
    """Plan the removal of everything of ours from ``host``.

    Args:
        host: The host of the files.
        scope: The scope of the files.
        around: Their folders.
        receipt: Files and folders of installations; such a file is removed when nothing is left in it.

    Raises:
        ConfigurationError: As ``plan_installation``.
    """
    where, within = host_paths(host, scope, around), bounds(scope, around)
    changes: list[Change] = []
    notes: list[str] = []
    for path in where.settings:
        settings = resolved(path, within)
        before = read_file(settings)
        if before is None:
            continue
        try:
            entry = entries.read_entry(host, text_of(before))
            if entry is not None and entries.is_ours(entry):
                change = _without(host, settings, before, entry, receipt)
                changes.append(change)
                if entries.read_entry(host, text_of(change.after)) is not None:
                    notes.append(f"{settings} has the entry again that was there before the installation.")
            elif entries.names_address(entry):
                notes.append(_at_address(settings))
            elif entry is not None:
                notes.append(f"The entry in {settings} starts another program, so it stays.")
        except ValueError as error:
            raise unreadable_settings_error(settings, error) from error
    withdrawn = [_withdrawn(offering, within, receipt) for offering in host_files(host, where)]
    changes += [change for change in withdrawn if isinstance(change, Change)]
    notes += [note for note in withdrawn if isinstance(note, str)]
    return checked_plan(host, changes, tuple(notes))


def _withdrawn(offering: HostFile, within: Path | None, receipt: Receipt) -> Change | str | None:
    """Return the change that removes ``offering``, or why it stays; None if there is nothing of ours."""
    path = resolved(offering.path, within)
    content = read_file(path)
    if content is None or not is_marked(content):
        return None
    if path != offering.path and not receipt.has_made(path):  # a checkout, or the installed file itself
        return f"{offering.path} leads to {path}, which no installation has made, so it stays."
    return Change(path, content, None, is_ours=_is_ours(path, content, offering, receipt))


def checked_plan(host: KnownHost, changes: list[Change], notes: tuple[str, ...] = ()) -> Plan:
    """Return the plan of ``changes``; raises ``ConfigurationError`` where a file is protected."""
    for change in changes:
        check_writable(change.path)
    return Plan(host, tuple(changes), notes)


def _at_address(settings: Path) -> str:
    return f"The entry in {settings} is for a server at an address, so it stays."


def bounds(scope: Scope, around: HostSurroundings) -> Path | None:
    """Return the folder in which files of that scope must lie; None if they may lie anywhere."""
    # A cloned repository must not choose which files outside of it are changed.
    return around.project if scope is Scope.PROJECT else None


def restoring_change(
    path: Path, before: bytes, inserted: Callable[[str], str], take_out: Callable[[str], str], *, is_made: bool
) -> Change:
    """Restore ``path`` to its state before the installation if it is unchanged since, else remove our part of it.

    Args:
        path: The file; copies of earlier states may lie next to it.
        before: Its present content.
        inserted: Adds our part to a text.
        take_out: Removes our part; it leaves a text without it unchanged.
        is_made: Whether an installation has made the file: it is removed when nothing else is left in it.

    Raises:
        ValueError: As ``take_out``.
    """
    text = text_of(before)
    for copy in kept(path):
        if _leads_to(copy, text, inserted, take_out):
            return Change(path, before, copy, is_ours=True)
    after = take_out(text)
    if is_made:
        new_file = inserted("")  # as an installation writes it where there is none
        if after.strip() == take_out(new_file).strip():
            return Change(path, before, None, is_ours=new_file == text)
    return Change(path, before, after.encode())


def _leads_to(copy: bytes, text: str, inserted: Callable[[str], str], take_out: Callable[[str], str]) -> bool:
    """Return whether ``copy`` has nothing of ours, and an installation turns it into ``text``."""
    try:
        old = text_of(copy)
        return take_out(old) == old and inserted(old) == text
    except ValueError:
        return False


def _without(host: KnownHost, settings: Path, before: bytes, entry: entries.Entry, receipt: Receipt) -> Change:
    """Return ``settings`` without ``entry``, which is ours."""

    def take_out(text: str) -> str:
        entry = entries.read_entry(host, text)
        return entries.without_entry(host, text) if entry and entries.is_ours(entry) else text

    inserted = partial(entries.with_entry, host, program=entries.command_of(entry).program)
    return restoring_change(settings, before, inserted, take_out, is_made=receipt.has_made(settings))


def changes_to_write(offering: HostFile, within: Path | None, receipt: Receipt) -> Iterator[Change]:
    """Yield the change that writes ``offering``; raises ``ConfigurationError`` for a file of someone else."""
    path = resolved(offering.path, within)
    before = read_file(path)
    if offering.is_in(before):
        return
    if before is not None and not is_marked(before):
        raise ConfigurationError(
            f"{path} is not from sparring. {LEFT}", hint="Rename it or move it away; it would be replaced."
        )
    is_ours = before is not None and _is_ours(path, before, offering, receipt)
    yield Change(path, before, offering.content, is_ours=is_ours)


def _is_ours(path: Path, content: bytes, offering: HostFile, receipt: Receipt) -> bool:
    """Return whether the file is unchanged since an installation, of this version or another, wrote it."""
    return offering.is_in(content) or receipt.has_written(path, content)


def _settings_file(host: KnownHost, candidates: tuple[Path, ...], within: Path | None) -> Path:
    """Return the file that has our entry, else the first that exists, else the first candidate."""
    existing: list[Path] = []
    for candidate in candidates:
        path = resolved(candidate, within)
        content = read_file(path)
        if content is None:
            continue
        existing.append(path)
        try:
            if entries.read_entry(host, text_of(content)) is not None:
                return path
        except ValueError as error:
            raise unreadable_settings_error(path, error) from error
    return existing[0] if existing else resolved(candidates[0], within)


_HOLDERS = {"env", "environment", "headers", "http_headers"}
"""Keys of settings that hold values for a server that others should not see."""


def difference(host: KnownHost, change: Change, environment: Mapping[str, str]) -> str:
    """Return ``change`` as a unified diff; secrets are removed from both files as a whole before the comparison."""
    before_text, after_text = ((content or b"").decode(errors="replace") for content in (change.before, change.after))
    try:
        settings = entries.read_settings(host, before_text)
    except ValueError:
        settings = {}  # a skill or a command
    redactor = Redactor([*secret_values(environment), *_strings_in(settings, is_secret=False)])
    before, after = (redactor.redact(text).text.splitlines() for text in (before_text, after_text))
    before_name = "/dev/null" if change.before is None else str(change.path)
    after_name = "/dev/null" if change.after is None else str(change.path)
    return "\n".join(difflib.unified_diff(before, after, before_name, after_name, lineterm=""))


def _strings_in(content: object, *, is_secret: bool) -> Iterator[str]:
    """Yield the texts in settings that are values for a server; all of ``content`` if ``is_secret``."""
    if isinstance(content, str) and is_secret:
        yield content
    elif isinstance(content, dict):
        for key, value in cast("dict[str, object]", content).items():
            yield from _strings_in(value, is_secret=is_secret or key in _HOLDERS)
    elif isinstance(content, list):
        for value in cast("list[object]", content):
            yield from _strings_in(value, is_secret=is_secret)
