"""Limits over three processes that share a file, against an endpoint that counts."""

import json
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from sparring.testing.model_endpoint import Behave, Behaviour, ModelEndpoint, Refuse, Request, Say
from support.pacing import TOOL, start

pytestmark = pytest.mark.process


def worked(tmp_path: Path, behave: Behave, *, rules: dict[str, Any], rows: int, at_once: int) -> list[dict[str, Any]]:
    """What three workers tell whose rows are asked of that endpoint."""
    with ModelEndpoint(behave, keeps_alive=True) as endpoint:
        plan = {
            "url": endpoint.url,
            "state": str(tmp_path / "state.db"),
            "rules": rules,
            "rows": rows,
            "at_once": at_once,
        }
        workers = [start(plan) for _ in range(3)]
        told = [worker.communicate()[0] for worker in workers]
    return [json.loads(each) for each in told]


def test_a_storm_of_refusals_loses_no_row_and_is_not_answered_by_another(tmp_path: Path) -> None:
    lock, recent, refused = threading.Lock(), deque[float](maxlen=6), list[float]()

    def behave(request: Request) -> Behaviour:
        """Six in a quarter of a second, and no more."""
        del request
        with lock:
            now = time.monotonic()
            if len(recent) == 6 and now - recent[0] < 0.25:
                refused.append(now)
                return Refuse(429, "rate_limit_error", "Slow down.", {"retry-after-ms": "250"})
            recent.append(now)
            return Say("Yes.")

    told = worked(tmp_path, behave, rules={}, rows=20, at_once=10)
    assert [(each["answers"], each["failures"]) for each in told] == [(20, [])] * 3
    assert 1 <= len(refused) <= 180


def test_a_machine_puts_no_more_questions_at_once_than_it_may(tmp_path: Path) -> None:
    change, here, most = threading.Condition(), 0, 0

    def behave(request: Request) -> Behaviour:
        """Answers nobody before four have come who are still there."""
        nonlocal here, most
        del request
        with change:
            here += 1
            most = max(most, here)
            change.notify_all()
            assert change.wait_for(lambda: most >= 4, timeout=60)
            here -= 1
        return Say("Yes.")

    told = worked(tmp_path, behave, rules={"at_once": {TOOL: 4}}, rows=10, at_once=10)
    assert [each["answers"] for each in told] == [10] * 3
    assert most == 4


def test_no_row_begins_when_the_limit_is_used_up_and_those_that_have_begun_are_finished(tmp_path: Path) -> None:
    told = worked(tmp_path, lambda _: Say("Yes."), rules={"max_calls": 30}, rows=100, at_once=4)
    assert {each["refusal"] for each in told} == {"The limit of 30 calls is used up."}
    assert all(not each["failures"] for each in told)
    assert 20 <= sum(each["answers"] for each in told) <= 30 + 3 * 4
    assert max(each["used"] for each in told) == sum(each["answers"] for each in told)
