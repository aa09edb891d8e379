"""The shared records of rates, kept in a ledger: a change fails if another worker has changed the record meanwhile."""

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from sparring.app.exchanges.rates import R, T
from sparring.errors import StateCorruptError
from sparring.store.exchanges import row_steps
from sparring.store.exchanges.database import Rows, SqlStatement
from sparring.store.exchanges.ledger import ExchangeLedger


class LedgerRecords:
    """See ``rates.Records``."""

    def __init__(self, ledger: ExchangeLedger) -> None:
        self._ledger = ledger

    @property
    def worker(self) -> str:
        """See ``rates.Records``."""
        return self._ledger.worker

    async def change(self, record: type[R], name: str, operation: Callable[[R, float], tuple[R, T]]) -> T:
        """See ``rates.Records``."""
        reading = [row_steps.read_rate(name), SqlStatement("SELECT id FROM sparring_worker")]
        while True:
            results: list[Rows] = await self._ledger.run_statements(reading, _as_they_are)
            ((now, version, value),) = results[0]
            before = _read(record, value).only({worker for (worker,) in results[1]})
            after, outcome = operation(before, float(now))
            body = f"{self.worker}\n{after.model_dump_json()}"  # with the writer, as another may write the same
            *_, there = await self._ledger.run_statements(row_steps.write_rate(name, version, body), _as_they_are)
            if there == [((version or 0) + 1, body)]:
                return outcome


def _read(record: type[R], value: str | None) -> R:
    try:
        return record.model_validate_json(value.partition("\n")[2]) if value else record()
    except ValidationError as error:
        raise StateCorruptError(
            "What the workers of the ledger share about rates cannot be read.", hint="Begin with a new ledger."
        ) from error


def _as_they_are(rows: list[Rows]) -> Any:
    return rows
