"""A repository that nobody looked at is read without being obeyed, and an honest one of any form is read at all."""

import os
import re
import shlex
import subprocess
import sys
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sparring.checks.citations import CommitPresence
from sparring.errors import UsageError
from sparring.lookup.change_list import ChangeScope, ComparedStates
from sparring.lookup.changes import ChangedFiles
from sparring.lookup.context import Changes, read_changes
from sparring.lookup.git import Git, Revisions
from sparring.lookup.repository import find_repository
from sparring.lookup.working_tree import list_files
from sparring.schema.changes import ExcludedFile, ExclusionReason
from support.hostile_repositories import FOREIGN, HOSTILE, Ground, ground
from support.projects import make_project

pytestmark = pytest.mark.process

ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


async def _difference(project: Path) -> Changes:
    return await read_changes(project, ENVIRONMENT, limit=100_000, ignored=(), secrets_allowed=False)


async def _known(project: Path) -> object:
    here = Ground(project.parent)
    git, name = Git(project, ENVIRONMENT), here.git("rev-parse", "HEAD", folder=here.private)
    seen = await git.commits([name])
    assert seen[name] != CommitPresence.THERE
    return await git.removed_files(["a.py"]), await git.changed()


async def _listed(project: Path) -> object:
    return await list_files(project, ENVIRONMENT)


async def _hunks(project: Path) -> object:
    git, here = Git(project, ENVIRONMENT), Ground(project.parent)
    name = here.git("rev-parse", "HEAD", folder=here.private)
    if (repository := await git.find()) is None:
        return None
    revisions = Revisions(git, repository)
    assert await revisions.find(name) is None
    head = repository.head or EMPTY_TREE
    sides = (ComparedStates(head), ComparedStates(head, is_staged=True), ComparedStates(EMPTY_TREE, head))
    files = ChangedFiles(project, git, repository)
    return [await revisions.find("x"), *[await files.read(each, ChangeScope()) for each in sides]]


READERS: tuple[Callable[[Path], Awaitable[object]], ...] = (_difference, _known, _listed, _hunks)


HARMFUL = (
    *("filter", "filter_process", "filter_of_git_folder", "named_attributes", "included", "worktree_config", "monitor"),
    *("promisor_program", "promisor_ssh", "drivers", "text_driver", "hooks", "submodule", "files_elsewhere"),
    *("file_that_leads_elsewhere", "link_that_leads_elsewhere", "store_elsewhere", "object_elsewhere", "borrowed"),
)
REFUSED = {
    "files_elsewhere": "core.worktree",
    **{f"{name}_elsewhere": "does not name this folder as its own"
        for name in ("file_that_leads", "link_that_leads", "common")},
    **{f"{name}_elsewhere": "leads out of it" for name in ("objects", "store", "head")},
    **dict.fromkeys(("index_elsewhere", "object_elsewhere", "object_files_elsewhere", "pipe_for_objects", "pipes"),
        "is not a regular file"),
    "borrowed": "borrows objects",
    "head_outside": "neither a commit nor a branch",
    "huge_index": "larger than",
}  # fmt: skip


@pytest.mark.parametrize("attack", HOSTILE)
async def test_a_hostile_repository_runs_nothing_and_reveals_no_foreign_file(tmp_path: Path, attack: str) -> None:
    here, told = ground(tmp_path), dict[object, str]()
    HOSTILE[attack](here)
    for read in READERS:
        here.marker.unlink(missing_ok=True)
        try:
            told[read] = repr(await read(here.project))
        except UsageError as error:
            told[read] = str(error)
            assert "\n" not in told[read]
        assert not here.marker.exists(), read
        assert FOREIGN not in told[read], read
    if attack in REFUSED:
        assert re.match(f"The git repository of .*project is not read: .*{REFUSED[attack]}", told[_difference])
        assert told[_listed].endswith("'a.py', 'b.py')")  # as they lie there
    assert attack not in HARMFUL or _harms_as_usual(here, attack)


def _harms_as_usual(here: Ground, attack: str) -> bool:
    os.utime(here.project / "b.py")  # whoever looks at it again writes the index, of which hooks hear
    asked = ("status",) if attack in {"monitor", "hooks"} else ("diff", "HEAD")
    told = subprocess.run(["git", *asked], cwd=here.project, capture_output=True, text=True, check=False)
    return here.marker.exists() or FOREIGN in told.stdout


