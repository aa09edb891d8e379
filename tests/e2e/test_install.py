"""After ``sparring install`` the real hosts know our server, skills and commands; after ``uninstall`` they do not."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.desk import BINARIES, PATIENCE_S, Desk

pytestmark = pytest.mark.npm

SKILLS = ["chaired-debate", "consult", "debate", "fact-check", "jury"]
LISTINGS = {
    "claude": ("mcp", "get", "sparring"),
    "codex": ("mcp", "get", "sparring"),
    "copilot": ("mcp", "get", "sparring"),
    "gemini": ("mcp", "list"),
    "opencode": ("mcp", "list"),
}
SCOPES = ("--user", "--project")


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
        settings = desk.home / ".copilot" / "config.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps({"trusted_folders": [str(desk.project)]}), encoding="utf-8")
    if host == "claude":
        approved = {"hasTrustDialogAccepted": True, "enabledMcpjsonServers": ["sparring"]}
        settings = desk.home / ".claude.json"
        settings.write_text(json.dumps({"projects": {str(desk.project): approved}}), encoding="utf-8")


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("host", LISTINGS)
def test_a_host_knows_the_server_until_it_is_taken_out(desk: Desk, host: str, scope: str) -> None:
    prepare(desk, host)
    before = {file: file.read_bytes() for file in desk.home.rglob("*.toml")}
    done = desk.run("install", host, scope)
    assert done["hosts"][0]["outcome"] == "done"
    listed = said(desk, host, *LISTINGS[host])
    assert re.search(r"\bserve\b", listed), listed
    desk.run("uninstall", host, scope)
    assert not re.search(r"\bserve\b", said(desk, host, *LISTINGS[host]))
    assert {file: file.read_bytes() for file in before} == before


def skills_of(desk: Desk, host: str) -> list[str]:
    """The names among ours that the host lists as skills, sorted."""
    if host == "codex":
        listed = said(desk, "codex", "debug", "prompt-input", "hello")
        return [name for name in SKILLS if f"- {name}: " in listed]
    if host == "copilot":
        listed = said(desk, "copilot", "skill", "list")
        return [name for name in SKILLS if f"\n  {name} - " in listed]
    listed = said(desk, "opencode", "debug", "skill")
    return [name for name in SKILLS if f'"name": "{name}"' in listed]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("host", ["codex", "copilot", "opencode"])
def test_a_host_finds_the_skills_until_they_are_taken_out(desk: Desk, host: str, scope: str) -> None:
    prepare(desk, host)
    desk.run("install", host, scope)
    assert skills_of(desk, host) == SKILLS
    desk.run("uninstall", host, scope)
    assert skills_of(desk, host) == []


@pytest.mark.parametrize("scope", SCOPES)
def test_claude_code_finds_the_skills_as_commands(desk: Desk, scope: str) -> None:
    prepare(desk, "claude")
    desk.run("install", "claude", scope)
    listed = said(desk, "claude", "-p", "--output-format", "stream-json", "--verbose", "--", "Hello.")
    opening: Any = next(json.loads(line) for line in listed.splitlines() if '"subtype":"init"' in line)
    assert set(SKILLS) <= set(opening["slash_commands"])
    assert [server["name"] for server in opening["mcp_servers"]] == ["sparring"]


@pytest.mark.parametrize("scope", SCOPES)
def test_opencode_finds_the_commands(desk: Desk, scope: str) -> None:
    desk.run("install", "opencode", scope)
    listed = said(desk, "opencode", "debug", "config")
    config: Any = json.loads(listed[listed.index("{") :])
    assert sorted(config["command"]) == SKILLS
    assert all("$ARGUMENTS" in command["template"] for command in config["command"].values())


@pytest.mark.parametrize("host", LISTINGS)
def test_the_doctor_finds_nothing_that_does_not_work_after_an_installation(desk: Desk, host: str) -> None:
    prepare(desk, host)
    desk.run("install", host)
    diagnosis = desk.run("doctor", "--host", host)
    assert Path(diagnosis["location"]).parent == BINARIES
    assert diagnosis["version"]
    assert diagnosis["tools"] > 0
    assert [finding for finding in diagnosis["findings"] if finding["weight"] == "problem"] == []
