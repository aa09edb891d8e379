import hashlib
import json
import stat
import subprocess
import sys
import tracemalloc
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from sparring.batch.addresses import optional
from sparring.batch.block_output import SharedOutput
from sparring.batch.shards import JOB, OutputFolder, Shards, arrow_schema, read_rows
from sparring.batch.tables import TableRow
from sparring.disk import SYSTEM
from sparring.errors import ExhaustedError, SparringError, StateLockedError, StoreError, UsageError
from sparring.extras import install_command
from sparring.schema.batch import Form, Manifest, RejectedRow, ShardRow
from sparring.store.files import read_record
from sparring.testing.crashes import LosingDisk, Loss
from support.batches import manifest, shard_row, spelled
from support.full_disk import largest_file

FORMS: tuple[Form, ...] = ("jsonl", "parquet")
JOB_ONE, JOB_TWO = "1" * 32, "2" * 32


def write(output: Path | str, numbers: range, *, rejected: int = 0, **how: Any) -> Manifest:
    """A batch of these rows, some of which are rejected besides."""
    how = {"form": "jsonl", "rows_per_shard": 10, "job": JOB_ONE, **how}
    with Shards(str(output), **how) as shards:
        for number in numbers[::7]:
            shards.add([shard_row(each) for each in numbers[numbers.index(number) :][:7]])
        for number in range(rejected):
            shards.reject(TableRow(number + 1, "a.csv", number + 2, problem="it has no claim"))
        return shards.close(manifest())


