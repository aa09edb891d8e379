"""Journals of schema 1, which spelled the places of turns in the ids of their asks."""

import pickle
from pathlib import Path
from typing import cast

import pytest

from sparring.formats.registry import FORMATS
from sparring.schema.runs import Outcome
from sparring.schema.transcript import Placed, Transcript
from sparring.store.journal import read_journal
from support.journals import keep
from support.playing import PROMPTS

GOLDEN = Path(__file__).parents[2] / "golden" / "journal" / "schema-1"


@pytest.mark.parametrize("name", ["consult", "debate", "chaired-debate"])
def test_a_journal_of_the_first_schema_is_read_and_decided_as_it_was(tmp_path: Path, name: str) -> None:
    kept = read_journal(keep(tmp_path, [(GOLDEN / f"{name}.jsonl").read_bytes()]))
    assert kept.header.schema_version == 1
    format_ = FORMATS[name].rules(kept.header.request, PROMPTS)
    said = Transcript()
    for step in kept.steps:
        asks = format_.next(said)
        assert isinstance(asks, tuple)
        places = [(ask.id, Placed.model_validate(ask.place)) for ask in asks]
        assert [(turn.ask_id, Placed.model_validate(turn.place)) for turn in step] == places
        said = said.extended(step)
    assert kept.outcome
    # Rules that read long answers are handed to a process, and what they decide comes back.
    now = pickle.loads(pickle.dumps(format_)).next(said)  # noqa: S301 -- our own
    assert isinstance(now, Outcome)
    assert pickle.loads(pickle.dumps(now)) == now  # noqa: S301 -- our own
    # What code finds by itself is found by the rules of now.
    then = kept.outcome.model_dump(exclude_unset=True, exclude={"check"})
    found = now.model_dump(exclude={"check"})
    then.get("judgement", {}).pop("firmness", None)  # one judge was called unanimous
    assert {*then.pop("notices", ())} <= {*found.get("notices", ())}
    assert known_in(then, found) == then


def known_in(then: object, now: object) -> object:
    """``now`` without what records had no fields for ``then``."""
    if isinstance(then, dict) and isinstance(now, dict):
        fields = cast("dict[str, object]", now)
        return {name: known_in(said, fields.get(name)) for name, said in cast("dict[str, object]", then).items()}
    if isinstance(then, tuple) and isinstance(now, tuple):
        earlier, later = cast("tuple[object, ...]", then), cast("tuple[object, ...]", now)
        return tuple(map(known_in, earlier, later)) if len(earlier) == len(later) else later
    return now


def test_a_fact_check_of_the_first_schema_is_read_and_goes_on_under_the_rules_of_now(tmp_path: Path) -> None:
    kept = read_journal(keep(tmp_path, [(GOLDEN / "fact-check.jsonl").read_bytes()]))
    assert kept.outcome
    begun = FORMATS["fact-check"].rules(kept.header.request, PROMPTS).next(Transcript())
    assert isinstance(begun, tuple)
    assert [ask.id for ask in begun] == [turn.ask_id for turn in kept.steps[0]]
