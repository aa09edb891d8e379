"""What debaters are shown of earlier rounds."""

import pytest

from support.debating import fails, outcome, played
from support.playing import SUMMARY, Special


def test_a_summary_is_made_from_the_one_before_and_the_round_since() -> None:
    asks = played(rounds=5).asks
    prompt = asks["r5.summary.1"].question.prompt
    assert "The summary of rounds 1-2, to which you add what has been said since." in prompt
    assert f"```text\n{SUMMARY}\n```" in prompt
    assert [round_ for round_ in range(1, 6) if f"speech of challenger in round {round_}" in prompt] == [3]


def test_without_a_usable_summary_before_it_a_summary_is_made_from_all_speeches() -> None:
    prompt = played({"r4.summary.1": fails()}, rounds=5).asks["r5.summary.1"].question.prompt
    assert [round_ for round_ in range(1, 6) if f"speech of challenger in round {round_}" in prompt] == [1, 2, 3]
    assert "to which you add" not in prompt


@pytest.mark.parametrize(("second", "used"), [("shorter", "shorter"), ("longer", "first"), (None, "first")])
def test_a_summary_that_is_too_long_is_asked_for_once_more_and_the_shorter_one_is_used(
    second: str | None, used: str
) -> None:
    texts = {"first": SUMMARY + " word" * 1000, "shorter": SUMMARY, "longer": SUMMARY + " word" * 2000}
    again: Special = fails() if second is None else texts[second]
    found = played({"r3.summary.1": texts["first"], "r3.summary.2": again}, rounds=3)
    assert "800 tokens are about 3,200 characters" in found.asks["r3.summary.2"].question.prompt
    assert f"```text\n{texts[used]}\n```" in found.asks["r3.proposer"].question.prompt
    assert outcome(found).notices == ()
