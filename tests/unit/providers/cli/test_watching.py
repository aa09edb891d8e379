"""The end of a program that still runs: some seconds after its answer, or when none will come."""

import json
import re
from collections.abc import Callable

import pytest

from sparring.providers.cli.output import Output, ProgramStage, RequestLog, output_of
from sparring.providers.cli.watching import GRACE_S, OutputWatch
from sparring.providers.receiving.framing import Json


class Clock:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def outputs(
    progress: Callable[[Json], ProgramStage | None] | None = None, requests: RequestLog | None = None
) -> Output:
    return Output(lambda ended: ended.without_result(), progress=progress, requests=requests)


def step(event: Json) -> ProgramStage | None:
    return ProgramStage[event["step"]] if "step" in event else None


def printed(*events: Json) -> bytes:
    return b"".join(json.dumps(event, indent=2).encode() + b"\n" for event in events)


def test_a_program_has_some_seconds_to_end_after_its_answer() -> None:
    watch = OutputWatch(outputs(step), 60, clock := Clock())
    assert not watch(b"", b"")
    assert not watch(printed({"x": 1}, {"step": "OVER"}), b"")
    clock.now = GRACE_S - 0.1
    assert not watch(b"still here\n", b"")
    clock.now = GRACE_S
    assert watch(b"", b"")


def test_a_last_event_without_a_line_end_counts() -> None:
    watch = OutputWatch(outputs(step), 60, clock := Clock())
    assert not watch(printed({"x": 1}, {"step": "OVER"}).rstrip(), b"")
    clock.now = GRACE_S
    assert watch(b"", b"")


def test_a_program_that_resumes_output_is_not_ended() -> None:
    watch = OutputWatch(outputs(step), 60, clock := Clock())
    assert not watch(printed({"step": "OVER"}, {"x": 1}, {"step": "CONTINUES"}), b"")
    clock.now = 10 * GRACE_S
    assert not watch(b"", b"")


def test_a_program_without_hope_is_ended_at_once() -> None:
    watch = OutputWatch(outputs(step), 60, Clock())
    hopeless = printed({"step": "HOPELESS"})
    assert not watch(hopeless[:-5], b"")
    assert watch(hopeless[-5:], b"")


@pytest.mark.parametrize(
    ("stderr", "after_s", "is_over"),
    [
        (b"failed\n", 5, False),
        (b"failed\n", 6, True),
        (b"failed\nput\n", 60, False),
        (b"failed", 60, False),  # no whole line
        (b"failed, again in 59s\n", 0, False),
        (b"failed, again in 59s\n", 50, False),
        (b"failed, again in 60s\n", 0, True),
        (b"failed, again in 3600.5s\n", 0, True),
    ],
)
def test_a_program_that_waits_for_too_long_before_it_asks_again_is_ended(
    stderr: bytes, after_s: float, *, is_over: bool
) -> None:
    log = RequestLog(re.compile(r"failed(?:, again in (?P<wait>[\d.]+)s)?$"), put=re.compile("put"), max_wait_s=6)
    watch = OutputWatch(outputs(requests=log), 60, clock := Clock())
    first = watch(b"", stderr)
    clock.now = after_s
    assert (first or watch(b"", b"")) is is_over


def test_codex_announces_its_waits_in_its_log() -> None:
    where = "session_loop{thread_id=1}:turn{model=gpt-5.5}: codex_core::responses_retry: stream disconnected - "
    line = f"2026-11-28T01:11:03.894847Z  WARN {where}retrying sampling request (1/1 in WAIT)... turn_id=1 retries=1\n"
    for wait, is_over in (("3599.998784915s", True), ("5.01s", False), ("200.5ms", False)):
        watch = OutputWatch(output_of("codex"), 90, Clock())
        assert watch(b"", line.replace("WAIT", wait).encode()) is is_over
