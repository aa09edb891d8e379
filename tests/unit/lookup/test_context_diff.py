"""What git says has changed, without what must not be shown and without starting what a repository names."""

import os
from pathlib import Path

import pytest

from sparring.errors import UsageError
from sparring.lookup.context import Changes, read_changes
from support.projects import git, make_project

pytestmark = pytest.mark.process

LIMIT = 100_000
ENVIRONMENT = {"PATH": os.environ["PATH"]}


def committed(root: Path, **files: str) -> Path:
    """A repository with one commit that holds ``files`` (``_`` stands for a dot)."""
    project = make_project(root / "project", {name.replace("_", "."): text for name, text in files.items()})
    git(project, "commit", "-qm", "first")
    return project


async def changes(
    project: Path, *, limit: int = LIMIT, ignored: tuple[str, ...] = (), secrets_allowed: bool = False
) -> Changes:
    return await read_changes(project, ENVIRONMENT, limit=limit, ignored=ignored, secrets_allowed=secrets_allowed)


def lines(found: Changes) -> list[str]:
    """What was taken away and what was added."""
    assert found.text is not None
    return [line for line in found.text.splitlines() if line[:1] in "+-" and not line.startswith(("+++", "---"))]


async def test_staged_and_unstaged_changes_are_one_difference_in_which_nothing_may_be_secret(tmp_path: Path) -> None:
    project = committed(tmp_path, a_py="x = 1\n", b_py="y = 1\n", _env="A=old\n")
    make_project(project, {"a.py": "x = 2\n"})
    make_project(project, {"b.py": "y = 2\n", ".env": "A=new\n"}, git=False)
    found, allowed = await changes(project), await changes(project, secrets_allowed=True)
    assert lines(found) == ["-x = 1", "+x = 2", "-y = 1", "+y = 2"]
    assert found == Changes(found.text, len((found.text or "").encode()), (".env",), ())
    assert (lines(allowed), allowed.left_out) == (["-A=old", "+A=new", *lines(found)], ())


async def test_without_a_commit_everything_that_git_knows_is_new(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project", {"a.py": "x = 1\n"})
    make_project(project, {"a.py": "x = 2\n"}, git=False)
    assert lines(await changes(project)) == ["+x = 2"]


async def test_new_files_are_named_except_records_of_sparring(tmp_path: Path) -> None:
    project = committed(tmp_path, a_py="x = 1\n", log="old\n")
    names = ("Có gì.py", ".sparring/debate/last-debate.json", ".env", "log")
    make_project(project, dict.fromkeys(names, "new\n"), git=False)
    assert await changes(project, ignored=(".sparring/debate/", "log")) == Changes("", 0, (), (".env", "Có gì.py"))


async def test_what_was_in_a_secret_file_is_not_shown_when_it_is_moved(tmp_path: Path) -> None:
    project = committed(tmp_path, _env="A=old\n" * 20, a_py="x = 1\n")
    git(project, "mv", "a.py", ".env.local")
    git(project, "mv", ".env", "notes.txt")
    make_project(project, {"notes.txt": "A=old\n" * 18}, git=False)
    found = await changes(project)
    assert (lines(found), found.left_out) == (["-x = 1", *["+A=old"] * 18], (".env", ".env.local"))


async def test_a_difference_that_is_too_large_is_broken_off(tmp_path: Path) -> None:
    project = committed(tmp_path, a_txt="")
    make_project(project, {"a.txt": "word\n" * 100_000}, git=False)
    assert await changes(project, limit=1000) == Changes(None, 1001, (), ())


async def test_a_folder_of_a_larger_repository_is_compared_alone(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project", {"a.py": "x = 1\n", "sub/b.py": "y = 1\n"})
    git(project, "commit", "-qm", "first")
    make_project(project, {"a.py": "x = 2\n", "sub/b.py": "y = 2\n"}, git=False)
    found = await changes(project / "sub")
    assert lines(found) == ["-y = 1", "+y = 2"]
    assert "+++ b/b.py" in (found.text or "")


async def test_a_missing_repository_or_git_is_reported_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"lies in no git repository\. .*needs git and a repository"):
        await changes(tmp_path)
    project = committed(tmp_path, a_py="x = 1\n")
    with pytest.raises(UsageError, match="git is not installed"):
        await read_changes(project, {"PATH": str(tmp_path)}, limit=LIMIT, ignored=(), secrets_allowed=False)
