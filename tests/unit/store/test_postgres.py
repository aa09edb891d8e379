"""What the server of a ledger in Postgres says, as ours."""

import pytest

from sparring.errors import StateUnwritableError, StoreError, TryAgainError
from sparring.store.exchanges.postgres import PostgresDatabase

LOST = ("", "25P03", "57P01", "57P02", "08006")
"""SQLSTATE codes of a session that ended; none where the network alone has ended it."""


@pytest.mark.postgres
@pytest.mark.parametrize("code", [*LOST, "42501"])
def test_a_session_that_is_lost_is_tried_again_and_one_that_is_refused_is_not(code: str) -> None:
    from psycopg import OperationalError  # noqa: PLC0415 -- an optional dependency

    class SaidError(OperationalError):
        sqlstate = code or None

    kind = TryAgainError if code in LOST else StateUnwritableError
    with (
        pytest.raises(StoreError, match="The ledger postgresql://here/name cannot be used") as found,
        PostgresDatabase("postgresql://here/name").translating(),
    ):
        raise SaidError("server closed the connection")
    assert type(found.value) is kind
