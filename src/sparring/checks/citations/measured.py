"""Find numbers that a text presents as measured: "12 ms", "3.4x faster", "2,000 req/s", "drops by 85 %".

A number with a unit may be a setting ("a timeout of 30 s"). A rate or a factor is a result by itself; a time, a size
or a percentage only in a sentence that speaks of measuring.
"""

import re
from collections.abc import Iterator

_NUMBER = r"(?<![\w.,/#:$-])(?:~|≈|<|>)?\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,6})?"
_RATE = (
    r"(?:(?:[kKMG]i?B|requests?|reqs?|ops|operations|tokens?|rows|lines|files|frames|messages|msgs|queries|calls|"
    r"transactions|tx|iterations|events|pages)\s?(?:/\s?|\s?per\s)(?:s|sec|second|min|minute|h|hour)|rps|qps|fps|tps|"
    r"[kMG]?bit/s|[MG]bps)\b"
)
_FACTOR = (
    r"(?:[x×]|times)\b(?=\s+(?:faster|slower|smaller|larger|bigger|more|less|fewer|higher|lower|speed|as)\b)|"
    r"[x×](?!\w)"
)
_AMOUNT = (
    r"(?:ns|µs|μs|us|ms|milliseconds?|microseconds?|s|secs?|seconds?|min|minutes?|hours?|[kKMGT]i?B|bytes|megabytes|"
    r"gigabytes|percent|per cent)\b|%"
)
_RESULT = re.compile(rf"{_NUMBER}[ \u00a0\u202f]?(?:{_RATE}|{_FACTOR})")
_PERHAPS = re.compile(rf"{_NUMBER}[ \u00a0\u202f]?(?:{_AMOUNT})")
_MEASURING = re.compile(
    r"\b(?:benchmark\w*|measur\w+|profil\w+|latenc\w+|throughput|overhead|faster|slower|speed\w*|median|mean|average|"
    r"p\d{2}|percentile|takes?|took|ran|runs in|finish\w*|complet\w+ in|costs?|consum\w+|allocat\w+|peaks?|"
    r"drop\w*|reduc\w+|improv\w+|increas\w+|decreas\w+|grew|rose|fell|cuts?|regress\w+|coverage|accuracy|precision|"
    r"recall|hit rate|failure rate|error rate|of (?:the )?(?:requests|runs|cases|time|calls|failures)|cold start|"
    r"warm|compared (?:to|with))\b",
    re.IGNORECASE,
)


def find_results(line: str) -> Iterator[tuple[int, int]]:
    """Where ``line`` presents numbers as results; ``line`` is without its code, addresses and paths."""
    certain = [match.span() for match in _RESULT.finditer(line)]
    yield from certain
    taken = {start for start, _ in certain}
    if _MEASURING.search(line):
        yield from (match.span() for match in _PERHAPS.finditer(line) if match.start() not in taken)
