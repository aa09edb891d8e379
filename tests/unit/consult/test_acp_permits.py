from pathlib import Path

import pytest

from sparring.consult.acp.hearing import ToolCall
from sparring.consult.acp.permits import Permits
from sparring.schema.base import RepoAccess


def call(kind: str | None, *paths: str) -> ToolCall:
    return ToolCall.model_validate({"toolCallId": "1", "kind": kind, "locations": [{"path": path} for path in paths]})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "a.py").touch()
    (project / ".git").mkdir()
    (tmp_path / "project-two").mkdir()
    (project / "out").symlink_to(tmp_path)
    (project / "in").symlink_to(project / "src")
    (project / "keys.txt").symlink_to(project / ".env")
    (project / "circle").symlink_to(project / "circle")
    return project


@pytest.mark.parametrize(
    "path", ["src/a.py", ".", "src/gone.py", "in/a.py", "{project}", "{project}/src/a.py", "circle"]
)
def test_what_lies_in_the_project_may_be_looked_at(path: str, project: Path) -> None:
    permits = Permits(project, RepoAccess.READ)

    assert permits.allows(call("read", path.replace("{project}", str(project))))
    assert permits.allows(call("search", "src", path.replace("{project}", str(project))))


OUTSIDE = ("/etc/passwd", "..", "../project-two", "{project}-two", "src/../../x", "src\\..\\x", "out/x")
ODD = ("~/x", "~root", "a\0b")
SECRET = (".env", "src/.env", "keys.txt", ".git/config", "id_rsa", "{project}/.env")


@pytest.mark.parametrize("path", [*OUTSIDE, *ODD, *SECRET])
def test_what_lies_elsewhere_or_holds_secrets_may_not(path: str, project: Path) -> None:
    permits = Permits(project, RepoAccess.READ)
    spelled = path.replace("{project}", str(project))

    assert not permits.allows(call("read", spelled))
    assert not permits.allows(call("read", "src/a.py", spelled))
    assert not permits.tolerates(call("read", spelled))


@pytest.mark.parametrize(
    "kind", ["edit", "delete", "move", "execute", "think", "fetch", "switch_mode", "other", "new", None]
)
def test_only_looking_is_allowed(kind: str | None, project: Path) -> None:
    assert not Permits(project, RepoAccess.READ).allows(call(kind, "src/a.py"))


def test_a_look_at_nobody_knows_what_is_tolerated_and_not_allowed(project: Path) -> None:
    permits = Permits(project, RepoAccess.READ)

    assert (permits.allows(call("search")), permits.tolerates(call("search"))) == (False, True)


def test_who_may_see_nothing_may_look_at_nothing(project: Path) -> None:
    permits = Permits(project, RepoAccess.NONE)

    assert (permits.allows(call("read", "src/a.py")), permits.tolerates(call("read", "src/a.py"))) == (False, False)
