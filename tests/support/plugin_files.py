"""The files by which hosts and catalogues find this repository, written from the code: ``make manifests``.

Each host wants the same facts in a file of its own. Here they are said once: the package's own metadata, the tools of
the server and the skills. ``tests/conformance/test_plugins.py`` holds that what lies in the repository is this.
"""

import asyncio
import base64
import json
import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from mcp.types import Tool

from sparring import __version__
from sparring.prompts.skills import Skill, skills
from sparring.server.building import build_server
from support.option_tables import tabled_files

ROOT = Path(__file__).parents[2]
HOST_PATIENCE_MS = 900_000
"""Milliseconds that a call may take in a host that asks for a limit.

No call needs it: a longer run goes on in ``wait``.
"""

_PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY: str = _PYPROJECT["urls"]["Repository"]
NAME: str = _PYPROJECT["name"]
VERSION: str = __version__
DESCRIPTION: str = _PYPROJECT["description"]
_ABOUT = {
    "name": NAME,
    "version": VERSION,
    "description": DESCRIPTION,
    "author": _PYPROJECT["authors"][0],
    "homepage": f"{REPOSITORY}#readme",
    "license": _PYPROJECT["license"],
    "keywords": _PYPROJECT["keywords"],
}

# The program that the user installed. Never `uvx sparring`: the name on the package index is not ours before a release.
_COMMAND = {"command": NAME, "args": ["serve"]}

REGISTRY_NAME = "io.github." + urlsplit(REPOSITORY).path.strip("/")
"""The name in the MCP registry, which lets the owner of a repository on GitHub have all names below its own."""

_LINKS = re.compile(r"(?m)^.*<!-- mcp-name: .*-->\n?")
_URLS = re.compile(r"(?m)(?<=^\[project\.urls\]\n)(Repository = .*\n)(?:\w.*\n)*")


def plugin_files() -> dict[str, str]:
    """The text of every file, by its path in the repository."""
    tools = asyncio.run(_tools())
    documents = {
        ".claude-plugin/plugin.json": {**_ABOUT, "repository": REPOSITORY},
        ".claude-plugin/marketplace.json": _marketplace(),
        ".mcp.json": {"mcpServers": {NAME: _COMMAND}},
        "gemini-extension.json": _gemini_extension(),
        "manifest.json": _bundle(tools),
        "server.json": _registry_entry(),
    }
    texts = {"README.md": _readme(), "pyproject.toml": _pyproject()}
    manifests = {path: json.dumps(value, indent=2, ensure_ascii=False) + "\n" for path, value in documents.items()}
    return tabled_files() | manifests | texts


def _readme() -> str:
    """README with the links that add the server to an editor, and the name of the package in the MCP registry."""
    links = " · ".join(f"[{editor}]({address})" for editor, address in install_links().items())
    line = f"One click: {links} <!-- mcp-name: {REGISTRY_NAME} -->\n"
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return _LINKS.sub(lambda _: line, text, count=1) if _LINKS.search(text) else f"{text.rstrip()}\n\n{line}"


def install_links() -> dict[str, str]:
    """Links on which an editor asks its user whether to add the server; sparring has to be installed."""
    named, alone = json.dumps({"name": NAME, **_COMMAND}), json.dumps(_COMMAND)
    scheme = f"vscode:mcp/install?{quote(named, safe='')}"  # pages of GitHub link no such scheme
    config = quote(base64.b64encode(alone.encode()).decode(), safe="")
    return {
        "VS Code": f"https://insiders.vscode.dev/redirect?url={quote(scheme, safe='')}",
        "Cursor": f"https://cursor.com/install-mcp?name={NAME}&config={config}",
    }


def _pyproject() -> str:
    """The metadata with the addresses of what lies in the repository."""
    addresses = {"Changelog": "blob/main/CHANGELOG.md", "Documentation": "tree/main/docs", "Issues": "issues"}
    lines = "".join(f'{name} = "{REPOSITORY}/{path}"\n' for name, path in addresses.items())
    return _URLS.sub(lambda found: found[1] + lines, (ROOT / "pyproject.toml").read_text(encoding="utf-8"))


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
        "repository": {"type": "git", "url": f"{REPOSITORY}.git"},
        "documentation": f"{REPOSITORY}/tree/main/docs",
        "support": f"{REPOSITORY}/issues",
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
    """The entry for the MCP registry, which accepts it when the package on PyPI names the entry in its README."""
    package = {
        "registryType": "pypi",
        "registryBaseUrl": "https://pypi.org",
        "identifier": NAME,
        "version": VERSION,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "serve"}],
    }
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": REGISTRY_NAME,
        "title": NAME,
        "description": DESCRIPTION,
        "repository": {"url": REPOSITORY, "source": "github"},
        "version": VERSION,
        "packages": [package],
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
