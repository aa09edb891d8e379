"""Small real projects for the consultant without a model, and briefs to put to it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from sparring.lookup.offline import Corpus, Library, OfflineConsultant, compose, cut
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Brief

PROMPTS = PromptLibrary()
AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
"""Options of git, with which anyone can commit."""

TOPIC = "Should the cache write every entry to disk before it answers?"


def archived(file: Path) -> dict[str, str]:
    """The files of an archive, each behind a line with its path."""
    parts = (part.partition("\n") for part in f"\n{file.read_text(encoding='utf-8')}".split("\n=== ")[1:])
    return {path: f"{text.removesuffix(chr(10))}\n" for path, _, text in parts}


CACHE_FILES = archived(Path(__file__).parents[1] / "data" / "cache_project.txt")


def make_project(root: Path, files: Mapping[str, str | bytes], *, git: bool = True) -> Path:
    """A folder with these files, tracked by git unless told otherwise."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    if git:
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        subprocess.run(["git", "-C", str(root), "add", "-A", "--", "."], check=True)
    return root


def git(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """Run git in ``folder`` with a neutral author and return its output."""
    asked = ["git", "-C", str(folder), *AUTHOR, *arguments]
    return subprocess.run(asked, check=True, capture_output=True, text=True, env=environment).stdout.strip()


def offline(project: Path) -> OfflineConsultant:
    """The consultant on ``project``, with the prompts of this checkout."""
    return OfflineConsultant(project, PromptLibrary(), tool="offline", environment={})


def composed(asked: Brief, files: Mapping[str, str] = CACHE_FILES) -> str:
    """Return the consultant's reply on a project with just ``files``; nothing is read from the disk."""
    passages = tuple(passage for path, text in sorted(files.items()) for passage in cut(path, text))
    return compose(asked, Library(Corpus(passages, len(files))), PROMPTS, "offline")


def brief(step: str, topic: str = TOPIC, *, role: Role = Role.CONSULTANT) -> Brief:
    """The brief of a step; what was said before is of no matter to whoever has no model."""
    return Brief(step=step, topic=topic, role=role, round=1)
