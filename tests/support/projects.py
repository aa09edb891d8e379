"""Small real projects for the consultant without a model, and briefs to put to it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from sparring.prompts import PromptLibrary
from sparring.providers.offline import Corpus, Library, OfflineConsultant, compose, cut
from sparring.schema.base import Role
from sparring.schema.consultation import Brief

PROMPTS = PromptLibrary()
TOPIC = "Should the cache write every entry to disk before it answers?"

CACHE_FILES = {
    "README.md": (
        "# Cache\n\n"
        "The cache must write every entry to disk before it answers, so that a crash loses nothing.\n\n"
        "Run `make install`, then read the help message of the command for usage.\n"
    ),
    "src/cache.py": (
        '"""A cache that keeps its entries on disk."""\n\n\n'
        "def put(key, entry):\n"
        '    """Write an entry to disk, then answer."""\n'
        "    # A cache entry that fails validation is never written, because a corrupt one cannot be read.\n"
        "    disk.write(key, validate(entry))\n\n\n"
        "def get(key):\n"
        '    """The entry of that key; raises an error when the disk cannot be read."""\n'
        "    return disk.read(key)\n"
    ),
    "src/access.py": (
        '"""Who may read the cache."""\n\n'
        "# Cache entries hold a secret token; the disk permission is 0600 so that nobody else can read an entry.\n"
        "PERMISSION = 0o600\n"
    ),
    "tests/test_cache.py": (
        "def test_a_cache_entry_survives_a_crash_before_the_answer(disk):\n"
        '    put("key", "entry")\n'
        "    crash()\n"
        '    assert get("key") == "entry", "the cache entry was lost on disk"\n'
    ),
    "docs/guide.md": (
        "# Guide\n\n"
        "A developer who debugs the cache reads the disk with the example command in this guide.\n"
        "The cache answers slowly on a network disk, but only for the first entry.\n"
    ),
}


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
    """What git says in ``folder``; whoever commits there is nobody in particular."""
    name = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    asked = ["git", "-C", str(folder), *name, *arguments]
    return subprocess.run(asked, check=True, capture_output=True, text=True, env=environment).stdout.strip()


def offline(project: Path) -> OfflineConsultant:
    """The consultant on ``project``, with the prompts of this checkout."""
    return OfflineConsultant(project, PromptLibrary())


def composed(asked: Brief, files: Mapping[str, str] = CACHE_FILES) -> str:
    """What the consultant says on a project that holds just ``files``; nothing is read from the disk."""
    passages = tuple(passage for path, text in sorted(files.items()) for passage in cut(path, text))
    return compose(asked, Library(Corpus(passages, len(files))), PROMPTS, "offline")


def brief(step: str, topic: str = TOPIC, *, role: Role = Role.CONSULTANT) -> Brief:
    """The brief of a step; what was said before is of no matter to whoever has no model."""
    return Brief(step=step, topic=topic, role=role, round=1)
