"""A change of any size is read in answers that are bounded."""

import os
from pathlib import Path

import pytest

from sparring.providers.lookup.changes import ChangedFiles, ChangeScope, Compared
from sparring.providers.lookup.git import Git
from sparring.schema.changes import LeftOut, NotShown
from support.hostile_repositories import Ground, ground
from support.projects import make_project

pytestmark = pytest.mark.process


@pytest.fixture
def here(tmp_path: Path) -> Ground:
    return ground(tmp_path)


async def test_many_files_are_asked_for_in_turns_and_fewer_of_them_where_the_answer_is_too_long(here: Ground) -> None:
    names = [f"src/{number:03}.py" for number in range(250)]
    make_project(here.project, dict.fromkeys(names, "1\n") | {"src/long.py": ""})
    here.git("commit", "-qm", "many")
    make_project(here.project, dict.fromkeys(names, f"2 {'x' * 40}\n") | {"src/long.py": "1\n" * 5000}, git=False)
    git = Git(here.project, {"PATH": os.environ["PATH"]})
    repository = await git.find()
    assert repository is not None
    for limit in (12_000, 1 << 20):
        changed = ChangedFiles(here.project, git, repository, limit)
        found = await changed.read(Compared(repository.head or ""), ChangeScope(("src",)))
        assert [each.path for each in found.files][:250] == names
        assert all(each.hunks[0].lines == ("-1", f"+2 {'x' * 40}") for each in found.files[:250])
        gone = (LeftOut(path="src/long.py", why=NotShown.NO_ROOM),)
        assert found.left_out == (gone if limit == 12_000 else ())
