import io
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import JsonValue

from sparring.batch.addresses import optional
from sparring.batch.parquet import ParquetTable
from sparring.text.tables import Row

ARROW = optional("pyarrow", "data")
PARQUET = optional("pyarrow.parquet", "data")
NOON = datetime(2026, 1, 2, 12, 30, 15, 250, tzinfo=UTC)


def written(columns: Mapping[str, Any], **how: Any) -> ParquetTable:
    content = io.BytesIO()
    PARQUET.write_table(ARROW.table(columns), content, **how)
    return ParquetTable(io.BytesIO(content.getvalue()))


@pytest.mark.parametrize(
    ("cell", "kind", "found"),
    [
        ("bản", ARROW.string(), "bản"),
        ("bản", ARROW.large_string(), "bản"),
        ("x", ARROW.dictionary(ARROW.int8(), ARROW.string()), "x"),
        (2**63 - 1, ARROW.int64(), 2**63 - 1),
        (True, ARROW.bool_(), True),
        (None, ARROW.null(), None),
        (0.5, ARROW.float16(), 0.5),
        (0.5, ARROW.float64(), 0.5),
        (float("nan"), ARROW.float64(), None),
        (Decimal("12.50"), ARROW.decimal128(9, 2), "12.50"),
        (date(2026, 1, 2), ARROW.date32(), "2026-01-02"),
        (time(1, 2, 3), ARROW.time64("us"), "01:02:03"),
        (NOON, ARROW.timestamp("us", "UTC"), "2026-01-02T12:30:15.000250+00:00"),
        (NOON.replace(tzinfo=None), ARROW.timestamp("ns"), "2026-01-02T12:30:15.000250"),
        (timedelta(days=1, seconds=2), ARROW.duration("s"), "1 day, 0:00:02"),
        (["a", None], ARROW.list_(ARROW.string()), ["a", None]),
        ({"a": [date(2026, 1, 2)]}, ARROW.struct([("a", ARROW.list_(ARROW.date32()))]), {"a": ["2026-01-02"]}),
        ([("a", 1)], ARROW.map_(ARROW.string(), ARROW.int8()), [["a", 1]]),
    ],
)
def test_a_cell_of_any_type_is_what_json_has_for_it(cell: object, kind: Any, found: JsonValue) -> None:
    (row, empty) = written({"a": ARROW.array([cell, None], kind)}).rows()
    assert (row, empty.cells) == (Row(1, 1, {"a": found}), {"a": None})


NO_UTF_8 = ARROW.Array.from_buffers(
    ARROW.string(), 2, [None, ARROW.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), ARROW.py_buffer(b"\xffx")]
)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (ARROW.array([b"\xff", None], ARROW.binary()), "its a contains bytes, not text"),
        (ARROW.array([[b"x"], ["x"]], ARROW.list_(ARROW.binary())), "its a contains bytes, not text"),
        (ARROW.array([float("inf"), 1.0]), "its a is infinite"),
        (ARROW.array(["x" * (17 << 20), "x"]), "its a is longer than 16 MiB"),
        (ARROW.array([1 << 60, 0], ARROW.timestamp("us")), "its a cannot be read as a value"),
        (NO_UTF_8, "its a cannot be read as a value"),
    ],
)
def test_a_value_that_json_has_not_spoils_its_row_alone(cells: Any, told: str) -> None:
    first, second = written({"a": cells, "b": ["y", "z"]}).rows()
    assert (first.problem, first.cells) == (told, {"a": None, "b": "y"})
    assert second.cells["b"] == "z"
    assert second.problem == (told if cells.type == ARROW.list_(ARROW.binary()) else "")


def test_only_what_is_needed_is_read() -> None:
    table = written({" Claim": ["x"], "id": [1], "page": [b"\xff"]})
    assert (table.columns, table.count) == ((" Claim", "id", "page"), 1)
    assert list(table.rows(["claim", "ID", "no such"])) == [Row(1, 1, {" Claim": "x", "id": 1})]
    assert [row.problem for row in table.rows(["no such"])] == ["its page contains bytes, not text"]


def test_rows_of_many_bytes_are_read_few_at_a_time() -> None:
    cells = {"a": ARROW.array(["x" * (1 << 20)] * 40)}
    table = written(cells, use_dictionary=False, write_batch_size=1, compression="none")
    before = ARROW.default_memory_pool()
    pool = ARROW.proxy_memory_pool(before)
    ARROW.set_memory_pool(pool)
    try:
        assert sum(len(str(row.cells["a"])) for row in table.rows()) == 40 << 20
    finally:
        ARROW.set_memory_pool(before)
    assert pool.max_memory() < 36 << 20
