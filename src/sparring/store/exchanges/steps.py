"""The steps of the ledger, each as the statements of one transaction.

Every condition stands in a statement. A step can be repeated when it is not known whether it was done: what was
done before is not done twice.

Locks are taken in one order: the worker's entry, exchanges by their keys, the batch, allotments.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sparring.store.exchanges.amounts import UNLIMITED, Amounts, Maximum, Used
from sparring.store.exchanges.database import NEXT_FENCE, Statement, padded

Key = bytes
"""What an exchange is known by: 16 bytes."""

Statements = list[Statement]

DIMENSIONS = ("calls", "tokens", "cost")
OURS = ""
"""The worker under whom stands what belongs to none."""


def _each(text: str, join: str = ", ") -> str:
    """``text`` for calls, tokens and money; ``@`` stands for the name of each."""
    return join.join(text.replace("@", name) for name in DIMENSIONS)


# Workers.

_LIVES = "EXISTS (SELECT 1 FROM sparring_worker WHERE id = ?)"
_HAS_EXPIRED = "EXISTS (SELECT 1 FROM sparring_worker WHERE id = ? AND expires <= {now})"


def begin_worker(worker: str, lease_s: float) -> Statements:
    """Make an entry for ``worker``; the last statement returns a new stamp."""
    return [
        NEXT_FENCE,
        Statement("INSERT INTO sparring_worker VALUES (?, {now} + ?)", (worker, lease_s)),
        Statement("SELECT {fence}"),
    ]


def renew_worker(worker: str, lease_s: float) -> Statements:
    """Let ``worker`` live on; the last statement returns 0 where its entry is gone."""
    return [
        Statement("UPDATE sparring_worker SET expires = {now} + ? WHERE id = ?", (lease_s, worker)),
        Statement("SELECT count(*) FROM sparring_worker WHERE id = ?", (worker,)),
    ]


EXPIRED_WORKERS = Statement("SELECT id FROM sparring_worker WHERE expires <= {now} ORDER BY id")
LIVING_WORKERS = Statement("SELECT id FROM sparring_worker WHERE expires > {now} ORDER BY id")


def end_lease(worker: str) -> Statement:
    """Let the lease of ``worker`` be over: its process has ended, or it leaves."""
    return Statement("UPDATE sparring_worker SET expires = -1 WHERE id = ?", (worker,))


def bury(worker: str) -> Statements:
    """Undo what an expired ``worker`` held, and delete its entry; nothing happens where it lives.

    What was gathered is free. What was sent may have been paid: it is kept in ``lost`` and free to be asked again. What
    it handed in to a provider waits for whoever adopts it. Its allotments go back, except what is used.
    """
    mine = "worker = ? AND state IN ('claimed', 'sent')"
    sums = _each("coalesce(sum(e.held_@), 0) AS @")
    return [
        NEXT_FENCE,
        Statement("SELECT id FROM sparring_worker WHERE id = ? AND expires <= {now}{update}", (worker,)),
        Statement(f"SELECT key FROM sparring_exchange WHERE {mine} ORDER BY key{{update}}", (worker,)),
        Statement(
            "INSERT INTO sparring_lost (key, fence, batch, calls, tokens, cost, is_known, is_again) "
            f"SELECT key, fence, batch, {_each('held_@')}, 0, 0 FROM sparring_exchange "
            f"WHERE worker = ? AND state = 'sent' AND intent = '' AND {_HAS_EXPIRED}",
            (worker, worker),
        ),
        # What was only gathered costs nothing, and neither does what was left of an allotment.
        Statement(
            f"UPDATE sparring_batch SET {_each('given_@ = given_@ - s.@')} FROM (SELECT a.batch AS batch, "
            f"{_each('a.left_@ + coalesce(c.@, 0) AS @')} FROM sparring_allotment AS a LEFT JOIN ("
            f"SELECT e.batch AS batch, {sums} FROM sparring_exchange AS e "
            "WHERE e.worker = ? AND e.state = 'claimed' GROUP BY e.batch) AS c ON c.batch = a.batch "
            f"WHERE a.worker = ?) AS s WHERE sparring_batch.id = s.batch AND {_HAS_EXPIRED}",
            (worker, worker, worker),
        ),
        Statement(
            f"INSERT INTO sparring_allotment ({_COLUMNS}) SELECT a.batch, '', 0, 0, 0, "
            f"{_each('coalesce(h.@, 0)')}, {_each('a.used_@')}, {', '.join(f'a.{name}' for name in _COUNTED)} "
            "FROM sparring_allotment AS a LEFT JOIN ("
            f"SELECT e.batch AS batch, {sums} FROM sparring_exchange AS e "
            "WHERE e.worker = ? AND e.state = 'sent' AND e.intent <> '' GROUP BY e.batch) AS h ON h.batch = a.batch "
            f"WHERE a.worker = ? AND {_HAS_EXPIRED} ON CONFLICT (batch, worker) DO UPDATE SET "
            + ", ".join(f"{name} = sparring_allotment.{name} + excluded.{name}" for name in _SUMMED),
            (worker, worker, worker),
        ),
        Statement(
            "UPDATE sparring_exchange SET state = CASE WHEN intent <> '' THEN state ELSE 'free' END, worker = '' "
            f"WHERE {mine} AND {_HAS_EXPIRED}",
            (worker, worker),
        ),
        Statement(f"DELETE FROM sparring_allotment WHERE worker = ? AND {_HAS_EXPIRED}", (worker, worker)),
        Statement(f"UPDATE sparring_provider_batch SET worker = '' WHERE worker = ? AND {_HAS_EXPIRED}", (worker,) * 2),
        Statement(
            "UPDATE sparring_block SET worker = '', state = 'free' "
            f"WHERE worker = ? AND state = 'taken' AND {_HAS_EXPIRED}",
            (worker, worker),
        ),
        Statement("DELETE FROM sparring_worker WHERE id = ? AND expires <= {now}", (worker,)),
    ]


_COUNTED = ("known_tokens", "known_cost", "uncounted", "unpriced", "asked", "answered", "failed")
_SUMMED = tuple(f"{kind}_{name}" for kind in ("held", "used") for name in DIMENSIONS) + _COUNTED
_COLUMNS = ", ".join(("batch", "worker", *(f"left_{name}" for name in DIMENSIONS), *_SUMMED))


# Limits.


def begin_batch(batch: str, maximum: Maximum, worker: str) -> Statements:
    """Let ``worker`` take part in ``batch``, whose limits are these from now on."""
    zeros = ", ".join("0" * (len(_SUMMED) + len(DIMENSIONS)))
    unlimited = f"CASE WHEN max_@ IS NULL AND left_@ = 0 THEN {UNLIMITED} ELSE 0 END"
    return [
        Statement(
            "INSERT INTO sparring_batch (id, max_calls, max_tokens, max_cost, "
            f"{_each('given_@')}, {_each('last_@')}, last_fence) VALUES (?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0) "
            f"ON CONFLICT (id) DO UPDATE SET {_each('max_@ = excluded.max_@')}",
            (batch, *maximum.each),
        ),
        Statement(
            f"INSERT INTO sparring_allotment ({_COLUMNS}) SELECT ?, id, {zeros} FROM sparring_worker WHERE id = ? "
            "ON CONFLICT (batch, worker) DO NOTHING",
            (batch, worker),
        ),
        # What has no limit is given once and for all, so that nothing is ever fetched for it.
        Statement(
            f"UPDATE sparring_batch SET {_each(f'given_@ = given_@ + {unlimited}')} FROM sparring_allotment AS a "
            "WHERE a.batch = sparring_batch.id AND sparring_batch.id = ? AND a.worker = ?",
            (batch, worker),
        ),
        Statement(
            f"UPDATE sparring_allotment SET {_each(f'left_@ = left_@ + {unlimited}')} FROM sparring_batch AS b "
            "WHERE b.id = sparring_allotment.batch AND sparring_allotment.batch = ? AND sparring_allotment.worker = ?",
            (batch, worker),
        ),
    ]


def others_in(batch: str, worker: str) -> Statement:
    """The limits of ``batch``, once for each other living worker of it."""
    return Statement(
        f"SELECT {_each('b.max_@')} FROM sparring_batch AS b JOIN sparring_allotment AS a ON a.batch = b.id "
        "JOIN sparring_worker AS w ON w.id = a.worker WHERE b.id = ? AND w.id <> ? AND w.expires > {now}",
        (batch, worker),
    )


def allotment(batch: str, worker: str) -> Statement:
    """What is left of the allotment."""
    return Statement(
        f"SELECT {_each('left_@')} FROM sparring_allotment WHERE batch = ? AND worker = ?", (batch, worker)
    )


def grant(batch: str, worker: str, need: Amounts) -> Statements:
    """Add to the allotment: all of ``need``, or nothing; and up to a tenth of what is left of the batch.

    The last statement returns what is left of the allotment then.
    """
    fits = _each("(? = 0 OR max_@ IS NULL OR given_@ + ? <= max_@)", " AND ")
    share = (
        "CASE WHEN ? = 0 THEN 0 WHEN max_@ IS NULL THEN ? "
        "WHEN (max_@ - given_@) / 10 > ? THEN (max_@ - given_@) / 10 ELSE ? END"
    )
    given, last = _each(f"given_@ = given_@ + {share}"), _each(f"last_@ = {share}")
    shares = [amount for amount in need.each for _ in range(4)]
    fitting = [amount for amount in need.each for _ in range(2)]
    return [
        NEXT_FENCE,
        Statement("SELECT id FROM sparring_worker WHERE id = ?{share}", (worker,)),
        Statement(
            f"UPDATE sparring_batch SET {given}, {last}, last_fence = {{fence}} WHERE id = ? AND {fits} "
            "AND EXISTS (SELECT 1 FROM sparring_allotment WHERE batch = ? AND worker = ?)",
            (*shares, *shares, batch, *fitting, batch, worker),
        ),
        Statement(
            f"UPDATE sparring_allotment SET {_each('left_@ = left_@ + b.last_@')} FROM sparring_batch AS b "
            "WHERE b.id = sparring_allotment.batch AND b.last_fence = {fence} "
            "AND sparring_allotment.batch = ? AND sparring_allotment.worker = ?",
            (batch, worker),
        ),
        allotment(batch, worker),
    ]


def give_back(batch: str, worker: str, rest: Amounts) -> Statements:
    """Return ``rest`` of what is left of an allotment to the batch, as far as it is there."""
    less = _each("CASE WHEN a.left_@ < ? THEN a.left_@ ELSE ? END AS @")
    back = [amount for amount in rest.each for _ in range(2)]
    return [
        Statement(
            f"UPDATE sparring_batch SET {_each('given_@ = given_@ - s.@')} FROM (SELECT a.batch AS batch, {less} "
            "FROM sparring_allotment AS a WHERE a.batch = ? AND a.worker = ?) AS s WHERE sparring_batch.id = s.batch",
            (*back, batch, worker),
        ),
        Statement(
            f"UPDATE sparring_allotment SET {_each('left_@ = CASE WHEN left_@ < ? THEN 0 ELSE left_@ - ? END')} "
            "WHERE batch = ? AND worker = ?",
            (*back, batch, worker),
        ),
        allotment(batch, worker),
    ]


# Exchanges.


@dataclass(frozen=True, slots=True)
class ToClaim:
    """An exchange that is wanted.

    Attributes:
        held: The most it can cost.
        not_before: An answer of an older stamp does not count.
    """

    key: Key
    held: Amounts
    not_before: int = 0


LOOK = "SELECT key, state, fence, stamp, worker, intent, asked, answer FROM sparring_exchange WHERE key IN ({keys})"
LOST = (
    "SELECT key, max(fence) FROM sparring_lost WHERE answer IS NULL AND is_known = 0 AND key IN ({keys}) GROUP BY key"
)


def look(keys: Collection[Key]) -> Statement:
    """What is known of some exchanges."""
    return Statement(LOOK, (), padded(keys))


def claim(batch: str, worker: str, items: Sequence[ToClaim], state: str) -> Statements:
    """Claim exchanges that are free, and reserve what each may cost; ``state`` is ``sent`` or ``claimed``.

    The last three statements return what is known of all of them, which of them were lost before without an answer, and
    what is left of the allotment. The caller knows that enough is left for all; else the transaction fails.
    """
    keys = padded([item.key for item in items])
    ordered = sorted(items, key=lambda item: item.key)
    mine = "key IN ({keys})"
    sums = _each("coalesce(sum(held_@), 0) AS @")
    return [
        NEXT_FENCE,
        Statement("SELECT id FROM sparring_worker WHERE id = ?{share}", (worker,)),
        Statement(
            "INSERT INTO sparring_exchange (key, state, fence, stamp, worker, batch, intent, asked, "
            f"{_each('held_@')}, used_calls) "
            "SELECT ?, ?, {fence}, {fence}, id, ?, '', 1, ?, ?, ?, 0 FROM sparring_worker WHERE id = ? "
            "ON CONFLICT (key) DO UPDATE SET state = excluded.state, fence = excluded.fence, "
            "stamp = CASE WHEN sparring_exchange.answer IS NULL THEN excluded.stamp ELSE sparring_exchange.stamp END, "
            "worker = excluded.worker, batch = excluded.batch, intent = '', asked = sparring_exchange.asked + 1, "
            f"{_each('held_@ = excluded.held_@')} WHERE sparring_exchange.state = 'free' "
            "OR (sparring_exchange.state = 'answered' AND sparring_exchange.stamp < ?)",
            each=[(one.key, state, batch, *one.held.each, worker, one.not_before) for one in ordered],
        ),
        Statement(
            "UPDATE sparring_lost SET is_again = 1 WHERE EXISTS (SELECT 1 FROM sparring_exchange AS e "
            "WHERE e.key = sparring_lost.key AND e.fence = {fence} AND e.state = 'sent') AND is_again = 0 "
            f"AND {mine}",
            (),
            keys,
        ),
        Statement(
            f"UPDATE sparring_allotment SET {_each('left_@ = left_@ - s.@')}, {_each('held_@ = held_@ + s.@')}, "
            f"asked = asked + s.sent FROM (SELECT {sums}, "
            "coalesce(sum(CASE WHEN state = 'sent' THEN 1 ELSE 0 END), 0) AS sent FROM sparring_exchange "
            f"WHERE fence = {{fence}} AND worker = ? AND state IN ('claimed', 'sent') AND {mine}) AS s "
            "WHERE sparring_allotment.batch = ? AND sparring_allotment.worker = ?",
            (worker,),
            keys,
            (batch, worker),
        ),
        Statement(LOOK, (), keys),
        Statement(LOST, (), keys),
        allotment(batch, worker),
    ]


@dataclass(frozen=True, slots=True)
class ToSettle:
    """What has come of an exchange that was claimed.

    Attributes:
        state: ``answered``, ``failed``, or ``free`` where the same may be asked again.
        answer: The reply; None where there is nothing to be kept.
        was_asked: False for a claim that was given up before it was asked, or whose answer was there already.
        was_sent: False where it was only gathered.
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
    f"SELECT worker, batch, {_each('sum(held_@) AS held_@')}, sum(used_calls) AS used_calls, "
    "sum(coalesce(used_tokens, held_tokens)) AS used_tokens, sum(coalesce(used_cost, held_cost)) AS used_cost, "
    "sum(coalesce(used_tokens, 0)) AS known_tokens, sum(coalesce(used_cost, 0)) AS known_cost, "
    "sum(CASE WHEN used_tokens IS NULL THEN 1 ELSE 0 END) AS uncounted, "
    "sum(CASE WHEN used_cost IS NULL THEN 1 ELSE 0 END) AS unpriced, "
    "sum(CASE WHEN state = 'answered' THEN 1 ELSE 0 END) AS answered, "
    "sum(CASE WHEN state = 'answered' THEN 0 ELSE 1 END) AS failed, count(*) AS calls "
    "FROM sparring_exchange WHERE stamp = {fence} AND key IN ({keys}) GROUP BY worker, batch"
)
"""What the exchanges that this transaction has settled come to, by whose they were."""
_OF_THEM = "WHERE sparring_allotment.batch = s.batch AND sparring_allotment.worker = s.worker"


