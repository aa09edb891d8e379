"""What an answer ledger keeps to, wherever it is kept."""

import asyncio
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest

from sparring.errors import LeaseLostError, StateNewerError, StateUnwritableError, UsageError
from sparring.store.ledger import Filed, KeptExchange, KeptRow, Ledger, Taken, database
from support.ledgers import LEASE_S, Workers, file, key, play, wait_for
from support.postgres import of_its_own

ROW, OTHER = key(1), key(2)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "answers.sqlite")
    return of_its_own(request.getfixturevalue("postgres"), f"ledger_{uuid4().hex}")


@pytest.fixture
def workers(address: str) -> Generator[Workers]:
    workers = Workers(address)
    with workers.open_:
        yield workers


async def test_a_row_that_was_filed_is_told_whole_and_taken_no_more(workers: Workers) -> None:
    ledger = workers()
    assert ledger.take([ROW, OTHER, ROW]) == {one: Taken(one, {}, {}, was_filed=False) for one in (ROW, OTHER)}

    await play(ledger, ROW, ["blind/a", "blind/b"])

    assert ledger.filed([ROW, OTHER, key(3)]) == {ROW: Filed(b'{"r": 1}', is_complete=True)}
    assert ledger.told([ROW, OTHER]) == {ROW: b'{"t": 1}'}
    exchanges = tuple(
        KeptExchange(place, f"{place}?".encode(), f"{place}!".encode(), 1) for place in ("blind/a", "blind/b")
    )
    whole = KeptRow(ROW, True, True, workers.clock.now, b'{"r": 1}', b'{"t": 1}', b'{"h": 1}', exchanges)  # noqa: FBT003
    assert ledger.find(ROW.hex()[:9]) == whole
    assert list(ledger.rows()) == [(whole,)]
    raw = database(workers.address).connect()
    assert raw.execute("SELECT count(*) FROM sparring_exchanges") == [(0,)]
    raw.close()
    assert workers().take([ROW, OTHER]) == {}
    counts = ledger.counts()
    assert (counts.filed, counts.complete, counts.asked, counts.answered, counts.asked_again) == (1, 1, 2, 2, 0)
    assert counts.size_bytes > 0


async def test_what_a_worker_held_that_has_died_is_free_with_what_was_asked_and_answered(workers: Workers) -> None:
    dead, other = workers(), workers()
    dead.take([ROW])
    await dead.asked(ROW, {"a": b"a?", "b": b"b?", "c": b"c?"}, costs=["a", "b"])
    await dead.answered(ROW, "c", b"c!")
    await dead.answered(ROW, "a", b"a!")
    workers.clock.now += LEASE_S - 1
    assert other.take([ROW]) == {}

    workers.clock.now += 1
    taken = other.take([ROW])

    assert taken == {ROW: Taken(ROW, {"b": b"b?"}, {"c": b"c!", "a": b"a!"}, was_filed=False)}
    assert list(taken[ROW].answered) == ["c", "a"]
    assert dead.take([ROW]) == {}


async def test_a_worker_lives_as_long_as_it_writes(workers: Workers) -> None:
    living, other = workers(), workers()
    living.take([ROW])
    for _ in range(5):
        workers.clock.now += LEASE_S / 2
        await living.asked(ROW, {"a": b""}, costs=())
    assert other.take([ROW]) == {}


def test_a_worker_that_has_nothing_to_write_lives_on(address: str) -> None:
    with Ledger.open(address, lease_s=0.6) as idle:
        raw = database(address).connect()
        lives = "SELECT expires FROM sparring_workers WHERE worker = ?"
        began = raw.execute(lives, (idle.worker,))
        wait_for(lambda: raw.execute(lives, (idle.worker,)) > began)
        raw.close()


@pytest.mark.parametrize("how", ["taken", "filed", "given back"])
async def test_a_worker_that_has_lost_its_row_asks_and_files_nothing(workers: Workers, how: str) -> None:
    loser, other = workers(), workers()
    loser.take([ROW])
    if how == "given back":
        loser.release([ROW, OTHER])
    else:
        workers.expire()
        other.take([ROW])
    if how == "filed":
        await play(other, ROW, ["x"])

    with pytest.raises(LeaseLostError, match=ROW.hex()):
        await loser.asked(ROW, {"a": b"a?"}, costs=["a"])
    with pytest.raises(LeaseLostError, match=ROW.hex()):
        await loser.file(ROW, result=b"theirs", told=b"", run=b"", is_complete=True)

    assert loser.counts().asked == (1 if how == "filed" else 0)
    assert [filed.result for filed in loser.filed([ROW]).values()] == ([b'{"r": 1}'] if how == "filed" else [])


