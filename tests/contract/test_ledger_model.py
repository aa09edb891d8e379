"""Whatever three workers do to an answer ledger, it says what a few dictionaries would."""

import asyncio
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sparring.errors import LeaseLostError, UsageError
from sparring.store.ledger import KeptExchange, Ledger, Taken
from support.ledgers import LEASE_S, Workers, key

NAMES, ROWS, PLACES = ("x", "y", "z"), tuple(key(number) for number in range(3)), ("a", "b", "c")

names, rows, places = st.sampled_from(NAMES), st.sampled_from(ROWS), st.sampled_from(PLACES)
several_rows = st.lists(rows, max_size=3)
several_places = st.lists(places, unique=True, max_size=3)


@dataclass
class ModelRow:
    """What is known of a row: what stands at each place, those answered last standing last."""

    holder: str = ""
    result: bytes | None = None
    is_complete: bool = False
    filed: dict[str, KeptExchange] = field(default_factory=dict[str, KeptExchange])
    open: dict[str, KeptExchange] = field(default_factory=dict[str, KeptExchange])
    late: set[str] = field(default_factory=set[str])
    repeated: list[bytes] = field(default_factory=list[bytes])

    def all(self) -> dict[str, KeptExchange]:
        """What was filed, and what came after it; a late answer belongs to what was filed."""
        found = {place: one for place, one in self.filed.items() if not self._is_asked(place)}
        for place, one in self.open.items():
            had = found.pop(place, None)
            found[place] = KeptExchange(place, had.asked, one.answered, had.times_asked) if had else one
        return found

    def ordered(self) -> tuple[KeptExchange, ...]:
        return tuple(sorted(self.all().values(), key=lambda one: one.answered is None))

    def _is_asked(self, place: str) -> bool:
        return place in self.open and self.open[place].times_asked > 0