def settle(items: Sequence[ToSettle]) -> Statements:
    """Keep what has come of exchanges, and account for it; the last statement returns what is known of them then.

    An exchange that is not ``sent`` or ``claimed`` under its fence stays as it is: it was settled before, or is lost.
    """
    ordered = sorted(items, key=lambda item: (item.key, item.fence))
    keys = padded([item.key for item in items])
    over = "s.used_@ - s.held_@ > a.left_@"
    more = f"given_@ = given_@ + CASE WHEN {over} THEN s.used_@ - s.held_@ - a.left_@ ELSE 0 END"
    left = "left_@ = CASE WHEN left_@ + s.held_@ > s.used_@ THEN left_@ + s.held_@ - s.used_@ ELSE 0 END"
    return [
        NEXT_FENCE,
        Statement(
            # An answer of an earlier start, which is asked anew, stays where nothing better has come.
            "UPDATE sparring_exchange SET "
            "state = CASE WHEN ? = 'failed' AND answer IS NOT NULL THEN 'free' ELSE ? END, "
            "answer = CASE WHEN ? = 'answered' THEN ? ELSE coalesce(answer, ?) END, "
            "stamp = {fence}, used_calls = ?, used_tokens = ?, used_cost = ?, asked = asked - ? "
            "WHERE key = ? AND fence = ? AND state IN ('claimed', 'sent')",
            each=[
                (
                    *(one.state,) * 3,
                    *(one.answer,) * 2,
                    *(one.used.calls, one.used.tokens, one.used.cost),
                    int(not one.was_asked),
                    *(one.key, one.fence),
                )
                for one in ordered
            ],
        ),
        # An answer that cost more than was known takes from what is left, and then from the batch, whatever its limit.
        Statement(
            f"UPDATE sparring_batch SET {_each(more)} FROM ({_SETTLED}) AS s JOIN sparring_allotment AS a "
            "ON a.batch = s.batch AND a.worker = s.worker "
            f"WHERE sparring_batch.id = s.batch AND ({_each(over, ' OR ')})",
            (),
            keys,
        ),
        Statement(
            f"UPDATE sparring_allotment SET {_each('held_@ = sparring_allotment.held_@ - s.held_@')}, "
            f"{_each('used_@ = sparring_allotment.used_@ + s.used_@')}, {_each(left)}, "
            + ", ".join(f"{name} = sparring_allotment.{name} + s.{name}" for name in _COUNTS)
            + f" FROM ({_SETTLED}) AS s {_OF_THEM}",
            (),
            keys,
        ),
        *_uncounted(items),
        look(keys),
    ]


