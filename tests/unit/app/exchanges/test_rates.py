"""The rules by which what workers share of a tool changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.app.exchanges.rates import (
    AHEAD_S,
    BURST_S,
    PROBE_S,
    SEEN_S,
    Cooling,
    Permits,
    Rate,
    Slots,
    SlotsRecord,
    ToolRecord,
    WantedPermits,
    cool_down,
    hold_slots,
    probed,
    take_permits,
)

NO_RATE = Rate()


def take(record: ToolRecord, now: float, *, worker: str = "a", permits: int = 1, rate: Rate = NO_RATE) -> Permits:
    return take_permits(record, now, rate=rate, wanted=WantedPermits(worker, permits))[1]


@given(
    rpm=st.integers(1, 6000),
    steps=st.lists(
        st.tuples(st.floats(0, 5), st.integers(1, 64), st.sampled_from("abc"), st.integers(0, 3)), max_size=60
    ),
)
def test_however_permits_are_taken_and_given_back_no_minute_sees_more_than_the_rate_and_its_burst(
    rpm: int, steps: list[tuple[float, int, str, int]]
) -> None:
    record, now, used, rate = ToolRecord(), 1000.0, list[float](), Rate(rpm=rpm)
    for wait_s, permits, worker, unused in steps:
        now += wait_s
        back = min(unused, len(used))
        del used[len(used) - back :]
        wanted = WantedPermits(worker, permits, unused=back)
        record, found = take_permits(record, now, rate=rate, wanted=wanted)
        used += [now + start for start in found.starts_s]
        assert all(0 <= start <= AHEAD_S for start in found.starts_s)
        assert bool(found.starts_s) != (found.wait_s > 0)
    most = rpm + (BURST_S + AHEAD_S) * rpm / 60 + 1
    assert all(sum(start <= at < start + 60 for at in used) <= most for start in used)


def test_a_large_request_passes_and_later_ones_pay_back_its_tokens() -> None:
    rate, wanted = Rate(tpm=6000), WantedPermits("a", 3, tokens=1000)
    record, first = take_permits(ToolRecord(), 1000.0, rate=rate, wanted=wanted)
    assert first.starts_s == (0.0,)
    again = take_permits(record, 1000.0, rate=rate, wanted=wanted)[1]
    assert (again.starts_s, again.wait_s) == ((), pytest.approx(10.0 - BURST_S - AHEAD_S / 2))
    fewer = WantedPermits("a", 1, tokens=1000, settled_tokens=-900)
    assert take_permits(record, 1000.0, rate=rate, wanted=fewer)[1].starts_s == (0.0,)


def test_a_worker_gets_at_most_its_share_while_others_work() -> None:
    others: tuple[dict[str, float], ...] = ({}, {"b": 999.0}, {"b": 999.0 - SEEN_S})
    taken = [take(ToolRecord(workers=those), 1000.0, permits=64, rate=Rate(rpm=600)) for those in others]
    assert [len(each.starts_s) for each in taken] == [20, 10, 20]


def test_a_pause_is_for_all_workers_and_one_probes_first() -> None:
    record, cooling = cool_down(ToolRecord(), 1000.0, epoch=0, advised_s=20.0, draw=0.5)
    assert cooling == Cooling(20.0, 1)
    assert probed(record, 1001.0, epoch=0, is_well=True)[0] == record, "an answer from before does not end it"
    assert take(record, 1019.0, worker="b") == Permits(wait_s=1.0, epoch=1)
    record, first = take_permits(record, 1020.0, rate=NO_RATE, wanted=WantedPermits("b", 64))
    assert first == Permits((0.0,), epoch=1, is_probe=True)
    assert take(record, 1020.0).starts_s == ()
    assert take(record, 1020.0 + PROBE_S).is_probe, "who asked first may be gone"
    assert take(record, 10.0).is_probe, "a clock that was set back stops nobody for longer than that"
    well = probed(record, 1021.0, epoch=1, is_well=True)[0]
    assert take(well, 1021.0, permits=64) == Permits((0.0,) * 64, epoch=1)
    cancelled = probed(record, 1021.0, epoch=1, is_well=False)[0]
    assert take(cancelled, 1021.0).is_probe


def test_simultaneous_refusals_lengthen_a_pause_once_and_later_ones_double_it() -> None:
    record, waits = ToolRecord(), list[float]()
    for epoch in range(8):
        record, cooling = cool_down(record, record.cool_until, epoch=epoch, advised_s=None, draw=1.0)
        waits.append(cooling.wait_s)
        for _ in range(3):
            late, same = cool_down(record, record.cool_until - 0.5, epoch=epoch, advised_s=None, draw=1.0)
            assert (late, same) == (record, Cooling(0.5, epoch + 1))
    assert waits == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
    late = cool_down(record, record.cool_until, epoch=0, advised_s=30.0, draw=1.0)[1]
    assert late.wait_s == 30.0, "but what a provider asks for is kept to"


def test_slots_are_shared_while_others_wait_and_those_of_the_dead_are_free() -> None:
    def hold(record: SlotsRecord, now: float, worker: str, in_use: int, wanted: int) -> tuple[SlotsRecord, int]:
        return hold_slots(record, now, worker=worker, limit=4, in_use=in_use, wanted=wanted)

    record, first = hold(SlotsRecord(), 0.0, "a", 0, 9)
    record, second = hold(record, 0.0, "b", 0, 2)
    assert (first, second) == (4, 0)
    record, first = hold(record, 1.0, "a", 3, 9)
    record, second = hold(record, 1.0, "b", 0, 2)
    assert (first, second) == (3, 1)
    assert hold(record.only({"c"}), 2.0, "c", 0, 9)[1] == hold(record, SEEN_S + 2, "c", 0, 9)[1] == 4
    assert hold(record, 2.0, "a", 0, 0)[0].workers == {"b": Slots(count=1, wanted=2, until=1.0 + SEEN_S)}
