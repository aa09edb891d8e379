"""A batch on the nodes of a Ray cluster: what comes of it, what is paid when a node is lost, and what is left behind.

`make test-ray` runs these; they take about four minutes. The models are an endpoint on loopback, which counts
by row.
"""

import json
import re
import signal
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest

from sparring.testing.model_endpoint import Behaviour, ModelEndpoint, Request, Say
from support.ledgers import answers_in
from support.postgres import find_postgres, of_its_own
from support.ray_cluster import RayCluster, skip_where_it_cannot_start
from support.workbench import PROGRAM, Workbench

pytestmark = [pytest.mark.ray, pytest.mark.process, pytest.mark.timeout(420)]

ROWS, ANSWERED_AT_ONCE = 200, 30
WORKERS, OF_A_WORKER = 4, 16
"""As many as the logical CPUs of two nodes are good for. Ray spreads them as best it can: two may share one."""

PATIENCE_S = 180


class Rows:
    """Answers each row, and counts how often each was asked about; from the 31st question on only when it may."""

    def __init__(self) -> None:
        self.asked = Counter[str]()
        self.may_go_on = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Behaviour:
        found = re.search(r"row (\d+)\b", request.prompt)
        assert found is not None
        with self._lock:
            self.asked[found[1]] += 1
            waits = self.asked.total() > ANSWERED_AT_ONCE
        if waits:
            self.may_go_on.wait(PATIENCE_S)
        return Say(f"It is row {found[1]}.")


@pytest.fixture(scope="module")
def rows() -> Rows:
    return Rows()


@pytest.fixture(scope="module")
def endpoint(rows: Rows) -> Iterator[ModelEndpoint]:
    with ModelEndpoint(rows, keeps_alive=True) as endpoint:
        yield endpoint
        rows.may_go_on.set()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, endpoint: ModelEndpoint) -> Workbench:
    bench = Workbench.below(tmp_path_factory.mktemp("bench"))
    bench.add_api("mine", endpoint.url, "key_optional = true", 'model = "m"', "at_once = 500")
    table = "".join(f'r{number},"Is row {number} right?"\n' for number in range(1, ROWS + 1))
    (bench.project / "rows.csv").write_text("id,question\n" + table, encoding="utf-8")
    return bench


@pytest.fixture(scope="module")
def cluster(bench: Workbench) -> Iterator[RayCluster]:
    with skip_where_it_cannot_start(), RayCluster(bench.environment) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def counted_anew(rows: Rows) -> None:
    rows.asked.clear()
    rows.may_go_on.clear()


@pytest.fixture(scope="module")
def shared_ledger(request: pytest.FixtureRequest) -> str:
    """What workers on several machines would have, where there is a Postgres; else a file that all of these reach."""
    return of_its_own(request.getfixturevalue("postgres"), "on_ray") if find_postgres() else "on-ray.sqlite"


def batch(output: str, *options: str, ledger: str = "") -> tuple[str, ...]:
    kept = ("--timeout", "600", "--output", output, "--set", "write=jsonl", "--json")
    kept = (*kept, "--set", f"ledger={ledger or f'{output}.sqlite'}")
    return (*PROGRAM, "batch", "consult", "--input", "rows.csv", "--tool", "mine", *kept, *options)


