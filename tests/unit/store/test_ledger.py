"""An answer ledger in a file: what is private, what is refused, and what is left when the disk takes no more."""

import asyncio
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from sparring.errors import StateCorruptError, StateLockedError, StateUnwritableError, StoreError, UsageError
from sparring.store.ledger import Ledger, database
from sparring.store.sqlite import LockedFiles
from support.full_disk import largest_file
from support.ledgers import Workers, file, key, play

ROW = key(1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "made" / "answers.sqlite"


@pytest.fixture
def workers(path: Path) -> Generator[Workers]:
    workers = Workers(str(path))
    with workers.open_:
        yield workers


@pytest.mark.process
def test_another_process_that_closes_it_leaves_the_log_to_those_who_go_on(workers: Workers, path: Path) -> None:
    """Who closes any descriptor of the file loses the locks of all of his connections, by which he is seen."""
    ledger = workers()
    ledger.take([key(1)])
    ledger.counts()  # by a connection of its own
    other = "import sqlite3, sys; one = sqlite3.connect(sys.argv[1]); one.execute('SELECT * FROM {}'); one.close()"
    subprocess.run((sys.executable, "-c", other.format("sparring_rows"), path), check=True, timeout=60)
    ledger.take([key(2)])

    assert path.with_name(f"{path.name}-wal").exists()
    assert raw(path, "SELECT count(*) FROM sparring_leases") == [(2,)]


def test_it_is_private_and_one_file_when_all_have_closed_it(workers: Workers, path: Path) -> None:
    for _ in range(2):
        workers()
    modes = {file.name.removeprefix(path.name): stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(("", "-wal", "-shm", "-alive-worker-0", "-alive-worker-1"), 0o600)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    workers.open_.close()
    assert list(path.parent.iterdir()) == [path]
    Ledger.open(str(path.parent)).close()  # in a folder it has its usual name
    assert {file.name for file in path.parent.iterdir()} == {path.name, "ledger.sqlite"}


def test_a_commit_is_on_disk_and_readers_hold_nobody_up(path: Path) -> None:
    with closing(database(str(path)).connect()) as connection:
        assert connection.execute("PRAGMA synchronous") == [(2,)]
        assert connection.execute("PRAGMA journal_mode") == [("wal",)]


NO_LEDGERS: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: path.symlink_to(path.parent / "elsewhere"), "symbolic link"),
    (lambda path: path.with_name(f"{path.name}-wal").symlink_to(path.parent / "elsewhere"), "symbolic link"),
    (os.mkfifo, "not a regular file"),
    (lambda path: path.write_text("row,label\n" * 5000, encoding="utf-8"), "is no answer ledger"),
    (lambda path: raw(path, "CREATE TABLE bookmarks (name TEXT)"), "another program made it"),
]


