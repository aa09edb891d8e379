"""Tables that others have written, as they are read: the rows, or why one of them or the whole is refused."""

import io
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import pytest

from sparring.text.tables import LONGEST_ROW, Row, TableError, csv_rows, json_rows
from support.golden import Golden

CSV = (
    b"id,claim\n1,yes\n\n2,no\n",
    *(f"id{separator}claim{separator}truth\n1{separator}a b{separator}c\n".encode() for separator in ",;\t|"),
    b'claim,truth\r\n"one, two\r\nthree","say ""four"""\r\nx,y\r\n',
    *("claim\nDưới 650.000 ca\n".encode(encoding) for encoding in ("utf-8", "utf-8-sig")),
    b"\xff\xfe" + "claim\nDưới 650.000 ca\n".encode("utf-16-le"),
    # What spoils a row spoils it alone.
    b"claim\ngood\n" + "café\n".encode("latin-1") + b"last\n",
    b"a,b\n1,2,3\n1\n",
    b'a,b\n1,2\n"3,4\n5,6\n',
    b'a,b\n"1"x,2\n3,4\n',
    b"a\n" + b"x" * 200_000 + b"\n",  # longer than the csv module expects
    # What was swallowed by a quotation mark is read again; what may be the rest of a broken row is none.
    b'a,b\n"x,1\n"two\nlines",2\n3,4\n',
    b'a,b\n"one\ntwo"x,3,4\n5\n6,7\n',
    b'a,b\n1,2\n3,"\n\n"4',
    # Each of these lines opens one and closes none, so that in the end each is a row of its own.
    b"a,b\n" + b'",a","\n' * 8 + b'1,"x\ny"\n',
    b"\xff\xfe" + "a\n1\n".encode("utf-16-le") + b"\x00\xd8\x0a\x00" + "2\n".encode("utf-16-le") + b"x",
    # What is no table is refused.
    *(b"", b"\n \n", b"\xef\xbb\xbf", b"claim,id,claim\n", b"\xff\xfea"),
)
JSON_LINES = (
    '{"id": 1, "evidence": ["a\u2028b"]}\n\n{"id": 2}'.encode(),
    *(line + b'\n{"id": 1}\n' for line in (b"{", b"[1]", b'{"a": "\xff"}', b"[" * 100_000, b"9" * 5_000)),
)


@pytest.mark.parametrize(
    ("rows", "contents", "name"), [(csv_rows, CSV, "read_csv"), (json_rows, JSON_LINES, "read_json_lines")]
)
def test_tables_are_read_as_in_their_golden_file(
    rows: Callable[[BinaryIO], Iterator[Row]], contents: Sequence[bytes], name: str, golden: Golden
) -> None:
    lines: list[str] = []
    for content in contents:
        lines.append(f"== {content[:60]!r} ({len(content)})")
        try:
            for row in rows(io.BytesIO(content)):
                cells = ascii(row.cells)
                shown = cells if len(cells) < 200 else f"{cells[:40]} ({len(cells)})"
                lines.append(f"{row.number} in line {row.line}: {shown} {row.problem}".rstrip())
        except TableError as refused:
            lines.append(f"refused: {refused}")
    golden.holds(f"read/{name}.txt", "\n".join(lines) + "\n")


HUGE = b"x" * (LONGEST_ROW + 2)
LONG, OPEN = "it is longer than 16 MiB", "a quotation mark that opens here is never closed"


@pytest.mark.parametrize(
    ("rows", "content", "found"),
    [
        (json_rows, b'{"a": 1}\n' + HUGE + b'\n{"a": 1}\n', [(1, ""), (2, LONG), (3, "")]),
        (json_rows, HUGE, [(1, LONG)]),
        (csv_rows, b"a\n1\n" + HUGE + b"\n2\n", [(2, ""), (3, LONG), (4, "")]),
        (csv_rows, b'a\n"1\n' + HUGE + b"\n2\n", [(2, OPEN), (3, LONG), (4, "")]),
        # Not the end of the file ends what is never closed, but the most that a row may be.
        (csv_rows, b'a\n"1\n' + b"2222222\n" * 3 + HUGE[9:] + b"\n3\n", [(2, OPEN), *((n, "") for n in range(3, 8))]),
    ],
)
def test_a_row_that_is_too_long_is_a_bad_one_and_the_next_line_is_another(
    rows: Callable[[BinaryIO], Iterator[Row]], content: bytes, found: list[tuple[int, str]]
) -> None:
    assert [(row.line, row.problem) for row in rows(io.BytesIO(content))] == found
    with pytest.raises(TableError, match=f"line 1 is not a header: {LONG}"):
        next(csv_rows(io.BytesIO(HUGE)))
