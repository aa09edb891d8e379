"""The exchange ledger: questions to models and their answers, paid once and limited before they are asked.

An *exchange* is one question to one model. Any number of processes share a ledger, on any number of machines if it is
in Postgres; each is a *worker* that lives as long as it renews its entry. An exchange is claimed in the transaction
that reserves its maximum cost; only then it is asked. Rows, runs and arms derive from exchanges.

When an async method returns, its arguments survive a crash. Billing cannot be made exactly once: an exchange that was
sent by a worker that has died may have been paid; it is counted as used, and counted again if it is asked again.
"""

import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from msgspec.structs import replace

from sparring.errors import TryAgainError, UsageError
from sparring.store.exchanges import provider_batches, row_steps, spill, steps, workers
from sparring.store.exchanges.amounts import Amounts, Maximum
from sparring.store.exchanges.database import Connection, Database, Rows, SqlStatement, read_keys
from sparring.store.exchanges.kept import (
    BatchState,
    StoredRow,
    TableBlock,
    packed,
    parse_batch_state,
    parse_block,
    unpacked,
)
from sparring.store.exchanges.operations import (
    Abandon,
    Admit,
    Claim,
    ClaimOutcome,
    Dismiss,
    KeepRow,
    Known,
    LimitReached,
    Operation,
    ReadStates,
    RunStatements,
    Settle,
    Unclaim,
    Wait,
)
from sparring.store.exchanges.row_steps import RowToKeep
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.sqlite import SqliteDatabase
from sparring.store.exchanges.steps import NewClaim, Settlement
from sparring.store.exchanges.tables import prepare
from sparring.store.exchanges.worker import GRACE_S, LEASE_S, PATIENCE_S, RENEW_S, LedgerWorker, Notify
from sparring.store.group_commit import GroupCommit
from sparring.store.ledger_origin import check_ledger, ledger_code
from sparring.store.provenance import Provenance

_OPENING_S = 30.0
_LISTED = 5


