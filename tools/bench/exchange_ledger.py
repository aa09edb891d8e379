"""Cost of an exchange ledger: exchanges a second, rows looked up, bytes, and their growth with the table.

An exchange has an answer of 600 characters. Each is looked at, claimed and settled as a run does it, 64 at once, and
waited for until it is on disk.
"""

import asyncio
import hashlib
import os
import random
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Figure, Figures, Scale
from sparring.store.exchanges.amounts import Amounts, Maximum, Used
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.exchanges.operations import Claimed
from sparring.store.exchanges.row_steps import RowToKeep
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.steps import NewClaim, Settlement

AT_ONCE = 64
CHARACTERS = 600
BLOCK = 1000
EXCHANGES_A_SECOND = 2_000
KEYS_A_SECOND = 40_000
BYTES_BESIDE = 512
"""Of an exchange: what is kept beside an answer that cannot be deflated."""

BATCH = "bench"
ENOUGH = Maximum(calls=1 << 40, tokens=1 << 40, cost=None)


def run(scale: Scale) -> Figures:
    """Exchanges a second, rows a second, bytes, and how they grow."""
    exchanges, many = scale.of((20_000, 100_000), smoke=(70, 100))
    with tempfile.TemporaryDirectory() as name:
        yield from _asked(Path(name), exchanges)
    with tempfile.TemporaryDirectory() as name:
        yield from _grown(Path(name), many)


def _asked(folder: Path, exchanges: int) -> Figures:
    keys = [_key(number) for number in range(exchanges)]
    with ExchangeLedger.open(str(folder / "ledger")) as ledger:
        ledger.join(BATCH, ENOUGH)
        began, used_s = time.perf_counter(), _cpu_s(lambda: asyncio.run(_ask_all(ledger, keys)))
        wall_s = time.perf_counter() - began
    beside = (folder / "ledger").stat().st_size / exchanges - CHARACTERS
    yield Figure(
        f"exchanges claimed and answered a second / {EXCHANGES_A_SECOND:,}",
        exchanges / wall_s / EXCHANGES_A_SECOND,
        f"{exchanges / wall_s:,.0f} a second of the clock, {used_s / exchanges * 1e6:,.0f} µs CPU each, "
        f"{AT_ONCE} at once",
        ">= 1",
    )
    yield Figure(
        f"bytes an exchange beside its answer / {BYTES_BESIDE}", beside / BYTES_BESIDE, f"{beside:,.0f}", "< 1"
    )


def _grown(folder: Path, rows: int) -> Figures:
    """A table of ten times the length."""
    path, tenth = folder / "ledger", rows // 10
    keys = [_key(number) for number in range(rows)]
    with ExchangeLedger.open(str(path)) as ledger:
        first_s = _cpu_s(lambda: asyncio.run(_keep_all(ledger, keys[:tenth])))
    first_size = path.stat().st_size
    with ExchangeLedger.open(str(path)) as ledger:
        few_s = _looked_up_s(ledger, keys[:tenth])
        asyncio.run(_keep_all(ledger, keys[tenth:-tenth]))
        last_s = _cpu_s(lambda: asyncio.run(_keep_all(ledger, keys[-tenth:])))
        many_s = _looked_up_s(ledger, random.Random(3).sample(keys, tenth))  # noqa: S311 -- the same every time
    yield Figure(
        f"rows looked up a second of CPU / {KEYS_A_SECOND:,}",
        tenth / many_s / KEYS_A_SECOND,
        f"{tenth / many_s:,.0f} rows/s among {rows:,}, in blocks of {BLOCK:,} in no order",
        "> 1",
    )
    yield Figure(
        f"CPU for a row of the last / the first tenth of {rows:,}",
        last_s / first_s,
        f"{last_s / tenth * 1e6:,.0f} and {first_s / tenth * 1e6:,.0f} µs",
    )
    yield Figure(
        f"CPU to look up a row among {rows:,} / {tenth:,}",
        many_s / few_s,
        f"{many_s / tenth * 1e6:,.1f} and {few_s / tenth * 1e6:,.1f} µs",
    )
    yield Figure(
        f"bytes a row of {rows:,} / of {tenth:,}",
        path.stat().st_size / rows / (first_size / tenth),
        f"{path.stat().st_size / rows:,.0f} and {first_size / tenth:,.0f}",
    )


async def _ask_all(ledger: ExchangeLedger, keys: Sequence[Key]) -> None:
    async def ask(key: Key) -> None:
        await ledger.read_states([key])
        claimed = await ledger.claim(BATCH, "row", NewClaim(key, Amounts(1, 500, 0)))
        if not isinstance(claimed, Claimed):
            raise TypeError(f"{key.hex()} is not free: {claimed}")
        answer = os.urandom(CHARACTERS)
        await ledger.settle(Settlement(key, claimed.fence, "answered", answer, Used(1, 300, None)))

    await _all(keys, ask)


async def _keep_all(ledger: ExchangeLedger, keys: Sequence[Key]) -> None:
    async def keep(key: Key) -> None:
        await ledger.keep_row(RowToKeep(key, is_complete=True, result=_result(key), run=_run(key)))

    await _all(keys, keep)


async def _all(keys: Sequence[Key], work: Callable[[Key], Coroutine[Any, Any, None]]) -> None:
    room = asyncio.Semaphore(AT_ONCE)

    async def one(key: Key) -> None:
        async with room:
            await work(key)

    await asyncio.gather(*map(one, keys))


def _looked_up_s(ledger: ExchangeLedger, keys: Sequence[Key]) -> float:
    """CPU, for each block of the keys in no order."""
    shuffled = random.Random(2).sample(keys, len(keys))  # noqa: S311 -- the same order every time
    found = list[int]()
    used_s = _cpu_s(lambda: found.extend(len(ledger.rows(block)) for block in _blocks(shuffled)))
    if sum(found) != len(keys):
        raise AssertionError(f"{len(keys) - sum(found)} rows are not there")
    return used_s


def _cpu_s(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _blocks(keys: Sequence[Key]) -> Iterable[Sequence[Key]]:
    return (keys[start : start + BLOCK] for start in range(0, len(keys), BLOCK))


def _key(number: int) -> Key:
    return hashlib.blake2b(b"%d" % number, digest_size=16).digest()


def _result(key: Key) -> bytes:
    vote = b'{"seat":"a","tool":"somebody","label":"supported"}'
    votes = b",".join([vote] * 3)
    return b'{"status":"judged","label":"supported","firmness":0.75,"votes":[%s],"run":"%s"}' % (
        votes,
        key.hex().encode(),
    )


def _run(key: Key) -> bytes:
    return b'{"run_id":"%s","created_at":"2026-01-01T00:00:00Z","sparring_version":"bench"}' % key.hex().encode()
