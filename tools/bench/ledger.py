"""Time to look up 1,000 citations of one speech in a tree of 20,000 files.

The tree is made up (the same each time) and is a git repository. *Cold* is with its files out of the page cache, where
the system lets us do that.
"""

import os
import random
import subprocess
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
from msgspec import Struct

from bench.figures import Figure, Figures, Scale, cpu_s
from sparring.checks.citations import check_ledger
from sparring.checks.citations.speech import possible_citations
from sparring.lookup.working_tree import look_at

LIMIT_S = 60.0
_ENDINGS = ("ask", "ile", "ine", "ead", "ame", "tep", "ode", "ath", "tem", "oad", "end", "ate")
_SYLLABLES = tuple(f"{first}{second}" for first in "bcdfgklmnprstv" for second in _ENDINGS)
"""Enough for names that stand in a few files each, and some that stand in hundreds."""

_ENVIRONMENT = {"PATH": os.environ["PATH"]}


def run(scale: Scale) -> Figures:
    """The time warm over that of reading every file once, cold over warm, and how it grows with the speech."""
    files, citations = scale.of((20_000, 1_000), smoke=(40, 20))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        paths = _build(root, files)
        speech = _speech(random.Random(2), paths, citations, _head(root))  # noqa: S311 -- the same citations every time
        evicted = _evict(root, paths)
        cold = anyio.run(_looked_up, root, speech, citations)
        warm = min((anyio.run(_looked_up, root, speech, citations) for _ in range(3)), key=lambda look: look.wall_s)
        began = time.perf_counter()
        size = sum(len((root / path).read_bytes()) for path in paths)
        read_s = time.perf_counter() - began
    found = ", ".join(f"{count} {status}" for status, count in sorted(warm.found.items()))
    yield Figure(
        "looking citations up / reading every file once",
        warm.wall_s / read_s,
        f"{warm.wall_s:.2f} s, {warm.cpu_s:.2f} s of it in this process  (aim < 2 s), and {read_s:.2f} s, for "
        f"{citations:,} citations in {files:,} files of {size / 1e6:.0f} MB: {found}",
    )
    yield Figure(
        f"{'out of the page cache' if evicted else 'first'} / warm", cold.wall_s / warm.wall_s, f"{cold.wall_s:.2f} s"
    )
    short_s, long_s = (_seconds(count) for count in scale.of((2_000, 4_000), smoke=(50, 100)))
    yield Figure(
        "a speech of double length, without a tree", long_s / short_s, f"{long_s:.3f} s, {short_s:.3f} s", "<= 2.5"
    )


class _Look(Struct, frozen=True):
    """Time of a look-up, and citations by status."""

    wall_s: float
    cpu_s: float
    found: Counter[str]


async def _looked_up(root: Path, speech: str, most: int) -> _Look:
    began, used = time.perf_counter(), time.process_time()
    tree = await look_at(root, _ENVIRONMENT, timeout_s=LIMIT_S)
    ledger = await anyio.to_thread.run_sync(partial(check_ledger, speech, tree, most=most))
    wall_s, used_s = time.perf_counter() - began, time.process_time() - used
    return _Look(wall_s, used_s, Counter(entry.status.value for entry in ledger.entries))


def _build(root: Path, files: int) -> list[str]:
    source = random.Random(1)  # noqa: S311 -- the same tree every time
    paths = list[str]()
    for number in range(files):
        path = f"src/part{number // 400}/{source.choice(_SYLLABLES)}{number // 20 % 20}/module{number}.py"
        text = _module(source, number)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
        paths.append(path)
    for arguments in (["init", "-q"], ["add", "-A", "."], ["commit", "-q", "-m", "Begin"]):
        identity = ("-c", "user.name=A. Person", "-c", "user.email=a.person@example.org", "-c", "gc.auto=0")
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True)
    return paths


def _module(source: random.Random, number: int) -> str:
    lines = [f'"""Part {number} of a tree that is made up."""', "", "import os", "", ""]
    lines += [f"class Module{number}:", f'    """Holds {_name(source)} and {_name(source)}."""', ""]
    for method in range(source.randint(2, 16)):
        name = f"{_name(source)}_{number}_{method}"
        lines += [f"    def {name}(self, {_name(source)}, {_name(source)}):"]
        lines += [f"        {_name(source)} = self.{_name(source)}({_name(source)}, os.sep)" for _ in range(4)]
        lines += [f"        return {_name(source)}.{_name(source)}({method})", ""]
    return "\n".join(lines) + "\n"


def _name(source: random.Random) -> str:
    return "_".join(source.choices(_SYLLABLES, k=source.randint(2, 4)))


def _head(root: Path) -> str:
    finished = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    return finished.stdout.strip()


def _speech(source: random.Random, paths: list[str], count: int, commit: str) -> str:
    """One citation in each sentence, right and wrong ones of every kind in turn."""
    sentences: list[str] = []
    for position in range(count):
        number = source.randrange(len(paths))
        path = paths[number]
        sentences.append(
            (
                f"`{path}:{source.randint(1, 20)}` shows it.",
                f"`{path}:{source.randint(1000, 2000)}` shows it.",
                f"It is in {path.replace('module', 'modul')}.",
                f"`Module{number}` holds it.",
                f"`Module{number}.{_name(source)}_{number}_0` is called.",
                f"`{_name(source)}_{number}_missing()` is called.",
                f"`{_name(source)}` stands in `{path}`.",
                f"It says `return {_name(source)}.{_name(source)}({position % 20})`.",
                f"Commit {commit[: 7 + position % 30]} did that.",
                f"See https://example.org/{number}.",
            )[position % 10]
        )
    return "\n\n".join(sentences)


def _evict(root: Path, paths: list[str]) -> bool:
    """Return whether the files could be put out of the page cache."""
    if not hasattr(os, "posix_fadvise"):
        return False
    os.sync()
    for path in paths:
        descriptor = os.open(root / path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)
    return True


def _seconds(count: int) -> float:
    speech = " ".join(_speech(random.Random(3), ["src/a.py"], count, "0" * 40).split("\n\n"))  # noqa: S311 -- the same
    return cpu_s(lambda: list(possible_citations(speech)), times=3)
