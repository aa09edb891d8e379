import pytest

from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode, Reply, Usage
from sparring.schema.runs import Spent, spent
from sparring.schema.transcript import TurnKind
from support.runs import answer, failure, opening, turn

ALL = Usage(input_tokens=10, cached_tokens=8, output_tokens=5, reasoning_tokens=3, cost_usd=0.25)
PRICED = answer(usage=ALL)


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ([], Spent()),
        ([PRICED, PRICED], Spent(calls=2, tokens=30, cost_usd=0.5)),
        ([answer(usage=Usage())], Spent(calls=1, unpriced_calls=1, uncounted_calls=1)),
        ([answer(usage=Usage(input_tokens=9, cost_usd=0.0))], Spent(calls=1, uncounted_calls=1)),
        ([answer(usage=Usage(input_tokens=0, output_tokens=0))], Spent(calls=1, unpriced_calls=1)),
        ([PRICED, failure(FailureCode.AUTH)], Spent(calls=2, tokens=15, cost_usd=0.25)),
        ([failure(FailureCode.BUDGET, duration_ms=0)], Spent()),
        ([failure(FailureCode.BUDGET, duration_ms=5)], Spent(calls=1, unpriced_calls=1, uncounted_calls=1)),
    ],
)
def test_reported_usage_is_counted_and_missing_usage_is_marked(replies: list[Reply], expected: Spent):
    check = turn(TurnKind.CITATIONS, Role.VERIFIER, PRICED)  # by code: no call
    assert spent([*map(opening, replies), check]) == expected
