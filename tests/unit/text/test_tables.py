import pytest

from sparring.text.tables import Row, TableError, read_csv, read_json_lines


def test_a_row_has_its_cells_by_column_and_the_line_that_it_begins_in() -> None:
    rows = read_csv(b"id,claim\n1,yes\n\n2,no\n")
    assert rows == (Row(1, 2, {"id": "1", "claim": "yes"}), Row(2, 4, {"id": "2", "claim": "no"}))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_header_tells_what_separates(separator: str) -> None:
    (row,) = read_csv(f"id{separator}claim{separator}truth\n1{separator}a b{separator}c\n".encode())
    assert row.cells == {"id": "1", "claim": "a b", "truth": "c"}


def test_a_cell_in_quotation_marks_may_hold_lines_and_separators() -> None:
    first, second = read_csv(b'claim,truth\r\n"one, two\r\nthree","say ""four"""\r\nx,y\r\n')
    assert first.cells == {"claim": "one, two\r\nthree", "truth": 'say "four"'}
    assert (second.number, second.line) == (2, 4)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_spreadsheets_write_is_read(encoding: str) -> None:
    (row,) = read_csv("claim\nDưới 650.000 ca\n".encode(encoding))
    assert row.cells == {"claim": "Dưới 650.000 ca"}


def test_bytes_of_another_encoding_spoil_their_row_alone() -> None:
    good, bad, last = read_csv(b"claim\ngood\n" + "café\n".encode("latin-1") + b"last\n")
    assert (good.problem, bad.problem, last.problem) == ("", "it is not UTF-8 text", "")


def test_more_cells_than_columns_spoil_a_row_and_fewer_do_not() -> None:
    long, short = read_csv(b"a,b\n1,2,3\n1\n")
    assert long.problem == "it has 3 cells, the header has 2"
    assert (short.problem, short.cells) == ("", {"a": "1"})


def test_a_quotation_mark_that_is_never_closed_is_told_with_its_line() -> None:
    good, bad = read_csv(b'a,b\n1,2\n"3,4\n5,6\n')
    assert good.cells == {"a": "1", "b": "2"}
    assert (bad.line, bad.problem) == (3, "a quotation mark that opens here is never closed")


def test_a_quotation_mark_in_the_middle_spoils_its_row_alone() -> None:
    bad, good = read_csv(b'a,b\n"1"x,2\n3,4\n')
    assert "ends in the middle" in bad.problem
    assert good.cells == {"a": "3", "b": "4"}


def test_a_cell_may_be_longer_than_the_csv_module_expects() -> None:
    (row,) = read_csv(b"a\n" + b"x" * 200_000 + b"\n")
    assert row.cells == {"a": "x" * 200_000}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        *((content, "empty") for content in (b"", b"\n \n", b"\xef\xbb\xbf")),
        (b"claim,id,claim\n", "'claim' twice"),
        (b"\xff\xfea", "UTF-16"),
    ],
)
def test_what_is_no_table_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(TableError, match=reason):
        read_csv(content)


def test_a_json_line_is_a_row_and_keeps_its_values() -> None:
    rows = read_json_lines('{"id": 1, "evidence": ["a\u2028b"]}\n\n{"id": 2}'.encode())
    assert rows == (Row(1, 1, {"id": 1, "evidence": ["a\u2028b"]}), Row(2, 3, {"id": 2}))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{", "it is not JSON"),
        (b"[1]", "it is not a JSON object"),
        (b'{"a": "\xff"}', "it is not UTF-8 text"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 5_000, "too large a number"),
    ],
)
def test_a_line_that_is_no_object_spoils_itself_alone(line: bytes, problem: str) -> None:
    bad, good = read_json_lines(line + b'\n{"id": 1}\n')
    assert problem in bad.problem
    assert good.cells == {"id": 1}
