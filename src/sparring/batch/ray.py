"""Many machines: starts workers of a batch on the nodes of a Ray cluster, and restarts them when a node is lost.

A worker is an ordinary process of a batch: it claims blocks in the ledger, reads the table, judges, and writes the
shards of its blocks. Workers share their state through the ledger, so Ray transfers nothing between them. Several
processes that a user starts by hand on several machines, with one ledger and one output, do the same without Ray.

Without an address a cluster is started on this machine: reachable on loopback alone, with its own token, and with its
files in a private folder, which is removed with it.
"""

import contextlib
import logging
import os
import pickle
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

import sparring
from sparring.app import App
from sparring.app.exchanges.opening import ledger_of
from sparring.batch import addresses
from sparring.batch.engine import RowRequests, format_of
from sparring.batch.job import Job
from sparring.batch.work import Notify, take_part
from sparring.errors import ClusterError, SparringError, UsageError
from sparring.prompts import PromptLibrary
from sparring.schema.batch import Manifest
from sparring.settings import Settings

NAMESPACE = "sparring"
_CPUS = 4
"""Logical CPUs for one worker, which waits for models most of the time."""
_WORKER_CPUS = 0.25
"""CPUs that a worker reserves on a node: few, so that the workers of a lost node fit on the others."""
_STORE_BYTES = 80 * 2**20
_LOOK_S, _LEAVING_S = 0.5, 20.0
_STARTING_S = 120.0
_MOST_WORKERS = 64
_START_AGAIN = "Start again: what was answered is kept."
_POSTGRES = ("postgresql://", "postgres://")


class NodePlan(Struct, frozen=True):
    """Plan of a worker on a node.

    Attributes:
        job: Its ledger and output have addresses that are valid on every node.
        settings: The digest of everything that determines the questions (``batch.rows.RowSettings``).
        cwd: Folder that relative paths start from.
        version: The version that every node must have installed.
    """

    job: Job
    settings: bytes
    cwd: Path
    version: str


class WorkerFailure(Struct, frozen=True):
    """Failure of a worker, with its node."""

    error: SparringError
    node: str


async def judge_on_cluster(app: App, job: Job, notify: Notify) -> Manifest:
    """Let the nodes of a cluster judge the batch, and return its manifest.

    If it is cancelled, it ends the workers and leaves a ledger with which the next call continues.

    Raises:
        UsageError: Ray is not installed, the batch needs no cluster, or the address of the ledger holds a password.
        ClusterError: There is no such cluster, it is unsuitable, or the connection to it was lost.
        SparringError: A worker failed.
    """
    format_ = format_of(job)
    if format_ is None or job.by_batch:
        needless = "Code alone checks these rows" if format_ is None else "A provider's batches are answered in a day"
        raise UsageError(
            f"{needless}: no cluster is needed.", hint="Leave out engine=ray; --set shard=I/N shares a table by hand."
        )
    _check_no_password(job.ledger)
    ledger = job.ledger or ledger_of(app, "")
    requests = RowRequests(app, job, format_)
    plan = NodePlan(
        replace(job, engine="local", address="", ledger=ledger),
        requests.settings.digest,
        app.settings.cwd,
        installed_version(),
    )
    stop = Event()
    try:
        manifest = await to_thread.run_sync(_run_on_cluster, plan, job, stop, notify, abandon_on_cancel=True)
    finally:
        stop.set()
    return manifest.model_copy(update={"engine": "ray"})


def _run_on_cluster(plan: NodePlan, job: Job, stop: Event, notify: Notify) -> Manifest:
    with _connected(_address(job)) as ray, _translated(ray):
        nodes = _nodes(ray)
        check_nodes(nodes, plan.job, host=socket.gethostname())
        _check_versions(ray, nodes)
        count = job.processes or workers_for(nodes)
        options = {"num_cpus": _WORKER_CPUS, "max_retries": -1, "scheduling_strategy": "SPREAD"}
        worker = ray.remote(**options)(work_on_node)
        running = [worker.remote(pickle.dumps(plan)) for _ in range(count)]
        notify(f"{count} workers on {len(nodes)} nodes of Ray.")
        try:
            return _last(ray, running, stop, is_one=len(nodes) == 1)
        finally:
            _ended(ray, running)


def _last(ray: Any, running: Sequence[Any], stop: Event, *, is_one: bool) -> Manifest:
    """Return the manifest of the worker that ended last."""
    left, manifests = list(running), list[Manifest]()
    while left:
        done, left = ray.wait(left, timeout=_LOOK_S)
        if stop.is_set():
            raise ClusterError("The batch was stopped.", hint=_START_AGAIN)
        for each in done:
            outcome: Manifest | WorkerFailure = pickle.loads(ray.get(each))  # noqa: S301 -- `work_on_node` pickled it
            if isinstance(outcome, WorkerFailure):
                raise outcome.error if is_one else _on_node(outcome)
            manifests.append(outcome)
    return max(manifests, key=lambda manifest: manifest.ended_at)


