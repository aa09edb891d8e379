"""What runs in the processes of a cluster: one leads and reads, several judge, and one keeps what all share.

``batch.ray`` starts them. The one that leads holds the pipeline of Ray Data, which cannot be held by a program outside
of the cluster (``ray://``). Between the processes go blocks of rows, pickled, and nothing of the environment of the
program that started it: what a node needs to ask a tool stands in the node's own environment.

Every block is a row of its own for Ray, so that it is dealt out, and after the loss of a node done again, as a whole.
"""

import asyncio
import contextlib
import os
import pickle
import secrets
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import sparring
from sparring.app import App
from sparring.batch.addresses import optional
from sparring.batch.allowances import Home
from sparring.batch.checks import ClaimChecks
from sparring.batch.engine import RowEngine, format_of
from sparring.batch.job import BLOCK, Job, rows_in
from sparring.batch.limits import BatchLimits
from sparring.batch.results import Told
from sparring.batch.rows import BatchRow, Columns
from sparring.errors import ClusterError, SparringError
from sparring.prompts import PromptLibrary
from sparring.settings import Settings
from sparring.store.ledger import Ledger

T = TypeVar("T")

NAMESPACE = "sparring"
WORKER_CPUS = 0.25
"""What a worker takes of a node's logical CPUs: little, so that those of a lost node have room on the others."""

_READER_CPUS = 0.1
_IDLE_S = 5.0
"""A worker that has had no rows for so long gives back what it holds: rows, money, connections."""

_LEASE_S = 15.0
"""So many seconds after the last sign of life of a worker its rows are free: others judge those of a lost node."""

_CLOSING_S = 10.0
_ANSWER_S = 60.0
_FORGOTTEN_S = 300.0
"""What is shared ends when nobody has asked for it for so long: whoever started it has been killed."""

Judge = Callable[[Sequence[BatchRow]], Awaitable[list[Told]]]


@dataclass(frozen=True)
class LeaderPlan:
    """What the one who leads is to do.

    Attributes:
        job: Its ledger is an address that holds everywhere.
        columns: Which of the table is which.
        settings: The digest of what every row is asked (``batch.rows.RowSettings``); empty where nobody is asked.
        cwd: From where the program sees its paths.
        node: The node that leads and reads.
        state: The name of what is shared.
        version: What every node must have installed.
        names_nodes: Whether a problem is told with the address of its node: there are several.
        workers: How many processes judge.
        rows_per_block: What a worker is given at once.
        blocks_at_once: How many of these it works on side by side.
    """

    job: Job
    columns: Columns
    settings: bytes
    cwd: Path
    node: str
    state: str
    version: str
    names_nodes: bool
    workers: int
    rows_per_block: int
    blocks_at_once: int


@dataclass(frozen=True)
class Failed:
    """Why a block could not be read, or not be worked on: all of it ends with that."""

    error: SparringError


def installed_version() -> str:
    """The version of this package, of its code and of its prompts: only then are rows the same rows everywhere."""
    found, package, prompts = sha256(), Path(sparring.__file__).parent, PromptLibrary()
    for path in sorted((*package.rglob("*.py"), *package.rglob("*.toml"))):
        found.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    for name in prompts.names():
        found.update(f"{name}\0{prompts.template(name).body}".encode())
    return f"{sparring.__version__} ({found.hexdigest()[:12]})"


class Shared:
    """The actor that keeps limits and money for the cluster, and knows who works.

    It has a name and belongs to nobody, for several programs that use one ledger share it; the last one that leaves
    ends it. All of its methods run one after the other.
    """

    def __init__(self) -> None:
        self._records = dict[str, bytes]()
        self._programs = set[str]()
        self._workers = dict[str, str]()
        self._has_begun = False
        self._asked = time.monotonic()
        threading.Thread(target=self._end_when_forgotten, daemon=True).start()

    def shared(self, name: str, change: Callable[[bytes | None], tuple[bytes | None, T]]) -> T:
        """Replace a record by what ``change`` makes of it; what it tells besides."""
        self._asked = time.monotonic()
        after, told = change(self._records.get(name))
        if after is None:
            self._records.pop(name, None)
        else:
            self._records[name] = after
        return told

    def joined(self, program: str) -> None:
        """A program uses this."""
        self._asked = time.monotonic()
        self._programs.add(program)

    def left(self, program: str) -> None:
        """It does no more."""
        self._programs.discard(program)
        if not self._programs:
            optional("ray", "ray").actor.exit_actor()

    def opened(self, worker: str, node: str) -> None:
        """A worker of that node has begun to work."""
        self._workers[worker] = node
        self._has_begun = True

    def closed(self, worker: str) -> None:
        """It has given back what it held."""
        self._workers.pop(worker, None)

    def workers(self) -> dict[str, str]:
        """The workers that hold something now, with their nodes."""
        return self._workers

    def has_begun(self, program: str) -> bool:
        """Whether there has been any worker; ``program`` is noted to be alive."""
        self.joined(program)
        return self._has_begun

    def _end_when_forgotten(self) -> None:
        while time.monotonic() - self._asked < _FORGOTTEN_S:
            time.sleep(_FORGOTTEN_S / 10)
        os._exit(0)


