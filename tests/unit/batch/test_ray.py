"""What is refused before a cluster is asked for anything; what it then does stands in `tests/cluster`."""

import threading
from pathlib import Path
from typing import Any

import pytest

from sparring.batch.job import VERIFY, Job
from sparring.batch.ray import check_nodes, told_by, workers_for
from sparring.batch.rows import Columns
from sparring.errors import ClusterError, UsageError

HERE, SQLITE, POSTGRES = "here", "/project/ledger.sqlite", "postgresql://db/claims"


def node(address: str, cpus: float, host: str = HERE) -> dict[str, Any]:
    return {"NodeManagerAddress": address, "NodeManagerHostname": host, "Resources": {"CPU": cpus}}


ONE, OTHER = node("10.0.0.1", 8), node("10.0.0.2", 8, "there")


@pytest.mark.parametrize(
    ("nodes", "ledger", "told"),
    [
        ([ONE, node("10.0.0.2", 2)], SQLITE, "Ray needs 4 logical CPUs a node, and 10.0.0.2 has fewer."),
        ([node("10.0.0.1", 0)], SQLITE, "Ray needs 4 logical CPUs a node, and 10.0.0.1 has fewer."),
        ([ONE, OTHER], SQLITE, "The ledger is a file"),
        ([OTHER], SQLITE, "The ledger is a file"),
    ],
    ids=["small", "none", "two machines", "another machine"],
)
def test_nodes_that_are_not_fit_are_told(nodes: list[dict[str, Any]], ledger: str, told: str) -> None:
    check_nodes([node("10.0.0.1", 4), node("10.0.0.1", 4)], ledger, host=HERE)
    for elsewhere in (POSTGRES, ""):
        check_nodes([ONE, OTHER], elsewhere, host=HERE)
    with pytest.raises(ClusterError, match=told):
        check_nodes(nodes, ledger, host=HERE)


@pytest.mark.parametrize(
    "address", ["postgresql://me:secret@db/claims", "postgres://db/claims?password=secret", "postgresql://:secret@db/x"]
)
def test_a_password_never_reaches_ray(address: str) -> None:
    job = Job(what=VERIFY, inputs=("claims.csv",), output="out", ledger=address)
    told = told_by(job, Columns({}), Path(), stop=threading.Event())
    with pytest.raises(UsageError, match="holds a password") as refused:
        next(told)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(("what", "workers"), [("jury", 4), (VERIFY, 16)])
def test_who_asks_models_needs_fewer_processes(what: str, workers: int) -> None:
    job = Job(what=what, inputs=(), output="")
    assert workers_for([node("a", 8), node("b", 8)], job) == workers
    assert workers_for([node("a", 4)], job) == max(2, workers // 4)
    assert workers_for([node("a", 1000)], job) == 64
