"""``sparring batch`` ended in the middle: by a signal, by a kill, by a disk that is full. The next call goes on."""

import json
import random
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Generator

import pytest

from sparring.testing import ModelEndpoint, Request, Say
from support.full_disk import largest_file
from support.waiting import wait_for
from support.workbench import PATIENCE_S, Workbench

pytestmark = pytest.mark.process

ROWS, KILLS = 260, 2
"""More rows than a block, so that processes have something to share."""
FEW = 40


@pytest.fixture
def asked(bench: Workbench) -> Generator[Counter[str]]:
    """How often each question came to an API that says yes to everything."""
    counted = Counter[str]()

    def answer(request: Request) -> Say:
        counted[request.prompt] += 1
        return Say("Heard: yes.")

    with ModelEndpoint(answer, keeps_alive=True) as endpoint:
        bench.add_api("ann", endpoint.url, 'model = "m"')
        yield counted


def table(bench: Workbench, rows: int) -> None:
    questions = "".join(f"Is {number} even?\n" for number in range(rows))
    (bench.project / "t.csv").write_text(f"question\n{questions}", encoding="utf-8")


def typed(out: str, *more: str, tool: str = "ann") -> tuple[str, ...]:
    return ("batch", "consult", "--input", "t.csv", "--output", out, "--set", "write=jsonl", "--tool", tool, *more)


def told(bench: Workbench, out: str) -> bytes:
    return (bench.project / out / "part-00000.jsonl").read_bytes()


def test_processes_that_are_killed_write_what_one_does_and_ask_no_more_than_once_a_kill(
    bench: Workbench, asked: Counter[str]
) -> None:
    table(bench, ROWS)
    chance = random.Random(19)  # noqa: S311 -- the same kills every time, as far as the machine lets us
    outs = ("one", "two")
    running = {out: bench.start(*typed(out), stdout=subprocess.DEVNULL) for out in outs}
    kills = 0
    try:
        for at in sorted(chance.sample(range(5, ROWS - 100), KILLS)):
            wait_for_questions(asked, at, *running.values())
            out = chance.choice(outs)
            if running[out].poll() is None:
                running[out].kill()
                running[out].communicate()
                kills += 1
                running[out] = bench.start(*typed(out), stdout=subprocess.DEVNULL)
        ends = [(process.communicate(timeout=PATIENCE_S)[1], process.returncode) for process in running.values()]
    finally:
        for process in running.values():
            process.kill()
            process.communicate()
    assert {code for _, code in ends} == {0}, ends
    assert kills
    assert max(asked.values()) <= 1 + kills
    before = asked.total()
    assert before >= ROWS
    assert bench.run(*typed("whole")).code == 0
    assert asked.total() == before
    assert {told(bench, out) for out in (*outs, "whole")} == {told(bench, "whole")}
    assert told(bench, "whole").count(b"\n") == ROWS


def wait_for_questions(asked: Counter[str], count: int, *running: "subprocess.Popen[bytes]") -> None:
    """Until so many have come, or nobody is left who could ask."""
    wait_for(lambda: asked.total() >= count or all(process.poll() is not None for process in running))


