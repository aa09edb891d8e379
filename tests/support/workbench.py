"""A project of its own with scripted tools, and the real ``sparring`` program run in it as a process."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.playing import SUMMARY, ballot

PROGRAM = (sys.executable, "-m", "sparring")
PATIENCE_S = 60
"""How long a test waits for a process before it fails; nothing depends on how long it takes."""

_DECISIVE = [{"side": "B", "quote": "This claim is unsupported."}]


def judging(judge: int, letters: str) -> Mapping[str, object]:
    """What the judge of that number says in that order of the sides."""
    return {
        "match": {"step": "debate/synthesis", "name": f"judge{judge}.{letters}"},
        "response": ballot(letters, arguments=_DECISIVE),
        "model": "scripted-1",
    }


SPEECHES: tuple[Mapping[str, object], ...] = (
    *(judging(judge, letters) for judge in (1, 2, 3) for letters in ("ab", "ba")),
    {"match": {"step": "debate/summary"}, "response": SUMMARY},
    {"match": {"role": "proposer", "round": 1}, "response": "For it: `README.md:1` says so."},
    {"match": {"role": "challenger", "round": 1}, "response": "Against it. This claim is unsupported."},
    {"match": {"role": "proposer"}, "response": "I concede: it needs a test."},
    {"match": {"role": "challenger"}, "response": "Still against it."},
    {"response": "An answer."},
)


@dataclass(frozen=True)
class Workbench:
    """A git project, a user's provider folder and a clean environment, all below one temporary folder."""

    root: Path
    extra: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def below(cls, root: Path) -> "Workbench":
        """A workbench with the scripted tools ``ann``, ``bob`` and ``cy``."""
        bench = cls(root)
        bench.project.mkdir()
        bench.providers.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(bench.project)], check=True)
        (bench.project / "README.md").write_text(
            "# A project\n\nIt retries a failed request three times.\n", encoding="utf-8"
        )
        for name in ("ann", "bob", "cy"):
            bench.add_tool(name, SPEECHES)
        return bench

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def providers(self) -> Path:
        return self.root / "config" / "providers"

    @property
    def state(self) -> Path:
        return self.project / ".sparring"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
        home = {"HOME": str(self.root), "SPARRING_CONFIG_DIR": str(self.root / "config")}
        return kept | home | self.extra

    def add_tool(self, name: str, replies: Sequence[Mapping[str, object]]) -> None:
        """A scripted tool of that name."""
        (self.providers / f"{name}.json").write_text(json.dumps({"replies": replies}), encoding="utf-8")
        text = (
            f'name = "{name}"\nkind = "scripted"\nfamily = "none"\ntitle = "{name.title()}"\nscript = "{name}.json"\n'
        )
        (self.providers / f"{name}.toml").write_text(text, encoding="utf-8")

    def run(self, *arguments: str, stdin: bytes = b"") -> "Result":
        """``sparring`` with these arguments, to its end."""
        done = subprocess.run(
            [*PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=self.project,
            env=self.environment,
            timeout=PATIENCE_S,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """``sparring`` with these arguments, as a process to be watched and ended."""
        return subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.project,
            env=self.environment,
        )

    def last_debate(self) -> dict[str, Any]:
        """What ``last-debate.json`` holds."""
        return json.loads((self.state / "debate" / "last-debate.json").read_text(encoding="utf-8"))

    def files(self) -> dict[str, bytes]:
        """Every file below the state folder with its content."""
        return {
            str(file.relative_to(self.state)): file.read_bytes() for file in self.state.rglob("*") if file.is_file()
        }


@dataclass(frozen=True)
class Result:
    """How the program ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)
