"""``sparring batch`` ended in the middle: by a signal, by a kill, by a disk that is full. The next call goes on."""

import json
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Generator
from threading import Lock

import pytest

from sparring.testing import ModelEndpoint, Request, Say
from support.full_disk import largest_file
from support.jurors import REPLIES, SAID, add_apis
from support.workbench import PATIENCE_S, Workbench

pytestmark = pytest.mark.process

ROWS, KILLS = 260, 2
"""More rows than a block, so that processes have something to share."""
FEW = 120
SEATS = ("--provider", "ann", "--fact-checker", "bob", "--judge", "cy", "--rebuttals", "0")


class Counting:
    """An API that says what jurors say, and counts how often each question came."""

    def __init__(self, bench: Workbench) -> None:
        self.asked = Counter[tuple[str, str]]()
        self._changing = Lock()
        self._endpoint = ModelEndpoint(self._answer, keeps_alive=True)
        add_apis(bench, self._endpoint.url)

    def __enter__(self) -> "Counting":
        self._endpoint.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._endpoint.__exit__(None, None, None)

    def _answer(self, request: Request) -> Say:
        with self._changing:
            self.asked[request.model, request.prompt] += 1
        return Say(SAID[request.model])


@pytest.fixture
def counting(bench: Workbench) -> Generator[Counting]:
    with Counting(bench) as counting:
        yield counting


def table(bench: Workbench, rows: int) -> None:
    lines = [f'n{row},Under {row} cases,"more than 645,000 cases"\n' for row in range(rows)]
    (bench.project / "t.csv").write_text("id,claim,truth\n" + "".join(lines), encoding="utf-8")


def typed(out: str, *more: str, seats: tuple[str, ...] = SEATS) -> tuple[str, ...]:
    return ("batch", "jury", "--input", "t.csv", "--output", out, "--write", "jsonl", *seats, *more)


def told(bench: Workbench, out: str) -> bytes:
    return (bench.project / out / "part-00000.jsonl").read_bytes()


def test_processes_that_are_killed_write_what_one_does_and_ask_no_more_than_once_a_kill(
    bench: Workbench, counting: Counting
) -> None:
    table(bench, ROWS)
    chance = random.Random(19)  # noqa: S311 -- the same kills every time, as far as the machine lets us
    outs = ("one", "two")
    running = {out: bench.start(*typed(out), stdout=subprocess.DEVNULL) for out in outs}
    kills = 0
    try:
        for at in sorted(chance.sample(range(20, ROWS * 4 - 400), KILLS)):
            wait_for_questions(counting, at, running)
            out = chance.choice(outs)
            if running[out].poll() is not None:
                continue
            running[out].kill()
            running[out].communicate()
            kills += 1
            running[out] = bench.start(*typed(out), stdout=subprocess.DEVNULL)
        ends = {
            out: (process.communicate(timeout=5 * PATIENCE_S)[1], process.returncode)
            for out, process in running.items()
        }
    finally:
        for process in running.values():
            process.kill()
            process.communicate()
    assert {code for _, code in ends.values()} == {0}, ends
    assert kills
    assert max(counting.asked.values()) <= 1 + kills
    assert counting.asked.total() >= 4 * ROWS
    asked = counting.asked.total()
    assert bench.run(*typed("whole")).code == 0
    assert counting.asked.total() == asked
    assert {told(bench, out) for out in (*outs, "whole")} == {told(bench, "whole")}
    assert told(bench, "whole").count(b"\n") == ROWS


def wait_for_questions(counting: Counting, count: int, running: "dict[str, subprocess.Popen[bytes]]") -> None:
    """Until so many have come, or nobody is left who could ask."""
    limit = time.monotonic() + 5 * PATIENCE_S
    while counting.asked.total() < count and any(process.poll() is None for process in running.values()):
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_who_is_interrupted_says_so_and_the_next_call_goes_on(bench: Workbench, counting: Counting) -> None:
    table(bench, 40)
    process = bench.start(*typed("out", "--at-once", "2", "--json"))
    wait_for_questions(counting, 12, {"out": process})
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    way_on = "Nothing is lost: the same command goes on where it was stopped."
    told_to_programs = {"error": {"code": "interrupted", "message": "Interrupted.", "hint": way_on}}
    assert (process.returncode, json.loads(out)) == (130, told_to_programs), err
    assert b"Interrupted. Nothing is lost: the same command goes on where it was stopped." in err
    assert not (bench.project / "out" / "_manifest.json").exists()
    done = bench.run(*typed("out"))
    assert (done.code, told(bench, "out").count(b"\n")) == (0, 40), done.err
    assert max(counting.asked.values()) <= 2
    assert counting.asked.total() <= 4 * 40 + 2 * 4  # the two rows that were under way


def test_a_batch_that_was_handed_in_to_a_provider_is_waited_for_by_whoever_comes_after_a_kill(bench: Workbench) -> None:
    questions = "".join(f"Is {number} even?\n" for number in range(FEW))
    (bench.project / "t.csv").write_text(f"question\n{questions}", encoding="utf-8")
    call = ("batch", "consult", "--input", "t.csv", "--output", "out", "--write", "jsonl", "--provider-batches")
    call = (*call, "--tool", "anthropic", "--model", "claude-opus-4-5")
    with ModelEndpoint(Say(lambda prompt: f"Heard: {prompt}")) as endpoint:
        desk = endpoint.batches
        bench.extra.update(ANTHROPIC_BASE_URL=endpoint.url, ANTHROPIC_API_KEY="some-key")
        desk.polls = 1_000_000
        process = bench.start(*call, stdout=subprocess.DEVNULL)
        desk.wait_for(2)  # it was handed in, and is looked at
        process.kill()
        process.communicate()
        (handed_in,) = desk.batches.values()
        desk.polls = handed_in.polls_left = 0
        done = bench.run(*call)
        assert done.code == 0, done.err
        assert (list(desk.batches.values()), len(handed_in.entries)) == ([handed_in], FEW)
    assert told(bench, "out").count(b"\n") == told(bench, "out").count(b"Heard: ") == FEW


@pytest.mark.parametrize("room", [60_000, 400_000])
def test_a_full_disk_ends_a_batch_in_a_sentence_and_costs_nothing_that_was_paid(bench: Workbench, room: int) -> None:
    """The ledger grows faster than the output: with little room it is what cannot be written."""
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, REPLIES)
    table(bench, FEW)
    if room > 200_000:  # the ledger is there, and the output alone has no room
        assert bench.run(*typed("whole")).code == 0
        room = len(told(bench, "whole")) // 2
    with largest_file(room):
        full = bench.run_program(*typed("out"))
    assert (full.code, full.out) == (1, ""), full.err
    assert full.err.count("Error:") == 1
    assert "Traceback" not in full.err
    assert not (bench.project / "out" / "_manifest.json").exists()
    done = bench.run(*typed("out"))
    assert (done.code, told(bench, "out").count(b"\n")) == (0, FEW), done.err
    assert json.loads((bench.project / "out" / "_manifest.json").read_bytes())["spent"]["calls"] == 4 * FEW
    assert {file.suffix for file in (bench.project / "out").iterdir()} <= {".json", ".jsonl", ".html", ".lock", ""}
