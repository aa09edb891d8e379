"""Files that a supervisor is started with and leaves behind: an order, and how its program ended.

Fields are separated by null bytes, which no path and no argument can contain. JSON would say it as well, but the
supervisor reads one for every question, and to import ``json`` takes longer than the interpreter's own start.
"""

import errno
import os

_SEPARATOR = b"\0"


class LaunchOrder:
    """Order to a supervisor: program, environment and limits.

    Attributes:
        names: Variables of the environment; their values are those of the supervisor, so that no file contains them.
        mark: Value of ``MARK_VARIABLE``.
        tmp: A folder for temporary files, which is made and removed; empty for none.
        timeout_s: Seconds until the program is ended.
        limit: Most bytes of each output file.
        outlives: Whether the program may run until its deadline after the process that asked has ended.
        report: A file in which the program reports what its output lacks; empty for none.
    """

    def __init__(  # noqa: PLR0913 -- a dataclass would be imported for every question
        self, argv: tuple[str, ...], names: tuple[str, ...], *, cwd: str, mark: str, tmp: str, timeout_s: float,
        limit: int, outlives: bool, report: str,
    ) -> None:  # fmt: skip
        self.argv = argv
        self.names = names
        self.cwd = cwd
        self.mark = mark
        self.tmp = tmp
        self.timeout_s = timeout_s
        self.limit = limit
        self.outlives = outlives
        self.report = report

    def encoded(self) -> bytes:
        """Return the content of the file; raises ``OSError`` if a field contains a null byte."""
        fields = (self.cwd, self.mark, self.tmp, self.timeout_s, self.limit, int(self.outlives), self.report)
        return _joined(*fields, len(self.argv), *self.argv, *self.names)

    @classmethod
    def decoded(cls, content: bytes) -> "LaunchOrder":
        """Return what ``encoded`` has written; raises ``ValueError`` for anything else."""
        cwd, mark, tmp, timeout_s, limit, outlives, report, count, *rest = _separated(content)
        return cls(
            tuple(rest[: int(count)]), tuple(rest[int(count) :]), cwd=cwd, mark=mark, tmp=tmp,
            timeout_s=float(timeout_s), limit=int(limit), outlives=bool(int(outlives)), report=report,
        )  # fmt: skip


class ExitRecord:
    """Record of how a program ended.

    Attributes:
        exit_code: Negative if a signal ended it; None if it had to be ended at its deadline.
        timed_out: It was ended at its deadline.
        overflowed: It was ended because its output exceeded the limit.
        stopped: It was ended because its answer was no longer needed.
        dismissed: It was ended because its output was complete.
        errno: Other than 0 if it could not be started; ``filename`` is then the file in question.
    """

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.timed_out = False
        self.overflowed = False
        self.stopped = False
        self.dismissed = False
        self.duration_ms = 0
        self.errno = 0
        self.filename = ""

    def encoded(self) -> bytes:
        """Return the content of the file."""
        exit_code = "" if self.exit_code is None else self.exit_code
        how = map(int, (self.timed_out, self.overflowed, self.stopped, self.dismissed))
        return _joined(exit_code, *how, self.duration_ms, self.errno, self.filename)

    @classmethod
    def decoded(cls, content: bytes) -> "ExitRecord":
        """Return what ``encoded`` has written; raises ``ValueError`` for anything else."""
        exit_code, timed_out, overflowed, stopped, dismissed, duration_ms, number, filename = _separated(content)
        ended = cls()
        ended.exit_code = int(exit_code) if exit_code else None
        ended.timed_out, ended.overflowed = bool(int(timed_out)), bool(int(overflowed))
        ended.stopped, ended.dismissed = bool(int(stopped)), bool(int(dismissed))
        ended.duration_ms, ended.errno = int(duration_ms), int(number)
        ended.filename = filename
        return ended


def _joined(*fields: object) -> bytes:
    encoded = [os.fsencode(str(field)) for field in fields]
    if any(_SEPARATOR in field for field in encoded):  # no program can be given one
        raise OSError(errno.EINVAL, "a path or an argument contains a null byte")
    return _SEPARATOR.join(encoded)


def _separated(content: bytes) -> list[str]:
    return [os.fsdecode(field) for field in content.split(_SEPARATOR)]
