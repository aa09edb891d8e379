"""The manifest of requirements agrees with the tests: each is held by tests that exist, or its gap is named."""

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
MANIFEST: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "requirements.toml").read_text(encoding="utf-8")
)


def names_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("id_", MANIFEST)
def test_a_requirement_is_held_by_tests_or_its_gap_is_named(id_: str) -> None:
    requirement = MANIFEST[id_]
    assert set(requirement) <= {"source", "text", "tests", "gap"}
    assert requirement["source"]
    assert requirement["text"]
    assert requirement.get("tests") or requirement.get("gap")
    for reference in requirement.get("tests", ()):
        file, _, name = reference.partition("::")
        assert name in names_in(TESTS / file), f"{id_}: there is no test {reference}"
