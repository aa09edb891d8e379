"""Faults of processes that share a ledger, counted at the endpoint: limits hold, and what was answered is kept."""

from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any
from uuid import uuid4

import pytest

from crash import ledger_faults
from support.postgres import of_its_own, running_server

pytestmark = [pytest.mark.process, pytest.mark.crash, pytest.mark.timeout(900)]

KILLS, PROCESSES, AT_ONCE = 20, 4, 4


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    return str(tmp_path / "ledger.sqlite")


@pytest.fixture(scope="module")
def shared_ledger() -> Iterator[str]:
    """A ledger on a server of its own, as workers on several machines have."""
    with running_server(max_connections=100) as server:
        yield of_its_own(server.address, f"faults_{uuid4().hex}")


def assert_counted(found: dict[str, Any], workers: int) -> None:
    """The ledger reports at least what was asked, and at most one request more for each worker that was there."""
    assert found["all ended"], found
    assert found["requests"] <= found["reported"] <= found["requests"] + workers, found
    assert found["paid twice"] <= found["reported twice"] <= found["paid twice"] + workers, found


def test_nothing_is_lost_by_kills_and_no_more_paid_twice_than_was_in_flight(ledger: str, tmp_path: Path) -> None:
    found = ledger_faults.kills(ledger, tmp_path, KILLS)
    assert_counted(found, PROCESSES + KILLS)
    assert (found["kills"], found["answers kept"]) == (KILLS, found["questions"])
    assert found["paid twice"] <= KILLS * AT_ONCE


def test_a_limit_of_tokens_holds_over_kills_where_every_answer_has_as_many(ledger: str, tmp_path: Path) -> None:
    limit = 60 * ledger_faults.TOKENS
    found = ledger_faults.kills(ledger, tmp_path, KILLS // 4, tokens=limit)
    assert found["all ended"], found
    assert 0 < found["answers kept"] * ledger_faults.TOKENS <= limit, found
    assert found["requests"] * ledger_faults.TOKENS <= limit, found


def test_two_batches_on_one_ledger_have_limits_of_their_own(ledger: str, tmp_path: Path) -> None:
    found = ledger_faults.two_batches(ledger, tmp_path)
    assert (found["all ended"], found["requests by batch"]) == (True, {"a": 120, "b": 40}), found


@pytest.mark.skipif(not which("faketime"), reason="there is no faketime here")
def test_a_worker_whose_clock_is_two_hours_ahead_doubles_no_limit(ledger: str, tmp_path: Path) -> None:
    found = ledger_faults.other_clock(ledger, tmp_path)
    assert (found["all ended"], found["requests"], found["paid twice"]) == (True, 60, 0), found


@pytest.mark.postgres
def test_sixty_four_workers_share_a_limit_on_one_server(shared_ledger: str, tmp_path: Path) -> None:
    found = ledger_faults.crowd(shared_ledger, tmp_path)
    assert (found["all ended"], found["requests"], found["paid twice"]) == (True, 1500, 0), found
