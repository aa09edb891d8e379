"""Time to read a table row by row, and to write results, over plain loops of the same parsers.

A plain loop looks at nothing: it numbers no rows, says of none what is wrong with it, and makes nothing safe on disk.
"""

import csv
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.figures import Figure, Figures, Scale, cpu_s
from sparring.batch.addresses import optional
from sparring.batch.shards import Shards, arrow_schema, read_rows
from sparring.batch.tables import blocks
from sparring.schema.batch import Form
from support.batches import claims, manifest, shard_row, spelled

AT_ONCE = 1000
FORMS: tuple[Form, ...] = ("jsonl", "parquet")


class _Way(Struct, frozen=True):
    """Ours and a plain one of doing the same with so many rows."""

    name: str
    ours: Callable[[], object]
    plain: Callable[[], object]
    aim: str = ""

    def figure(self, rows: int, times: int) -> Figure:
        """The CPU of ours over that of the plain one."""
        ours, plain = cpu_s(self.ours, times=times), cpu_s(self.plain, times=times)
        return Figure(self.name, ours / plain, f"{rows / ours:,.0f} and {rows / plain:,.0f} rows/s{self.aim}")


def run(scale: Scale) -> Figures:
    """CPU to read and write each form over that of a plain loop."""
    count, times = scale.of((50_000, 5), smoke=(200, 1))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for ending in (".csv", ".jsonl", ".parquet"):
            (folder / f"in{ending}").write_bytes(spelled(claims(count), ending))
        rows = [shard_row(number) for number in range(1, count + 1)]
        for way in (*_reading(folder), *(each for form in FORMS for each in _writing(folder, form, rows))):
            yield way.figure(count, times)


def _reading(folder: Path) -> Sequence[_Way]:
    def ours(name: str) -> Callable[[], object]:
        return lambda: sum(map(len, blocks([name], cwd=folder)))

    def plain_csv() -> int:
        with (folder / "in.csv").open(encoding="utf-8", newline="") as stream:
            return sum(1 for _ in csv.DictReader(stream))

    def plain_json() -> int:
        with (folder / "in.jsonl").open("rb") as stream:
            return sum(1 for line in stream if json.loads(line))

    def plain_parquet() -> int:
        file = optional("pyarrow.parquet", "data").ParquetFile(folder / "in.parquet")
        return sum(len(batch.to_pylist()) for batch in file.iter_batches(AT_ONCE))

    return (
        _Way("reading CSV / csv.DictReader", ours("in.csv"), plain_csv),
        _Way("reading JSONL / json.loads", ours("in.jsonl"), plain_json),
        _Way("reading Parquet / to_pylist of pyarrow", ours("in.parquet"), plain_parquet),
    )


def _writing(folder: Path, form: Form, rows: Sequence[Mapping[str, Any]]) -> Sequence[_Way]:
    def ours() -> None:
        with Shards(str(folder / form), form=form, job="bench") as shards:
            for begin in range(0, len(rows), AT_ONCE):
                shards.add(rows[begin : begin + AT_ONCE])
            shards.close(manifest())

    def plain_json() -> None:
        with (folder / "plain.jsonl").open("w", encoding="utf-8") as stream:
            for row in rows:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")

    def plain_parquet() -> None:
        table = optional("pyarrow", "data").Table.from_pylist(rows, schema=arrow_schema())
        optional("pyarrow.parquet", "data").write_table(table, folder / "plain.parquet", compression="zstd")

    def back() -> int:
        return sum(1 for _ in read_rows(str(folder / form)))

    name, plain, aim = {
        "jsonl": ("writing results as JSONL / json.dumps", plain_json, "  (aim >= 40,000)"),
        "parquet": ("writing results as Parquet / one table of pyarrow", plain_parquet, "  (aim >= 30,000)"),
    }[form]
    return _Way(name, ours, plain, aim), _Way(f"reading them back from {form} / writing them", back, ours)
