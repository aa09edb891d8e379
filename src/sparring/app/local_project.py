"""The project in which options are completed into a checked request.

It has the available tools and the user's settings, and reads the material of the request without its secrets.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice, product
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeVar, cast

import anyio
from msgspec import Struct
from msgspec.structs import replace

from sparring.app.artifacts import last_files, named_folder
from sparring.app.configuration import Configuration
from sparring.app.roster import Roster
from sparring.errors import SparringError, UsageError
from sparring.formats.registry import FORMATS
from sparring.participants.options import MAX_KIB, MOST_KIB, AccompanyingInput, Options, refuse_empty_names
from sparring.participants.seats import ChangeQuery, ExhibitBudget, ExhibitSet, Material, ReadChange, known_first
from sparring.reports.runs import byte_size, context_sizes
from sparring.schema import base, consultation, providers, runs
from sparring.settings import Settings
from sparring.store.files import StateFolder
from sparring.store.hosts import Place
from sparring.text.redaction import Redacted, Redactor
from sparring.text.tidying import clean, did_you_mean, is_encodable, one_line

if TYPE_CHECKING:  # only some formats need them
    from sparring.app.change import ChangeReading
    from sparring.lookup.context import Changes, ProjectFile
    from sparring.schema.authors import Author

R = TypeVar("R", bound=base.Record)
Q = TypeVar("Q", bound=runs.Request)

FILE = "file="
"""Prefix of the spelling of a project file."""

_DIFF = "diff"
_CONTEXT_WORDS = (_DIFF, "stdin", FILE)
_BIGGEST_SHOWN = 3
_NAMES_SHOWN = 10
_NAME_SHOWN = 120

_MOST_SOURCES = 100
"""Maximum number of sources: each has an introduction in the prompt, and thousands would fill it."""

_MOST_BYTES_A_CHARACTER = 4

_SPARE = 4
"""Maximum number of spare tools of a request: more are never asked for one seat."""


class ReadPart(Struct, frozen=True):
    """A part before the total size is known.

    Attributes:
        text: Empty if the part alone is too large.
        is_broken_off: Whether it was read in part, so that ``size_bytes`` is only a lower bound.
        path: Distinguishes sources of the same name; a text has none.
    """

    name: str
    size_bytes: int
    text: str
    notices: tuple[str, ...] = ()
    is_broken_off: bool = False
    path: str = ""


class LocalProject(Struct, frozen=True):
    """The project with its user's settings and the input besides the options: ``participants.seats.ProjectContext``."""

    tools: Roster
    place: Place
    settings: Settings
    configuration: Configuration
    given: AccompanyingInput

    def complete(self, options: Options[Q]) -> Q:
        """Return ``options`` as a complete, checked request, with the user's defaults for unset options.

        Raises:
            UsageError: They contradict themselves or name something that does not exist; the message says what to do.
            ToolNotFoundError: A tool that is needed is not installed.
            ConfigurationError: The user's defaults cannot be used.
        """
        return self.completer(options)({})

    def completer(self, options: Options[Q]) -> Callable[[Mapping[str, object]], Q]:
        """Return a function that completes ``options`` with its argument's fields in place of theirs.

        The user's defaults and the abilities of tools are looked up once. The seats are assigned in every call, since
        options may leave them open.

        Raises:
            ConfigurationError: The user's defaults cannot be used. The function raises all that ``complete`` does.
            UsageError: The user has given an option that names no tool.
        """
        if self.given.is_by_user:  # a model that has nothing to say often gives an empty text
            refuse_empty_names(options)
        with_defaults, defaults_used = self.configuration.completed(options)
        complete = FORMATS[options.format].complete
        roster = self.tools
        checked: set[runs.Needed] = set()

        def completed(fields: Mapping[str, object]) -> Q:
            wanted = with_defaults.model_copy(update=fields) if fields else with_defaults
            try:
                request = cast("Q", complete(wanted, self))
                request = with_spare_tools(substituted(request, wanted.substitute.strip(), roster), roster)
                for seat in needed(request):
                    if seat not in checked:
                        roster.check(seat)
                        checked.add(seat)
            except SparringError as error:
                if defaults_used:  # the user may have forgotten them
                    hint = f"Defaults of yours count here: {', '.join(defaults_used)} ({self.configuration.file})."
                    error.hint = f"{error.hint} {hint}".strip()
                raise
            notices = list(request.notices)
            if "effort" in wanted.model_fields_set:
                notices += roster.effort_notices(request.needed())
            distinct = tuple(dict.fromkeys(notices))
            return request if distinct == request.notices else request.model_copy(update={"notices": distinct})

        return completed

    def redact(self, text: str) -> Redacted:
        """Return ``text`` cleaned and without secrets. A value that is no text is unchanged; validation refuses it."""
        is_text = "\0" not in text and is_encodable(text)
        return self.tools.redactor.redact(clean(text) if is_text else text)

    def context(self, spelled: Sequence[str], limit_kib: int, *, secrets_allowed: bool) -> Material:
        """Read the parts that ``spelled`` names, and the piped input.

        Raises:
            UsageError: A part does not exist or must not be read, or the total is too large.
        """
        limit = _bytes_of(limit_kib)
        parts = self._context(spelled, limit, secrets_allowed=secrets_allowed)
        by_name = {part.name: part for part in parts}  # one that is named twice is shown once
        return self._bounded("context", tuple(by_name.values()), limit)

    def change(self, query: ChangeQuery) -> ReadChange:
        """Read the change to review; raises ``UsageError``."""
        if self.given.change:
            return ReadChange(self.given.change)
        limit, allowed = _bytes_of(query.limit_kib), query.secrets_allowed
        plan = self._read(query.plan, limit, secrets_allowed=allowed) if query.plan else None
        return self._reading().read(query, plan)

    def signed_by(self, query: ChangeQuery) -> "tuple[Author, ...]":
        """Return the model families that sign the commits to be reviewed."""
        if self.given.change or query.plan:
            return ()
        return self._reading().signed_by(query)

    def _reading(self) -> "ChangeReading":
        from sparring.app.change import ChangeReading  # noqa: PLC0415 -- only a review needs it

        project, folders = self.place.project, (self.settings.cwd, self.place.project)
        environment, redactor = self.settings.environment, self.tools.redactor
        is_own = partial(_is_own_record, self.place)
        return ChangeReading(project, folders, environment, redactor, is_own, self.given.counts)

    def exhibits(self, topic: str, budget: ExhibitBudget, given: Sequence[consultation.ContextPart]) -> ExhibitSet:
        """Gather exhibits on ``topic``; the ``given`` parts reduce the room for them."""
        room = budget.size_bytes - sum(_size(part.text) for part in given)
        if room <= 0 or not budget.most:
            return ExhibitSet()
        from sparring.app.exhibits import ExhibitSearch  # noqa: PLC0415 -- only formats that show a project need it

        gathering = ExhibitSearch(
            self.place.project, self.settings.private_dir, self.settings.environment, self.tools.redactor
        )
        shown = frozenset(part.name for part in given)
        return gathering.gather(topic, replace(budget, size_bytes=room), shown, len(given) + 1)

    def evidence(
        self, texts: Sequence[str], files: Sequence[str], limit_kib: int, *, secrets_allowed: bool
    ) -> Material:
        """Return the sources, each under a distinct name.

        Raises:
            UsageError: There are none or too many, one is empty, is no text, does not exist or must not be read, or the
                total is too large.
        """
        limit = _bytes_of(limit_kib)
        count = len(texts) + len(files)
        if count > _MOST_SOURCES:
            raise UsageError(f"{count:,} sources are given; the limit is {_MOST_SOURCES}.")
        read = _with_own_names(list(self._sources(texts, files, limit, secrets_allowed=secrets_allowed)))
        if not read:
            raise UsageError("There is no evidence to check the claim against.", hint="Give at least one text or file.")
        material = self._bounded("evidence", read, limit)
        for part in read:
            _refuse_unusable(part)
        return material

    def statement(self, text: str, file: str, *, secrets_allowed: bool) -> str:
        """Return a short text; raises ``UsageError`` as ``evidence`` does."""
        from sparring.schema.jury import TEXT_LIMIT  # noqa: PLC0415 -- no other format has such a text

        piped = self.given.piped.text if self.given.piped else ""
        if sum(map(bool, (text, file, piped))) > 1:
            raise UsageError("The truth is given twice: as a text and as a file.")
        text = text or piped
        named = file or self._named_file(text)
        if named is None:
            return text
        read = self._read(named, TEXT_LIMIT * _MOST_BYTES_A_CHARACTER, secrets_allowed=secrets_allowed)
        if read.text is None:
            size = byte_size(read.size_bytes)
            raise UsageError(f"The truth has {size}; it may have {TEXT_LIMIT:,} characters: a statement, no document.")
        return read.text

    def settings_file(self, path: str, default: str, limit: int) -> tuple[str, str]:
        """Return path and content of a settings file; ``default`` is the project's own."""
        if path:
            file = self._read(path, limit, secrets_allowed=False)
        elif os.path.lexists(self.place.project / default):
            file = self._read_own(str(self.place.project / default), limit, secrets_allowed=False)
        else:
            return "", ""
        if file.text is None:
            raise UsageError(f"{file.path} has more than {byte_size(limit)}, the most that a config file may have.")
        return file.path, file.text

    def output_folder(self, spelled: str) -> str | None:
        """Return the folder for the record that ``spelled`` names, if any: ``app.artifacts.named_folder``."""
        return named_folder(spelled, self.place.project)

    def text_in_commit(self, path: str, commit: str) -> str | None:
        """Return the text of the file at ``path``, from the project's root, in ``commit``; None where it has none."""
        from sparring.lookup.git import Git  # noqa: PLC0415 -- only a review needs it

        return anyio.run(Git(self.place.project, self.settings.environment).text, commit, path)

    def kept(self, path: str, kind: type[R]) -> R | None:
        """Return the user's own record at that path in a state folder."""
        from sparring.app.own_state import own_record  # noqa: PLC0415 -- only a review keeps such a record

        return own_record(self.place, path, kind)

    def foreign(self, path: str) -> tuple[str, ...]:
        """Return a warning for each record at that path that came with the project, and so decides nothing."""
        from sparring.app.own_state import foreign_records  # noqa: PLC0415 -- only a review keeps such a record

        return tuple(f"[WARN] {problem}" for problem in foreign_records(self.place, path))

    def _context(self, spelled: Sequence[str], limit: int, *, secrets_allowed: bool) -> Iterator[ReadPart]:
        for spelling in spelled:
            if spelling == _DIFF:
                yield self._diff(limit, secrets_allowed=secrets_allowed)
            elif spelling.startswith(FILE):
                file = self._read_own(spelling.removeprefix(FILE), limit, secrets_allowed=secrets_allowed)
                yield ReadPart(file.path, file.size_bytes, file.text or "")
            else:
                shown = one_line(repr(spelling), _NAME_SHOWN)
                raise UsageError(
                    f"There is no context {shown}.{did_you_mean(spelling, _CONTEXT_WORDS)}",
                    hint="It can be `diff`, `file=PATH` or, in a shell, `stdin`.",
                )
        yield from self._piped()

    def _piped(self) -> Iterator[ReadPart]:
        piped = self.given.piped
        if piped:
            yield ReadPart(piped.name, piped.size_bytes, piped.text)

    def _diff(self, limit: int, *, secrets_allowed: bool) -> ReadPart:
        from sparring.lookup.context import read_changes  # noqa: PLC0415 -- many runs have no such material

        changes = anyio.run(
            partial(
                read_changes,
                self.place.project,
                self.settings.environment,
                limit=limit,
                ignored=_own_folders(self.place),
                secrets_allowed=secrets_allowed,
            )
        )
        if changes.text is None:
            return ReadPart(_DIFF, changes.size_bytes, "", is_broken_off=True)
        text = changes.text + _not_shown(changes)
        if not text:
            raise UsageError("Nothing has changed since the last commit, so there is no diff to include.")
        return ReadPart(_DIFF, len(text.encode()), text, tuple(_diff_notices(changes)))

    def _sources(
        self,
        texts: Sequence[str],
        files: Sequence[str],
        limit: int,
        *,
        secrets_allowed: bool,
    ) -> Iterator[ReadPart]:
        paths_read: set[str] = set()
        plain_texts = 0
        sources = [(text, self._named_file(text)) for text in texts] + [("", file) for file in files]
        for text, file in sources:
            if file is None:
                plain_texts += 1
                yield ReadPart(f"evidence {plain_texts}", _size(text), text)
                continue
            read = self._read(file, limit, secrets_allowed=secrets_allowed, pdfs=True)
            if read.path in paths_read:
                continue
            paths_read.add(read.path)
            name = PurePosixPath(read.path).name
            if read.pdf is not None:
                yield from _pages_of(name, read.path, read.pdf)
            else:
                yield ReadPart(name, read.size_bytes, read.text or "", path=read.path)
        yield from self._piped()

    def _named_file(self, text: str) -> str | None:
        """Return the file that a model has named instead of a text; None if it did not."""
        if self.given.is_by_user or not text.startswith(FILE):
            return None
        return text.removeprefix(FILE)

    def _read(self, file: str, limit: int, *, secrets_allowed: bool, pdfs: bool = False) -> "ProjectFile":
        """Read a file: any file that the user named, otherwise only one of the project."""
        if self.given.is_by_user:
            from sparring.lookup.context import read_named_file  # noqa: PLC0415 -- many runs read no file

            return read_named_file(
                file, folder=self.settings.cwd, limit=limit, secrets_allowed=secrets_allowed, pdfs=pdfs
            )
        return self._read_own(file, limit, secrets_allowed=secrets_allowed, pdfs=pdfs)

    def _read_own(self, file: str, limit: int, *, secrets_allowed: bool, pdfs: bool = False) -> "ProjectFile":
        from sparring.lookup.context import read_project_file  # noqa: PLC0415 -- many runs read no file

        folders = (self.settings.cwd, self.place.project)
        return read_project_file(
            file, project=self.place.project, folders=folders, limit=limit, secrets_allowed=secrets_allowed, pdfs=pdfs
        )

    def _bounded(self, called: str, read: Sequence[ReadPart], limit: int) -> Material:
        if sum(part.size_bytes for part in read) > limit:
            raise _too_much(called, read, limit)
        return _harmless(read, self.tools.redactor)


