"""The bars that the redaction has to reach: how much it finds, and how little it takes that is none."""

import random
import sysconfig
from collections import Counter
from pathlib import Path

import pytest

from sparring.text.redaction import Redactor
from support.secret_shapes import POSITIONS, shapes

ROOT = Path(__file__).parents[2]
RECALL = 0.99
MOST_FALSE_PER_LINE = 1 / 10_000


def test_99_of_100_secrets_are_found_in_every_position() -> None:
    source, redactor = random.Random(20261121), Redactor()  # noqa: S311 -- the same secrets every time
    tried, found = Counter[str](), Counter[str]()
    for shape in shapes():
        secret = shape.secret(source)
        for position, text in shape.positions():
            tried[position] += 1
            found[position] += not secret.is_left_in(redactor.redact(text.replace("{token}", secret.text)).text)
    assert set(tried) == set(POSITIONS)
    recall = {position: found[position] / tried[position] for position in tried}
    assert {position: share for position, share in recall.items() if share < RECALL} == {}


@pytest.mark.parametrize(
    ("folder", "pattern"),
    [
        (Path(sysconfig.get_path("stdlib")), "[a-m]*.py"),
        (ROOT / "src", "**/*.py"),
        (ROOT, "*.md"),
        (ROOT / "tests" / "e2e", "package-lock.json"),
    ],
    ids=str,
)
def test_one_line_of_ten_thousand_at_most_is_taken_for_a_secret(folder: Path, pattern: str) -> None:
    redactor, lines, found = Redactor(), 0, 0
    for path in sorted(folder.glob(pattern)):
        text = path.read_text(encoding="utf-8", errors="replace")
        lines += text.count("\n")
        found += redactor.redact(text).count
    assert (lines > 0, found <= lines * MOST_FALSE_PER_LINE) == (True, True)
