"""The examples of docs/checks.md come to what their headings say."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import Label

_PAGE = Path(__file__).parents[4] / "docs" / "checks.md"
_HEADINGS = {"SUPPORTED": Label.SUPPORTED, "REFUTED": Label.REFUTED, "Open": Label.NEI}
_EXAMPLES = 10


def examples(heading: str) -> Iterator[tuple[str, str]]:
    """The claims under a heading with their evidence; what stands in backticks alone is a line of a file."""
    section = _PAGE.read_text(encoding="utf-8").partition(f"### {heading}\n")[2].partition("\n### ")[0]
    for row in re.findall(r"^\| (?!claim )(.+) \|$", section, re.MULTILINE):
        claim, evidence, *_ = row.split(" | ")
        is_code = evidence.startswith("`") and evidence.endswith("`")
        yield claim, evidence.strip("`") if is_code else evidence


@pytest.mark.parametrize("heading", _HEADINGS)
def test_each_documented_example_has_its_label(heading: str) -> None:
    found = {(claim, evidence): check_claim(claim, [evidence]).label for claim, evidence in examples(heading)}
    assert len(found) == _EXAMPLES
    assert {pair for pair, label in found.items() if label is not _HEADINGS[heading]} == set()
