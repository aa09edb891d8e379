"""Repositories that want to start programs, ask servers, or show what lies elsewhere; each is built."""

import os
import shutil
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from support.projects import git, make_project

FOREIGN = "zanzibar"
"""A word that stands only in a private repository beside the project; it must not appear in anything that is read."""

_TABLE = Path(__file__).parents[1] / "data" / "hostile_repositories.toml"
HERE = {"a.py": "x = 1\n", "b.py": "y = 1\n"}


class Ground(Struct, frozen=True):
    """Place where a hostile repository is built.

    Attributes:
        root: Holds the project, a private repository that is none of its business, and the program of the attacker.
    """

    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def private(self) -> Path:
        return self.root / "private"

    @property
    def marker(self) -> Path:
        """File that exists once a program of the repository has run."""
        return self.root / "started"

    @property
    def program(self) -> str:
        return f"touch {self.marker}; cat"

    @property
    def places(self) -> Mapping[str, object]:
        """Values that a configuration may name."""
        return {"marker": self.marker, "program": self.program, "private": self.private, "git": self.dot_git}

    @property
    def dot_git(self) -> Path:
        return self.project / ".git"

    def git(self, *arguments: str, folder: Path | None = None) -> str:
        """Run git in the project, or in ``folder``, and return its output."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_PROTOCOL_FROM_USER": "0"}
        return git(folder or self.project, *arguments, environment=environment)

    def borrow_head(self) -> None:
        """Let the last commit be that of the private repository."""
        head = self.git("rev-parse", "HEAD", folder=self.private)
        (self.dot_git / "HEAD").write_text(f"{head}\n", encoding="ascii")

    def config(self, values: Mapping[str, str], *options: str) -> None:
        for name, value in values.items():
            self.git("config", *options, name, value)

    def object(self, name: str) -> Path:
        """The file of what git calls so."""
        found = self.git("rev-parse", name)
        return self.dot_git / "objects" / found[:2] / found[2:]


def ground(root: Path) -> Ground:
    """A project with one commit and a change, beside a private repository with a change of its own."""
    here = Ground(root)
    for folder, files in ((here.project, HERE), (here.private, {"a.py": f"{FOREIGN} = 1\n"})):
        make_project(folder, files)
        here.git("commit", "-qm", f"first of {folder.name}", folder=folder)
        (folder / "a.py").write_text(f"{'x' if folder == here.project else FOREIGN} = 2\n", encoding="utf-8")
    return here


def _configured(attack: Mapping[str, Any], here: Ground) -> None:
    """See ``data/hostile_repositories.toml``."""
    if line := attack.get("attributes"):
        (here.project / ".gitattributes").write_text(f"{line}\n", encoding="utf-8")
    for name, text in attack.get("files", {}).items():
        (here.dot_git / name).parent.mkdir(exist_ok=True)
        (here.dot_git / name).write_text(text.format_map(here.places), encoding="utf-8")
    for kind, options in (("config", ()), ("worktree", ("--worktree",))):
        here.config({name: text.format_map(here.places) for name, text in attack.get(kind, {}).items()}, *options)
    for name in attack.get("elsewhere", ()):
        part = here.dot_git / name
        shutil.rmtree(part) if part.is_dir() else part.unlink()
        part.symlink_to(here.private / ".git" / name)
    if "lost" in attack:
        here.object(f"HEAD:{attack['lost']}").unlink()
    if attack.get("borrowed"):
        here.borrow_head()


def _hooks(here: Ground) -> None:
    folder = here.dot_git / "other-hooks"
    folder.mkdir()
    for name in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        for hook in (folder / name, here.dot_git / "hooks" / name):
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(f"#!/bin/sh\ntouch {here.marker}\n", encoding="utf-8")
            hook.chmod(0o700)
    os.utime(here.project / "b.py", (1, 1))  # git looks at it again, and then writes its index anew
    here.config({"core.hooksPath": str(folder)})


def _submodule(here: Ground) -> None:
    sub = make_project(here.project / "sub", {"c.py": "z = 1\n"})
    here.git("commit", "-qm", "sub", folder=sub)
    here.git("add", "sub")
    here.git("commit", "-qm", "with it")
    here.git("config", "core.fsmonitor", here.program, folder=sub)
    (sub / "c.py").write_text("z = 2\n", encoding="utf-8")


def _file_that_leads_elsewhere(here: Ground) -> None:
    shutil.rmtree(here.dot_git)
    here.dot_git.write_text(f"gitdir: {here.private}/.git\n", encoding="utf-8")


def _link_that_leads_elsewhere(here: Ground) -> None:
    shutil.rmtree(here.dot_git)
    here.dot_git.symlink_to(here.private / ".git")


def _object_elsewhere(here: Ground, *, whole_folders: bool = True) -> None:
    for folder in (here.private / ".git/objects").glob("??"):
        ours = here.dot_git / "objects" / folder.name
        shutil.rmtree(ours, ignore_errors=True)
        if whole_folders:
            ours.symlink_to(folder)
            continue
        ours.mkdir()
        for file in folder.iterdir():
            (ours / file.name).symlink_to(file)
    here.borrow_head()


def _huge_index(here: Ground) -> None:
    with (here.dot_git / "index").open("r+b") as index:
        index.truncate(20 * 1024**3)


def _pipes(here: Ground) -> None:
    for name in ("index", "config"):
        (here.dot_git / name).unlink()
        os.mkfifo(here.dot_git / name)


def _pipe_for_objects(here: Ground) -> None:
    commit = here.object("HEAD")
    commit.unlink()
    os.mkfifo(commit)


def _names(here: Ground) -> None:
    names = ("-rf\n.py", "\x1b[31mred.py", "--output=started", f"a\n+++ b/{'c' * 150}.py", ":(exclude)*")
    for name in names:
        (here.project / name).parent.mkdir(parents=True, exist_ok=True)
        (here.project / name).write_text("1\n", encoding="utf-8")
    here.git("--literal-pathspecs", "add", "--", *names)


_BUILT = (
    *(_hooks, _submodule, _file_that_leads_elsewhere, _link_that_leads_elsewhere, _object_elsewhere),
    *(_huge_index, _pipes, _pipe_for_objects, _names),
)
HOSTILE: Mapping[str, Callable[[Ground], None]] = {
    **{name: partial(_configured, attack) for name, attack in tomllib.loads(_TABLE.read_text("utf-8")).items()},
    **{builder.__name__.removeprefix("_"): builder for builder in _BUILT},
    "object_files_elsewhere": partial(_object_elsewhere, whole_folders=False),
}
"""Functions that make the repository hostile, by name."""