@pytest.mark.parametrize(
    ("theirs", "is_filed", "kept"),
    [
        (None, False, b"late"),
        (None, True, b"late"),
        (b"theirs", False, b"theirs"),
        (b"theirs", True, b"theirs"),
    ],
    ids=["they ask", "they have filed without it", "they have it", "they have filed it"],
)
async def test_a_late_answer_is_kept_where_there_is_none(
    workers: Workers, theirs: bytes | None, kept: bytes, *, is_filed: bool
) -> None:
    loser, other = workers(), workers()
    loser.take([ROW])
    await loser.asked(ROW, {"a": b"a?"}, costs=["a"])
    workers.expire()
    other.take([ROW])
    await other.asked(ROW, {"a": b"a??"}, costs=["a"])
    if theirs:
        await other.answered(ROW, "a", theirs)
    if is_filed:
        await file(other, ROW, is_complete=False)

    await loser.answered(ROW, "a", b"late")

    expected = KeptExchange("a", b"a??", kept, 2)
    assert loser.find(ROW.hex()).exchanges == (expected,)
    other.release([ROW])
    assert loser.take([ROW]) == {ROW: Taken(ROW, {}, {"a": kept}, was_filed=is_filed)}
    await file(loser, ROW)
    assert loser.find(ROW.hex()).exchanges == (expected,)


async def test_what_may_be_paid_twice_is_counted_once_for_each_time(workers: Workers) -> None:
    ledger = workers()
    ledger.take([ROW])
    await ledger.asked(ROW, {"a": b"", "b": b"", "free": b""}, costs=["a", "b"])
    await ledger.answered(ROW, "b", b"no good")
    ledger.close()
    again = workers()
    again.take([ROW])
    await again.asked(ROW, {"a": b"", "b": b"", "free": b""}, costs=["a", "b"])
    assert again.counts().asked_again == 1
    await again.asked(ROW, {"a": b"", "b": b"", "free": b""}, costs=["a", "b"])

    counts = again.counts()
    assert (counts.asked, counts.answered, counts.asked_again) == (9, 1, 3)
    assert [one.times_asked for one in again.find(ROW.hex()).exchanges] == [3, 3, 3]


async def test_asking_what_was_answered_late_counts_as_asked_again(workers: Workers) -> None:
    loser, other = workers(), workers()
    loser.take([ROW])
    await loser.asked(ROW, {"a": b""}, costs=["a"])
    workers.expire()
    other.take([ROW])
    await loser.answered(ROW, "a", b"late")
    await other.asked(ROW, {"a": b""}, costs=["a"])
    assert other.counts().asked_again == 1


async def test_what_was_answered_of_a_row_that_was_filed_incomplete_need_not_be_asked_again(workers: Workers) -> None:
    ledger = workers()
    ledger.take([ROW])
    await ledger.asked(ROW, {"a": b"a?", "b": b"b?"}, costs=[])
    await ledger.answered(ROW, "b", b"b!")
    await file(ledger, ROW, is_complete=False)
    assert ledger.filed([ROW])[ROW].is_complete is False
    assert ledger.counts().complete == 0

    for _ in range(2):  # the second time somebody has died after taking it
        assert ledger.take([ROW]) == {ROW: Taken(ROW, {"a": b"a?"}, {"b": b"b!"}, was_filed=True)}
        ledger.release([ROW])
    ledger.take([ROW])
    await ledger.asked(ROW, {"a": b"a??"}, costs=[])
    await ledger.answered(ROW, "a", b"a!")
    await file(ledger, ROW)

    kept = ledger.find(ROW.hex())
    assert kept.exchanges == (KeptExchange("b", b"b?", b"b!", 1), KeptExchange("a", b"a??", b"a!", 2))
    assert kept.is_complete
    assert ledger.counts().filed == ledger.counts().complete == 1


