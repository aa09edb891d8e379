"""The steps of an exchange, each as the statements of one transaction: look, claim, settle, settle late.

Every condition is part of a statement. A step can be repeated when it is unknown whether it was done: its effect occurs
only once.

Locks are taken in one order: the worker's entry, exchanges by their keys, the batch, allotments.
"""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from sparring.store.exchanges.amounts import Amounts, Used
from sparring.store.exchanges.database import NEXT_FENCE, SqlStatement, padded
from sparring.store.exchanges.sql import Key, Statements, for_each
from sparring.store.exchanges.workers import allotment


class NewClaim(Struct, frozen=True):
    """An exchange to be claimed.

    Attributes:
        reserved: Its maximum cost.
        not_before: An answer with an older stamp does not count.
    """

    key: Key
    reserved: Amounts
    not_before: int = 0


LOOK = "SELECT key, state, fence, stamp, worker, intent, asked, answer FROM sparring_exchange WHERE key IN ({keys})"
LOST = (
    "SELECT key, max(fence) FROM sparring_lost WHERE answer IS NULL AND is_known = 0 AND key IN ({keys}) GROUP BY key"
)

LATEST = "SELECT answer FROM sparring_exchange WHERE state = 'answered' ORDER BY number DESC LIMIT ?"

ASKED_AGAIN = "SELECT count(*) FROM sparring_lost WHERE is_again = 1 AND key IN ({keys})"


def read_states(keys: Collection[Key]) -> SqlStatement:
    """Read the state of some exchanges."""
    return SqlStatement(LOOK, (), padded(keys))


def claim(batch: str, worker: str, items: Sequence[NewClaim], state: str) -> Statements:
    """Claim free exchanges, and reserve the maximum cost of each; ``state`` is ``sent`` or ``claimed``.

    The last three statements return the state of all of them, which of them were lost earlier without an answer, and
    the rest of the allotment. The caller ensures that the rest is enough for all; else the transaction fails.
    """
    keys = padded([item.key for item in items])
    ordered = sorted(items, key=lambda item: item.key)
    lock_worker = SqlStatement("SELECT id FROM sparring_worker WHERE id = ?{share}", (worker,))
    # A new row, or one that is free, or whose answer is too old. The fence marks the rows that this transaction has
    # claimed; the stamp of an earlier answer stays.
    claim_free = SqlStatement(
        f"""
        INSERT INTO sparring_exchange
            (key, state, fence, stamp, worker, batch, intent, asked, {for_each("held_@")}, used_calls)
        SELECT ?, ?, {{fence}}, {{fence}}, id, ?, '', 1, ?, ?, ?, 0
        FROM sparring_worker
        WHERE id = ?
        ON CONFLICT (key) DO UPDATE
        SET state = excluded.state,
            fence = excluded.fence,
            stamp = CASE WHEN sparring_exchange.answer IS NULL THEN excluded.stamp ELSE sparring_exchange.stamp END,
            worker = excluded.worker,
            batch = excluded.batch,
            intent = '',
            asked = sparring_exchange.asked + 1,
            {for_each("held_@ = excluded.held_@")}
        WHERE sparring_exchange.state = 'free'
            OR (sparring_exchange.state = 'answered' AND sparring_exchange.stamp < ?)
        """,
        each=[(item.key, state, batch, *item.reserved.each, worker, item.not_before) for item in ordered],
    )
    mark_asked_again = SqlStatement(
        """
        UPDATE sparring_lost
        SET is_again = 1
        WHERE EXISTS (
            SELECT 1 FROM sparring_exchange AS e
            WHERE e.key = sparring_lost.key AND e.fence = {fence} AND e.state = 'sent'
        ) AND is_again = 0 AND key IN ({keys})
        """,
        (),
        keys,
    )
    reserve = SqlStatement(
        f"""
        UPDATE sparring_allotment
        SET {for_each("left_@ = left_@ - claimed.@")}, {for_each("held_@ = held_@ + claimed.@")},
            asked = asked + claimed.sent
        FROM (
            SELECT {for_each("coalesce(sum(held_@), 0) AS @")},
                coalesce(sum(CASE WHEN state = 'sent' THEN 1 ELSE 0 END), 0) AS sent
            FROM sparring_exchange
            WHERE fence = {{fence}} AND worker = ? AND state IN ('claimed', 'sent') AND key IN ({{keys}})
        ) AS claimed
        WHERE sparring_allotment.batch = ? AND sparring_allotment.worker = ?
        """,
        (worker,),
        keys,
        (batch, worker),
    )
    return [
        NEXT_FENCE,
        lock_worker,
        claim_free,
        mark_asked_again,
        reserve,
        SqlStatement(LOOK, (), keys),
        SqlStatement(LOST, (), keys),
        allotment(batch, worker),
    ]


