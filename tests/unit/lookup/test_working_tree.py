"""What is looked up in a project on behalf of somebody else, and what is never read or started for it."""

import os
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from sparring.checks.citations import (
    CitationStatus,
    CommitPresence,
    FileRemoval,
    NameMatches,
    TooLongError,
    check_citations,
)
from sparring.lookup.git import Git
from sparring.lookup.working_tree import SEARCHED_FILE_LIMIT, SpelledFiles, search_names
from support.citation_tree import build
from support.projects import git, make_project

ENVIRONMENT = {"PATH": os.environ["PATH"]}
HASH = "aa8786814ef31a09a01a59945ca0da6246c5893a"
LAST = "c95486e3226df2b0594f00585e18ac0ea0ab6b48"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("tree") / "project")


@pytest.mark.process
async def test_the_history_is_the_one_that_the_tests_count_on(project: Path) -> None:
    there, missing = [HASH, HASH[:7], LAST[:12]], ["1" * 40, "not a hash", "aa8", "aa87868\naa87868"]
    expected = dict.fromkeys(there, CommitPresence.THERE) | dict.fromkeys(missing, CommitPresence.MISSING)
    assert await Git(project, ENVIRONMENT).commits([*there, *missing]) == expected


@pytest.mark.process
async def test_an_object_that_is_no_commit_is_missing_and_the_beginning_of_several_is_ambiguous(tmp_path: Path) -> None:
    make_project(tmp_path, {"a.md": "a\n"})
    blob, shared = git(tmp_path, "hash-object", "a.md"), _two_that_begin_alike(tmp_path)
    found = await Git(tmp_path, ENVIRONMENT).commits([blob, shared])
    assert found == {blob: CommitPresence.MISSING, shared: CommitPresence.AMBIGUOUS}


def _two_that_begin_alike(folder: Path) -> str:
    who = "A. Person <a.person@example.org> 1767323045 +0000"
    stream = "".join(f"commit refs/heads/b{n}\ncommitter {who}\ndata {len(str(n))}\n{n}\n" for n in range(600))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=stream.encode(), check=True)
    starts = sorted(name[:4] for name in git(folder, "rev-list", "--all").split())
    return next(one for one, other in pairwise(starts) if one == other)


@pytest.mark.process
async def test_without_a_repository_or_git_nothing_is_known_of_commits(tmp_path: Path) -> None:
    for environment in (ENVIRONMENT, {"PATH": "/nowhere"}):
        searched = Git(tmp_path, environment)
        assert await searched.commits([HASH]) == {HASH: CommitPresence.NO_REPOSITORY}
        assert (await searched.removed_files(["a.md"]), await searched.files(timeout_s=30)) == ({}, None)