def _bytes_of(limit_kib: int) -> int:
    if not 1 <= limit_kib <= MOST_KIB:
        raise UsageError(f"{MAX_KIB} must be 1 to {MOST_KIB:,} KiB; it is {limit_kib:,}.")
    return limit_kib * 1024


def _harmless(read: Iterable[ReadPart], redactor: Redactor) -> Material:
    """Return the texts, cleaned and without their secrets."""
    parts: list[consultation.ContextPart] = []
    notices: list[str] = []
    redactions = 0
    for part in read:
        text, name = redactor.redact(clean(part.text)), redactor.redact(clean(part.name))
        redactions += text.count + name.count
        parts.append(consultation.ContextPart(name=name.text, size_bytes=part.size_bytes, text=text.text))
        notices += part.notices
    return Material(tuple(parts), redactions, tuple(notices))


def _too_much(called: str, read: Sequence[ReadPart], limit: int) -> UsageError:
    """Return the error that the material exceeds ``limit`` bytes in total."""
    biggest = sorted(read, key=lambda part: -part.size_bytes)[:_BIGGEST_SHOWN]
    named = context_sizes([consultation.ContextSize(name=part.name, size_bytes=part.size_bytes) for part in biggest])
    total = byte_size(sum(part.size_bytes for part in read))
    least = "more than " if any(part.is_broken_off for part in read) else ""
    return UsageError(
        f"The {called} has {least}{total}; the limit is {byte_size(limit)}. Biggest: {named}.",
        hint=f"Leave something out, or raise it on the command line with --set {MAX_KIB}=N.",
    )


