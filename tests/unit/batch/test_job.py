"""Limits as they are typed."""

import pytest

from sparring.batch.job import LimitRules, dollars, numbers_by_tool
from sparring.errors import UsageError
from sparring.providers.known import load_providers


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([], {}),
        (["openai=500", "my-own_1 = 1_000"], {"openai": 500, "my-own_1": 1000}),
        (["openai=500", "openai=500"], {"openai": 500}),
    ],
)
def test_a_number_for_a_tool_is_read(values: list[str], found: dict[str, int]) -> None:
    assert numbers_by_tool("--rpm", values) == found


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["openai"], "--rpm takes TOOL=N, and not 'openai'."),
        (["500"], "--rpm takes TOOL=N, and not '500'."),
        (["Open AI=5"], "--rpm takes TOOL=N, and not 'Open AI=5'."),
        (["openai="], "--rpm takes a whole number from 1 on after the `=`, and not ''."),
        (["openai=0"], "--rpm takes a whole number from 1 on after the `=`, and not '0'."),
        (["openai=-5"], "--rpm takes a whole number from 1 on after the `=`, and not '-5'."),
        (["openai=1.5"], "--rpm takes a whole number from 1 on after the `=`, and not '1.5'."),
        (["openai=²"], "--rpm takes a whole number from 1 on after the `=`, and not '²'."),
        (["openai=" + "9" * 5000], None),
        (["openai=5", "openai=6"], "--rpm gives openai two numbers."),
    ],
)
def test_what_is_no_number_for_a_tool_is_refused_in_a_sentence(values: list[str], sentence: str | None) -> None:
    with pytest.raises(UsageError) as refused:
        numbers_by_tool("--rpm", values)
    assert len(str(refused.value)) < 200
    if sentence:
        assert refused.value.args[0] == sentence


@pytest.mark.parametrize(("text", "amount"), [("5", 5.0), ("$0.50", 0.5), (" 1e-3 ", 0.001)])
def test_an_amount_is_read(text: str, amount: float) -> None:
    assert dollars("--max-cost", text) == amount


@pytest.mark.parametrize("text", ["", "five", "0", "-1", "nan", "inf", "$"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--max-cost takes dollars"):
        dollars("--max-cost", text)


def test_programs_and_apis_have_a_usual_number_at_once_and_what_costs_nothing_has_none() -> None:
    specs = load_providers(None).specs
    named = [specs[name] for name in ("claude", "codex", "openai", "offline")]
    rules = LimitRules(at_once={"codex": 2}).with_usual_at_once(named)
    assert rules.at_once == {"claude": 4, "codex": 2, "openai": 64}
    assert LimitRules(rpm={"a": 1}, tpm={"b": 1}, at_once={"c": 1}).tools == {"a", "b", "c"}
