"""Faults of real processes that share a ledger: ``python -m crash.ledger_faults`` prints what came of each.

An endpoint on loopback counts every request, so the figures do not rest on what the ledger says of itself. A process
asks a range of questions through ``app.exchanges`` and ends; one that was killed is started again with the same ones.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from msgspec import Struct, field

from sparring.app.exchanges.pacing import NO_RATES, Pacing
from sparring.app.exchanges.records import LedgerRecords
from sparring.app.exchanges.session import Exchanges, RunOwner
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Reply, Usage
from sparring.schema.transcript import Ask, TurnKind
from sparring.store.exchanges.amounts import Maximum
from sparring.store.exchanges.database import SqlStatement
from sparring.store.exchanges.ledger import ExchangeLedger
from support.postgres import PostgresServer, of_its_own, running_server

TOOL = "echo"
BRIEF = Brief(step="consult/ask", topic="What?", role=Role.CONSULTANT, round=1)
TOKENS = 50
_DONE_S = 300.0
_TESTS = Path(__file__).parents[1]


# In a process that asks.


class _Endpoint:
    """Puts a question to the counting endpoint, over a connection of its own."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def ask(self, question: Question) -> Reply:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(question.prompt.encode() + b"\n")
            said = (await reader.readline()).decode().strip()
            writer.close()
        except OSError:
            said = ""
        if not said:
            return Failure(tool=TOOL, code=FailureCode.CONNECTION, detail="the endpoint has gone")
        usage = Usage(input_tokens=TOKENS // 2, output_tokens=TOKENS // 2)
        return Answer(tool=TOOL, response=said, duration_ms=1, usage=usage)


class _NobodyElse:
    """Nothing goes on when its process has died."""

    def costs(self, ask: Ask) -> bool:
        del ask
        return True

    async def recover(self, ask: Ask, call: str) -> Reply | None:
        del ask, call
        return None

    def settle(self, call: str) -> None:
        del call


async def _ask_all(plan: Mapping[str, Any]) -> None:
    async def one(exchanges: Exchanges, room: asyncio.Semaphore, number: int) -> None:
        question = Question(prompt=f"{plan['batch']} {number}", brief=BRIEF, timeout_s=600)
        ask = Ask(id=f"q{number}", kind=TurnKind.ANSWER, role=Role.CONSULTANT, tool=TOOL, round=1, question=question)
        async with room:
            await exchanges.consultant(RunOwner(f"{number}"), ask, _Endpoint(plan["port"]), TOOL).ask(question)

    async def as_worker(at: int) -> None:
        how = {"spill_folder": Path(plan["spill"]), "max_wait_s": plan["max_wait_s"], "notify": print}
        with await asyncio.to_thread(lambda: ExchangeLedger.open(plan["address"], **how)) as ledger:
            pacing = Pacing(LedgerRecords(ledger), NO_RATES)
            maximum = Maximum.of(plan["calls"], plan["tokens"], None)
            exchanges = await asyncio.to_thread(
                lambda: Exchanges(ledger, plan["batch"], maximum, pacing, _NobodyElse(), lambda _: "m")
            )
            room = asyncio.Semaphore(plan["at_once"])
            numbers = list(range(plan["first"], plan["last"]))
            random.Random(plan["seed"] + at).shuffle(numbers)  # noqa: S311 -- the same every time
            async with pacing.running():
                await asyncio.gather(*(one(exchanges, room, number) for number in numbers))

    await asyncio.gather(*map(as_worker, range(plan["ledgers"])))


# In the process that starts them.


class Counted(Struct):
    """The endpoint: what it was asked, and what it has answered."""

    delay_s: float = 0.05
    asked: Counter[str] = field(default_factory=Counter[str])
    answered: Counter[str] = field(default_factory=Counter[str])
    open: int = 0
    most_open: int = 0
    port: int = 0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            prompt = (await reader.readline()).decode().strip()
            if prompt:
                self.asked[prompt] += 1
                self.open += 1
                self.most_open = max(self.open, self.most_open)
                await asyncio.sleep(self.delay_s)
                self.open -= 1
                self.answered[prompt] += 1
                writer.write(f"answer to {prompt}\n".encode())
                await writer.drain()
        writer.close()

    @property
    def twice(self) -> int:
        """Requests for what had been asked before."""
        return self.asked.total() - len(self.asked)

    @contextmanager
    def serving(self) -> "Generator[Counted]":
        """Answer while the block runs."""
        is_up, loop = threading.Event(), asyncio.new_event_loop()
        stop = asyncio.Event()

        async def serve() -> None:
            async with await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1000) as server:
                self.port = server.sockets[0].getsockname()[1]
                is_up.set()
                await stop.wait()

        def run() -> None:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(serve())

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        is_up.wait(30)
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join(30)