FORMS = {
    "worktree": ("tree", "stash -q", "pack-refs --all", "worktree add -q ../tree"),
    "submodule": ("project/sub", "-c protocol.file.allow=always submodule --quiet add {private} sub",
        "-C sub config core.fsmonitor '{program}'"),
    "sha256": ("long", "init -q --object-format=sha256 ../long", "--git-dir=../long/.git --work-tree=. add a.py",
        "--git-dir=../long/.git commit -qm first"),
    "split": ("project", "checkout -q -- .", "update-index --split-index"),
    "sparse": ("project", "checkout -q -- .", "update-index --add --cacheinfo 100644,{blob},in/c.py",
        "update-index --add --cacheinfo 100644,{blob},out/d.py", "commit -qm folders", "checkout -q -- .",
        "sparse-checkout set --cone --sparse-index in"),
    "detached": ("project", "checkout -q --detach"),
    "unborn": ("project", "symbolic-ref HEAD refs/heads/new"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
async def test_an_honest_repository_of_any_form_is_read(tmp_path: Path, form: str) -> None:
    here, (folder, *commands) = ground(tmp_path), FORMS[form]
    named = {"private": here.private, "program": here.program, "blob": here.git("rev-parse", "HEAD:a.py")}
    for command in commands:
        here.git(*shlex.split(command.format(**named)))
    project = make_project(here.root / folder, {"a.py": "x = 3\n", "debug.log": "", ".gitignore": "*.log\n"}, git=False)
    (project / "b.py").unlink(missing_ok=True)
    found = await _difference(project)
    assert ("+x = 3" in (found.text or ""), found.untracked) == (True, (".gitignore",))
    listed = await list_files(project, ENVIRONMENT)
    assert {"a.py", "b.py", ".gitignore", "debug.log"} & set(listed) == {"a.py", ".gitignore"}  # removed, ignored
    assert not here.marker.exists()


async def test_the_users_settings_on_line_ends_and_ignored_files_count(tmp_path: Path) -> None:
    here = ground(tmp_path)
    (here.project / "a.py").write_bytes(b"x = 1\r\n")
    config = '[core]\n\tautocrlf = true ; as on Windows\n\texcludesFile = "~/my ignored"\n'
    make_project(here.root, {"my ignored": "*.tmp\n", ".gitconfig": config}, git=False)
    make_project(here.project, {"x.tmp": "", ".git/info/exclude": "*.swp\n", "x.swp": ""}, git=False)
    environment = ENVIRONMENT | {"HOME": str(here.root)}
    found = await read_changes(here.project, environment, limit=1000, ignored=(), secrets_allowed=False)
    assert (found.text, found.untracked) == ("", ())


def test_a_bare_repository_or_a_broken_git_file_counts_as_no_repository(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "bare")], check=True)
    (tmp_path / "none" / ".git").mkdir(parents=True)
    assert [find_repository(tmp_path / name, ENVIRONMENT) for name in ("bare", "none")] == [None, None]


def test_a_form_that_is_not_known_is_refused(tmp_path: Path) -> None:
    here = ground(tmp_path)
    for config, why in (
        ("[core]\nrepositoryformatversion = 2\n", "a form"),
        ("[extensions]\n\trefStorage = reftable\n", "the extension refstorage"),
        ("[Extensions] hidden = 1\n", "the extension hidden"),
        ("[extensions]\nobjectFormat = md5\n", "its hashes"),
    ):
        (here.dot_git / "config").write_text(config, encoding="utf-8")
        with pytest.raises(UsageError, match=why):
            find_repository(here.project, ENVIRONMENT)


async def test_a_secret_file_with_an_undecodable_name_is_left_out(tmp_path: Path) -> None:
    here = ground(tmp_path)
    make_project(here.project, {os.fsdecode(b"\xff[x]/.env"): "A=hidden\n"}, git=False)
    here.git("add", ".")
    found = await _difference(here.project)
    assert ("hidden" in (found.text or ""), found.left_out) == (False, ("\ufffd[x]/.env",))


@pytest.mark.skipif(sys.platform != "linux", reason="only there the memory of a program can be bounded")
async def test_an_object_that_unfolds_does_not_take_the_memory_of_the_machine(tmp_path: Path) -> None:
    here, name = ground(tmp_path), "ab" + "c" * 38
    unfolding = zlib.compress(b"commit %d\0" % (6 * 1024**3))
    make_project(here.dot_git, {f"objects/ab/{name[2:]}": unfolding, "HEAD": f"{name}\n"}, git=False)
    with pytest.raises(UsageError, match=r"git refused: .*memory"):
        await _difference(here.project)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_a_repository_of_another_user_in_a_parent_folder_is_ignored(tmp_path: Path) -> None:
    here = ground(tmp_path)
    (below := here.project / "mine").mkdir()
    os.chown(here.dot_git, 1, 1)
    assert find_repository(below, ENVIRONMENT) is None
    os.chown(below, 1, 1)  # theirs altogether
    assert find_repository(below, ENVIRONMENT) is not None


async def test_many_files_are_read_in_batches_that_shrink_for_long_answers(tmp_path: Path) -> None:
    here = ground(tmp_path)
    names = [f"src/{number:03}.py" for number in range(101)]  # one more than are asked for at once
    make_project(here.project, dict.fromkeys([*names, "src/long.py"], "1\n"))
    here.git("commit", "-qm", "many")
    make_project(here.project, dict.fromkeys(names, f"2 {'x' * 40}\n") | {"src/long.py": "2\n" * 5000}, git=False)
    git = Git(here.project, ENVIRONMENT)
    repository = await git.find()
    assert repository is not None
    for limit, gone in ((12_000, (ExcludedFile(path="src/long.py", reason=ExclusionReason.NO_ROOM),)), (1 << 20, ())):
        changed = ChangedFiles(here.project, git, repository, limit)
        found = await changed.read(ComparedStates(repository.head or ""), ChangeScope(("src",)))
        assert ([each.path for each in found.files][:101], found.left_out) == (names, gone)
        assert all(each.hunks[0].lines == ("-1", f"+2 {'x' * 40}") for each in found.files[:101])