def _uncounted(items: Sequence[ToSettle]) -> Iterator[Statement]:
    """Take out of the counts what was not asked."""
    for was_sent in (True, False):
        keys = padded([item.key for item in items if not item.was_asked and item.was_sent is was_sent])
        if not keys:
            continue
        yield Statement(
            "UPDATE sparring_allotment SET asked = asked - ? * s.calls, failed = sparring_allotment.failed - s.failed, "
            f"answered = sparring_allotment.answered - s.answered FROM ({_SETTLED}) AS s {_OF_THEM}",
            (int(was_sent),),
            keys,
        )
        yield Statement(
            "UPDATE sparring_lost SET is_again = 0 WHERE EXISTS (SELECT 1 FROM sparring_exchange AS e "
            "WHERE e.key = sparring_lost.key AND e.stamp = {fence}) AND key IN ({keys})",
            (),
            keys,
        )


def is_settled(item: ToSettle, fence: int, stamp: int) -> bool:
    """Whether an exchange with that fence and stamp shows that ``item`` was settled; else it is lost."""
    return fence == item.fence and stamp > fence


def settle_late(item: ToSettle) -> Statements:
    """Complete the entry in ``lost``, and be the answer where there is none."""
    used = item.used
    known = (used.calls, used.tokens, used.cost)
    return [
        NEXT_FENCE,
        Statement(
            f"UPDATE sparring_batch SET {_each('given_@ = given_@ + coalesce(?, l.@) - l.@')} FROM sparring_lost AS l "
            "WHERE l.key = ? AND l.fence = ? AND l.is_known = 0 AND sparring_batch.id = l.batch",
            (*known, item.key, item.fence),
        ),
        Statement(
            f"UPDATE sparring_lost SET {_each('@ = coalesce(?, @)')}, known_tokens = ?, known_cost = ?, is_known = 1, "
            "answer = ? WHERE key = ? AND fence = ? AND is_known = 0",
            (*known, used.tokens, used.cost, item.answer, item.key, item.fence),
        ),
        *(
            [
                Statement(
                    "UPDATE sparring_exchange SET state = 'answered', stamp = {fence}, answer = ?, used_calls = ?, "
                    "used_tokens = ?, used_cost = ? WHERE key = ? AND state = 'free'",
                    (item.answer, *known, item.key),
                )
            ]
            if item.state == "answered"
            else []
        ),
    ]


