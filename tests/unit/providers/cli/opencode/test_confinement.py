"""What OpenCode is given of a user's configuration, and the rules by which it may read a project."""

import json
import os
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.providers.cli.confinement import FEW, Addition, Surroundings
from sparring.providers.cli.opencode import confinement as opencode
from sparring.providers.cli.opencode.confinement import VARIABLE_LIMIT, OpencodeConfig, Rules, reading_rules
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Question
from support.desk import command_line, question, write
from support.texts import texts


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "project").mkdir(parents=True)
    return tmp_path / "home"


def read(home: Path, **variables: str) -> OpencodeConfig:
    return opencode.read_opencode_config({"HOME": str(home)} | variables, home / "project", managed=home / "managed")


def user(home: Path) -> Path:
    return home / ".config" / "opencode" / "opencode.json"


PLACES = (
    ".config/opencode/config.json", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc", "own.json",
    ".opencode/opencode.json", ".opencode/opencode.jsonc", "folder/opencode.json", "folder/opencode.jsonc",
)  # fmt: skip


def test_a_later_file_overrides_an_earlier_one(home: Path) -> None:
    for number, place in enumerate(PLACES):
        options = {"last": number, f"of-{number}": True}
        write(home / place, {"model": f"p/{number}", "provider": {"p": {"options": options}}})
    content = {"small_model": "p/small", "provider": {"p": "none"}}
    config = read(home, OPENCODE_CONFIG=str(home / "own.json"), OPENCODE_CONFIG_DIR="../folder")
    told = read(home, OPENCODE_CONFIG_CONTENT=json.dumps(content))
    every = {f"of-{number}": True for number in range(8)}
    assert config.settings == {"model": "p/7", "provider": {"p": {"options": {"last": 7} | every}}}
    assert told.settings == {"model": "p/5"} | content
    write(home / "elsewhere" / "opencode" / "opencode.json", {"model": "p/m"})
    assert read(home / "nowhere", XDG_CONFIG_HOME=str(home / "elsewhere")).settings == {"model": "p/m"}


def test_only_what_concerns_models_is_passed_on_and_servers_are_remembered_by_name(home: Path) -> None:
    kept: dict[str, JsonValue] = {"model": "p/m", "small_model": "p/s", "enabled_providers": ["p"], "provider": {}}
    kept["disabled_providers"] = []
    servers: dict[str, JsonValue] = {"one": {}, "off": {"enabled": False}, "odd": 1, "servers": {"two": {}}}
    write(user(home), kept | {"mcp": servers, "plugin": ["x"], "instructions": ["*.md"], "agent": {}, "tools": {}})
    write(home / ".opencode" / "opencode.json", {"mcp": {"three": {}, "gone": {"disabled": True}}})
    write(home / "project" / "opencode.json", {"model": "evil/evil", "mcp": {"evil": {}}})
    write(home / "project" / ".opencode" / "opencode.json", {"model": "evil/evil"})
    assert read(home) == OpencodeConfig(kept, frozenset(), ("one", "servers", "two", "three"))


def test_references_stay_references_that_lead_where_they_did(home: Path) -> None:
    options: dict[str, JsonValue] = {"a": "{file:~/k}", "b": "{file:/k}", "c": "Bearer {env:MY_TOKEN}{env:B}"}
    options["key"] = "{file:./key.txt}"
    write(user(home), {"provider": {"p": {"options": options}}, "username": "{env:NOT_USED}"})
    options["key"] = f"{{file:{user(home).parent}/key.txt}}"
    assert read(home) == OpencodeConfig({"provider": {"p": {"options": options}}}, frozenset({"MY_TOKEN", "B"}), ())


def test_a_login_with_remote_settings_is_refused(home: Path) -> None:
    login = {"https://x.example": {"type": "wellknown", "key": "K", "token": "T"}}
    write(home / ".local" / "share" / "opencode" / "auth.json", login)
    with pytest.raises(ConfigurationError, match=re.escape("opencode is signed in to https://x.example")):
        read(home)
    with pytest.raises(ConfigurationError, match="whose remote settings could start servers"):
        read(home, XDG_DATA_HOME="/nowhere", OPENCODE_AUTH_CONTENT=json.dumps(login))
    assert read(home, OPENCODE_AUTH_CONTENT='{"p": {"type": "api", "key": "k"}, "odd": 1}').settings == {}


def test_servers_of_the_administrator_are_refused(home: Path) -> None:
    file = write(home / "managed" / "opencode.json", {"mcp": {"off": {"enabled": False}}})
    write(user(home), "// nothing yet")
    assert read(home) == OpencodeConfig({}, frozenset(), ())
    write(file, {"mcp": {"watch": {"type": "local"}}})
    with pytest.raises(ConfigurationError, match="has opencode start watch, which only the administrator"):
        read(home)


def confined_in(home: Path, asked: Question, project: Path | None = None) -> Addition:
    spec = command_line("opencode")
    surroundings = Surroundings({"HOME": str(home)}, project or home / "project", home / "private")
    return opencode.confine(spec, asked, surroundings, lambda: home / "folder")


def test_servers_are_disabled_and_references_stay_unresolved(home: Path) -> None:
    write(user(home), {"model": "p/m", "mcp": {"one": {}}, "provider": {"p": {"options": {"apiKey": "{env:KEY}"}}}})
    confined, private = confined_in(home, question(keep_session=True)), home / "private" / "opencode"
    content = json.loads(confined.variables["OPENCODE_CONFIG_CONTENT"])
    assert (content["model"], content["mcp"]) == ("p/m", {"one": {"enabled": False}})
    assert content["provider"]["p"]["options"] == {"apiKey": "{env:KEY}"}
    assert (confined.passed_on, confined.cwd) == ({"KEY"}, private / "opencode")
    assert {folder.stat().st_mode & 0o777 for folder in (private.parent, private, private / "opencode")} == {0o700}
    assert list(private.joinpath("opencode").iterdir()) == []


