"""What is refused before a cluster is asked for anything; what it then does stands in `tests/cluster`."""

from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from sparring.batch.job import VERIFY, Job
from sparring.batch.ray import check_nodes, judge_on_cluster, workers_for
from sparring.errors import ClusterError, UsageError
from support.installed import app_with
from support.workbench import Workbench

HOST, OTHER_HOST, SQLITE, POSTGRES = "one", "two", "/project/ledger.sqlite", "postgresql://db/claims"
JOB = Job(kind="jury", inputs=("claims.csv",), output="s3://claims/judged", ledger=POSTGRES)


def node(address: str, cpus: float, host: str = HOST) -> dict[str, Any]:
    return {"NodeManagerAddress": address, "NodeManagerHostname": host, "Resources": {"CPU": cpus}}


ONE, OTHER = node("10.0.0.1", 8), node("10.0.0.2", 8, OTHER_HOST)


@pytest.mark.parametrize("nodes", [[ONE, OTHER], [OTHER]], ids=["two machines", "another machine"])
@pytest.mark.parametrize(
    ("job", "message"),
    [
        (replace(JOB, ledger=SQLITE), "The ledger is a file, and it would be used by 2 machines."),
        (replace(JOB, output="judged"), "2 machines write to the output, and judged is a folder of this one."),
    ],
    ids=["ledger", "output"],
)
def test_paths_unreachable_from_other_machines_are_refused(nodes: list[dict[str, Any]], job: Job, message: str) -> None:
    check_nodes([ONE, node("10.0.0.1", 4)], job, host=HOST)
    check_nodes(nodes, JOB, host=HOST)
    with pytest.raises(ClusterError, match=message):
        check_nodes(nodes, job, host=HOST)


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (replace(JOB, kind=VERIFY), "Code alone checks these rows: no cluster is needed."),
        (replace(JOB, by_batch=True), "A provider's batches are answered in a day: no cluster is needed."),
        (replace(JOB, ledger="postgresql://me:secret@db/claims"), "contains a password"),
        (replace(JOB, ledger="postgres://db/claims?password=secret"), "contains a password"),
        (replace(JOB, ledger="postgresql://:secret@db/x"), "contains a password"),
    ],
)
def test_options_unfit_for_a_cluster_are_refused_before_it_starts(tmp_path: Path, job: Job, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        anyio.run(partial(judge_on_cluster, app_with(Workbench.below(tmp_path)), job, lambda _: None))
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(("cpus", "workers"), [((8, 8), 4), ((4,), 2), ((1000,), 64)])
def test_there_is_a_worker_for_every_four_processors(cpus: tuple[int, ...], workers: int) -> None:
    assert workers_for([node(f"10.0.0.{number}", each) for number, each in enumerate(cpus)]) == workers
