import math
import os

import anyio
import pytest

from sparring.errors import UsageError, WorkerEndedError
from sparring.providers.worker import SHORT, Allowance, in_worker, run_pure

pytestmark = pytest.mark.process


def refuse() -> None:
    raise UsageError("No.", hint="Never.")


def fill() -> int:
    return len(bytearray(2 << 30))


def turn_for_ever() -> None:
    while True:
        pass


def own_process() -> int:
    return os.getpid()


async def test_a_long_text_is_read_in_another_process_and_a_short_one_in_this() -> None:
    assert await run_pure(own_process, texts=["a" * SHORT]) == os.getpid()
    assert await run_pure(own_process, texts=["a" * SHORT, "a"]) != os.getpid()


async def test_what_the_function_makes_and_refuses_comes_back_as_it_is() -> None:
    text = "Thế kỷ \ud800\n" * 100_000
    assert await in_worker(str.upper, text) == text.upper()
    with pytest.raises(UsageError, match=r"^No\. Never\.$"):
        await in_worker(refuse)


@pytest.mark.parametrize(
    ("function", "allowance"),
    [
        (turn_for_ever, Allowance(processor_s=1)),
        (turn_for_ever, Allowance(wall_s=1)),
        (fill, Allowance(memory_bytes=1 << 30)),
        (math.sqrt, Allowance()),
    ],
    ids=["processor", "wall", "memory", "failure"],
)
async def test_what_uses_more_than_it_may_or_fails_is_ended_with_an_error_of_ours(
    function: object, allowance: Allowance
) -> None:
    assert callable(function)
    with pytest.raises(WorkerEndedError):
        await in_worker(function, allowance=allowance)


async def test_a_call_that_is_cancelled_is_ended() -> None:
    with anyio.move_on_after(1) as scope:
        await in_worker(turn_for_ever)
    assert scope.cancelled_caught
