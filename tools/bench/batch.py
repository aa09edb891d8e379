"""Cost of a batch beside the answers: rows a second through the whole pipe, memory, files, and a kill.

Everything is scripted, so that nothing is waited for but the API that answers after a while. Seconds are CPU seconds of
this process unless they are said to be of the clock, which other work on the machine makes longer. The
100,000 rows of the last figures are 2,000 by default; ``SPARRING_BENCH_ROWS=100000`` makes them that many.
"""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from statistics import median

import anyio
import httpx
from msgspec.structs import replace

from bench.figures import Figure, Figures, Scale
from sparring.app import App
from sparring.batch.job import Job
from sparring.batch.running import judge_batch
from sparring.schema.batch import Manifest
from sparring.testing import Workspace
from support.jurors import REPLIES

SEATS = {"with": "ann", "rebuttals": 0}
KILLS = 10

A_THOUSAND_S = 3.0

_API = """kind = "api"
family = "none"
title = "Slow"
api = "chat-completions"
base_url = "{url}/v1"
model = "m"
at_once = {at_once}
"""
"""A server on this machine is asked one question after the other unless its file says more."""

LEDGER = Path(".sparring") / "batch" / "ledger.sqlite"


def run(scale: Scale) -> Figures:
    """One after the other; see the module."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _jury(_workspace(Path(folder)), scale.of(2_000, smoke=20))
    with tempfile.TemporaryDirectory() as folder:
        yield from _verified(_workspace(Path(folder)), *scale.of((20_000, 2), smoke=(40, 1)))
    with tempfile.TemporaryDirectory() as folder:
        yield from _waited_for(Path(folder), *scale.of((512, 64, 0.2), smoke=(4, 2, 0.02)))
    with tempfile.TemporaryDirectory() as folder:
        rows = int(os.environ.get("SPARRING_BENCH_ROWS", "2000"))
        yield from _killed(_workspace(Path(folder)), scale.of(rows, smoke=30), scale.of(KILLS, smoke=1))


def _workspace(root: Path) -> Workspace:
    found = Workspace(root)
    found.add_scripted("ann", *REPLIES)
    (found.project / ".git").mkdir()
    return found


def _table(workspace: Workspace, rows: int, name: str = "t.csv") -> int:
    """A table of so many rows; how many bytes their texts have."""
    lines = [
        f'n{row},"Under {650_000 + row:,} cases were counted by March.","By March more than 645,000 cases were '
        f'counted, and {row:,} of them in the north; cases and cases."'
        for row in range(rows)
    ]
    (workspace.project / name).write_text("\n".join(("id,claim,truth", *lines, "")), encoding="utf-8")
    return sum(map(len, lines))


def _jury(workspace: Workspace, rows: int) -> Figures:
    _table(workspace, rows)
    _table(workspace, rows // 10, "few.csv")
    app, job = App(workspace.settings), Job("jury", ["t.csv"], "out", options=SEATS, form="jsonl")
    anyio.run(judge_batch, app, replace(job, inputs=["few.csv"], output="few"))  # what is loaded once is loaded now
    cpu_s, wall_s, _ = _held(app, job)
    new = rows - rows // 10
    yield Figure(
        "rows a second of a jury of four, CPU / 300",
        new / cpu_s / 300,
        f"{new / cpu_s:,.0f} a CPU second, {new / wall_s:,.0f} a second of the clock, {new:,} rows",
        ">= 1",
    )
    # The same rows fifty times: what is done once for a batch, as its page, is little beside them.
    (workspace.project / "fifty").mkdir()
    for copy in range(50):
        _table(workspace, rows, f"fifty/{copy}.csv")
    cpu_s, wall_s, _ = _held(app, replace(job, inputs=["fifty"], output="again"))
    read = 50 * rows
    yield Figure(
        "rows a second read again, CPU / 20,000",
        read / cpu_s / 20_000,
        f"{read / cpu_s:,.0f} a CPU second, {read / wall_s:,.0f} a second of the clock, {read:,} rows",
        ">= 1",
    )
    yield from _room(workspace, rows)


def _room(workspace: Workspace, rows: int) -> Figures:
    """Yield the space on the disk, for each row."""
    file = workspace.project / LEDGER
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as ledger:
        (answers,) = ledger.execute("SELECT sum(length(answer)) FROM sparring_exchange").fetchone()
    size = file.stat().st_size
    yield Figure(
        "bytes of the ledger for a row / 4,096",
        size / rows / 4096,
        f"{size / rows:,.0f} bytes with the answers, which are {answers / rows:,.0f}",
        "<= 1",
    )
    kept = (workspace.project / LEDGER.parts[0], workspace.project / "out")
    files = [each for folder in kept for each in folder.rglob("*") if each.is_file()]
    yield Figure("files / 30", len(files) / 30, f"{len(files)} files for {rows:,} rows", "<= 1")


def _verified(workspace: Workspace, rows: int, cores: int) -> Figures:
    _table(workspace, rows)
    app, job = App(workspace.settings), Job("verify", ["t.csv"], "out", form="jsonl")
    seconds = list[float]()
    for count in (1, cores):
        with _on_cores(count):
            seconds.append(_held(app, job)[1])
    one_s, two_s = seconds
    yield Figure(
        "rows checked on two cores / on one",
        one_s / two_s,
        f"{rows / two_s:,.0f} and {rows / one_s:,.0f} rows a second of the clock, of {os.cpu_count()} cores, "
        f"of which others had {os.getloadavg()[0]:.1f}",
        ">= 1.8",
    )


def _waited_for(root: Path, questions: int, at_once: int, delay_s: float) -> Figures:
    """Consultations of an API that answers after a while, beside the same requests by a bare client."""
    argv = [sys.executable, str(Path(__file__).with_name("slow_api.py")), str(delay_s)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # noqa: S101 -- tells the type checker
        url = server.stdout.readline().strip()
        try:
            bare_s = anyio.run(_bare, url, questions, at_once)
            workspace = Workspace(root)
            workspace.add_provider("slow", _API.format(url=url, at_once=at_once))
            lines = [f'{{"question": "Is {number} even?"}}' for number in range(questions)]
            (workspace.project / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")
            (workspace.project / "few.jsonl").write_text('{"question": "Is it even?"}', encoding="utf-8")
            app, options = App(workspace.settings), {"tool": "slow"}
            job = Job("consult", ["t.jsonl"], "out", options=options, form="jsonl", at_once=at_once)
            anyio.run(judge_batch, app, replace(job, inputs=["few.jsonl"], output="few"))  # loads what is loaded once
            batch_cpu_s, batch_s, manifest = _held(app, job)
        finally:
            server.terminate()
    yield Figure(
        f"API of {1000 * delay_s:.0f} ms, {at_once} at once: a bare client / a batch",
        bare_s / batch_s,
        f"{bare_s:.2f} s and {batch_s:.2f} s of the clock for {questions} questions: {dict(manifest.statuses)}",
        ">= 0.9",
    )
    yield Figure(
        f"CPU of 1,000 requests of a table over HTTP / {A_THOUSAND_S}",
        1000 * batch_cpu_s / questions / A_THOUSAND_S,
        f"{1000 * batch_cpu_s / questions:.2f} s, with a row for each; {questions} requests",
        "<= 1",
    )


async def _bare(url: str, questions: int, at_once: int) -> float:
    """Seconds that so many requests take, each read to its end."""
    room = anyio.CapacityLimiter(at_once)
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Is it even?"}]}

    async def ask(client: httpx.AsyncClient) -> None:
        async with room:
            await client.post(f"{url}/v1/chat/completions", json=body)

    limits = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
    async with httpx.AsyncClient(limits=limits, trust_env=False, timeout=60) as client:
        began = time.perf_counter()
        async with anyio.create_task_group() as group:
            for _ in range(questions):
                group.start_soon(ask, client)
        return time.perf_counter() - began


def _killed(workspace: Workspace, rows: int, kills: int) -> Figures:
    """A batch that is killed again and again, and one that is not, which has a ledger of its own."""
    questions = [f'{{"question": "Is {number} even?"}}' for number in range(rows)]
    (workspace.project / "t.jsonl").write_text("\n".join(questions), encoding="utf-8")
    chance = random.Random(7)  # noqa: S311 -- the same kills every time
    for at in sorted(chance.sample(range(rows), kills)):
        _memory(workspace, "killed", until=at)
    _memory(workspace, "killed")
    grown = _memory(workspace, "whole")
    manifest = Manifest.model_validate_json((workspace.project / "killed" / "_manifest.json").read_bytes())
    counts = manifest.ledger
    shards = [b"".join(file.read_bytes() for file in _parts(workspace, output)) for output in ("killed", "whole")]
    same = "the same bytes as in one go" if shards[0] == shards[1] else "OTHER BYTES than in one go"
    yield Figure(
        f"asked, {kills} kills / asked without one",
        counts.asked / rows,
        f"{counts.asked - rows} asked more than {rows:,}, {counts.asked_again} of them again; "
        f"{same}; {len(shards[0].splitlines()):,} rows",
        "<= 1.1",
    )
    # Caches that are bounded fill in the beginning, and what is under way comes and goes by some MiB: only the second
    # half of a long table shows whether anything grows with it.
    third, last = (median([kib for done, kib in grown if low <= done < low + 0.25] or [0]) for low in (0.5, 0.75))
    yield Figure(
        "memory, KiB for 1,000 rows / 2",
        max(0, last - third) / (rows / 4000) / 2,
        f"{third / 1024:,.1f} MiB in the third quarter of {rows:,} rows, {last / 1024:,.1f} in the last",
        "<= 1",
    )


def _memory(workspace: Workspace, output: str, until: int | None = None) -> list[tuple[float, int]]:
    """Hold the batch, until so many answers have come; how far it was and what memory it had, again and again."""
    typed = [sys.executable, "-m", "sparring", "batch", "consult", "--input", "t.jsonl", "--set", "write=jsonl"]
    typed += ["--tool", "ann", "--output", output, "--set", f"ledger={_ledger(workspace, output)}"]
    rows = (workspace.project / "t.jsonl").read_bytes().count(b"\n") + 1
    found = list[tuple[float, int]]()
    with subprocess.Popen(
        typed, cwd=workspace.project, env=workspace.environment, stdout=subprocess.DEVNULL
    ) as process:
        for answered in _counted(_ledger(workspace, output), process):
            found.append((answered / rows, _resident_kib(process.pid)))
            if until is not None and answered >= until:
                process.kill()
                break
    if until is None and process.returncode:
        raise SystemExit(f"a batch has ended with {process.returncode}")
    return found


def _ledger(workspace: Workspace, output: str) -> Path:
    return workspace.project / f"{output}.sqlite"


def _parts(workspace: Workspace, output: str) -> list[Path]:
    return sorted((workspace.project / output).glob("part-*"))


def _counted(ledger: Path, process: "subprocess.Popen[bytes]") -> Iterator[int]:
    """Yield the number of answers again and again until ``process`` ends."""
    while process.poll() is None:
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True)) as kept,
        ):
            while process.poll() is None:
                yield kept.execute("SELECT coalesce(sum(answered), 0) FROM sparring_allotment").fetchone()[0]
                time.sleep(0.05)
        time.sleep(0.05)  # there is none yet


@contextmanager
def _on_cores(count: int) -> Generator[None]:
    """Have no more than so many cores, and all that is started as well, where the system can see to it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(mine)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, mine)


def _held(app: App, job: Job) -> tuple[float, float, Manifest]:
    """CPU seconds and seconds of the clock that a batch takes, and what came of it."""
    used, began = time.process_time(), time.perf_counter()
    manifest = anyio.run(judge_batch, app, job)
    return time.process_time() - used, time.perf_counter() - began, manifest


def _resident_kib(process: int | str = "self") -> int:
    """Of the memory of a process what is not on disk."""
    try:
        told = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in told.splitlines() if line.startswith("VmRSS")), 0)
