import pytest

from sparring.reports.phrases import cause, spending, usage
from sparring.schema.consultation import FailureCode, Usage
from sparring.schema.limits import Spent


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
