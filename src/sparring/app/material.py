"""Material that goes with a question, evidence that a claim is held against: read, bounded, without secrets."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath

import anyio

from sparring.app.place import Place
from sparring.app.wishes import FILE, ContextWish, EvidenceWish, NamedFile, Source
from sparring.errors import UsageError
from sparring.providers.lookup.context import Changes, ProjectFile, read_changes, read_named_file, read_project_file
from sparring.reports.runs import byte_size, context_sizes
from sparring.schema.context import ContextPart, ContextSize
from sparring.schema.jury import TEXT_LIMIT
from sparring.schema.participants import RULE_BASED_TOOL
from sparring.schema.runs import RunKind
from sparring.settings import Settings
from sparring.text.redaction import Redactor
from sparring.text.tidying import is_encodable, one_line

_BIGGEST_SHOWN = 3


@dataclass(frozen=True)
class Material:
    """The parts without their secrets, how many those were, and what the user should know."""

    parts: tuple[ContextPart, ...] = ()
    redactions: int = 0
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Read:
    """A part before it is known whether all fit together.

    Attributes:
        text: Empty when the part alone does not fit.
        is_broken_off: Whether it was not read to its end, so that ``size_bytes`` is only the least that it can be.
    """

    name: str
    size_bytes: int
    text: str
    notices: tuple[str, ...] = ()
    is_broken_off: bool = False


def harmless(read: Iterable[Read], redactor: Redactor) -> Material:
    """What was read without its secrets."""
    parts: list[ContextPart] = []
    notices: list[str] = []
    redactions = 0
    for part in read:
        text, name = redactor.redact(part.text), redactor.redact(part.name)
        redactions += text.count + name.count
        parts.append(ContextPart(name=name.text, size_bytes=part.size_bytes, text=text.text))
        notices += part.notices
    return Material(tuple(parts), redactions, tuple(notices))


def too_much(called: str, option: str, read: Sequence[Read], limit: int) -> UsageError:
    """That all that was read has more than ``limit`` bytes; ``option`` raises it."""
    biggest = sorted(read, key=lambda part: -part.size_bytes)[:_BIGGEST_SHOWN]
    named = context_sizes([ContextSize(name=part.name, size_bytes=part.size_bytes) for part in biggest])
    total = byte_size(sum(part.size_bytes for part in read))
    least = "more than " if any(part.is_broken_off for part in read) else ""
    return UsageError(
        f"The {called} has {least}{total}; the limit is {byte_size(limit)}. Biggest: {named}.",
        hint=f"Leave something out, or raise it on the command line with {option}.",
    )


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


# A form feed is left out: it ends the pages of a document that was made into text.
_CONTROL_CHARACTER = re.compile("[\x00-\x08\x0b\x0e-\x1f]")

_MOST_SOURCES = 100
"""Each is introduced to the agents by itself; thousands of tiny ones would be a prompt of introductions."""

_MOST_BYTES_A_CHARACTER = 4


@dataclass(frozen=True)
class _Named:
    """A source and the path that tells it from another one of the same name; a text has none."""

    read: Read
    path: str = ""


def gather_evidence(wish: EvidenceWish, place: Place, settings: Settings, redactor: Redactor) -> Material:
    """What ``wish`` asks for, each source under a name of its own.

    Raises:
        UsageError: There is nothing, or too many sources, or one that is empty, is no text, does not exist or must not
            be read, or all together are too much.
    """
    if (count := len(wish.sources)) > _MOST_SOURCES:
        raise UsageError(f"{count:,} sources are given; a claim can be held against {_MOST_SOURCES} at the most.")
    read = _told_apart(list(_sources(wish, place, settings)))
    if not read:
        raise UsageError("There is no evidence to hold the claim against.", hint="Give at least one text or file.")
    if sum(part.size_bytes for part in read) > wish.limit_bytes:
        raise too_much("evidence", "--evidence-limit", read, wish.limit_bytes)
    for part in read:
        _refuse_unusable(part)
    return harmless(read, redactor)


def read_truth(source: Source, place: Place, settings: Settings) -> str:
    """The text of a truth; raises ``UsageError`` as ``gather_evidence`` does."""
    if isinstance(source, str):
        return source
    limit = TEXT_LIMIT * _MOST_BYTES_A_CHARACTER
    found = _read(source, place, settings, limit)
    if found.text is None:
        size = byte_size(found.size_bytes)
        raise UsageError(f"The truth has {size}; it may have {TEXT_LIMIT:,} characters: a statement, no document.")
    return found.text


def _sources(wish: EvidenceWish, place: Place, settings: Settings) -> Iterator[_Named]:
    files: set[str] = set()
    texts = 0
    for source in wish.sources:
        if isinstance(source, str):
            texts += 1
            yield _Named(Read(f"evidence {texts}", _size(source), source))
            continue
        found = _read(source, place, settings, wish.limit_bytes)
        if found.path not in files:
            name = PurePosixPath(found.path).name
            yield _Named(Read(name, found.size_bytes, found.text or ""), found.path)
        files.add(found.path)
    if wish.piped:
        yield _Named(Read(wish.piped.name, wish.piped.size_bytes, wish.piped.text))


def _read(file: NamedFile, place: Place, settings: Settings, limit: int) -> ProjectFile:
    if file.is_named_by_user:
        return read_named_file(file.path, folder=settings.cwd, limit=limit, secrets_allowed=file.secrets_allowed)
    return read_project_file(
        file.path,
        project=place.project,
        folders=(settings.cwd, place.project),
        limit=limit,
        secrets_allowed=file.secrets_allowed,
    )


def _told_apart(sources: list[_Named]) -> tuple[Read, ...]:
    """The sources with names of their own: files of one name are called by their paths."""
    often = Counter(source.read.name for source in sources)
    no_files = {source.read.name for source in sources if not source.path}

    def name(source: _Named) -> str:
        if not source.path or often[source.read.name] == 1:
            return source.read.name
        return f"file {source.path}" if source.path in no_files else source.path

    return tuple(replace(source.read, name=name(source)) for source in sources)


def _refuse_unusable(part: Read) -> None:
    name, text = one_line(part.name, _NAME_SHOWN), part.text
    if not text.strip():
        raise UsageError(f"{name} is empty; evidence must say something.")
    if not is_encodable(text):
        raise UsageError(f"{name} is not UTF-8 text.")
    if found := _CONTROL_CHARACTER.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise UsageError(f"{name} holds the control character U+{ord(found[0]):04X} in line {line}.")


def _size(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))
