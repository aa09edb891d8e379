"""The exchange ledger: what was asked of models and answered, paid once and limited before it is asked.

An *exchange* is one question to one model. Any number of processes, on any number of machines where the ledger is
Postgres, share a ledger; each is a *worker* that lives as long as it renews its entry. An exchange is claimed in the
transaction that reserves the most it can cost; only then it is asked. Rows, runs and arms derive from exchanges.

When an async method returns, what it was given survives a crash. Billing cannot be made exactly once: an exchange that
was sent by a worker that has died may have been paid; it is counted as used, and counted again if it is asked again.
"""

import time
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from sparring.errors import StateCorruptError, TryAgainError, UsageError
from sparring.store.exchanges import spill, steps
from sparring.store.exchanges.amounts import Amounts, Maximum
from sparring.store.exchanges.database import Connection, Database, Rows, Statement, read_keys
from sparring.store.exchanges.sqlite import SqliteDatabase
from sparring.store.exchanges.steps import Key, RowToKeep, ToClaim, ToSettle
from sparring.store.exchanges.tables import prepare
from sparring.store.exchanges.worker import (
    GRACE_S,
    LEASE_S,
    PATIENCE_S,
    RENEW_S,
    Abandon,
    Admit,
    Claim,
    ClaimOutcome,
    Dismiss,
    Do,
    Known,
    LedgerWorker,
    Notify,
    Operation,
    Refused,
    Settle,
    Wait,
)
from sparring.store.files import RECORD_LIMIT
from sparring.store.group_commit import GroupCommit

_OPENING_S = 30.0
_LISTED = 5
_LEVEL = 4
"""Takes a fifth less time than the usual 6, and half a percent more room."""
_DICTIONARY = 32768
"""The most that deflate looks back."""


