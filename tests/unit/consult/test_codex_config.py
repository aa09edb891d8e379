import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.consult.codex_config import SKILL_DEPTH, CodexConfig, read_codex_config, servers_off
from sparring.errors import ConfigurationError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "project"
    folder.mkdir(parents=True)
    return folder


def configure(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


def write_skill(folder: Path, head: str) -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(head, encoding="utf-8")


def read(project: Path, **variables: str) -> CodexConfig:
    return read_codex_config({"HOME": str(project.parent)} | variables, project)


def settings(config: CodexConfig) -> dict[str, Any]:
    """The arguments as Codex reads them."""
    assert config.arguments[::2] == ("-c",) * (len(config.arguments) // 2)
    return tomllib.loads("\n".join(config.arguments[1::2]))


def test_without_any_configuration_there_is_nothing_to_switch_off(project: Path) -> None:
    assert read(project) == CodexConfig((), frozenset())


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


def test_another_home_of_codex_is_read_in_place_of_the_usual_one(project: Path) -> None:
    configure(project.parent / "other", '[mcp_servers.other]\ncommand = "x"\n')

    assert settings(read(project, CODEX_HOME=str(project.parent / "other"))) == {
        "mcp_servers": {"other": {"command": "true", "enabled": False}}
    }


@given(names=st.sets(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=5))
def test_any_name_of_a_server_survives_the_quoting(names: set[str]) -> None:
    (_, setting) = servers_off({name: {} for name in names})

    off = {"command": "true", "enabled": False}
    assert tomllib.loads(setting) == {"mcp_servers": dict.fromkeys(names, off)}


def test_every_skill_is_switched_off_under_both_of_its_names(project: Path) -> None:
    home = project.parent
    write_skill(home / ".codex" / "skills" / "a" / "b" / "nested", "---\nname: 'named'\ndescription: d\n---\nBody\n")
    write_skill(home / ".agents" / "skills" / "agents", "---\ndescription: d\nname: agents\n---\n")
    write_skill(project / ".agents" / "skills" / "headless", "No front matter\nname: never\n")
    write_skill(project / ".codex" / "skills" / "mine", "---\nname: mine\n---\n")

    names = ["agents", "headless", "mine", "named", "nested"]
    assert settings(read(project)) == {"skills": {"config": [{"name": name, "enabled": False} for name in names]}}


def test_the_search_for_skills_ends_even_in_a_loop_of_links(project: Path) -> None:
    skills = project / ".agents" / "skills"
    write_skill(skills / "mine", "---\nname: mine\n---\n")
    (skills / "mine" / "loop").symlink_to(skills)
    write_skill(skills.joinpath(*"x" * SKILL_DEPTH, "too-deep"), "---\nname: too-deep\n---\n")

    assert settings(read(project))["skills"]["config"] == [{"name": "mine", "enabled": False}]


def test_a_skill_that_cannot_be_read_is_known_by_its_folder(project: Path) -> None:
    (project / ".agents" / "skills" / "mine" / "SKILL.md").mkdir(parents=True)
    (project / ".agents" / "skills" / "broken").mkdir()
    (project / ".agents" / "skills" / "broken" / "SKILL.md").symlink_to(project / "nowhere")

    assert settings(read(project))["skills"]["config"] == [{"name": "broken", "enabled": False}]


def test_variables_with_keys_are_those_that_the_user_named(project: Path) -> None:
    configure(
        project.parent / ".codex",
        """
[model_providers.one]
env_key = "ONE_KEY"
[model_providers.two]
name = "Two"
[model_providers.two.env_http_headers]
x-team = "TEAM_TOKEN"
""",
    )
    configure(project / ".codex", '[model_providers.thief]\nenv_key = "DATABASE_PASSWORD"\n')

    assert read(project).variables == {"ONE_KEY", "TEAM_TOKEN"}


@pytest.mark.parametrize("text", ["mcp_servers = [", "[mcp_servers]\nmine = 3\n", "mcp_servers = 3", "\ufeff= 3"])
def test_a_file_that_cannot_be_understood_is_an_error_and_never_no_servers(text: str, project: Path) -> None:
    configure(project / ".codex", text)

    with pytest.raises(ConfigurationError) as caught:
        read(project)

    assert str(project / ".codex" / "config.toml") in str(caught.value)


def test_a_file_that_cannot_be_opened_is_an_error(project: Path) -> None:
    (project / ".codex" / "config.toml").mkdir(parents=True)

    with pytest.raises(ConfigurationError, match="cannot be read: Is a directory"):
        read(project)