class Crew(Struct):
    """The processes of one ledger."""

    address: str
    counted: Counted
    folder: Path
    running: list[tuple[subprocess.Popen[bytes], dict[str, Any]]] = field(
        default_factory=list[tuple[subprocess.Popen[bytes], dict[str, Any]]]
    )
    ended: Counter[int] = field(default_factory=Counter[int])

    def start(
        self,
        last: int,
        *,
        batch: str = "a",
        calls: int | None = None,
        tokens: int | None = None,
        at_once: int = 8,
        ledgers: int = 1,
        clock: str = "",
    ) -> None:
        """Start a process that asks the questions below ``last``."""
        plan = {
            "address": self.address, "port": self.counted.port, "spill": str(self.folder), "max_wait_s": 120.0,
            "batch": batch, "first": 0, "last": last, "calls": calls, "tokens": tokens, "at_once": at_once,
            "ledgers": ledgers, "seed": len(self.running), "clock": clock,
        }  # fmt: skip
        self._start(plan)

    def _start(self, plan: dict[str, Any]) -> None:
        # The C library's waits do not see a faked monotonic clock: a wait of a second would take two hours.
        shifted = ("faketime", "--exclude-monotonic", "-f", plan["clock"]) if plan["clock"] else ()
        argv = [*shifted, sys.executable, "-m", "crash.ledger_faults", "--ask", json.dumps(plan)]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=_TESTS
            )
        self.running.append((process, plan))

    def alive(self) -> list[subprocess.Popen[bytes]]:
        """Those that have not ended."""
        for each in list(self.running):
            if each[0].poll() is not None:
                self.running.remove(each)
                self.ended[each[0].returncode] += 1
        return [process for process, _ in self.running]

    def kill(self, process: subprocess.Popen[bytes]) -> bool:
        """Kill it, and start it again; False where it had ended."""
        at = next(index for index, each in enumerate(self.running) if each[0] is process)
        _, plan = self.running.pop(at)
        process.kill()
        code = process.wait()
        self.ended[code] += 1
        if code == -signal.SIGKILL:
            self._start(plan)
        return code == -signal.SIGKILL

    def wait(self, within_s: float = _DONE_S) -> bool:
        """Wait for the end of all; whether it came."""
        until = time.monotonic() + within_s
        while self.alive() and time.monotonic() < until:
            time.sleep(0.05)
        left = self.alive()
        for process in left:
            process.kill()
            process.wait()
        return not left


_KEPT = SqlStatement("SELECT count(*) FROM sparring_exchange WHERE state = 'answered'")


def report(crew: Crew, batches: Sequence[str], keys: int) -> dict[str, Any]:
    """Return the counts of the endpoint beside those of the ledger."""
    counted, found = crew.counted, dict[str, Any]()
    with ExchangeLedger.open(crew.address, spill_folder=crew.folder) as ledger:
        standings = {batch: ledger.batch_state(batch) for batch in batches}
        ((kept,),) = ledger.run_statements_now([_KEPT], lambda rows: rows[0])
    found["questions"], found["answers kept"] = keys, kept
    found["requests"] = counted.asked.total()
    found["reported"] = sum(each.asked for each in standings.values())
    found["paid twice"] = counted.twice
    found["reported twice"] = sum(each.asked_again for each in standings.values())
    found["lost"] = sum(each.lost_calls for each in standings.values())
    found["exceeded"] = [each.exceeded.calls for each in standings.values()]
    found["ended"] = dict(crew.ended)
    return found


def kills(
    address: str, folder: Path, count: int, *, processes: int = 4, delay_s: float = 0.05, tokens: int | None = None
) -> dict[str, Any]:
    """Kill processes at random moments until ``count`` have died, then let the rest end; ``tokens`` limits them."""
    rng, at_once = random.Random(7), 4  # noqa: S311 -- the same every time
    with Counted(delay_s).serving() as counted:
        crew, done, keys = Crew(address, counted, folder), 0, 0
        limit = 1 << 30
        keys = max(100, count * 12)
        for _ in range(processes):
            crew.start(keys, at_once=at_once, calls=limit, tokens=tokens)
        while done < count and crew.alive():
            asked = counted.asked.total()
            until = time.monotonic() + 30
            beyond = asked + rng.randrange(1, 24)
            while counted.asked.total() < beyond and crew.alive() and time.monotonic() < until:
                time.sleep(0.002)
            if left := crew.alive():
                done += crew.kill(rng.choice(left))
        ended = crew.wait(1200)
        return {"kills": done, "all ended": ended, "in flight a process": at_once} | report(crew, ["a"], keys)


def two_batches(address: str, folder: Path) -> dict[str, Any]:
    """Two batches on one ledger, with limits of their own, two processes each."""
    with Counted(0.01).serving() as counted:
        crew = Crew(address, counted, folder)
        for batch, calls in (("a", 120), ("b", 40)):
            for _ in range(2):
                crew.start(200, batch=batch, calls=calls)
        ended = crew.wait()
        of = Counter(prompt.split()[0] for prompt in counted.asked.elements())
        return {"all ended": ended, "requests by batch": dict(of)} | report(crew, ["a", "b"], 400)