def _on_node(failed: WorkerFailure) -> SparringError:
    error = failed.error
    if error.args:
        error.args = (f"{error.args[0]} (On node {failed.node}.)", *error.args[1:])
    return error


def _ended(ray: Any, running: Sequence[Any]) -> None:
    """End the workers that still run; each has some time to give back its claims."""
    with contextlib.suppress(Exception):  # in a lost cluster there is nothing left to end
        # Ray (2.60) ends this process when it is asked to cancel a task that has just ended: "not pending".
        _, left = ray.wait(list(running), num_returns=len(running), timeout=0)
        for each in left:
            ray.cancel(each, force=False)
        if left:
            _, left = ray.wait(left, num_returns=len(left), timeout=_LEAVING_S)
        for each in left:
            ray.cancel(each, force=True)


def work_on_node(plan_body: bytes) -> bytes:
    """Run a worker with the environment and provider files of this node; return a pickled result or failure."""
    ray = addresses.optional("ray", "ray")
    plan: NodePlan = pickle.loads(plan_body)  # noqa: S301 -- this program pickled it
    try:
        if (version := installed_version()) != plan.version:
            raise other_version(version, plan.version)
        cwd = plan.cwd if plan.cwd.is_dir() else Path(tempfile.gettempdir())
        app = App(Settings.read(os.environ, cwd))
        format_ = format_of(plan.job)
        if format_ is None or RowRequests(app, plan.job, format_).settings.digest != plan.settings:
            raise ClusterError(
                "A node would ask others than this machine: its provider files, or the models that are set, differ.",
                hint="Make them the same on every node.",
            )
        return pickle.dumps(anyio.run(take_part, app, plan.job))
    except SparringError as error:
        return pickle.dumps(WorkerFailure(error, ray.util.get_node_ip_address()))


def installed_version() -> str:
    """Return the version of this package, its code and its prompts: rows are the same only if all of these match."""
    digest, package, prompts = sha256(), Path(sparring.__file__).parent, PromptLibrary()
    for path in sorted((*package.rglob("*.py"), *package.rglob("*.toml"))):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    for name in prompts.names():
        digest.update(f"{name}\0{prompts.template(name).body}".encode())
    return f"{sparring.__version__} ({digest.hexdigest()[:12]})"


def other_version(installed: str, wanted: str) -> ClusterError:
    """Return the error for a node whose version differs from that of the program that started the cluster job."""
    return ClusterError(
        f"A node has sparring {installed}, and this is {wanted}.", hint="Install the same version on every node."
    )


def _check_no_password(ledger: str) -> None:
    if not ledger.startswith(_POSTGRES):
        return
    parts = urlsplit(ledger)
    if parts.password or "password" in parse_qs(parts.query):
        raise UsageError(
            "The address of the ledger contains a password, which Ray would write into its logs.",
            hint="Leave it out, and set PGPASSFILE or PGPASSWORD on every node.",
        )


def check_nodes(nodes: Sequence[dict[str, Any]], job: Job, *, host: str) -> None:
    """Check that ``nodes`` can reach the ledger and the output of ``job``; the program runs on ``host``.

    Raises:
        ClusterError: They cannot reach them.
    """
    hosts = {node["NodeManagerHostname"] for node in nodes} | {host}
    if len(hosts) == 1:
        return
    if not job.ledger.startswith(_POSTGRES):
        raise ClusterError(
            f"The ledger is a file, and it would be used by {len(hosts)} machines.",
            hint="Give one that they all reach: --set ledger=postgresql://HOST/DATABASE.",
        )
    if not addresses.is_remote(job.output) and not Path(job.output).is_absolute():
        raise ClusterError(
            f"{len(hosts)} machines write to the output, and {job.output} is a folder of this one.",
            hint="Give an address (s3://…), or the whole path of a folder that all machines share.",
        )


def _check_versions(ray: Any, nodes: Sequence[dict[str, Any]]) -> None:
    """Check that every one of ``nodes`` has this version of sparring.

    Raises:
        ClusterError: One has another version, or none, or starts no process.
    """
    strategies = addresses.optional("ray.util.scheduling_strategies", "ray")
    ask, wanted = ray.remote(num_cpus=0, max_retries=0)(installed_version), installed_version()
    asked = dict[str, Any]()
    for node in nodes:
        there = strategies.NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        asked[node["NodeManagerAddress"]] = ask.options(scheduling_strategy=there).remote()
    for address, answer in asked.items():
        try:
            versions = ray.get(answer, timeout=_STARTING_S)
        except ray.exceptions.GetTimeoutError as error:
            raise ClusterError(
                f"Node {address} has started no process within {_STARTING_S:g} s.", hint="Look at it with `ray status`."
            ) from error
        except ray.exceptions.RayError as error:
            raise ClusterError(
                f"Node {address} cannot load sparring: {_last_line(error)}",
                hint="Install this version there, with its extra: `pip install '.[ray]'` in a checkout.",
            ) from error
        if versions != wanted:
            raise other_version(f"{versions} (node {address})", wanted)