def _is_own_record(place: Place, path: str) -> bool:
    """Report whether the file at ``path``, from the project's root, is a last result as sparring keeps it.

    The name does not decide that: a file that cannot be read as such a record is an ordinary file.
    """
    for state, kind in product(place.states, FORMATS):
        for file, record in last_files(state, kind):
            if place.project / path == file:
                with suppress(SparringError):
                    return StateFolder(state).read(file, record) is not None
    return False


def _own_folders(place: Place) -> tuple[str, ...]:
    """Return the folders of our records in the project, as paths from its root that end in a slash."""
    inside = [folder for folder in place.own_folders if folder.is_relative_to(place.project)]
    return tuple(f"{folder.relative_to(place.project).as_posix()}/" for folder in inside)


def _not_shown(changes: "Changes") -> str:
    """Return the list of changes that the difference leaves out, in the style of git's comments."""
    lines = [f"# not shown, it may contain secrets: {_shown(name)}" for name in changes.left_out]
    lines += [f"# new and not shown: {_shown(name)}" for name in changes.untracked]
    return "".join(f"{line}\n" for line in lines)


def _diff_notices(changes: "Changes") -> Iterator[str]:
    if changes.left_out:
        names = _some(changes.left_out)
        yield (
            f"[WARN] Left out of the diff, since they may contain secrets: {names} "
            "(--set allow_secret_files=true shows them)."
        )
    if changes.untracked:
        names = _some(changes.untracked)
        yield f"[WARN] Only named in the diff, since git does not know them yet: {names} (`git add -N` shows them)."
    if changes.filtered:
        names = _some(changes.filtered)
        yield f"[WARN] Left out of the diff, since git keeps them in another form (a filter): {names}."


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(_shown(name) for name in names[:_NAMES_SHOWN]) + more