def abandon(key: Key, fence: int) -> Statements:
    """Let a request of ours that nobody waits for any more be lost: it may have been paid."""
    at = "key = ? AND fence = ? AND state = 'sent'"
    return [
        Statement(
            "INSERT INTO sparring_lost (key, fence, batch, calls, tokens, cost, is_known, is_again) "
            f"SELECT key, fence, batch, {_each('held_@')}, 0, 0 FROM sparring_exchange WHERE {at} AND intent = ''",
            (key, fence),
        ),
        Statement(
            f"UPDATE sparring_allotment SET {_each('held_@ = sparring_allotment.held_@ - e.held_@')} "
            f"FROM sparring_exchange AS e WHERE e.key = ? AND e.fence = ? AND e.state = 'sent' AND e.intent = '' "
            "AND sparring_allotment.batch = e.batch AND sparring_allotment.worker = e.worker",
            (key, fence),
        ),
        Statement(f"UPDATE sparring_exchange SET state = 'free', worker = '' WHERE {at} AND intent = ''", (key, fence)),
    ]


def discard(keys: Sequence[Key]) -> Statement:
    """Let answers of which nothing could be made count as failed: the next attempt is another exchange."""
    return Statement(
        "UPDATE sparring_exchange SET state = 'failed' WHERE state = 'answered' AND key IN ({keys})", (), keys
    )


