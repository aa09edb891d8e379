"""Distinct rows of a table of any length, counted in a temporary file instead of memory."""

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager

from sparring.errors import StateUnwritableError
from sparring.store.exchanges.sql import Key

_COMPARED_BYTES = 8
"""Bytes of a key that are compared, as one integer: two of ten million rows are alike once in 370,000 tables."""

_CACHE_KIB = 8 * 1024


class DistinctKeys:
    """Keys that were added, in a file that SQLite removes when it is closed.

    It has one user at a time, who may be in another thread each time.
    """

    def __init__(self) -> None:
        self._file = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for statement in (
            f"PRAGMA cache_size = -{_CACHE_KIB}",
            "PRAGMA journal_mode = OFF",
            "CREATE TABLE added (key INTEGER PRIMARY KEY)",
            "BEGIN",
        ):
            self._file.execute(statement)

    @classmethod
    @contextmanager
    def opened(cls) -> "Generator[DistinctKeys]":
        """Open an empty set, which is removed with the block.

        Raises:
            StateUnwritableError: The temporary file cannot be written, now or in the block.
        """
        try:
            keys = cls()
            try:
                yield keys
            finally:
                keys._file.close()
        except sqlite3.Error as error:
            raise StateUnwritableError(
                f"The temporary file of row keys cannot be written: {error}.",
                hint="Set TMPDIR to a folder with more room.",
            ) from error

    def add(self, keys: Iterable[Key]) -> list[bool]:
        """Add ``keys``; return for each whether it is new."""
        insert = "INSERT OR IGNORE INTO added VALUES (?)"
        return [self._file.execute(insert, (_integer(key),)).rowcount == 1 for key in keys]


def _integer(key: Key) -> int:
    return int.from_bytes(key[:_COMPARED_BYTES], signed=True)
