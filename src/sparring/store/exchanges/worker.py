"""The writing side of a ledger: the only thread of a worker that uses the database.

It combines many operations in one transaction, retries while the database does not answer, keeps the worker alive, and
buries workers that have died. Only the database records the owner of an exchange: a worker that was suspended detects
before its next question that it has been buried, and continues as a new worker.
"""

import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sparring.errors import TryAgainError
from sparring.store.exchanges import row_steps, steps, workers
from sparring.store.exchanges.amounts import FREE, NOTHING, Amounts, Maximum
from sparring.store.exchanges.database import Connection, Database, Rows, SqlStatement, read_keys
from sparring.store.exchanges.operations import (
    Abandon,
    Admit,
    Claim,
    Claimed,
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
    known_by_key,
)
from sparring.store.exchanges.spill import Spill
from sparring.store.exchanges.sql import DIMENSIONS, Key
from sparring.store.exchanges.steps import Settlement

LEASE_S = 60.0
RENEW_S = 5.0
PATIENCE_S = 600.0
GRACE_S = 3 * RENEW_S
"""After a time without the ledger, other workers get as long to show that they live."""

_CLOSING_S = 5.0
_QUICK = 3
"""Attempts before an error of the store is reported: two conflicting transactions need no more."""
_PAUSES_S = (0.01, 0.05, 0.2, 0.5, 1.0)


class _Account(Struct):
    """Allowance of this worker in a batch."""

    maximum: Maximum
    left: Amounts = NOTHING
    earmarks: dict[str, Amounts] = field(default_factory=dict[str, Amounts])
    pending: Amounts = NOTHING

    def available(self, owner: str) -> Amounts:
        """Return the amounts free for ``owner``: its own earmark, and the rest without the earmarks of others."""
        taken = self.pending
        for other, amounts in self.earmarks.items():
            if other != owner:
                taken += amounts
        return self.left - taken

    def missing(self, owner: str, need: Amounts) -> Amounts:
        return (need - self.available(owner)).at_least(NOTHING)

    def limited(self, missing: Amounts) -> str:
        """Return the first limit that is too low."""
        return next((name for name, amount in zip(DIMENSIONS, missing.each, strict=True) if amount), DIMENSIONS[0])


Notify = Callable[[str], None]


