"""What an agent may look at, by its own account."""

from pathlib import Path

import pytest

from sparring.providers.acp.client import AgentPermissions, ToolCall
from sparring.schema.base import RepoAccess
from support.desk import write

LOOKED_AT = ("src/a.py", ".", "src/gone.py", "in/a.py", "{project}", "{project}/src/a.py", "circle")
OUTSIDE = ("/etc/passwd", "..", "../project-two", "{project}-two", "src/../../x", "src\\..\\x", "out/x")
ODD = ("~/x", "~root", "a\0b", "half \ud83e")
SECRET = (".env", "src/.env", "keys.txt", ".git/config", "id_rsa", "{project}/.env")


def call(kind: str | None, *paths: str) -> ToolCall:
    return ToolCall.model_validate({"toolCallId": "1", "kind": kind, "locations": [{"path": path} for path in paths]})


def test_only_files_of_the_project_without_secrets_may_be_read(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project / "src" / "a.py", "")
    (project / ".git").mkdir()
    (tmp_path / "project-two").mkdir()
    for link, target in {"out": tmp_path, "in": "src", "keys.txt": ".env", "circle": "circle"}.items():
        (project / link).symlink_to(target)
    permits = AgentPermissions(project, RepoAccess.READ)

    for path in (*LOOKED_AT, *OUTSIDE, *ODD, *SECRET):
        spelled = path.replace("{project}", str(project))
        calls = call("read", spelled), call("search", "src", spelled)
        assert {permits.allows(each) for each in calls} == {path in LOOKED_AT}, path
        assert {permits.tolerates(each) for each in calls} == {path in LOOKED_AT}, path


def test_only_reading_at_a_stated_place_is_allowed(tmp_path: Path) -> None:
    reads, sees_nothing = AgentPermissions(tmp_path, RepoAccess.READ), AgentPermissions(tmp_path, RepoAccess.NONE)
    somewhere = call("search")  # nobody knows where
    assert (reads.allows(somewhere), reads.tolerates(somewhere)) == (False, True)
    others = [(reads, call(kind, "a.py")) for kind in ("edit", "execute", "fetch", "new", None)]
    for permits, asked in (*others, (sees_nothing, call("read", "a.py"))):
        assert (permits.allows(asked), permits.tolerates(asked)) == (False, False)


@pytest.mark.parametrize(
    "path",
    [
        *("", "file:///etc/passwd", "app.py\n/etc/passwd", "C:\\Windows\\x", "\\\\server\\share", "//server/share"),
        *("%USERPROFILE%\\x", "$HOME/x", "https://evil/x", "app.py\t", "app.py\u2028"),
    ],
)
def test_paths_that_other_grammars_read_differently_are_closed(path: str, tmp_path: Path) -> None:
    asked = ToolCall.model_validate({"toolCallId": "1", "kind": "read", "locations": [{"path": path}]})
    assert not AgentPermissions(tmp_path, RepoAccess.READ).allows(asked)
