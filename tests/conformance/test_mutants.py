"""The planted bugs of ``tools/mutants`` can be planted, and each breaks a promise that users can read."""

import re
from pathlib import Path

from mutants.run import ROOT, bugs, place_of, promises

MOST = 150


def plain(page: Path) -> str:
    """The text of a page without Markdown's marks, on one line."""
    text = re.sub(r"\]\([^)]*\)|[*`\[]", "", page.read_text(encoding="utf-8"))
    return " ".join(text.split()).casefold()


def test_every_planted_bug_finds_its_place() -> None:
    for bug in bugs():
        place_of(bug, ROOT)
        assert bug.old != bug.new, bug.name
        assert bug.why, bug.name


def test_every_planted_bug_breaks_a_promise_and_every_promise_is_broken() -> None:
    assert {bug.promise for bug in bugs()} == set(promises())
    assert len(bugs()) <= MOST


def test_every_promise_stands_on_the_page_that_is_named() -> None:
    for key, (page, words) in promises().items():
        assert words.casefold() in plain(ROOT / page), f"{key}: {page} does not say {words!r}"
