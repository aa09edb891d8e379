"""Plants bugs, one at a time, and says which of them no test notices: ``make mutants``.

``python tools/mutants/run.py [--jobs N] [--near] [--root CHECKOUT] [NAME...]``. Each bug stands in one of the TOML
files beside this one: a name, the promise of README, SECURITY or docs that it breaks, the text it replaces (``old``),
what stands there then (``new``) and why it would hurt. The text is looked for in all of ``src``, ``prompts`` and
``skills`` and must stand in exactly one place, wherever that is, so moving a file breaks no entry.

Each bug is planted in a copy of the repository, with an environment of its own, so that the processes that tests
start carry it as well. First come the tests that import what was changed, then all that ``make test`` runs; the first
failure ends it. A bug is caught when a test fails; a run that is broken otherwise, or hangs, counts as caught and is
said. Exit code 1 when one stays unnoticed that ``known`` does not explain.
"""

import argparse
import os
import shutil
import site
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
SEARCHED = ("src", "prompts", "skills")
_LEFT_BEHIND = shutil.ignore_patterns(
    ".venv", ".git", "node_modules", "__pycache__", ".hypothesis", ".pytest_cache", ".ruff_cache", ".coverage*"
)
_LIMIT_S = 1800
_DOORS = {
    "cli": ("command_line",),
    "app": ("command_line",),
    "reports": ("unit/formats", "command_line"),
    "server": ("server",),
}
"""Tests that name no module: a command is typed, a tool is called, a run of a format is shown."""


class Bug(Struct, frozen=True):
    """A planted bug. ``promise`` is a key of ``promises()``; ``known`` says why it may stay unnoticed, if it may."""

    name: str
    promise: str
    old: str
    new: str
    why: str
    known: str = ""


class Score(Struct, frozen=True):
    """Fate of a bug: ``by`` is the test that failed, empty if none did."""

    bug: Bug
    file: str
    by: str


def bugs(folder: Path = Path(__file__).parent) -> tuple[Bug, ...]:
    """All planted bugs, in the order of their files; two of one name are an error."""
    found = tuple(Bug(**entry) for table in _tables(folder) for entry in table["bug"])
    names = [bug.name for bug in found]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"two bugs of one name: {', '.join(sorted(doubled))}")
    return found


def promises(folder: Path = Path(__file__).parent) -> dict[str, tuple[str, str]]:
    """The page and the words of each promise, by the key that bugs name."""
    found = [entry for table in _tables(folder) for entry in table["promises"].items()]
    if len({key for key, _ in found}) < len(found):
        raise ValueError("two promises have the same key")
    return {key: (place.split(": ", 1)[0], place.split(": ", 1)[1]) for key, place in found}