class Settlement(Struct, frozen=True):
    """Settlement of a claimed exchange.

    Attributes:
        state: ``answered``, ``failed``, or ``free`` if the same exchange may be asked again.
        answer: The reply; None if there is nothing to store.
        was_asked: False for a claim that was given up before it was asked, or that already had its answer.
        was_sent: False if it was only gathered.
    """

    key: Key
    fence: int
    state: str
    answer: bytes | None
    used: Used
    was_asked: bool = True
    was_sent: bool = True


_COUNTS = ("known_tokens", "known_cost", "uncounted", "unpriced", "answered", "failed")
_SETTLED = (
    f"SELECT worker, batch, {for_each('sum(held_@) AS held_@')}, sum(used_calls) AS used_calls, "
    "sum(coalesce(used_tokens, held_tokens)) AS used_tokens, sum(coalesce(used_cost, held_cost)) AS used_cost, "
    "sum(coalesce(used_tokens, 0)) AS known_tokens, sum(coalesce(used_cost, 0)) AS known_cost, "
    "sum(CASE WHEN used_tokens IS NULL THEN 1 ELSE 0 END) AS uncounted, "
    "sum(CASE WHEN used_cost IS NULL THEN 1 ELSE 0 END) AS unpriced, "
    "sum(CASE WHEN state = 'answered' THEN 1 ELSE 0 END) AS answered, "
    "sum(CASE WHEN state = 'answered' THEN 0 ELSE 1 END) AS failed, count(*) AS calls "
    "FROM sparring_exchange WHERE stamp = {fence} AND key IN ({keys}) GROUP BY worker, batch"
)
"""Sums of the exchanges that this transaction has settled, by worker and batch."""
_OF_THEM = "WHERE sparring_allotment.batch = s.batch AND sparring_allotment.worker = s.worker"


def settle(items: Sequence[Settlement]) -> Statements:
    """Store the results of exchanges, and account for them; the last statement returns their new state.

    An exchange that is not ``sent`` or ``claimed`` under its fence is unchanged: it was settled before, or is lost.
    """
    ordered = sorted(items, key=lambda item: (item.key, item.fence))
    keys = padded([item.key for item in items])
    # An answer of an earlier start, which is asked again, stays until a better one has come.
    store_results = SqlStatement(
        """
        UPDATE sparring_exchange
        SET state = CASE WHEN ? = 'failed' AND answer IS NOT NULL THEN 'free' ELSE ? END,
            answer = CASE WHEN ? = 'answered' THEN ? ELSE coalesce(answer, ?) END,
            stamp = {fence}, used_calls = ?, used_tokens = ?, used_cost = ?, asked = asked - ?
        WHERE key = ? AND fence = ? AND state IN ('claimed', 'sent')
        """,
        each=[
            (
                item.state,
                item.state,
                item.state,
                item.answer,
                item.answer,
                item.used.calls,
                item.used.tokens,
                item.used.cost,
                0 if item.was_asked else 1,
                item.key,
                item.fence,
            )
            for item in ordered
        ],
    )
    # An answer that cost more than predicted reduces the rest, and then draws from the batch, even above its limit.
    exceeds = "s.used_@ - s.held_@ > a.left_@"
    given = f"given_@ = given_@ + CASE WHEN {exceeds} THEN s.used_@ - s.held_@ - a.left_@ ELSE 0 END"
    draw_from_batch = SqlStatement(
        f"""
        UPDATE sparring_batch
        SET {for_each(given)}
        FROM ({_SETTLED}) AS s
        JOIN sparring_allotment AS a ON a.batch = s.batch AND a.worker = s.worker
        WHERE sparring_batch.id = s.batch AND ({for_each(exceeds, " OR ")})
        """,
        (),
        keys,
    )
    left = "left_@ = CASE WHEN left_@ + s.held_@ > s.used_@ THEN left_@ + s.held_@ - s.used_@ ELSE 0 END"
    account = SqlStatement(
        f"""
        UPDATE sparring_allotment
        SET {for_each("held_@ = sparring_allotment.held_@ - s.held_@")},
            {for_each("used_@ = sparring_allotment.used_@ + s.used_@")},
            {for_each(left)},
            {", ".join(f"{name} = sparring_allotment.{name} + s.{name}" for name in _COUNTS)}
        FROM ({_SETTLED}) AS s {_OF_THEM}
        """,
        (),
        keys,
    )
    return [NEXT_FENCE, store_results, draw_from_batch, account, *_uncounted(items), read_states(keys)]