# Batches that a provider answers as a whole.


def hand_in(intent: str, tool: str, worker: str, batch: str, items: Sequence[tuple[Key, int]]) -> Statements:
    """Write that gathered exchanges are about to be handed in; the last statement returns the keys of these."""
    keys = padded([key for key, _ in items])
    return [
        NEXT_FENCE,
        Statement("SELECT id FROM sparring_worker WHERE id = ?{share}", (worker,)),
        Statement(
            "INSERT INTO sparring_provider_batch (intent, tool, remote_id, state, fence, worker, at) "
            "SELECT ?, ?, '', 'intended', {fence}, id, {wall} FROM sparring_worker WHERE id = ? "
            "ON CONFLICT (intent) DO NOTHING",
            (intent, tool, worker),
        ),
        Statement(
            "UPDATE sparring_exchange SET state = 'sent', intent = ? WHERE key = ? AND fence = ? AND state = 'claimed' "
            "AND EXISTS (SELECT 1 FROM sparring_provider_batch WHERE intent = ?)",
            each=[(intent, key, fence, intent) for key, fence in sorted(items)],
        ),
        Statement(
            "UPDATE sparring_allotment SET asked = asked + (SELECT count(*) FROM sparring_exchange AS e "
            "JOIN sparring_provider_batch AS p ON p.intent = e.intent WHERE e.intent = ? AND p.fence = {fence}) "
            "WHERE batch = ? AND worker = ?",
            (intent, batch, worker),
        ),
        Statement(
            "UPDATE sparring_lost SET is_again = 1 WHERE is_again = 0 AND EXISTS (SELECT 1 FROM sparring_exchange AS e "
            "WHERE e.key = sparring_lost.key AND e.state = 'sent' AND e.fence > sparring_lost.fence) "
            "AND key IN ({keys})",
            (),
            keys,
        ),
        Statement("SELECT key FROM sparring_exchange WHERE intent = ? AND state = 'sent'", (intent,)),
    ]


