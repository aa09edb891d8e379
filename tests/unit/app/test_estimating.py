"""What a run is expected to use, told by its own rules."""

import pytest

from sparring.app.estimating import estimate
from sparring.formats.consultation import Consultation
from sparring.formats.debate import Debate
from sparring.prompts import PromptLibrary
from sparring.schema.consult import Consulted
from sparring.schema.context import ContextPart
from sparring.schema.estimates import Estimate
from support.playing import play
from support.runs import consult_request, debate_request

PROMPTS = PromptLibrary()
PART = ContextPart(name="a.py", size_bytes=40_000, text="x = 1\n\n\n" * 5_000)


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5])
def test_as_many_calls_are_expected_as_are_made_when_nothing_fails(rounds: int) -> None:
    request = debate_request(rounds=rounds)
    assert estimate(Debate(request, PROMPTS)).calls == len(play(Debate(request, PROMPTS)).asks)


def test_what_goes_with_every_prompt_counts_for_every_call() -> None:
    without, with_part = (estimate(Debate(debate_request(context=part), PROMPTS)) for part in ((), (PART,)))
    assert with_part.calls == without.calls == 5
    assert with_part.prompt_tokens - without.prompt_tokens >= 5 * len(PART.text) / 4


def test_all_who_are_asked_read_the_question_and_the_check_by_code_costs_nothing() -> None:
    request = consult_request("q" * 400, asked=(Consulted(tool="claude"), Consulted(tool="codex")))
    assert estimate(Consultation(request, PROMPTS)) == Estimate(calls=2, prompt_tokens=200)
