"""What an agent may do beside answering: look at the project when that was allowed, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from sparring.consult.acp.desk import FILE_LIMIT, SERVED_LIMIT
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer
from sparring.testing.acp_agent import Scenario
from support.acp_talk import KNOWN_VALUE, answer, reading, reply_to, saying
from support.desk import question

pytestmark = pytest.mark.process


def project_with_files(folder: Path) -> Path:
    project = folder / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "a.py").write_text(f"one\ntwo\n{KNOWN_VALUE}\nfour\n", encoding="utf-8")
    (project / ".env").write_text("KEY=value\n", encoding="utf-8")
    (folder / "secret.txt").write_text("secret\n", encoding="utf-8")
    (project / "link.txt").symlink_to(folder / "secret.txt")
    return project


ALLOWED = '{"outcome": {"optionId": "allow_once!", "outcome": "selected"}}'
REJECTED = '{"outcome": {"optionId": "reject_once!", "outcome": "selected"}}'
REFUSED = "agent asked for what it may not do, and was refused:"
CANCELLED = '{"outcome": {"outcome": "cancelled"}}'


async def test_an_agent_is_permitted_to_look_at_the_project_once_and_nothing_else(tmp_path: Path) -> None:
    project = project_with_files(tmp_path)
    asks = [("read", str(project / "src" / "a.py")), ("search", "src"), ("edit", str(project / "a.py")), ("read",)]

    reply = await reply_to(
        tmp_path, saying(*(("ask", kind, f"n{place}", *paths) for place, (kind, *paths) in enumerate(asks))), reading()
    )

    assert reply == answer(
        ALLOWED + ALLOWED + REJECTED + REJECTED,
        warnings=(f"{REFUSED} edit n2, read n3.",),
    )


async def test_locations_that_came_before_the_request_count(tmp_path: Path) -> None:
    project_with_files(tmp_path)
    steps = (("call", "read", "x", "pending", "../secret.txt"), ("ask", "read", "x"), ("ask", "read", "y", "src"))

    reply = await reply_to(tmp_path, saying(*steps), reading())

    assert reply == answer(
        REJECTED + ALLOWED,
        warnings=(f"{REFUSED} read x.",),
    )


async def test_an_agent_that_may_see_nothing_is_permitted_nothing(tmp_path: Path) -> None:
    project = project_with_files(tmp_path)
    file = str(project / "src" / "a.py")

    reply = await reply_to(tmp_path, saying(("ask", "read", "a.py", file), ("read", file)))

    assert reply == answer(
        REJECTED + "[-32601] {'method': 'fs/read_text_file'}\n",
        warnings=(f"{REFUSED} read a.py, fs/read_text_file.",),
    )


@pytest.mark.parametrize("kinds", [("allow_always", "reject_always"), ()])
async def test_nothing_is_ever_granted_or_refused_for_good(kinds: tuple[str, ...], tmp_path: Path) -> None:
    project_with_files(tmp_path)
    scenario = Scenario(permission_kinds=kinds, steps=(("ask", "read", "x", "src"), ("ask", "edit", "y", "src")))

    reply = await reply_to(tmp_path, scenario, reading())

    assert isinstance(reply, Answer)
    assert reply.response == CANCELLED * 2


async def test_a_request_that_cannot_be_understood_is_refused(tmp_path: Path) -> None:
    tool_call = {"toolCallId": "1", "kind": "read", "locations": [{"path": "src"}, {"path": 5}]}
    options = [{"optionId": "allow_once!", "name": "Yes", "kind": "allow_once"}]
    request = ("request", "session/request_permission", {"toolCall": tool_call, "options": options})

    assert await reply_to(tmp_path, saying(request), reading()) == answer("[-32602] Invalid params")


async def test_files_of_the_project_are_read_for_an_agent_without_their_secrets(tmp_path: Path) -> None:
    project = project_with_files(tmp_path)
    file = str(project / "src" / "a.py")

    reply = await reply_to(
        tmp_path, saying(("read", file), ("say", "|"), ("read", file, 2, 1), ("read", file, 4)), reading()
    )

    assert reply == answer("one\ntwo\n[REDACTED:known-value]\nfour\n|two\nfour\n", redactions=3)


async def test_files_that_are_not_for_reading_are_not_read(tmp_path: Path) -> None:
    project = project_with_files(tmp_path)
    (project / "large.txt").write_text("x" * (FILE_LIMIT + 1), encoding="utf-8")
    names = ["../secret.txt", "link.txt", ".env", "large.txt", "/dev/zero", "gone.txt"]

    reply = await reply_to(tmp_path, saying(*(("measure", name) for name in names)), reading())

    assert reply == answer(
        "[-32602] Invalid params" * len(names),
        warnings=(f"{REFUSED} read ../secret.txt, read link.txt, read .env, read large.txt and 2 more.",),
    )


async def test_an_agent_that_reads_without_end_is_given_no_more(tmp_path: Path) -> None:
    project = project_with_files(tmp_path)
    (project / "large.txt").write_text("x" * FILE_LIMIT, encoding="utf-8")
    times = SERVED_LIMIT // FILE_LIMIT

    reply = await reply_to(tmp_path, saying(*[("measure", "large.txt")] * (times + 1)), reading())

    assert reply == answer(
        f"{FILE_LIMIT}\n" * times + "[-32602] Invalid params",
        warnings=(f"{REFUSED} read large.txt.",),
    )


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("fs/write_text_file", {"path": "pwned.txt", "content": "pwned"}),
        ("terminal/create", {"command": "touch", "args": ["pwned.txt"]}),
        ("elicitation/create", {"message": "Your key?"}),
        ("_own/method", {}),
    ],
)
async def test_nothing_is_written_run_or_asked_for_an_agent(
    method: str, params: dict[str, Any], tmp_path: Path
) -> None:
    reply = await reply_to(tmp_path, saying(("request", method, params)), reading())

    assert reply == answer(
        "[-32601] Method not found",
        warnings=(f"{REFUSED} {method}.",),
    )
    assert list((tmp_path / "project").iterdir()) == []


@pytest.mark.parametrize(
    ("call", "access", "named"),
    [
        (("execute", "rm -rf", "completed"), RepoAccess.READ, "execute rm -rf"),
        (("read", "a", "completed", "src"), RepoAccess.NONE, "read a"),
        (("read", "a", "completed", "../a"), RepoAccess.READ, "read a"),
        (("read", "a", "completed", "src"), RepoAccess.READ, None),
        (("search", "a", "completed"), RepoAccess.READ, None),
        (("edit", "a", "failed"), RepoAccess.READ, None),
    ],
)
async def test_what_an_agent_does_without_permission_is_told(
    call: tuple[str, ...], access: RepoAccess, named: str | None, tmp_path: Path
) -> None:
    project_with_files(tmp_path)
    asked = question(repo_access=access)

    reply = await reply_to(tmp_path, saying(("call", *call), ("say", "Yes.")), asked)

    told = (f"agent used tools of its own that nobody had allowed: {named}.",) if named else ()
    assert reply == answer("Yes.", warnings=told)