@contextmanager
def begun(bench: Workbench, environment: dict[str, str], *command: str) -> Generator[subprocess.Popen[str]]:
    """A program, which is gone when the block ends."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = environment | {"PYTHONFAULTHANDLER": "1"}
    program = subprocess.Popen(command, cwd=bench.project, env=environment, **pipes)
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


def manifest_of(program: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, err
    return json.loads(out)  # nothing of Ray's own stands there


def done(bench: Workbench, environment: dict[str, str], *command: str) -> dict[str, Any]:
    """The manifest of a program that is run to its end."""
    with begun(bench, environment, *command) as program:
        return manifest_of(program)


def wait_until_asked(endpoint: ModelEndpoint, times: int, program: subprocess.Popen[str]) -> None:
    """Return once that often was asked; what the program says where it has ended, or takes too long, is raised."""
    for _ in range(PATIENCE_S):
        with suppress(TimeoutError):
            endpoint.wait_for(times, timeout_s=1)
            return
        if program.poll() is not None:
            break
    program.send_signal(signal.SIGABRT)  # with PYTHONFAULTHANDLER it says where it was
    pytest.fail(f"{len(endpoint.requests)} were asked:\n{program.communicate(timeout=PATIENCE_S)[1][-4000:]}")


def told(bench: Workbench, output: str) -> list[tuple[Any, ...]]:
    """What the shards say of each row, but for what it has cost."""
    parts = sorted((bench.project / output).glob("part-*.jsonl"))
    lines = [json.loads(line) for part in parts for line in part.read_text(encoding="utf-8").splitlines()]
    return [tuple(row[name] for name in ("row", "id", "line", "status", "text", "run", "incomplete")) for row in lines]


def test_a_lost_node_changes_nothing_but_what_was_asked_and_not_answered(
    bench: Workbench, cluster: RayCluster, endpoint: ModelEndpoint, rows: Rows, shared_ledger: str
) -> None:
    before = len(endpoint.requests)
    on_ray = ("--set", "engine=ray", "--set", f"ray_address={cluster.address}", "--set", "tool_at_once=mine=500")
    call = batch("on-ray", *on_ray, "--set", f"at_once={OF_A_WORKER}", ledger=shared_ledger)
    with begun(bench, cluster.environment, *call) as program:
        # More than all but one can have under way: every worker has asked for something.
        wait_until_asked(endpoint, before + ANSWERED_AT_ONCE + (WORKERS - 1) * OF_A_WORKER + 1, program)
        cluster.lose_node()
        rows.may_go_on.set()
        manifest = manifest_of(program)
    of_the_cluster, asked_again = Counter(rows.asked), manifest["ledger"]["asked_again"]
    done(bench, bench.environment, *batch("locally"))

    assert told(bench, "on-ray") == told(bench, "locally")
    assert (len(of_the_cluster), len(told(bench, "on-ray"))) == (ROWS, ROWS)
    counted = {"answered": ROWS, "failed": 0, "lost": asked_again, "asked_again": asked_again}
    assert manifest["ledger"] == {"asked": ROWS + asked_again, **counted}
    # Of those asked again one may have been killed between writing that it asks and asking.
    assert 0 < of_the_cluster.total() - ROWS <= asked_again <= WORKERS * OF_A_WORKER
    assert max(of_the_cluster.values()) == 2


def test_a_batch_stopped_on_a_cluster_continues_and_leaves_no_worker(
    bench: Workbench, cluster: RayCluster, endpoint: ModelEndpoint, rows: Rows
) -> None:
    """By the end of its time before anybody was there, then by Ctrl-C in the middle."""
    before = len(endpoint.requests)
    call = batch("stopped", "--set", "engine=ray", "--set", f"ray_address={cluster.address}")
    with begun(bench, cluster.environment, *call, "--set", "max_time=0.000001") as late:
        out, err = late.communicate(timeout=PATIENCE_S)
    assert late.returncode == 1, err
    manifest = json.loads(out)
    assert "error" not in manifest, err
    assert (late.returncode, manifest["is_whole"], manifest["rows"], rows.asked.total()) == (1, False, 0, 0)

    with begun(bench, cluster.environment, *call) as program:
        wait_until_asked(endpoint, before + ANSWERED_AT_ONCE + 1, program)
        # A worker that is ended writes no more; for as long as a test may take.
        while answers_in(bench.project / "stopped.sqlite") < ANSWERED_AT_ONCE:
            time.sleep(0.1)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=PATIENCE_S)
    assert (program.returncode, json.loads(out)["error"]["code"]) == (130, "interrupted"), err
    assert "Nothing is lost: the same command continues where it stopped." in err
    assert not (bench.project / "stopped" / "_manifest.json").exists()
    while cluster.at_work():  # for as long as a test may take
        time.sleep(0.1)

    rows.may_go_on.set()
    manifest = done(bench, cluster.environment, *call)
    assert [row[0] for row in told(bench, "stopped")] == list(range(1, ROWS + 1))
    assert manifest["ledger"]["answered"] == ROWS  # in both starts together: none is answered twice
    assert max(rows.asked.values()) <= 2


def test_losing_a_cluster_is_reported_and_answers_are_kept(
    bench: Workbench, cluster: RayCluster, endpoint: ModelEndpoint, rows: Rows
) -> None:
    """The last one that has a use for this cluster, of which one node may be left."""
    before, of_a_worker = len(endpoint.requests), (ANSWERED_AT_ONCE - 1) // WORKERS
    on_ray = ("--set", "engine=ray", "--set", f"ray_address={cluster.client_address}", "--set", "tool_at_once=mine=500")
    call = batch("lost", *on_ray, "--set", f"at_once={of_a_worker}")
    with begun(bench, {**cluster.environment, "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "5"}, *call) as program:
        # More than all can have under way, however many they are, and fewer than are answered at once.
        wait_until_asked(endpoint, before + WORKERS * of_a_worker + 1, program)
        cluster.lose(program.pid)
        rows.may_go_on.set()
        out, err = program.communicate(timeout=PATIENCE_S)
    problem = json.loads(out)["error"]
    assert (program.returncode, problem["code"]) == (1, "cluster"), err
    assert problem["message"] == "The head of the cluster does not answer any more."
    manifest = done(bench, bench.environment, *batch("lost"))
    assert [row[0] for row in told(bench, "lost")] == list(range(1, ROWS + 1))
    assert manifest["ledger"]["answered"] == ROWS > manifest["process"]["answered"]
    assert max(rows.asked.values()) <= 2


def test_a_cluster_that_a_batch_started_ends_with_it_and_releases_its_shares(bench: Workbench, rows: Rows) -> None:
    rows.may_go_on.set()
    manifest = done(bench, bench.environment, *batch("out", "--set", "engine=ray", "--max-calls", "1000"))

    assert (manifest["engine"], manifest["rows"], manifest["ledger"]["asked"]) == ("ray", ROWS, ROWS)
    assert set(rows.asked.values()) == {1}
    with closing(sqlite3.connect(bench.project / "out.sqlite")) as ledger:
        assert ledger.execute("SELECT count(*) FROM sparring_exchange WHERE state = 'sent'").fetchone() == (0,)
        assert ledger.execute("SELECT count(*) FROM sparring_worker WHERE expires > 0").fetchone() == (0,)
