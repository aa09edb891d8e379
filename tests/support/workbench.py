"""A project of its own with scripted tools, and ``sparring`` run in it: as a function, or as the real program."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from sparring.cli import main
from sparring.cli.invocation import Streams
from sparring.schema.base import Effort
from sparring.store.provenance import KEY_NAME, StateKey
from sparring.testing.workspace import Finished as Result
from support.playing import SUMMARY, ballot
from support.processes import heeding_endings

PROGRAM = (sys.executable, "-m", "sparring")
INSTALLED = Path(sys.executable).with_name("sparring")
"""The program as pip installs it: ``-m`` would look for modules in the project first."""
PROJECT = Path()
_SHELL = shutil.which("bash") or "bash"
"""By its place, since it is not found on every ``PATH`` that a test gives."""
PATIENCE_S = 60
"""Seconds that a test waits for a process before it fails; nothing depends on the real duration."""

SEATS = ("--proposer", "ann", "--challenger", "bob", "--seat", "judge=cy")
DEBATE = ("debate", "Should it retry?", *SEATS)

RESPONSE = "Flaw: Against it. This claim is unsupported.\n\nAlternative: Wait for it."
_AGREED = {"point": "Latency matters.", "evidence": "README.md:1"}
DECISIVE = [{"side": "B", "quote": "This claim is unsupported."}]


def judging(judge: int, letters: str) -> Mapping[str, object]:
    """Return the reply of the judge of that number in that order of the sides."""
    return {
        "match": {"step": "debate/synthesis", "name": f"judge{judge}.{letters}"},
        "response": ballot(letters, arguments=DECISIVE, agreements=[_AGREED]),
        "model": "scripted-1",
    }


SPEECHES: tuple[Mapping[str, object], ...] = (
    *(judging(judge, letters) for judge in (1, 2, 3) for letters in ("ab", "ba")),
    {"match": {"step": "debate/summary"}, "response": SUMMARY},
    {"match": {"step": "review/findings"}, "response": '{"findings": []}'},
    {"match": {"role": "proposer", "round": 1}, "response": "For it: `README.md:1` says so."},
    {"match": {"role": "challenger", "round": 1}, "response": RESPONSE},
    {"match": {"role": "proposer"}, "response": "I concede: it needs a test."},
    {"match": {"role": "challenger"}, "response": "Flaw: Still against it."},
    {"response": "An answer."},
)


def limited(limits: str) -> str:
    """A line of a shell that starts a program with ``limits``, which are too low to measure coverage as well."""
    return f'unset COVERAGE_PROCESS_CONFIG; ulimit {limits}; exec "$@"'


class Workbench(Struct, frozen=True):
    """A git project, a user's provider folder and a clean environment, all below one temporary folder."""

    root: Path
    extra: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def below(cls, root: Path, **variables: str) -> "Workbench":
        """A workbench with these ``variables`` and the scripted tools ``ann``, ``bob`` and ``cy``."""
        bench = cls(root, variables)
        make_repository(bench.project)
        bench.providers.mkdir(parents=True, exist_ok=True)
        (bench.project / "README.md").write_text("# A project\n\nIt retries a failed request three times.\n", "utf-8")
        for name in ("ann", "bob", "cy"):
            bench.add_tool(name, SPEECHES)
        return bench

    def copied(self, root: Path) -> "Workbench":
        """The same below ``root``, to be changed."""
        shutil.copytree(self.root, root, dirs_exist_ok=True)
        return Workbench(root, dict(self.extra))

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
    def key(self) -> StateKey:
        """The key that signs the records of its user."""
        return StateKey(self.root / "config" / KEY_NAME)

    @property
    def ledger(self) -> Path:
        """Path of the ledger with the answers of its batches."""
        return self.state / "batch" / "ledger.sqlite"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
        home = {"HOME": str(self.root), "SPARRING_CONFIG_DIR": str(self.root / "config")}
        return kept | home | self.extra

    def add_tool(self, name: str, replies: Sequence[Mapping[str, object]], *, family: str = "none") -> None:
        """A scripted tool of that name."""
        (self.providers / f"{name}.json").write_text(json.dumps({"replies": replies}), encoding="utf-8")
        text = f'name = "{name}"\nkind = "scripted"\nfamily = "{family}"\ntitle = "{name.title()}"\n'
        (self.providers / f"{name}.toml").write_text(f'{text}script = "{name}.json"\n', encoding="utf-8")

    def add_cli(self, name: str, *argv: str) -> None:
        """A tool of that name whose program is Python with these arguments, and answers as Claude Code does."""
        levels = "".join(f'{level} = "{level}"\n' for level in Effort)
        text = f'kind = "cli"\nfamily = "none"\ntitle = "{name.title()}"\noutput = "claude"\n[command]\n'
        text += f"program = {json.dumps(sys.executable)}\nargv = {json.dumps([*argv, '{effort}'])}\n"
        text += f'effort = ["{{effort}}"]\n[efforts]\n{levels}'
        (self.providers / f"{name}.toml").write_text(text, encoding="utf-8")

    def add_api(self, name: str, url: str, *lines: str) -> None:
        """A model of that name behind an API at ``url``; ``lines`` come last in its provider file."""
        text = f'kind = "api"\nfamily = "none"\ntitle = "{name.title()}"\napi = "chat-completions"\n'
        text += f'base_url = "{url}/v1"\n'
        (self.providers / f"{name}.toml").write_text(text + "\n".join(lines), encoding="utf-8")

    def run(self, *arguments: str, stdin: bytes = b"", cwd: Path | None = PROJECT) -> Result:
        """``sparring`` with these arguments as a function, in ``cwd`` as seen from the project; None is a folder gone.

        Nothing is found on PATH, neither git nor a tool, so that nothing is started: a test that wants something found
        sets PATH.
        """
        out, err = io.BytesIO(), io.BytesIO()
        streams = Streams(
            io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)), "utf-8"),
            *(io.TextIOWrapper(each, "utf-8", "replace", newline="", write_through=True) for each in (out, err)),
        )
        environment = self.environment | {"PATH": self.extra.get("PATH", str(self.root / "nothing"))}
        code = main(arguments, streams, environment, cwd and self.project / cwd)
        return Result(code, out.getvalue().decode(), err.getvalue().decode())

    def run_program(self, *arguments: str, stdin: bytes = b"", line: str = 'exec "$@"') -> Result:
        """The real program, to its end: started by that line of a shell, as ``"$@"``."""
        done = subprocess.run(
            [_SHELL, "-c", line, _SHELL, *PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=self.project,
            env=self.environment,
            timeout=PATIENCE_S,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(
        self,
        *arguments: str,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> "subprocess.Popen[bytes]":
        """The real program, as a process to be watched and ended."""
        argv, folder, environment = [*PROGRAM, *arguments], self.project, self.environment
        with heeding_endings():
            return subprocess.Popen(argv, stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder, env=environment)

    def add_program(self, name: str, script: str = "") -> Path:
        """A program of that name in ``bin``, which is on PATH where a test puts it there."""
        program = self.root / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
        return program

    def last_debate(self) -> dict[str, Any]:
        """Return the content of ``last-debate.json``."""
        return self.kept("debate/last-debate.json")

    def kept(self, name: str) -> dict[str, Any]:
        """Return the content of a file of the state folder."""
        return json.loads((self.state / name).read_text(encoding="utf-8"))

    def files(self) -> dict[str, bytes]:
        """Every file below the state folder with its content."""
        files = (file for file in self.state.rglob("*") if file.is_file())
        return {str(file.relative_to(self.state)): file.read_bytes() for file in files}


def make_repository(folder: Path) -> None:
    """An empty git repository, as ``git init`` makes it, without starting git."""
    for name in ("objects", "refs/heads"):
        (folder / ".git" / name).mkdir(parents=True, exist_ok=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
    (folder / ".git" / "config").write_text(config, encoding="utf-8")
