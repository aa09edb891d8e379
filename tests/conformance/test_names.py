"""One word a thing: no two public classes of the product have one name, and no file passes what one reads at a time."""

import ast
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "sparring"
MOST_LINES = 600
FILES = {
    file: file.read_text(encoding="utf-8")
    for file in SOURCE.rglob("*.py")
    if not {"example", "testing"} & {*file.relative_to(SOURCE).parts}  # an example, and what others import by its names
}


def test_a_class_has_a_name_of_its_own() -> None:
    names = Counter(
        node.name
        for text in FILES.values()
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_a_file_is_read_at_one_sitting() -> None:
    assert [str(file) for file, text in FILES.items() if text.count("\n") > MOST_LINES] == []
