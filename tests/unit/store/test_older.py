"""Journals of schema 1, which spelled the places of turns in the ids of their asks."""

from pathlib import Path

import pytest

from sparring.formats.registry import FORMATS
from sparring.schema.fact_check import FactCheckOutcome
from sparring.schema.jury import JuryOutcome
from sparring.schema.transcript import Place, Transcript
from sparring.store.journal import read_journal
from sparring.store.older import spelled
from support.journals import header
from support.playing import PROMPTS

GOLDEN = Path(__file__).parents[2] / "golden" / "journal" / "schema-1"


@pytest.mark.parametrize("name", ["consult", "debate", "chaired-debate", "fact-check", "jury"])
def test_a_journal_of_the_first_schema_is_read_and_decided_as_it_was(tmp_path: Path, name: str) -> None:
    (tmp_path / "journal.jsonl").write_bytes((GOLDEN / f"{name}.jsonl").read_bytes())
    kept = read_journal(tmp_path)
    assert kept.header.schema_version == 1
    format_ = FORMATS[name].rules(kept.header.request, PROMPTS)
    said = Transcript()
    for step in kept.steps:
        asks = format_.next(said)
        assert isinstance(asks, tuple)
        places = [(ask.id, Place.model_validate(ask.place)) for ask in asks]
        assert [(turn.ask_id, Place.model_validate(turn.place)) for turn in step] == places
        said = said.extended(step)
    assert _as_decided(format_.next(said)) == _as_decided(kept.outcome)


def _as_decided(outcome: object) -> object:
    """The outcome without what code by itself finds in the claim: newer code finds other things."""
    if not isinstance(outcome, FactCheckOutcome | JuryOutcome):
        return outcome
    return outcome.model_dump(exclude={"check"})


def test_an_id_of_something_else_spells_nothing() -> None:
    assert spelled("ask-7", 1, header().request, FORMATS["debate"].spelled) == {}
