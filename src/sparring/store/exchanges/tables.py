"""The tables of an exchange ledger, the same in each database.

``sparring_exchange`` has an entry for each question to a model (``claimed``: gathered for a provider's batch; ``sent``:
it may cost; ``answered``; ``failed``; ``free``: to be asked). ``sparring_lost`` has requests of workers that have
ended: each may have been paid, and may be paid twice. A batch has a limit, of which it gives its workers allotments;
always::

    given = left + held + used of all allotments + all amounts in ``lost``

and ``given`` exceeds a limit only by answers that cost more than predicted. Entries without a worker have the empty
name. ``sparring_row_result`` and ``sparring_row_record`` are a cache: rows can be derived again.

A *stamp* is the fence of the transaction that changed an entry last: it orders events without a clock.
"""

import secrets
from collections.abc import Callable

from sparring.errors import StateCorruptError, StateNewerError
from sparring.store.exchanges.database import Connection, Database, SqlStatement

SCHEMA = 2
"""Version 1 had a key for each row, and was never published."""

_AMOUNTS = "{0}_calls BIGINT NOT NULL, {0}_tokens BIGINT NOT NULL, {0}_cost BIGINT NOT NULL"
"""Calls, tokens and millionths of a dollar."""


def _amounts(*names: str) -> str:
    return ", ".join(_AMOUNTS.format(name) for name in names)


def _tables(database: Database) -> tuple[str, ...]:
    text = _TABLES.format(
        number=database.number,
        octets=database.octets,
        compact=database.compact,
        allotted=_amounts("left", "held", "used"),
        granted=_amounts("given", "last"),
        reserved=_amounts("held"),
    )
    return (*text.split(";\n"), *database.extra)


_TABLES = """
CREATE TABLE sparring_ledger (name TEXT PRIMARY KEY, value TEXT NOT NULL){compact};
CREATE TABLE sparring_worker (id TEXT PRIMARY KEY, expires DOUBLE PRECISION NOT NULL){compact};
CREATE TABLE sparring_batch (
    id TEXT PRIMARY KEY, max_calls BIGINT, max_tokens BIGINT, max_cost BIGINT, {granted}, last_fence BIGINT NOT NULL
    ){compact};
CREATE TABLE sparring_allotment (
    batch TEXT NOT NULL, worker TEXT NOT NULL, {allotted},
    known_tokens BIGINT NOT NULL, known_cost BIGINT NOT NULL, uncounted BIGINT NOT NULL, unpriced BIGINT NOT NULL,
    asked BIGINT NOT NULL, answered BIGINT NOT NULL, failed BIGINT NOT NULL,
    CHECK (left_calls >= 0 AND left_tokens >= 0 AND left_cost >= 0), PRIMARY KEY (batch, worker)){compact};
CREATE TABLE sparring_exchange (
    number {number}, key {octets} NOT NULL UNIQUE, state TEXT NOT NULL, fence BIGINT NOT NULL, stamp BIGINT NOT NULL,
    worker TEXT NOT NULL, batch TEXT NOT NULL, intent TEXT NOT NULL, asked INTEGER NOT NULL, {reserved},
    used_calls INTEGER NOT NULL, used_tokens BIGINT, used_cost BIGINT, answer {octets});
CREATE INDEX IF NOT EXISTS sparring_exchange_open ON sparring_exchange (worker) WHERE state IN ('claimed', 'sent');
CREATE INDEX IF NOT EXISTS sparring_exchange_intent ON sparring_exchange (intent) WHERE state = 'sent';
CREATE TABLE sparring_lost (
    key {octets} NOT NULL, fence BIGINT NOT NULL, batch TEXT NOT NULL,
    calls BIGINT NOT NULL, tokens BIGINT NOT NULL, cost BIGINT NOT NULL, known_tokens BIGINT, known_cost BIGINT,
    is_known INTEGER NOT NULL, is_again INTEGER NOT NULL, answer {octets}, PRIMARY KEY (key, fence));
CREATE INDEX IF NOT EXISTS sparring_lost_of ON sparring_lost (batch);
CREATE TABLE sparring_provider_batch (
    intent TEXT PRIMARY KEY, tool TEXT NOT NULL, remote_id TEXT NOT NULL, state TEXT NOT NULL, fence BIGINT NOT NULL,
    worker TEXT NOT NULL, at DOUBLE PRECISION NOT NULL){compact};
CREATE TABLE sparring_rate (name TEXT PRIMARY KEY, version BIGINT NOT NULL, value TEXT NOT NULL){compact};
CREATE TABLE sparring_block (
    work TEXT NOT NULL, number BIGINT NOT NULL, worker TEXT NOT NULL, state TEXT NOT NULL, is_whole INTEGER NOT NULL,
    stamp BIGINT NOT NULL, report {octets} NOT NULL, PRIMARY KEY (work, number)){compact};
CREATE TABLE sparring_row_result (
    number {number}, key {octets} NOT NULL UNIQUE, is_complete INTEGER NOT NULL, stamp BIGINT NOT NULL,
    result {octets} NOT NULL);
CREATE TABLE sparring_row_record (number BIGINT PRIMARY KEY, run {octets} NOT NULL)"""


def prepare(database: Database, connection: Connection, sign: Callable[[str], str] = lambda _: "") -> dict[str, str]:
    """Create the tables if there are none, and return the settings stored in the ledger.

    ``sign`` returns the code that is stored with the id of a new ledger.

    Raises:
        StateNewerError: A newer version created them.
        StateCorruptError: They do not contain their version.
    """
    ((count,),) = connection.transact([SqlStatement(database.is_there)])[0]
    if not count:
        made = [SqlStatement(text.replace(" TABLE ", " TABLE IF NOT EXISTS ", 1)) for text in _tables(database)]
        id_ = secrets.token_hex(16)
        names = [("schema", str(SCHEMA)), ("id", id_), ("code", sign(id_)), ("instance", database.instance())]
        put = SqlStatement("INSERT INTO sparring_ledger VALUES (?, ?) ON CONFLICT (name) DO NOTHING", each=names)
        connection.transact([*map(SqlStatement, database.alone), *made, put])
    settings: dict[str, str] = dict(connection.transact([SqlStatement("SELECT name, value FROM sparring_ledger")])[0])
    if not settings.get("schema", "").isdecimal() or not settings.get("id"):
        raise StateCorruptError(f"The ledger {database.name} is damaged: its version is missing.")
    if int(settings["schema"]) > SCHEMA:
        raise StateNewerError(
            f"A newer version of sparring has written the ledger {database.name}.", hint="Update sparring."
        )
    if settings.get("instance") != database.instance():
        connection.transact(_end_leases(database.instance()))
    return settings


def _end_leases(instance: str) -> list[SqlStatement]:
    """End all leases and rates, because the clock that they use has restarted."""
    return [
        SqlStatement("UPDATE sparring_worker SET expires = -1"),
        SqlStatement("DELETE FROM sparring_rate"),
        SqlStatement("UPDATE sparring_ledger SET value = ? WHERE name = 'instance'", (instance,)),
    ]
