"""Collect the context of a request: read it, hold its limit, take secrets out, tell what is not in it.

Everything is read here, once, and goes into the request: a run that is resumed sees what it saw when it began.
"""

from collections.abc import Iterable, Iterator
from functools import partial

import anyio

from sparring.app.material import Material, Read, harmless, too_much
from sparring.app.place import Place
from sparring.app.wishes import FILE, ContextWish
from sparring.consult.context import Changes, read_changes, read_project_file
from sparring.errors import UsageError
from sparring.schema.participants import RULE_BASED_TOOL
from sparring.schema.runs import RunKind
from sparring.settings import Settings
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line

DIFF = "diff"
_NAMES_SHOWN = 10
_NAME_SHOWN = 120


def gather(wish: ContextWish, place: Place, settings: Settings, redactor: Redactor) -> Material:
    """What ``wish`` asks for.

    Raises:
        UsageError: A part does not exist or must not be read, or all together are too much.
    """
    read = tuple({part.name: part for part in _parts(wish, place, settings)}.values())
    if sum(part.size_bytes for part in read) > wish.limit_bytes:
        raise too_much("context", "--context-limit", read, wish.limit_bytes)
    return harmless(read, redactor)


def blind_notices(tools: Iterable[str], material: Material) -> tuple[str, ...]:
    """That the rule-based tool reads no context, if it is among ``tools`` and there is some."""
    if not material.parts or RULE_BASED_TOOL not in tools:
        return ()
    return (f"[WARN] {RULE_BASED_TOOL} does not read the context: it searches the files of the project itself.",)


def _parts(wish: ContextWish, place: Place, settings: Settings) -> Iterator[Read]:
    for spelling in wish.spellings:
        if spelling == DIFF:
            yield _diff(wish, place, settings)
        elif spelling.startswith(FILE):
            yield _file(spelling.removeprefix(FILE), wish, place, settings)
        else:
            shown = one_line(repr(spelling), _NAME_SHOWN)
            raise UsageError(f"There is no context {shown}.", hint="It can be `diff` or `file=PATH`.")
    if wish.piped:
        yield Read(wish.piped.name, wish.piped.size_bytes, wish.piped.text)


def _file(path: str, wish: ContextWish, place: Place, settings: Settings) -> Read:
    found = read_project_file(
        path,
        project=place.project,
        folders=(settings.cwd, place.project),
        limit=wish.limit_bytes,
        secrets_allowed=wish.secrets_allowed,
    )
    return Read(found.path, found.size_bytes, found.text or "")


def _diff(wish: ContextWish, place: Place, settings: Settings) -> Read:
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
        return Read(DIFF, changes.size_bytes, "", is_broken_off=True)
    text = changes.text + _not_shown(changes)
    if not text:
        raise UsageError("Nothing has changed since the last commit, so that there is no diff to hand over.")
    return Read(DIFF, len(text.encode()), text, tuple(_diff_notices(changes)))


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