def _uncounted(items: Sequence[Settlement]) -> Iterator[SqlStatement]:
    """Correct the counts for exchanges that were not asked."""
    for was_sent in (True, False):
        keys = padded([item.key for item in items if not item.was_asked and item.was_sent is was_sent])
        if not keys:
            continue
        yield SqlStatement(
            "UPDATE sparring_allotment SET asked = asked - ? * s.calls, failed = sparring_allotment.failed - s.failed, "
            f"answered = sparring_allotment.answered - s.answered FROM ({_SETTLED}) AS s {_OF_THEM}",
            (int(was_sent),),
            keys,
        )
        yield SqlStatement(
            "UPDATE sparring_lost SET is_again = 0 WHERE EXISTS (SELECT 1 FROM sparring_exchange AS e "
            "WHERE e.key = sparring_lost.key AND e.stamp = {fence}) AND key IN ({keys})",
            (),
            keys,
        )


def is_settled(item: Settlement, fence: int, stamp: int) -> bool:
    """Return whether an exchange with that fence and stamp shows that ``item`` was settled; else it is lost."""
    return fence == item.fence and stamp > fence


def settle_late(item: Settlement) -> Statements:
    """Complete the entry in ``lost``, and store the answer if there is no other."""
    used = item.used
    known = (used.calls, used.tokens, used.cost)
    # A quantity that is still unknown remains as it was reserved.
    correct_batch = SqlStatement(
        f"""
        UPDATE sparring_batch
        SET {for_each("given_@ = given_@ + coalesce(?, l.@) - l.@")}
        FROM sparring_lost AS l
        WHERE l.key = ? AND l.fence = ? AND l.is_known = 0 AND sparring_batch.id = l.batch
        """,
        (*known, item.key, item.fence),
    )
    complete_lost = SqlStatement(
        f"""
        UPDATE sparring_lost
        SET {for_each("@ = coalesce(?, @)")}, known_tokens = ?, known_cost = ?, is_known = 1, answer = ?
        WHERE key = ? AND fence = ? AND is_known = 0
        """,
        (*known, used.tokens, used.cost, item.answer, item.key, item.fence),
    )
    statements = [NEXT_FENCE, correct_batch, complete_lost]
    if item.state == "answered":
        store_answer = SqlStatement(
            """
            UPDATE sparring_exchange
            SET state = 'answered', stamp = {fence}, answer = ?, used_calls = ?, used_tokens = ?, used_cost = ?
            WHERE key = ? AND state = 'free'
            """,
            (item.answer, *known, item.key),
        )
        statements.append(store_answer)
    return statements


def abandon(key: Key, fence: int) -> Statements:
    """Count a request that is no longer waited for as lost: it may have been paid."""
    at = "key = ? AND fence = ? AND state = 'sent'"
    return [
        SqlStatement(
            "INSERT INTO sparring_lost (key, fence, batch, calls, tokens, cost, is_known, is_again) "
            f"SELECT key, fence, batch, {for_each('held_@')}, 0, 0 FROM sparring_exchange WHERE {at} AND intent = ''",
            (key, fence),
        ),
        SqlStatement(
            f"UPDATE sparring_allotment SET {for_each('held_@ = sparring_allotment.held_@ - e.held_@')} "
            f"FROM sparring_exchange AS e WHERE e.key = ? AND e.fence = ? AND e.state = 'sent' AND e.intent = '' "
            "AND sparring_allotment.batch = e.batch AND sparring_allotment.worker = e.worker",
            (key, fence),
        ),
        SqlStatement(
            f"UPDATE sparring_exchange SET state = 'free', worker = '' WHERE {at} AND intent = ''", (key, fence)
        ),
    ]


def discard(keys: Sequence[Key]) -> SqlStatement:
    """Count unusable answers as failed: the next attempt is another exchange."""
    return SqlStatement(
        "UPDATE sparring_exchange SET state = 'failed' WHERE state = 'answered' AND key IN ({keys})", (), keys
    )
