"""The schedules of ``property/test_exchanges``, on a database that several may write at once."""

from uuid import uuid4

import pytest

from sparring.store.exchanges.ledger import database_at
from support.exchange_schedules import play
from support.exchanges import LedgerBench
from support.postgres import of_its_own

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize("seed", range(12))
def test_the_books_balance_in_postgres_as_well(seed: int, postgres: str) -> None:
    play(LedgerBench.of(database_at(of_its_own(postgres, f"schedule_{uuid4().hex}"))), seed)