def held(database: Path, session_id: str) -> Path:
    """A database of sessions that holds that one."""
    database.parent.mkdir(parents=True)
    with closing(sqlite3.connect(database)) as sessions:
        sessions.execute("CREATE TABLE session (id TEXT)")
        sessions.execute("INSERT INTO session VALUES (?)", (session_id,))
        sessions.commit()
    return database


def test_a_session_continues_in_its_database_or_in_a_copy(home: Path) -> None:
    database = held(home / "private" / "opencode" / "sessions" / "one" / "session.db", "ses_1")
    write(home / "private" / "opencode" / "sessions" / "torn" / "session.db", "no database")
    (home / "folder").mkdir()
    copy = home / "folder" / database.name
    for keeps, used in ((True, database), (False, copy)):
        asked = question(session_id="ses_1", keep_session=keeps)
        assert confined_in(home, asked).variables["OPENCODE_DB"] == str(used)
    assert copy.read_bytes() == database.read_bytes()


def test_each_new_session_has_its_own_database_and_others_get_none(home: Path) -> None:
    databases = [confined_in(home, question(keep_session=True)).variables["OPENCODE_DB"] for _ in range(2)]
    assert [Path(each).parent.parent for each in databases] == [home / "private" / "opencode" / "sessions"] * 2
    assert len(set(databases)) == 2
    for asked in (question(), question(session_id="ses_none"), question(session_id="ses_none", keep_session=True)):
        assert confined_in(home, asked).variables["OPENCODE_DB"] == ":memory:"


def test_a_project_name_that_resembles_a_reference_is_taken_literally(home: Path) -> None:
    project = home / "{file:~" / "secret}{env:KEY}"
    project.mkdir(parents=True)
    confined = confined_in(home, question(repo_access=RepoAccess.READ), project)
    content = confined.variables["OPENCODE_CONFIG_CONTENT"]
    assert not re.search("{env:|{file:", content)
    assert f"\n{project.resolve()}\n" in json.loads(content)["agent"]["sparring"]["prompt"]


def test_settings_that_cannot_be_passed_on_are_refused(home: Path) -> None:
    refused = {"m" * VARIABLE_LIMIT: "that opencode would be given is too long", "\ud800": "contains invalid Unicode."}
    for model, reason in refused.items():
        write(user(home), {"model": model})
        with pytest.raises(ConfigurationError, match=reason):
            confined_in(home, question())


@cache
def understood(pattern: str) -> re.Pattern[str]:
    """A rule's ``pattern`` as OpenCode understands it (1.18.33)."""
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)


def decision(rules: Mapping[str, str], path: str) -> str:
    numbers_first = sorted(rules, key=lambda pattern: not pattern.isdecimal())  # as JavaScript orders the keys
    return [rules[pattern] for pattern in numbers_first if understood(pattern).fullmatch(path)][-1]


def may_read(rules: Rules, worktree: Path, path: Path) -> bool:
    reading, outside = rules["read"], rules["external_directory"]
    assert isinstance(reading, dict)
    assert isinstance(outside, dict)
    relative, folder = os.path.relpath(path, worktree), path if path.is_dir() else path.parent
    return "allow" == decision(reading, "" if path == worktree else relative) == decision(outside, f"{folder}/*")


((FILES, ALLOWED, DENIED),) = texts("providers")["a-project-to-be-read"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that holds secrets and links to all kinds of things."""
    folder = tmp_path / "home" / "code" / "project"
    for name in FILES:
        write(folder / name, "text")
    for link, target in texts("providers")["links-in-it"]:
        (folder / link).symlink_to(target)
    return folder


def test_the_project_may_be_read_except_secrets_and_links_out_of_it(project: Path) -> None:
    for root in (Path("/"), project.parents[1], project):
        rules = reading_rules(project, root)
        assert rules["*"] == "deny"
        read = {name: may_read(rules, root, Path(os.path.normpath(project / name))) for name in (*ALLOWED, *DENIED)}
        assert read == dict.fromkeys(ALLOWED, True) | dict.fromkeys(DENIED, False)


def test_among_very_many_links_whole_folders_of_the_root_are_denied(project: Path) -> None:
    for number in range(FEW):
        (project / "src" / f"link-{number}").symlink_to("/etc")
    rules = reading_rules(project, Path("/"))
    assert [may_read(rules, Path("/"), project / name) for name in ("src/a.py", "README.md")] == [False, True]
    assert len(json.dumps(rules)) < VARIABLE_LIMIT // 2


def test_on_case_insensitive_systems_secrets_and_links_are_denied_in_any_case(project: Path) -> None:
    rules = reading_rules(project, Path("/"), ignores_case=True)
    spellings = (".eNv", "kEys/iD_rsA", "oUt/c.py", "SRC/e\u0301/hosts", "readme.MD")
    assert [may_read(rules, Path("/"), project / name) for name in spellings] == [False, False, False, False, True]


def test_a_project_whose_path_would_be_a_pattern_is_refused(project: Path) -> None:
    for name in ("a*b", "a?b"):
        with pytest.raises(ConfigurationError, match=re.escape("its path contains a `*` or a `?`")):
            reading_rules(project / name, Path("/"))


def test_a_home_that_is_a_repository_is_where_paths_begin(home: Path) -> None:
    def rules() -> Any:
        return json.loads(confined_in(home, question(repo_access=RepoAccess.READ)).variables["OPENCODE_PERMISSION"])

    assert f"{str(home.resolve())[1:]}/project/*" in rules()["read"]
    (home / ".git").mkdir()
    assert "project/*" in rules()["read"]
