"""The output of a batch with several writers: one process writes each block of the input, any process the manifest."""

import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.batch import addresses, tables
from sparring.batch.shards import OpenShard, OutputFolder, RowTally, rejection
from sparring.disk import SYSTEM
from sparring.schema.base import Record
from sparring.schema.batch import DecidedByCode, Form, Manifest, OutputFile
from sparring.store.files import record_parts


class BlockReport(Record):
    """Result of a block of the input: its shard, and counts of its rows.

    Attributes:
        rows: Rows of the input, including rejected ones.
        incomplete: Rows that a later start asks for again.
    """

    output: OutputFile
    rows: int
    statuses: dict[str, int]
    labels: dict[str, int]
    contested: int = 0
    by_code: DecidedByCode = DecidedByCode()
    rejected: int = 0
    incomplete: int = 0

    @property
    def is_whole(self) -> bool:
        """Return whether no row is left to be asked for."""
        return not self.incomplete


class OpenBlock:
    """A block of the input whose shard is being written."""

    def __init__(self, shard: OpenShard, number: int) -> None:
        self.number = number
        self._shard = shard
        self._tally = RowTally()
        self._rejections = list[bytes]()
        self._rows, self._incomplete = 0, 0

    def add(self, rows: Sequence[Mapping[str, Any]], rejected: Sequence[tables.TableRow], incomplete: int) -> None:
        """Write the next rows of the block, and record those that could not be used.

        Raises:
            StoreError: They cannot be written.
        """
        self._shard.add(rows)
        self._tally.add(rows)
        self._rejections += map(rejection, rejected)
        self._rows += len(rows) + len(rejected)
        self._incomplete += incomplete

    def publish(self, *, left: int = 0) -> bytes:
        """Make the shard visible, and return the report, followed by the rejected rows.

        ``left`` is the number of rows of the block that were not judged in time.
        """
        report = BlockReport(
            output=self._shard.publish(),
            rows=self._rows,
            statuses=dict(self._tally.statuses),
            labels=dict(self._tally.labels),
            contested=self._tally.contested,
            by_code=self._tally.by_code,
            rejected=len(self._rejections),
            incomplete=self._incomplete + left,
        )
        return report.model_dump_json().encode() + b"\n" + zlib.compress(b"".join(self._rejections))

    def drop(self) -> None:
        """Remove the unfinished shard."""
        self._shard.drop()


def read_report(report: bytes) -> tuple[BlockReport, bytes]:
    """Parse a report, and the rejected rows of its block in the form of ``rejected.jsonl``."""
    line, _, rejections = report.partition(b"\n")
    return BlockReport.model_validate_json(line), zlib.decompress(rejections)


class SharedOutput:
    """The output of a batch whose blocks are written by any number of processes, one process for each block."""

    def __init__(
        self, output: str, *, form: Form, writer: str, name: str = "", job: str = "", cwd: Path = Path()
    ) -> None:
        """Check that ``output`` may be written, before anything is paid; see ``Shards``.

        ``writer`` names this process in the names of unfinished files: 16 hexadecimal digits.
        """
        self._output = OutputFolder(output, form=form, name=name, job=job, cwd=cwd, disk=SYSTEM, writer=writer)

    @property
    def address(self) -> str:
        """Return the address of the folder as it may be shown."""
        return self._output.folder.address

    def begin(self, living: Callable[[], Collection[str]]) -> None:
        """Create the folder, and remove unfinished files of workers that have died."""
        self._output.folder.share(living)
        self._output.mark_as_ours()

    def remove_manifest(self) -> None:
        """Remove the manifest, because the output is no longer complete."""
        self._output.folder.remove(self._output.manifest)

    def holds(self, report: bytes) -> bool:
        """Return whether the shard of a block exists as it was written."""
        output = read_report(report)[0].output
        return self._output.folder.holds(output.file, output.bytes, output.sha256)

    def open(self, number: int) -> OpenBlock:
        """Begin the shard of block ``number``."""
        return OpenBlock(self._output.open(number), number)

    def write_file(self, name: str, *parts: bytes) -> None:
        """Write a file next to the shards, complete or not at all; raises ``StoreError``."""
        self._output.write_file(name, *parts)

    def finish(self, reports: Iterable[bytes], manifest: Manifest) -> Manifest:
        """Write the rejected rows and the manifest; return the manifest with the counts of the ``reports``.

        Raises:
            StoreError: It cannot be written; then there is no manifest.
        """
        tally, outputs, rejected = RowTally(), list[OutputFile](), 0
        file: addresses.NewFile | None = None
        try:
            for report, rejections in map(read_report, reports):
                tally.join(report.statuses, report.labels, report.contested, report.by_code)
                outputs.append(report.output)
                rejected += report.rejected
                if rejections:
                    file = file or self._output.create(self._output.rejected)
                    file.write(rejections)
            if file is not None:
                file.publish()
        finally:
            if file is not None:
                file.drop()
        if manifest.is_whole:
            self._output.remove_stale({each.file for each in outputs}, has_rejected=bool(rejected))
        full = self._output.filled(manifest, outputs, tally, rejected)
        self._output.write_file(self._output.manifest, *record_parts(full))
        return full