def seen(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


@pytest.mark.parametrize("form", FORMS)
def test_shards_have_a_size_and_the_manifest_counts_what_was_written(tmp_path: Path, form: Form) -> None:
    with Shards(str(tmp_path), form=form, job=JOB_ONE, rows_per_shard=2) as shards:
        other = shard_row(2, label="MUTATED", contested=[], run="f" * 32)
        shards.add([shard_row(1), other, shard_row(3, label=None, status="refused")])
        shards.reject(TableRow(4, "a.csv", 9, problem="it has no claim"))
        told = shards.close(manifest())
    parts = [f"part-0000{at}.{form}" for at in range(2)]
    assert seen(tmp_path) == [JOB, "_manifest.json", *parts, "rejected.jsonl"]
    assert [(each.file, each.rows) for each in told.outputs] == list(zip(parts, (2, 1), strict=True))
    for each in told.outputs:
        content = (tmp_path / each.file).read_bytes()
        assert (each.bytes, each.sha256) == (len(content), hashlib.sha256(content).hexdigest())
        assert stat.S_IMODE((tmp_path / each.file).stat().st_mode) == 0o600
    assert (told.rows, told.rejected, told.job) == (3, 1, JOB_ONE)
    assert (told.statuses, told.labels) == ({"judged": 2, "refused": 1}, {"FAITHFUL": 1, "MUTATED": 1})
    assert told.contested == 1  # a row without a verdict has none to be in doubt
    assert read_record(tmp_path / "_manifest.json", Manifest) == told
    rejected = RejectedRow.model_validate_json((tmp_path / "rejected.jsonl").read_bytes())
    assert rejected == RejectedRow(row=4, source="a.csv", line=9, problem="it has no claim")


def test_the_columns_are_those_of_the_record_and_what_is_written_is_one() -> None:
    assert arrow_schema().names == list(ShardRow.model_fields) == list(shard_row(1))
    row = TypeAdapter(ShardRow).validate_json(json.dumps(shard_row(1)))
    assert row.model_dump(mode="json") == shard_row(1)
    kinds = {field.name: str(field.type) for field in arrow_schema()}
    assert (kinds["row"], kinds["firmness"], kinds["incomplete"], kinds["kept"]) == ("int64", "double", "bool", "int64")
    optional_ = {"id", "dataset", "label", "firmness", "fixed", "broke", "kept", "run", "error_code", "gold"}
    assert {field.name for field in arrow_schema() if field.nullable} == optional_


@pytest.mark.parametrize("form", FORMS)
def test_duckdb_reads_what_was_written(tmp_path: Path, form: Form) -> None:
    import duckdb  # noqa: PLC0415 -- what is there when tests were collected is kept to the end, and it tells of that

    write(tmp_path, range(1, 26), form=form)
    reader = {"parquet": "read_parquet", "jsonl": "read_json_auto"}[form]
    asked = f"""
        select count(*), sum(cost_usd), min(quotes[1].text), max(blind_votes[1].label), count(kept), max(lost[1].code)
        from {reader}('{tmp_path}/part-*.{form}') where status = 'judged' and "row" between 6 and 20 and incomplete
    """
    with duckdb.connect() as database:
        found = database.execute(asked).fetchall()
    assert found == [(15, 3.75, "bản", "FAITHFUL", 0, "timeout")]


@pytest.mark.parametrize("form", FORMS)
def test_half_a_character_spoils_no_shard(tmp_path: Path, form: Form) -> None:
    with Shards(str(tmp_path), form=form) as shards:
        shards.add([shard_row(1, problem="a\ud800b"), shard_row(2)])
        shards.reject(TableRow(3, "\udcff.csv", 1, problem="it is not UTF-8 text"))
        shards.close(manifest())
    assert list(read_rows(str(tmp_path))) == [shard_row(1, problem="a?b"), shard_row(2)]


def test_the_same_job_replaces_what_it_has_left_and_no_other_does(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    Shards(str(tmp_path), form="jsonl", job=JOB_TWO).discard()  # nothing was written: it is anybody's
    write(tmp_path, range(1, 36), rejected=1)
    others: tuple[dict[str, Any], ...] = ({"job": JOB_TWO}, {"job": ""}, {"name": "0001-of-0002"})
    for other in others:
        with pytest.raises(UsageError, match="contains the output of another batch"):
            write(tmp_path, range(1, 3), **other)
    before = seen(tmp_path)
    with Shards(str(tmp_path), form="jsonl", rows_per_shard=2, job=JOB_ONE) as shards:
        assert seen(tmp_path) == [name for name in before if name != "_manifest.json"]
        shards.add([shard_row(1), shard_row(2), shard_row(3)])
    assert (len(seen(tmp_path)), "_manifest.json" in seen(tmp_path)) == (len(before) - 1, False)
    write(tmp_path, range(1, 15), form="parquet")
    assert seen(tmp_path) == [JOB, "_manifest.json", "notes.txt", "part-00000.parquet", "part-00001.parquet"]


def test_rows_of_shares_are_read_in_the_order_of_the_table(tmp_path: Path) -> None:
    for index in (2, 1):
        write(tmp_path, range(index, 41, 2), name=f"000{index}-of-0002")
    assert [row["row"] for row in read_rows(str(tmp_path))] == list(range(1, 41))


def test_two_processes_do_not_write_the_same(tmp_path: Path) -> None:
    mine = Shards(str(tmp_path), form="jsonl", job=JOB_ONE)
    with mine, pytest.raises(StateLockedError, match="Another process writes to"):
        write(tmp_path, range(1, 3))
    write(tmp_path, range(1, 3))


@pytest.mark.parametrize("form", FORMS)
def test_results_in_remote_storage_are_as_in_a_folder(tmp_path: Path, form: Form) -> None:
    address = f"memory://{tmp_path.name}/{form}"
    write(address, range(1, 26), form=form, rejected=1)
    write(address, range(1, 16), form=form)
    assert list(read_rows(address)) == [shard_row(number) for number in range(1, 16)]
    files = optional("fsspec", "data").filesystem("memory")
    names = sorted(path.rpartition("/")[2] for path in files.ls(f"/{tmp_path.name}/{form}", detail=False))
    assert names == [JOB, "_manifest.json", f"part-00000.{form}", f"part-00001.{form}"]
    with pytest.raises(UsageError, match="another batch"):
        write(address, range(1, 3), form=form, job=JOB_TWO)


@pytest.mark.parametrize(
    ("output", "kind", "reason"),
    [
        ("file", UsageError, r"file is not a folder: part of its path is a file\."),
        ("file/out", UsageError, r"file/out is not a folder: part of its path is a file\."),
        ("s3://bucket/out", UsageError, r"^s3://bucket/out needs a package: Install s3fs"),
    ],
)
def test_an_unwritable_output_is_refused_at_once(
    tmp_path: Path, output: str, kind: type[SparringError], reason: str
) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(kind, match=reason):
        Shards(output, form="jsonl", cwd=tmp_path)


def test_nothing_that_is_no_shard_is_read_as_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="contains no output of a batch"):
        list(read_rows(str(tmp_path)))
    write(tmp_path, range(1, 4))
    with (tmp_path / "part-00000.jsonl").open("ab") as file:
        file.write(b'{"torn')
    with pytest.raises(UsageError, match=r"Line 4 of .*part-00000\.jsonl is not a row"):
        list(read_rows(str(tmp_path)))
    (tmp_path / "part-00000.jsonl").unlink()
    (tmp_path / "part-00000.jsonl").symlink_to(tmp_path / JOB)
    with pytest.raises(StoreError, match="symbolic link"):
        list(read_rows(str(tmp_path)))


@pytest.mark.parametrize("form", FORMS)
def test_a_full_disk_leaves_whole_shards_and_no_manifest(tmp_path: Path, form: Form) -> None:
    with Shards(str(tmp_path), form=form, rows_per_shard=3_000, job=JOB_ONE) as shards:
        shards.add([shard_row(number) for number in range(1, 3_001)])
        whole = (tmp_path / f"part-00000.{form}").stat().st_size
        with largest_file(whole // 2), pytest.raises(ExhaustedError, match="limit that is set for files"):
            shards.add([shard_row(number) for number in range(3_001, 6_001)])
    assert seen(tmp_path) == [JOB, f"part-00000.{form}"]
    assert not list(tmp_path.glob(".part*"))
    assert write(tmp_path, range(1, 3), form=form).rows == 2


def test_files_after_a_crash_are_whole_and_complete_where_there_is_a_manifest(tmp_path: Path) -> None:
    def files(folder: Path) -> dict[str, bytes]:
        return {name: (folder / name).read_bytes() for name in seen(folder)}

    (tmp_path / "real").mkdir()
    disk = LosingDisk(tmp_path / "real")
    complete: list[dict[str, bytes]] = []
    for numbers, rejected in ((range(1, 26), 1), (range(2, 16), 0)):  # the second start has less to tell
        write(tmp_path / "real", numbers, disk=disk, rejected=rejected)
        complete.append(files(tmp_path / "real"))
    known = {*complete[0].items(), *complete[1].items()}
    for after, loss in product(range(len(disk.operations) + 1), Loss):
        left = tmp_path / f"{after}-{loss.name}"
        disk.crash(after, loss, left)
        found = files(left)
        assert found.items() <= known
        assert "_manifest.json" not in found or found in complete
        assert after < len(disk.operations) or found == complete[1]


def test_files_of_a_killed_process_are_swept_by_the_next(tmp_path: Path) -> None:
    write(tmp_path, range(1, 3))
    for name in (f".part-00007.jsonl.{'0' * 16}.new", f".rejected.jsonl.{'1' * 16}.new", ".mine"):
        (tmp_path / name).write_text("half")
    write(tmp_path, range(1, 3))
    assert sorted(path.name for path in tmp_path.glob(".*")) == [".mine", ".whole.lock"]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_memory_does_not_grow_with_what_is_written(tmp_path: Path, form: Form) -> None:
    peaks: list[int] = []
    for count in (2_000, 10_000):
        tracemalloc.start()
        with Shards(str(tmp_path / str(count)), form=form) as shards:
            for begin in range(0, count, 500):
                shards.add([shard_row(number) for number in range(begin, begin + 500)])
            shards.close(manifest())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]  # all rows would be five times as much


WITHOUT = """\
import sys
import sparring.cli, sparring.app, sparring.server, sparring.batch.tables, sparring.batch.shards
print(sorted({"pyarrow", "fsspec"} & set(sys.modules)))
sys.modules["pyarrow"] = sys.modules["fsspec"] = None  # as where they are not installed
from pathlib import Path
from sparring.batch.shards import Shards
from sparring.batch.tables import blocks
from sparring.errors import UsageError
here = Path(sys.argv[1])
print([row.cells for name in ("a.csv", "a.jsonl") for block in blocks([name], cwd=here) for row in block])
Shards("out", form="jsonl", cwd=here).discard()
for asked in (
    lambda: list(blocks(["a.parquet"], cwd=here)),
    lambda: list(blocks(["s3://bucket/a.csv"], cwd=here)),
    lambda: Shards("other", form="parquet", cwd=here),
    lambda: Shards("memory://out", form="jsonl", cwd=here),
):
    try:
        asked()
    except UsageError as error:
        print(error)
"""


@pytest.mark.process
def test_only_parquet_and_addresses_need_the_extra(tmp_path: Path) -> None:
    for ending in (".csv", ".jsonl", ".parquet"):
        (tmp_path / f"a{ending}").write_bytes(spelled([{"claim": "x"}], ending))
    done = subprocess.run([sys.executable, "-c", WITHOUT, str(tmp_path)], capture_output=True, check=True)
    needed = "The package {} is needed for this and is not installed. Install it with: "
    needed += install_command("data").replace("{", "{{").replace("}", "}}")
    assert done.stdout.decode().splitlines() == [
        "[]",
        "[{'claim': 'x'}, {'claim': 'x'}]",
        *(needed.format(package) for package in ("pyarrow", "fsspec", "pyarrow", "fsspec")),
    ]


def test_files_of_live_writers_stay_and_those_of_dead_ones_go(
    tmp_path: Path,
) -> None:
    one, other, dead = ("0" * 15 + digit for digit in "123")
    place: dict[str, Any] = {"form": "jsonl", "job": "j", "cwd": tmp_path}
    SharedOutput("out", writer=one, **place).begin(tuple)
    page, left = (
        OutputFolder("out", writer=each, name="", disk=SYSTEM, **place).create("table.html") for each in (one, dead)
    )
    page.write(b"whole")
    left.write(b"half")
    SharedOutput("out", writer=other, **place).begin(lambda: (one, other))
    page.publish()
    assert (tmp_path / "out" / "table.html").read_bytes() == b"whole"
    assert [file.name for file in (tmp_path / "out").glob(".*.new")] == []
