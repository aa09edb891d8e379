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


def test_a_missing_column_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no column truth or evidence for the truth; it has claim, fact\."):
        read_pairs(_table(tmp_path, "claim,fact\na,b\n"), ())


def test_a_column_that_was_named_and_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no column number for the row_id"):
        read_pairs(_table(tmp_path, "claim,truth\na,b\n"), ("row_id=number",))


def test_rows_that_share_an_id_are_refused_with_their_lines(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'7' in lines 2, 4"):
        read_pairs(_table(tmp_path, "id,claim,truth\n7,a,b\n8,a,b\n7,c,d\n"), ())


def test_the_same_id_in_another_data_set_is_another_row(tmp_path: Path) -> None:
    path = _table(tmp_path, "id,dataset,claim,truth\n7,one,a,b\n7,two,a,b\n")

    assert [pair.dataset for pair in read_pairs(path, ())] == ["one", "two"]


@pytest.mark.parametrize("spelling", ["claim", "claim=", "headline=claim", "=x"])
def test_a_mapping_that_maps_nothing_is_refused(tmp_path: Path, spelling: str) -> None:
    with pytest.raises(UsageError, match="FIELD=COLUMN"):
        read_pairs(_table(tmp_path, "claim,truth\na,b\n"), (spelling,))


def test_two_columns_for_one_field_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Two columns are named for claim"):
        read_pairs(_table(tmp_path, "claim,truth\na,b\n"), ("claim=a", "claim=b"))


@pytest.mark.parametrize("name", ["pairs.xlsx", "pairs"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"ends with \.csv"):
        read_pairs(_table(tmp_path, "x", name), ())


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_pairs(tmp_path / "none.csv", ())


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the file is empty"):
        read_pairs(_table(tmp_path, ""), ())
