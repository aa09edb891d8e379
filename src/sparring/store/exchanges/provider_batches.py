"""The statements about batches that a provider answers as a whole: the intent first, then the batch's name."""

from collections.abc import Sequence

from sparring.store.exchanges.database import NEXT_FENCE, SqlStatement, padded
from sparring.store.exchanges.sql import LIVES, Key, Statements


def write_intent(intent: str, tool: str, worker: str, batch: str, items: Sequence[tuple[Key, int]]) -> Statements:
    """Write that gathered exchanges are about to be submitted; the last statement returns their keys."""
    keys = padded([key for key, _ in items])
    return [
        NEXT_FENCE,
        SqlStatement("SELECT id FROM sparring_worker WHERE id = ?{share}", (worker,)),
        SqlStatement(
            """
            INSERT INTO sparring_provider_batch (intent, tool, remote_id, state, fence, worker, at)
            SELECT ?, ?, '', 'intended', {fence}, id, {wall}
            FROM sparring_worker
            WHERE id = ?
            ON CONFLICT (intent) DO NOTHING
            """,
            (intent, tool, worker),
        ),
        SqlStatement(
            """
            UPDATE sparring_exchange
            SET state = 'sent', intent = ?
            WHERE key = ? AND fence = ? AND state = 'claimed'
                AND EXISTS (SELECT 1 FROM sparring_provider_batch WHERE intent = ?)
            """,
            each=[(intent, key, fence, intent) for key, fence in sorted(items)],
        ),
        # Counted once: a repetition of this step finds the intent, which has an earlier fence.
        SqlStatement(
            """
            UPDATE sparring_allotment
            SET asked = asked + (
                SELECT count(*)
                FROM sparring_exchange AS e
                JOIN sparring_provider_batch AS p ON p.intent = e.intent
                WHERE e.intent = ? AND p.fence = {fence}
            )
            WHERE batch = ? AND worker = ?
            """,
            (intent, batch, worker),
        ),
        SqlStatement(
            """
            UPDATE sparring_lost
            SET is_again = 1
            WHERE is_again = 0 AND key IN ({keys}) AND EXISTS (
                SELECT 1
                FROM sparring_exchange AS e
                WHERE e.key = sparring_lost.key AND e.state = 'sent' AND e.fence > sparring_lost.fence
            )
            """,
            (),
            keys,
        ),
        SqlStatement("SELECT key FROM sparring_exchange WHERE intent = ? AND state = 'sent'", (intent,)),
    ]


def write_remote_id(intent: str, remote_id: str) -> SqlStatement:
    """Write the name that the provider has given a batch."""
    return SqlStatement(
        "UPDATE sparring_provider_batch SET remote_id = ?, state = 'handed in' WHERE intent = ?", (remote_id, intent)
    )


def ended(intent: str) -> SqlStatement:
    """Write that no further results of a batch will come."""
    return SqlStatement("UPDATE sparring_provider_batch SET state = 'ended' WHERE intent = ?", (intent,))


def adopt(intent: str, worker: str) -> Statements:
    """Let ``worker`` follow a batch that no living worker follows; the last two statements return it and its keys."""
    return [
        NEXT_FENCE,
        SqlStatement(
            "UPDATE sparring_provider_batch SET worker = ?, fence = {fence} WHERE intent = ? AND state <> 'ended' "
            f"AND {LIVES} AND worker NOT IN (SELECT id FROM sparring_worker WHERE expires > {{now}})",
            (worker, intent, worker),
        ),
        SqlStatement(
            "SELECT intent, tool, remote_id, worker, at FROM sparring_provider_batch WHERE intent = ? AND worker = ?",
            (intent, worker),
        ),
        SqlStatement(
            "SELECT key, fence FROM sparring_exchange WHERE intent = ? AND state = 'sent' ORDER BY key", (intent,)
        ),
    ]


def open_intents(tool: str) -> SqlStatement:
    """Return the batches of ``tool`` that have not ended."""
    return SqlStatement(
        "SELECT intent FROM sparring_provider_batch WHERE tool = ? AND state <> 'ended' ORDER BY at", (tool,)
    )


def known_remote_ids(tool: str) -> SqlStatement:
    """Return the names of all known batches of ``tool``."""
    return SqlStatement("SELECT remote_id FROM sparring_provider_batch WHERE tool = ? AND remote_id <> ''", (tool,))


def forget_intents(older_than_s: float) -> SqlStatement:
    """Forget batches that ended so long ago that their provider has deleted them, too."""
    return SqlStatement(
        "DELETE FROM sparring_provider_batch WHERE state = 'ended' AND at < {wall} - ?", (older_than_s,)
    )
