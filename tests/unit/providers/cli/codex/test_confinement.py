import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.providers.cli.codex import confinement as codex
from sparring.providers.cli.codex.confinement import configured_off, reading_profile
from sparring.providers.cli.confinement import FILES, FOLDERS, Addition, in_any_case
from support.confined import furnished
from support.desk import write
from support.texts import texts


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "project"
    folder.mkdir(parents=True)
    return folder


OFF = {"command": "true", "enabled": False}


def off(*folders: Path) -> dict[str, Any]:
    return {"skills": {"config": [{"path": str(folder / "SKILL.md"), "enabled": False} for folder in folders]}}


def read(project: Path, **variables: str) -> Addition:
    return configured_off({"HOME": str(project.parent)} | variables, project)


def settings(config: Addition) -> dict[str, Any]:
    """The arguments as Codex reads them."""
    assert config.arguments[::2] == ("-c",) * (len(config.arguments) // 2)
    return tomllib.loads("\n".join(config.arguments[1::2]))


def test_every_server_of_the_user_and_of_folders_above_is_switched_off(project: Path) -> None:
    servers = '[mcp_servers]\nmine = { command = "x" }\nfar = { url = "u" }\n'
    write(project.parent / ".codex" / "config.toml", servers)
    write(project / ".codex" / "config.toml", '[mcp_servers."odd.na\\"me"]\ncommand = "x"\n')
    assert settings(read(project / "below", HOME=str(project.parent))) == {
        "mcp_servers": {"mine": OFF, "far": {"url": "http://127.0.0.1:9", "enabled": False}, 'odd.na"me': OFF}
    }


def test_another_home_of_codex_is_read_in_place_of_the_usual_one(project: Path) -> None:
    write(project.parent / "other" / "config.toml", '[mcp_servers.other]\ncommand = "x"\n')
    for name in (f"{project}/../other", "../other"):  # which begins where Codex does
        assert settings(read(project, CODEX_HOME=name)) == {"mcp_servers": {"other": OFF}}


@given(names=st.sets(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=5))
def test_any_name_of_a_server_survives_the_quoting(names: set[str]) -> None:
    (_, setting) = codex.servers_off({name: {} for name in names})
    assert tomllib.loads(setting) == {"mcp_servers": dict.fromkeys(names, OFF)}


def test_every_skill_is_switched_off_by_its_path_and_one_behind_links_once(project: Path) -> None:
    names = ('.agents/skills/odd "name"', ".codex/skills/a/b/nested")
    folders = [*(project.parent / name for name in names), project / ".codex/skills/mine", project / "elsewhere"]
    for folder in folders:
        write(folder / "SKILL.md", "")
    (skills := project / ".agents" / "skills").mkdir(parents=True)
    for name in "abcdefghijklmnop":
        (skills / name).symlink_to(project / "elsewhere")
        (project / "elsewhere" / name).symlink_to(skills)
    assert settings(read(project)) == off(*folders)


def test_a_skill_that_codex_cannot_see_is_not_named(project: Path) -> None:
    seen = project.joinpath(".agents", "skills", *"x" * codex.SKILL_DEPTH)
    write(project / ".agents" / "skills" / os.fsdecode(b"latin-\xe9") / "SKILL.md", "")
    assert read(project) == Addition()
    write(seen / "SKILL.md", "")
    write(seen / "too-deep" / "SKILL.md", "")
    assert settings(read(project)) == off(seen)


def test_a_place_with_too_many_folders_is_an_error_and_never_no_skills(project: Path) -> None:
    for number in range(3):
        (project / ".agents" / "skills" / f"{number}").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match="has too many folders"):
        configured_off({"HOME": str(project.parent)}, project, folder_limit=2)


def test_variables_with_keys_are_those_that_the_user_named(project: Path) -> None:
    two = '[model_providers.two]\nname = "Two"\n[model_providers.two.env_http_headers]\nx-team = "TEAM_TOKEN"\n'
    write(project.parent / ".codex" / "config.toml", f'[model_providers.one]\nenv_key = "ONE_KEY"\n{two}')
    write(project / ".codex" / "config.toml", '[model_providers.thief]\nenv_key = "DATABASE_PASSWORD"\n')
    assert read(project).passed_on == {"ONE_KEY", "TEAM_TOKEN"}


