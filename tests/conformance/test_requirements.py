"""The manifest of requirements agrees with the tests: each is held by tests that exist, or its gap is named."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
MANIFEST: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "requirements.toml").read_text(encoding="utf-8")
)


def test_every_requirement_is_held_by_tests_that_exist_or_its_gap_is_named() -> None:
    known = {file: _names_in(TESTS / file) for file in {_file(test) for test in _tests()}}
    assert [test for test in _tests() if test.partition("::")[2] not in known[_file(test)]] == []
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
        assert [file for file in files if not _has_tests(TESTS.parent / file)] == [], threat


def _has_tests(file: Path) -> bool:
    return any(name.startswith("test_") for name in _names_in(file))


def _tests() -> list[str]:
    return [test for requirement in MANIFEST.values() for test in requirement.get("tests", ())]


def _file(test: str) -> str:
    return test.partition("::")[0]


def _names_in(file: Path) -> set[str]:
    if not file.is_file():
        return set()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
