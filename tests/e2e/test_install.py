"""After ``sparring install`` the real hosts know our server, skills and commands.

That ``uninstall`` brings back what they read before is in ``tests/command_line/test_install.py``.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.desk import BINARIES, Desk, write

pytestmark = pytest.mark.npm

SKILLS = ["chaired-debate", "consult", "cross-review", "debate", "fact-check", "jury"]
LISTINGS = {
    "claude": ("mcp", "get", "sparring"),
    "codex": ("mcp", "get", "sparring"),
    "copilot": ("mcp", "get", "sparring"),
    "gemini": ("mcp", "list"),
    "opencode": ("mcp", "list"),
}
SKILL_LISTINGS = {
    "codex": (("debug", "prompt-input", "hello"), "- {}: "),
    "copilot": (("skill", "list"), "\n  {} - "),
    "opencode": (("debug", "skill"), '"name": "{}"'),
}
"""Where it lists its skills, and how; Gemini CLI does not."""


def said(desk: Desk, *argv: str) -> str:
    """What a host says to that, on both streams, and whatever it ends with."""
    done = desk.bare(*argv)
    return done.stdout + done.stderr


def prepare(desk: Desk, host: str) -> None:
    """Let the host trust the project, which is git's, without asking anybody."""
    subprocess.run(["git", "init", "-q", str(desk.project)], check=True)
    desk.variables["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
    if host == "codex":
        desk.write_codex_config(tables=f'[projects."{desk.project}"]\ntrust_level = "trusted"\n')
    if host == "copilot":
        write(desk.home / ".copilot" / "config.json", {"trusted_folders": [str(desk.project)]})
    if host == "claude":
        approved = {"hasTrustDialogAccepted": True, "enabledMcpjsonServers": ["sparring"]}
        write(desk.home / ".claude.json", {"projects": {str(desk.project): approved}})


def skills_of(desk: Desk, host: str) -> list[str]:
    """The names among ours that the host lists as skills or commands, sorted."""
    if host == "claude":
        listed = said(desk, "claude", "-p", "--output-format", "stream-json", "--verbose", "--", "Hello.")
        opening: Any = next(json.loads(line) for line in listed.splitlines() if '"subtype":"init"' in line)
        return sorted(set(SKILLS) & set(opening["slash_commands"]))
    arguments, shown = SKILL_LISTINGS[host]
    listed = said(desk, host, *arguments)
    return [name for name in SKILLS if shown.format(name) in listed]


def opencode_commands(desk: Desk) -> list[str]:
    """The commands that OpenCode knows and hands what was typed."""
    config: Any = json.loads(desk.bare("opencode", "debug", "config").stdout)
    return sorted(name for name, command in config["command"].items() if "$ARGUMENTS" in command["template"])


@pytest.mark.parametrize("scope", [(), ("--project",)])
@pytest.mark.parametrize("host", LISTINGS)
def test_a_host_knows_the_server_and_the_skills_that_were_installed(
    desk: Desk, host: str, scope: tuple[str, ...]
) -> None:
    prepare(desk, host)
    done = desk.run("install", host, *scope)
    assert done["hosts"][0]["outcome"] == "done"
    listed = said(desk, host, *LISTINGS[host])
    assert re.search(r"\bserve\b", listed), listed
    assert host == "gemini" or skills_of(desk, host) == SKILLS
    if host == "opencode":
        assert opencode_commands(desk) == SKILLS
    if not scope:
        diagnosis = desk.run("doctor", "--host", host)
        assert (Path(diagnosis["location"]).parent, diagnosis["tools"] > 0) == (BINARIES, True)
        assert diagnosis["version"]
        assert [finding for finding in diagnosis["findings"] if finding["weight"] == "problem"] == []
