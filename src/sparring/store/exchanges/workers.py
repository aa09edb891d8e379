"""The statements about the life of workers, and about their allotments of a batch's limits."""

from sparring.store.exchanges.amounts import UNLIMITED, Amounts, Maximum
from sparring.store.exchanges.database import NEXT_FENCE, SqlStatement
from sparring.store.exchanges.sql import DIMENSIONS, Statements, for_each

_HAS_EXPIRED = "EXISTS (SELECT 1 FROM sparring_worker WHERE id = ? AND expires <= {now})"


def begin_worker(worker: str, lease_s: float) -> Statements:
    """Make an entry for ``worker``; the last statement returns a new stamp."""
    return [
        NEXT_FENCE,
        SqlStatement("INSERT INTO sparring_worker VALUES (?, {now} + ?)", (worker, lease_s)),
        SqlStatement("SELECT {fence}"),
    ]


def renew_worker(worker: str, lease_s: float) -> Statements:
    """Renew the lease of ``worker``; the last statement returns 0 if it has no entry."""
    return [
        SqlStatement("UPDATE sparring_worker SET expires = {now} + ? WHERE id = ?", (lease_s, worker)),
        SqlStatement("SELECT count(*) FROM sparring_worker WHERE id = ?", (worker,)),
    ]


EXPIRED_WORKERS = SqlStatement("SELECT id FROM sparring_worker WHERE expires <= {now} ORDER BY id")
LIVING_WORKERS = SqlStatement("SELECT id FROM sparring_worker WHERE expires > {now} ORDER BY id")


def end_lease(worker: str) -> SqlStatement:
    """End the lease of ``worker``: its process has ended, or it leaves."""
    return SqlStatement("UPDATE sparring_worker SET expires = -1 WHERE id = ?", (worker,))


def remove_expired(worker: str) -> Statements:
    """Undo the claims of an expired ``worker``, and delete its entry; no effect if it lives.

    Gathered exchanges become free. Sent ones may have been paid: they are recorded in ``lost`` and free to be asked
    again. Batches that it submitted to a provider wait for adoption. Its allotments go back, except the used part.
    """
    claimed = "worker = ? AND state IN ('claimed', 'sent')"
    sums = for_each("coalesce(sum(e.held_@), 0) AS @")
    lock_worker = SqlStatement("SELECT id FROM sparring_worker WHERE id = ? AND expires <= {now}{update}", (worker,))
    lock_exchanges = SqlStatement(
        f"SELECT key FROM sparring_exchange WHERE {claimed} ORDER BY key{{update}}", (worker,)
    )
    record_lost = SqlStatement(
        f"""
        INSERT INTO sparring_lost (key, fence, batch, calls, tokens, cost, is_known, is_again)
        SELECT key, fence, batch, {for_each("held_@")}, 0, 0
        FROM sparring_exchange
        WHERE worker = ? AND state = 'sent' AND intent = '' AND {_HAS_EXPIRED}
        """,
        (worker, worker),
    )
    # Gathered exchanges cost nothing, and neither does the rest of an allotment: both go back to the batch.
    give_back_unused = SqlStatement(
        f"""
        UPDATE sparring_batch
        SET {for_each("given_@ = given_@ - unused.@")}
        FROM (
            SELECT a.batch AS batch, {for_each("a.left_@ + coalesce(gathered.@, 0) AS @")}
            FROM sparring_allotment AS a
            LEFT JOIN (
                SELECT e.batch AS batch, {sums}
                FROM sparring_exchange AS e
                WHERE e.worker = ? AND e.state = 'claimed'
                GROUP BY e.batch
            ) AS gathered ON gathered.batch = a.batch
            WHERE a.worker = ?
        ) AS unused
        WHERE sparring_batch.id = unused.batch AND {_HAS_EXPIRED}
        """,
        (worker, worker, worker),
    )
    # What the worker has used, and what its batches at a provider still hold, is added to the entry of no worker.
    keep_used = SqlStatement(
        f"""
        INSERT INTO sparring_allotment ({_COLUMNS})
        SELECT a.batch, '', 0, 0, 0, {for_each("coalesce(submitted.@, 0)")}, {for_each("a.used_@")},
            {", ".join(f"a.{name}" for name in _COUNTED)}
        FROM sparring_allotment AS a
        LEFT JOIN (
            SELECT e.batch AS batch, {sums}
            FROM sparring_exchange AS e
            WHERE e.worker = ? AND e.state = 'sent' AND e.intent <> ''
            GROUP BY e.batch
        ) AS submitted ON submitted.batch = a.batch
        WHERE a.worker = ? AND {_HAS_EXPIRED}
        ON CONFLICT (batch, worker) DO UPDATE
        SET {", ".join(f"{name} = sparring_allotment.{name} + excluded.{name}" for name in _SUMMED)}
        """,
        (worker, worker, worker),
    )
    free_exchanges = SqlStatement(
        f"""
        UPDATE sparring_exchange
        SET state = CASE WHEN intent <> '' THEN state ELSE 'free' END, worker = ''
        WHERE {claimed} AND {_HAS_EXPIRED}
        """,
        (worker, worker),
    )
    delete_allotments = SqlStatement(
        f"DELETE FROM sparring_allotment WHERE worker = ? AND {_HAS_EXPIRED}", (worker, worker)
    )
    offer_provider_batches = SqlStatement(
        f"UPDATE sparring_provider_batch SET worker = '' WHERE worker = ? AND {_HAS_EXPIRED}", (worker, worker)
    )
    free_blocks = SqlStatement(
        f"""
        UPDATE sparring_block
        SET worker = '', state = 'free'
        WHERE worker = ? AND state = 'taken' AND {_HAS_EXPIRED}
        """,
        (worker, worker),
    )
    # Last, since every statement before it asks whether the entry has expired.
    delete_worker = SqlStatement("DELETE FROM sparring_worker WHERE id = ? AND expires <= {now}", (worker,))
    return [
        NEXT_FENCE,
        lock_worker,
        lock_exchanges,
        record_lost,
        give_back_unused,
        keep_used,
        free_exchanges,
        delete_allotments,
        offer_provider_batches,
        free_blocks,
        delete_worker,
    ]


