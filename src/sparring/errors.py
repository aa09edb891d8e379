"""Every exception that sparring raises.

```text
SparringError            code (stable), hint (what the user can do), exit_code
├─ UsageError            the request contradicts itself  ├─ UnsupportedError
│                        ├─ UnknownFormatError  └─ GitMissingError
├─ NothingToReviewError  there is nothing to review, which is no failure
├─ ConfigurationError    ├─ ProviderSpecError  ├─ PromptError  └─ SettingsError
├─ ToolNotFoundError     a tool that the request names is not installed  └─ ToolNotExecutableError
├─ ConsultError          never leaves ``consult``: translated into a failure there
│                        ├─ ConnectionFailedError  ├─ ConsultTimeoutError  └─ OutputError
│                        └─ RequestRefusedError (``providers.api.batches``)
├─ HostSilentError       the calling agent was asked and has disconnected; its run can be resumed
├─ ExhaustedError        this machine has run out of something; the run can be resumed
├─ DeliberationError     the run ended without any result
├─ WorkerEndedError      the check of a foreign text took longer than allowed
├─ ClusterError          a cluster cannot be reached, or was lost; its answers are kept
└─ StoreError            ├─ StateCorruptError  └─ StateNewerError
                         ├─ StateLockedError  ├─ RunNotFoundError  ├─ StateUnwritableError  ├─ TryAgainError
                         ├─ StateKeyError  ├─ ForeignStateError
                         └─ HostFileError
```

A consultation that fails is no exception: it is a ``Failure`` in the transcript (``schema.consultation``),
because what a failure means is a rule of the format. Callers branch on the class or on ``code``; the message is
for people. Secrets are removed before an error is built.
"""

import errno
from collections.abc import Generator
from contextlib import contextmanager
from enum import IntEnum
from typing import Self, cast


class ExitCode(IntEnum):
    """Exit code of the command line."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    TOOL_MISSING = 3
    NO_VERDICT = 4
    INTERRUPTED = 130


class SparringError(Exception):
    """Anything sparring refuses or fails to do.

    Attributes:
        code: Stable name of the problem, for programs.
        hint: What the user can do about it; empty when the message contains it.
        exit_code: The exit code of the command line.
    """

    code = "error"
    exit_code = ExitCode.FAILED

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message} {self.hint}" if self.hint else message


class UsageError(SparringError):
    """The request contradicts itself or asks for something that does not exist."""

    code = "usage"
    exit_code = ExitCode.USAGE


class UnsupportedError(UsageError):
    """A provider cannot meet the request; nothing was started."""

    code = "unsupported"


class UnknownFormatError(UsageError):
    """There is no format of that name here: it is misspelled, or another version of sparring has it."""

    code = "unknown_format"


class GitMissingError(UsageError):
    """The request needs git, which is not installed."""

    code = "git_missing"
    exit_code = ExitCode.TOOL_MISSING


class NothingToReviewError(SparringError):
    """Nothing has changed, or nothing of it need be shown; no failure, but there is no run either."""

    code = "nothing_to_review"
    exit_code = ExitCode.DONE


class ConfigurationError(SparringError):
    """Something that was set up beforehand is wrong."""

    code = "configuration"
    exit_code = ExitCode.USAGE


class ProviderSpecError(ConfigurationError):
    """A provider file is malformed."""

    code = "provider_spec"


class PromptError(ConfigurationError):
    """A prompt template and the variables given to it do not fit."""

    code = "prompt"


class SettingsError(ConfigurationError):
    """An environment variable holds a value that cannot be used."""

    code = "settings"


class ToolNotFoundError(SparringError):
    """A tool that the request needs is not installed."""

    code = "not_found"
    exit_code = ExitCode.TOOL_MISSING


class ToolNotExecutableError(ToolNotFoundError):
    """It is there, but may not be executed."""

    code = "permission"


class ConsultError(SparringError):
    """A transport has failed. ``code`` is that of the resulting failure."""

    code = "exit"


class ConnectionFailedError(ConsultError):
    """There was no connection, or it broke.

    Attributes:
        is_refused: Whether the machine is there, and no program listens at that port.
    """

    code = "connection"

    def __init__(self, message: str, *, is_refused: bool = False) -> None:
        super().__init__(message)
        self.is_refused = is_refused


class ConsultTimeoutError(ConsultError):
    """Nothing came for too long."""

    code = "timeout"


class OutputError(ConsultError):
    """Output that cannot be parsed, or is too long."""

    code = "parse"


class HostSilentError(SparringError):
    """The calling agent was asked, and has not been active for long; the run is kept unchanged."""

    code = "host_silent"


_EXHAUSTED = {
    errno.EAGAIN: "No more processes or threads can be started here",
    errno.EDQUOT: "The disk quota is used up",
    errno.EFBIG: "A file has grown to the limit that is set for files here",
    errno.EMFILE: "Too many files are open in this process",
    errno.ENFILE: "Too many files are open on this machine",
    errno.ENOMEM: "There is not enough memory",
    errno.ENOSPC: "The disk is full",
    errno.EROFS: "The disk can only be read",
}
"""Sentences for exhausted resources, by the system's error number."""

