"""Everything that each built-in command line is started with, one golden file per tool.

What keeps a tool to answering is spread over a table, flags, variables and files; here it is in one place, so that
nothing of it is lost unseen. That it holds is what ``tests/e2e`` shows with the real tools.
"""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.lookup.snapshot import with_copy
from sparring.processes.supervisor import MARK_VARIABLE
from sparring.providers.cli.confinement import Surroundings
from sparring.providers.cli.consultant import CliConsultant
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import FailureCode, Question
from sparring.text.redaction import Redactor
from support.desk import TOOLS, command_line, failed, question, write
from support.golden import Golden
from support.recordings import Recording, same_every_time

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="some of it differs where the system does"),
]

TELLS = """\
import json, os, pathlib, sys

names = [name for name in ("COPILOT_HOME", "GEMINI_CLI_HOME") if name in os.environ]
files = [file for name in names for file in sorted(pathlib.Path(os.environ[name]).rglob("*")) if file.is_file()]
told = {"argv": sys.argv[1:], "cwd": os.getcwd(), "prompt": sys.stdin.read(), "environment": dict(os.environ)}
print(json.dumps({**told, "files": {str(file): file.read_text() for file in files}}))
"""
"""A program that tells all that it was given."""

OURS = {MARK_VARIABLE, "LC_CTYPE", "OLDPWD", "PWD", "SHLVL", "_"}
"""What the shell and Python set for themselves, and what differs for every child."""

SESSIONS = {"opencode": "ses_000000000000AAAAAAAAAAAAAA"}
PROMPT = "/help @notes.txt"


def consultant(tool: str, root: Path, script: str) -> CliConsultant:
    """That tool, with ``script`` in place of its program."""
    program = write(root / "bin" / "script.py", script)
    started = shlex.join([sys.executable, "-I", str(program)])
    write(root / "bin" / tool, f'#!/bin/sh\nexec {started} "$@"\n').chmod(0o700)
    for name in ("project", "home", "tmp"):
        (root / name).mkdir()
    spec = command_line(tool)
    users = dict.fromkeys(spec.environment.fixed, "as the user has it")
    others = {"UNKNOWN": "not passed on", "PATHS": "nor this"}
    places = {"PATH": f"{root}/bin:/usr/bin:/bin", "HOME": str(root / "home"), "TMPDIR": str(root / "tmp")}
    surroundings = with_copy(Surroundings(users | others | places, root / "project", root / "private"), Redactor())
    return CliConsultant(spec, surroundings, redactor=Redactor())


def questions(tool: str) -> dict[str, Question]:
    """One of each kind that the tool can be asked."""
    session = SESSIONS.get(tool, "00000000-0000-4000-8000-000000000000")
    asked = {
        "answers": question(PROMPT, model="a-model", effort=Effort.MAX),
        "begins a session": question(PROMPT, keep_session=True),
        "continues a session": question(PROMPT, session_id=session, keep_session=True),
    }
    if tool not in {"copilot", "opencode"}:
        asked["searches the web"] = question(PROMPT, web=True)
    if tool != "codex":  # it is let in only where its own program is found
        asked["reads the project"] = question(PROMPT, repo_access=RepoAccess.READ)
    return asked


def shown(stdout: str) -> Iterator[str]:
    told = json.loads(stdout)
    yield from told["argv"]
    yield f"in {told['cwd']}"
    yield from (f"{name}={value}" for name, value in sorted(told["environment"].items()) if name not in OURS)
    for name, content in told["files"].items():
        yield f"file {name}:"
        if name.endswith(("settings.json", "flags.json")):
            yield from (f"  {setting}: {json.dumps(value)}" for setting, value in json.loads(content).items())
    yield json.dumps(told["prompt"])


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_tool_is_started_with_its_confinement(tool: str, tmp_path: Path, golden: Golden) -> None:
    pages: list[str] = []
    for number, (name, asked) in enumerate(questions(tool).items()):
        root = tmp_path / str(number)
        finished = await consultant(tool, root, TELLS).ended(asked)
        told = "\n    ".join(shown(finished.stdout)).replace(str(root), "$ROOT").replace(str(root)[1:], "$ROOT")
        pages += [f"{tool} {name}:\n    {told}\n"]
    golden.holds(f"commands/{tool}.txt", same_every_time("\n".join(pages)))


async def test_a_tool_that_would_ask_its_endpoint_without_end_is_stopped(tmp_path: Path) -> None:
    recorded = Recording.read("opencode/endpoint/cut-off").stdout
    script = f"import signal\nprint({recorded!r}, flush=True)\nsignal.pause()\n"
    reply = failed(await consultant("opencode", tmp_path, script).ask(question(timeout_s=60)))
    assert (reply.code, reply.detail) == (FailureCode.CONNECTION, "opencode got an incomplete answer.")
