"""What of a change is shown: without secrets, without what was seen, in parts, and as much as there is room for."""

import pytest

from sparring.participants.change import LONGEST_LINE, Selection, notices, selected
from sparring.participants.seats import PART_BYTES, ChangeQuery
from sparring.schema.changes import ExcludedFile, ExclusionReason, FileChange, Hunk, ReviewedFile
from sparring.text.redaction import Redactor

KEY = ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7", "o4qne60TB3wolzWoVLmyB1pUBwoLGFWLmVtNvQ==")
TOKEN = f"ghp_{'0123456789abcdefABCDEF' * 2}"[:40]
ROOM = 256


def file(path: str, *hunks: str, change: FileChange = FileChange.MODIFIED) -> ReviewedFile:
    made = tuple(
        Hunk(first=10 * place + 1, old_first=10 * place + 1, lines=tuple(text.split("\n")))
        for place, text in enumerate(hunks)
    )
    return ReviewedFile(path=path, change=change, hunks=made)


def chosen(*files: ReviewedFile, room: int = ROOM, seen: frozenset[str] = frozenset()) -> Selection:
    return selected(files, (), Redactor(["known-value-77"]), ChangeQuery(limit_kib=room, terms="t", seen=seen))


def why(found: Selection) -> dict[str, ExclusionReason]:
    return {each.path: each.reason for each in found.left_out}


def test_a_change_is_redacted_before_anything_is_stored() -> None:
    found = chosen(file("a.py", f' a\n+token = "{TOKEN}"\n-x = "known-value-77"'), file("b.py", "+1"))
    assert (found.redactions, TOKEN in repr(found), "known-value-77" in repr(found)) == (2, False, False)
    assert [len(each.hunks[0].lines) for each in found.files] == [3, 1]
    above = Hunk(first=9, lines=("+1",), above=(f'def f(token="{TOKEN}"):',))
    assert TOKEN not in repr(chosen(ReviewedFile(path="c.py", change=FileChange.MODIFIED, hunks=(above,))))


HIDING = (
    '+password="hunter2secret9;rm"',
    "+url = 'https://u:p4ss(evil())w0rd@host/'",
    '+api_key: "x9f8a7b6c5d4e3f2;curl$IFS`evil`a1b2c3"',
)


@pytest.mark.parametrize("line", HIDING)
def test_redacted_text_that_may_hide_code_makes_a_review_incomplete(line: str) -> None:
    kept = line.replace("+", " ", 1)
    found = chosen(file("a.js", line), file("b.py", f'+token = "{TOKEN}"'), file("c.js", f"{kept}\n+1"))
    assert why(found) == {"a.js": ExclusionReason.REDACTED}
    assert [each.path for each in found.files] == ["a.js", "b.py", "c.js"]


END = "-----END PRIVATE KEY-----"
CUT_OFF = (
    "+-----BEGIN PRIVATE KEY-----\n+{}\n+{}\n+" + END,
    " {}\n {}\n " + END,
    f'     "{{}}"\n     "{{}}"\n     "{END}"',
)


@pytest.mark.parametrize("lines", CUT_OFF)
def test_a_file_with_a_secret_of_several_lines_is_not_shown(lines: str) -> None:
    secret = file("a.py", f"{lines.format(*KEY)}\n+x")
    found = chosen(secret, file("known-value-77.py", "+1"), file("c.py", f'+e = "{END}"'))
    assert why(found) == {"a.py": ExclusionReason.SECRET, "[REDACTED:known-value].py": ExclusionReason.SECRET}
    assert [each.path for each in found.files] == ["c.py"]


def test_reviewed_lines_are_not_shown_again_but_equal_lines_elsewhere_are() -> None:
    first = chosen(file("a.py", " x\n+1", "+2"), file("b.py", f"+{TOKEN}"), file("c.py", "+3"))
    found = chosen(file("a.py", "+new\n x\n+1", "+2"), file("b.py", f"+{TOKEN}"), file("d.py", "+3"), seen=seen(first))
    shown = [(each.path, [hunk.lines for hunk in each.hunks]) for each in found.files]
    assert shown == [("a.py", [("+new", " x", "+1")]), ("d.py", [("+3",)])]
    assert (why(found), len(found.identities)) == ({"a.py": ExclusionReason.SEEN, "b.py": ExclusionReason.SEEN}, 2)
    elsewhere = file("a.py", " y\n x", " x\n+1")
    assert len(chosen(elsewhere, seen=seen(chosen(file("a.py", " x\n+1")))).files[0].hunks) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"base": "b" * 40},
        {"old_path": "old.py", "change": FileChange.RENAMED},
        {"facts": ("mode 100644 → 100755",)},
        {"hunks": (Hunk(first=1, old_first=2, lines=("+1",)),)},
        {"hunks": (Hunk(first=1, old_first=1, lines=("+1",), above=("def is_admin(user):",)),)},
        {"hunks": (Hunk(first=1, old_first=1, lines=("-0", "+1")),)},
    ],
    ids=["content before", "name before", "mode", "place", "enclosing lines", "replaced text"],
)
def test_a_change_is_the_same_only_with_all_that_makes_it(other: dict[str, object]) -> None:
    before = file("a.py", "+1")
    known = seen(chosen(before))
    assert chosen(before, seen=known).files == ()
    assert len(chosen(before.model_copy(update=other), seen=known).files) == 1
    wish = ChangeQuery(terms="other reviewers", seen=known)
    assert len(selected((before,), (), Redactor(), wish).files) == 1


