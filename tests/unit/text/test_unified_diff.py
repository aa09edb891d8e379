"""Differences as git writes them, and such as it would not write."""

import pytest

from sparring.schema.changes import Hunk
from sparring.text.unified_diff import DiffError, FileDiff, read_diff
from support.texts import texts

TEXTS = texts("prose")

NAMED = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"


def one(text: str) -> FileDiff:
    (found,) = read_diff(text)
    return found


@pytest.mark.parametrize(
    ("hunk", "read"),
    [
        ("@@ -1 +1 @@\n-a\n+b\n", Hunk(first=1, lines=("-a", "+b"))),
        ("@@ -5,2 +4,0 @@ def f():\n-a\n-b\n", Hunk(first=5, lines=("-a", "-b"))),
        ("@@ -3,0 +4 @@\n+a\n", Hunk(first=4, lines=("+a",))),
        ("@@ -1 +0,0 @@\n-a\n", Hunk(first=1, lines=("-a",))),
        ("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n", Hunk(first=1, lines=(" a", "-b", "+b"))),
        ("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", Hunk(first=1, lines=("-a", "+a"))),
        ("@@ -1,2 +1 @@\n--- a/x\n-@@ -1 +1 @@\n+diff --git a/x b/x\n", None),
        ("@@ -1 +1 @@\n-a\fb\u2028c\n+a\x85b\rc\n", Hunk(first=1, lines=("-a\fb\u2028c", "+a\x85b\rc"))),
    ],
)
def test_a_hunk_has_as_many_lines_as_it_says_and_their_numbers(hunk: str, read: Hunk | None) -> None:
    wanted = read or Hunk(first=1, lines=("--- a/x", "-@@ -1 +1 @@", "+diff --git a/x b/x"))
    assert one(NAMED + hunk).hunks == (wanted,)


@pytest.mark.parametrize(
    ("header", "read"),
    [
        ("diff --git a/a b/a\nold mode 100644\nnew mode 100755\n", FileDiff("a", "a")),
        ("diff --git a/a b c b/a b c\nold mode 100644\nnew mode 100755\n", FileDiff("a b c", "a b c")),
        ("diff --git a/a b/a\nnew file mode 100644\nindex 0..1\n", FileDiff("a", None)),
        ("diff --git a/a b/a\ndeleted file mode 100644\nindex 1..0\n", FileDiff("a", "a", is_deleted=True)),
        ("diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n", FileDiff("b", "a")),
        ("diff --git a/a b/b\nsimilarity index 90%\ncopy from a\ncopy to b\n", FileDiff("b", "a")),
        ("diff --git a/x b/x\nBinary files a/x and b/x differ\n", FileDiff("x", "x", is_binary=True)),
        ('diff --git "a/\\303\\251\\t\\"q" "b/\\303\\251\\t\\"q"\nold mode 1\n', FileDiff('é\t"q', 'é\t"q')),
        ('diff --git a/x "b/\\377"\nsimilarity index 1%\nrename from x\nrename to "\\377"\n', FileDiff("\ufffd", "x")),
    ],
)
def test_a_file_without_hunks_is_known_by_its_header(header: str, read: FileDiff) -> None:
    assert one(header) == read


def test_files_follow_each_other_with_spaces_and_quotes_in_their_names() -> None:
    text = (
        "diff --git a/a b.py b/a b.py\n--- a/a b.py\t\n+++ b/a b.py\t\n@@ -1 +1 @@\n-x\n+y\n"
        'diff --git "a/\\n" "b/\\n"\nnew file mode 100644\n--- /dev/null\n+++ "b/\\n"\n@@ -0,0 +1 @@\n+x\n'
        "diff --git a/c b/c\ndeleted file mode 100644\n--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    assert [(each.path, each.was, each.is_deleted) for each in read_diff(text)] == [
        ("a b.py", "a b.py", False),
        ("\n", None, False),
        ("c", "c", True),
    ]


@pytest.mark.parametrize("text", TEXTS["what-git-would-not-write-is-refused-in-one-line"])
def test_what_git_would_not_write_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(DiffError, match=r"^[^\n]+\.$"):
        read_diff(text)
    assert read_diff("") == ()