@dataclass(frozen=True, slots=True)
class RowKept:
    """What a row came to.

    Attributes:
        is_complete: False where somebody failed who had a seat, or there is no verdict.
        stamp: Orders it before or after the start of a worker.
        told, run: Empty where they were not asked for.
    """

    key: Key
    is_complete: bool
    stamp: int
    result: bytes
    told: bytes = b""
    run: bytes = b""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a table, and what its shard came to."""

    number: int
    worker: str
    state: str
    is_whole: bool
    stamp: int
    report: bytes


@dataclass(frozen=True, slots=True)
class Standing:
    """What a batch has used in all of its starts, on all machines.

    Attributes:
        held: Reserved for what is under way.
        used: Counts what is unknown with what was reserved for it.
        lost: What was sent by workers that are gone and may have been paid.
        asked: Requests that were sent.
        asked_again: Those of them whose earlier answer was lost: these alone may be paid twice.
        lost_calls: Requests whose answer was lost.
        known_tokens, known_cost: As far as the providers said.
        uncounted, unpriced: Requests of which they did not say it.
    """

    maximum: Maximum
    given: Amounts
    left: Amounts
    held: Amounts
    used: Amounts
    lost: Amounts
    asked: int
    answered: int
    failed: int
    asked_again: int
    lost_calls: int
    known_tokens: int
    known_cost: int
    uncounted: int
    unpriced: int

    @property
    def exceeded(self) -> Amounts:
        """By how much the limits were exceeded, by answers that cost more than could be known."""
        over = (
            max(0, given - most) if most is not None else 0
            for given, most in zip(self.given.each, self.maximum.each, strict=True)
        )
        return Amounts(*over)


class ExchangeLedger:
    """Safe to use from several threads; its async methods from any asyncio loop. Not to be carried over a fork."""

    def __init__(
        self,
        database: Database,
        *,
        lease_s: float = LEASE_S,
        patience_s: float = PATIENCE_S,
        grace_s: float = GRACE_S,
        spill_folder: Path | None = None,
        notify: Notify = lambda _: None,
    ) -> None:
        """Take part as a new worker.

        Args:
            database: Where the ledger is.
            lease_s: So long after its last sign of life a worker counts as dead.
            patience_s: So long a store that does not answer is waited for.
            grace_s: How long a worker hears the ledger steadily before it believes that another is dead.
            spill_folder: Where answers are put that cannot be written into the ledger at the moment.
            notify: Is told, in another thread, when the ledger does not answer, and when it does again.
        """
        self.name = database.name
        connection = database.connect()
        try:
            self.id = _prepared(database, connection, notify)
            self._worker = worker = LedgerWorker(
                database, connection, lease_s=lease_s, patience_s=patience_s, grace_s=grace_s, notify=notify
            )
            worker.begin()
        except BaseException:
            connection.close()
            raise
        self.start = worker.start
        if spill_folder:
            worker.spill = spill.Spill(spill_folder, self.id, worker.name)
        self._commits = GroupCommit[Operation](worker.write, idle=worker.idle, end=worker.end, idle_s=RENEW_S)
        try:
            if spill_folder:
                self._take_over(spill_folder)
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, address: str, **how: Any) -> Self:
        """The ledger at ``address``, a file, a folder or ``postgresql://…``, which is made if there is none.

        Raises:
            UsageError: This is no address.
            StateCorruptError: What is there is damaged, or no ledger.
            StateNewerError: A newer version made it.
            StoreError: It cannot be read or written.
        """
        return cls(database_at(address), **how)

    @property
    def worker(self) -> str:
        """The name of this worker; another one after it was taken for dead."""
        return self._worker.name

    # Limits.

    def join(self, batch: str, maximum: Maximum) -> None:
        """Take part in ``batch``, with these limits over all of its starts, processes and machines.

        Raises:
            UsageError: Others are at work on it with other limits.
        """

        def others(rows: list[Rows]) -> list[tuple[Any, ...]]:
            return rows[0]

        found = self._commits.commit_now(Do(lambda worker: [steps.others_in(batch, worker)], others))
        if any(tuple(row) != maximum.each for row in found):
            raise UsageError(
                "Another process is at work on this batch with other limits.", hint="Give the same limits, or wait."
            )
        self._commits.commit_now(Do(lambda _: [], lambda _: self._worker.join(batch, maximum)))

    async def admit(self, batch: str, owner: str, need: Amounts, least: Amounts) -> bool | Wait | Refused:
        """Set ``need`` aside for ``owner``; see ``worker.Admit``."""
        return await self._commits.commit(Admit(batch, owner, need, least))

    async def dismiss(self, batch: str, owner: str) -> None:
        """Let what is still set aside for ``owner`` be for others."""
        await self._commits.commit(Dismiss(batch, owner))

    def standing(self, batch: str) -> Standing:
        """What the batch has used."""
        return self._commits.commit_now(Do(lambda _: steps.standing(batch), _standing))

    # Exchanges.

    async def look(self, keys: Collection[Key]) -> dict[Key, Known]:
        """What is known of some exchanges."""
        return await self._commits.commit(Do(lambda _: read_keys(steps.LOOK, keys), _known))

    async def claim(self, batch: str, owner: str, item: ToClaim, *, is_gathered: bool = False) -> ClaimOutcome:
        """Claim an exchange, which reserves the most it can cost; it may be asked only if it is claimed.

        Raises:
            StoreError: It could not be written; nothing must be asked.
        """
        return await self._commits.commit(Claim(batch, owner, item, "claimed" if is_gathered else "sent"))

    async def settle(self, item: ToSettle) -> None:
        """Keep what has come of an exchange. An answer that comes too late is kept as well."""
        worker = self._worker
        worker.unsettled[item.key, item.fence] = item
        if worker.in_trouble and worker.spill:
            worker.spill.add([item])
        await self._commits.commit(Settle(item))

    async def abandon(self, key: Key, fence: int) -> None:
        """Give up waiting for the answer to a request, which may be paid."""
        await self._commits.commit(Abandon(key, fence))

    async def discard(self, keys: Sequence[Key]) -> None:
        """Let answers of which nothing could be made count as failed, so that they are asked for again."""
        if keys:
            await self.do([steps.discard(keys)])

    async def do(self, statements: Sequence[Statement], outcome: Callable[[list[Rows]], Any] = lambda _: None) -> Any:
        """Any other transaction, and what ``outcome`` makes of its rows."""
        return await self._commits.commit(Do(lambda _: statements, outcome))

    def do_now(self, statements: Sequence[Statement], outcome: Callable[[list[Rows]], Any] = lambda _: None) -> Any:
        """The same for a thread, which waits."""
        return self._commits.commit_now(Do(lambda _: statements, outcome))

    # Rows.

    def rows(self, keys: Collection[Key]) -> dict[Key, RowKept]:
        """What is known of rows, without its larger parts."""
        if not keys:
            return {}
        return self.do_now(
            read_keys(steps.ROW_RESULTS, keys),
            lambda found: {
                key: RowKept(key, bool(is_complete), int(stamp), result)
                for rows in found
                for key, is_complete, stamp, result in rows
            },
        )

    def told(self, keys: Collection[Key]) -> dict[Key, bytes]:
        """The larger record of each of those rows."""
        if not keys:
            return {}
        return self.do_now(
            read_keys(steps.ROW_TOLD, keys),
            lambda found: {key: unpacked(told, result) for rows in found for key, result, told in rows},
        )

    async def keep_row(self, row: RowToKeep) -> None:
        """Put ``row`` in the place of what was known of it."""
        packed_ = replace(row, told=packed(row.told, row.result), run=packed(row.run, row.told))
        await self.do(steps.keep_rows([packed_]))

    def alike(self, beginnings: Collection[bytes]) -> dict[bytes, RowKept]:
        """Of rows whose keys begin with each of ``beginnings``, the one that was last complete, by its beginning."""
        found = dict[bytes, RowKept]()
        for beginning in beginnings:
            low, high = (beginning + each * (16 - len(beginning)) for each in (b"\x00", b"\xff"))
            rows: Rows = self.do_now([Statement(steps.ROW_ALIKE, (low, high))], lambda found: found[0])
            for key, result in rows:
                found[beginning] = RowKept(key, is_complete=True, stamp=0, result=result)
        return found

    def find(self, prefix_hex: str) -> RowKept:
        """All that is kept of the one row whose key begins so, in hexadecimal digits.

        Raises:
            UsageError: There is none, or there are several.
        """
        low, high = _range(prefix_hex)
        found: Rows = self.do_now([Statement(steps.ROW_KEYS, (low, high, _LISTED + 1))], lambda rows: rows[0])
        if len(found) != 1:
            raise _not_one(prefix_hex, [key for (key,) in found])
        ((key, is_complete, stamp, result, told, run),) = self.do_now(
            read_keys(steps.ROW_WHOLE, [found[0][0]]), lambda rows: rows[0]
        )
        said = unpacked(told, result)
        return RowKept(key, bool(is_complete), int(stamp), result, said, unpacked(run, said))

    def answers(self, keys: Collection[Key]) -> dict[Key, bytes]:
        """The answers of those exchanges that have one."""
        found: dict[Key, Known] = self.do_now(read_keys(steps.LOOK, keys), _known) if keys else {}
        return {key: known.answer for key, known in found.items() if known.answer is not None}

    # Blocks.

    async def take_block(self, work: str, number: int) -> Block:
        """Take a block, unless it is done or another worker has it."""
        return await self._commits.commit(
            Do(
                lambda worker: steps.take_block(work, number, worker, self.start),
                lambda rows: _taken(number, rows[-1]),
            )
        )

    async def end_block(self, work: str, number: int, report: bytes, *, is_whole: bool) -> bool:
        """Write that the shard of a block is there; False where it was another worker's by then."""
        return await self._commits.commit(
            Do(
                lambda worker: steps.end_block(work, number, worker, report, is_whole=is_whole),
                lambda rows: bool(rows[-1]) and rows[-1][0][0] == "done",
            )
        )

    def blocks(self, work: str) -> list[Block]:
        """All blocks of a table that have begun."""
        return self.do_now(
            [steps.blocks(work)],
            lambda rows: [
                Block(int(number), worker, state, bool(is_whole), int(stamp), bytes(report))
                for number, worker, state, is_whole, stamp, report in rows[0]
            ],
        )

    def is_ours(self, block: Block) -> bool:
        """Whether this worker has that block."""
        return block.state == "taken" and block.worker == self.worker

    def close(self) -> None:
        """Write what was given, and give back what is held. Closing again does nothing."""
        self._worker.stop()
        self._commits.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_over(self, folder: Path) -> None:
        """Write what workers of earlier starts could not."""
        for left in spill.left_in(folder, self.id):
            for item in left.items:
                self._commits.commit_now(Settle(item))
            if not self.do_now(
                [Statement("SELECT id FROM sparring_worker WHERE id = ?", (left.worker,))], lambda rows: rows[0]
            ):
                left.remove()