_COUNTED = ("known_tokens", "known_cost", "uncounted", "unpriced", "asked", "answered", "failed")
_SUMMED = tuple(f"{kind}_{name}" for kind in ("held", "used") for name in DIMENSIONS) + _COUNTED
_COLUMNS = ", ".join(("batch", "worker", *(f"left_{name}" for name in DIMENSIONS), *_SUMMED))


# Limits.


def begin_batch(batch: str, maximum: Maximum, worker: str) -> Statements:
    """Let ``worker`` take part in ``batch``, and set these limits for it."""
    zeros = ", ".join("0" * (len(_SUMMED) + len(DIMENSIONS)))
    unlimited = f"CASE WHEN max_@ IS NULL AND left_@ = 0 THEN {UNLIMITED} ELSE 0 END"
    return [
        SqlStatement(
            "INSERT INTO sparring_batch (id, max_calls, max_tokens, max_cost, "
            f"{for_each('given_@')}, {for_each('last_@')}, last_fence) VALUES (?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0) "
            f"ON CONFLICT (id) DO UPDATE SET {for_each('max_@ = excluded.max_@')}",
            (batch, *maximum.each),
        ),
        SqlStatement(
            f"INSERT INTO sparring_allotment ({_COLUMNS}) SELECT ?, id, {zeros} FROM sparring_worker WHERE id = ? "
            "ON CONFLICT (batch, worker) DO NOTHING",
            (batch, worker),
        ),
        # An unlimited quantity is given once and for all, so that it never needs to be fetched again.
        SqlStatement(
            f"UPDATE sparring_batch SET {for_each(f'given_@ = given_@ + {unlimited}')} FROM sparring_allotment AS a "
            "WHERE a.batch = sparring_batch.id AND sparring_batch.id = ? AND a.worker = ?",
            (batch, worker),
        ),
        SqlStatement(
            f"UPDATE sparring_allotment SET {for_each(f'left_@ = left_@ + {unlimited}')} FROM sparring_batch AS b "
            "WHERE b.id = sparring_allotment.batch AND sparring_allotment.batch = ? AND sparring_allotment.worker = ?",
            (batch, worker),
        ),
    ]


def others_in(batch: str, worker: str) -> SqlStatement:
    """Return the limits of ``batch``, once for each other living worker of it."""
    return SqlStatement(
        f"SELECT {for_each('b.max_@')} FROM sparring_batch AS b JOIN sparring_allotment AS a ON a.batch = b.id "
        "JOIN sparring_worker AS w ON w.id = a.worker WHERE b.id = ? AND w.id <> ? AND w.expires > {now}",
        (batch, worker),
    )