def other_clock(address: str, folder: Path) -> dict[str, Any]:
    """One of two processes is two hours ahead; a limit holds all the same."""
    with Counted(0.02).serving() as counted:
        crew = Crew(address, counted, folder)
        crew.start(300, calls=60)
        crew.start(300, calls=60, clock="+2h")
        ended = crew.wait()
        return {"all ended": ended} | report(crew, ["a"], 300)


def crowd(address: str, folder: Path, *, workers: int = 64) -> dict[str, Any]:
    """Many workers at once, eight to a process."""
    with Counted(0.02).serving() as counted:
        crew = Crew(address, counted, folder)
        for _ in range(workers // 8):
            crew.start(2000, calls=1500, ledgers=8, at_once=4)
        ended = crew.wait(600)
        return {"all ended": ended, "workers": workers} | report(crew, ["a"], 2000)


def restarted(server: PostgresServer, folder: Path, mode: signal.Signals = signal.SIGINT) -> dict[str, Any]:
    """The server is restarted while two processes ask."""
    address = of_its_own(server.address, f"restart_{uuid4().hex}")
    with Counted(0.05).serving() as counted:
        crew = Crew(address, counted, folder)
        for _ in range(2):
            crew.start(600, calls=600)
        while counted.asked.total() < 100 and crew.alive():
            time.sleep(0.01)
        server.restart(mode)
        ended = crew.wait()
        return {"all ended": ended} | report(crew, ["a"], 600)


_LONG = 8000


def paused(address: str, folder: Path, *, tries: int = 400) -> dict[str, Any]:
    """A process is stopped inside a transaction: the others go on, of a file when it does, and all end."""
    within_s = 240.0 if "://" in address else 10.0
    with Counted(0.02).serving() as counted:
        crew = Crew(address, counted, folder)
        for _ in range(3):
            crew.start(_LONG, calls=_LONG, at_once=16)
        while counted.asked.total() < 30 and crew.alive():
            time.sleep(0.01)
        rng, hit, tried = random.Random(3), False, 0  # noqa: S311 -- the same every time
        stopped = crew.running[0][0]
        while not hit and tried < tries and stopped.poll() is None:
            tried += 1
            os.kill(stopped.pid, signal.SIGSTOP)
            hit = _is_inside(address)
            if not hit:
                os.kill(stopped.pid, signal.SIGCONT)
                time.sleep(rng.random() / 200)
        before, began = counted.asked.total(), time.monotonic()
        others = [process for process in crew.alive() if process is not stopped]
        while any(process.poll() is None for process in others) and time.monotonic() < began + within_s:
            time.sleep(0.05)
        ended_s, after = time.monotonic() - began, counted.asked.total()
        with suppress(ProcessLookupError):
            os.kill(stopped.pid, signal.SIGCONT)
        ended = crew.wait()
        found = {"stopped inside": hit, "tries": tried, "asked meanwhile": after - before}
        return {"all ended": ended, "others ended after s": round(ended_s, 1)} | found | report(crew, ["a"], _LONG)


def _is_inside(address: str) -> bool:
    """Return whether a stopped process has a transaction open."""
    if "://" in address:
        import psycopg  # noqa: PLC0415 -- not everybody has it

        with psycopg.connect(address, autocommit=True) as connection:
            query = (
                "SELECT pid, xact_start FROM pg_stat_activity WHERE xact_start IS NOT NULL "
                "AND (state LIKE 'idle in transaction%' OR (state = 'active' AND wait_event = 'ClientRead'))"
            )
            if first := set(connection.execute(query).fetchall()):
                time.sleep(0.2)
            return bool(first & set(connection.execute(query).fetchall()))
    import sqlite3  # noqa: PLC0415 -- only where it is one

    connection = sqlite3.connect(address, timeout=3, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return True
    finally:
        connection.close()
    return False


def _found(name: str, server: PostgresServer, folder: Path, count: int) -> dict[str, Any]:
    """Return the report of a fault, by its name and place: ``kills:sqlite``, ``restart:fast``."""
    kind, _, place = name.partition(":")
    if kind == "restart":
        return restarted(server, folder, signal.SIGQUIT if place == "immediate" else signal.SIGINT)
    address = str(folder / "ledger.sqlite")
    if place == "postgres":
        address = of_its_own(server.address, f"faults_{uuid4().hex}")
    if kind == "kills":
        return kills(address, folder, count)
    return {"batches": two_batches, "clock": other_clock, "crowd": crowd, "paused": paused}[kind](address, folder)


_LOGGED = 600


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ask", default="", help="Used by the processes themselves.")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("faults", nargs="*", help="E.g. kills:sqlite, paused:postgres, restart:fast.")
    typed = parser.parse_args()
    if typed.ask:
        asyncio.run(_ask_all(json.loads(typed.ask)))
        return
    with running_server(max_connections=100) as server:
        for name in typed.faults:
            with tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                found = _found(name, server, Path(folder), typed.kills)
                log = (Path(folder) / "log").read_text()[-_LOGGED:]
                sys.stdout.write(f"{name}: {time.monotonic() - began:.0f} s, {json.dumps(found)}\n{log}")
                sys.stdout.flush()


if __name__ == "__main__":
    _main()
