"""The files by which hosts and catalogues find this repository, written from the code: ``make manifests``.

Each host wants the same facts in a file of its own. Here they are said once: the package's own metadata, the tools of
the server and the skills. ``tests/conformance/test_plugins.py`` holds that what lies in the repository is this.
"""

import asyncio
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from mcp.types import Tool

from sparring.prompts.skills import Skill, skills
from sparring.server.building import build_server
from support.option_tables import tabled_files

ROOT = Path(__file__).parents[2]
HOST_PATIENCE_MS = 900_000
"""Milliseconds that a call may take in a host that asks for a limit.

No call needs it: a longer run goes on in ``wait``.
"""

_PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME: str = _PYPROJECT["name"]
VERSION: str = _PYPROJECT["version"]
DESCRIPTION: str = _PYPROJECT["description"]
_ABOUT = {
    **{name: _PYPROJECT[name] for name in ("name", "version", "description")},
    "author": _PYPROJECT["authors"][0],
    "license": _PYPROJECT["license"],
    "keywords": _PYPROJECT["keywords"],
}

# The program that the user installed. Never `uvx sparring`: no package index is known to give that name to us.
_COMMAND = {"command": NAME, "args": ["serve"]}


def plugin_files() -> dict[str, str]:
    """The text of every file, by its path in the repository."""
    tools = asyncio.run(_tools())
    documents = {
        ".claude-plugin/plugin.json": _ABOUT,
        ".claude-plugin/marketplace.json": _marketplace(),
        ".mcp.json": {"mcpServers": {NAME: _COMMAND}},
        "gemini-extension.json": _gemini_extension(),
        "manifest.json": _bundle(tools),
        "server.json": _registry_entry(),
    }
    manifests = {path: json.dumps(value, indent=2, ensure_ascii=False) + "\n" for path, value in documents.items()}
    return tabled_files() | manifests


def _marketplace() -> dict[str, Any]:
    """The repository as a marketplace of one plugin, which is itself; read by Claude Code, Codex and Copilot CLI."""
    plugin = {"name": NAME, "source": "./", "description": DESCRIPTION}
    return {"name": NAME, "description": DESCRIPTION, "owner": _ABOUT["author"], "plugins": [plugin]}


def _gemini_extension() -> dict[str, Any]:
    server = _COMMAND | {"timeout": HOST_PATIENCE_MS}
    return {"name": NAME, "version": VERSION, "description": DESCRIPTION, "mcpServers": {NAME: server}}


def _bundle(tools: tuple[Tool, ...]) -> dict[str, Any]:
    """The MCP bundle. It brings its own code, and runs in the folder that its user chooses."""
    folder = {
        "type": "directory",
        "title": "Project folder",
        "description": "What debates may look at and where their records are kept (in .sparring).",
        "required": True,
        "default": "${HOME}",
    }
    arguments = ["run", "--project", "${__dirname}", "--directory", "${user_config.project}", NAME, "serve"]
    started = {"command": "uv", "args": arguments}
    return {
        "manifest_version": "0.4",
        **_ABOUT,
        "server": {"type": "uv", "entry_point": f"src/{NAME}/__main__.py", "mcp_config": started},
        "tools": [{"name": tool.name, "description": _first_sentence(tool.description or "")} for tool in tools],
        "prompts": [_bundled_prompt(skill) for skill in skills()],
        "compatibility": {"platforms": ["darwin", "linux"], "runtimes": {"python": _PYPROJECT["requires-python"]}},
        "user_config": {"project": folder},
    }


def _bundled_prompt(skill: Skill) -> dict[str, Any]:
    """A skill as a prompt with one argument: all that its user says, named after what it is mostly about."""
    subject = re.match(r"<([a-z]+)>", skill.argument_hint)
    assert subject is not None, f"skill {skill.name}: its argument-hint has to begin with what it is about in <>"
    return {
        "name": skill.name,
        "description": _first_sentence(skill.description),
        "arguments": [subject[1]],
        "text": skill.body.replace("$ARGUMENTS", f"${{arguments.{subject[1]}}}"),
    }


def _registry_entry() -> dict[str, Any]:
    """The entry for the MCP registry. It names no package: there is none on an index that is known to be ours."""
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": f"io.github.{NAME}/{NAME}",
        "title": NAME,
        "description": DESCRIPTION,
        "version": VERSION,
    }


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.?!])\s", text, maxsplit=1)[0]


async def _tools() -> tuple[Tool, ...]:
    return tuple(await build_server().list_tools())


def main() -> None:
    """Write them all, those that others repeat first."""
    for made in (tabled_files, plugin_files):
        for path, text in made().items():
            (ROOT / path).parent.mkdir(exist_ok=True)
            (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
