"""What a row of a table says, by whatever columns; its key; and which tables are refused."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from sparring.batch.checks import FIELDS
from sparring.batch.job import Job, rows_in
from sparring.batch.rows import BatchRow, Columns, harmless, key_maker, normalised
from sparring.errors import UsageError


def read(folder: Path, text: str, named: Sequence[str] = (), name: str = "pairs.csv") -> list[BatchRow]:
    (folder / name).write_text(text, encoding="utf-8")
    job = Job("jury", [name], "", columns=named)
    return [row for block in rows_in(job, Columns(FIELDS, named), folder) for row in block]


def test_columns_are_found_by_their_usual_names_and_several_sentences_are_one_truth(tmp_path: Path) -> None:
    assert read(tmp_path, "ID,Claim,Truth,dataset,label\n7,under 5,over 5,nova,MUTATED\n") == [
        BatchRow(1, "pairs.csv", 2, "7", "nova", "MUTATED", {"claim": "under 5", "truth": "over 5"})
    ]
    line = '{"id": 3, "claim": "a", "evidence": ["One.", "Two."], "label": true}\n'
    (row,) = read(tmp_path, line, name="pairs.jsonl")
    assert (row.row_id, row.texts["truth"], row.gold) == ("3", "One.\nTwo.", "true")


def test_a_column_may_have_any_name_that_the_option_maps(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "Headline;headline;source\nunder 5;-;over 5\n", ("claim=Headline", "truth = source"))
    assert (row.texts, row.row_id) == ({"claim": "under 5", "truth": "over 5"}, "")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        *((f'{{"claim": "a", "truth": {truth}}}', "its truth is not a text") for truth in ("Infinity", '["b", 1]')),
        *((f'{{"claim": {claim}, "truth": "b"}}', "its claim is not a text") for claim in ("true", '"\\ud800"')),
        ('{"claim": "a", "truth": "b", "id": {}}', "its row_id is not a text"),
        ('{"claim": " ", "truth": "b"}', "it has no claim"),
        *((line, "it has no truth") for line in ('{"claim": "a", "truth": NaN}', '{"claim": "a"}')),
        ("nonsense", "it is not JSON"),
    ],
)
def test_a_row_that_cannot_be_judged_says_why_and_the_others_stay(tmp_path: Path, line: str, problem: str) -> None:
    bad, good = read(tmp_path, line + '\n{"claim": "a", "truth": "b"}\n', name="pairs.jsonl")
    assert problem in bad.problem
    assert (bad.texts, good.problem) == ({}, "")


ROW = "claim,truth\na,b\n"


@pytest.mark.parametrize(
    ("text", "named", "reason"),
    [
        ("claim,fact\na,b\n", (), r"no column truth or evidence for the truth; it has claim, fact\."),
        (ROW, ("row_id=number",), "no column number for the row_id"),
        *((ROW, (spelling,), "FIELD=COLUMN") for spelling in ("claim", "claim=", "headline=claim", "=x")),
        (ROW, ("claim=a", "claim=b"), "Two columns are named for claim"),
        ("", (), "has no row"),
    ],
)
def test_a_table_without_its_columns_is_refused(tmp_path: Path, text: str, named: tuple[str, ...], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        read(tmp_path, text, named)


SAID = BatchRow(1, "t.csv", 2, "a", "one", "MUTATED", {"claim": "a", "truth": "bc"})
ANYWHERE = replace(SAID, number=9, source="u.csv", line=7, row_id="b", dataset="two", gold="")


def test_rows_with_the_same_texts_have_one_key() -> None:
    key, said = key_maker("jury", b"123456"), key_maker("jury", b"123456")(SAID)
    assert key(ANYWHERE) == said
    for claim, truth in (("ab", "c"), ("bc", "a")):
        assert key(replace(SAID, texts={"claim": claim, "truth": truth})) != said
    assert (len(said), said[10:]) == (16, b"123456")
    assert key_maker("fact-check", b"123456")(SAID) != said
    assert key_maker("jury", b"654321")(SAID)[:10] == said[:10]


def test_secrets_in_names_of_rows_are_redacted() -> None:
    rows = [SAID, replace(SAID, row_id="s3cret-1", dataset="of s3cret", gold="s3cret")]
    clean, told = harmless(rows, lambda text: text.replace("s3cret", "[REDACTED]"))
    assert clean == SAID
    assert (told.row_id, told.dataset, told.gold) == ("[REDACTED]-1", "of [REDACTED]", "[REDACTED]")


def test_equivalent_text_is_normalised_alike() -> None:
    written = (" Tea \n", "a\r\nb\rc", "Cafe\u0301", "Caf\u00e9\r\n-")
    assert [*map(normalised, written)] == ["Tea", "a\nb\nc", "Caf\u00e9", "Caf\u00e9\n-"]
