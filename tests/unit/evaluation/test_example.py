import json
from collections import Counter

from sparring.checks.claims import check_claim
from sparring.evaluation.example import LABELS, ROWS, example_rows, example_table


def test_the_example_has_two_hundred_different_rows_with_all_labels_kinds_and_languages() -> None:
    rows = example_rows()
    assert len({(row["claim"], row["evidence"]) for row in rows}) == len({row["id"] for row in rows}) == ROWS
    counts = Counter(row["gold"] for row in rows)
    assert set(counts) == set(LABELS)
    assert min(counts.values()) >= 64
    assert Counter((row["kind"], row["language"]) for row in rows) == {
        (kind, language): 25 for kind in ("date", "quantity", "setting", "role") for language in ("en", "vi")
    }


def test_labels_follow_from_the_construction_of_a_row() -> None:
    for row in example_rows():
        is_stated = row["claim"] in row["evidence"]
        sentences = row["evidence"].count(". ") + 1
        assert (is_stated, sentences) == {"SUPPORTED": (True, 2), "REFUTED": (False, 2), "NEI": (False, 1)}[row["gold"]]


def test_labels_of_code_on_the_example_are_right() -> None:
    decided = [
        (row, label) for row in example_rows() if (label := check_claim(row["claim"], [row["evidence"]]).label) != "NEI"
    ]
    assert [row["id"] for row, label in decided if label != row["gold"]] == []
    assert len(decided) > ROWS / 3


def test_the_example_is_the_same_each_time() -> None:
    assert example_table() == example_table()
    assert [json.loads(line) for line in example_table().splitlines()] == example_rows()