def _nodes(ray: Any) -> list[dict[str, Any]]:
    return [node for node in ray.nodes() if node["Alive"]]


def workers_for(nodes: Sequence[dict[str, Any]]) -> int:
    """Return the number of workers if none is given."""
    cpus = sum(node["Resources"].get("CPU", 0.0) for node in nodes)
    return max(2, min(_MOST_WORKERS, int(cpus / _CPUS)))


@contextmanager
def _translated(ray: Any) -> Generator[None]:
    """Raise Ray's exceptions as ``ClusterError``."""
    try:
        yield
    except ray.exceptions.RayActorError as error:
        raise ClusterError("A node has been lost.", hint=_START_AGAIN) from error
    except ray.exceptions.RayError as error:
        raise ClusterError(f"Ray has ended it: {_last_line(error)}") from error
    except Exception as error:
        # A client (`ray://`) that has not reached the head in 30 s raises this first, and plain exceptions after it.
        is_lost = isinstance(error, ConnectionError) or not ray.is_initialized()
        if isinstance(error, SparringError) or not is_lost:
            raise
        raise ClusterError("The head of the cluster does not answer any more.", hint=_START_AGAIN) from error


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:300] if lines else type(error).__name__


def _address(job: Job) -> str:
    return job.address or os.environ.get("RAY_ADDRESS", "")


@contextmanager
def _connected(address: str) -> Generator[Any]:
    """Return Ray, connected to the cluster at ``address``, or if that is empty to a temporary one on this machine.

    Raises:
        UsageError: Ray is not installed, or this program is already connected.
        ClusterError: There is no such cluster, or none can be started.
    """
    with contextlib.nullcontext(None) if address else _private_folder() as folder:
        # Otherwise any call to Ray after the loss of the head searches for another head, and never returns.
        os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
        ray = addresses.optional("ray", "ray")
        if ray.is_initialized():
            raise UsageError(
                "This program is connected to a cluster of Ray already.", hint="Call ray.shutdown() first."
            )
        try:
            _initialize(ray, address, folder)
            yield ray
        finally:
            ray.shutdown()


def _initialize(ray: Any, address: str, folder: Path | None) -> None:
    # Ray prints events of its nodes on stdout, and no option prevents that (2.60).
    addresses.optional("ray._private.worker", "ray")._worker_logs_enabled = False  # noqa: SLF001
    quiet = {"namespace": NAMESPACE, "log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if folder is None:
            _join(ray, address, quiet)
        else:
            ray.init(
                address="local",
                num_cpus=max(_CPUS, os.cpu_count() or 1),
                object_store_memory=_STORE_BYTES,
                include_dashboard=False,
                _node_ip_address="127.0.0.1",
                _temp_dir=str(folder),
                **quiet,
            )
    # Ray raises any of these if there is no such cluster, if its version differs, or if it cannot start.
    except (RuntimeError, OSError, ValueError, TimeoutError, ray.exceptions.RayError) as error:
        if address:
            problem = f"There is no cluster of Ray at {address}: {_last_line(error)}"
            hint = "Through ray:// the port is 10001, and the versions of Ray and Python are the cluster's."
        else:
            problem = f"Ray cannot start on this machine: {_last_line(error)}"
            hint = "Leave out engine=ray."
        raise ClusterError(problem, hint=hint) from error


def _join(ray: Any, address: str, quiet: dict[str, Any]) -> None:
    """Connect; through ``ray://`` a second time if a busy head takes longer than Ray waits for it (30 s)."""
    try:
        ray.init(address=address, **quiet)
    except (RuntimeError, OSError):
        if not address.startswith("ray://"):
            raise
        ray.shutdown()
        ray.init(address=address, **quiet)


@contextmanager
def _private_folder() -> Generator[Path]:
    """Create a folder for Ray's files, and remove it afterwards.

    The other settings of a local cluster are in the environment, which Ray reads at import: it reports no usage
    statistics, and a user of this machine without this program's token cannot use the cluster.
    """
    if "ray" not in sys.modules:
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    short = "/tmp" if Path("/tmp").is_dir() else None  # noqa: S108 -- a socket's path is limited to about 100 characters
    folder = Path(tempfile.mkdtemp(prefix="sparring-", dir=short))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