def handed_in(intent: str, remote_id: str) -> Statement:
    """Write under which name the provider has a batch."""
    return Statement(
        "UPDATE sparring_provider_batch SET remote_id = ?, state = 'handed in' WHERE intent = ?", (remote_id, intent)
    )


def ended(intent: str) -> Statement:
    """Write that nothing more comes of a batch."""
    return Statement("UPDATE sparring_provider_batch SET state = 'ended' WHERE intent = ?", (intent,))


def adopt(intent: str, worker: str) -> Statements:
    """Let ``worker`` follow a batch that no living worker follows; the last two statements return it and its keys."""
    return [
        NEXT_FENCE,
        Statement(
            "UPDATE sparring_provider_batch SET worker = ?, fence = {fence} WHERE intent = ? AND state <> 'ended' "
            f"AND {_LIVES} AND worker NOT IN (SELECT id FROM sparring_worker WHERE expires > {{now}})",
            (worker, intent, worker),
        ),
        Statement(
            "SELECT intent, tool, remote_id, worker, at FROM sparring_provider_batch WHERE intent = ? AND worker = ?",
            (intent, worker),
        ),
        Statement(
            "SELECT key, fence FROM sparring_exchange WHERE intent = ? AND state = 'sent' ORDER BY key", (intent,)
        ),
    ]


