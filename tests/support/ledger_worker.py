"""A worker of its own process: ``python ledger_worker.py ADDRESS NAME LEASE_S ROWS ENDPOINT``.

It works until every row is filed complete. What it asks is a line at the end of the file ``ENDPOINT``, in which all
workers together can be counted: ``asked``, then ``kept`` once the answer is said to be safe, and ``filed``; ``lost``
when it was told that a row is somebody else's.
"""

import asyncio
import os
import random
import sys
import time

from sparring.errors import LeaseLostError
from sparring.store.ledger import Key, Ledger, Taken
from support.ledgers import file, key

ROUNDS = (("blind/a", "blind/b"), ("cross/a", "cross/b"))
PLACES = tuple(place for round_ in ROUNDS for place in round_)
_BLOCK = 8


class Worker:
    """Asks, and writes down where everybody can count it that it did."""

    def __init__(self, ledger: Ledger, endpoint: str) -> None:
        self._ledger = ledger
        self._lines = os.open(endpoint, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def all_rows(self, keys: list[Key]) -> None:
        """Work on ``keys`` until all of them are filed, by whomever."""
        random.shuffle(keys)
        while keys:
            taken = self._ledger.take(keys[:_BLOCK])
            await asyncio.gather(*(self._row(row) for row in taken.values()))
            filed = self._ledger.filed(keys)
            keys = [one for one in keys[_BLOCK:] + keys[:_BLOCK] if one not in filed]
            if not taken:
                time.sleep(0.02)  # noqa: ASYNC251 -- others have them; nothing else is going on here

    async def _row(self, row: Taken) -> None:
        try:
            for round_ in ROUNDS:
                places = [place for place in round_ if place not in row.answered]
                await self._ledger.asked(row.key, dict.fromkeys(places, b"?"), costs=places)
                await asyncio.gather(*(self._ask(row.key, place) for place in places))
            await file(self._ledger, row.key)
            self._say("filed", row.key)
        except LeaseLostError:
            self._say("lost", row.key)

    async def _ask(self, row: Key, place: str) -> None:
        self._say("asked", row, place)
        await asyncio.sleep(random.random() / 100)  # noqa: S311 -- as long as whoever answers likes
        await self._ledger.answered(row, place, f"{place}!".encode())
        self._say("kept", row, place)

    def _say(self, what: str, row: Key, place: str = "-") -> None:
        os.write(self._lines, f"{what} {row.hex()} {place}\n".encode())


def main() -> None:
    """Do what is typed."""
    address, name, lease_s, rows, endpoint = sys.argv[1:]
    with Ledger.open(address, worker=name, lease_s=float(lease_s)) as ledger:
        asyncio.run(Worker(ledger, endpoint).all_rows([key(number) for number in range(int(rows))]))


if __name__ == "__main__":
    main()
