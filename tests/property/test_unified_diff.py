"""Whatever is edited, the lines of a hunk stand in the new file where it says, and nothing else has changed."""

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.schema.changes import LineMark
from sparring.text.source_lines import file_lines, shown_line
from sparring.text.unified_diff import read_diff

pytestmark = pytest.mark.process

WORDS = [
    "",
    " ",
    *"abcdefgh",
    *[
        "-- a",
        "++ b",
        "@@ -1 +1 @@",
        "diff --git a/a b/a",
        "\\ No newline",
        "a\x0cb",
        "a\u2028b",
        "a\x85b",
        "é",
        "a\0b",
        "a\x1bb",
        "a\rb",
        "\udcff",
    ],
]
LINES = st.lists(st.sampled_from(WORDS), max_size=60)


def _git_diff(old: bytes, new: bytes, context: int) -> str:
    with tempfile.TemporaryDirectory() as made:
        for name, content in (("old", old), ("new", new)):
            (Path(made) / name).write_bytes(content)
        options = ("--no-index", "--no-color", "--text", f"-U{context}", "--inter-hunk-context=6")
        asked = ["git", "diff", *options, "old", "new"]
        return subprocess.run(asked, cwd=made, capture_output=True, check=False).stdout.decode(errors="surrogateescape")


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Lines, and the same after a few of them were replaced, taken out or put in."""
    old: list[str] = draw(LINES)
    new = old.copy()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 3))] = draw(st.lists(st.sampled_from(WORDS), max_size=3))
    return old, new


@settings(max_examples=settings().max_examples // 4)
@given(edits(), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "end"]), st.sampled_from([0, 1, 12]))
def test_the_new_file_can_be_made_of_the_old_one_and_the_hunks(
    edited: tuple[list[str], list[str]], end: str, last: str, context: int
) -> None:
    old, new = ([*lines, *([last] if last else [])] for lines in edited)
    before, after = (
        "".join(f"{line}{end}" for line in lines).removesuffix(end if last else "") for lines in (old, new)
    )
    contents = [text.encode(errors="surrogateescape") for text in (before, after)]
    found = read_diff(_git_diff(contents[0], contents[1], context))
    old, new = (list(map(shown_line, lines)) for lines in (old, new))
    made, at = list[str](), 0
    for hunk in found[0].hunks if found else ():
        untold = hunk.first - 1 - len(made)
        made += old[at : at + untold]
        at += untold
        assert hunk.old_first == at + any(line[0] != LineMark.ADDED for line in hunk.lines)
        for number, mark, text in hunk.numbered:
            assert number == len(made) + 1
            if mark != LineMark.REMOVED:
                made.append(text)
            if mark != LineMark.ADDED:
                assert old[at] == text
                at += 1
    assert made + old[at:] == new
    assert list(file_lines(contents[1])) == new