def allotment(batch: str, worker: str) -> SqlStatement:
    """Read the rest of the allotment."""
    return SqlStatement(
        f"SELECT {for_each('left_@')} FROM sparring_allotment WHERE batch = ? AND worker = ?", (batch, worker)
    )


def grant(batch: str, worker: str, need: Amounts) -> Statements:
    """Add to the allotment: all of ``need``, or nothing; and up to a tenth of the rest of the batch.

    The last statement returns the new rest of the allotment.
    """
    fits = for_each("(? = 0 OR max_@ IS NULL OR given_@ + ? <= max_@)", " AND ")
    fits_values = [amount for amount in need.each for _ in range(2)]
    # A tenth of the rest, but at least the need; without a limit just the need.
    share = """CASE
        WHEN ? = 0 THEN 0
        WHEN max_@ IS NULL THEN ?
        WHEN (max_@ - given_@) / 10 > ? THEN (max_@ - given_@) / 10
        ELSE ?
    END"""
    share_values = [amount for amount in need.each for _ in range(4)]
    return [
        NEXT_FENCE,
        SqlStatement("SELECT id FROM sparring_worker WHERE id = ?{share}", (worker,)),
        SqlStatement(
            f"""
            UPDATE sparring_batch
            SET {for_each(f"given_@ = given_@ + {share}")}, {for_each(f"last_@ = {share}")}, last_fence = {{fence}}
            WHERE id = ? AND {fits}
                AND EXISTS (SELECT 1 FROM sparring_allotment WHERE batch = ? AND worker = ?)
            """,
            (*share_values, *share_values, batch, *fits_values, batch, worker),
        ),
        SqlStatement(
            f"""
            UPDATE sparring_allotment
            SET {for_each("left_@ = left_@ + b.last_@")}
            FROM sparring_batch AS b
            WHERE b.id = sparring_allotment.batch AND b.last_fence = {{fence}}
                AND sparring_allotment.batch = ? AND sparring_allotment.worker = ?
            """,
            (batch, worker),
        ),
        allotment(batch, worker),
    ]


def give_back(batch: str, worker: str, rest: Amounts) -> Statements:
    """Return ``rest`` of an allotment to the batch, as far as it is there."""
    returned = for_each("CASE WHEN a.left_@ < ? THEN a.left_@ ELSE ? END AS @")
    returned_values = [amount for amount in rest.each for _ in range(2)]
    return [
        SqlStatement(
            f"""
            UPDATE sparring_batch
            SET {for_each("given_@ = given_@ - returned.@")}
            FROM (
                SELECT a.batch AS batch, {returned}
                FROM sparring_allotment AS a
                WHERE a.batch = ? AND a.worker = ?
            ) AS returned
            WHERE sparring_batch.id = returned.batch
            """,
            (*returned_values, batch, worker),
        ),
        SqlStatement(
            f"""
            UPDATE sparring_allotment
            SET {for_each("left_@ = CASE WHEN left_@ < ? THEN 0 ELSE left_@ - ? END")}
            WHERE batch = ? AND worker = ?
            """,
            (*returned_values, batch, worker),
        ),
        allotment(batch, worker),
    ]


def read_batch_state(batch: str) -> Statements:
    """Read the entry of a batch, the sum of its allotments, and the sum of its lost requests."""
    summed = ", ".join(f"coalesce(sum({name}), 0)" for name in (*(f"left_{each}" for each in DIMENSIONS), *_SUMMED))
    return [
        SqlStatement(f"SELECT {for_each('max_@')}, {for_each('given_@')} FROM sparring_batch WHERE id = ?", (batch,)),
        SqlStatement(f"SELECT {summed} FROM sparring_allotment WHERE batch = ?", (batch,)),
        SqlStatement(
            "SELECT count(*), coalesce(sum(is_again), 0), coalesce(sum(is_known), 0), "
            f"{for_each('coalesce(sum(@), 0)')}, coalesce(sum(known_tokens), 0), coalesce(sum(known_cost), 0), "
            "coalesce(sum(CASE WHEN known_tokens IS NULL THEN 1 ELSE 0 END), 0), "
            "coalesce(sum(CASE WHEN known_cost IS NULL THEN 1 ELSE 0 END), 0), "
            "coalesce(sum(CASE WHEN answer IS NULL THEN 0 ELSE 1 END), 0) "
            "FROM sparring_lost WHERE batch = ?",
            (batch,),
        ),
    ]
