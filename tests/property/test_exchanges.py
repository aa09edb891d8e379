"""Whatever workers do to an exchange ledger, and whenever they die, its books balance and no answer is lost."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from sparring.store.exchanges.amounts import FREE, Used
from sparring.store.exchanges.operations import Admit, Dismiss
from sparring.store.exchanges.sql import Key
from support.exchange_schedules import DEAR, HELD, KEYS, KNOWN, Schedule, Sent, play
from support.exchanges import LEASE_S, LedgerBench


@pytest.mark.parametrize("seed", range(40))
def test_the_books_balance_after_each_step_of_workers_that_pause_die_and_come_late(seed: int, tmp_path: Path) -> None:
    play(LedgerBench.at(tmp_path / "ledger.sqlite"), seed)


indices = st.integers(0, 2)
batches = st.sampled_from("ab")
wanted_keys = st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True)


class LedgerMachine(RuleBasedStateMachine):
    """The same, where hypothesis looks for the shortest way to something that is not true."""

    requests = Bundle("requests")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.schedule = Schedule(LedgerBench.at(Path(self.folder.name) / "ledger.sqlite"), 3)

    def teardown(self) -> None:
        self.schedule.close()
        self.folder.cleanup()

    @initialize(target=requests, at=indices, keys=wanted_keys)
    def begin(self, at: int, keys: list[Key]) -> Sent | None:
        return next(iter(self.schedule.claim(at, "a", keys)), None)

    @rule(target=requests, at=indices, batch=batches, keys=wanted_keys)
    def claim(self, at: int, batch: str, keys: list[Key]) -> Sent | None:
        return next(iter(self.schedule.claim(at, batch, keys)), None)

    @rule(one=consumes(requests), state=st.sampled_from(("answered", "failed")), used=st.sampled_from((*KNOWN, DEAR)))
    def settle(self, one: Sent | None, state: str, used: Used) -> None:
        if one in self.schedule.sent:
            self.schedule.settle(one, state, used)

    @rule(one=consumes(requests))
    def free(self, one: Sent | None) -> None:
        if one in self.schedule.sent:
            self.schedule.settle(one, "free", FREE)

    @rule(one=consumes(requests))
    def let_go(self, one: Sent | None) -> None:
        if one in self.schedule.sent:
            self.schedule.abandon(one)

    @rule(at=indices, batch=batches, keys=wanted_keys)
    def hand_in(self, at: int, batch: str, keys: list[Key]) -> None:
        self.schedule.hand_in(self.schedule.claim(at, batch, keys, is_gathered=True))

    @rule(at=indices, batch=batches, need=st.integers(1, 8))
    def set_aside(self, at: int, batch: str, need: int) -> None:
        worker = self.schedule.workers[at]
        worker.write([Admit(batch, "row", HELD.times(need), HELD)])

    @rule(at=indices, batch=batches)
    def dismiss(self, at: int, batch: str) -> None:
        self.schedule.workers[at].write([Dismiss(batch, "row")])

    @rule(at=indices, seconds=st.sampled_from((1.0, LEASE_S / 2, LEASE_S + 1)))
    def pass_time(self, at: int, seconds: float) -> None:
        self.schedule.bench.pass_time(seconds)
        self.schedule.renew(at)

    @rule(at=indices)
    def kill(self, at: int) -> None:
        self.schedule.kill(at)

    @invariant()
    def is_true(self) -> None:
        self.schedule.is_true()


LedgerMachine.TestCase.settings = settings(deadline=None, max_examples=25, stateful_step_count=30)
TestLedgerMachine = pytest.mark.slow(LedgerMachine.TestCase)
