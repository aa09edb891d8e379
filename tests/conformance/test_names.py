"""Names: one class per name, plain words in identifiers and at the beginning of docstrings, files of bounded length."""

import ast
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from house import dialect_in, docstrings, has_bad_opening, identifiers, package_of, words_of

SOURCE = Path(__file__).parents[2] / "src" / "sparring"
MOST_LINES = 600

REPLACED = frozenset(
    [
        "answerer",
        "answerers",
        "breathe",
        "bury",
        "desk",
        "door",
        "handing",
        "hear",
        "heard",
        "keeping",
        "mended",
        "odd",
        "owed",
        "rung",
        "spared",
        "spoken",
        "stranger",
        "unheard",
        "voice",
        "voices",
        "whom",
        "wished",
        "wishes",
        "worth",
    ]
)
"""Words of names that were replaced by those of the field, such as ``desk`` by ``session``."""


@cache
def modules() -> Mapping[Path, ast.Module]:
    """Return the syntax trees of the source, without an example, and without what others import by its names."""
    files = (file for file in SOURCE.rglob("*.py") if not {"example", "testing"} & {*file.relative_to(SOURCE).parts})
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}


def test_a_class_has_a_name_of_its_own() -> None:
    names = Counter(
        node.name
        for module in modules().values()
        for node in module.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_a_file_is_read_at_one_sitting() -> None:
    assert [str(file) for file in modules() if file.read_text(encoding="utf-8").count("\n") > MOST_LINES] == []


def test_no_name_has_a_word_of_the_old_dialect() -> None:
    names = [f"{package_of(file)}: {name}" for file, tree in modules().items() for name in dialect_in(tree)]
    assert names == []


def test_no_name_has_a_word_that_was_replaced() -> None:
    names = {
        f"{file.relative_to(SOURCE)}: {name}"
        for file, module in modules().items()
        for name in identifiers(module)
        if words_of(name) & REPLACED
    }
    assert names == set()


def test_no_docstring_begins_with_a_question_word() -> None:
    begun = Counter(
        package_of(file) for file, module in modules().items() for each in docstrings(module) if has_bad_opening(each)
    )
    assert begun == Counter()