def _prepared(database: Database, connection: Connection, notify: Notify) -> str:
    """The id of the ledger, once no other process keeps it from being written."""
    until = time.monotonic() + _OPENING_S
    is_told = False
    while True:
        try:
            return prepare(database, connection)
        except TryAgainError as error:
            if not error.waits_for and time.monotonic() >= until:
                raise
            if not is_told and error.waits_for:
                is_told = True
                notify(f"[WARN] {error}")
            time.sleep(0.05)


def database_at(address: str) -> Database:
    """What is at ``address``, which is looked at only when it is connected to.

    Raises:
        UsageError: This is no address.
    """
    if address.startswith(("postgresql://", "postgres://")):
        from sparring.store.exchanges.postgres import PostgresDatabase  # noqa: PLC0415 -- an optional dependency

        return PostgresDatabase(address)
    scheme, separator, _ = address.partition("://")
    if separator:
        raise UsageError(f"A ledger is a file or postgresql://…, not {scheme}://….")
    return SqliteDatabase(Path(address))


def _known(found: list[Rows]) -> dict[Key, Known]:
    return {row[0]: Known(*row[1:]) for rows in found for row in rows}


def _taken(number: int, rows: Rows) -> Block:
    if not rows:
        return Block(number, "", "free", is_whole=False, stamp=0, report=b"")
    ((worker, state, report),) = rows
    return Block(number, worker, state, is_whole=False, stamp=0, report=bytes(report))


