import stat
from pathlib import Path

import pytest

from sparring.errors import SparringError, UsageError
from sparring.store.tables import find_table, keep_table, read_table, tables_folder
from support.judged_tables import result, table

ID = "fact-check-table-20260301T120000Z-{}"
ROWS = table(result(1, "NEI", "NEI", gold="REFUTED", claim="U+2028: \u2028."), result(2, None))

LINE = f"{ROWS.rows[0].model_dump_json()}\n".encode()


def test_what_is_kept_of_a_table_is_read_back_and_is_the_users_alone(tmp_path: Path) -> None:
    page = keep_table(tmp_path, ID.format("ab12"), ROWS, "<p>")
    found = find_table("ab12", tmp_path)
    assert found
    assert found == find_table(ID.format("ab12"), tmp_path) == page.with_suffix(".jsonl")
    assert read_table(found).rows == ROWS.rows
    assert [stat.S_IMODE(file.stat().st_mode) for file in (page, found)] == [0o600, 0o600]
    assert "*" in (tmp_path / "fact-check" / ".gitignore").read_text().splitlines()


def test_a_table_is_found_by_what_tells_it_from_others(tmp_path: Path) -> None:
    for end in ("ab12", "ab34"):
        keep_table(tmp_path, ID.format(end), ROWS, "")

    assert [find_table(name, tmp_path) for name in ("none", "fact-check", "2026")] == [None] * 3
    with pytest.raises(UsageError, match="2 tables begin or end with 'fact-check-table'"):
        find_table("fact-check-table", tmp_path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "holds no results"),
        (b'{"claim": "a"}\n', "holds no results"),
        (b"\xff\n", "holds no results"),
        (LINE + b"{}\n", "Line 2 of .* is no result"),
        (LINE.replace(b'"row":1,', b'"row":%d,' % 10**400), "holds no results"),
        (LINE + LINE.replace(b'"cost_usd":0.0', b'"cost_usd":1e308'), "Line 2 of .* is no result"),
    ],
)
def test_what_is_no_result_is_refused_by_its_line(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)

    with pytest.raises(UsageError, match=why):
        read_table(tmp_path / "a.jsonl")


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    for folder in ("fact-check", "elsewhere"):
        (tmp_path / folder).mkdir()
    tables_folder(tmp_path, "fact-check").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(SparringError, match="symbolic link"):
        keep_table(tmp_path, ID.format("ab12"), ROWS, "")
    assert list((tmp_path / "elsewhere").iterdir()) == []