def known_remote_ids(tool: str) -> Statement:
    """The names of all batches of ``tool`` that are known."""
    return Statement("SELECT remote_id FROM sparring_provider_batch WHERE tool = ? AND remote_id <> ''", (tool,))


def forget_intents(older_than_s: float) -> Statement:
    """Forget batches that ended so long ago that their provider has forgotten them, too."""
    return Statement("DELETE FROM sparring_provider_batch WHERE state = 'ended' AND at < {wall} - ?", (older_than_s,))


# Blocks of a table, and what its rows came to.


def take_block(work: str, number: int, worker: str, not_before: int) -> Statements:
    """Take a block that is free, or has ended before ``not_before`` with rows to be asked again.

    The last statement returns its worker, its state and its report.
    """
    return [
        NEXT_FENCE,
        Statement("SELECT id FROM sparring_worker WHERE id = ?{share}", (worker,)),
        Statement(
            "INSERT INTO sparring_block (work, number, worker, state, is_whole, stamp, report) "
            "SELECT ?, ?, id, 'taken', 0, {fence}, ? FROM sparring_worker WHERE id = ? "
            "ON CONFLICT (work, number) DO UPDATE SET worker = excluded.worker, state = 'taken', "
            "stamp = excluded.stamp WHERE sparring_block.state = 'free' "
            "OR (sparring_block.state = 'done' AND sparring_block.is_whole = 0 AND sparring_block.stamp < ?)",
            (work, number, b"", worker, not_before),
        ),
        Statement(
            "SELECT worker, state, report FROM sparring_block WHERE work = ? AND number = ?",
            (work, number),
        ),
    ]


def end_block(work: str, number: int, worker: str, report: bytes, *, is_whole: bool) -> Statements:
    """Write that the shard of a block is there; the last statement returns its state if it is the worker's."""
    return [
        NEXT_FENCE,
        Statement(
            "UPDATE sparring_block SET state = 'done', is_whole = ?, report = ?, stamp = {fence} "
            "WHERE work = ? AND number = ? AND worker = ? AND state = 'taken'",
            (int(is_whole), report, work, number, worker),
        ),
        Statement(
            "SELECT state FROM sparring_block WHERE work = ? AND number = ? AND worker = ?", (work, number, worker)
        ),
    ]


def free_block(work: str, number: int) -> Statement:
    """Let a block be judged again: its shard is gone or was changed."""
    return Statement(
        "UPDATE sparring_block SET state = 'free' WHERE work = ? AND number = ? AND state = 'done'", (work, number)
    )


def leave_block(work: str, number: int, worker: str) -> Statement:
    """Give a block back that has not ended."""
    return Statement(
        "UPDATE sparring_block SET state = 'free' WHERE work = ? AND number = ? AND worker = ? AND state = 'taken'",
        (work, number, worker),
    )


def blocks(work: str) -> Statement:
    """All blocks of a table that have begun."""
    return Statement(
        "SELECT number, worker, state, is_whole, stamp, report FROM sparring_block WHERE work = ? ORDER BY number",
        (work,),
    )


