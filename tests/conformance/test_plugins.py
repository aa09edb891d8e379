"""The repository is the plugin of every host: what its files say is what the code is, and so is the index of hosts."""

import base64
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from jsonschema import Draft202012Validator

from sparring import __version__
from sparring.hosts.known import KNOWN_HOSTS
from support.inspection import inspect
from support.plugin_files import REPOSITORY, ROOT, install_links, plugin_files

FILES = plugin_files()
PAGES = ROOT / "docs" / "hosts"
INDEX = (PAGES / "README.md").read_text(encoding="utf-8")


def read(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES)
def test_a_manifest_says_what_the_code_is(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == FILES[path], f"{path} is out of date: run `make manifests`"


def test_every_host_starts_the_installed_program_and_none_fetches_one() -> None:
    started = [read(path)["mcpServers"]["sparring"] for path in (".mcp.json", "gemini-extension.json")]
    assert [(server["command"], server["args"]) for server in started] == [("sparring", ["serve"])] * 2
    assert [path for path in FILES if "uvx" in FILES[path]] == ["server.json"]  # whose readers fetch what it names


def test_an_install_link_starts_the_installed_program() -> None:
    links = install_links()
    redirected = parse_qs(urlsplit(links["VS Code"]).query)["url"][0]
    assert json.loads(unquote(redirected.removeprefix("vscode:mcp/install?"))) == {
        "name": "sparring",
        "command": "sparring",
        "args": ["serve"],
    }
    config = parse_qs(urlsplit(links["Cursor"]).query)["config"][0]
    assert json.loads(base64.b64decode(config)) == {"command": "sparring", "args": ["serve"]}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [editor for editor, address in links.items() if f"[{editor}]({address})" not in readme] == []


def test_the_package_on_the_index_names_its_entry_in_the_registry() -> None:
    # The registry looks for this in the description on PyPI, which is README; whoever else has the name has it not.
    assert f"mcp-name: {read('server.json')['name']} " in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_address_of_the_project_is_below_that_of_its_repository() -> None:
    told = re.findall(r"https://github\.com/[^\s\"'<>)#]*", "".join(FILES.values()))
    assert len(told) >= 8
    assert [address for address in told if not address.startswith(REPOSITORY)] == []


def test_the_server_is_declared_once_for_hosts_that_read_the_plugin() -> None:
    assert "mcpServers" not in read(".claude-plugin/plugin.json")
    # With an `mcp.json` of the vendor-neutral format, Codex starts the server inside its copy of the plugin, where it
    # would look for the user's project (Codex CLI 0.169.0).
    assert not (ROOT / "mcp.json").exists()


def test_the_registry_entry_keeps_to_the_registrys_limits() -> None:
    entry = read("server.json")
    validator: Any = Draft202012Validator(read("tests/data/registry_entry.schema.json"))
    assert [error.message for error in validator.iter_errors(entry)] == []
    assert (entry["version"], entry["packages"][0]["version"]) == (__version__, __version__)


@pytest.mark.npm
def test_the_bundle_is_valid(tmp_path: Path) -> None:
    done = inspect(tmp_path, "mcpb", "validate", str(ROOT / "manifest.json"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lock_files_name_no_place_to_download_from() -> None:
    for folder in ("conformance", "e2e"):
        assert '"resolved"' not in (ROOT / "tests" / folder / "package-lock.json").read_text(encoding="utf-8")


def test_every_host_stands_in_the_index_with_its_name_and_its_command() -> None:
    rows = re.findall(r"^\| ([^|]+) \| `sparring install ([a-z]+)`", INDEX, re.MULTILINE)
    assert sorted(rows) == sorted((host.title, host.name) for host in KNOWN_HOSTS)


def test_the_index_links_the_pages_that_there_are() -> None:
    pages = {page.name for page in PAGES.glob("*.md")} - {"README.md"}
    assert pages == set(re.findall(r"\]\(([^)]+)\)", INDEX))