class LedgerWorker:
    """A worker of a ledger; one thread calls it.

    Attributes:
        name: Changes when the worker has been buried and begins again.
        start: A stamp: entries with an older one existed before this worker began.
        unsettled: Paid results that are not written yet; other threads add to it.
    """

    def __init__(
        self,
        database: Database,
        connection: Connection,
        *,
        lease_s: float,
        max_wait_s: float,
        grace_s: float,
        notify: Notify,
    ) -> None:
        self._connection = connection
        self._signs = database.liveness()
        self._lease_s, self._max_wait_s, self._grace_s = lease_s, max_wait_s, grace_s
        self._notify = notify
        self._accounts: dict[str, _Account] = {}
        self._in_flight: set[tuple[Key, int]] = set()
        self._renewed = self._seen = self._steady_since = time.monotonic()
        self._is_closing = threading.Event()
        self._given_up: TryAgainError | None = None
        self.unsettled: dict[tuple[Key, int], Settlement] = {}
        self.in_trouble = False
        self.spill: Spill | None = None
        self.name = ""
        self.start = 0

    # Lifetime.

    def begin(self) -> None:
        """Make an entry, and bury workers that are known to have died."""
        self.name = secrets.token_hex(8)
        self._signs.begin(self.name)
        *_, ((stamp,),) = self._with_retries(workers.begin_worker(self.name, self._lease_s))
        self.start = self.start or int(stamp)
        for batch, account in self._accounts.items():
            self._take_part(batch, account)
        self._renewed = time.monotonic()
        self._remove_dead_workers()

    def idle(self) -> None:
        """Renew the lease, and bury workers that have died."""
        self._renew()
        self._remove_dead_workers()

    def stop(self) -> None:
        """Limit further retries to the time that closing may take."""
        self._is_closing.set()

    def end(self) -> None:
        """Give back all claims and allotments."""
        try:
            self._with_retries([workers.end_lease(self.name), *workers.remove_expired(self.name)])
        finally:
            self._connection.close()
            self._signs.end()

    def _renew(self) -> None:
        *_, ((count,),) = self._with_retries(workers.renew_worker(self.name, self._lease_s))
        self._renewed = time.monotonic()
        if not count:
            self.begin()

    def _remove_dead_workers(self) -> None:
        for name in self._others(workers.LIVING_WORKERS):
            self._remove_if_ended(name)
        if time.monotonic() - self._steady_since >= self._grace_s:
            expired = self._others(workers.EXPIRED_WORKERS)
        else:  # a worker that was silent for longer than any worker retries was not kept from renewing by the ledger
            late = SqlStatement(
                "SELECT id FROM sparring_worker WHERE expires < 0 OR expires <= {now} - ? ORDER BY id",
                (self._max_wait_s + GRACE_S,),
            )
            expired = self._others(late)
        for name in expired:
            self._with_retries(workers.remove_expired(name))
        every = SqlStatement("SELECT id FROM sparring_worker")
        self._signs.forget({self.name, *(name for (name,) in self._with_retries([every])[0])})

    def _others(self, statement: SqlStatement) -> list[str]:
        return [name for (name,) in self._with_retries([statement])[0] if name != self.name]

    def _remove_if_ended(self, name: str) -> bool:
        """Bury a worker if its process is known to have ended; returns whether it was."""
        if not self._signs.has_ended(name):
            return False
        self._with_retries([workers.end_lease(name), *workers.remove_expired(name)])
        return True

    # Retries.

    def _with_retries(self, statements: Sequence[SqlStatement]) -> list[Rows]:
        """Execute a transaction, with retries while the store does not answer.

        Raises:
            StoreError: It cannot be done, or not within the patience of a worker.
        """
        began, tries = time.monotonic(), 0
        while True:
            try:
                results = self._connection.transact(statements)
            except TryAgainError as error:
                tries += 1
                if tries > _QUICK:
                    self._note_trouble(error)
                max_wait_s = _CLOSING_S if self._is_closing.is_set() else self._max_wait_s
                if time.monotonic() - began >= max_wait_s and not (error.waits_for and not self._is_closing.is_set()):
                    raise
                pause_s = _PAUSES_S[min(tries, len(_PAUSES_S)) - 1]
                if self._is_closing.wait(pause_s):
                    time.sleep(_PAUSES_S[0])
            else:
                self._note_contact()
                return results

    def _note_trouble(self, error: TryAgainError) -> None:
        if not self.in_trouble:
            self.in_trouble = True
            self._notify(f"[WARN] {error} Calls wait until the ledger answers; answers are kept.")
        if self.spill:
            self.spill.add(list(self.unsettled.values()))

    def _note_contact(self) -> None:
        now = time.monotonic()
        if now - self._seen > GRACE_S:
            self._steady_since = now
        self._seen = now
        if self.in_trouble:
            self.in_trouble = False
            self._notify("The ledger answers again.")

    # Operations.

    def write(self, operations: Sequence[Operation]) -> Sequence[Any]:
        """Do ``operations`` and return the result of each; an error is one of the results."""
        outcomes = list[Any]([None] * len(operations))
        numbered: list[tuple[int, Any]] = list(enumerate(operations))
        stages: tuple[tuple[Callable[[Sequence[tuple[int, Any]], list[Any]], None], tuple[type, ...]], ...] = (
            (self._settle, (Settle,)),
            (self._release, (Abandon, Dismiss)),
            (self._admit_all, (Admit,)),
            (self._claim, (Claim,)),
            (self._unclaim, (Unclaim,)),
            (self._do, (KeepRow, ReadStates, RunStatements)),
        )
        if time.monotonic() - self._renewed >= RENEW_S:
            self._return_errors(self._look_around, numbered, outcomes)
        for stage, kinds in stages:
            if chosen := [(at, one) for at, one in numbered if isinstance(one, kinds)]:
                self._return_errors(stage, chosen, outcomes)
        return outcomes

    def _look_around(self, _operations: Sequence[tuple[int, Any]], _outcomes: list[Any]) -> None:
        self.idle()

    def _return_errors(
        self,
        stage: Callable[[Sequence[tuple[int, Any]], list[Any]], None],
        chosen: Sequence[tuple[int, Any]],
        outcomes: list[Any],
    ) -> None:
        """Do a stage for all at once; if that fails for several, do each alone."""
        try:
            if self._given_up:
                raise self._given_up  # noqa: TRY301 -- also raised for later operations
            stage(chosen, outcomes)
        except TryAgainError as error:  # the store has not answered within the patience of a worker
            self._given_up = error
            for at, _ in chosen:
                outcomes[at] = error
        except Exception as error:  # noqa: BLE001 -- raised in the waiting caller
            if len(chosen) == 1 or any(isinstance(one, Claim) for _, one in chosen):
                for at, _ in chosen:
                    outcomes[at] = error
                return
            for each in chosen:
                self._return_errors(stage, [each], outcomes)

    def _release(self, operations: Sequence[tuple[int, Abandon | Dismiss]], _outcomes: list[Any]) -> None:
        for _, one in operations:
            if isinstance(one, Abandon):
                self._in_flight.discard((one.key, one.fence))
                self._with_retries(steps.abandon(one.key, one.fence))
            else:
                self._accounts[one.batch].earmarks.pop(one.owner, None)

    def join(self, batch: str, maximum: Maximum) -> None:
        """Take part in ``batch``."""
        self._accounts[batch] = account = _Account(maximum)
        self._take_part(batch, account)

    def _take_part(self, batch: str, account: _Account) -> None:
        statements = [*workers.begin_batch(batch, account.maximum, self.name), workers.allotment(batch, self.name)]
        *_, rows = self._with_retries(statements)
        self._note_remaining(account, rows)

    def _do(self, operations: Sequence[tuple[int, KeepRow | ReadStates | RunStatements]], outcomes: list[Any]) -> None:
        rows = [one.row for _, one in operations if isinstance(one, KeepRow)]
        looks = [(at, one) for at, one in operations if isinstance(one, ReadStates)]
        others = [(at, one) for at, one in operations if isinstance(one, RunStatements)]
        lists = [
            row_steps.keep_rows(rows) if rows else [],
            read_keys(steps.LOOK, {key for _, one in looks for key in one.keys}),
            *(one.statements(self.name) for _, one in others),
        ]
        results = iter(self._with_retries([statement for each in lists for statement in each]))
        _, looked, *rest = [[next(results) for _ in each] for each in lists]
        known = known_by_key(looked)
        for at, one in looks:
            outcomes[at] = {key: known[key] for key in one.keys if key in known}
        for (at, one), each in zip(others, rest, strict=True):
            outcomes[at] = one.outcome(each)

    # Limits.

    def _admit_all(self, operations: Sequence[tuple[int, Admit]], outcomes: list[Any]) -> None:
        for at, one in operations:
            outcomes[at] = self._admit(one)

    def _admit(self, one: Admit) -> "bool | Wait | LimitReached":
        account = self._accounts[one.batch]
        if account.maximum.is_none or self._reserved(one.batch, one.owner, one.need):
            account.earmarks[one.owner] = one.need
            return True
        if account.earmarks:
            return Wait()
        if self._reserved(one.batch, one.owner, one.least):
            account.earmarks[one.owner] = account.available(one.owner)
            return True
        refused = LimitReached(account.limited(account.missing(one.owner, one.least)))
        self._give_back(one.batch)
        return refused

    def _reserved(self, batch: str, owner: str, need: Amounts) -> bool:
        """Return whether enough is left for ``owner``, fetched from the batch if need be."""
        account = self._accounts[batch]
        missing = account.missing(owner, need)
        if missing != NOTHING:
            *_, rows = self._with_retries(workers.grant(batch, self.name, missing))
            self._note_remaining(account, rows)
        return account.available(owner).covers(need)

    def _give_back(self, batch: str) -> None:
        account = self._accounts[batch]
        rest = account.available("").at_least(NOTHING)
        if rest != NOTHING:
            *_, rows = self._with_retries(workers.give_back(batch, self.name, rest))
            self._note_remaining(account, rows)

    def _note_remaining(self, account: _Account, rows: Rows) -> None:
        if rows:
            account.left = Amounts(*map(int, rows[0]))

    # Exchanges.

    def _claim(self, operations: Sequence[tuple[int, Claim]], outcomes: list[Any]) -> None:
        by_kind = defaultdict[tuple[str, str], list[tuple[int, Claim]]](list)
        for at, one in operations:
            account = self._accounts[one.batch]
            if not self._reserved(one.batch, one.owner, one.item.reserved):
                if not self._reserved(one.batch, one.owner, one.least):
                    outcomes[at] = LimitReached(account.limited(account.missing(one.owner, one.least)))
                    continue
                granted = one.item.reserved.at_most(account.available(one.owner))
                one = replace(one, item=replace(one.item, reserved=granted))  # noqa: PLW2901 -- the same, for less
            account.pending += one.item.reserved
            if one.owner in account.earmarks:
                account.earmarks[one.owner] = (account.earmarks[one.owner] - one.item.reserved).at_least(NOTHING)
            by_kind[one.batch, one.state].append((at, one))
        try:
            for (batch, state), claims in by_kind.items():
                self._claim_all(batch, state, claims, outcomes)
        finally:
            for account in self._accounts.values():
                account.pending = NOTHING

    def _claim_all(self, batch: str, state: str, claims: Sequence[tuple[int, Claim]], outcomes: list[Any]) -> None:
        left, account = list(claims), self._accounts[batch]
        for _ in range(_QUICK):
            *_, known, lost, rest = self._with_retries(
                steps.claim(batch, self.name, [one.item for _, one in left], state)
            )
            self._note_remaining(account, rest)
            seen, fences = {row[0]: Known(*row[1:]) for row in known}, {key: int(fence) for key, fence in lost}
            for at, one in left:
                outcomes[at] = self._claimed(one, seen.get(one.item.key), fences)
            left = [(at, one) for at, one in left if outcomes[at] is None]
            if not left:
                return
            self._renew()  # a claim without effect means that the entry of this worker is missing
            total = NOTHING
            for _, one in left:
                total += one.item.reserved
            account.pending = NOTHING
            if not self._reserved(batch, "", total):
                break
        for at, one in left:
            outcomes[at] = LimitReached(account.limited(account.missing("", one.item.reserved)))

    def _claimed(self, one: Claim, known: Known | None, lost: dict[Key, int]) -> ClaimOutcome | None:
        """Return the outcome of a claim; None if it must be tried again."""
        key = one.item.key
        if known is None or known.state == "free":
            return None
        is_ours = known.worker == self.name and known.state == one.state and not known.intent
        if is_ours and (key, known.fence) not in self._in_flight:
            self._in_flight.add((key, known.fence))
            return Claimed(known.fence, lost.get(key))
        is_taken = known.state in {"sent", "claimed"} and not known.intent
        if is_taken and known.worker != self.name and self._remove_if_ended(known.worker):
            return None
        return known

    def _unclaim(self, operations: Sequence[tuple[int, Unclaim]], outcomes: list[Any]) -> None:
        keys = {one.key for _, one in operations}
        for key, fence in [each for each in self._in_flight if each[0] in keys]:
            self._settle([(0, Settle(Settlement(key, fence, "free", None, FREE, was_asked=False)))], outcomes)

    def _settle(self, operations: Sequence[tuple[int, Settle]], _outcomes: list[Any]) -> None:
        items = [one.item for _, one in operations]
        allotments = [workers.allotment(batch, self.name) for batch in self._accounts]
        results = self._with_retries([*steps.settle(items), *allotments])
        known = {row[0]: (int(row[2]), int(row[3])) for row in results[len(results) - len(allotments) - 1]}
        for account, rows in zip(self._accounts.values(), results[len(results) - len(allotments) :], strict=True):
            self._note_remaining(account, rows)
        for item in items:
            fence, stamp = known.get(item.key, (0, 0))
            if not steps.is_settled(item, fence, stamp):
                self._with_retries(steps.settle_late(item))
            self._in_flight.discard((item.key, item.fence))
            self.unsettled.pop((item.key, item.fence), None)
        if self.spill and not self.unsettled:
            self.spill.clear()
