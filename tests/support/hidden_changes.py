"""Changes that would keep code from their reviewers (``tests/hostile/changes.toml``), and reviewers that report it."""

import json
import os
import re
import subprocess
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sparring.testing.model_endpoint import ModelEndpoint, Say
from support import projects
from support.gating import REVIEWERS, git
from support.workbench import Workbench

MARK = "steal(credentials)"
_LINE = re.compile(r"E\d+ (?P<path>.+?) \((?:added|modified|deleted|renamed).*| *(?P<number>\d+) .\| (?P<text>.*)")
_WORDS = dict.fromkeys(("title", "trigger", "consequence", "fix"), "It steals.")

Row = Mapping[str, Any]


@cache
def rows() -> tuple[Row, ...]:
    text = (Path(__file__).parents[1] / "hostile" / "changes.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["change"])


def _answer(prompt: str) -> str:
    """Reply of a careful reviewer: every line with the mark is a critical finding."""
    if "Try to refute it." in prompt:
        return json.dumps({"verdict": "unsure", "reason": "It may be."})
    path, found = "", list[Mapping[str, object]]()
    for line in prompt.splitlines():
        if (match := _LINE.fullmatch(line)) is None:
            continue
        path = match["path"] or path
        if MARK in (match["text"] or ""):
            at = {"file": path, "line": int(match["number"]), "end_line": int(match["number"]), "quote": match["text"]}
            found.append({**at, **_WORDS, "class": "security", "severity": "critical", "confidence": 0.9})
    return json.dumps({"findings": found})


def careful() -> ModelEndpoint:
    """A model that reports every line with the mark."""
    return ModelEndpoint(Say(_answer), keeps_alive=True)


def prompts(endpoint: ModelEndpoint) -> str:
    return "\n".join(request.prompt for request in endpoint.requests)


def set_up(root: Path, endpoint: ModelEndpoint) -> Workbench:
    """A project with one commit and two reviewers, who are also those of a gate."""
    bench = Workbench.below(root, PATH=os.environ["PATH"])
    for name in REVIEWERS:
        bench.add_api(name, endpoint.url, 'model = "m"')
    named = json.dumps(REVIEWERS)
    config = f'[gate]\nreviewers = {named}\n[defaults]\nwith = "{",".join(REVIEWERS)}"\n'
    (bench.root / "config" / "config.toml").write_text(config, encoding="utf-8")
    return bench


def commit(bench: Workbench, message: str) -> None:
    git(bench, "add", "-A")
    git(bench, "commit", "-qm", message)


def change(bench: Workbench, row: Row) -> None:
    """Let the project have the base of ``row`` in a commit, and its change in the working tree."""
    sub = bench.root / "sub"
    if any("$SUB" in command for command in row.get("run", ())):
        projects.make_project(sub, {"x": "1\n"})
        projects.git(sub, "commit", "-qm", "one")
    projects.make_project(bench.project, row.get("base", {}), git=False)
    commit(bench, "base")
    projects.make_project(bench.project, row.get("files", {}), git=False)
    for command in row.get("run", ()):
        environment = bench.environment | {"SUB": str(sub)}
        subprocess.run(["/bin/sh", "-ec", command], cwd=bench.project, env=environment, check=True, capture_output=True)
