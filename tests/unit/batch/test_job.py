"""Limits as they are typed."""

import pytest

from sparring.batch.job import LimitRules, dollars, numbers_by_tool
from sparring.errors import UsageError
from sparring.providers.known import load_providers


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        *(([value], f"takes TOOL=N, and not '{value}'.") for value in ("openai", "500", "Open AI=5")),
        *(
            ([f"openai={number}"], f"takes a whole number from 1 on after the `=`, and not '{number}'.")
            for number in ("", "0", "-5", "1.5", "²")
        ),
        (["openai=" + "9" * 5000], f"takes a whole number from 1 on after the `=`, and not '{'9' * 58}…."),
        (["openai=5", "openai=6"], "gives openai two numbers."),
    ],
)
def test_an_invalid_number_for_a_tool_is_refused_in_a_sentence(values: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        numbers_by_tool("rpm", values)
    assert refused.value.args[0] == f"rpm {sentence}"


@pytest.mark.parametrize("text", ["", "five", "0", "-1", "nan", "inf", "$"])
def test_an_amount_is_read_and_what_is_none_refused(text: str) -> None:
    assert [dollars("--max-cost", amount) for amount in ("5", "$0.50", " 1e-3 ")] == [5.0, 0.5, 0.001]
    with pytest.raises(UsageError, match="--max-cost takes dollars"):
        dollars("--max-cost", text)


def test_programs_and_apis_have_a_usual_number_at_once_and_what_costs_nothing_has_none() -> None:
    named = map(load_providers(None).specs.__getitem__, ("claude", "codex", "openai", "offline"))
    rules = LimitRules(at_once={"codex": 2}).with_usual_at_once(named)
    assert rules.at_once == {"claude": 4, "codex": 2, "openai": 64}
    assert LimitRules(rpm={"a": 1}, tpm={"b": 1}, at_once={"c": 1}).tools == {"a", "b", "c"}