def _shown(name: str) -> str:
    return one_line(name, _NAME_SHOWN)


def _pages_of(name: str, path: str, body: bytes) -> Iterator[ReadPart]:
    """Yield a source for each page of a PDF that has text, so that a quote names its page."""
    from sparring.lookup.fetching import NoPageError, SourceLimits  # noqa: PLC0415 -- only a PDF needs these
    from sparring.lookup.sources import PdfReading  # noqa: PLC0415

    try:
        pages = anyio.run(PdfReading(SourceLimits()).pages, body)
    except NoPageError as error:
        raise UsageError(f"{name} cannot be used: {error.detail}.") from error
    pages_with_text = [(number, text) for number, text in enumerate(pages, start=1) if text.strip()]
    if not pages_with_text:
        raise UsageError(f"{name} has no text on its pages.", hint="If it was scanned, give it as text.")
    if len(pages_with_text) > _MOST_SOURCES:
        raise UsageError(
            f"{name} has {len(pages_with_text):,} pages with text; the limit is {_MOST_SOURCES}.",
            hint="Give the pages that matter as a file of their own.",
        )
    for number, text in pages_with_text:
        yield ReadPart(f"{name}, page {number}", _size(text), text, path=f"{path}, page {number}")


def _with_own_names(sources: list[ReadPart]) -> tuple[ReadPart, ...]:
    """Return the sources with distinct names: files of the same name are called by their paths."""
    often = Counter(source.name for source in sources)
    no_files = {source.name for source in sources if not source.path}

    def name(source: ReadPart) -> str:
        if not source.path or often[source.name] == 1:
            return source.name
        return f"file {source.path}" if source.path in no_files else source.path

    return tuple(replace(source, name=name(source)) for source in sources)


