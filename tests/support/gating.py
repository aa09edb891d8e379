"""A project with a change in it, and scripted reviewers of two families that see something wrong there."""

import json
from collections.abc import Mapping, Sequence

from support import projects, reviewing
from support.workbench import Workbench

REVIEWERS = ("ann", "bob")
BAD = "total = total + price * 0"
"""The line that they find fault with; where it is gone they find nothing."""

_PLACE = {"file": "shop.py", "line": 2, "end_line": 2, "quote": BAD}
_WORDS = {"title": "Every total is zero", "fix": "Multiply by the quantity."}
FOUND: Mapping[str, object] = reviewing.FOUND | _PLACE | _WORDS


def git(bench: Workbench, *arguments: str) -> str:
    """Run git in the project and return its output."""
    return projects.git(bench.project, *arguments, environment=bench.environment)


def change(bench: Workbench, line: str = BAD) -> None:
    """Let the project have a commit, and that line since then."""
    file = bench.project / "shop.py"
    if not file.exists():
        file.write_text("total = 0\n", encoding="utf-8")
        git(bench, "add", "-A")
        git(bench, "commit", "-q", "-m", "Begin")
    file.write_text(f"total = 0\n{line}\n", encoding="utf-8")


def report(*findings: Mapping[str, object]) -> Mapping[str, object]:
    """The reply of a reviewer with these findings."""
    return {"match": {"step": "review/findings"}, "response": json.dumps({"findings": findings})}


def set_up_reviewers(bench: Workbench, replies: Sequence[Mapping[str, object]] = (report(FOUND),)) -> None:
    """Let both say that, and let a gate ask them."""
    for name in REVIEWERS:
        bench.add_tool(name, replies)
    set_rules(bench)


def set_rules(bench: Workbench, *lines: str) -> None:
    """The user's ``[gate]`` with these lines besides."""
    rules = "\n".join(("[gate]", f"reviewers = {json.dumps(REVIEWERS)}", *lines, ""))
    (bench.root / "config" / "config.toml").write_text(rules, encoding="utf-8")


def said(**more: object) -> bytes:
    """Return the input that a host gives a hook."""
    return json.dumps({"session_id": "s", "stop_hook_active": False, **more}).encode()