@pytest.mark.process
async def test_a_missing_commit_of_a_shallow_clone_is_unknown(project: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", project.as_uri(), "clone")
    found = await Git(tmp_path / "clone", ENVIRONMENT).commits([HASH, LAST])
    assert found == {HASH: CommitPresence.PARTIAL_HISTORY, LAST: CommitPresence.THERE}


@pytest.mark.process
async def test_a_missing_file_is_explained_by_the_commit_that_removed_it(project: Path) -> None:
    asked = ["src/sparring/consult/process.py", "src/sparring/text/tokens.py", "never.py", "*.py", "a\nb.py", "a\0b.py"]
    assert await Git(project, ENVIRONMENT).removed_files(asked) == {
        "src/sparring/consult/process.py": FileRemoval("07da4e4", "src/sparring/consult/process/child.py"),
        "src/sparring/text/tokens.py": FileRemoval("e8843c6"),
    }
    # Paths count from the project also where it is a folder of a repository.
    found = await Git(project / "src/sparring", ENVIRONMENT).removed_files(["text/tokens.py"])
    assert found == {"text/tokens.py": FileRemoval("e8843c6")}


def test_a_file_is_read_only_by_its_exact_name_inside_the_project_and_if_it_holds_no_secrets(tmp_path: Path) -> None:
    held = {"src/a.md": b"caf\xe9\n", ".env": "KEY=1\n", "keys/id_rsa": "k\n"}
    project = make_project(tmp_path / "project", held, git=False)
    make_project(tmp_path, {"outside.md": "outside"}, git=False)
    for name, target in {"out": "../outside.md", "in": "src/a.md", "harmless": ".env", "circle": "circle.md"}.items():
        (project / f"{name}.md").symlink_to(target)
    files = SpelledFiles(project)
    assert [files.read(path) for path in ("src/a.md", "in.md")] == ["caf\ufffd\n"] * 2
    refused = ["out.md", "harmless.md", "circle.md", ".env", "keys/id_rsa", "src", "gone.md", "src/A.md", "Src/a.md"]
    refused += ["./src/a.md", "src//a.md", "src/../src/a.md", "../outside.md", "/etc/passwd", "", "a\0b", "src/a.md/b"]
    assert [files.read(path) for path in refused] == [None] * len(refused)


def test_only_the_beginning_of_a_long_file_is_read(tmp_path: Path) -> None:
    long = b"class Runner: pass\n" * (SEARCHED_FILE_LIMIT // 19 + 1)
    make_project(
        tmp_path, {"long.py": long, "a.py": "Runner\n", "film.bin": b"\0" * (SEARCHED_FILE_LIMIT + 1)}, git=False
    )
    read = SpelledFiles(tmp_path).read
    said = (
        "See long.py:9 (`class Runner: pass`), long.py:9 (`class Walker: pass`), `long.py:9999999`, and gone/long.py."
    )
    behind = (CitationStatus.UNCHECKED, "it is not in the beginning of the file, which is too long to be read")
    assert [(each.status, each.reason) for each in check_citations(said, read)] == [
        (CitationStatus.VERIFIED, "the quoted words are there"),
        *(behind, behind),
        (CitationStatus.NOT_FOUND, "there is no such file"),
    ]
    with pytest.raises(TooLongError) as refused:
        read("long.py")
    assert refused.value.beginning.endswith(": pass\n")  # half a line is none
    for paths, is_complete in ((["a.py", "film.bin"], True), (["long.py", "a.py"], False)):
        assert search_names(tmp_path, paths, ["Runner"], pause=list).is_complete is is_complete


def test_names_are_found_as_whole_words_in_files_of_text(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "class Runner:\n    def run_all(self): pass\n",
        "b.py": "Runner().run_all2(x_Runner, Runner2)\n",
        "c.md": "The class  Runner is fine, caf\u00e9_au_lait too.\n",
        "nul.py": b"class Runner\0",
        "large.py": b"Runner\n" + b" " * SEARCHED_FILE_LIMIT,
    }
    make_project(tmp_path, files, git=False)
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    os.mkfifo(tmp_path / "pipe.py")
    breaths: list[int] = []
    paths = [*files, "link.py", "pipe.py", "gone.py", "a\0b.py", "."]
    names = ["Runner", "run_all", "caf\u00e9_au_lait", "runner"]
    found = search_names(tmp_path, paths, names, defined=["Runner"], pause=lambda: breaths.append(1))
    where = {"Runner": "a.py b.py c.md", "run_all": "a.py", "caf\u00e9_au_lait": "c.md", "runner": ""}
    holding = {name: frozenset(paths.split()) for name, paths in where.items()}
    assert found == NameMatches(holding=holding, defining={"Runner": frozenset({"a.py", "c.md"})}, is_complete=False)
    assert breaths == [1]


def test_a_search_is_bounded_and_reports_it(tmp_path: Path) -> None:
    make_project(tmp_path, {"a.py": "one\n", "b.py": "one two\n"}, git=False)
    found = search_names(tmp_path, ["a.py", "b.py"], ["one", "two"], pause=list, total_limit=3)
    assert found == NameMatches(
        holding={"one": frozenset({"a.py"}), "two": frozenset()}, defining={}, is_complete=False
    )
    assert search_names(tmp_path, iter(()), [], pause=list) == NameMatches()


def test_a_name_that_very_many_files_define_is_known_from_some_of_them(tmp_path: Path) -> None:
    paths = [f"{number}.py" for number in range(60)]
    make_project(tmp_path, dict.fromkeys(paths, "def main():\n    pass\n"), git=False)
    found = search_names(tmp_path, paths, ["main"], defined=["main"], pause=list)
    assert (len(found.holding["main"]), len(found.defining["main"])) == (60, 40)
