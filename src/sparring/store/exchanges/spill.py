"""Paid answers that cannot be written into the ledger at the moment: a private file beside the project.

A worker adds to its own file while its ledger does not answer, and removes it when its content is in the ledger. The
next start on this machine reads the files of killed workers.
"""

import base64
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock

from msgspec import Struct, field
from pydantic import ValidationError

from sparring.errors import StoreError
from sparring.schema.base import Record
from sparring.store.exchanges.amounts import Used
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.steps import Settlement
from sparring.store.files import append_safely, make_folder, read_bounded

_PATTERN = "spill-*.jsonl"


class _Line(Record):
    ledger: str
    key: str
    fence: int
    state: str
    answer: str | None
    calls: int
    tokens: int | None
    cost: int | None


class Spill(Struct):
    """The file of one worker in ``folder``; thread-safe."""

    folder: Path
    ledger: str
    worker: str
    _written: set[tuple[Key, int]] = field(default_factory=set[tuple[Key, int]])
    _lock: Lock = field(default_factory=Lock)

    @property
    def file(self) -> Path:
        """Path of the spill file, whether or not it exists."""
        return self.folder / f"spill-{self.worker}.jsonl"

    def add(self, items: Iterable[Settlement]) -> None:
        """Write those of ``items`` that are not in the file; if the disk fails, they stay in memory."""
        with self._lock, suppress(StoreError, OSError):
            new = [item for item in items if (item.key, item.fence) not in self._written]
            if new:
                make_folder(self.folder)
                append_safely(self.file, b"".join(self._line(item) for item in new))
                self._written.update((item.key, item.fence) for item in new)

    def clear(self) -> None:
        """Remove the file: everything in it is in the ledger."""
        with self._lock:
            if self._written:
                with suppress(OSError):
                    self.file.unlink(missing_ok=True)
                self._written.clear()

    def _line(self, item: Settlement) -> bytes:
        answer = None if item.answer is None else base64.b64encode(item.answer).decode()
        used = item.used
        line = _Line(
            ledger=self.ledger,
            key=item.key.hex(),
            fence=item.fence,
            state=item.state,
            answer=answer,
            calls=used.calls,
            tokens=used.tokens,
            cost=used.cost,
        )
        return line.model_dump_json().encode() + b"\n"


class LeftoverSettlements(Struct, frozen=True):
    """Settlements in the file of another worker."""

    file: Path
    worker: str
    items: tuple[Settlement, ...]

    def remove(self) -> None:
        """Remove the file: its content is in the ledger."""
        with suppress(OSError):
            os.unlink(self.file)  # noqa: PTH108 -- the path exactly as it was listed


def leftover_settlements(folder: Path, ledger: str) -> Iterator[LeftoverSettlements]:
    """Yield the settlements in ``folder`` of workers of ``ledger``.

    Incomplete lines and lines of other ledgers are ignored.
    """
    for file in sorted(folder.glob(_PATTERN)):
        content = None
        with suppress(StoreError):
            content = read_bounded(file)
        lines = [line for text in (content or b"").splitlines() if (line := _read(text)) and line.ledger == ledger]
        if lines:
            items = tuple(_item(line) for line in lines)
            yield LeftoverSettlements(file, file.name.removeprefix("spill-").removesuffix(".jsonl"), items)


def _read(text: bytes) -> _Line | None:
    try:
        line = _Line.model_validate_json(text)
        bytes.fromhex(line.key)
        base64.b64decode(line.answer or "", validate=True)
    except (ValidationError, ValueError):
        return None
    return line


def _item(line: _Line) -> Settlement:
    answer = None if line.answer is None else base64.b64decode(line.answer)
    return Settlement(bytes.fromhex(line.key), line.fence, line.state, answer, Used(line.calls, line.tokens, line.cost))
