"""Whatever stands in a table is read as it was written, and whatever a batch writes is read back as it was."""

import io
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from hypothesis import given
from hypothesis import strategies as st

from sparring.batch.shards import Shards, read_rows
from sparring.batch.tables import Shard, blocks
from sparring.schema.batch import Form
from sparring.text.tables import csv_rows, json_rows
from support.batches import Dripping, manifest, shard_row, spelled

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['"', '""', '","', "a\r\nb", "\r"]
)
ROWS = st.lists(
    st.fixed_dictionaries({"id": st.from_regex(r"[0-9]{1,4}", fullmatch=True), "claim": TEXT, "evidence": TEXT}),
    min_size=1,
    max_size=30,
)
Rows = Sequence[Mapping[str, str]]


@given(
    rows=ROWS,
    ending=st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet"]),
    size=st.integers(1, 12),
    machines=st.integers(1, 3),
)
def test_a_table_is_read_as_it_was_written_however_it_is_dealt_out(
    rows: Rows, ending: str, size: int, machines: int
) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / f"a{ending}").write_bytes(spelled(rows, ending))
        shards = [Shard(index, machines) for index in range(1, machines + 1)]
        dealt = [block for shard in shards for block in blocks([made], cwd=folder, rows=size, shard=shard)]
    dealt.sort(key=lambda block: block[0].number)
    assert [(row.number, row.cells) for block in dealt for row in block] == list(enumerate(rows, start=1))
    assert [len(block) for block in dealt][:-1] == [size] * (len(dealt) - 1)


BROKEN = st.lists(
    st.sampled_from(["a,b", "1", '"', '"x', 'x"', '""', ",", "\n", "\n", "\r", "é", "\ufeff"]), max_size=30
)


@given(pieces=BROKEN, size=st.integers(1, 9), encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_a_broken_table_is_read_alike_in_any_pieces(pieces: Sequence[str], size: int, encoding: str) -> None:
    content = ("a,b\n" + "".join(pieces)).encode(encoding)
    for rows in (csv_rows, json_rows):
        whole = tuple(rows(io.BytesIO(content)))
        assert tuple(rows(cast("BinaryIO", Dripping(content, size)))) == whole
        # Rows begin at lines of their own, in their order.
        lines = [row.line for row in whole]
        assert lines == sorted(set(lines))
        assert [row.number for row in whole] == list(range(1, len(whole) + 1))


WORDS = TEXT | st.none()
VOTE = st.fixed_dictionaries({"seat": TEXT, "tool": WORDS, "label": WORDS})
RESULT = {
    **dict.fromkeys(("id", "label"), WORDS),
    "problem": TEXT,
    "firmness": st.floats(0, 1) | st.none(),
    "votes": st.lists(VOTE),
    "quotes": st.just([]),
    "contested": st.lists(TEXT, max_size=3),
    "tokens": st.integers(0, 2**60),
    "kept": st.integers(0, 9) | st.none(),
}
RESULTS = st.lists(st.fixed_dictionaries({}, optional=RESULT), max_size=12)


@given(
    results=RESULTS, form=st.sampled_from(["jsonl", "parquet"]), size=st.integers(1, 15), per_shard=st.integers(1, 9)
)
def test_results_are_read_back_as_they_were_written(
    results: Sequence[Mapping[str, Any]], form: Form, size: int, per_shard: int
) -> None:
    rows = [{**shard_row(number), **result} for number, result in enumerate(results, start=1)]
    with tempfile.TemporaryDirectory() as made:
        with Shards(made, form=form, rows_per_shard=per_shard) as shards:
            for begin in range(0, len(rows), size):
                shards.add(rows[begin : begin + size])
            told = shards.close(manifest())
        assert list(read_rows(made)) == rows
    assert sum(each.rows for each in told.outputs) == len(rows)
    assert [each.rows for each in told.outputs][:-1] == [per_shard] * (len(told.outputs) - 1)
