"""Measures of readability: ``make house`` prints them beside their aims.

A path counts the files of ``sparring`` that a value enters on its way: those with a function that was called with a
marker in its arguments. Identifiers count each time that they occur; docstrings include the strings below attributes.
"""

import ast
import os
import re
import sys
import tempfile
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, cast

import anyio

from support import jurors, mcp_project
from support.workbench import Workbench

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "sparring"

OPENINGS = frozenset({"What", "Whether", "How", "Where", "Who", "Why", "Which", "That"})
"""Words with which no docstring should begin."""

DIALECT = frozenset({"told", "said", "held", "found", "here", "whoever", "beside", "another"})
"""Words that no identifier should contain."""

MARKER = "Zebrafish"
_DEEPEST = 4
_USAGE = 2
_SCRIPT = """
case "$(cat)" in
    *'"winner"'*) echo '{}' ;;
    *) echo 'Flaw: It is slow. Alternative: Wait.' ;;
esac
"""


class MarkerTrace:
    """Trace of a marker: the files whose functions receive it, until a function named ``end`` is called."""

    def __init__(self, end: str = "") -> None:
        self.files = set[str]()
        self._end = end
        self._has_ended = False

    def __enter__(self) -> "MarkerTrace":
        threading.setprofile(self._called)
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _called(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or self._has_ended or not code.co_filename.startswith(str(SOURCE)):
            return
        if code.co_name == self._end:
            self._has_ended = True
        if code.co_filename not in self.files:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            if any(_holds(frame.f_locals.get(name), _DEEPEST) for name in names):
                self.files.add(code.co_filename)


def _holds(value: object, depth: int) -> bool:
    """Return whether ``value``, or a part of it at most ``depth`` levels down, contains the marker."""
    if isinstance(value, str):
        return MARKER in value
    if isinstance(value, bytes):
        return MARKER.encode() in value
    if depth == 0 or value is None or isinstance(value, int | float | type | os.PathLike):
        return False
    if isinstance(value, Mapping):
        return any(_holds(each, depth - 1) for each in cast("Mapping[object, object]", value).values())
    if isinstance(value, list | tuple):
        return any(_holds(each, depth - 1) for each in cast("list[object]", value))
    fields: Mapping[str, object] = getattr(value, "__dict__", {})
    members: tuple[str, ...] = getattr(value, "__struct_fields__", ())
    return any(_holds(each, depth - 1) for each in [*fields.values(), *(getattr(value, name) for name in members)])


def _bench(folder: Path) -> Workbench:
    """Return a workbench with three text programs, three scripted jurors, and ``sh`` on PATH."""
    bench = Workbench.below(folder, PATH=os.environ["PATH"])
    for name in ("left", "right", "judge"):
        text = f'kind = "cli"\nfamily = "{name}"\ntitle = "{name.title()}"\ninstall = "x"\noutput = "text"\n'
        text += f"[command]\nprogram = 'sh'\nargv = ['-c', '''{_SCRIPT}''']\n[efforts]\n"
        (bench.providers / f"{name}.toml").write_text(text, encoding="utf-8")
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, jurors.REPLIES)
    return bench


def _run(bench: Workbench, *arguments: str) -> None:
    """Run a command; raises ``ValueError`` if its options are no longer known."""
    done = bench.run(*arguments)
    if done.code == _USAGE:
        raise ValueError(done.err)


def _debate(bench: Workbench) -> None:
    _run(bench, "debate", f"Is the {MARKER} fast?", "--with", "left,right,judge", "--rounds", "1")


def _fact_check(bench: Workbench) -> None:
    _run(bench, "fact-check", f"The {MARKER} has 12 fins.", "--with", "offline", "--evidence", "It has 12 fins.")


def _row(bench: Workbench) -> None:
    (bench.project / "table.csv").write_text(f"claim,truth\nThe {MARKER} has 12 fins.,It has 12 fins.\n")
    _run(bench, "batch", "jury", "--input", "table.csv", "--output", "out", "--with", "ann")


