"""A worker of a batch as a process of its own: ``python pacing.py JSON``. It tells on stdout what became of its rows.

What workers know together is in a small database that they share.
"""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio

from sparring.batch.job import LimitRules
from sparring.batch.limits import BatchLimits
from sparring.providers import Consultant
from sparring.providers.api.connections import Connections
from sparring.providers.api.consultant import ApiConsultant
from sparring.providers.known import load_providers
from sparring.providers.wrappers import OF_APIS, RetryingConsultant, untold
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Brief, Question
from sparring.schema.providers import ApiProvider
from sparring.text.redaction import Redactor

T = TypeVar("T")
TOOL = "anthropic"


class FileState:
    """See ``SharedState``: a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with closing(self._connection()) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS shared (name TEXT PRIMARY KEY, body BLOB)")

    def shared(self, name: str, change: Callable[[bytes | None], tuple[bytes | None, T]]) -> T:
        with closing(self._connection()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            found = connection.execute("SELECT body FROM shared WHERE name = ?", (name,)).fetchone()
            body, told = change(found[0] if found else None)
            connection.execute("REPLACE INTO shared VALUES (?, ?)", (name, body))
            connection.execute("COMMIT")
            return told

    def _connection(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=60, isolation_level=None)


def start(plan: Mapping[str, Any]) -> "subprocess.Popen[str]":
    """Start a worker: ``url`` of an endpoint, ``state`` file, ``rules``, ``rows`` in all and ``at_once``."""
    command = [sys.executable, str(Path(__file__)), json.dumps(plan)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")


@dataclass
class Told:
    """What became of a worker's rows; ``used`` are the calls of all workers until it ended."""

    answers: int = 0
    failures: list[str] = field(default_factory=list[str])
    refusal: str = ""
    used: float = 0


async def _row(limits: BatchLimits, asking: Consultant, number: int, told: Told) -> None:
    brief = Brief(step="pacing", topic="-", role=Role.CONSULTANT, round=1)
    question = Question(prompt=f"Row {number}?", brief=brief, model="some-model-1", timeout_s=120)
    paced = limits.consultant(asking, TOOL)
    reply = await RetryingConsultant(paced, OF_APIS, untold, lambda: paced.waited_s).ask(question)
    if isinstance(reply, Answer):
        told.answers += 1
    else:
        told.failures.append(reply.cause)


async def _work(plan: Mapping[str, Any]) -> Told:
    spec = load_providers(None).specs[TOOL]
    assert isinstance(spec, ApiProvider)
    variables = {"ANTHROPIC_BASE_URL": plan["url"], "ANTHROPIC_API_KEY": "key-for-tests-0123456789"}
    connections, told, left = Connections(variables), Told(), iter(range(plan["rows"]))
    asking = ApiConsultant(spec, variables, connections=connections, redactor=Redactor())

    async def rows() -> None:
        for number in left:
            if refusal := await limits.budget.begin_row():
                told.refusal = refusal
                return
            await _row(limits, asking, number, told)
            limits.budget.end_row()

    limits = BatchLimits(LimitRules(**plan["rules"]), FileState(Path(plan["state"])))
    async with connections.held(), limits.running(), anyio.create_task_group() as group:
        for _ in range(plan["at_once"]):
            group.start_soon(rows)
    told.used = (await limits.budget.close()).used.calls
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(anyio.run(_work, json.loads(sys.argv[1])))))