async def test_a_row_taken_afresh_knows_nothing_and_stays_filed_until_it_is_filed_anew(workers: Workers) -> None:
    ledger = workers()
    ledger.take([ROW, OTHER])
    await play(ledger, ROW, ["a", "b"])
    await ledger.asked(OTHER, {"a": b"a?"}, costs=["a"])
    ledger.release([OTHER])
    assert workers().take([ROW]) == {}  # and whoever is refused it does not keep it from others

    assert ledger.take([ROW, OTHER], fresh=True) == {
        ROW: Taken(ROW, {}, {}, was_filed=True),
        OTHER: Taken(OTHER, {}, {}, was_filed=False),
    }
    assert ledger.filed([ROW]) == {ROW: Filed(b'{"r": 1}', is_complete=True)}
    await ledger.asked(ROW, {"a": b"new?"}, costs=["a"])
    await ledger.answered(ROW, "a", b"new!")
    await ledger.file(ROW, result=b"new", told=b"", run=b"", is_complete=True)

    assert ledger.find(ROW.hex()).exchanges == (KeptExchange("a", b"new?", b"new!", 1),)
    assert ledger.filed([ROW]) == {ROW: Filed(b"new", is_complete=True)}
    assert ledger.counts().asked_again == 0


def test_whoever_ends_or_comes_again_under_a_name_holds_nothing(workers: Workers) -> None:
    ended, killed, other = workers("ended"), workers("killed"), workers()
    ended.take([ROW])
    killed.take([OTHER])
    ended.close()
    workers("killed")
    assert set(other.take([ROW, OTHER])) == {ROW, OTHER}
    with pytest.raises(StateUnwritableError, match="closed"):
        ended.take([ROW])


def test_no_two_workers_get_the_same_row(workers: Workers) -> None:
    keys = [key(number) for number in range(300)]
    crowd = [workers() for _ in range(4)]

    def take(at: int) -> list[bytes]:
        """Each begins elsewhere, so that they meet."""
        found = list[bytes]()
        for start in range(0, 300, 30):
            begin = (start + 75 * at) % 300
            found += crowd[at].take([*keys[begin:], *keys[:begin]][:60])
        return found

    with ThreadPoolExecutor(4) as pool:
        taken = [one for found in pool.map(take, range(4)) for one in found]
    assert sorted(taken) == sorted(keys)


def test_changes_of_a_shared_record_do_not_miss_each_other(workers: Workers) -> None:
    crowd = [workers() for _ in range(3)]

    def add(at: int) -> None:
        for _ in range(8):
            crowd[at % 3].shared("sum", lambda had: (b"%d" % (int(had or b"0") + 1), None))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add, range(6)))
    assert crowd[0].shared("sum", lambda had: (None, had)) == b"48"
    assert crowd[1].shared("sum", lambda had: (had, had)) is None


async def test_a_change_that_fails_changes_nothing_and_hurts_nobody_else(workers: Workers) -> None:
    ledger = workers()
    ledger.take([ROW])
    ledger.shared("limit", lambda _: (b"1", None))
    with pytest.raises(ZeroDivisionError):
        ledger.shared("limit", lambda _: (b"2", 1 // 0))
    assert ledger.shared("limit", lambda had: (had, had)) == b"1"


@pytest.mark.parametrize("prefix", ["", "xyz", "0" * 33, "ffff"])
def test_a_prefix_of_no_row_is_refused(workers: Workers, prefix: str) -> None:
    with pytest.raises(UsageError, match="key"):
        workers().find(prefix)


def test_a_prefix_of_several_rows_names_five_of_them(workers: Workers) -> None:
    ledger, alike = workers(), [bytes([0xAB, number]) * 8 for number in range(7)]
    ledger.take(alike)
    with pytest.raises(UsageError) as told:
        ledger.find("AB0")
    assert [one.hex() in str(told.value) for one in alike] == [True] * 5 + [False] * 2
    assert ledger.find("AB06") == KeptRow(alike[6])


async def test_all_rows_are_told_in_the_order_of_filing(workers: Workers) -> None:
    ledger, keys = workers(), [key(250 - number) for number in range(250)]
    ledger.take(keys)
    await asyncio.gather(*(file(ledger, one) for one in keys))
    assert [row.key for block in ledger.rows() for row in block] == keys


def test_a_ledger_of_a_newer_version_is_left_alone(workers: Workers) -> None:
    workers()
    raw = database(workers.address).connect()
    raw.execute("UPDATE sparring_meta SET value = ?", ("99",))
    raw.close()
    with pytest.raises(StateNewerError, match="Update sparring"):
        workers()
