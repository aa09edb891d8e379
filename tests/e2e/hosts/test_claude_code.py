"""Claude Code as a host, in what only it does."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from support.hosting import ASKED, DEBATE, DECIDED, DONE, Hosting, ScriptedModel
from support.manners import skill_is_shown

pytestmark = pytest.mark.npm

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAMS = Path(sys.executable).parent


def test_claude_code_debates_through_the_plugin(hosting: Hosting) -> None:
    repository = hosting.bench.root / "repository"
    for part in (".claude-plugin", "skills"):
        shutil.copytree(REPOSITORY / part, repository / part)
    shutil.copy(REPOSITORY / ".mcp.json", repository)
    hosting.desk.variables["PATH"] = os.pathsep.join((str(PROGRAMS), hosting.desk.environment["PATH"]))
    for arguments in (["marketplace", "add", str(repository)], ["install", "sparring@sparring"]):
        assert hosting.run("claude", "plugin", *arguments).code == 0
    hosting.play(ScriptedModel("mcp__plugin_sparring_sparring__{}".format))

    ran = hosting.run("claude", "-p", f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert skill_is_shown(hosting.desk.endpoint.requests[:1], ASKED)
    assert DECIDED in hosting.last_results[-1]
    assert hosting.last_debate(".claude").topic == DEBATE["topic"]