class ExchangeLedger:
    """Thread-safe; its async methods work in any asyncio loop. Not usable across a fork."""

    def __init__(
        self,
        database: Database,
        *,
        lease_s: float = LEASE_S,
        max_wait_s: float = PATIENCE_S,
        grace_s: float = GRACE_S,
        spill_folder: Path | None = None,
        notify: Notify = lambda _: None,
        provenance: Provenance | None = None,
    ) -> None:
        """Take part as a new worker.

        Args:
            database: The database of the ledger.
            lease_s: Seconds after its last renewal at which a worker counts as dead.
            max_wait_s: Seconds to wait for a store that does not answer.
            grace_s: Seconds of uninterrupted contact with the ledger before a worker believes that another one is dead.
            spill_folder: Folder for answers that cannot be written into the ledger at the moment.
            notify: Receives messages, in another thread, when the ledger does not answer, and when it does again.
            provenance: Signs a new file, and refuses one that another user made; None: any ledger is used.
        """
        self.name = database.name
        connection = database.connect()
        try:
            self.id = _prepared(database, connection, notify, provenance)
            self._worker = worker = LedgerWorker(
                database, connection, lease_s=lease_s, max_wait_s=max_wait_s, grace_s=grace_s, notify=notify
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
        """Open the ledger at ``address``, a file, a folder or ``postgresql://…``; it is created if it does not exist.

        Raises:
            UsageError: The address is invalid.
            ForeignStateError: The ledger came with the project.
            StateKeyError: The ledger would be new, and there is no key to sign it with.
            StateCorruptError: The file is damaged, or not a ledger.
            StateNewerError: A newer version made it.
            StoreError: It cannot be read or written.
        """
        return cls(database_at(address), **how)

    @property
    def worker(self) -> str:
        """Return the name of this worker; it changes after the worker was taken for dead."""
        return self._worker.name

    # Limits.

    def join(self, batch: str, maximum: Maximum) -> None:
        """Take part in ``batch``, with these limits over all of its starts, processes and machines.

        Raises:
            UsageError: Other workers use it with other limits at the moment.
        """

        def others(rows: list[Rows]) -> list[tuple[Any, ...]]:
            return rows[0]

        limits_of_others = self._commits.commit_now(
            RunStatements(lambda worker: [workers.others_in(batch, worker)], others)
        )
        if any(tuple(row) != maximum.each for row in limits_of_others):
            raise UsageError(
                "Another process is running this batch with other limits.", hint="Give the same limits, or wait."
            )
        self._commits.commit_now(RunStatements(lambda _: [], lambda _: self._worker.join(batch, maximum)))

    async def admit(self, batch: str, owner: str, need: Amounts, least: Amounts) -> bool | Wait | LimitReached:
        """Set ``need`` aside for ``owner``; see ``worker.Admit``."""
        return await self._commits.commit(Admit(batch, owner, need, least))

    def dismiss(self, batch: str, owner: str) -> None:
        """Free the rest of the amount that is set aside for ``owner``. Returns without waiting."""
        self._commits.commit_later(Dismiss(batch, owner))

    def batch_state(self, batch: str) -> BatchState:
        """Return the usage of the batch."""
        return self._commits.commit_now(RunStatements(lambda _: workers.read_batch_state(batch), parse_batch_state))

    # Exchanges.

    async def read_states(self, keys: Collection[Key]) -> dict[Key, Known]:
        """Return the state of some exchanges."""
        return await self._commits.commit(ReadStates(tuple(keys)))

    async def asked_again(self, keys: Collection[Key]) -> int:
        """Return how often those exchanges were sent again in all starts because an earlier request was lost."""
        return await self._commits.commit(
            RunStatements(
                lambda _: read_keys(steps.ASKED_AGAIN, keys), lambda groups: sum(int(rows[0][0]) for rows in groups)
            )
        )

    async def claim(
        self, batch: str, owner: str, item: NewClaim, least: Amounts | None = None, *, is_gathered: bool = False
    ) -> ClaimOutcome:
        """Claim an exchange, which reserves its maximum cost; it may be asked only if it is claimed.

        If not all of that is left, ``least`` is enough.

        Raises:
            StoreError: It could not be written; do not ask.
        """
        return await self._commits.commit(
            Claim(batch, owner, item, least or item.reserved, "claimed" if is_gathered else "sent")
        )

    async def settle(self, *items: Settlement) -> None:
        """Store the results of exchanges. An answer that comes too late is stored as well.

        If the caller is cancelled while waiting, the ledger has the items all the same.
        """
        worker = self._worker
        worker.unsettled.update({(item.key, item.fence): item for item in items})
        if worker.in_trouble and worker.spill:
            worker.spill.add(items)
        for item in items[:-1]:
            self._commits.commit_later(Settle(item))
        await self._commits.commit(Settle(items[-1]))

    def abandon(self, key: Key, fence: int) -> None:
        """Give up waiting for the answer to a request, which may have been paid. Returns without waiting."""
        self._commits.commit_later(Abandon(key, fence))

    def unclaim(self, key: Key) -> None:
        """Undo a claim that may have been made, and that will not be asked. Returns without waiting."""
        self._commits.commit_later(Unclaim(key))

    async def discard(self, keys: Sequence[Key]) -> None:
        """Count unusable answers as failed, so that their questions are asked again."""
        if keys:
            await self.run_statements([steps.discard(keys)])

    async def run_statements(
        self, statements: Sequence[SqlStatement], outcome: Callable[[list[Rows]], Any] = lambda _: None
    ) -> Any:
        """Execute any other transaction, and return ``outcome`` of its rows."""
        return await self._commits.commit(RunStatements(lambda _: statements, outcome))

    def run_statements_now(
        self, statements: Sequence[SqlStatement], outcome: Callable[[list[Rows]], Any] = lambda _: None
    ) -> Any:
        """Do the same as ``run_statements`` for a thread, which blocks."""
        return self._commits.commit_now(RunStatements(lambda _: statements, outcome))

    # Batches of providers.

    async def write_batch_intent(self, intent: str, tool: str, batch: str, items: Sequence[tuple[Key, int]]) -> Rows:
        """Write the intent to submit gathered questions; returns the keys that may be submitted."""
        return await self._commits.commit(
            RunStatements(
                lambda worker: provider_batches.write_intent(intent, tool, worker, batch, items), lambda rows: rows[-1]
            )
        )

    async def adopt(self, intent: str) -> tuple[Rows, Rows]:
        """Take over a batch that no living worker follows; returns it, if adopted, and its open questions."""
        return await self._commits.commit(
            RunStatements(lambda worker: provider_batches.adopt(intent, worker), lambda rows: (rows[-2], rows[-1]))
        )

    # Rows.

    def rows(self, keys: Collection[Key]) -> dict[Key, StoredRow]:
        """Return the state of rows, without their runs."""
        if not keys:
            return {}
        return self.run_statements_now(
            read_keys(row_steps.ROW_RESULTS, keys),
            lambda groups: {
                key: StoredRow(key, bool(is_complete), int(stamp), result)
                for rows in groups
                for key, is_complete, stamp, result in rows
            },
        )

    async def keep_row(self, row: RowToKeep) -> None:
        """Store ``row``, replacing its earlier result."""
        await self._commits.commit(KeepRow(replace(row, run=packed(row.run, row.result))))

    def alike(self, beginnings: Collection[bytes]) -> dict[bytes, StoredRow]:
        """Return, for each of ``beginnings``, the row with that key prefix that was completed last."""
        if not beginnings:
            return {}
        ordered = list(beginnings)
        statements = [SqlStatement(row_steps.ROW_ALIKE, _range(beginning.hex())) for beginning in ordered]
        groups: list[Rows] = self.run_statements_now(statements, lambda groups: groups)
        return {
            beginning: StoredRow(key, is_complete=True, stamp=0, result=result)
            for beginning, rows in zip(ordered, groups, strict=True)
            for key, result in rows
        }

    def find(self, prefix_hex: str) -> StoredRow:
        """Return everything about the one row whose key has this prefix, in hexadecimal digits.

        Raises:
            UsageError: There is none, or there are several.
        """
        low, high = _range(prefix_hex)
        keys: Rows = self.run_statements_now(
            [SqlStatement(row_steps.ROW_KEYS, (low, high, _LISTED + 1))], lambda rows: rows[0]
        )
        if len(keys) != 1:
            raise _not_one(prefix_hex, [key for (key,) in keys])
        ((key, is_complete, stamp, result, run),) = self.run_statements_now(
            read_keys(row_steps.ROW_WHOLE, [keys[0][0]]), lambda rows: rows[0]
        )
        return StoredRow(key, bool(is_complete), int(stamp), result, unpacked(run, result))

    def answers(self, keys: Collection[Key]) -> dict[Key, bytes]:
        """Return the answers of those exchanges that have one."""
        states: dict[Key, Known] = self._commits.commit_now(ReadStates(tuple(keys))) if keys else {}
        return {key: known.answer for key, known in states.items() if known.answer is not None}

    def latest_answers(self, most: int) -> list[bytes]:
        """Return the latest answers, at most this many."""
        return self.run_statements_now(
            [SqlStatement(steps.LATEST, (most,))], lambda rows: [answer for (answer,) in rows[0]]
        )

    # Blocks.

    def take_block(self, work: str, number: int) -> TableBlock:
        """Claim a block, unless it is done or another worker has it."""
        return self._commits.commit_now(
            RunStatements(
                lambda worker: row_steps.take_block(work, number, worker, self.start),
                lambda rows: parse_block(number, rows[-1]),
            )
        )

    def end_block(self, work: str, number: int, report: bytes, *, is_whole: bool) -> bool:
        """Record that the shard of a block exists; returns False if another worker has the block by then."""
        return self._commits.commit_now(
            RunStatements(
                lambda worker: row_steps.end_block(work, number, worker, report, is_whole=is_whole),
                lambda rows: bool(rows[-1]) and rows[-1][0][0] == "done",
            )
        )

    def blocks(self, work: str) -> list[TableBlock]:
        """Return all blocks of a table that have begun."""
        return self.run_statements_now(
            [row_steps.blocks(work)],
            lambda rows: [
                TableBlock(int(number), worker, state, bool(is_whole), int(stamp), bytes(report))
                for number, worker, state, is_whole, stamp, report in rows[0]
            ],
        )

    def has_block(self, work: str, number: int) -> bool:
        """Return whether this worker still has that block."""
        return any(self.is_ours(block) for block in self.blocks(work) if block.number == number)

    def free_block(self, work: str, number: int) -> None:
        """Free a block to be judged again."""
        self.run_statements_now([row_steps.free_block(work, number)])

    def leave_block(self, work: str, number: int) -> None:
        """Give a block back that has not ended."""
        self._commits.commit_now(
            RunStatements(lambda worker: [row_steps.leave_block(work, number, worker)], lambda _: None)
        )

    def workers(self) -> frozenset[str]:
        """Return the names of all workers that have an entry."""
        statement = SqlStatement("SELECT id FROM sparring_worker")
        return self.run_statements_now([statement], lambda rows: frozenset(name for (name,) in rows[0]))

    def is_ours(self, block: TableBlock) -> bool:
        """Return whether this worker has that block."""
        return block.state == "taken" and block.worker == self.worker

    def close(self) -> None:
        """Write everything that is waiting, and give claims and allotments back. Closing again does nothing."""
        self._worker.stop()
        self._commits.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_over(self, folder: Path) -> None:
        """Write the answers that workers of earlier starts could not write."""
        for left in spill.leftover_settlements(folder, self.id):
            for item in left.items:
                self._commits.commit_now(Settle(item))
            if not self.run_statements_now(
                [SqlStatement("SELECT id FROM sparring_worker WHERE id = ?", (left.worker,))], lambda rows: rows[0]
            ):
                left.remove()


def _prepared(database: Database, connection: Connection, notify: Notify, provenance: Provenance | None) -> str:
    """Return the id of the ledger, retrying while another process keeps it from being written."""
    if provenance is None or not isinstance(database, SqliteDatabase):
        return _made(database, connection, notify, lambda _: "")["id"]
    settings = _made(database, connection, notify, partial(ledger_code, provenance=provenance))
    check_ledger(settings, database.path, provenance)
    return settings["id"]


def _made(database: Database, connection: Connection, notify: Notify, sign: Callable[[str], str]) -> dict[str, str]:
    until = time.monotonic() + _OPENING_S
    is_reported = False
    while True:
        try:
            return prepare(database, connection, sign)
        except TryAgainError as error:
            if not error.is_locked or (not error.waits_for and time.monotonic() >= until):
                raise
            if not is_reported and error.waits_for:
                is_reported = True
                notify(f"[WARN] {error}")
            time.sleep(0.05)


def database_at(address: str) -> Database:
    """Return the database at ``address``; it is not connected to yet.

    Raises:
        UsageError: The address is invalid.
    """
    if address.startswith(("postgresql://", "postgres://")):
        from sparring.store.exchanges.postgres import PostgresDatabase  # noqa: PLC0415 -- an optional dependency

        return PostgresDatabase(address)
    scheme, separator, _ = address.partition("://")
    if separator:
        raise UsageError(f"A ledger is a file or postgresql://…, not {scheme}://….")
    return SqliteDatabase(Path(address))


def _range(prefix_hex: str) -> tuple[bytes, bytes]:
    digits = prefix_hex.strip().lower()
    if not digits or len(digits) > 32 or set(digits) - set("0123456789abcdef"):
        raise UsageError(f"{prefix_hex!r} is not the beginning of a row's key: up to 32 digits from 0 to f.")
    return bytes.fromhex(digits.ljust(32, "0")), bytes.fromhex(digits.ljust(32, "f"))


def _not_one(prefix_hex: str, keys: Sequence[Key]) -> UsageError:
    if not keys:
        return UsageError(f"No row of this ledger has a key that begins with {prefix_hex}.")
    listed = ", ".join(key.hex() for key in keys[:_LISTED])
    more = ", …" if len(keys) > _LISTED else ""
    return UsageError(
        f"Several rows have a key that begins with {prefix_hex}: {listed}{more}.", hint="Give more of it."
    )
