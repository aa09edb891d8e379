import pytest

from sparring.reports.runs import byte_size, cause, context_line, estimated, overspent, spending, usage
from sparring.schema.consultation import ContextSize, FailureCode, Usage
from sparring.schema.runs import Estimate, Limits, Spent


@pytest.mark.parametrize(
    ("used", "wording"),
    [
        (Usage(), "tokens unknown, cost unknown"),
        (Usage(cost_usd=0.0), "tokens unknown, $0.0000"),
        (Usage(input_tokens=1200, output_tokens=300), "1,200 tokens in, 300 out, cost unknown"),
        (Usage(output_tokens=300), "unknown tokens in, 300 out, cost unknown"),
        (
            Usage(input_tokens=1200, cached_tokens=900, output_tokens=300, reasoning_tokens=50, cost_usd=0.0123),
            "1,200 tokens in (900 cached), 300 out (50 reasoning), $0.0123",
        ),
    ],
)
def test_what_a_provider_did_not_tell_is_unknown(used: Usage, wording: str) -> None:
    assert usage(used) == wording


@pytest.mark.parametrize(
    ("spent", "wording"),
    [
        (Spent(), "0 calls, 0 tokens, $0.0000"),
        (Spent(calls=1, unpriced_calls=1, uncounted_calls=1), "1 call, tokens unknown, cost unknown"),
        (
            Spent(calls=3, tokens=1500, cost_usd=0.5, unpriced_calls=1, uncounted_calls=1),
            "3 calls, at least 1,500 tokens, at least $0.5000",
        ),
    ],
)
def test_a_total_with_untold_parts_is_a_lower_bound(spent: Spent, wording: str) -> None:
    assert spending(spent) == wording


@pytest.mark.parametrize(
    ("detail", "duration_ms", "wording"),
    [
        ("no answer\x1b[2J in\ntime", 240_000, "timeout after 240.0 s (no answer in time)"),
        ("", 240_000, "timeout after 240.0 s"),
        ("", 0, "timeout"),
    ],
)
def test_a_failure_is_named_with_what_is_known_about_it(detail: str, duration_ms: int, wording: str) -> None:
    assert cause(FailureCode.TIMEOUT, detail, duration_ms) == wording


@pytest.mark.parametrize(
    ("count", "wording"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (12_698, "12.4 KiB"), (5 * 1024 * 1024, "5,120 KiB")],
)
def test_a_size_is_told_as_exactly_as_anybody_needs_it(count: int, wording: str) -> None:
    assert byte_size(count) == wording


@pytest.mark.parametrize(
    ("sizes", "wording"),
    [
        ({"diff": 8192}, "1 part, 8 KiB: diff 8 KiB"),
        ({"diff": 8192, "a\x1b[2J\n.py": 100}, "2 parts, 8.1 KiB: diff 8 KiB, a .py 100 B"),
    ],
)
def test_context_is_told_by_its_parts(sizes: dict[str, int], wording: str) -> None:
    assert context_line([ContextSize(name=name, size_bytes=size) for name, size in sizes.items()]) == wording


def test_an_estimate_says_that_it_is_one() -> None:
    assert [estimated(Estimate(calls=calls, prompt_tokens=1500)) for calls in (1, 5)] == [
        "1 call, about 1,500 tokens of prompts (an estimate: 4 characters a token)",
        "5 calls, about 1,500 tokens of prompts (an estimate: 4 characters a token)",
    ]


@pytest.mark.parametrize(
    ("limits", "warnings"),
    [
        (Limits(), ()),
        (Limits(tokens=2000, cost_usd=0.5), ()),
        (Limits(tokens=1999), ("[WARN] 2,000 tokens were used; the limit was 1,999.",)),
        (Limits(cost_usd=0.25), ("[WARN] $0.5000 was spent; the limit was $0.25.",)),
    ],
)
def test_what_was_used_beyond_a_limit_is_told(limits: Limits, warnings: tuple[str, ...]) -> None:
    assert overspent(limits, Spent(calls=1, tokens=2000, cost_usd=0.5)) == warnings
