import gzip
import os
import tracemalloc
from pathlib import Path

import pytest

from sparring.batch.addresses import optional
from sparring.batch.tables import Shard, blocks, described
from sparring.errors import UsageError
from sparring.schema.batch import InputFile
from support.batches import claims, rows_of, spelled
from support.texts import texts


def table(file: Path, count: int = 2) -> Path:
    """A table with so many rows, as its name says it is spelled."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(spelled(claims(count), file.suffix))
    return file


def test_rows_are_numbered_over_all_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b/c.jsonl", "a.csv", "b.parquet", "_new/d.csv", ".e.csv", "_f.csv"):
        table(tmp_path / "in" / name)
    for name in ("notes.txt", "rejected-0001-of-0002.jsonl"):
        (tmp_path / "in" / name).write_text("{}")
    rows = list(rows_of(tmp_path, "in"))
    assert [(row.number, row.source) for row in rows[::2]] == [
        (1, "in/a.csv"),
        (3, "in/b/c.jsonl"),
        (5, "in/b.parquet"),
    ]
    assert list(rows_of(tmp_path, "in/[ab].*", "in/b/c.jsonl"))[-1].number == 6
    sources = [row.source for row in rows_of(Path("/"), f"file://{tmp_path}/in/**/c.*")]
    assert sources == [str(tmp_path / "in/b/c.jsonl")] * 2


@pytest.mark.parametrize("scheme", ["memory", "simplecache::memory"])
def test_tables_in_remote_storage_are_read_as_local_ones(tmp_path: Path, scheme: str) -> None:
    files, folder = optional("fsspec", "data").filesystem("memory"), f"{tmp_path.name}/in.csv"
    files.pipe_file(f"/{folder}/d.txt", b"")
    for name in ("b.parquet", "a.csv", "_c.csv"):
        files.pipe_file(f"/{folder}/{name}", spelled(claims(2), Path(name).suffix))
    for address in (f"{scheme}://{folder}", f"{scheme}://{folder}/*[!c].*"):
        rows = list(rows_of(tmp_path, address))
        assert [row.cells for row in rows] == claims(2) * 2
        assert [row.number for row in rows] == [1, 2, 3, 4]
        assert rows[0].source.endswith(f"{folder}/a.csv")


@pytest.mark.parametrize("spelling", ["0/2", "3/2", "1", "1/2/3", "a/b", "-1/2", "", "١/٢"])
def test_a_shard_has_its_name_and_what_is_none_is_refused(spelling: str) -> None:
    shard = Shard.parse("2/8")
    assert (str(shard), shard.name, Shard().name) == ("2/8", "0002-of-0008", "")
    with pytest.raises(UsageError, match="write I/N"):
        Shard.parse(spelling)


def test_bad_rows_are_reported_with_their_place_and_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"claim": "x"}\n\nnothing\n')
    cut = gzip.compress(b"claim\n" + b"".join(b"%d\n" % n**9 for n in range(9_000)))[:-20]
    (tmp_path / "b.csv.gz").write_bytes(cut)
    (tmp_path / "c.csv").write_bytes(b"claim\nz,z\nz\n")
    rows = list(rows_of(tmp_path, "a.jsonl", "b.csv.gz", "c.csv"))
    first, broken_off, last = ((row.source, row.line, row.problem) for row in rows if row.problem)
    assert first == ("a.jsonl", 3, "it is not JSON: Expecting value at character 1")
    assert broken_off[::2] == ("b.csv.gz", "the file breaks off here, or is damaged")
    assert last == ("c.csv", 2, "it has 2 cells, the header has 1")
    assert (rows[-1].cells, rows[-1].number) == ({"claim": "z"}, len(rows))


def test_an_unreadable_table_is_refused_before_the_first_row(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    table(tmp_path / "good.csv")
    for name, content in {
        "notes.txt": b"x",
        "text.parquet": b"claim\nx\n",
        "cut.parquet": spelled(claims(2), ".parquet")[:-9] + b"PAR1",
        "twice.csv": b"a,a\n1,2\n",
        "plain.csv.gz": b"a\n1\n",
    }.items():
        (tmp_path / name).write_bytes(content)
    arrow, parquet = optional("pyarrow", "data"), optional("pyarrow.parquet", "data")
    parquet.write_table(arrow.Table.from_arrays([arrow.array([1])] * 2, names=["a", "a"]), tmp_path / "twice.parquet")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    for inputs, reason in texts("tables")["unreadable"]:
        for read in (described, blocks):
            with pytest.raises(UsageError, match=reason):
                list(read(inputs, cwd=tmp_path))


def test_files_without_rows_are_passed_over_unless_there_are_no_others(tmp_path: Path) -> None:
    for name, content in {"a.csv": b"", "b.jsonl": b"\n", "c.csv": b"claim\n"}.items():
        (tmp_path / name).write_bytes(content)
    assert [file.columns for file in described(["*"], cwd=tmp_path)] == [(), (), ("claim",)]
    for named, said in (("*", r"^None of 3 tables has a row\.$"), ("c.csv", r"^c\.csv has no row\.$")):
        with pytest.raises(UsageError, match=said):
            list(blocks([named], cwd=tmp_path))
    table(tmp_path / "d.jsonl")
    assert [row.number for row in rows_of(tmp_path, "*")] == [1, 2]


def test_files_are_described_without_secrets(tmp_path: Path) -> None:
    sizes = [table(tmp_path / f"a{ending}", 3).stat().st_size for ending in (".csv", ".jsonl", ".parquet")]
    names = ("id", "claim", "evidence")
    assert described(["a.csv", "a.jsonl", "a.parquet"], cwd=tmp_path) == (
        InputFile(address="a.csv", form="csv", bytes=sizes[0], columns=names),
        InputFile(address="a.jsonl", form="jsonl", bytes=sizes[1]),
        InputFile(address="a.parquet", form="parquet", bytes=sizes[2], rows=3, columns=names),
    )
    with pytest.raises(UsageError, match=r"^nowhere://host/a\.csv is not an address"):
        described(["nowhere://name:password@host/a.csv?key=secret"], cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_memory_does_not_grow_with_the_table(tmp_path: Path, ending: str) -> None:
    arrow = optional("pyarrow", "data")
    pool = arrow.proxy_memory_pool(arrow.default_memory_pool())
    before = arrow.default_memory_pool()
    peaks: list[int] = []
    arrow.set_memory_pool(pool)
    try:
        for count in (1_000, 8_000):
            table(tmp_path / f"{count}{ending}", count)
            held = pool.max_memory()
            tracemalloc.start()
            assert sum(map(len, blocks([f"{count}{ending}"], cwd=tmp_path, rows=100))) == count
            peaks.append(tracemalloc.get_traced_memory()[1] + pool.max_memory() - held)
            tracemalloc.stop()
    finally:
        arrow.set_memory_pool(before)
    assert peaks[1] < 2 * peaks[0]  # all rows would be eight times as much


def test_a_link_to_a_table_of_the_same_folder_is_not_read_a_second_time(tmp_path: Path) -> None:
    table(tmp_path / "in" / "a.csv")
    (tmp_path / "in" / "link.csv").symlink_to("a.csv")
    assert [row.source for row in rows_of(tmp_path, "in")] == ["in/a.csv"] * 2
    assert [row.source for row in rows_of(tmp_path, "in/*.csv")] == ["in/a.csv"] * 2
