"""Tables that others have written, as they are read: the rows, or why one of them or the whole is refused."""

from collections.abc import Callable, Sequence

import pytest

from sparring.text.tables import Row, TableError, read_csv, read_json_lines
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
    # What is no table is refused.
    *(b"", b"\n \n", b"\xef\xbb\xbf", b"claim,id,claim\n", b"\xff\xfea"),
)
JSON_LINES = (
    '{"id": 1, "evidence": ["a\u2028b"]}\n\n{"id": 2}'.encode(),
    *(line + b'\n{"id": 1}\n' for line in (b"{", b"[1]", b'{"a": "\xff"}', b"[" * 100_000, b"9" * 5_000)),
)


def shown(row: Row) -> str:
    cells = ascii(row.cells)
    return cells if len(cells) < 200 else f"{cells[:40]} ({len(cells)})"


@pytest.mark.parametrize(("read", "contents"), [(read_csv, CSV), (read_json_lines, JSON_LINES)])
def test_a_table_is_read_as_it_was_approved(
    read: Callable[[bytes], Sequence[Row]], contents: Sequence[bytes], golden: Golden
) -> None:
    lines: list[str] = []
    for content in contents:
        lines.append(f"== {content[:60]!r} ({len(content)})")
        try:
            rows = read(content)
        except TableError as refused:
            lines.append(f"refused: {refused}")
            continue
        lines += [f"{row.number} in line {row.line}: {shown(row)} {row.problem}".rstrip() for row in rows]
    golden.holds(f"read/{read.__name__}.txt", "\n".join(lines) + "\n")
