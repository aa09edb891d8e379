"""After ``sparring install`` the real hosts know our server, skills and commands; after ``uninstall`` they do not."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.desk import BINARIES, PATIENCE_S, Desk, write

pytestmark = pytest.mark.npm

SKILLS = ["chaired-debate", "consult", "cross-review", "debate", "fact-check", "jury"]
LISTINGS = {
    "claude": ("mcp", "get", "sparring"),
    "codex": ("mcp", "get", "sparring"),
    "copilot": ("mcp", "get", "sparring"),
    "gemini": ("mcp", "list"),
    "opencode": ("mcp", "list"),
}


def said(desk: Desk, *argv: str) -> str:
    """What a host says to that, on both streams, and whatever it ends with."""
    done = subprocess.run(
        [str(BINARIES / argv[0]), *argv[1:]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=desk.project,
        env=desk.environment,
        check=False,
        timeout=PATIENCE_S,
    )
    return done.stdout.decode()


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
    """The names among ours that the host lists as skills or commands, sorted; Gemini CLI lists neither."""
    match host:
        case "claude":
            listed = said(desk, "claude", "-p", "--output-format", "stream-json", "--verbose", "--", "Hello.")
            opening: Any = next(json.loads(line) for line in listed.splitlines() if '"subtype":"init"' in line)
            return sorted(set(SKILLS) & set(opening["slash_commands"]))
        case "codex":
            listed = said(desk, "codex", "debug", "prompt-input", "hello")
            return [name for name in SKILLS if f"- {name}: " in listed]
        case "copilot":
            listed = said(desk, "copilot", "skill", "list")
            return [name for name in SKILLS if f"\n  {name} - " in listed]
        case "opencode":
            listed = said(desk, "opencode", "debug", "skill")
            return [name for name in SKILLS if f'"name": "{name}"' in listed]
        case _:
            return []


def opencode_commands(desk: Desk) -> list[str]:
    """The commands that OpenCode knows and hands what was typed."""
    listed = said(desk, "opencode", "debug", "config")
    config: Any = json.loads(listed[listed.index("{") :])
    return sorted(name for name, command in config["command"].items() if "$ARGUMENTS" in command["template"])


@pytest.mark.parametrize("scope", ["--user", "--project"])
@pytest.mark.parametrize("host", LISTINGS)
def test_a_host_knows_the_server_and_the_skills_until_they_are_taken_out(desk: Desk, host: str, scope: str) -> None:
    prepare(desk, host)
    before = {file: file.read_bytes() for file in desk.home.rglob("*.toml")}

    done = desk.run("install", host, scope)
    assert done["hosts"][0]["outcome"] == "done"
    listed = said(desk, host, *LISTINGS[host])
    assert re.search(r"\bserve\b", listed), listed
    assert skills_of(desk, host) == ([] if host == "gemini" else SKILLS)
    if host == "opencode":
        assert opencode_commands(desk) == SKILLS
    if scope == "--user":
        diagnosis = desk.run("doctor", "--host", host)
        assert (Path(diagnosis["location"]).parent, diagnosis["tools"] > 0) == (BINARIES, True)
        assert diagnosis["version"]
        assert [finding for finding in diagnosis["findings"] if finding["weight"] == "problem"] == []

    desk.run("uninstall", host, scope)
    assert not re.search(r"\bserve\b", said(desk, host, *LISTINGS[host]))
    assert skills_of(desk, host) == []
    assert {file: file.read_bytes() for file in before} == before
