from pathlib import Path

import pytest

from sparring.app.pairs import read_pairs
from sparring.errors import UsageError


def _table(folder: Path, text: str | bytes, name: str = "pairs.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_columns_are_found_by_their_usual_names(tmp_path: Path) -> None:
    (pair,) = read_pairs(_table(tmp_path, "ID,Claim,Truth,dataset\n7,under 5,over 5,nova\n"), ())
    assert (pair.row_id, pair.claim, pair.truth, pair.dataset) == ("7", "under 5", "over 5", "nova")


def test_a_column_may_have_any_name_that_is_told(tmp_path: Path) -> None:
    path = _table(tmp_path, "headline;source\nunder 5;over 5\n")
    (pair,) = read_pairs(path, ("claim=Headline", "truth = source"))
    assert (pair.claim, pair.truth, pair.row_id) == ("under 5", "over 5", None)


def test_several_sentences_of_evidence_are_one_truth(tmp_path: Path) -> None:
    line = '{"id": 3, "claim": "a", "evidence": ["One.", "Two."], "label": null}\n'
    (pair,) = read_pairs(_table(tmp_path, line, "pairs.jsonl"), ())
    assert (pair.row_id, pair.truth) == ("3", "One.\nTwo.")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"claim": "a", "truth": {"b": 1}}', "its truth is no text"),
        ('{"claim": "a", "truth": ["b", 1]}', "its truth is no text"),
        ('{"claim": true, "truth": "b"}', "its claim is no text"),
        ('{"claim": "\\ud800", "truth": "b"}', "its claim is no text"),
        ('{"claim": " ", "truth": "b"}', "it has no claim"),
        ('{"claim": "a", "truth": null}', "it has no truth"),
        ("nonsense", "it is not JSON"),
    ],
)
def test_a_row_that_cannot_be_judged_says_why_and_the_others_stay(tmp_path: Path, line: str, problem: str) -> None:
    bad, good = read_pairs(_table(tmp_path, line + '\n{"claim": "a", "truth": "b"}\n', "pairs.jsonl"), ())
    assert problem in bad.problem
    assert (bad.claim, bad.truth) == ("", "")
    assert good.problem == ""


def test_the_same_id_in_another_data_set_is_another_row(tmp_path: Path) -> None:
    path = _table(tmp_path, "id,dataset,claim,truth\n7,one,a,b\n7,two,a,b\n")
    assert [pair.dataset for pair in read_pairs(path, ())] == ["one", "two"]


ROW = "claim,truth\na,b\n"


@pytest.mark.parametrize(
    ("text", "mapping", "reason"),
    [
        ("claim,fact\na,b\n", (), r"no column truth or evidence for the truth; it has claim, fact\."),
        (ROW, ("row_id=number",), "no column number for the row_id"),
        ("id,claim,truth\n7,a,b\n8,a,b\n7,c,d\n", (), "'7' in lines 2, 4"),
        *((ROW, (spelling,), "FIELD=COLUMN") for spelling in ("claim", "claim=", "headline=claim", "=x")),
        (ROW, ("claim=a", "claim=b"), "Two columns are named for claim"),
        ("", (), "the file is empty"),
    ],
)
def test_a_table_without_its_columns_is_refused(
    tmp_path: Path, text: str, mapping: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        read_pairs(_table(tmp_path, text), mapping)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("pairs.xlsx", r"ends with \.csv"), ("pairs", r"ends with \.csv"), ("none.csv", "No such file")],
)
def test_a_file_of_another_kind_or_none_is_refused(tmp_path: Path, name: str, reason: str) -> None:
    _table(tmp_path, "x", "pairs.xlsx")
    _table(tmp_path, "x", "pairs")
    with pytest.raises(UsageError, match=reason):
        read_pairs(tmp_path / name, ())