def _tables(folder: Path) -> Iterator[dict[str, Any]]:
    return (tomllib.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.toml")))


def place_of(bug: Bug, root: Path) -> Path:
    """The one file that holds the text; raises ``ValueError`` when there is none, or the text stands there twice."""
    holding = [file for file, text in _texts(root).items() for _ in range(text.count(bug.old))]
    if len(holding) != 1:
        raise ValueError(f"{bug.name}: its text stands in {len(holding)} places, and must stand in one")
    return holding[0]


@cache
def _texts(root: Path) -> dict[Path, str]:
    """Every file that a bug can be planted in, as it was found first."""
    return {
        file: file.read_text(encoding="utf-8")
        for name in SEARCHED
        for file in sorted((root / name).rglob("*"))
        if file.suffix in {".py", ".toml", ".md"} and "__pycache__" not in file.parts
    }


class Copy:
    """A copy of the repository with an environment that finds the copy's own package first."""

    def __init__(self, folder: Path, original: Path) -> None:
        self.root = folder / "project"
        shutil.copytree(original, self.root, ignore=_LEFT_BEHIND)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
        self.python = folder / "venv" / "bin" / "python"
        (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
        # As plain lines: the editable install of the original, which is a file of this kind itself, stays out.
        paths = (str(self.root / "src"), *site.getsitepackages())
        (packages / "copy.pth").write_text("\n".join(paths) + "\n", encoding="utf-8")
        # Tests start it as hosts do; where it is missing, they fail for every bug.
        script = self.python.with_name("sparring")
        script.write_text(f"#!{self.python}\nfrom sparring.__main__ import main\n\nmain()\n", encoding="utf-8")
        script.chmod(0o755)
        shared = original.parent / "shared"
        if shared.is_dir():
            (folder / "shared").symlink_to(shared)

    def score(self, bug: Bug, *, near_only: bool) -> Score:
        """Plant the bug, run the tests, take it out again."""
        place = place_of(bug, self.root)
        healthy = place.read_text(encoding="utf-8")
        place.write_text(healthy.replace(bug.old, bug.new), encoding="utf-8")
        try:
            everything = () if near_only else (("tests",),)
            by = next(filter(None, (self._failing(tests) for tests in (*self._near(place), *everything))), "")
        finally:
            place.write_text(healthy, encoding="utf-8")
        return Score(bug, str(place.relative_to(self.root)), by)

    def _near(self, place: Path) -> Iterator[tuple[str, ...]]:
        """The test files that name the module, those that name its package, those that mirror or enter it."""
        parts = place.relative_to(self.root).with_suffix("").parts[2:]
        module = ".".join(("sparring", *parts)).removesuffix(".__init__")
        levels = (module.rsplit(".", count)[0] for count in range(3))
        words = [*levels] if place.suffix == ".py" else [place.stem]
        tests = self.root / "tests"
        found = sorted(tests.rglob("test_*.py"), key=lambda file: (file.relative_to(tests).parts[0] != "unit", file))
        files = {file: file.read_text(encoding="utf-8") for file in found if "node_modules" not in file.parts}
        for word in words:
            naming = [file for file, text in files.items() if word in text] if word not in ("", "sparring") else []
            for file in naming:
                del files[file]
            if naming:
                yield tuple(str(file.relative_to(self.root)) for file in naming)
        doors = _DOORS.get(parts[0] if parts else "", ())
        folders = [tests.joinpath("unit", *parts[:-1]), *(tests / door for door in doors)]
        if beside := [file for file in files if any(file.is_relative_to(folder) for folder in folders)]:
            yield tuple(str(file.relative_to(self.root)) for file in beside)

    def _failing(self, tests: Iterable[str]) -> str:
        """The first test that fails, or what went wrong instead; empty when all pass."""
        command = [str(self.python), "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", "-n0"]
        # The test that every bug finds its place fails for each of them, which says nothing.
        command += ["--npm=none", "--hypothesis-seed=0", "--ignore=tests/conformance/test_mutants.py", *tests]
        # What Python makes of a module is kept between the runs, whatever the surroundings say.
        ours = ("PYTEST", "COV", "PYTHONDONTWRITEBYTECODE")
        environment = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        try:
            done = subprocess.run(
                command, cwd=self.root, env=environment, capture_output=True, check=False, text=True, timeout=_LIMIT_S
            )
        except subprocess.TimeoutExpired:
            return f"(not done within {_LIMIT_S} s)"
        if done.returncode in (0, 5):
            return ""
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0].split(" - ")[0].split(maxsplit=1)[1] if failed else f"(pytest ended with {done.returncode})"


def main() -> int:
    """Score every bug, or those named; print a line for each as it is done, then the score."""
    parser = argparse.ArgumentParser(description="Plants bugs, one at a time, and says which no test notices.")
    parser.add_argument("names", nargs="*", help="the bugs to plant; by default all")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--near", action="store_true", help="run only the tests that name what is changed")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout, whose tests are scored")
    asked = parser.parse_args()
    by_name = {bug.name: bug for bug in bugs()}
    if unknown := [name for name in asked.names if name not in by_name]:
        parser.error(f"there is no bug named {unknown[0]}")
    chosen = [by_name[name] for name in asked.names or by_name]
    for bug in chosen:
        place_of(bug, asked.root)
    with tempfile.TemporaryDirectory() as folder:
        own = threading.local()

        def score(bug: Bug) -> Score:
            if not hasattr(own, "copy"):
                own.copy = Copy(Path(tempfile.mkdtemp(dir=folder)), asked.root.resolve())
            return own.copy.score(bug, near_only=asked.near)

        scores = list(_told(score, chosen, asked.jobs))
    unnoticed = [score.bug for score in scores if not score.by]
    sys.stdout.write(f"{len(scores) - len(unnoticed)} of {len(scores)} planted bugs were caught\n")
    return int(any(not bug.known for bug in unnoticed))


def _told(score: Callable[[Bug], Score], chosen: Iterable[Bug], jobs: int) -> Iterator[Score]:
    with ThreadPoolExecutor(jobs) as pool:
        for done in pool.map(score, chosen):
            sys.stdout.write(f"{'caught' if done.by else 'MISSED'}  {done.bug.name}  {done.file}  {done.by}\n")
            sys.stdout.flush()
            yield done


if __name__ == "__main__":
    sys.exit(main())