@dataclass(frozen=True)
class ClusterState:
    """``batch.allowances.SharedState`` of a cluster: its records live with ``Shared``."""

    name: str

    def shared(self, name: str, change: Callable[[bytes | None], tuple[bytes | None, T]]) -> T:
        """What ``Shared.shared`` does. ``change`` travels there, so it is something that can be pickled.

        Raises:
            ClusterError: What all share is gone, or does not answer.
        """
        return self.call("shared", name, change)

    def call(self, method: str, *arguments: object) -> Any:
        """Call a method of ``Shared``.

        Raises:
            ClusterError: What all share is gone, or does not answer.
        """
        ray = optional("ray", "ray")
        try:
            actor = ray.get_actor(self.name, namespace=NAMESPACE)
        except ValueError as error:
            raise _gone() from error
        try:
            return ray.get(getattr(actor, method).remote(*arguments), timeout=_ANSWER_S)
        except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError) as error:
            raise _gone() from error


def _gone() -> ClusterError:
    return ClusterError(
        "What keeps limits and money for the cluster is gone.", hint="Start again: what was answered is kept."
    )


class Lead:
    """The actor that holds the pipeline: read, work in actors, hand on in the order of the table."""

    def __init__(self, plan: LeaderPlan) -> None:
        data = optional("ray.data", "ray")
        context = data.DataContext.get_current()
        context.enable_progress_bars = False
        context.target_max_block_size = 1  # a block of ours is one of Ray's, however small
        context.execution_options.preserve_order = True
        here = optional("ray.util.scheduling_strategies", "ray").NodeAffinitySchedulingStrategy(plan.node, soft=False)
        every = {"batch_size": 1, "batch_format": "pyarrow"}
        told = data.from_items([{"body": pickle.dumps(plan)}], override_num_blocks=1)
        read = told.map_batches(read_blocks, num_cpus=_READER_CPUS, scheduling_strategy=here, **every)
        pool = data.ActorPoolStrategy(
            size=plan.workers,
            max_concurrent_calls_per_actor=plan.blocks_at_once,
            max_tasks_in_flight_per_actor=plan.blocks_at_once + 1,
            enable_true_multi_threading=True,
        )
        worked = read.map_batches(
            Worker,
            fn_constructor_args=(plan,),
            compute=pool,
            num_cpus=WORKER_CPUS,
            scheduling_strategy="SPREAD",
            **every,
        )
        self._batches = iter(worked.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=1))

    def next_blocks(self) -> list[bytes]:
        """Pickled ``EndedBlock`` or ``Failed``, the next in the order of the table; empty when there are no more."""
        batch = next(self._batches, None)
        return [] if batch is None else batch["body"].to_pylist()


def read_blocks(batch: Any) -> Iterator[Any]:
    """The rows that a plan names, in blocks; where they cannot be read, that is the last block."""
    [body] = batch["body"].to_pylist()
    plan: LeaderPlan = pickle.loads(body)  # noqa: S301 -- `Lead` pickled it
    size = plan.rows_per_block
    try:
        # The shards of a table are parted by blocks of one size, whatever judges them.
        for rows in rows_in(plan.job, plan.columns, plan.cwd, BLOCK):
            for first in range(0, len(rows), size):
                yield _as_batch(rows[first : first + size])
    except SparringError as error:
        yield _as_batch(_failed(error, plan))


def _as_batch(value: object) -> Any:
    return optional("pyarrow", "ray").table({"body": [pickle.dumps(value)]})


def _failed(error: SparringError, plan: LeaderPlan) -> Failed:
    if plan.names_nodes and error.args:
        node = optional("ray", "ray").util.get_node_ip_address()
        error.args = (f"{error.args[0]} (On node {node}.)", *error.args[1:])
    return Failed(error)


def other_version(found: str, wanted: str) -> ClusterError:
    """That a node has another version than the program that has started all."""
    return ClusterError(
        f"A node has sparring {found}, and this is {wanted}.", hint="Install the same version on every node."
    )