NATIVE = "\x7fELF and so on"


def profile(program: Path) -> dict[str, Any]:
    """The arguments as Codex reads them, with the name, which is another one every time, left out."""
    arguments = reading_profile(str(program), program.parent, system="linux")
    assert arguments[::2] == ("-c", "-c")
    settings = tomllib.loads("\n".join(arguments[1::2]))
    name = settings["default_permissions"]
    assert re.fullmatch("sparring-[0-9a-f]{16}", name)
    return settings["permissions"][name]


def test_codex_may_read_the_project_and_what_programs_need(tmp_path: Path) -> None:
    native = write(tmp_path / "package" / "bin" / "codex", NATIVE)
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
            "glob_scan_max_depth": codex.GLOB_DEPTH,
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
        "codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
        "codex/node_modules/@openai/codex-linux-arm64/vendor/aarch64/bin/codex",
        "codex/vendor/x86_64-unknown-linux-musl/bin/codex",
    ],
)
def test_the_native_program_is_found_behind_the_one_that_npm_installs(native: str, tmp_path: Path) -> None:
    installed = tmp_path / "node_modules" / "@openai"
    script = write(installed / "codex" / "bin" / "codex.js", "#!/usr/bin/env node")
    (link := tmp_path / "codex").symlink_to(script)
    write(installed / "codex-linux-x64" / "vendor" / "other" / "bin" / "codex", "#!/bin/sh")
    write(installed / native, NATIVE)
    own = [path for path in profile(link)["filesystem"] if path.startswith(str(tmp_path))]
    assert own == [str(installed / native)]


def test_codex_gets_no_access_if_its_program_is_not_found(tmp_path: Path) -> None:
    script = str(write(tmp_path / "codex", "#!/bin/sh\nexec codex"))
    for program, named in {script: script, f"{tmp_path}/gone": f"{tmp_path}/gone", None: "codex"}.items():
        with pytest.raises(ConfigurationError, match=f"not found behind {named}"):
            reading_profile(program, tmp_path, system="linux")


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_codex_gets_access_on_linux_only(system: str) -> None:
    with pytest.raises(ConfigurationError, match="on Linux only"):
        reading_profile("/bin/codex", Path(), system=system)


def home(root: Path) -> Path:
    """The folder that is filled for a question, if there is one."""
    told = furnished("codex", root, environment={"HOME": str(root), "CODEX_HOME": f"{root}/users"}).variables
    homes = {"CODEX_HOME": f"{root}/folder", "CODEX_SQLITE_HOME": f"{root}/folder"}
    assert told == (homes if (root / "folder").exists() else {})
    return root / "folder"


def test_it_has_the_login_and_the_models_of_the_user_and_nothing_else(tmp_path: Path) -> None:
    users = tmp_path / "users"
    for name in ("auth.json", ".env", "AGENTS.md", "hooks.json", "skills/one/SKILL.md", "rules/default.rules"):
        write(users / name, "{}")
    (settings_of_the_user,) = texts("providers")["settings-of-a-user-of-codex"]
    write(users / "config.toml", settings_of_the_user)
    folder = home(tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == [".env", "auth.json", "config.toml"]
    assert (folder / "auth.json").readlink() == users / "auth.json"
    own = {"base_url": "http://there", "query_params": {"a b": "c\x7f🙂"}}
    assert tomllib.loads((folder / "config.toml").read_text(encoding="utf-8")) == {
        "model": "m",
        "model_catalog_json": str(users / "models.json"),
        "model_providers": {'my "own"': own | {"request_max_retries": 1, "stream_max_retries": 7}},
        "features": {"respect_system_proxy": True},
        "analytics": {"enabled": False},
        "check_for_update_on_startup": False,
    }


@pytest.mark.parametrize(
    ("store", "has_file", "own_home"), [("keyring", False, False), ("auto", True, True), ("file", False, True)]
)
def test_a_login_in_the_keyring_is_found_by_the_users_own_folder(
    store: str, tmp_path: Path, *, has_file: bool, own_home: bool
) -> None:
    write(tmp_path / "users" / "config.toml", f'cli_auth_credentials_store = "{store}"')
    if has_file:
        write(tmp_path / "users" / "auth.json", "{}")
    assert home(tmp_path).exists() == own_home
