"""Many machines: the rows of a table are judged by the processes of a Ray cluster.

Ray Data deals out the blocks and does again what is lost with a node; the ledger sees to it that what was answered
there is read and not asked, once the leases of the lost node have expired. What comes of the rows is written by the
program that started all, in the order of the table, and wherever it can write: the nodes need not reach the
output, nor, through ``ray://``, this program the nodes.

Without an address a cluster is started on this machine: reachable on loopback alone, with a token of its own, and with
its files in a private folder, which goes with it.
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
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sparring.batch import addresses, ray_nodes, results, rows
from sparring.batch.job import VERIFY, Job
from sparring.batch.ray_nodes import ClusterState, Failed, Lead, LeaderPlan, Shared
from sparring.errors import ClusterError, SparringError, UsageError

_CPUS = 4
"""So many logical CPUs a node has at least: with fewer Ray Data keeps back what its actors need."""

_STORE_BYTES = 200 * 2**20
_LOOK_S, _BEAT_S = 0.5, 10.0
_LEAVING_S, _JOINING_S = 15.0, 60.0
_STARTING_S = 120.0
"""How long a node, and the first worker, may take to start."""

_MOST_WORKERS = 64
_PARTS = 4
"""So many blocks are what a worker judges side by side: whoever is there first does not take a small table whole."""

_CHECKED_ROWS = 500
_START_AGAIN = "Start again: what was answered is kept."
_POSTGRES = ("postgresql://", "postgres://")


def told_by(
    job: Job, columns: rows.Columns, cwd: Path, *, settings: bytes = b"", stop: threading.Event
) -> Generator[list[results.Told]]:
    """What came of the rows of a table, in its order, while a cluster judges them.

    All begins with the first ``next``, which like every other blocks, and has ended when the generator is closed.

    Args:
        job: Its ledger is an address that holds on every node: who has the same shares limits and money.
        columns: Which of the table is which.
        cwd: From where the paths of the input are seen, by this program or, through ``ray://``, by the head.
        settings: The digest of what every row is asked; empty where nobody is asked.
        stop: Once it is set no more comes.

    Raises:
        UsageError: Ray is not installed, or the address of the ledger holds a password.
        ClusterError: There is no such cluster, it is not fit for this, or it was lost on the way.
        SparringError: What a node told, with its address if there are several.
    """
    _check_no_password(job.ledger)
    if job.by_batch:
        raise UsageError(
            "A cluster does not hand questions in by batch: it is what one machine has time for.",
            hint="Leave out --provider-batches, or --engine ray.",
        )
    with _connected(_address(job)) as ray, _translated(ray):
        nodes = _nodes(ray)
        check_nodes(nodes, job.ledger, host=socket.gethostname())
        _check_versions(ray, nodes)
        state = ClusterState("limits-" + sha256(job.ledger.encode()).hexdigest()[:16])
        plan = LeaderPlan(
            job=job,
            columns=columns,
            settings=settings,
            cwd=cwd,
            node=_leading(ray, nodes, _address(job)),
            state=state.name,
            version=ray_nodes.installed_version(),
            names_nodes=len(nodes) > 1,
            workers=job.processes or workers_for(nodes, job),
            rows_per_block=_CHECKED_ROWS if job.what == VERIFY else max(1, job.side_by_side // _PARTS),
            blocks_at_once=_PARTS + 1,
        )
        with _sharing(ray, state, plan.node) as program:
            lead = ray.remote(num_cpus=0, scheduling_strategy=_on(plan.node))(Lead).remote(plan)
            try:
                yield from _told(_Run(ray, lead, state, program, stop))
            finally:
                with _where_it_is_there():
                    ray.kill(lead)


def _check_no_password(ledger: str) -> None:
    if not ledger.startswith(_POSTGRES):
        return
    parts = urlsplit(ledger)
    if parts.password or "password" in parse_qs(parts.query):
        raise UsageError(
            "The address of the ledger holds a password, which Ray would write into its logs.",
            hint="Leave it out, and set PGPASSFILE or PGPASSWORD on every node.",
        )


def check_nodes(nodes: list[dict[str, Any]], ledger: str, *, host: str) -> None:
    """See that ``nodes``, as Ray describes them, are fit for it; the program is on ``host``.

    Raises:
        ClusterError: They are not.
    """
    if small := [node["NodeManagerAddress"] for node in nodes if _cpus(node) < _CPUS]:
        raise ClusterError(
            f"Ray needs {_CPUS} logical CPUs a node, and {', '.join(small)} has fewer.",
            hint=f"Start it with `ray start --num-cpus {_CPUS}`: they need not be real ones.",
        )
    hosts = {node["NodeManagerHostname"] for node in nodes} | {host}
    if len(hosts) > 1 and ledger and not ledger.startswith(_POSTGRES):
        raise ClusterError(
            f"The ledger is a file, and it would be used by {len(hosts)} machines.",
            hint="Give one that they all reach: --ledger postgresql://HOST/DATABASE.",
        )


def _check_versions(ray: Any, nodes: list[dict[str, Any]]) -> None:
    """See that every one of ``nodes`` has this version of sparring.

    Raises:
        ClusterError: One has another one, or none, or starts no process.
    """
    ask, wanted = ray.remote(num_cpus=0, max_retries=0)(ray_nodes.installed_version), ray_nodes.installed_version()
    asked = {
        node["NodeManagerAddress"]: ask.options(scheduling_strategy=_on(node["NodeID"])).remote() for node in nodes
    }
    for address, answer in asked.items():
        try:
            found = ray.get(answer, timeout=_STARTING_S)
        except ray.exceptions.GetTimeoutError as error:
            raise ClusterError(
                f"Node {address} has started no process within {_STARTING_S:g} s.", hint="Look at it with `ray status`."
            ) from error
        except ray.exceptions.RayError as error:
            raise ClusterError(
                f"Node {address} cannot load sparring: {_last_line(error)}",
                hint="Install it there: pip install 'sparring[ray]'.",
            ) from error
        if found != wanted:
            raise ray_nodes.other_version(f"{found} (node {address})", wanted)


def _nodes(ray: Any) -> list[dict[str, Any]]:
    return [node for node in ray.nodes() if node["Alive"]]


def _cpus(node: dict[str, Any]) -> float:
    return node["Resources"].get("CPU", 0.0)


def workers_for(nodes: list[dict[str, Any]], job: Job) -> int:
    """How many processes judge, where nobody says it: fewer where models are waited for."""
    of_each = 1 if job.what == VERIFY else _CPUS
    return max(2, min(_MOST_WORKERS, int(sum(map(_cpus, nodes)) / of_each)))


def _leading(ray: Any, nodes: list[dict[str, Any]], address: str) -> str:
    """The node that leads and reads: that of this program, or the head of a cluster that this program is no part of."""
    if not address.startswith("ray://"):
        return ray.get_runtime_context().get_node_id()
    return next((each["NodeID"] for each in nodes if "node:__internal_head__" in each["Resources"]), nodes[0]["NodeID"])


def _on(node: str) -> Any:
    return addresses.optional("ray.util.scheduling_strategies", "ray").NodeAffinitySchedulingStrategy(node, soft=False)


@dataclass(frozen=True)
class _Run:
    """A run that is under way."""

    ray: Any
    lead: Any
    state: ClusterState
    program: str
    stop: threading.Event


def _told(run: _Run) -> Generator[list[results.Told]]:
    """The blocks as they come, until there are no more and every worker has given back what it held."""
    waited_s = 0.0
    while not run.stop.is_set():
        coming = run.lead.next_blocks.remote()
        while not run.ray.wait([coming], timeout=_LOOK_S)[0]:
            if run.stop.is_set():
                return
            waited_s += _LOOK_S
            if not waited_s % _BEAT_S and not run.state.call("has_begun", run.program) and waited_s >= _STARTING_S:
                raise ClusterError(
                    f"No worker has started within {_STARTING_S:g} s.",
                    hint="The cluster may be busy (`ray status`), or have fewer CPUs than it needs.",
                )
        blocks: list[list[results.Told] | Failed] = [pickle.loads(body) for body in run.ray.get(coming)]  # noqa: S301 -- ours
        if not blocks:
            break
        for block in blocks:
            if isinstance(block, Failed):
                raise block.error
            yield block
    for _ in range(int(_LEAVING_S / _LOOK_S)):
        if not run.state.call("workers") or run.stop.wait(_LOOK_S):
            return


@contextmanager
def _sharing(ray: Any, state: ClusterState, node: str) -> Generator[str]:
    """Take part in what all programs with one ledger share; its name among them is told."""
    program = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
    shared = ray.remote(num_cpus=0, max_restarts=0)(Shared).options(
        name=state.name,
        namespace=ray_nodes.NAMESPACE,
        lifetime="detached",
        get_if_exists=True,
        scheduling_strategy=_on(node),
    )
    try:
        ray.get(shared.remote().joined.remote(program), timeout=_JOINING_S)
    except ray.exceptions.RayActorError:  # the last of the others has just left
        ray.get(shared.remote().joined.remote(program), timeout=_JOINING_S)
    try:
        yield program
    finally:
        with _where_it_is_there():
            state.call("left", program)


@contextmanager
def _translated(ray: Any) -> Generator[None]:
    """Raise as ``ClusterError`` what Ray raises."""
    try:
        yield
    except ray.exceptions.RayActorError as error:
        raise ClusterError("The node that led has been lost.", hint=_START_AGAIN) from error
    except ray.exceptions.RayError as error:
        raise ClusterError(f"Ray has ended it: {_last_line(error)}") from error
    except Exception as error:
        # A client (`ray://`) that has looked for the head in vain (30 s) raises this, and after it plain exceptions.
        is_lost = isinstance(error, ConnectionError) or not ray.is_initialized()
        if isinstance(error, SparringError) or not is_lost:
            raise
        raise ClusterError("The head of the cluster does not answer any more.", hint=_START_AGAIN) from error


def _where_it_is_there() -> contextlib.AbstractContextManager[None]:
    """For what is tidied up in the cluster: of one that is lost there is nothing left to be tidied."""
    return contextlib.suppress(Exception)


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:300] if lines else type(error).__name__


def _address(job: Job) -> str:
    return job.address or os.environ.get("RAY_ADDRESS", "")


@contextmanager
def _connected(address: str) -> Generator[Any]:
    """Ray, connected to the cluster at ``address``; if that is empty, to one that is started for it and ended after.

    Raises:
        UsageError: Ray is not installed, or this program is connected already.
        ClusterError: There is no such cluster, or none can be started.
    """
    with contextlib.nullcontext(None) if address else _private_folder() as folder:
        # Else whatever is asked of Ray when the head has been lost looks for another one, and never returns.
        os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
        ray = addresses.optional("ray", "ray")
        addresses.optional("ray.data", "ray")
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
    # Ray prints on stdout what happens to its nodes, and no option keeps it from that (2.60).
    addresses.optional("ray._private.worker", "ray")._worker_logs_enabled = False  # noqa: SLF001
    quiet = {"namespace": ray_nodes.NAMESPACE, "log_to_driver": False, "logging_level": logging.ERROR}
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
    # Ray tells by all of these that there is no such cluster, that it has another version, or that it cannot start.
    except (RuntimeError, OSError, ValueError, TimeoutError, ray.exceptions.RayError) as error:
        raise ClusterError(
            f"There is no cluster of Ray at {address}: {_last_line(error)}"
            if address
            else f"Ray cannot start on this machine: {_last_line(error)}",
            hint="Through ray:// the port is 10001, and the versions of Ray and Python are the cluster's."
            if address
            else "Give --engine local, which needs no Ray.",
        ) from error


def _join(ray: Any, address: str, quiet: dict[str, Any]) -> None:
    """Connect; through ``ray://`` once more where a busy head takes longer than Ray waits for it (30 s)."""
    try:
        ray.init(address=address, **quiet)
    except (RuntimeError, OSError):
        if not address.startswith("ray://"):
            raise
        ray.shutdown()
        ray.init(address=address, **quiet)


@contextmanager
def _private_folder() -> Generator[Path]:
    """A folder for what Ray writes.

    What else holds for a cluster of this machine is in the environment, which Ray reads when it is imported: it tells
    nobody that it is used, and whoever has not this program's token cannot use it, however he is on this machine.
    """
    if "ray" not in sys.modules:
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    short = "/tmp" if Path("/tmp").is_dir() else None  # noqa: S108 -- the name of a socket has room for 100 characters
    folder = Path(tempfile.mkdtemp(prefix="sparring-", dir=short))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
