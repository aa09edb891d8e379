"""Collect the material of a request: read it, hold its limit, take secrets out, tell what is not in it.

Everything is read here, once, and goes into the request: a run that is resumed sees what it saw when it began.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import anyio

from sparring.app.place import Place
from sparring.app.wishes import ContextWish
from sparring.consult.context import Changes, read_changes, read_project_file
from sparring.errors import UsageError
from sparring.reports.phrases import byte_size, context_sizes
from sparring.schema.context import ContextPart, ContextSize
from sparring.schema.runs import RunKind
from sparring.settings import Settings
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line

DIFF = "diff"
_FILE = "file="
_BIGGEST_SHOWN = 3
_NAMES_SHOWN = 10
_NAME_SHOWN = 120


@dataclass(frozen=True)
class Material:
    """The parts of a context without their secrets, how many those were, and what the user should know."""

    parts: tuple[ContextPart, ...] = ()
    redactions: int = 0
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Read:
    """A part before it is known whether all fit together; ``text`` is None when it alone does not."""

    name: str
    size_bytes: int
    text: str | None
    notices: tuple[str, ...] = ()


def gather(wish: ContextWish, place: Place, settings: Settings, redactor: Redactor) -> Material:
    """What ``wish`` asks for.

    Raises:
        UsageError: A part does not exist or must not be read, or all together are too much.
    """
    read = tuple({part.name: part for part in _parts(wish, place, settings)}.values())
    if sum(part.size_bytes for part in read) > wish.limit_bytes:
        raise _too_much(read, wish.limit_bytes)
    parts: list[ContextPart] = []
    redactions = 0
    for part in read:
        harmless, name = redactor.redact(part.text or ""), redactor.redact(part.name)
        redactions += harmless.count + name.count
        parts.append(ContextPart(name=name.text, size_bytes=part.size_bytes, text=harmless.text))
    return Material(tuple(parts), redactions, tuple(notice for part in read for notice in part.notices))


def _parts(wish: ContextWish, place: Place, settings: Settings) -> Iterator[_Read]:
    for spelling in wish.spellings:
        if spelling == DIFF:
            yield _diff(wish, place, settings)
        elif spelling.startswith(_FILE):
            yield _file(spelling.removeprefix(_FILE), wish, place, settings)
        else:
            shown = one_line(repr(spelling), _NAME_SHOWN)
            raise UsageError(f"There is no context {shown}.", hint="It can be `diff` or `file=PATH`.")
    if wish.piped:
        yield _Read(wish.piped.name, wish.piped.size_bytes, wish.piped.text)


def _file(path: str, wish: ContextWish, place: Place, settings: Settings) -> _Read:
    found = read_project_file(
        path,
        project=place.project,
        folders=(settings.cwd, place.project),
        limit=wish.limit_bytes,
        secrets_allowed=wish.secrets_allowed,
    )
    return _Read(found.path, found.size_bytes, found.text)


def _diff(wish: ContextWish, place: Place, settings: Settings) -> _Read:
    changes = anyio.run(
        partial(
            read_changes,
            place.project,
            settings.environment,
            limit=wish.limit_bytes,
            ignored=_own_folders(place),
            secrets_allowed=wish.secrets_allowed,
        )
    )
    if changes.text is None:
        return _Read(DIFF, changes.size_bytes, None)
    text = changes.text + _not_shown(changes)
    if not text:
        raise UsageError("Nothing has changed since the last commit, so that there is no diff to hand over.")
    return _Read(DIFF, len(text.encode()), text, tuple(_diff_notices(changes)))


def _own_folders(place: Place) -> tuple[str, ...]:
    """Where our own records lie, from the project's root: they are nobody's work."""
    if not place.state.is_relative_to(place.project):
        return ()
    state = place.state.relative_to(place.project)
    return tuple(f"{(state / kind).as_posix()}/" for kind in RunKind)


def _not_shown(changes: Changes) -> str:
    """What the difference does not show, for whoever reads it, in the way git comments."""
    lines = [f"# not shown, it may hold secrets: {_shown(name)}" for name in changes.left_out]
    lines += [f"# new and not shown: {_shown(name)}" for name in changes.untracked]
    return "".join(f"{line}\n" for line in lines)


def _diff_notices(changes: Changes) -> Iterator[str]:
    if changes.left_out:
        names = _some(changes.left_out)
        yield f"[WARN] Left out of the diff, since they may hold secrets: {names} (--allow-secret-files shows them)."
    if changes.untracked:
        names = _some(changes.untracked)
        yield f"[WARN] Only named in the diff, since git does not know them yet: {names} (`git add -N` shows them)."


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(_shown(name) for name in names[:_NAMES_SHOWN]) + more


def _shown(name: str) -> str:
    return one_line(name, _NAME_SHOWN)


def _too_much(read: tuple[_Read, ...], limit: int) -> UsageError:
    biggest = sorted(read, key=lambda part: -part.size_bytes)[:_BIGGEST_SHOWN]
    named = context_sizes([ContextSize(name=part.name, size_bytes=part.size_bytes) for part in biggest])
    # A diff that was broken off at the limit is larger than is known.
    total = ("more than " if any(part.text is None for part in read) else "") + byte_size(
        sum(part.size_bytes for part in read)
    )
    return UsageError(
        f"The context has {total}; the limit is {byte_size(limit)}. Biggest: {named}.",
        hint="Leave something out, or raise it with --context-limit.",
    )
