"""Usage, spending, failures, sizes and estimates, in the words in which people read them."""

from sparring.reports.runs import (
    byte_size,
    cause,
    context_line,
    estimate_text,
    estimated_tokens_text,
    overspent,
    spending_text,
    usage,
)
from sparring.schema.consultation import ContextSize, FailureCode, Usage
from sparring.schema.runs import Expected, Limits, Spent
from support.golden import Golden

WHOLE = Usage(input_tokens=1200, cached_tokens=900, output_tokens=300, reasoning_tokens=50, cost_usd=0.0123)
SPENT = Spent(calls=1, tokens=2000, cost_usd=0.5)
PARTS = {"diff": 8192, "a\x1b[2J\n.py": 100}


def sized(*names: str) -> list[ContextSize]:
    return [ContextSize(name=name, size_bytes=PARTS[name]) for name in names]


PHRASES: dict[str, list[object]] = {
    "what a provider did not tell is unknown": [
        *map(usage, (Usage(), Usage(cost_usd=0.0), Usage(output_tokens=300), WHOLE)),
        usage(Usage(input_tokens=1200, output_tokens=300)),
    ],
    "a total with untold parts is a lower bound": [
        spending_text(Spent()),
        spending_text(Spent(calls=1, unpriced_calls=1, uncounted_calls=1)),
        spending_text(Spent(calls=3, tokens=1500, cost_usd=0.5, unpriced_calls=1, uncounted_calls=1)),
    ],
    "a failure is named with what is known about it": [
        cause(FailureCode.TIMEOUT, detail, duration_ms)
        for detail, duration_ms in (("no answer\x1b[2J in\ntime", 240_000), ("", 240_000), ("", 0))
    ],
    "a size is told as exactly as anybody needs it": [*map(byte_size, (0, 1023, 1024, 12_698, 5 * 1024 * 1024))],
    "context is told by its parts": [context_line(sized("diff")), context_line(sized(*PARTS))],
    "an estimate says that it is one": [
        *(
            estimate_text(Expected(fewest=fewest, usual=most, most=most, least_tokens=900, prompt_tokens=1500))
            for fewest, most in ((1, 1), (5, 5), (6, 14))
        ),
        estimate_text(Expected(fewest=6, usual=9, most=14, least_tokens=900, prompt_tokens=1500), "no agent agrees"),
    ],
    "a small estimate gives no exact number": [*map(estimated_tokens_text, (0, 1, 99, 100))],
    "what was used beyond a limit is told": [
        overspent(limits, SPENT)
        for limits in (Limits(), Limits(tokens=2000, cost_usd=0.5), Limits(tokens=1999), Limits(cost_usd=0.25))
    ],
}


def test_phrases_are_as_in_their_golden_file(golden: Golden) -> None:
    lines = [line for rule, told in PHRASES.items() for line in (f"== {rule}", *map(str, told))]
    golden.holds("reports/phrases.txt", "\n".join(lines) + "\n")
