"""What a tool that may read the project is told not to read."""

import fnmatch
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.providers.confinement import reading_rules
from sparring.providers.confinement.codex import GLOB_DEPTH, reading_profile
from sparring.providers.confinement.secret_names import FILES, FOLDERS, in_any_case
from sparring.text.secret_files import may_hold_secrets

SECRET = (
    ".env", ".ENV", ".env.local", ".env-prod", ".envrc", "prod.env", "server.pem", "Server.KEY", "id_rsa", "id_ed25519",
    "deploy_rsa", "AuthKey_1.p8", "store.jks", "terraform.tfstate", "x.tfvars", ".netrc", ".npmrc", ".pypirc",
    "credentials", "Credentials.json", "aws-credentials.ini", "secrets.yaml", "app-secrets.toml", "passwords.txt",
    "service-account.json", "auth.json", ".git-credentials", ".htpasswd", ".vault-token", "my.kdbx",
)  # fmt: skip
HARMLESS = (
    "README.md", "environment.py", "main.rs", "keyboard.ts", "monkey.txt", "secrets.py", "credentials.go", "id.txt",
    "package.json", "Makefile", ".gitignore", "authors.json",
)  # fmt: skip


def denied(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, in_any_case(pattern)) for pattern in FILES)


def test_what_is_made_to_hold_secrets_is_denied_and_other_files_are_not() -> None:
    assert [name for name in SECRET if not (denied(name) and may_hold_secrets(name))] == []
    assert [name for name in HARMLESS if denied(name) or may_hold_secrets(name)] == []
    assert [folder for folder in FOLDERS if not may_hold_secrets(f"{folder}/anything")] == []


def rules(environment: dict[str, str], project: Path) -> list[str]:
    flag, value = reading_rules(environment, project)
    settings = json.loads(value)
    assert (flag, settings.keys(), settings["permissions"].keys()) == ("--settings", {"permissions"}, {"deny"})
    return settings["permissions"]["deny"]


def test_claude_is_denied_secrets_and_what_earlier_sessions_left() -> None:
    found = rules({}, Path("/srv/project"))

    assert found[-1] == "Read(//tmp/claude-*/**)"
    assert "Read(**/.[eE][nN][vV][rR][cC])" in found
    assert "Read(**/.[gG][iI][tT]/**)" in found
    assert len(found) == len(set(found)) == len(FILES) + len(FOLDERS) + 1


def test_the_folder_of_earlier_sessions_is_denied_wherever_it_lies_unless_the_project_is_there(tmp_path: Path) -> None:
    (tmp_path / "real[1]").mkdir()
    (tmp_path / "link").symlink_to("real[1]")

    assert rules({"TMPDIR": str(tmp_path / "link")}, Path("/srv"))[-2:] == [
        f"Read(/{tmp_path}/link/claude-*/**)",
        f"Read(/{tmp_path}/real\\[1\\]/claude-*/**)",
    ]
    project = tmp_path / "claude-0" / "-work" / "scratchpad"
    assert not any("claude-*" in rule for rule in rules({"TMPDIR": str(tmp_path)}, project))


NATIVE = b"\x7fELF and so on"


def install(file: Path, content: bytes = NATIVE) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def profile(program: Path) -> dict[str, Any]:
    """The arguments as Codex reads them, with the name, which is another one every time, left out."""
    arguments = reading_profile(str(program), program.parent, system="linux")
    assert arguments[::2] == ("-c", "-c")
    settings = tomllib.loads("\n".join(arguments[1::2]))
    name = settings["default_permissions"]
    assert re.fullmatch("sparring-[0-9a-f]{16}", name)
    return settings["permissions"][name]


def test_codex_may_read_the_project_and_what_programs_need(tmp_path: Path) -> None:
    native = install(tmp_path / "package" / "bin" / "codex")
    (tmp_path / "package" / "codex-path").mkdir()
    for folder in (".github", ".odd[1]", ".git", ".aws", "src"):
        (native.parent / folder).mkdir()
    (native.parent / ".gitignore").touch()

    found = profile(native)
    twice = [reading_profile(str(native), native.parent, system="linux") for _ in range(2)]
    assert twice[0] != twice[1]  # a profile never has the name of another

    names = "{" + ",".join(map(in_any_case, FILES)) + "}"
    deeper = next(pattern for pattern in found["filesystem"][":workspace_roots"] if pattern.startswith("{[!.]*"))
    assert deeper.startswith(f"{{[!.]*,.github,.odd[[]1[]]}}/**/{names[:-1]},.[gG][iI][tT]/[cC]")
    assert found == {
        "filesystem": {
            "glob_scan_max_depth": GLOB_DEPTH,
            ":minimal": "read",
            "/etc": "deny",
            "/usr/local/etc": "deny",
            str(native): "read",
            str(tmp_path / "package" / "codex-path"): "read",
            ":workspace_roots": {".": "read", **dict.fromkeys((*FOLDERS, names, deeper), "deny")},
        },
        "network": {"enabled": False},
    }


@pytest.mark.parametrize(
    "native",
    [
        "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
        "node_modules/@openai/codex/node_modules/@openai/codex-linux-arm64/vendor/aarch64/bin/codex",
        "node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex",
    ],
)
def test_the_native_program_is_found_behind_the_one_that_npm_installs(native: str, tmp_path: Path) -> None:
    script = install(tmp_path / "node_modules" / "@openai" / "codex" / "bin" / "codex.js", b"#!/usr/bin/env node")
    link = tmp_path / "node_modules" / ".bin" / "codex"
    link.parent.mkdir()
    link.symlink_to(script)
    install(
        tmp_path / "node_modules" / "@openai" / "codex-linux-x64" / "vendor" / "other" / "bin" / "codex", b"#!/bin/sh"
    )
    install(tmp_path / native)

    own = [path for path in profile(link)["filesystem"] if path.startswith(str(tmp_path))]

    assert own == [str(tmp_path / native)]


def test_codex_is_not_let_in_when_its_own_program_is_not_found(tmp_path: Path) -> None:
    script = str(install(tmp_path / "codex", b"#!/bin/sh\nexec codex"))
    for program, named in {script: script, f"{tmp_path}/gone": f"{tmp_path}/gone", None: "codex"}.items():
        with pytest.raises(ConfigurationError, match=f"not found behind {named}"):
            reading_profile(program, tmp_path, system="linux")


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_codex_is_let_in_only_where_its_bounds_were_seen_to_hold(system: str) -> None:
    with pytest.raises(ConfigurationError, match="on Linux only"):
        reading_profile("/bin/codex", Path(), system=system)