_NO_ROOM = frozenset({"can't start new thread", "can't allocate lock"})
_NO_SEGMENT = "failed to map segment from shared object"
_NO_TEMPORARY = "No usable temporary directory found"
"""Python and the loader of the system report it in these words only."""


class ExhaustedError(SparringError):
    """This machine has run out of room, memory, files or processes: no provider is to blame."""

    code = "exhausted"

    @classmethod
    def behind(cls, error: BaseException) -> Self | None:
        """Return the exhausted resource that caused ``error``, at any depth; None for another cause."""
        seen = list[BaseException]()
        under: BaseException | None = error
        while under and under not in seen:  # exceptions raised while handling others may form a circle
            if isinstance(under, cls):
                return under
            if what := _exhausted_resource(under):
                return cls(f"{what}.", hint="Resume when there is enough again; answers so far are kept.")
            seen.append(under)
            under = _cause_of(under)
        return None


def _cause_of(error: BaseException) -> BaseException | None:
    if isinstance(error, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error.__cause__ or error.__context__


def _exhausted_resource(error: BaseException) -> str:
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and _NO_SEGMENT in str(error)):
        return _EXHAUSTED[errno.ENOMEM]
    if isinstance(error, RuntimeError) and str(error) in _NO_ROOM:
        return _EXHAUSTED[errno.EAGAIN]
    if isinstance(error, FileNotFoundError) and str(error.strerror).startswith(_NO_TEMPORARY):
        return "No temporary file can be written anywhere"
    return _EXHAUSTED.get(error.errno or 0, "") if isinstance(error, OSError) else ""


@contextmanager
def raising_exhausted() -> Generator[None]:
    """Raise errors of an exhausted machine as ``ExhaustedError``; all others pass unchanged."""
    try:
        yield
    except SparringError:  # which is more specific
        raise
    except Exception as error:
        if exhausted := ExhaustedError.behind(error):
            raise exhausted from error
        raise


class DeliberationError(SparringError):
    """A deliberation broke one of its own rules; never raised for a consultation that failed."""

    code = "deliberation"


class WorkerEndedError(SparringError):
    """Check of foreign text that exceeded its time or memory; the text may be right or wrong."""

    code = "took_too_long"

    def __init__(self, message: str = "The answer takes too long to check.", *, hint: str = "") -> None:
        super().__init__(message, hint=hint)


class ClusterError(SparringError):
    """The machines of a cluster cannot be reached or used, or were lost; answers are kept."""

    code = "cluster"


class StoreError(SparringError):
    """Something on disk could not be read or written."""

    code = "store"


class StateCorruptError(StoreError):
    """A file is damaged or was written by a newer version; it is left as it is."""

    code = "state_corrupt"


class StateNewerError(StateCorruptError):
    """A newer version wrote it: nothing is wrong with it."""

    code = "state_newer"


class StateLockedError(StoreError):
    """Another process is working on the same run."""

    code = "state_locked"


class StateUnwritableError(StoreError):
    """The state directory is missing and cannot be made, or cannot be written."""

    code = "state_unwritable"


class TryAgainError(StoreError):
    """A store cannot be written at the moment, for a reason that passes without our doing.

    Attributes:
        is_locked: Whether another process keeps it from being written.
        waits_for: That process, where it is known and lives.
    """

    code = "try_again"

    def __init__(self, message: str, *, hint: str = "", is_locked: bool = False, waits_for: str = "") -> None:
        super().__init__(message, hint=hint)
        self.is_locked = is_locked
        self.waits_for = waits_for


class StateKeyError(StoreError):
    """The key that signs this user's records cannot be made or used."""

    code = "state_key"


class ForeignStateError(StoreError):
    """A record was not written by this user, or git tracks it: it came with the project, and decides nothing."""

    code = "state_foreign"


class HostFileError(StoreError):
    """A file of a host cannot be written, or was changed meanwhile."""

    code = "host_file"


class RunNotFoundError(StoreError):
    """There is no run of that id."""

    code = "run_not_found"
    exit_code = ExitCode.USAGE


@contextmanager
def raising_first() -> Generator[None]:
    """Raise the first exception of a group of tasks, not the group: the others were ended by it."""
    try:
        yield
    except BaseExceptionGroup as failed:
        raise _first(failed) from failed


def _first(failed: BaseExceptionGroup[BaseException]) -> BaseException:
    first = failed.exceptions[0]
    return _first(cast("BaseExceptionGroup[BaseException]", first)) if isinstance(first, BaseExceptionGroup) else first