ROW_RESULTS = "SELECT key, is_complete, stamp, result FROM sparring_row_result WHERE key IN ({keys})"
ROW_TOLD = (
    "SELECT r.key, r.result, d.told FROM sparring_row_result AS r JOIN sparring_row_record AS d ON d.number = r.number "
    "WHERE r.key IN ({keys})"
)
ROW_WHOLE = (
    "SELECT r.key, r.is_complete, r.stamp, r.result, d.told, d.run FROM sparring_row_result AS r "
    "JOIN sparring_row_record AS d ON d.number = r.number WHERE r.key IN ({keys})"
)
ROW_KEYS = "SELECT key FROM sparring_row_result WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?"
ROW_ALIKE = (
    "SELECT key, result FROM sparring_row_result WHERE key BETWEEN ? AND ? AND is_complete = 1 "
    "ORDER BY stamp DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class RowToKeep:
    """What a row came to, as bytes; ``told`` and ``run`` are the larger parts, which are seldom read."""

    key: Key
    is_complete: bool
    result: bytes
    told: bytes
    run: bytes


def keep_rows(rows: Sequence[RowToKeep]) -> Statements:
    """Put each row in the place of what was known of it."""
    ordered = sorted(rows, key=lambda row: row.key)
    return [
        NEXT_FENCE,
        Statement(
            "INSERT INTO sparring_row_result (key, is_complete, stamp, result) VALUES (?, ?, {fence}, ?) "
            "ON CONFLICT (key) DO UPDATE SET is_complete = excluded.is_complete, stamp = excluded.stamp, "
            "result = excluded.result",
            each=[(row.key, int(row.is_complete), row.result) for row in ordered],
        ),
        Statement(
            "INSERT INTO sparring_row_record (number, told, run) SELECT number, ?, ? FROM sparring_row_result "
            "WHERE key = ? ON CONFLICT (number) DO UPDATE SET told = excluded.told, run = excluded.run",
            each=[(row.told, row.run, row.key) for row in ordered],
        ),
    ]


# Rates: small records, each changed only by whoever has read its last version.


def read_rate(name: str) -> Statement:
    """The clock, and the version and value of a record, if there is one."""
    return Statement(
        "SELECT {now}, (SELECT version FROM sparring_rate WHERE name = ?), "
        "(SELECT value FROM sparring_rate WHERE name = ?)",
        (name, name),
    )


def write_rate(name: str, version: int | None, value: str) -> Statements:
    """Put ``value`` in the place of that version; the last statement returns the version and value that are there."""
    return [
        Statement("INSERT INTO sparring_rate VALUES (?, 1, ?) ON CONFLICT (name) DO NOTHING", (name, value))
        if version is None
        else Statement(
            "UPDATE sparring_rate SET version = version + 1, value = ? WHERE name = ? AND version = ?",
            (value, name, version),
        ),
        Statement("SELECT version, value FROM sparring_rate WHERE name = ?", (name,)),
    ]


# What a batch has come to.


def standing(batch: str) -> Statements:
    """The entry of a batch, its allotments summed, and what was lost, summed."""
    summed = ", ".join(f"coalesce(sum({name}), 0)" for name in (*(f"left_{each}" for each in DIMENSIONS), *_SUMMED))
    return [
        Statement(f"SELECT {_each('max_@')}, {_each('given_@')} FROM sparring_batch WHERE id = ?", (batch,)),
        Statement(f"SELECT {summed} FROM sparring_allotment WHERE batch = ?", (batch,)),
        Statement(
            f"SELECT count(*), coalesce(sum(is_again), 0), coalesce(sum(is_known), 0), {_each('coalesce(sum(@), 0)')}, "
            "coalesce(sum(known_tokens), 0), coalesce(sum(known_cost), 0), "
            "coalesce(sum(CASE WHEN known_tokens IS NULL THEN 1 ELSE 0 END), 0), "
            "coalesce(sum(CASE WHEN known_cost IS NULL THEN 1 ELSE 0 END), 0), "
            "coalesce(sum(CASE WHEN answer IS NULL THEN 0 ELSE 1 END), 0) "
            "FROM sparring_lost WHERE batch = ?",
            (batch,),
        ),
    ]
