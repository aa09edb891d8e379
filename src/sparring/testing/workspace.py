"""A project, a user's own folders and a clean environment below one temporary folder, in which sparring is run."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparring.settings import Settings

_KEPT = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT", "COVERAGE_PROCESS_CONFIG")
"""What is kept of our environment: what Python needs, and what measures coverage in the programs that tests start."""


@dataclass(frozen=True)
class Finished:
    """How ``sparring`` ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, called with ``--json``."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Workspace:
    """Where a test runs sparring, apart from what its user has.

    Attributes:
        root: A folder that is there and empty; everything else lies below it.
        variables: Set in the environment, over all else.
    """

    root: Path
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def project(self) -> Path:
        """The folder in which sparring is run."""
        return _made(self.root / "project")

    @property
    def providers(self) -> Path:
        """The user's folder of provider files. It lies outside of the project, whose provider files are ignored."""
        return _made(self.root / "config" / "providers")

    @property
    def bin(self) -> Path:
        """The folder that comes first on ``PATH``."""
        return _made(self.root / "bin")

    @property
    def environment(self) -> dict[str, str]:
        """What sparring gets: a home of its own, no keys, and the ``variables``."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        path = os.pathsep.join((str(self.bin), kept.get("PATH", os.defpath)))
        own = {"PATH": path, "HOME": str(self.root), "SPARRING_CONFIG_DIR": str(self.providers.parent)}
        return kept | own | dict(self.variables)

    @property
    def settings(self) -> Settings:
        """The same for who asks in this process: ``App(workspace.settings)``."""
        return Settings.read(self.environment, self.project)

    def add_provider(self, name: str, toml: str) -> None:
        """Make ``toml`` the provider file of a tool of that name."""
        (self.providers / f"{name}.toml").write_text(toml, encoding="utf-8")

    def add_scripted(self, name: str, *replies: Mapping[str, object]) -> None:
        """Add a tool that says what a script says: of these replies the first that matches, whatever was asked before.

        ``{"match": {"role": "judge"}, "response": "…"}``; README.md has what can be matched.
        """
        (self.providers / f"{name}.json").write_text(json.dumps({"replies": replies}), encoding="utf-8")
        self.add_provider(
            name, f'kind = "scripted"\nfamily = "none"\ntitle = "{name.title()}"\nscript = "{name}.json"\n'
        )

    def add_program(self, name: str, file: str, *arguments: str) -> None:
        """Put a program on ``PATH`` that runs this file of Python with these arguments before its own."""
        command = shlex.join((sys.executable, file, *arguments))
        (self.bin / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        (self.bin / name).chmod(0o700)

    def run(self, *arguments: str, stdin: str = "", timeout_s: float = 60) -> Finished:
        """Run ``sparring`` with these arguments in the project, to its end.

        Raises:
            subprocess.TimeoutExpired: It has not ended by then.
        """
        done = subprocess.run(
            [sys.executable, "-m", "sparring", *arguments],
            input=stdin.encode(),
            capture_output=True,
            check=False,
            cwd=self.project,
            env=self.environment,
            timeout=timeout_s,
        )
        return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
