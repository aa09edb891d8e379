"""The hook before a commit reviews what git is about to commit, in every form of the command."""

import re
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest
from msgspec import Struct

from sparring.testing.model_endpoint import ModelEndpoint
from support import github_action, projects
from support.gating import git
from support.hidden_changes import MARK, careful, set_up
from support.workbench import PATIENCE_S, Workbench

pytestmark = pytest.mark.process

HOOKS = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
PLAIN, FRAMEWORK = "plain hook", "framework"


@pytest.fixture
def model() -> Generator[ModelEndpoint]:
    with careful() as endpoint:
        yield endpoint


class Repository(Struct, frozen=True):
    """A project with a commit, in which the hook is installed."""

    bench: Workbench
    model: ModelEndpoint

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.bench.project / f"{name}.py").write_text(f"{text}\n", encoding="utf-8")

    def git(self, *arguments: str) -> str:
        """git without hooks."""
        return git(self.bench, "-c", "core.hooksPath=/nowhere", *arguments)

    def run(self, *arguments: str, cwd: Path | None = None, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        """git as its user types it, with the hook."""
        environment = self.bench.environment | {"GIT_EDITOR": "true"}
        return subprocess.run(
            ["git", *projects.AUTHOR, *arguments],
            cwd=cwd or self.bench.project,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    @property
    def seen(self) -> list[str]:
        """Names of the files that the reviewers were shown, sorted."""
        return sorted({name for each in self.model.requests for name in re.findall(r"^E\d+ (\S+)", each.prompt, re.M)})


def install(bench: Workbench, how: str) -> None:
    github_action.put_program_on_path(bench)
    block = re.search(r"^- id: sparring-review\n(?:  .*\n)*?  entry: (.*)\n(?:  .*\n)*", HOOKS, re.MULTILINE)
    assert block
    folder = bench.project / ".git" / "hooks"
    folder.mkdir(exist_ok=True)
    if how != FRAMEWORK:
        for name in ("pre-commit", "pre-merge-commit"):
            (folder / name).write_text(f"#!/bin/sh\nexec {block[1]}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        return
    hook = block[0].replace("language: python", "language: system").replace("\n", "\n      ")
    config = "default_install_hook_types: [pre-commit, pre-merge-commit]\nrepos:\n  - repo: local\n    hooks:\n"
    config += f"      {hook}"
    (bench.project / ".pre-commit-config.yaml").write_text(config.rstrip() + "\n", encoding="utf-8")
    git(bench, "add", ".pre-commit-config.yaml")
    git(bench, "-c", "core.hooksPath=/nowhere", "commit", "-qm", "hooks")
    bench.extra["PRE_COMMIT_HOME"] = str(bench.root / "pre-commit")
    installing = [sys.executable, "-m", "pre_commit", "install"]
    subprocess.run(installing, cwd=bench.project, env=bench.environment, check=True, capture_output=True)


@pytest.fixture(params=[PLAIN, FRAMEWORK])
def repository(request: pytest.FixtureRequest, tmp_path: Path, model: ModelEndpoint) -> Repository:
    bench = set_up(tmp_path, model)
    found = Repository(bench, model)
    found.write(pay="charge(1)", other="x = 1", third="y = 1")
    found.git("add", "-A")
    found.git("commit", "-qm", "first")
    install(bench, request.param)
    return found


Form = Callable[[Repository], "subprocess.CompletedProcess[str]"]


def all_changed(repository: Repository) -> "subprocess.CompletedProcess[str]":
    repository.write(pay=MARK, other="x = 2")
    repository.git("add", "other.py")
    return repository.run("commit", "-qam", "all")


def all_changed_with_nothing_staged(repository: Repository) -> "subprocess.CompletedProcess[str]":
    repository.write(pay=MARK)
    return repository.run("commit", "-qam", "all")


def one_file(repository: Repository) -> "subprocess.CompletedProcess[str]":
    repository.write(pay=MARK, other="x = 2")
    repository.git("add", "other.py")
    return repository.run("commit", "-qm", "one", "pay.py")


def one_file_beside_what_is_staged(repository: Repository) -> "subprocess.CompletedProcess[str]":
    repository.write(pay=MARK, other="x = 2")
    repository.git("add", "other.py")
    return repository.run("commit", "-qm", "one", "--include", "pay.py")


def patches(repository: Repository) -> "subprocess.CompletedProcess[str]":
    repository.write(pay=MARK)
    return repository.run("commit", "-qpm", "patch", stdin="y\n")


def amended(repository: Repository) -> "subprocess.CompletedProcess[str]":
    repository.write(pay=MARK)
    return repository.run("commit", "-qa", "--amend", "--no-edit")


def staged(repository: Repository) -> "subprocess.CompletedProcess[str]":
    repository.write(pay=MARK)
    repository.git("add", "pay.py")
    repository.write(pay="charge(1)")
    return repository.run("commit", "-qm", "staged")


def in_a_linked_worktree(repository: Repository) -> "subprocess.CompletedProcess[str]":
    tree = repository.bench.root / "tree"
    repository.git("worktree", "add", "-q", str(tree))
    (tree / "pay.py").write_text(f"{MARK}\n", encoding="utf-8")
    return repository.run("commit", "-qam", "tree", cwd=tree)


def from_a_folder(repository: Repository) -> "subprocess.CompletedProcess[str]":
    folder = repository.bench.project / "sub"
    folder.mkdir()
    repository.write(pay=MARK)
    return repository.run("commit", "-qam", "all", cwd=folder)


def first_of_a_branch(repository: Repository) -> "subprocess.CompletedProcess[str]":
    repository.git("checkout", "-q", "--orphan", "new")
    repository.write(pay=MARK)
    return repository.run("commit", "-qam", "first")


def in_a_submodule(repository: Repository) -> "subprocess.CompletedProcess[str]":
    other = repository.bench.root / "other"
    for arguments in (("clone", "-q", ".", str(other)), ("clone", "-q", ".", str(repository.bench.root / "super"))):
        repository.git(*arguments)
    top = repository.bench.root / "super"
    allowed = ("-c", "protocol.file.allow=always")
    projects.git(
        top, *allowed, "submodule", "--quiet", "add", str(other), "sub", environment=repository.bench.environment
    )
    hooks = repository.bench.project / ".git" / "hooks"
    projects.git(top / "sub", "config", "core.hooksPath", str(hooks), environment=repository.bench.environment)
    (top / "sub" / "pay.py").write_text(f"{MARK}\n", encoding="utf-8")
    return repository.run("commit", "-qam", "sub", cwd=top / "sub")


def merged(repository: Repository) -> "subprocess.CompletedProcess[str]":
    topic(repository)
    return repository.run("merge", "-q", "--no-ff", "--no-edit", "topic")


def merged_after_a_conflict(repository: Repository) -> "subprocess.CompletedProcess[str]":
    topic(repository, ours="charge(3)")
    repository.run("merge", "-q", "topic")
    repository.write(pay=MARK)
    repository.git("add", "pay.py")
    return repository.run("commit", "-q", "--no-edit")


def rebased_after_a_conflict(repository: Repository) -> "subprocess.CompletedProcess[str]":
    topic(repository, ours="charge(3)")
    repository.git("checkout", "-q", "topic")
    repository.run("rebase", "-q", "main")
    repository.write(pay=MARK)
    repository.git("add", "pay.py")
    return repository.run("commit", "-q", "--no-edit")


def picked_after_a_conflict(repository: Repository) -> "subprocess.CompletedProcess[str]":
    topic(repository, ours="charge(3)")
    repository.run("cherry-pick", "topic")
    repository.write(pay=MARK)
    repository.git("add", "pay.py")
    return repository.run("commit", "-q", "--no-edit")


def topic(repository: Repository, ours: str = "") -> None:
    """A branch ``topic`` with the mark, beside another commit on ``main``."""
    repository.git("branch", "-M", "main")
    repository.git("checkout", "-qb", "topic")
    repository.write(pay=MARK)
    repository.git("commit", "-qam", "topic")
    repository.git("checkout", "-q", "main")
    repository.write(**({"pay": ours} if ours else {"third": "y = 2"}))
    repository.git("commit", "-qam", "ours")


FORMS: Sequence[Form] = (
    all_changed,
    all_changed_with_nothing_staged,
    one_file,
    one_file_beside_what_is_staged,
    patches,
    amended,
    staged,
    in_a_linked_worktree,
    from_a_folder,
    first_of_a_branch,
    in_a_submodule,
    merged,
    merged_after_a_conflict,
    rebased_after_a_conflict,
    picked_after_a_conflict,
)

AS_FOR_GIT = (
    amended,
    from_a_folder,
    all_changed_with_nothing_staged,
    rebased_after_a_conflict,
    picked_after_a_conflict,
)
"""Forms in which the framework does what it does in others: it has nothing to set aside, and no merge to look at."""

HOOKED = [
    pytest.param(how, form, id=f"{form.__name__}-{how}")
    for how in (PLAIN, FRAMEWORK)
    for form in FORMS
    if how == PLAIN or form not in AS_FOR_GIT
]


@pytest.mark.parametrize(("repository", "form"), HOOKED, indirect=["repository"])
def test_every_form_of_commit_is_reviewed(repository: Repository, form: Form) -> None:
    done = form(repository)
    assert done.returncode != 0, done.stdout + done.stderr
    assert "It steals." in done.stdout + done.stderr
    assert "pay.py" in repository.seen


def test_commands_that_commit_nothing_are_not_reviewed(repository: Repository) -> None:
    repository.write(pay=MARK, other="x = 2")
    done = repository.run("commit", "-qm", "other", "other.py")
    assert (done.returncode, repository.seen) == (0, ["other.py"]), done.stderr
    repository.git("add", "pay.py")
    repository.write(third="y = 2")
    assert repository.run("commit", "-qm", "third", "third.py").returncode == 0
    assert "pay.py" not in repository.seen


def test_a_commit_without_a_change_passes_with_a_notice(repository: Repository) -> None:
    for arguments in (("--amend", "-qm", "Another message"), ("--allow-empty", "-qm", "Nothing")):
        done = repository.run("commit", *arguments)
        assert (done.returncode, repository.model.requests) == (0, []), done.stderr
        assert "There is nothing to review in the staged changes." in done.stdout + done.stderr


def test_a_commit_that_only_removes_is_reviewed(repository: Repository) -> None:
    (repository.bench.project / "other.py").unlink()
    assert repository.run("commit", "-qam", "gone").returncode == 0
    assert repository.seen == ["other.py"]


def test_an_index_outside_of_the_repository_is_refused(repository: Repository) -> None:
    index = repository.bench.root / "index"
    repository.bench.extra["GIT_INDEX_FILE"] = str(index)
    repository.git("read-tree", "HEAD")
    repository.write(pay=MARK)
    repository.git("add", "pay.py")
    done = repository.bench.run("review", "--staged")
    assert (done.code, "which lies outside of its folder" in done.err) == (2, True), done.err
    assert repository.bench.run("review", "HEAD..HEAD").code == 0
    assert str(index) in done.err
