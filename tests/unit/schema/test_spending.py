import pytest

from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Failure, FailureCode, Reply, Usage
from sparring.schema.runs import Spent, spent
from sparring.schema.transcript import Turn, TurnKind
from support.journals import BEGUN_AT


def turn(reply: Reply) -> Turn:
    return Turn(
        ask_id="ask",
        kind=TurnKind.OPENING,
        role=Role.PROPOSER,
        round=1,
        tool=reply.tool,
        prompt_sha256="0" * 64,
        at=BEGUN_AT,
        reply=reply,
    )


def answer(usage: Usage) -> Answer:
    return Answer(tool="claude", response="Said.", duration_ms=1, usage=usage)


def failure(code: FailureCode, duration_ms: int = 0) -> Failure:
    return Failure(tool="codex", code=code, detail="", duration_ms=duration_ms)


PRICED = answer(Usage(input_tokens=10, cached_tokens=8, output_tokens=5, reasoning_tokens=3, cost_usd=0.25))


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ([], Spent()),
        ([PRICED, PRICED], Spent(calls=2, tokens=30, cost_usd=0.5)),
        ([answer(Usage())], Spent(calls=1, unpriced_calls=1, uncounted_calls=1)),
        ([answer(Usage(input_tokens=9, cost_usd=0.0))], Spent(calls=1, uncounted_calls=1)),
        ([answer(Usage(input_tokens=0, output_tokens=0))], Spent(calls=1, unpriced_calls=1)),
        ([PRICED, failure(FailureCode.TIMEOUT)], Spent(calls=2, tokens=15, cost_usd=0.25)),
        ([failure(FailureCode.BUDGET)], Spent()),
        ([failure(FailureCode.BUDGET, duration_ms=5)], Spent(calls=1)),
    ],
)
def test_what_was_told_is_counted_and_what_was_not_told_is_marked(replies: list[Reply], expected: Spent):
    assert spent(turn(reply) for reply in replies) == expected


def test_a_check_by_code_is_no_call() -> None:
    check = turn(PRICED).model_copy(update={"role": Role.VERIFIER, "kind": TurnKind.CITATIONS})
    assert spent([turn(PRICED), check]) == Spent(calls=1, tokens=15, cost_usd=0.25)
