"""Differences as git writes them, and such as it would not write."""

import pytest

from sparring.text.unified_diff import DiffError, FileDiff, read_diff
from support.texts import texts

TEXTS = texts("prose")

NAMED = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"


@pytest.mark.parametrize(("hunk", "first", "lines"), TEXTS["a-hunk-has-as-many-lines-as-it-says-and-their-numbers"])
def test_a_hunk_has_the_stated_number_of_lines_with_their_numbers(hunk: str, first: int, lines: list[str]) -> None:
    (found,) = read_diff(NAMED + hunk)
    assert [(each.first, list(each.lines)) for each in found.hunks] == [(first, lines)]


@pytest.mark.parametrize(("header", "path", "was", "how"), TEXTS["a-file-without-hunks-is-known-by-its-header"])
def test_a_file_without_hunks_is_known_by_its_header(header: str, path: str, was: str | None, how: str) -> None:
    assert read_diff(header) == (FileDiff(path, was, is_deleted=how == "is_deleted", is_binary=how == "is_binary"),)


@pytest.mark.parametrize(("text", "files"), TEXTS["files-follow-each-other-with-spaces-and-quotes-in-their-names"])
def test_files_follow_each_other_with_spaces_and_quotes_in_their_names(text: str, files: list[list[object]]) -> None:
    assert [[each.path, each.old_path, each.is_deleted] for each in read_diff(text)] == files


@pytest.mark.parametrize("text", TEXTS["what-git-would-not-write-is-refused-in-one-line"])
def test_a_diff_that_git_would_not_write_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(DiffError, match=r"^[^\n]+\.$"):
        read_diff(text)
    assert read_diff("") == ()
