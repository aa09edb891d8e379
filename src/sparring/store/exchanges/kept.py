"""Results that a ledger returns: rows, blocks of a table, and the usage of a batch."""

import zlib

from msgspec import Struct

from sparring.errors import StateCorruptError
from sparring.store.exchanges.amounts import Amounts, Maximum
from sparring.store.exchanges.database import Rows
from sparring.store.exchanges.sql import Key
from sparring.store.files import RECORD_LIMIT

_LEVEL = 4
"""Takes a fifth less time than the usual 6, and half a percent more space."""
_FEWEST_BITS = 9
"""The smallest window that zlib makes."""
_LOOKAHEAD = 262
"""Bytes of a window that deflate does not look back to."""
_DICTIONARY = 32768
"""The longest distance in bytes that deflate looks back."""


class StoredRow(Struct, frozen=True):
    """Result of a row.

    Attributes:
        is_complete: False if a participant failed, or there is no verdict.
        stamp: Orders it relative to the start of a worker.
        run: Empty if it was not requested.
    """

    key: Key
    is_complete: bool
    stamp: int
    result: bytes
    run: bytes = b""


class TableBlock(Struct, frozen=True):
    """A block of a table, and the report on its shard."""

    number: int
    worker: str
    state: str
    is_whole: bool
    stamp: int
    report: bytes


class BatchState(Struct, frozen=True):
    """Usage of a batch in all of its starts, on all machines.

    Attributes:
        reserved: Amounts reserved for unfinished requests.
        used: Unknown amounts count with the amount that was reserved for them.
        lost: Amounts of requests of ended workers, which may have been paid.
        asked: Number of requests that were sent.
        asked_again: Number of those whose earlier answer was lost: only these may be paid twice.
        lost_calls: Number of requests whose answer was lost.
        known_tokens, known_cost: Amounts that the providers reported.
        uncounted, unpriced: Number of requests without a reported amount.
    """

    maximum: Maximum
    given: Amounts
    left: Amounts
    reserved: Amounts
    used: Amounts
    lost: Amounts
    asked: int
    answered: int
    failed: int
    asked_again: int
    lost_calls: int
    known_tokens: int
    known_cost: int
    uncounted: int
    unpriced: int

    @property
    def exceeded(self) -> Amounts:
        """Return by how much the limits were exceeded, by answers that cost more than was predictable."""
        over = (
            max(0, given - most) if most is not None else 0
            for given, most in zip(self.given.each, self.maximum.each, strict=True)
        )
        return Amounts(*over)


def parse_block(number: int, rows: Rows) -> TableBlock:
    """Parse the block that ``row_steps.take_block`` returns."""
    if not rows:
        return TableBlock(number, "", "free", is_whole=False, stamp=0, report=b"")
    ((worker, state, report),) = rows
    return TableBlock(number, worker, state, is_whole=False, stamp=0, report=bytes(report))


def parse_batch_state(rows: list[Rows]) -> BatchState:
    """Parse the result of ``workers.standing``."""
    (batch,), (sums,), (lost,) = rows
    amounts = [Amounts(*map(int, sums[start : start + 3])) for start in (0, 3, 6)]
    known_tokens, known_cost, uncounted, unpriced, asked, answered, failed = map(int, sums[9:])
    count, again, _, calls, tokens, cost, lost_tokens, lost_cost, no_tokens, no_cost, late = map(int, lost)
    return BatchState(
        maximum=Maximum(*(None if most is None else int(most) for most in batch[:3])),
        given=Amounts(*map(int, batch[3:])),
        left=amounts[0],
        reserved=amounts[1],
        used=amounts[2],
        lost=Amounts(calls, tokens, cost),
        asked=asked,
        answered=answered + late,
        failed=failed,
        asked_again=again,
        lost_calls=count,
        known_tokens=known_tokens + lost_tokens,
        known_cost=known_cost + lost_cost,
        uncounted=uncounted + no_tokens,
        unpriced=unpriced + no_cost,
    )


def packed(content: bytes, known: bytes) -> bytes:
    """Deflate ``content`` with ``known`` as the dictionary, which unpacking needs as well.

    The window is no larger than both: clearing the largest one takes longer than packing a small record.
    """
    dictionary = known[-_DICTIONARY:]
    size = len(content) + len(dictionary) + _LOOKAHEAD
    bits = min(max(size.bit_length(), _FEWEST_BITS), zlib.MAX_WBITS)
    deflating = zlib.compressobj(_LEVEL, wbits=bits, memLevel=bits - 7, zdict=dictionary)
    return deflating.compress(content) + deflating.flush()


def unpacked(content: bytes, known: bytes) -> bytes:
    """Return the text that ``packed`` was given.

    Raises:
        StateCorruptError: The content is damaged.
    """
    try:
        inflating = zlib.decompressobj(zdict=known[-_DICTIONARY:])
        record = inflating.decompress(content, RECORD_LIMIT)
    except zlib.error as error:
        raise StateCorruptError("A row of the ledger is damaged; the ledger was left as it is.") from error
    if not inflating.eof:
        raise StateCorruptError("A row of the ledger is cut off or too large; the ledger was left as it is.")
    return record
