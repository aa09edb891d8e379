"""What an answer ledger keeps to, wherever it is kept; ``test_ledger_model`` tries the turns that rows can take."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparring.errors import LeaseLostError, StateNewerError, StateUnwritableError, UsageError
from sparring.schema.batch import LedgerUse
from sparring.store.ledger import Filed, KeptExchange, KeptRow, Ledger, Taken, database
from support.ledgers import LEASE_S, Workers, file, key, play, wait_for

ROW, OTHER = key(1), key(2)


@pytest.fixture
def workers(address: str) -> Generator[Workers]:
    workers = Workers(address)
    with workers.open_:
        yield workers


def test_a_new_ledger_is_made_once_however_many_open_it_at_once(address: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(Ledger.open, [address] * 8))
    assert [ledger.counts() for ledger in opened] == [LedgerUse()] * 8
    for ledger in opened:
        ledger.close()


async def test_a_row_that_was_filed_is_told_whole_and_taken_no_more(workers: Workers) -> None:
    ledger = workers()
    assert ledger.take([ROW, OTHER, ROW]) == {one: Taken(one, {}, {}, was_filed=False) for one in (ROW, OTHER)}

    await play(ledger, ROW, ["a", "b"])

    assert ledger.filed([ROW, OTHER, key(3)]) == {ROW: Filed(b'{"r": 1}', is_complete=True)}
    assert ledger.told([ROW, OTHER]) == {ROW: b'{"t": 1}'}
    exchanges = (KeptExchange("a", b"a?", b"a!", 1), KeptExchange("b", b"b?", b"b!", 1))
    whole = KeptRow(ROW, True, True, workers.clock.now, b'{"r": 1}', b'{"t": 1}', b'{"h": 1}', exchanges)  # noqa: FBT003
    assert ledger.find(ROW.hex()[:9]) == whole
    assert list(ledger.rows()) == [whole]
    raw = database(workers.address).connect()
    assert raw.execute("SELECT count(*) FROM sparring_exchanges") == [(0,)]
    raw.close()
    assert workers().take([ROW, OTHER]) == {}
    assert ledger.counts() == LedgerUse(asked=2, answered=2)


async def test_a_worker_lives_while_it_writes_and_then_what_it_held_is_free_with_what_was_asked_and_answered(
    workers: Workers,
) -> None:
    dead, other = workers(), workers()
    dead.take([ROW])
    for _ in range(5):
        workers.clock.now += LEASE_S / 2
        await dead.asked(ROW, {"a": b"a?", "b": b"b?", "c": b"c?"}, costs=["a", "b"])
    assert other.take([ROW]) == {}
    await dead.answered(ROW, "c", b"c!")
    await dead.answered(ROW, "a", b"a!")
    workers.clock.now += LEASE_S - 1
    assert other.take([ROW]) == {}

    workers.clock.now += 1
    taken = other.take([ROW])

    again = (b"a?", b"b?", b"c?") * 4
    assert taken == {ROW: Taken(ROW, {"b": b"b?"}, {"c": b"c!", "a": b"a!"}, was_filed=False, repeated=again)}
    assert list(taken[ROW].answered) == ["c", "a"]
    assert dead.take([ROW]) == {}


def test_a_worker_that_has_nothing_to_write_lives_on(address: str) -> None:
    with Ledger.open(address, lease_s=0.6) as idle:
        raw = database(address).connect()
        lives = "SELECT expires FROM sparring_workers WHERE worker = ?"
        began = raw.execute(lives, (idle.worker,))
        wait_for(lambda: raw.execute(lives, (idle.worker,)) > began)
        raw.close()


@pytest.mark.parametrize(("theirs", "kept"), [(None, b"late"), (b"theirs", b"theirs")])
async def test_whoever_has_lost_a_row_asks_and_files_nothing_but_is_heard_where_there_is_no_answer(
    workers: Workers, theirs: bytes | None, kept: bytes
) -> None:
    loser, other = workers(), workers()
    loser.take([ROW])
    await loser.asked(ROW, {"a": b"a?"}, costs=["a"])
    workers.expire()
    other.take([ROW])
    await other.asked(ROW, {"a": b"a??"}, costs=["a"])
    if theirs:
        await other.answered(ROW, "a", theirs)

    with pytest.raises(LeaseLostError, match=ROW.hex()):
        await loser.asked(ROW, {"b": b"b?"}, costs=["b"])
    with pytest.raises(LeaseLostError, match=ROW.hex()):
        await loser.file(ROW, result=b"theirs", told=b"", run=b"", is_complete=True)
    await loser.answered(ROW, "a", b"late")

    assert (loser.filed([ROW]), loser.counts().asked, loser.counts().asked_again) == ({}, 2, 1)
    assert loser.find(ROW.hex()).exchanges == (KeptExchange("a", b"a??", kept, 2),)
    other.release([ROW])
    assert loser.take([ROW]) == {ROW: Taken(ROW, {}, {"a": kept}, was_filed=False, repeated=(b"a??",))}


async def test_asking_what_was_answered_late_counts_as_asked_again(workers: Workers) -> None:
    loser, other = workers(), workers()
    loser.take([ROW])
    await loser.asked(ROW, {"a": b""}, costs=["a"])
    workers.expire()
    other.take([ROW])
    await loser.answered(ROW, "a", b"late")
    await other.asked(ROW, {"a": b""}, costs=["a"])
    assert other.counts().asked_again == 1


async def test_a_row_filed_incomplete_goes_on_from_its_answers_and_one_taken_afresh_from_none(workers: Workers) -> None:
    ledger = workers()
    ledger.take([ROW])
    await ledger.asked(ROW, {"a": b"a?", "b": b"b?"}, costs=[])
    await ledger.answered(ROW, "b", b"b!")
    await file(ledger, ROW, is_complete=False)
    for _ in range(2):  # the second time somebody has died after taking it
        assert ledger.take([ROW]) == {ROW: Taken(ROW, {"a": b"a?"}, {"b": b"b!"}, was_filed=True)}
        ledger.release([ROW])
    ledger.take([ROW])
    await ledger.answered(ROW, "a", b"a!")
    await file(ledger, ROW)
    assert ledger.find(ROW.hex()).exchanges == (KeptExchange("b", b"b?", b"b!", 1), KeptExchange("a", b"a?", b"a!", 1))

    assert workers().take([ROW]) == {}  # and whoever is refused it does not keep it from others
    assert ledger.take([ROW], fresh=True) == {ROW: Taken(ROW, {}, {}, was_filed=True)}
    assert ledger.filed([ROW]) == {ROW: Filed(b'{"r": 1}', is_complete=True)}
    await play(ledger, ROW, ["a"])
    assert ledger.find(ROW.hex()).exchanges == (KeptExchange("a", b"a?", b"a!", 1),)


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
    keys, crowd = [key(number) for number in range(300)], [workers() for _ in range(4)]

    def take(at: int) -> list[bytes]:
        """Each begins elsewhere, so that they meet."""
        begins = [(start + 75 * at) % 300 for start in range(0, 300, 30)]
        return [one for begin in begins for one in crowd[at].take([*keys[begin:], *keys[:begin]][:60])]

    with ThreadPoolExecutor(4) as pool:
        taken = [one for found in pool.map(take, range(4)) for one in found]
    assert sorted(taken) == sorted(keys)


def test_changes_of_a_shared_record_do_not_miss_each_other_and_one_that_fails_changes_nothing(workers: Workers) -> None:
    crowd = [workers() for _ in range(3)]

    def add(at: int) -> None:
        for _ in range(8):
            crowd[at % 3].shared("sum", lambda had: (b"%d" % (int(had or b"0") + 1), None))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add, range(6)))
    with pytest.raises(ZeroDivisionError):
        crowd[1].shared("sum", lambda _: (b"2", 1 // 0))
    assert crowd[0].shared("sum", lambda had: (None, had)) == b"48"
    assert crowd[1].shared("sum", lambda had: (had, had)) is None


def test_a_prefix_finds_a_row_if_it_is_of_one_alone(workers: Workers) -> None:
    ledger, alike = workers(), [bytes([0xAB, number]) * 8 for number in range(7)]
    ledger.take(alike)
    assert ledger.find("AB06") == KeptRow(alike[6])
    for none in ("", "xyz", "0" * 33, "ffff"):
        with pytest.raises(UsageError, match="key"):
            ledger.find(none)
    with pytest.raises(UsageError) as told:
        ledger.find("AB0")
    assert [one.hex() in str(told.value) for one in alike] == [True] * 5 + [False] * 2


def test_a_ledger_of_a_newer_version_is_left_alone(workers: Workers) -> None:
    workers()
    raw = database(workers.address).connect()
    raw.execute("UPDATE sparring_meta SET value = ?", ("99",))
    raw.close()
    with pytest.raises(StateNewerError, match="Update sparring"):
        workers()
