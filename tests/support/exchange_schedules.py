"""Schedules of what workers do to an exchange ledger, and what must be true after each step."""

import random
from collections import defaultdict

from msgspec import Struct

from sparring.store.exchanges import provider_batches
from sparring.store.exchanges.amounts import FREE, Amounts, Maximum, Used
from sparring.store.exchanges.operations import Abandon, Claim, Claimed, RunStatements, Settle
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.steps import NewClaim, Settlement
from sparring.store.exchanges.worker import LedgerWorker
from support.exchanges import LEASE_S, LedgerBench, drop, key, only

MOST = {"a": Maximum(calls=12, tokens=900, cost=None), "b": Maximum(calls=5, tokens=None, cost=700)}
HELD = Amounts(1, 60, 40)
KEYS = tuple(key(number) for number in range(9))


class Sent(Struct):
    """A request that was claimed by a worker of the model and has not come to an end."""

    worker: LedgerWorker
    name: str
    batch: str
    key: Key
    fence: int


class Schedule:
    """Does to a ledger what workers do, and knows what must be true of it."""

    def __init__(self, bench: LedgerBench, count: int) -> None:
        self.bench = bench
        self.all: list[LedgerWorker] = []
        self.workers = [self.born() for _ in range(count)]
        self.sent: list[Sent] = []
        self.answers = dict[tuple[Key, int], bytes]()
        self.asked = defaultdict[str, int](int)
        self.may_exceed = False
        self.intents = 0

    def close(self) -> None:
        drop(self.all)
        self.bench.close()

    def born(self) -> LedgerWorker:
        self.all.append(worker := self.bench.worker(**MOST))
        return worker

    def claim(self, at: int, batch: str, keys: list[Key], *, is_gathered: bool = False) -> list[Sent]:
        worker = self.workers[at]
        state = "claimed" if is_gathered else "sent"
        outcomes = worker.write([Claim(batch, "o", NewClaim(one, HELD), HELD, state) for one in keys])
        found = list[Sent]()
        for one, outcome in zip(keys, outcomes, strict=True):
            assert not isinstance(outcome, Exception), outcome
            if isinstance(outcome, Claimed):
                self._is_alone(one, outcome.fence)
                found.append(Sent(worker, worker.name, batch, one, outcome.fence))
                self.asked[batch] += not is_gathered
        self.sent += found
        return found

    def _is_alone(self, one: Key, fence: int) -> None:
        """No other request for the same is held by a worker that has an entry."""
        for other in self.sent:
            if other.key == one and other.fence != fence:
                rows = self.bench.read("SELECT fence FROM sparring_exchange WHERE key = ?", one)
                assert rows == [(fence,)]
                assert self.bench.read("SELECT 1 FROM sparring_lost WHERE key = ? AND fence = ?", one, other.fence)

    def settle(self, one: Sent, state: str, used: Used) -> None:
        answer = b"%d" % one.fence if state == "answered" else None
        only(one.worker, Settle(Settlement(one.key, one.fence, state, answer, used)))
        if answer:
            self.answers[one.key, one.fence] = answer
        for amount, held in zip((used.calls, used.tokens, used.cost), HELD.each, strict=True):
            self.may_exceed |= amount is not None and amount > held
        self.sent.remove(one)

    def settle_twice(self, one: Sent, used: Used) -> None:
        """As after a commit of which nobody heard whether it was done."""
        self.settle(one, "answered", used)
        only(one.worker, Settle(Settlement(one.key, one.fence, "answered", b"%d" % one.fence, used)))

    def give_up(self, one: Sent) -> None:
        only(one.worker, Settle(Settlement(one.key, one.fence, "free", None, FREE, was_asked=False)))
        lives = self.bench.read("SELECT 1 FROM sparring_lost WHERE key = ? AND fence = ?", one.key, one.fence)
        self.asked[one.batch] -= not lives  # of what is lost nobody can say that it was not asked
        self.sent.remove(one)

    def abandon(self, one: Sent) -> None:
        only(one.worker, Abandon(one.key, one.fence))
        self.sent.remove(one)

    def hand_in(self, gathered: list[Sent]) -> None:
        if not gathered:
            return
        self.intents += 1
        first = gathered[0]
        items = [(one.key, one.fence) for one in gathered]
        name = f"intent{self.intents}"
        *_, rows = only(
            first.worker,
            RunStatements(
                lambda worker: provider_batches.write_intent(name, "tool", worker, first.batch, items),
                lambda rows: rows,
            ),
        )
        self.asked[first.batch] += len(rows)
        kept = {row[0] for row in rows}
        self.sent = [one for one in self.sent if one not in gathered or one.key in kept]

    def kill(self, at: int) -> None:
        self.workers[at] = self.born()

    def renew(self, at: int) -> None:
        self.workers[at].idle()

    def is_true(self) -> None:
        for batch, most in MOST.items():
            given, meant = self.bench.balance(batch)
            assert given == meant, (batch, given, meant)
            booked, held = self.bench.held(batch)
            assert booked == held, (batch, booked, held)
            for amount, limit in zip(given.each, most.each, strict=True):
                assert self.may_exceed or limit is None or amount <= limit
            summed = self.bench.read("SELECT coalesce(sum(asked), 0) FROM sparring_allotment WHERE batch = ?", batch)
            assert summed == [(self.asked[batch],)]
        for (one, fence), answer in self.answers.items():
            kept = self.bench.read("SELECT answer FROM sparring_exchange WHERE key = ? AND fence = ?", one, fence)
            lost = self.bench.read("SELECT answer FROM sparring_lost WHERE key = ? AND fence = ?", one, fence)
            assert (answer,) in (*kept, *lost)
        twice = self.bench.read("SELECT key FROM sparring_exchange GROUP BY key HAVING count(*) > 1")
        assert not twice


KNOWN = (Used(1, 20, 10), Used(1, 60, 40), Used(1, None, None), Used(1, 30, None))
DEAR = Used(1, 500, 900)


def play(bench: LedgerBench, seed: int, length: int = 60) -> None:
    """Let two to six workers do ``length`` things by chance, always the same for one ``seed``, and look after each."""
    chance = random.Random(seed)  # noqa: S311 -- the same schedule for the same number
    schedule = Schedule(bench, 2 + seed % 5)
    try:
        for _ in range(length):
            at, batch = chance.randrange(len(schedule.workers)), chance.choice("ab")
            wanted = chance.sample(KEYS, chance.randint(1, 4))
            one = chance.choice(schedule.sent) if schedule.sent else None
            match chance.randrange(10):
                case 0 | 1 | 2:
                    schedule.claim(at, batch, wanted)
                case 3:
                    schedule.hand_in(schedule.claim(at, batch, wanted, is_gathered=True))
                case 4 if one:
                    schedule.settle(one, chance.choice(("answered", "failed")), chance.choice((*KNOWN, DEAR)))
                case 5 if one:
                    schedule.settle(one, "free", FREE)
                case 6 if one:
                    schedule.settle_twice(one, chance.choice(KNOWN))
                case 7 if one:
                    chance.choice((schedule.abandon, schedule.give_up))(one)
                case 8:
                    bench.pass_time(chance.choice((1, LEASE_S / 2, LEASE_S + 1)))
                    schedule.renew(at)
                case _:
                    schedule.kill(at)
            schedule.is_true()
    finally:
        schedule.close()
