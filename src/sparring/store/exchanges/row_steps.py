"""The statements about tables: their blocks, the results of their rows, and the rates of their tools."""

from collections.abc import Sequence

from msgspec import Struct

from sparring.store.exchanges.database import NEXT_FENCE, SqlStatement
from sparring.store.exchanges.sql import Key, Statements


def take_block(work: str, number: int, worker: str, not_before: int) -> Statements:
    """Claim a block that is free, or has ended before ``not_before`` with rows to be asked again.

    The last statement returns its worker, its state and its report.
    """
    return [
        NEXT_FENCE,
        SqlStatement("SELECT id FROM sparring_worker WHERE id = ?{share}", (worker,)),
        SqlStatement(
            "INSERT INTO sparring_block (work, number, worker, state, is_whole, stamp, report) "
            "SELECT ?, ?, id, 'taken', 0, {fence}, ? FROM sparring_worker WHERE id = ? "
            "ON CONFLICT (work, number) DO UPDATE SET worker = excluded.worker, state = 'taken', "
            "stamp = excluded.stamp WHERE sparring_block.state = 'free' "
            "OR (sparring_block.state = 'done' AND sparring_block.is_whole = 0 AND sparring_block.stamp < ?)",
            (work, number, b"", worker, not_before),
        ),
        SqlStatement(
            "SELECT worker, state, report FROM sparring_block WHERE work = ? AND number = ?",
            (work, number),
        ),
    ]


def end_block(work: str, number: int, worker: str, report: bytes, *, is_whole: bool) -> Statements:
    """Record that the shard of a block exists; the last statement returns its state if the worker has the block."""
    return [
        NEXT_FENCE,
        SqlStatement(
            "UPDATE sparring_block SET state = 'done', is_whole = ?, report = ?, stamp = {fence} "
            "WHERE work = ? AND number = ? AND worker = ? AND state = 'taken'",
            (int(is_whole), report, work, number, worker),
        ),
        SqlStatement(
            "SELECT state FROM sparring_block WHERE work = ? AND number = ? AND worker = ?", (work, number, worker)
        ),
    ]


def free_block(work: str, number: int) -> SqlStatement:
    """Free a block to be judged again: its shard is missing or was changed."""
    return SqlStatement(
        "UPDATE sparring_block SET state = 'free' WHERE work = ? AND number = ? AND state = 'done'", (work, number)
    )


def leave_block(work: str, number: int, worker: str) -> SqlStatement:
    """Give a block back that has not ended."""
    return SqlStatement(
        "UPDATE sparring_block SET state = 'free' WHERE work = ? AND number = ? AND worker = ? AND state = 'taken'",
        (work, number, worker),
    )


def blocks(work: str) -> SqlStatement:
    """Read all blocks of a table that have begun."""
    return SqlStatement(
        "SELECT number, worker, state, is_whole, stamp, report FROM sparring_block WHERE work = ? ORDER BY number",
        (work,),
    )


ROW_RESULTS = "SELECT key, is_complete, stamp, result FROM sparring_row_result WHERE key IN ({keys})"
ROW_WHOLE = (
    "SELECT r.key, r.is_complete, r.stamp, r.result, d.run FROM sparring_row_result AS r "
    "JOIN sparring_row_record AS d ON d.number = r.number WHERE r.key IN ({keys})"
)
ROW_KEYS = "SELECT key FROM sparring_row_result WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?"
ROW_ALIKE = (
    "SELECT key, result FROM sparring_row_result WHERE key BETWEEN ? AND ? AND is_complete = 1 "
    "ORDER BY stamp DESC LIMIT 1"
)


class RowToKeep(Struct, frozen=True):
    """Result of a row, as bytes; ``run`` is the larger part, which is seldom read."""

    key: Key
    is_complete: bool
    result: bytes
    run: bytes


def keep_rows(rows: Sequence[RowToKeep]) -> Statements:
    """Store each row, replacing its earlier result."""
    ordered = sorted(rows, key=lambda row: row.key)
    return [
        NEXT_FENCE,
        SqlStatement(
            "INSERT INTO sparring_row_result (key, is_complete, stamp, result) VALUES (?, ?, {fence}, ?) "
            "ON CONFLICT (key) DO UPDATE SET is_complete = excluded.is_complete, stamp = excluded.stamp, "
            "result = excluded.result",
            each=[(row.key, int(row.is_complete), row.result) for row in ordered],
        ),
        SqlStatement(
            "INSERT INTO sparring_row_record (number, run) SELECT number, ? FROM sparring_row_result "
            "WHERE key = ? ON CONFLICT (number) DO UPDATE SET run = excluded.run",
            each=[(row.run, row.key) for row in ordered],
        ),
    ]


# Rates: small records, each changed only by the worker that has read its last version.


def read_rate(name: str) -> SqlStatement:
    """Read the clock, and the version and value of a record, if there is one."""
    return SqlStatement(
        "SELECT {now}, (SELECT version FROM sparring_rate WHERE name = ?), "
        "(SELECT value FROM sparring_rate WHERE name = ?)",
        (name, name),
    )


def write_rate(name: str, version: int | None, value: str) -> Statements:
    """Replace that version by ``value``; the last statement returns the current version and value."""
    return [
        SqlStatement("INSERT INTO sparring_rate VALUES (?, 1, ?) ON CONFLICT (name) DO NOTHING", (name, value))
        if version is None
        else SqlStatement(
            "UPDATE sparring_rate SET version = version + 1, value = ? WHERE name = ? AND version = ?",
            (value, name, version),
        ),
        SqlStatement("SELECT version, value FROM sparring_rate WHERE name = ?", (name,)),
    ]
