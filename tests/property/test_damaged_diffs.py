"""Deleting or garbling a part of a difference hides no more than what it touches, and makes up nothing.

A file that the difference does not tell of any more is named by the listing that git was asked for before.
"""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from sparring.text.unified_diff import DiffError, FileDiff, read_diff

WHOLE = """\
diff --git a/auth.py b/auth.py
index 1..2 100644
--- a/auth.py
+++ b/auth.py
@@ -1,3 +1,4 @@ def is_public
 import os
+    return True
 \n\
-x
+y
@@ -30 +31,2 @@
 def is_admin(user):
+    return True
diff --git a/gone.py b/gone.py
deleted file mode 100644
index 1..0
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
--- a
-diff --git a/x b/x
diff --git "a/\\303\\234.md" "b/\\303\\234.md"
new file mode 100755
index 0..1
--- /dev/null
+++ "b/\\303\\234.md"
@@ -0,0 +1,2 @@
+++ b
+@@ -1 +1 @@
\\ No newline at end of file
diff --git a/old.py b/new.py
similarity index 90%
rename from old.py
rename to new.py
index 1..2
--- a/old.py
+++ b/new.py
@@ -7,2 +7,2 @@
-a
+b
 c
diff --git a/p.png b/p.png
index 1..2
Binary files a/p.png and b/p.png differ
diff --git a/mode.sh b/mode.sh
old mode 100644
new mode 100755
diff --git a/last.py b/last.py
index 1..2
--- a/last.py
+++ b/last.py
@@ -1 +1 @@
-a
+b
"""
PARTS = re.split(r"^(?=diff --git )", WHOLE, flags=re.MULTILINE)[1:]
FILES = read_diff(WHOLE)
STARTS = [sum(map(len, PARTS[:number])) for number in range(len(PARTS) + 1)]


def touched(start: int, end: int) -> set[int]:
    """The numbers of the parts that a damage from ``start`` to ``end`` touches or borders on."""
    return {number for number in range(len(PARTS)) if STARTS[number] <= end and start <= STARTS[number + 1]}


@given(
    st.integers(0, len(WHOLE)),
    st.integers(0, 200) | st.integers(0, len(WHOLE)),
    st.text(" +-@\\\n\ue000/", max_size=4),
)
@example(0, STARTS[1], "")
@example(STARTS[1] - 1, 1, "")
@example(WHOLE.index("@@ -30"), len("@@ -30"), "")
@example(WHOLE.index(",4 @@"), 2, "")
def test_a_damaged_diff_is_refused_or_keeps_its_intact_files(start: int, length: int, patch: str) -> None:
    end = min(start + length, len(WHOLE))
    try:
        found = read_diff(WHOLE[:start] + patch + WHOLE[end:])
    except DiffError:
        return
    damaged = touched(start, end)
    for number, file in enumerate(FILES):
        assert number in damaged or file in found
    intact = [file for number, file in enumerate(FILES) if number not in damaged]
    made_up = [file for file in found if file not in intact]
    assert len(made_up) <= max(len(damaged), 1)
    known = {line for number in damaged for line in _lines(FILES[number])}
    for file in made_up:
        assert all(_is_damaged(line, known, patch) for line in _lines(file))


def _lines(file: FileDiff) -> set[str]:
    return {line for hunk in file.hunks for line in hunk.lines}


def _is_damaged(line: str, known: set[str], patch: str) -> bool:
    """Return whether a line was there, or is one of the few that the damage has cut or put together."""
    return line in known or any(sign in line for sign in patch) or _is_joined(line)


def _is_joined(line: str) -> bool:
    """Return whether ``line`` is made of a beginning and an end that stand in the difference."""
    return any(line[:at] in WHOLE and line[at:] in WHOLE for at in range(len(line) + 1))
