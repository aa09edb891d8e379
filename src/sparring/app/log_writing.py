"""Append to the log of a debate between agents outside sparring (design: Chaired debate, ``log append``)."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from pydantic import TypeAdapter, ValidationError

from sparring.app.application import App
from sparring.app.artifacts import named_folder
from sparring.errors import UsageError
from sparring.formats.chaired_debate.options import ReadConfig, read_config
from sparring.formats.chaired_debate.rulebook import DEBATERS, challenge_in, refusals
from sparring.lookup.context import read_named_file
from sparring.participants.options import one_of, valid
from sparring.schema.base import utc_now
from sparring.schema.chaired_debate import CONTENT_LIMIT, REDACTED, EntryType, LogDraft, LogEntry, Phase, Speaker
from sparring.schema.consultation import Source
from sparring.schema.faults import in_words
from sparring.store.debate_log import LOG_NAME, DebateLog, RefusedEntry
from sparring.text.tidying import one_line

SHARED_FOLDER = "shared"
"""Folder of the log, as specified."""

NOTHING = frozenset({"", "null"})
"""Spellings of an absent value."""

_MOST_BYTES_A_CHARACTER = 4
_SHOWN = 100
_SOURCES: TypeAdapter[tuple[Source, ...]] = TypeAdapter(tuple[Source, ...])


class EntryRequest(Struct, frozen=True):
    """An entry to be written, in the words that were typed.

    Attributes:
        content: The text; empty if it is in ``content_file``.
        sources: A JSON array, or ``null``, for the entry as a whole.
        log: Path of the log; empty for that of the project's debate.
    """

    phase: str
    speaker: str
    type: str
    content: str = ""
    content_file: str = ""
    secrets_allowed: bool = False
    sources: str = "null"
    rebuttal_to_seq: str = "null"
    target_seq: str = "null"
    log: str = ""


def append_entry(request: EntryRequest, app: App) -> LogEntry | RefusedEntry:
    """Write the entry without secrets, unless the rules refuse it; on return it is safe from a crash.

    Raises:
        UsageError: The typed values are not an entry.
        StoreError: The log cannot be parsed or written.
    """
    config = read_config("", app.project_context())
    draft = _draft(request, app)
    log = DebateLog(_path(request, config, app))
    refuse = partial(refusals, today=utc_now().date(), topic=config.config.topic)
    return log.append(draft, refuse, revise=_without_redacted)


def _draft(request: EntryRequest, app: App) -> LogDraft:
    phase = one_of(Phase, request.phase, "The phase")
    speaker = one_of(Speaker, request.speaker, "The speaker")
    type_ = one_of(EntryType, request.type, "The type")
    content = app.redact(_content(request, app))
    cited = _sources(app.redact(request.sources))
    rebuttal_to = _seq(request.rebuttal_to_seq, "REBUTTAL_TO_SEQ")
    target = _seq(request.target_seq, "TARGET_SEQ")
    if target is None and speaker in DEBATERS:
        challenged = challenge_in(content)
        if challenged:
            target, _ = challenged
    return valid(
        lambda: LogDraft(
            phase=phase,
            speaker=speaker,
            type=type_,
            content=content.strip(),
            sources=cited,
            rebuttal_to_seq=rebuttal_to,
            target_seq=target,
        )
    )


def _content(request: EntryRequest, app: App) -> str:
    if not request.content_file:
        return request.content
    limit = CONTENT_LIMIT * _MOST_BYTES_A_CHARACTER
    folder = app.settings.cwd
    file = read_named_file(request.content_file, folder=folder, limit=limit, secrets_allowed=request.secrets_allowed)
    if file.text is None:
        raise UsageError(f"The content has {file.size_bytes:,} bytes; it may have {CONTENT_LIMIT:,} characters.")
    return file.text


def _sources(spelled: str) -> tuple[Source, ...]:
    if spelled.strip() in NOTHING:
        return ()
    try:
        return _SOURCES.validate_json(spelled)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise UsageError(
            f"SOURCES cannot be used: {f'{where} ' if where else ''}{one_line(in_words(problem), _SHOWN)}.",
            hint='Write null, or a JSON array: [{"url": "https://...", "title": "...", "accessed": "YYYY-MM-DD"}].',
        ) from error


def _seq(spelled: str, called: str) -> int | None:
    if spelled.strip() in NOTHING:
        return None
    if not (spelled.isascii() and spelled.isdigit() and len(spelled) < 10):
        raise UsageError(f"{called} must be null or the number of an entry; it is {one_line(repr(spelled), _SHOWN)}.")
    return int(spelled)


def _path(request: EntryRequest, config: ReadConfig, app: App) -> Path:
    if request.log.strip():
        named = app.settings.cwd / request.log
        if not named.name:
            raise UsageError(f"log names no file; it is {one_line(repr(request.log), _SHOWN)}.")
        return named
    folder = named_folder(config.config.output_dir or "", app.place.project) or SHARED_FOLDER
    return app.place.project / folder / LOG_NAME


def _without_redacted(entries: Sequence[LogEntry]) -> Sequence[LogEntry]:
    """Return the log after its last entry: content that the chair redacts in it is removed from earlier entries."""
    *earlier, last = entries
    if last.type is not EntryType.REDACTION:
        return entries
    without_content = {"content": one_line(f"{REDACTED} {last.content}", CONTENT_LIMIT), "sources": ()}
    revised = [entry.model_copy(update=without_content) if entry.seq == last.target_seq else entry for entry in earlier]
    return (*revised, last)
