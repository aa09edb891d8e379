"""Talks with the agent of ``acp_agent`` through the real consultant, for the tests of what comes of them."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sparring.providers.acp.client import FILE_LIMIT
from sparring.providers.acp.consultant import AcpConsultant, Converse
from sparring.providers.cli import supervision
from sparring.providers.cli.confinement import Surroundings
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply
from sparring.schema.providers import AcpProvider
from sparring.testing import acp_agent
from sparring.testing.acp_agent import SESSION, Scenario
from sparring.testing.acp_in_process import in_process
from sparring.text.redaction import Redactor
from support.desk import question

KNOWN_VALUE = "open sesame, and close it"
"""What an agent does for a prompt; see ``acp_agent``."""


def agent(scenario: Scenario, **changes: object) -> AcpProvider:
    """A provider that is such an agent."""
    table = {
        "name": "agent",
        "family": "none",
        "title": "Agent",
        "install": "Make one.",
        "program": sys.executable,
        "argv": (acp_agent.__file__, scenario.argument()),
        "repo_access": ("none", "read"),
    }
    return AcpProvider.model_validate(table | changes)


def consultant(
    folder: Path,
    spec: AcpProvider,
    environment: Mapping[str, str] | None = None,
    *,
    converse: Converse = supervision.converse,
) -> AcpConsultant:
    """A consultant that asks it, below ``folder``, and knows ``KNOWN_VALUE`` for a secret."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    surroundings = Surroundings(environment or {}, project, folder / "private")
    return AcpConsultant(spec, surroundings, redactor=Redactor([KNOWN_VALUE]), converse=converse)


async def reply_to(
    folder: Path,
    scenario: Scenario,
    asked: Question | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    **changes: object,
) -> Reply:
    """The reply of such an agent without a process, and without the time that it took.

    Nothing is left of it in the private folder.
    """
    asking = consultant(folder, agent(scenario, **changes), environment, converse=in_process(scenario))
    reply = await asking.ask(asked or question())
    assert list((folder / "private").glob("empty-*")) == []
    return reply.model_copy(update={"duration_ms": 0})


async def seen_by(folder: Path, scenario: Scenario, asked: Question | None = None, **changes: Any) -> dict[str, Any]:
    """What the agent has seen of the world when it was asked."""
    reply = await reply_to(folder, scenario, asked, **changes)
    assert isinstance(reply, Answer), reply
    return json.loads(reply.response)


def reading() -> Question:
    """A question whose answer may come from the project."""
    return question(repo_access=RepoAccess.READ)


def saying(*steps: tuple[Any, ...]) -> Scenario:
    """An agent that does this and is plain otherwise."""
    return Scenario(steps=steps)


def answer(response: str, **fields: Any) -> Answer:
    """What such an agent's answer becomes."""
    return Answer.model_validate(
        {"tool": "agent", "response": response, "session_id": SESSION, "duration_ms": 0, **fields}
    )


def failure(code: FailureCode, detail: str, **fields: Any) -> Failure:
    """What its failure becomes."""
    return Failure.model_validate({"tool": "agent", "code": code, "detail": detail, **fields})


def project_with_files(folder: Path) -> Path:
    """The project below ``folder``, with what an agent may read and what it may not."""
    project = folder / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "a.py").write_text(f"one\ntwo\n{KNOWN_VALUE}\nfour\n", encoding="utf-8")
    (project / ".env").write_text("KEY=value\n", encoding="utf-8")
    (folder / "secret.txt").write_text("secret\n", encoding="utf-8")
    (project / "link.txt").symlink_to(folder / "secret.txt")
    (project / "full.txt").write_text((" " * 63 + "\n") * (FILE_LIMIT // 64), encoding="utf-8")
    (project / "large.txt").write_text("x" * (FILE_LIMIT + 1), encoding="utf-8")
    return project
