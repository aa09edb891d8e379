"""The price of an evaluation: what is likely lies between the fewest and the most calls, whatever arms are asked."""

from itertools import combinations

import pytest

from sparring.engine.format import Arms
from sparring.evaluation.arms import KINDS, arms_of
from sparring.evaluation.price import Priced, Pricing
from sparring.formats.registry import FORMATS
from sparring.schema.runs import Request
from support.estimating import expected
from support.fact_checking import request as fact_check_request
from support.jury_playing import jury_request
from support.playing import PROMPTS

SETS = [kinds for count in range(1, len(KINDS) + 1) for kinds in combinations(KINDS, count)]
ROWS = 100


def variations(request: Request) -> Arms:
    rows = FORMATS[request.kind].rows
    assert rows
    assert rows.arms
    return rows.arms


def priced(request: Request, *names: str) -> Priced:
    arms = variations(request)
    named = arms_of(names, arms.seats(request), arms)
    return Pricing(FORMATS[request.kind], arms, named, PROMPTS, lambda _: True).of([request], ROWS, ())


@pytest.mark.parametrize(
    "request_",
    [
        fact_check_request(),
        fact_check_request("claude", "claude", "codex", max_rounds=5, escalation="always"),
        fact_check_request(max_rounds=1),
        jury_request(),
        jury_request(rebuttals=0),
    ],
)
def test_the_likely_number_of_calls_lies_between_the_fewest_and_the_most(request_: Request) -> None:
    has_controls = variations(request_).revise is not None
    for names in SETS:
        if has_controls or not {"revise", "placebo"} & set(names):
            found = priced(request_, *names)
            assert 0 < found.calls[0] <= found.price.calls <= found.calls[1], names


def test_identical_questions_of_two_arms_are_counted_once() -> None:
    request = fact_check_request()
    debate = priced(request, "debate")
    assert debate.price.calls == ROWS * expected(request).usual
    assert priced(request, "single", "debate").price.calls == debate.price.calls
    assert priced(request, "vote", "single").price.calls == debate.price.calls  # a vote spends what the debate does
    assert priced(request, "revise", "debate").price.calls > debate.price.calls
