import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.providers.confinement.codex import FILE_LIMIT, SKILL_DEPTH, CodexConfig, read_codex_config, servers_off


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "project"
    folder.mkdir(parents=True)
    return folder


def configure(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


def write_skill(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").touch()


def off(*folders: Path) -> dict[str, Any]:
    return {"skills": {"config": [{"path": str(folder / "SKILL.md"), "enabled": False} for folder in folders]}}


def read(project: Path, **variables: str) -> CodexConfig:
    return read_codex_config({"HOME": str(project.parent)} | variables, project)


def settings(config: CodexConfig) -> dict[str, Any]:
    """The arguments as Codex reads them."""
    assert config.arguments[::2] == ("-c",) * (len(config.arguments) // 2)
    return tomllib.loads("\n".join(config.arguments[1::2]))


def test_every_server_of_user_and_project_is_switched_off(project: Path) -> None:
    configure(project.parent / ".codex", '[mcp_servers.mine]\ncommand = "x"\n[mcp_servers.far]\nurl = "http://far"\n')
    configure(project / ".codex", '[mcp_servers."odd.na\\"me"]\ncommand = "x"\n')

    assert settings(read(project)) == {
        "mcp_servers": {
            "mine": {"command": "true", "enabled": False},
            "far": {"url": "http://127.0.0.1:9", "enabled": False},
            'odd.na"me': {"command": "true", "enabled": False},
        }
    }


@pytest.mark.parametrize("name", ["{project}/../other", "../other"], ids=["absolute", "from where Codex starts"])
def test_another_home_of_codex_is_read_in_place_of_the_usual_one(name: str, project: Path) -> None:
    configure(project.parent / "other", '[mcp_servers.other]\ncommand = "x"\n')

    assert settings(read(project, CODEX_HOME=name.format(project=project))) == {
        "mcp_servers": {"other": {"command": "true", "enabled": False}}
    }


@given(names=st.sets(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=5))
def test_any_name_of_a_server_survives_the_quoting(names: set[str]) -> None:
    (_, setting) = servers_off({name: {} for name in names})

    off = {"command": "true", "enabled": False}
    assert tomllib.loads(setting) == {"mcp_servers": dict.fromkeys(names, off)}


def test_every_skill_is_switched_off_by_its_path(project: Path) -> None:
    home = project.parent
    folders = [
        home / ".agents" / "skills" / 'odd "name"',
        home / ".codex" / "skills" / "a" / "b" / "nested",
        project / ".agents" / "skills",
        project / ".codex" / "skills" / "mine",
    ]
    for folder in folders:
        write_skill(folder)

    assert settings(read(project)) == off(*folders)


def test_a_skill_behind_links_is_switched_off_once(project: Path) -> None:
    skills = project / ".agents" / "skills"
    write_skill(project / "elsewhere")
    skills.mkdir(parents=True)
    for name in "abcdefghijklmnop":
        (skills / name).symlink_to(project / "elsewhere")
        (project / "elsewhere" / name).symlink_to(skills)

    assert settings(read(project)) == off(project / "elsewhere")


def test_a_skill_that_codex_cannot_see_is_not_named(project: Path) -> None:
    seen = project.joinpath(".agents", "skills", *"x" * SKILL_DEPTH)
    write_skill(project / ".agents" / "skills" / os.fsdecode(b"latin-\xe9"))
    assert read(project) == CodexConfig((), frozenset())

    write_skill(seen)
    write_skill(seen / "too-deep")
    assert settings(read(project)) == off(seen)


def test_a_place_with_too_many_folders_is_an_error_and_never_no_skills(project: Path) -> None:
    for number in range(3):
        (project / ".agents" / "skills" / f"{number}").mkdir(parents=True)

    with pytest.raises(ConfigurationError, match="holds too many folders"):
        read_codex_config({"HOME": str(project.parent)}, project, folder_limit=2)


def test_variables_with_keys_are_those_that_the_user_named(project: Path) -> None:
    two = '[model_providers.two]\nname = "Two"\n[model_providers.two.env_http_headers]\nx-team = "TEAM_TOKEN"\n'
    configure(project.parent / ".codex", f'[model_providers.one]\nenv_key = "ONE_KEY"\n{two}')
    configure(project / ".codex", '[model_providers.thief]\nenv_key = "DATABASE_PASSWORD"\n')

    assert read(project).variables == {"ONE_KEY", "TEAM_TOKEN"}


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = [",
        "[mcp_servers]\nm = 3\n",
        "mcp_servers = 3",
        "\ufeff= 3",
        "[" * 100_000,
        " " * (FILE_LIMIT + 1),
    ],
    ids=range(6),
)
def test_a_file_that_cannot_be_understood_is_an_error_and_never_no_servers(text: str, project: Path) -> None:
    configure(project / ".codex", text)

    with pytest.raises(ConfigurationError, match=re.escape(str(project / ".codex" / "config.toml"))):
        read(project)


@pytest.mark.parametrize(
    ("target", "reason"),
    [("/dev/zero", "cannot be understood"), ("config.toml", "cannot be read: Too many levels of symbolic links")],
)
def test_what_is_no_file_that_can_be_read_is_an_error(target: str, reason: str, project: Path) -> None:
    (project / ".codex").mkdir()
    (project / ".codex" / "config.toml").symlink_to(target)

    with pytest.raises(ConfigurationError, match=reason):
        read(project)
