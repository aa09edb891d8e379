"""Functions that take what others wrote, the shapes of text that are hard for each, and how their CPU time grows.

A shape is a unit again and again, with a near miss at the end. The units are those that a function's own patterns are
made of; every function is given the common ones, too.
"""

import ast
import gc
import itertools
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

import sparring

LONGEST = 32 << 10

_TELLING_S = 0.015
"""From here on what is quadratic stands out of the noise: 16 quarters are more than 7 and the noise."""

_MOST_GROWTH, _NOISE_S = 7.0, 0.0015
"""For four times the text; what is quadratic takes 16 times as long. What is not takes 4 times, and was seen to take 5
on a machine that was busy with other caches.
Less than the noise holds up nobody."""

_TRIES = 6

COMMON = ("a", "1 ", ".", "_", "\\", "a\n\n", "\u0301", "[", "`a` ")
_TAILS = map("".join, itertools.cycle(itertools.product("bcdfghjkm", repeat=4)))
"""Each text is another one: what is kept of a text that was read before would make the next reading short."""


class Case(Struct, frozen=True):
    """A function by its names, what is called with a text, and the units of the texts.

    Attributes:
        covers: ``module:name`` of everything that is measured by this.
        longest: Characters of the longest text; fewer where a single one costs more, or its caller takes no more.
    """

    covers: tuple[str, ...]
    call: Callable[[str], object]
    units: Sequence[str] = ()
    longest: int = LONGEST


def faults(case: Case) -> list[str]:
    """Each unit whose texts take longer than in proportion to their length."""
    gc.collect()
    gc.disable()
    try:
        case.call(next(_TAILS))  # what is made once, such as a pattern, is no part of the time that a quarter takes
        return [f"{unit!r}: {told}" for unit in (*case.units, *COMMON) if (told := fault(case, unit))]
    finally:
        gc.enable()


def fault(case: Case, unit: str) -> str:
    """Describe excessive growth of time from 8 to 32 KiB, or from 2 to 8 KiB if that suffices; empty if none."""
    size = case.longest // 4
    at_quarter = _cpu(case.call, _shape(unit, size))
    if at_quarter < _TELLING_S:
        return _grown(case, unit, case.longest, at_quarter)
    return _grown(case, unit, size, _cpu(case.call, _shape(unit, size // 4)), at_quarter)


def _grown(case: Case, unit: str, size: int, quarter: float, whole: float = math.inf) -> str:
    for _ in range(_TRIES):
        # A busy machine makes a measurement long, never short.
        if whole > _MOST_GROWTH * quarter + _NOISE_S:
            whole = min(whole, _cpu(case.call, _shape(unit, size)))
        if whole <= _MOST_GROWTH * quarter + _NOISE_S:
            return ""
        quarter = max(quarter, _cpu(case.call, _shape(unit, size // 4)))
    return f"{whole:.2f} s for {size} characters, {quarter:.3f} s for a quarter"


def _shape(unit: str, size: int) -> str:
    # Whole units: a text that ends within one may be refused early where one of another length is read to its end.
    return unit * (size // len(unit)) + next(_TAILS)


def _cpu(call: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    call(text)
    return time.process_time() - began


def functions_of_text(*packages: str) -> set[str]:
    """``module:name`` of what takes a ``str``, or several, below these packages and is imported into other folders."""
    root = Path(sparring.__file__).parent
    imported = [(file.parent, set(_imported(file, packages))) for file in root.rglob("*.py")]
    return {
        f"{'.'.join(file.relative_to(root).with_suffix('').parts)}:{name}"
        for package in packages
        for file in (root / package).rglob("*.py")
        for name in _taking_text(ast.parse(file.read_text(encoding="utf-8")).body)
        if any(name.partition(".")[0] in names for folder, names in imported if folder != file.parent)
    }


def _imported(file: Path, packages: Sequence[str]) -> Iterator[str]:
    """Yield the names that ``file`` imports from them, or uses as attributes of their modules."""
    text = file.read_text(encoding="utf-8")
    line = rf"^from sparring\.(?:{'|'.join(packages)})\b[\w.]* import (\([^)]*\)|[^\n]*)"
    names = {name for match in re.finditer(line, text, re.MULTILINE) for name in re.findall(r"\w+", match[1])}
    yield from names
    if names:
        yield from re.findall(rf"\b(?:{'|'.join(sorted(names))})\.(\w+)", text)


def _taking_text(body: Sequence[ast.stmt], owner: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _taking_text(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name == "__init__"):
            given = (*node.args.args, *node.args.kwonlyargs)
            if any("str" in ast.unparse(each.annotation) for each in given if each.annotation):
                yield owner + node.name