class LedgerMachine(RuleBasedStateMachine):
    """Does the same to a ledger and to dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.workers = Workers(str(Path(self.folder.name) / "answers.sqlite"))
        self.ledgers = {name: self.workers(name) for name in NAMES}
        self.expires = dict.fromkeys(NAMES, self.workers.clock.now + LEASE_S)
        self.rows = {one: ModelRow() for one in ROWS}
        self.counted = {"asked": 0, "answered": 0, "asked_again": 0}
        self.said = 0
        self.runner = asyncio.Runner()

    def teardown(self) -> None:
        self.runner.close()
        self.workers.open_.close()
        self.folder.cleanup()

    @rule(name=names, wanted=several_rows, fresh=st.booleans())
    def take(self, name: str, wanted: Sequence[bytes], fresh: bool) -> None:  # noqa: FBT001 -- hypothesis gives it by name
        now = self._writes(name)
        expected = dict[bytes, Taken]()
        for one in dict.fromkeys(wanted):
            row = self.rows[one]
            is_held = row.holder == name or (row.holder and self.expires[row.holder] > now)
            if is_held or (row.is_complete and not fresh):
                continue
            row.holder = name
            if fresh:
                row.open, row.late, row.repeated = {}, set(), []
            elif row.result is not None:
                row.open = row.all()
            stands = {} if fresh else row.open
            pending = {place: kept.asked for place, kept in stands.items() if kept.answered is None}
            answered = {place: kept.answered for place, kept in stands.items() if kept.answered is not None}
            expected[one] = Taken(one, pending, answered, row.result is not None, tuple(row.repeated))
        taken = self.ledgers[name].take(wanted, fresh=fresh)
        assert taken == expected
        assert [list(taken[one].answered) for one in taken] == [list(expected[one].answered) for one in taken]

    @rule(name=names, one=rows, asked=several_places, costs=several_places)
    def ask(self, name: str, one: bytes, asked: Sequence[str], costs: Collection[str]) -> None:
        self._writes(name)
        row, exchanges = self.rows[one], {place: self._body() for place in asked}
        is_ours = self._do(name, one, self.ledgers[name].asked(one, exchanges, costs=costs))
        for place, body in exchanges.items() if is_ours else ():
            had = row.open.pop(place, None) or KeptExchange(place, b"", None, 0)
            is_pending = place in row.late or (had.times_asked > 0 and had.answered is None)
            self.counted["asked"] += 1
            self.counted["asked_again"] += is_pending and place in costs
            row.repeated += [body] * is_pending
            row.open[place] = KeptExchange(place, body, None, had.times_asked + 1)
            row.late.discard(place)

    @rule(name=names, one=rows, place=places)
    def answer(self, name: str, one: bytes, place: str) -> None:
        self._writes(name)
        row, body = self.rows[one], self._body()
        self.runner.run(self.ledgers[name].answered(one, place, body))
        self.counted["answered"] += 1
        stands = row.open.get(place) or (row.filed.get(place) if row.holder != name else None)
        if row.holder != name and stands and stands.answered is not None:
            return
        had = row.open.pop(place, None) or KeptExchange(place, b"", None, 0)
        row.open[place] = KeptExchange(place, had.asked, body, had.times_asked)
        (row.late.discard if row.holder == name else row.late.add)(place)

    @rule(name=names, one=rows, is_complete=st.booleans())
    def file(self, name: str, one: bytes, is_complete: bool) -> None:  # noqa: FBT001 -- hypothesis gives it by name
        self._writes(name)
        row, result = self.rows[one], self._body()
        filing = self.ledgers[name].file(one, result=result, told=b"t", run=b"r", is_complete=is_complete)
        if self._do(name, one, filing):
            filed = {kept.place: kept for kept in sorted(row.open.values(), key=lambda kept: kept.answered is None)}
            self.rows[one] = ModelRow(result=result, is_complete=is_complete, filed=filed)

    @rule(name=names, given=several_rows)
    def release(self, name: str, given: Sequence[bytes]) -> None:
        self._writes(name)
        self.ledgers[name].release(given)
        for row in map(self.rows.__getitem__, given):
            row.holder = "" if row.holder == name else row.holder

    @rule(seconds=st.sampled_from([LEASE_S / 2, LEASE_S]))
    def pass_time(self, seconds: float) -> None:
        self.workers.clock.now += seconds

    @rule(name=names)
    def come_again(self, name: str) -> None:
        self.ledgers[name].close()
        self.ledgers[name] = self.workers(name)
        self.expires[name] = self.workers.clock.now + LEASE_S
        for row in self.rows.values():
            row.holder = "" if row.holder == name else row.holder

    @invariant()
    def says_the_same(self) -> None:
        ledger = self.ledgers["x"]
        assert ledger.counts().model_dump() == self.counted
        rows = {one: (row.result, row.is_complete) for one, row in self.rows.items() if row.result is not None}
        assert {one: (each.result, each.is_complete) for one, each in ledger.filed(ROWS).items()} == rows
        for one, row in self.rows.items():
            assert _kept(ledger, one) == row.ordered()

    def _writes(self, name: str) -> float:
        """Whoever writes after a while lives on."""
        now = self.workers.clock.now
        if now + LEASE_S - self.expires[name] >= LEASE_S / 3:
            self.expires[name] = now + LEASE_S
        return now

    def _body(self) -> bytes:
        self.said += 1
        return b"%d" % self.said

    def _do(self, name: str, one: bytes, doing: Any) -> bool:
        """Whether it was done; it is not when the row is another's."""
        if self.rows[one].holder == name:
            self.runner.run(doing)
            return True
        with pytest.raises(LeaseLostError):
            self.runner.run(doing)
        return False


def _kept(ledger: Ledger, one: bytes) -> tuple[KeptExchange, ...]:
    try:
        return ledger.find(one.hex()).exchanges
    except UsageError:  # nothing is known of it
        return ()


# Every step waits for the disk: a failure is told as it was found.
_FOUND = (Phase.explicit, Phase.reuse, Phase.generate)
LedgerMachine.TestCase.settings = settings(deadline=None, max_examples=20, stateful_step_count=30, phases=_FOUND)
TestLedgerMachine = pytest.mark.slow(LedgerMachine.TestCase)
