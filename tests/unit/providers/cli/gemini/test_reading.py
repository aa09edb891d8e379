"""What Gemini CLI may not do when it may read a project: its rules, put to the arguments of its tools."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.providers.cli.confinement import FEW, FILES, FOLDERS
from sparring.providers.cli.gemini.confinement import PATTERN_LIMIT, reading_policies
from support.desk import write
from support.texts import texts


def rules(project: Path) -> list[dict[str, Any]]:
    return tomllib.loads(reading_policies(project))["rule"]


def denials_in(project: Path) -> Callable[..., list[str]]:
    """What tells why a call with some arguments is denied."""
    found = [(re.compile(rule["argsPattern"]), rule["denyMessage"]) for rule in rules(project)]

    def denials(**arguments: object) -> list[str]:
        said = {json.dumps(name): json.dumps(arguments[name], ensure_ascii=False) for name in sorted(arguments)}
        written = "{" + ",".join(f"\0{name}:{value}\0" for name, value in said.items()) + "}"
        return [message for pattern, message in found if pattern.search(written)]

    return denials


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a (b) [c]+d, Ünd"
    folder.mkdir()
    return folder.resolve()


def test_every_rule_denies_every_tool_first_and_is_kept_by_gemini(project: Path) -> None:
    same = {"toolName": "*", "decision": "deny", "priority": 999}
    assert all(rule == same | {key: rule[key] for key in ("argsPattern", "denyMessage")} for rule in rules(project))
    dangerous = re.compile(r"\([^)]*[*+?{].*\)[*+?{]")  # as Gemini CLI tells it, which drops such a rule (0.61.0)
    patterns = [rule["argsPattern"] for rule in rules(project)]
    assert [pattern for pattern in patterns if dangerous.search(pattern) or len(pattern) > PATTERN_LIMIT] == []


def test_files_of_the_project_are_read(project: Path) -> None:
    denials = denials_in(project)
    for name in ("README.md", "src/environment.py", "a b/ü.txt", ".gitignore", "secrets.py", "keys.ts"):
        assert denials(file_path=f"{project}/{name}", start_line=1, end_line=3) == []
        assert denials(dir_path=f"{project}/{name}") == []
    assert denials(dir_path=str(project), ignore=["*.log"]) == []
    assert denials(pattern="**/*.py", dir_path=str(project), case_sensitive=True) == []


def test_other_paths_and_folders_and_patterns_that_could_lead_out_are_denied(project: Path) -> None:
    denials = denials_in(project)
    denied = texts("providers")["what-gemini-may-not-look-at"]
    asked = [{name: value.replace("{project}", str(project))} for name, values in denied for value in values]
    assert [each for each in asked if not denials(**each)] == []


def test_files_for_secrets_are_denied_in_any_spelling(project: Path) -> None:
    denials = denials_in(project)
    names = [name.replace("*", "xYz") for name in FILES]
    asked = [{"file_path": f"{project}/{path.format(name)}"} for path in ("{}", "{}/", "{}/.") for name in names]
    asked += [{"file_path": f"{project}/deep/er/{name}"} for name in (*map(str.upper, names), *map(str.title, names))]
    asked += [{"file_path": f"{project}/a/{name.upper()}/x"} for name in FOLDERS]
    asked += [{"dir_path": f"{project}/{name}"} for name in FOLDERS]
    assert [each for each in asked if denials(**each) != ["This may contain secrets."]] == []


def test_links_to_secrets_are_denied_and_others_are_not(project: Path) -> None:
    write(project / "id_rsa", "secret")
    write(project / ".ssh" / "config", "secret")
    write(project / "src" / "main.py", "source")
    links = {
        "key": "id_rsa", "src/Ö[1]*.txt": "../id_rsa", "ssh": ".ssh", "config": ".ssh/config", "code": "src",
        "main": "src/main.py", "out": "/etc", "gone": "id_rsa-not", "broken": "nowhere",
    }  # fmt: skip
    for link, target in links.items():
        (project / link).symlink_to(target)

    denials = denials_in(project)
    secret = ("key", "KEY", "src/Ö[1]*.txt", "ssh", "ssh/known_hosts", "config")
    plain = ("code/main.py", "main", "src/main.py", "out", "broken", "keyboard", "src/1.txt", "configs")

    assert [name for name in secret if not denials(file_path=f"{project}/{name}")] == []
    assert [name for name in plain if denials(file_path=f"{project}/{name}")] == []


def test_where_there_are_many_links_to_secrets_the_folders_that_hold_them_are_denied(project: Path) -> None:
    write(project / "id_rsa", "secret")
    (project / "links").mkdir()
    for number in range(FEW + 1):
        (project / "links" / str(number)).symlink_to("../id_rsa")
    assert len(rules(project)) == len(FILES) + len(FOLDERS) + 7
    assert denials_in(project)(file_path=f"{project}/links/other") == ["This may contain secrets."]


@pytest.mark.parametrize(
    "name", ["100%", "a\\b", 'a"b', "$HOME", "a{b", "a}b", "a\nb", "a\udcffb", "a" * PATTERN_LIMIT], ids=range(9)
)
def test_a_project_whose_path_cannot_be_written_as_a_rule_is_not_read(name: str) -> None:
    reason = "a path of that length" if len(name) == PATTERN_LIMIT else "its path contains a"
    with pytest.raises(ConfigurationError, match=reason):
        reading_policies(Path("/srv") / name)
