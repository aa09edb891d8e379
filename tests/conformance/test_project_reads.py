"""Every file that is read from a project stands in a table: who may have written it, and what it may decide."""

import os
import sys
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from sparring.formats.registry import FORMATS
from sparring.store.hosts import DEFAULT_FOLDER, HOSTS
from support.chaired_debaters import CHAIRED_SPEECHES
from support.gating import change, git, said, set_up_reviewers
from support.jurors import REPLIES
from support.workbench import DEBATE, SEATS, SPEECHES, Workbench

pytestmark = pytest.mark.process

TABLE = tomllib.loads(Path(__file__).with_name("project_reads.toml").read_text(encoding="utf-8"))["read"]
PAGE = Path(__file__).parents[2] / "docs" / "state.md"
STATES = (DEFAULT_FOLDER, *(host.folder for host in HOSTS))


class Reads:
    """The files that are opened for reading below a folder, while there is one; heard by an audit hook."""

    def __init__(self) -> None:
        self.root: str | None = None
        self.found = set[str]()

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.root is None or event not in ("open", "sqlite3.connect"):
            return
        path, flags = arguments[0], arguments[2] if event == "open" else os.O_RDONLY
        if isinstance(path, str | bytes | Path) and not flags & os.O_WRONLY:
            root = Path(self.root)
            inside = os.path.relpath(root / os.fsdecode(path).removeprefix("file://").partition("?")[0], root)
            if not inside.startswith("..") and os.path.lexists(root / inside) and not (root / inside).is_dir():
                self.found.add(inside.replace(os.sep, "/"))


_reads = Reads()
sys.addaudithook(_reads)


@contextmanager
def watched(project: Path) -> Generator[set[str]]:
    """The files of ``project`` that are read in the block."""
    _reads.root, _reads.found = str(project.resolve()), set[str]()
    try:
        yield _reads.found
    finally:
        _reads.root = None


def patterns(row: dict[str, Any]) -> list[str]:
    """Those of a row, for every state folder and format."""
    states = [pattern.replace("{state}", state) for pattern in row["patterns"] for state in STATES]
    return list(dict.fromkeys(pattern.replace("{kind}", kind) for pattern in states for kind in FORMATS))


def row_of(path: str) -> int:
    """The first row that has ``path``."""
    return next(number for number, row in enumerate(TABLE) if any(fnmatchcase(path, each) for each in patterns(row)))


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A project that has one of each: a change, hosts' settings, a table, a config file."""
    bench = Workbench.below(tmp_path, PATH=os.environ["PATH"])
    codex = bench.add_program("codex", "echo '{}'")
    bench.extra["PATH"] = f"{codex.parent}{os.pathsep}{os.environ['PATH']}"
    files = {
        ".codex/config.toml": "",
        ".codex/skills/one/SKILL.md": "One",
        ".mcp.json": "{}",
        "config/debate-config.json": '{"topic": "Tabs or spaces?"}',
        "t.csv": "claim,truth\nAll is well.,Nothing is well.\n",
        "docs/a.md": "# A\n",
    }
    for name, text in files.items():
        (bench.project / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.project / name).write_text(text, encoding="utf-8")
    change(bench)
    git(bench, "add", "-A")
    return bench


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("consult", "Well?", "--tool", "ann", "--context", "file=README.md", "--context", "diff"),
    ("consult", "Well?", "--tool", "codex", "--repo-access", "read"),
    ("consult", "And?", "--continue"),
    (*DEBATE, "--rounds", "1"),
    ("debate", "Is `shop.py:1` right?", *SEATS, "--rounds", "1"),
    ("fact-check", "It retries.", "--evidence-file", "README.md", "--with", "ann"),
    ("jury", "It retries.", "It does not.", "--with", "ann"),
    ("verify", "text", "README.md", "--repo"),
    ("runs", "list"),
    ("runs", "show", "last"),
    ("runs", "resume", "last"),
    ("runs", "retry", "last"),
    ("runs", "export", "last", "--format", "md"),
    ("runs", "prune", "--keep", "100", "--yes"),
    ("view", "last"),
    ("doctor",),
    ("providers",),
    ("install", "claude", "--project"),
    ("uninstall", "claude", "--project"),
)
REVIEWS: tuple[tuple[str, ...], ...] = (
    ("review", "--with", "ann,bob"),
    ("review", "--with", "ann,bob", "--set", "dismissed_in=docs/a.md"),
    ("review", "dismissed"),
    ("review", "README.md", "--with", "ann,bob", "--since", "last"),
    ("gate", "run", "claude", "stop"),
    ("gate", "run", "claude", "stop"),
)
TABLES: tuple[tuple[str, ...], ...] = (
    ("batch", "jury", "--input", "t.csv", "--output", "out", "--set", "write=jsonl", "--with", "ann"),
    ("doctor",),
)


def test_every_file_that_is_read_from_a_project_stands_in_the_table(bench: Workbench) -> None:
    with watched(bench.project) as found:
        for command in COMMANDS:
            bench.run(*command)
        set_up_reviewers(bench)
        for command in REVIEWS:
            bench.run(*command, stdin=said())
        last = bench.run("runs", "show", "last", "--json").json
        bench.run("review", "dismiss", last["findings"][0]["id"], "It is none.")
        bench.run("review", "--with", "ann,bob")
        bench.add_tool("ann", REPLIES)
        for command in TABLES:
            bench.run(*command)
        bench.run("view", "--diff", "out", "out")
        bench.add_tool("ann", [*CHAIRED_SPEECHES, *SPEECHES])
        bench.run("chaired-debate", "--with", "ann")
        bench.run("runs", "list")
    rows = {row_of(path) for path in found}
    assert {TABLE[number]["files"] for number in set(range(len(TABLE))) - rows} == set(), "nobody reads that any more"
    others = {path for path in found if row_of(path) == len(TABLE) - 1}
    allowed = {"README.md", "shop.py", "t.csv", "docs/a.md"}
    assert {path for path in others if not path.startswith("out/")} - allowed == set(), "which deserve a row"
    assert not any(path.startswith((".sparring/providers", ".config/sparring")) for path in found)


def test_the_page_has_the_table() -> None:
    lines = ["| file | possible writer | what it may decide |", "|---|---|---|"]
    for row in TABLE:
        named = row["files"].replace("{state}", "STATE").replace("{kind}", "KIND")
        lines.append(f"| {named} | {row['writer']} | {row['decides']} |")
    assert "\n".join(lines) in PAGE.read_text(encoding="utf-8")