def _consult(bench: Workbench) -> None:
    async def call() -> None:
        async with mcp_project.client(bench) as host:
            await host.call_tool("consult", {"question": f"Is the {MARKER} fast?", "tool": "left"})

    anyio.run(call)


PATHS: Mapping[str, tuple[Callable[[Workbench], None], str, int]] = {
    "topic of a debate to the first prompt": (_debate, "write_prompt", 28),
    "one-round debate": (_debate, "", 42),
    "fact-check by code": (_fact_check, "", 40),
    "row of a table": (_row, "", 42),
    "MCP consult to the first prompt": (_consult, "write_prompt", 25),
}
"""Runs to trace, each with the function that ends the trace and the aim."""


def entered(run: Callable[[Workbench], None], end: str) -> int:
    """Return how many files the marker enters in that run."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bench = _bench(Path(folder))
        with MarkerTrace(end) as path:
            run(bench)
    return len(path.files)


def docstrings(tree: ast.AST) -> Iterator[str]:
    """Yield the docstrings of a module, and the strings below its attributes."""
    for node in ast.walk(tree):
        statements: object = getattr(node, "body", None)
        for each in cast("list[ast.AST]", statements) if isinstance(statements, list) else ():
            match each:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield text
                case _:
                    pass


def has_bad_opening(text: str) -> bool:
    """Return whether a docstring begins with a word of ``OPENINGS``."""
    return re.split(r"\W", text.strip(), maxsplit=1)[0] in OPENINGS


def words_of(identifier: str) -> set[str]:
    """Return the words of an identifier in lower case: ``LocatedJson`` has ``json`` and ``found``."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier)}


def identifiers(tree: ast.AST) -> Iterator[str]:
    """Yield the identifiers of a module, each time that they occur."""
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname", "rest"):
            name: object = getattr(node, field, None)
            if isinstance(name, str):
                yield name


def dialect_in(tree: ast.AST) -> Iterator[str]:
    """Yield the identifiers that contain a word of the dialect, each time that they occur, except "not found"."""
    return (name for name in identifiers(tree) if words_of(re.sub("(?i)not_?found", "", name)) & DIALECT)


def files_in(*folders: Path) -> list[Path]:
    """Return the Python files below ``folders``."""
    return sorted(file for folder in folders for file in folder.rglob("*.py") if "node_modules" not in file.parts)


def package_of(file: Path) -> str:
    """Return the package of a source file, as ``formats``."""
    inside = file.relative_to(SOURCE).parts
    return inside[0] if len(inside) > 1 else "(top)"


def measured() -> Iterator[tuple[str, str, str]]:
    """Yield each measure: its name, its value and its aim."""
    for name, (run, end, aim) in PATHS.items():
        yield f"files entered: {name}", str(entered(run, end)), f"<= {aim}"
    sources = files_in(SOURCE)
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in sources}
    texts = [text for tree in trees.values() for text in docstrings(tree)]
    openings = sum(map(has_bad_opening, texts))
    yield f"docstrings that begin with {', '.join(sorted(OPENINGS))}", f"{openings / len(texts):.1%}", "<= 5 %"
    found = Counter(package_of(file) for file, tree in trees.items() for _ in dialect_in(tree))
    yield f"identifiers with {', '.join(sorted(DIALECT))}", f"{found.total():,}", "<= 150"
    for package, count in found.most_common():
        yield f"  in {package}", f"{count:,}", ""
    lines = sum(file.read_text(encoding="utf-8").count("\n") for file in files_in(ROOT / "tests"))
    yield "lines of tests", f"{lines:,}", "<= 36,000"
    tables: list[dict[str, Any]] = [
        tomllib.loads(file.read_text(encoding="utf-8")) for file in (ROOT / "tools" / "mutants").glob("*.toml")
    ]
    yield "planted bugs", str(sum(len(table.get("bug", [])) for table in tables)), "<= 150"


if __name__ == "__main__":
    for name, value, aim in measured():
        sys.stdout.write(f"{value:>8}  {aim:>10}  {name}\n")
