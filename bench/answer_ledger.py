"""What an answer ledger costs: rows filed safely, keys looked up, bytes a row, and how that grows with the table.

A row is one of a jury: six exchanges of 600 characters. All is written as a run does it, 64 rows at once: asked,
answered and filed, each waited for until it is on disk.
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
from sparring.store.ledger import Key, Ledger

AT_ONCE = 64
EXCHANGES, CHARACTERS = 6, 600
BLOCK = 1000
KEYS_A_SECOND = 40_000
BYTES_A_ROW = 3 * 1024

Answers = Callable[[random.Random], bytes]


def run(scale: Scale) -> Figures:
    """Rows a second over plain appends of the same bytes, keys a second, bytes a row, and how they grow."""
    rows, many = scale.of((10_000, 100_000), smoke=(70, 100))
    with tempfile.TemporaryDirectory() as name:
        yield from _played(Path(name), rows)
    with tempfile.TemporaryDirectory() as name:
        yield _size(Path(name), rows)
    with tempfile.TemporaryDirectory() as name:
        yield from _grown(Path(name), many)


def _played(folder: Path, rows: int) -> Figures:
    """Rows of words: what they cost in time, and what looking them up does."""
    keys = [_key(number) for number in range(rows)]
    with Ledger.open(str(folder / "ledger")) as ledger:
        began = time.perf_counter()
        asyncio.run(_play(ledger, keys, _words))
        written_s = time.perf_counter() - began
        looked_s = _looked_up_s(ledger, keys)
    appended_s = _appended_s(folder / "plain", rows)
    size = (folder / "ledger").stat().st_size
    yield Figure(
        "rows filed a second / plain appends synced as often",
        appended_s / written_s,
        f"{rows / written_s:,.0f} rows/s, and {rows / appended_s:,.0f} of the same bytes, {AT_ONCE} rows at once; "
        f"{size / rows:,.0f} bytes a row of words, the answers' {EXCHANGES * CHARACTERS:,} among them",
    )
    yield Figure(
        f"keys looked up a second of CPU / {KEYS_A_SECOND:,}",
        rows / looked_s / KEYS_A_SECOND,
        f"{rows / looked_s:,.0f} keys/s, in blocks of {BLOCK:,} in no order",
        "> 1",
    )


def _size(folder: Path, rows: int) -> Figure:
    """Answers that cannot be deflated: all that is there beside them is what the ledger adds."""
    with Ledger.open(str(folder / "ledger")) as ledger:
        asyncio.run(_play(ledger, [_key(number) for number in range(rows)], _noise))
    beside = (folder / "ledger").stat().st_size / rows - EXCHANGES * CHARACTERS
    return Figure("bytes a row beside its answers / 3 KB", beside / BYTES_A_ROW, f"{beside:,.0f} bytes", "< 1")


def _grown(folder: Path, rows: int) -> Figures:
    """A table of ten times the length, each row filed with its answers at once."""
    path, tenth = folder / "ledger", rows // 10
    keys = [_key(number) for number in range(rows)]
    with Ledger.open(str(path)) as ledger:
        first_s = _cpu_s(lambda: asyncio.run(_file_all(ledger, keys[:tenth])))
    first_size = path.stat().st_size
    with Ledger.open(str(path)) as ledger:
        few_s = _looked_up_s(ledger, keys[:tenth])
        asyncio.run(_file_all(ledger, keys[tenth:-tenth]))
        last_s = _cpu_s(lambda: asyncio.run(_file_all(ledger, keys[-tenth:])))
        many_s = _looked_up_s(ledger, random.Random(3).sample(keys, tenth))  # noqa: S311 -- the same every time
    yield Figure(
        f"CPU for a row of the last / the first tenth of {rows:,}",
        last_s / first_s,
        f"{last_s / tenth * 1e6:,.0f} and {first_s / tenth * 1e6:,.0f} µs",
    )
    yield Figure(
        f"CPU to look up a key among {rows:,} / {tenth:,}",
        many_s / few_s,
        f"{many_s / tenth * 1e6:,.1f} and {few_s / tenth * 1e6:,.1f} µs",
    )
    yield Figure(
        f"bytes a row of {rows:,} / of {tenth:,}",
        path.stat().st_size / rows / (first_size / tenth),
        f"{path.stat().st_size / rows:,.0f} and {first_size / tenth:,.0f}",
    )


async def _play(ledger: Ledger, keys: Sequence[Key], answers: Answers) -> None:
    async def row(one: Key) -> None:
        chance = random.Random(one)  # noqa: S311 -- the same answers every time
        for places in (("blind/0", "blind/1", "blind/2"), ("cross/0", "cross/1", "cross/2")):
            await ledger.asked(one, dict.fromkeys(places, _asked(one)), costs=places)
            await asyncio.gather(*(ledger.answered(one, place, answers(chance)) for place in places))
        await ledger.file(one, result=_result(one), told=_told(one), run=_header(one), is_complete=True)

    await _all(ledger, keys, row)


async def _file_all(ledger: Ledger, keys: Sequence[Key]) -> None:
    async def row(one: Key) -> None:
        said = _noise(random.Random(one), EXCHANGES * CHARACTERS)  # noqa: S311 -- the same answers every time
        await ledger.file(one, result=_result(one), told=b"", run=said, is_complete=True)

    await _all(ledger, keys, row)


async def _all(ledger: Ledger, keys: Sequence[Key], row: Callable[[Key], Coroutine[Any, Any, None]]) -> None:
    room = asyncio.Semaphore(AT_ONCE)

    async def when_there_is_room(one: Key) -> None:
        async with room:
            await row(one)

    for block in _blocks(keys):
        ledger.take(block)
        await asyncio.gather(*map(when_there_is_room, block))


def _looked_up_s(ledger: Ledger, keys: Sequence[Key]) -> float:
    """CPU, for each block of the keys in no order."""
    shuffled = random.Random(2).sample(keys, len(keys))  # noqa: S311 -- the same order every time
    found = list[int]()
    used_s = _cpu_s(lambda: found.extend(len(ledger.filed(block)) for block in _blocks(shuffled)))
    if sum(found) != len(keys):
        raise AssertionError(f"{len(keys) - sum(found)} rows are not there")
    return used_s


def _appended_s(path: Path, rows: int) -> float:
    """The same bytes at the end of one file, synced once for each of the five steps of so many rows."""
    keys = [_key(number) for number in range(rows)]
    contents = list[bytes]()
    for start in range(0, rows, AT_ONCE):
        step = keys[start : start + AT_ONCE]
        asked = b"".join(_asked(one) * 3 for one in step)
        answered = b"".join(_words(random.Random(one)) * 3 for one in step)  # noqa: S311 -- the same every time
        filed = b"".join(_result(one) + _told(one) + _header(one) for one in step)
        contents += [asked, answered, asked, answered, filed]
    began = time.perf_counter()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for content in contents:
        os.write(descriptor, content)
        os.fsync(descriptor)
    os.close(descriptor)
    return time.perf_counter() - began


def _cpu_s(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _blocks(keys: Sequence[Key]) -> Iterable[Sequence[Key]]:
    return (keys[start : start + BLOCK] for start in range(0, len(keys), BLOCK))


def _key(number: int) -> Key:
    return hashlib.blake2b(b"%d" % number, digest_size=16).digest()


_VOCABULARY = [bytes(random.Random(size).choices(b"abcdefghijklmnoprstuvw", k=2 + size % 9)) for size in range(5000)]  # noqa: S311


def _words(chance: random.Random) -> bytes:
    return b" ".join(chance.choices(_VOCABULARY, k=CHARACTERS // 4))[:CHARACTERS]


def _noise(chance: random.Random, size: int = CHARACTERS) -> bytes:
    return chance.randbytes(size)


def _asked(key: Key) -> bytes:
    return b'{"prompt_sha256":"%s","tool":"somebody"}' % (key.hex().encode() * 2)


def _result(key: Key) -> bytes:
    vote = b'{"seat":"a","tool":"somebody","label":"supported"}'
    votes = b",".join([vote] * 3)
    return b'{"status":"judged","label":"supported","firmness":0.75,"votes":[%s],"run":"%s"}' % (
        votes,
        key.hex().encode(),
    )


def _told(key: Key) -> bytes:
    return b'{"claim":"%s","quotes":[]}' % _words(random.Random(key))[:150]  # noqa: S311 -- the same every time


def _header(key: Key) -> bytes:
    return b'{"run_id":"%s","created_at":"2026-01-01T00:00:00Z","sparring_version":"bench"}' % key.hex().encode()