class Worker:
    """The actor that judges blocks, several at once, with one engine."""

    def __init__(self, plan: LeaderPlan) -> None:
        self._plan = plan
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._engine = _Engine(plan)

    def __call__(self, batch: Any) -> Any:
        """What came of the one block in ``batch``; several threads call this."""
        [body] = batch["body"].to_pylist()
        block: list[BatchRow] | Failed = pickle.loads(body)  # noqa: S301 -- `read_blocks` pickled it
        if isinstance(block, Failed):
            return batch
        return _as_batch(asyncio.run_coroutine_threadsafe(self._judged(block), self._loop).result())

    def __del__(self) -> None:
        """Give back what is held: Ray lets go of a worker before its process ends, when there is no more to do."""
        with contextlib.suppress(Exception):  # what is held is free when its lease has expired
            asyncio.run_coroutine_threadsafe(self._engine.close(), self._loop).result(_CLOSING_S)

    async def _judged(self, block: list[BatchRow]) -> list[Told] | Failed:
        try:
            return await self._engine.judged(block)
        except SparringError as error:
            return _failed(error, self._plan)


class _Engine:
    """An engine that is open while there are rows for it; one task opens and closes it, as what it holds demands.

    It is closed in between, too: others may wait for what it holds.
    """

    def __init__(self, plan: LeaderPlan) -> None:
        self._plan = plan
        self._state = ClusterState(plan.state)
        self._node: str = optional("ray", "ray").get_runtime_context().get_node_id()
        self._worker = f"ray-{self._node[:8]}-{os.getpid()}-{secrets.token_hex(4)}"
        self._under_way = 0
        self._opened: asyncio.Future[Judge] | None = None
        self._idle = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None
        self._closing: asyncio.TimerHandle | None = None

    async def judged(self, block: Sequence[BatchRow]) -> list[Told]:
        """What came of these rows.

        Raises:
            SparringError: The engine cannot be opened, or cannot go on.
        """
        self._under_way += 1
        if self._closing:
            self._closing.cancel()
        try:
            if self._opened is None:
                self._opened, self._idle = asyncio.get_running_loop().create_future(), asyncio.Event()
                self._keeping = asyncio.create_task(self._keep(self._opened, self._idle, self._keeping))
            judge = await asyncio.shield(self._opened)
            return await judge(block)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._closing = asyncio.get_running_loop().call_later(_IDLE_S, self._let_go)

    async def close(self) -> None:
        """Give back what is held."""
        self._let_go()
        if self._keeping:
            await asyncio.wait([self._keeping])

    def _let_go(self) -> None:
        self._idle.set()
        self._opened = None

    async def _keep(
        self, opened: "asyncio.Future[Judge]", idle: asyncio.Event, before: "asyncio.Task[None] | None"
    ) -> None:
        if before:
            await asyncio.wait([before])
        try:
            await asyncio.to_thread(self._state.call, "opened", self._worker, self._node)
            async with _judging(self._plan, self._state, self._worker) as judge:
                opened.set_result(judge)
                await idle.wait()
        except Exception as error:
            if opened.done():
                raise  # into the log of this process: what was asked and answered is in the ledger
            opened.set_exception(error)
        finally:
            await asyncio.to_thread(self._state.call, "closed", self._worker)


@asynccontextmanager
async def _judging(plan: LeaderPlan, state: ClusterState, worker: str) -> AsyncGenerator[Judge]:
    """What judges rows on this node, by the environment and the provider files that the node has.

    Raises:
        SparringError: It cannot, or would ask others than the program that has started all.
    """
    if (found := installed_version()) != plan.version:
        raise other_version(found, plan.version)
    job, format_ = plan.job, format_of(plan.job)
    if format_ is None:
        with ClaimChecks(processes=1) as checks:
            yield checks.judged
        return
    cwd = plan.cwd if plan.cwd.is_dir() else Path(tempfile.gettempdir())
    app = App(Settings.read(os.environ, cwd))
    app.roster.sweep()
    rules = job.limits.with_usual_at_once(app.roster.providers.specs.values())
    origin = app.place.provenance
    with Ledger.open(job.ledger, worker=worker, lease_s=_LEASE_S, provenance=origin) as ledger:
        limits = BatchLimits(rules, Home(state, time.time), worker)
        engine = RowEngine(app, job, format_, ledger, limits)
        if engine.settings.digest != plan.settings:
            raise ClusterError(
                "A node would ask others than this machine: its provider files, or the models that are set, differ.",
                hint="Make them the same on every node.",
            )
        async with limits.running():
            yield engine.judged
