import json
from collections import Counter
from pathlib import Path

import pytest

from sparring.checks.claims import carried
from sparring.schema.claims import Carried, Relation

SAMPLE = Path(__file__).parents[3] / "data" / "carries.sample.jsonl"

SENTENCE = "The bridge was not closed by the town in 2019, which had over 90 guards."


@pytest.mark.parametrize(
    ("part", "quote", "relation"),
    [
        ("The bridge was closed in 2019.", "The bridge was closed by the town in 2019", Relation.CARRIES),
        ("The bridge was closed in 2018.", "The bridge was closed by the town in 2019", Relation.CONFLICTS),
        ("The bridge was painted green by convicts.", "The bridge was closed by the town in 2019", Relation.OPEN),
        ("The bridge was closed.", "bridge", Relation.OPEN),
        ("The town has 90 guards.", "90", Relation.OPEN),
        ("The bridge was closed by the town.", SENTENCE, Relation.CONFLICTS),
    ],
)
def test_a_quote_carries_what_it_says_by_itself(part: str, quote: str, relation: Relation) -> None:
    assert carried(part, quote).relation is relation


def test_what_was_cut_off_from_its_sentence_counts() -> None:
    part, quote = "The bridge was closed by the town.", "closed by the town in 2019"

    assert carried("It closed by the town in 2019.", quote).relation is Relation.CARRIES
    assert carried("It closed by the town in 2019.", quote, SENTENCE) == Carried(relation=Relation.OPEN)
    assert carried(part, quote).uncovered == ("bridge",)


def test_quotes_are_told_apart_as_well_as_they_were() -> None:
    # What code reached in November 2026: 47 of 56 that carry and 30 of 35 that conflict are found, and one is wrong.
    # The bars leave three rows of each, and two that are wrong.
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").split("\n") if line]
    told = Counter((row["carries"], row["conflict"], carried(row["part"], row["quote"]).relation) for row in rows)
    assert told.total() == 150
    assert told[True, False, Relation.CARRIES] >= 44
    assert told[False, True, Relation.CONFLICTS] >= 27
    assert told[False, False, Relation.CARRIES] + told[False, True, Relation.CARRIES] <= 2
    assert told[False, False, Relation.CONFLICTS] + told[True, False, Relation.CONFLICTS] <= 2
