"""Journals of schema 1, which spelled the places of turns in the ids of their asks."""

import pickle
from pathlib import Path
from typing import cast

import pytest

from sparring.formats.registry import FORMATS
from sparring.schema.runs import Outcome
from sparring.schema.transcript import Placed, Transcript
from sparring.store.journal import ReadJournal, read_journal
from sparring.store.lines import spelled
from support.journals import header
from support.playing import PROMPTS

GOLDEN = Path(__file__).parents[2] / "golden" / "journal" / "schema-1"


def is_part(recorded: object, now: object) -> bool:
    """Whether ``now`` says all that was ``recorded``; what a later version says beside it was not known then."""
    match recorded, now:
        case dict(), dict():
            before, after = cast("dict[str, object]", recorded), cast("dict[str, object]", now)
            return all(name in after and is_part(value, after[name]) for name, value in before.items())
        case list(), list():
            before, after = cast("list[object]", recorded), cast("list[object]", now)
            return len(before) == len(after) and all(map(is_part, before, after))
        case _:
            return recorded == now


def older(tmp_path: Path, name: str) -> ReadJournal:
    (tmp_path / "journal.jsonl").write_bytes((GOLDEN / f"{name}.jsonl").read_bytes())
    kept = read_journal(tmp_path)
    assert kept.header.schema_version == 1
    return kept


@pytest.mark.parametrize("name", ["consult", "debate", "chaired-debate", "jury"])
def test_a_journal_of_the_first_schema_is_read_and_decided_as_it_was(tmp_path: Path, name: str) -> None:
    kept = older(tmp_path, name)
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
    assert is_part(
        kept.outcome.model_dump(mode="json", exclude_unset=True, exclude={"check"}), now.model_dump(mode="json")
    )


def test_a_fact_check_of_the_first_schema_is_read_and_goes_on_under_the_rules_of_now(tmp_path: Path) -> None:
    kept = older(tmp_path, "fact-check")
    assert kept.outcome
    rules = FORMATS["fact-check"].rules(kept.header.request, PROMPTS)
    begun = rules.next(Transcript())
    assert isinstance(begun, tuple)
    assert [ask.id for ask in begun] == [turn.ask_id for turn in kept.steps[0]]


def test_an_id_of_something_else_spells_nothing() -> None:
    assert spelled("ask-7", 1, header().request, FORMATS["debate"].spelled) == {}
