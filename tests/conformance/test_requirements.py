"""The manifest of requirements agrees with the tests: each is held by tests that exist, or its gap is named."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
MANIFEST: dict[str, Any] = tomllib.loads(Path(__file__).with_name("requirements.toml").read_text(encoding="utf-8"))


def test_every_requirement_names_existing_tests_or_its_gap() -> None:
    named = [test.split("::") for requirement in MANIFEST.values() for test in requirement.get("tests", ())]
    assert [(file, test) for file, test in named if test not in _names_in(TESTS / file)] == []
    for id_, requirement in MANIFEST.items():
        assert set(requirement) <= {"source", "text", "tests", "gap"}, id_
        assert requirement["source"], id_
        assert requirement["text"], id_
        assert requirement.get("tests") or requirement.get("gap"), id_


def test_every_promise_of_security_names_the_tests_that_try_to_break_it() -> None:
    page = (TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
    rows = [row.split(" | ") for row in page.splitlines() if row.startswith("| ")][1:]
    assert len(rows) > 15
    for threat, _, held in rows:
        files = re.findall(r"`(tests/[\w/]+\.py)`", held)
        assert files, threat
        assert [file for file in files if not _names_in(TESTS.parent / file)] == [], threat


@cache
def _names_in(file: Path) -> set[str]:
    body = ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else []
    functions = (node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name for node in functions if node.name.startswith("test_")}
