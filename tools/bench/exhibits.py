"""Time to find exhibits on a topic in a project of 50,000 files, once its index exists.

The project is made up (the same each time) and is a git repository.
"""

import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

from bench.figures import Figure, Figures, Scale
from sparring.app.exhibits import ExhibitSearch
from sparring.participants.seats import ExhibitSet, exhibit_budget
from sparring.text.redaction import Redactor

_ENDINGS = ("ask", "ile", "ine", "ead", "ame", "tep", "ode", "ath", "tem", "oad", "end", "ate")
_WORDS = tuple(f"{first}{ending}" for first in "bcdfgklmnprstvw" for ending in _ENDINGS)
_TOPIC = "Should `charge_card` ask the gateway again when a task in the node times out?"


def run(scale: Scale) -> Figures:
    """The first time over the next ones, and what a change of a hundred files adds."""
    files = scale.of(50_000, smoke=60)
    with tempfile.TemporaryDirectory() as folder:
        root, private = Path(folder) / "project", Path(folder) / "cache"
        paths = _build(root, files)
        gathering = ExhibitSearch(root, private, {"PATH": os.environ["PATH"]}, Redactor())
        first_s, first = _gathered(gathering)
        again_s, again = min((_gathered(gathering) for _ in range(3)), key=lambda timed: timed[0])
        for path in paths[: max(files // 500, 1)]:
            with (root / path).open("a", encoding="utf-8") as stream:
                stream.write("# changed\n")
        changed_s, changed = _gathered(gathering)
        (index,) = (file.stat() for file in private.rglob("index.sqlite"))
        text = sum((root / path).stat().st_size for path in paths)
    found = {each.path for each in first.exhibits} & {each.path for each in again.exhibits}
    yield Figure(
        "the first time / with an index",
        first_s / again_s,
        f"{first_s:.2f} s and {again_s:.2f} s (aim < 2 s) for {files:,} files of {text / 1e6:.0f} MB",
    )
    yield Figure("after a change of some files / without", changed_s / again_s, f"{changed_s:.2f} s")
    yield Figure("the index / the text", index.st_size / text, f"{index.st_size / 1e6:.0f} MB")
    is_there = paths[files // 2] in found and paths[files // 2] in {each.path for each in changed.exhibits}
    yield Figure("found what the topic names", float(is_there), paths[files // 2], "1")


def _gathered(gathering: ExhibitSearch) -> tuple[float, ExhibitSet]:
    began = time.perf_counter()
    found = gathering.gather(_TOPIC, exhibit_budget("auto", 24), frozenset(), 1)
    return time.perf_counter() - began, found


def _build(root: Path, files: int) -> list[str]:
    source = random.Random(1)  # noqa: S311 -- the same project every time
    paths = [f"src/part{number // 400}/{source.choice(_WORDS)}_{number}.py" for number in range(files)]
    for number, path in enumerate(paths):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        named = "charge_card" if number == files // 2 else f"{source.choice(_WORDS)}_{number}"
        (root / path).write_text(_module(source, named), encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "-A", "."]):
        subprocess.run(["git", "-c", "gc.auto=0", *arguments], cwd=root, check=True)
    return paths


def _module(source: random.Random, named: str) -> str:
    lines = [f'"""{" ".join(source.choices(_WORDS, k=12)).capitalize()}."""', "", ""]
    for name in (named, *(f"{source.choice(_WORDS)}_{source.choice(_WORDS)}" for _ in range(4))):
        lines += [f"def {name}({', '.join(source.choices(_WORDS, k=2))}):"]
        lines += [f"    {' = '.join(source.choices(_WORDS, k=2))}({source.choice(_WORDS)})" for _ in range(5)]
        lines += ["", ""]
    return "\n".join(lines)