def _refuse_unusable(part: ReadPart) -> None:
    name, text = one_line(part.name, _NAME_SHOWN), part.text
    if not text.strip():
        raise UsageError(f"{name} is empty.")
    if not is_encodable(text):
        raise UsageError(f"{name} is not UTF-8 text.")
    place = text.find("\0")
    if place >= 0:
        line = text.count("\n", 0, place) + 1
        raise UsageError(f"{name} contains the control character U+0000 in line {line}.")


def _size(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def substituted(request: Q, tool: str, roster: Roster) -> Q:
    """Return ``request`` with ``tool``, if given, as the substitute for a tool that fails for good."""
    if not tool:
        return request
    if isinstance(roster.spec(tool), providers.OfflineProvider):
        raise UsageError(f"{tool} has no model and cannot take a seat.", hint="Name another substitute.")
    notice = f"{tool} answers where another tool fails for good."
    changed = request.model_copy(update={"substitute": tool, "notices": (*request.notices, notice)})
    return changed.model_copy(update={"tool_families": roster.families(participants(changed))})


def with_spare_tools(request: Q, roster: Roster) -> Q:
    """Return ``request`` with spare tools for seats that the user did not assign, in case their tools fail.

    They are ready, have no seat themselves, and have the abilities that such a seat needs.
    """
    if not request.unnamed:
        return request
    seated = {needed.participant.tool for needed in request.needed()}
    free = [tool for tool in roster.ai_tools() if tool not in seated]
    able = (tool for tool in known_first(free, roster) if _can_take_seat(tool, request, roster))
    spare = tuple(islice(able, _SPARE))
    changed = request.model_copy(update={"spare": spare})
    if not spare:
        return changed
    return changed.model_copy(update={"tool_families": roster.families(participants(changed))})


def _can_take_seat(tool: base.ToolName, request: runs.Request, roster: Roster) -> bool:
    seat = base.Participant(tool=tool)
    efforts = dict.fromkeys(each.effort for each in request.needed())
    return not any(roster.refusal(runs.Needed(participant=seat, effort=effort)) for effort in efforts)


def participants(request: runs.Request) -> Iterator[base.Participant]:
    """Yield the tools in the seats of ``request`` with their models, and the spare ones."""
    yield from (each.participant for each in needed(request))
    yield from (base.Participant(tool=tool) for tool in request.spare)


def check_tools(request: runs.Request, roster: Roster) -> None:
    """Refuse unusable tools before anything is started; raises as ``Roster.check``."""
    for each in needed(request):
        roster.check(each)


def needed(request: runs.Request) -> tuple[runs.Needed, ...]:
    """Return the participants that must be available, including the substitute, each once."""
    return tuple(dict.fromkeys((*request.needed(), *_substitutes(request))))


def _substitutes(request: runs.Request) -> Iterator[runs.Needed]:
    """Yield the substitute, which needs the abilities of the seats; it opens files only where that is safe."""
    if request.substitute:
        seat = base.Participant(tool=request.substitute)
        for each in request.needed():
            yield runs.Needed(participant=seat, effort=each.effort, web=each.web)
