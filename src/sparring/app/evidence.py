"""Collect what a claim is held against: read it, refuse what nobody could use, hold its limit, take secrets out.

Everything is read here, once, and goes into the request: a run that is resumed sees what it saw when it began.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from sparring.app.material import Material, Read, harmless, too_much
from sparring.app.place import Place
from sparring.app.wishes import EvidenceWish, NamedFile, Source
from sparring.consult.context import ProjectFile, read_named_file, read_project_file
from sparring.errors import UsageError
from sparring.reports.runs import byte_size
from sparring.schema.jury import TEXT_LIMIT
from sparring.settings import Settings
from sparring.text.redaction import Redactor
from sparring.text.tidying import is_encodable, one_line

# A form feed is left out: it ends the pages of a document that was made into text.
_CONTROL_CHARACTER = re.compile("[\x00-\x08\x0b\x0e-\x1f]")

_MOST_SOURCES = 100
"""Each is introduced to the agents by itself; thousands of tiny ones would be a prompt of introductions."""

_NAME_SHOWN = 120
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
