"""Tables as others write them, and rows as a batch writes them."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.batch.addresses import optional
from sparring.batch.tables import TableRow, blocks
from sparring.schema.base import utc_now
from sparring.schema.batch import Manifest

Cells = Mapping[str, Any]

_ROW = (Path(__file__).parents[1] / "data" / "shard_row.json").read_text(encoding="utf-8")


class Dripping(io.RawIOBase):
    """Stream of a slow source: so many bytes at a time."""

    def __init__(self, content: bytes, size: int) -> None:
        self._content, self._size = io.BytesIO(content), size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._content.read(min(self._size, len(buffer)))
        buffer[: len(piece)] = piece
        return len(piece)


def spelled(cells: Sequence[Cells], ending: str) -> bytes:
    """A table with these rows, by the programs that are usual for its kind."""
    if ending == ".parquet":
        content = io.BytesIO()
        optional("pyarrow.parquet", "data").write_table(
            optional("pyarrow", "data").Table.from_pylist(cells), content, row_group_size=700
        )
        return content.getvalue()
    if ending == ".jsonl":
        return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in cells).encode()
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(cells[0]), delimiter="\t" if ending == ".tsv" else ",")
    writer.writeheader()
    writer.writerows(cells)
    return text.getvalue().encode()


def claims(count: int, begin: int = 1) -> list[dict[str, str]]:
    """So many rows, each with a claim of a few words in two lines."""
    return [
        {"id": str(at), "claim": f'Claim "{at}",\nbản {at}', "evidence": "x" * 40} for at in range(begin, begin + count)
    ]


def rows_of(folder: Path, *inputs: str) -> Iterator[TableRow]:
    """The rows of all blocks."""
    return (row for block in blocks(inputs, cwd=folder) for row in block)


def shard_row(number: int, **other: Any) -> dict[str, Any]:
    """A row of the output of a jury of two."""
    row: dict[str, Any] = json.loads(_ROW)
    return {**row, "row": number, "id": str(number), "line": 2 * number, **other}


def manifest() -> Manifest:
    """Return a manifest before anything is counted."""
    return Manifest(sparring_version="1", format="jury", started_at=utc_now(), ended_at=utc_now())