def _standing(rows: list[Rows]) -> Standing:
    (batch,), (sums,), (lost,) = rows
    amounts = [Amounts(*map(int, sums[start : start + 3])) for start in (0, 3, 6)]
    known_tokens, known_cost, uncounted, unpriced, asked, answered, failed = map(int, sums[9:])
    count, again, _, calls, tokens, cost, lost_tokens, lost_cost, no_tokens, no_cost, late = map(int, lost)
    return Standing(
        maximum=Maximum(*(None if most is None else int(most) for most in batch[:3])),
        given=Amounts(*map(int, batch[3:])),
        left=amounts[0],
        held=amounts[1],
        used=amounts[2],
        lost=Amounts(calls, tokens, cost),
        asked=asked,
        answered=answered + late,
        failed=failed,
        asked_again=again,
        lost_calls=count,
        known_tokens=known_tokens + lost_tokens,
        known_cost=known_cost + lost_cost,
        uncounted=uncounted + no_tokens,
        unpriced=unpriced + no_cost,
    )


def packed(content: bytes, known: bytes) -> bytes:
    """``content`` deflated, by what it has in common with ``known``, which unpacking then needs."""
    deflating = zlib.compressobj(_LEVEL, zdict=known[-_DICTIONARY:])
    return deflating.compress(content) + deflating.flush()


def unpacked(content: bytes, known: bytes) -> bytes:
    """What ``packed`` was given.

    Raises:
        StateCorruptError: It is damaged.
    """
    try:
        inflating = zlib.decompressobj(zdict=known[-_DICTIONARY:])
        found = inflating.decompress(content, RECORD_LIMIT)
    except zlib.error as error:
        raise StateCorruptError("A row of the ledger is damaged; the ledger was left as it is.") from error
    if not inflating.eof:
        raise StateCorruptError("A row of the ledger is cut off or too large; the ledger was left as it is.")
    return found


def _range(prefix_hex: str) -> tuple[bytes, bytes]:
    digits = prefix_hex.strip().lower()
    if not digits or len(digits) > 32 or set(digits) - set("0123456789abcdef"):
        raise UsageError(f"{prefix_hex!r} is not the beginning of a row's key: up to 32 digits from 0 to f.")
    return bytes.fromhex(digits.ljust(32, "0")), bytes.fromhex(digits.ljust(32, "f"))


def _not_one(prefix_hex: str, found: Sequence[Key]) -> UsageError:
    if not found:
        return UsageError(f"No row of this ledger has a key that begins with {prefix_hex}.")
    listed = ", ".join(key.hex() for key in found[:_LISTED])
    more = ", …" if len(found) > _LISTED else ""
    return UsageError(f"Several rows have a key that begins with {prefix_hex}: {listed}{more}.", hint="Say more of it.")