def test_an_interrupted_batch_reports_it_and_the_next_call_continues(bench: Workbench, asked: Counter[str]) -> None:
    table(bench, FEW)
    process = bench.start(*typed("out", "--set", "at_once=2", "--json"))
    wait_for_questions(asked, 4, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    way_on = "Nothing is lost: the same command continues where it stopped."
    told_to_programs = {"error": {"code": "interrupted", "message": "Interrupted.", "hint": way_on}}
    assert (process.returncode, json.loads(out)) == (130, told_to_programs), err
    assert f"Interrupted. {way_on}" in err.decode()
    assert not (bench.project / "out" / "_manifest.json").exists()
    done = bench.run(*typed("out"))
    assert (done.code, told(bench, "out").count(b"\n")) == (0, FEW), done.err
    assert max(asked.values()) <= 2
    assert asked.total() <= FEW + 2  # the two rows that were under way


def test_repeated_calls_after_orderly_stops_are_reported(bench: Workbench) -> None:
    table(bench, 2)
    asked, stops = Counter[str](), 2
    waiting = [threading.Event() for _ in range(stops)]
    over = threading.Event()

    def answer(request: Request) -> Say:
        asked[request.prompt] += 1
        if (number := asked[request.prompt]) <= stops and "Is 0 even?" in request.prompt:
            waiting[number - 1].set()
            over.wait(PATIENCE_S)
        return Say("Yes.")

    call = typed("out", "--set", "at_once=1")
    with ModelEndpoint(answer) as endpoint:
        bench.add_api("ann", endpoint.url, 'model = "m"')
        for number in range(stops):
            process = bench.start(*call)
            assert waiting[number].wait(PATIENCE_S)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_S)
        over.set()
        done = bench.run(*call)
    assert done.code == 0, done.err
    manifest = json.loads((bench.project / "out" / "_manifest.json").read_bytes())
    assert asked.total() - len(asked) == manifest["ledger"]["asked_again"] == stops
    assert "2 calls were retried and may be paid for twice" in done.out


def test_a_provider_batch_is_awaited_by_the_next_start_after_a_kill(bench: Workbench) -> None:
    table(bench, FEW)
    call = typed("out", "--set", "provider_batches=true", "--model", "claude-opus-4-5", tool="anthropic")
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


@pytest.mark.parametrize("full", ["ledger", "output"])
def test_a_full_disk_ends_a_batch_in_a_sentence_and_costs_nothing_that_was_paid(bench: Workbench, full: str) -> None:
    table(bench, FEW)
    room = 60_000
    if full == "output":  # the ledger is there, and the output alone has no room
        assert bench.run(*typed("whole")).code == 0
        room = len(told(bench, "whole")) // 2
    with largest_file(room):
        done = bench.run_program(*typed("out"))
    assert (done.code, done.out, done.err.count("Error:"), "Traceback" in done.err) == (1, "", 1, False), done.err
    assert not (bench.project / "out" / "_manifest.json").exists()
    done = bench.run(*typed("out"))
    assert (done.code, told(bench, "out").count(b"\n")) == (0, FEW), done.err
    assert json.loads((bench.project / "out" / "_manifest.json").read_bytes())["spent"]["calls"] == FEW
    assert {file.suffix for file in (bench.project / "out").iterdir()} <= {".json", ".jsonl", ".html", ".lock", ""}


def test_a_batch_without_time_for_a_row_reports_it_and_can_be_continued(bench: Workbench, asked: Counter[str]) -> None:
    table(bench, FEW)
    late = bench.run(*typed("late", "--set", "max_time=0.000001", "--json"))
    manifest = json.loads(late.out)
    assert (late.code, manifest["is_whole"], manifest["rows"], asked.total()) == (1, False, 0, 0), late.err
    done = bench.run(*typed("late", "--json"))
    assert (done.code, json.loads(done.out)["rows"], asked.total()) == (0, FEW, FEW)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_processes_that_check_claims_end_with_the_batch_that_started_them(
    bench: Workbench, number: signal.Signals, code: int
) -> None:
    light = {"claim": "It has 5 doors.", "truth": "It has 5 doors."}
    heavy = {
        "claim": "It has 5 doors. " * 1_000,
        "truth": "It has 6 doors. " * 100_000,
    }  # 14 s of work
    rows = (json.dumps(row) for row in (*[light] * 1000, heavy))
    (bench.project / "t.jsonl").write_text("\n".join(rows), encoding="utf-8")
    call = ("batch", "verify", "--input", "t.jsonl", "--output", "out", "--set", "write=jsonl", "--set", "at_once=2")
    process = bench.start(*call, "--set", "rows_per_shard=500")
    wait_for((bench.project / "out" / "part-00000.jsonl").exists)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)  # a process that lived on would hold the pipes open
    assert process.returncode == code