def seen(found: Selection) -> frozenset[str]:
    return frozenset(found.identities)


def test_without_room_for_all_tests_and_deletions_come_last() -> None:
    big = "\n".join(["+" + "x" * 99] * 20)
    sizes = {"docs/a.py": 1, "gone.py": 1, "huge.py": 9, "src/a.py": 1, "test_a.py": 1, "z.py": 1}
    files = [file(path, "\n".join([big] * size)) for path, size in sizes.items()] + [file("zz.py", "+1")]
    files[1] = file("gone.py", big, change=FileChange.DELETED)
    assert [each.path for each in chosen(*files).files] == [each.path for each in files]
    for room, paths in ((3, ["src/a.py", "zz.py"]), (7, ["docs/a.py", "src/a.py", "z.py", "zz.py"])):
        found = chosen(*files, room=room)
        assert [each.path for each in found.files] == paths
        assert why(found) == {each.path: ExclusionReason.NO_ROOM for each in files if each.path not in paths}
        assert len(found.identities) == len(paths)


def test_the_beginning_of_an_oversized_file_is_shown_last() -> None:
    hunks = ["\n".join(f"+{place} {number} {'x' * 90}" for number in range(100)) for place in range(40)]
    found = chosen(file("a.py", *hunks), file("b.py", "+1"), room=98)
    assert [(each.path, len(each.hunks)) for each in found.files] == [("a.py", 6), ("a.py", 3), ("b.py", 1)]
    assert why(found) == {"a.py": ExclusionReason.NO_ROOM}
    again = chosen(file("a.py", *hunks), room=98, seen=frozenset(found.identities))
    assert again.files[0].hunks[0].lines[0] == f"+9 0 {'x' * 90}"


def test_parts_are_small_enough_and_a_long_file_goes_over_several() -> None:
    lines = "\n".join(f"{'-' if number % 7 == 0 else '+'}{number} {'x' * 90}" for number in range(1, 1500))
    files = (file("a.py", "+1"), file("b.py", "+1", lines), file("c.py", "+1"))
    found = chosen(*files)
    assert [path for part in found.parts for path in {found.files[place].path for place in part}].count("b.py") >= 2
    assert sorted(place for part in found.parts for place in part) == list(range(len(found.files)))
    for part in found.parts:
        assert sum(len(line) + 8 for at in part for hunk in found.files[at].hunks for line in hunk.lines) <= PART_BYTES
    pieces = [hunk for each in found.files if each.path == "b.py" for hunk in each.hunks if hunk.lines != ("+1",)]
    assert [line for hunk in pieces for line in hunk.numbered] == list(files[1].hunks[1].numbered)
    seen = chosen(*files, seen=frozenset(found.identities))
    assert (seen.files, set(why(seen).values())) == ((), {ExclusionReason.SEEN})


def test_a_line_is_shown_whole_or_keeps_a_review_from_being_complete() -> None:
    begun = "+" + "x" * (LONGEST_LINE - 60)
    long, kept = "+" + "y" * 100_000, " " + "z" * 100_000
    files = (file("a.js", f"{begun} {TOKEN}"), file("b.js", long), file("c.js", f"{kept}\n+y"))
    found = chosen(*files)
    assert "ghp_" not in repr(found)
    assert found.files[1].hunks[0].lines[0].endswith("y… [80,001 more characters]")
    assert why(found) == {"b.js": ExclusionReason.LONG_LINE}
    assert notices(found) == ("[WARN] Not reviewed: 1 file with a line of more than 20,000 characters (b.js).",)
    other = chosen(file("b.js", "+" + "y" * 99_999 + "z"), seen=seen(found))
    assert len(other.files) == 1


def test_a_file_without_lines_is_shown_with_its_changed_attributes() -> None:
    empty = ReviewedFile(path="a.py", change=FileChange.ADDED, facts=("empty",))
    found = chosen(empty, file("b.py", "+1"))
    assert (found.files[0], found.parts, len(found.identities)) == (empty, ((0, 1),), 2)
    assert chosen(empty, seen=seen(found)).files == ()


def test_omissions_are_reported_in_two_lines_however_many_they_are() -> None:
    many = [
        ExcludedFile(path=f"{why}/{number}\x1b[31m{'x' * 500}", reason=why)
        for number in range(20)
        for why in ExclusionReason
    ]
    told = notices(selected([file("a.py", "+1")], many, Redactor(), ChangeQuery()))
    assert len(told) == 2
    assert all(line.isprintable() and len(line) < 9000 for line in told)
    assert told[0].startswith("Left out of the review: 20 generated files (generated/0xxx")
    assert told[1].startswith("[WARN] Not reviewed: 20 submodules (submodule/0xxx")
    one = selected(
        [file("a.py", "+1")], [ExcludedFile(path="x.lock", reason=ExclusionReason.GENERATED)], Redactor(), ChangeQuery()
    )
    assert notices(one) == ("Left out of the review: 1 generated file (x.lock).",)
