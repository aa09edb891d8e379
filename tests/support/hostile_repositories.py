"""Repositories that want to start programs, ask servers, or show what lies elsewhere; each is built."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from support.projects import git, make_project

FOREIGN = "zanzibar"
"""A word that stands only in a private repository beside the project; it must not appear in anything that is read."""

HERE = {"a.py": "x = 1\n", "b.py": "y = 1\n"}


@dataclass(frozen=True)
class Ground:
    """Where a hostile repository is built.

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
        """What is there once anything of the repository's has run."""
        return self.root / "started"

    @property
    def program(self) -> str:
        return f"touch {self.marker}; cat"

    @property
    def places(self) -> Mapping[str, object]:
        """What a configuration may name."""
        return {"marker": self.marker, "program": self.program, "private": self.private}

    @property
    def dot_git(self) -> Path:
        return self.project / ".git"

    def git(self, *arguments: str, folder: Path | None = None) -> str:
        """What git says in the project, or in ``folder``."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_PROTOCOL_FROM_USER": "0"}
        return git(folder or self.project, *arguments, environment=environment)

    def borrow_head(self) -> None:
        """Let the last commit be that of the private repository."""
        head = self.git("rev-parse", "HEAD", folder=self.private)
        (self.dot_git / "HEAD").write_text(f"{head}\n", encoding="ascii")

    def config(self, values: Mapping[str, str], *options: str) -> None:
        for name, value in values.items():
            self.git("config", *options, name, value)

    def attributes(self, line: str) -> None:
        (self.project / ".gitattributes").write_text(f"{line}\n", encoding="utf-8")

    def lose(self, path: str) -> None:
        """Take the object away that the last commit has of ``path``."""
        name = self.git("rev-parse", f"HEAD:{path}")
        (self.dot_git / "objects" / name[:2] / name[2:]).unlink()


def ground(root: Path) -> Ground:
    """A project with one commit and a change, beside a private repository with a change of its own."""
    here = Ground(root)
    for folder, files in ((here.project, HERE), (here.private, {"a.py": f"{FOREIGN} = 1\n"})):
        make_project(folder, files)
        here.git("commit", "-qm", f"first of {folder.name}", folder=folder)
        (folder / "a.py").write_text(f"{'x' if folder == here.project else FOREIGN} = 2\n", encoding="utf-8")
    return here


CONFIGURED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "filter": ("*.py filter=evil", {"filter.evil.clean": "{program}", "filter.evil.smudge": "{program}"}),
    "filter_process": (
        "*.py filter=evil",
        {"filter.evil.process": "touch {marker}", "filter.evil.required": "true"},
    ),
    "monitor": ("", {"core.fsmonitor": "{program}"}),
    "drivers": ("*.py diff=evil", {"diff.external": "{program}", "diff.evil.command": "{program}"}),
    "text_driver": ("*.py diff=evil", {"diff.evil.textconv": "{program}", "diff.evil.cachetextconv": "true"}),
    "pager": (
        "",
        {
            **dict.fromkeys(("core.pager", "pager.diff", "pager.ls-files", "core.editor"), "{program}"),
            "core.askPass": "{program}",
            "gpg.program": "{program}",
            "alias.diff": "!{program}",
        },
    ),
    "files_elsewhere": ("", {"core.worktree": "{private}"}),
}
"""Attributes and a configuration are all that these need."""


def _configured(attributes: str, values: Mapping[str, str], here: Ground) -> None:
    if attributes:
        here.attributes(attributes)
    here.config({name: value.format_map(here.places) for name, value in values.items()})


def _filter_of_git_folder(here: Ground) -> None:
    (here.dot_git / "info").mkdir(exist_ok=True)
    (here.dot_git / "info/attributes").write_text("*.py filter=evil\n", encoding="utf-8")
    here.config({"filter.evil.clean": here.program})


def _named_attributes(here: Ground) -> None:
    (here.dot_git / "named").write_text("*.py filter=evil\n", encoding="utf-8")
    here.config({"filter.evil.clean": here.program, "core.attributesFile": str(here.dot_git / "named")})


def _included(here: Ground) -> None:
    here.attributes("*.py filter=evil")
    more = here.dot_git / "more"
    more.write_text(f'[filter "evil"]\n\tclean = "{here.program}"\n', encoding="utf-8")
    here.config({"include.path": "more", "includeIf.gitdir:/.path": str(more)})


def _worktree_config(here: Ground) -> None:
    here.attributes("*.py filter=evil")
    here.config({"extensions.worktreeConfig": "true", "core.repositoryformatversion": "1"})
    here.config({"filter.evil.clean": here.program, "core.fsmonitor": here.program}, "--worktree")


def _promisor(here: Ground, url: str) -> None:
    here.config({"core.repositoryformatversion": "1", "extensions.partialClone": "origin"})
    here.config({"remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none"})
    here.config({"remote.origin.url": url, "protocol.allow": "always", "protocol.ext.allow": "always"})
    here.lose("a.py")


def _promisor_program(here: Ground) -> None:
    _promisor(here, f"ext::sh -c touch% {here.marker}")


def _promisor_ssh(here: Ground) -> None:
    here.config({"core.sshCommand": f"touch {here.marker}; false", "credential.helper": f"!touch {here.marker}"})
    _promisor(here, "ssh://example.invalid/x")


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


def _common_elsewhere(here: Ground) -> None:
    (here.dot_git / "commondir").write_text(f"{here.private}/.git\n", encoding="utf-8")
    (here.dot_git / "gitdir").write_text(f"{here.dot_git}\n", encoding="utf-8")


def _parts_elsewhere(here: Ground, *names: str) -> None:
    for name in names:
        part = here.dot_git / name
        shutil.rmtree(part) if part.is_dir() else part.unlink()
        part.symlink_to(here.private / ".git" / name)


def _store_elsewhere(here: Ground) -> None:
    _parts_elsewhere(here, "objects")
    here.borrow_head()


def _object_elsewhere(here: Ground) -> None:
    for folder in (here.private / ".git/objects").glob("??"):
        shutil.rmtree(here.dot_git / "objects" / folder.name, ignore_errors=True)
        (here.dot_git / "objects" / folder.name).symlink_to(folder)
    here.borrow_head()


def _object_files_elsewhere(here: Ground) -> None:
    for folder in (here.private / ".git/objects").glob("??"):
        shutil.rmtree(here.dot_git / "objects" / folder.name, ignore_errors=True)
        (here.dot_git / "objects" / folder.name).mkdir()
        for file in folder.iterdir():
            (here.dot_git / "objects" / folder.name / file.name).symlink_to(file)
    here.borrow_head()


def _borrowed(here: Ground) -> None:
    here.borrow_head()
    (here.dot_git / "objects/info").mkdir(exist_ok=True)
    (here.dot_git / "objects/info/alternates").write_text(f"{here.private}/.git/objects\n", encoding="utf-8")


def _head_outside(here: Ground) -> None:
    (here.dot_git / "HEAD").write_text("ref: refs/../../../private/.git/refs/heads/x\n", encoding="ascii")


def _huge_index(here: Ground) -> None:
    with (here.dot_git / "index").open("r+b") as index:
        index.truncate(20 * 1024**3)


def _pipes(here: Ground) -> None:
    for name in ("index", "config"):
        (here.dot_git / name).unlink()
        os.mkfifo(here.dot_git / name)


def _pipe_for_objects(here: Ground) -> None:
    name = here.git("rev-parse", "HEAD")
    blob = here.dot_git / "objects" / name[:2] / name[2:]
    blob.unlink()
    os.mkfifo(blob)


def _names(here: Ground) -> None:
    names = ("-rf\n.py", "\x1b[31mred.py", "--output=started", f"a\n+++ b/{'c' * 150}.py", ":(exclude)*")
    for name in names:
        (here.project / name).parent.mkdir(parents=True, exist_ok=True)
        (here.project / name).write_text("1\n", encoding="utf-8")
    here.git("--literal-pathspecs", "add", "--", *names)


HOSTILE: Mapping[str, Callable[[Ground], None]] = {
    **{name: partial(_configured, *needed) for name, needed in CONFIGURED.items()},
    "objects_elsewhere": lambda here: _parts_elsewhere(here, "objects", "refs", "index"),
    "head_elsewhere": lambda here: _parts_elsewhere(here, "refs"),
    "index_elsewhere": lambda here: _parts_elsewhere(here, "index"),
    **{
        builder.__name__.removeprefix("_"): builder
        for builder in (
            *(_filter_of_git_folder, _named_attributes, _included, _worktree_config, _promisor_program, _promisor_ssh),
            *(_hooks, _submodule, _file_that_leads_elsewhere, _link_that_leads_elsewhere, _common_elsewhere),
            *(_store_elsewhere, _object_elsewhere, _object_files_elsewhere, _borrowed, _head_outside, _huge_index),
            *(_pipes, _pipe_for_objects, _names),
        )
    },
}
"""What makes the repository on a ground hostile."""