def raw(path: Path, statement: str) -> list[tuple[int]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


@pytest.mark.parametrize(("put", "said"), NO_LEDGERS)
def test_what_is_no_ledger_is_refused_and_left_as_it_is(path: Path, put: Callable[[Path], object], said: str) -> None:
    path.parent.mkdir()
    put(path)
    before = _seen(path)
    with pytest.raises(StateCorruptError, match=said):
        Ledger.open(str(path))
    assert _seen(path) == before


def _seen(path: Path) -> list[tuple[str, bytes]]:
    """What is there, without what SQLite has made and emptied."""
    files = [file for file in path.parent.iterdir() if file.is_file() and file.stat().st_size]
    return sorted((file.name, file.read_bytes()) for file in files)


@pytest.mark.parametrize(
    ("address", "error", "said"),
    [
        ("s3://bucket/ledger", UsageError, "not s3://"),
        ("postgresql://me:hidden@127.0.0.1:1/ledger", StateUnwritableError, "127.0.0.1"),
        ("postgresql://me:hidden@127.0.0.1:1/ledger?colour=blue", UsageError, "no address of Postgres"),
        ("/proc/no/such/folder", StateUnwritableError, "No such file"),
    ],
)
def test_an_address_that_leads_nowhere_is_told_without_its_password(
    address: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said) as told:
        Ledger.open(address)
    assert "hidden" not in f"{told.value} {told.value.__cause__}"


def test_a_torn_file_is_told_and_left_as_it_is(workers: Workers, path: Path) -> None:
    ledger = workers()
    ledger.take([ROW])
    asyncio.run(ledger.file(ROW, result=b"", told=b"", run=os.urandom(500_000), is_complete=True))
    workers.open_.close()
    os.truncate(path, path.stat().st_size // 2)
    before = path.read_bytes()
    with pytest.raises(StateCorruptError, match=r"is damaged.*move it"), Ledger.open(str(path)) as torn:
        list(torn.rows())
    assert path.read_bytes() == before


async def test_of_a_torn_log_all_is_read_that_was_whole(workers: Workers, path: Path, tmp_path: Path) -> None:
    ledger = workers()
    ledger.take([ROW])
    await ledger.asked(ROW, {"a": b"a?"}, costs=[])
    await ledger.answered(ROW, "a", b"a!")
    torn = tmp_path / "torn.sqlite"
    shutil.copy(path, torn)
    log = path.with_name(f"{path.name}-wal").read_bytes()
    torn.with_name(f"{torn.name}-wal").write_bytes(log[:-100])
    with Ledger.open(str(torn)) as later:
        (exchange,) = later.find(ROW.hex()).exchanges
    assert (exchange.asked, exchange.answered) == (b"a?", None)


async def test_a_disk_that_takes_no_more_loses_nothing_and_is_gone_on_with(workers: Workers, path: Path) -> None:
    ledger = workers()
    ledger.take([ROW])
    await ledger.asked(ROW, {"a": b"a?"}, costs=["a"])
    with largest_file(path.with_name(f"{path.name}-wal").stat().st_size), pytest.raises(StateUnwritableError) as told:
        await ledger.answered(ROW, "a", b"a" * 50_000)
    assert "Nothing was deleted" in str(told.value)

    await ledger.answered(ROW, "a", b"a!")
    await file(ledger, ROW)
    (exchange,) = ledger.find(ROW.hex()).exchanges
    assert (exchange.answered, exchange.times_asked, ledger.counts().answered) == (b"a!", 1, 1)


async def test_one_who_keeps_it_from_being_written_is_told_and_waited_for_no_longer(
    workers: Workers, path: Path
) -> None:
    ledger = workers(busy_s=0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        asking = (ledger.asked(key(number), {}, costs=[]) for number in range(20))
        results = await asyncio.gather(*asking, return_exceptions=True)
    assert {type(result) for result in results} == {StateLockedError}
    assert set(ledger.take([ROW])) == {ROW}


async def test_what_cannot_be_written_does_not_take_others_with_it(workers: Workers) -> None:
    ledger = workers()
    ledger.take([ROW])
    asking = (ledger.asked(ROW, {place: b"?"}, costs=[]) for place in ("good", "half a character \ud83c"))
    good, bad = await asyncio.gather(*asking, return_exceptions=True)
    assert (good, type(bad)) == (None, UnicodeEncodeError)
    assert [one.place for one in ledger.find(ROW.hex()).exchanges] == ["good"]


async def test_an_answer_is_kept_though_nobody_waits_for_it_any_more(workers: Workers) -> None:
    ledger = workers()
    ledger.take([ROW])
    waiting = asyncio.ensure_future(ledger.answered(ROW, "a", b"a!"))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    ledger.close()
    assert [one.answered for one in workers().find(ROW.hex()).exchanges] == [b"a!"]


def test_loops_of_several_threads_may_write_at_once(workers: Workers) -> None:
    ledger, keys = workers(), [key(number) for number in range(40)]
    ledger.take(keys)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(asyncio.run, (play(ledger, one, ["a", "b"]) for one in keys)))
    assert set(ledger.filed(keys)) == set(keys)


async def test_a_damaged_record_is_told(workers: Workers, path: Path) -> None:
    ledger = workers()
    ledger.take([ROW])
    await play(ledger, ROW, ["a"])
    raw(path, "UPDATE sparring_records SET record = substr(record, 1, 20)")
    with pytest.raises(StoreError, match=r"damaged|cut off"):
        ledger.find(ROW.hex())


def test_who_lives_holds_a_lock_and_of_whom_there_is_no_file_nothing_is_known(tmp_path: Path) -> None:
    mine, others = (LockedFiles(tmp_path / "ledger.sqlite") for _ in range(2))
    mine.begin("mine")
    assert not others.has_ended("mine")
    mine.end()
    assert not list(tmp_path.iterdir())
    assert not others.has_ended("mine")
    (tmp_path / "ledger.sqlite-alive-dead").touch()  # who has only a file has died, which is found out once
    assert others.has_ended("dead")
    assert not list(tmp_path.iterdir())


def test_nobody_waits_for_the_rows_of_one_who_has_died_meanwhile(workers: Workers, path: Path) -> None:
    ledger = workers()
    raw(path, "INSERT INTO sparring_workers VALUES ('dead', 1e12, 0, 0, 0)")
    raw(path, f"INSERT INTO sparring_leases (key, worker) VALUES (X'{ROW.hex()}', 'dead')")
    assert not ledger.take([ROW])
    path.with_name(f"{path.name}-alive-dead").touch()  # a file that nobody holds
    assert set(ledger.take([ROW])) == {ROW}


@pytest.mark.parametrize("name", ["../ledger", "a/b", "", "x" * 65, "linked"])
def test_a_ledger_that_somebody_else_made_names_no_other_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "inner").mkdir()
    kept = tmp_path / "kept"
    kept.write_text("kept", encoding="utf-8")
    ledger = tmp_path / "inner" / "ledger.sqlite"
    ledger.with_name("ledger.sqlite-alive-linked").symlink_to(kept)
    signs = LockedFiles(ledger)
    before = sorted(tmp_path.rglob("*"))
    signs.begin(name)
    assert not signs.has_ended(name)
    assert sorted(tmp_path.rglob("*")) == before
    assert kept.read_text(encoding="utf-8") == "kept"
