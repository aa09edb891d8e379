"""What bounds a number, in every pair of forms: a claim is supported by nothing that leaves it open."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import Label

Interval = tuple[float, float]
Pairs = Sequence[tuple[int, int]]

EXACT: dict[str, Callable[[int, int], Interval]] = {
    "{a} guests": lambda a, _: (a, a),
    "exactly {a} guests": lambda a, _: (a, a),
}
ABOVE: dict[str, Callable[[int, int], Interval]] = {
    "at least {a} guests": lambda a, _: (a, math.inf),
    "{a} or more guests": lambda a, _: (a, math.inf),
    "{a} guests or more": lambda a, _: (a, math.inf),
    "{a}+ guests": lambda a, _: (a, math.inf),
    "not fewer than {a} guests": lambda a, _: (a, math.inf),
    "a minimum of {a} guests": lambda a, _: (a, math.inf),
    "more than {a} guests": lambda a, _: (a + 1, math.inf),
    "over {a} guests": lambda a, _: (a + 1, math.inf),
}
BELOW: dict[str, Callable[[int, int], Interval]] = {
    "at most {a} guests": lambda a, _: (0, a),
    "up to {a} guests": lambda a, _: (0, a),
    "no more than {a} guests": lambda a, _: (0, a),
    "not over {a} guests": lambda a, _: (0, a),
    "{a} or fewer guests": lambda a, _: (0, a),
    "a maximum of {a} guests": lambda a, _: (0, a),
    "fewer than {a} guests": lambda a, _: (0, a - 1),
    "under {a} guests": lambda a, _: (0, a - 1),
}
RANGES: dict[str, Callable[[int, int], Interval]] = {
    "between {a} and {b} guests": lambda a, b: (a, b),
    "from {a} to {b} guests": lambda a, b: (a, b),
    "{a} to {b} guests": lambda a, b: (a, b),
    "{a}-{b} guests": lambda a, b: (a, b),
}
FORMS = EXACT | ABOVE | BELOW | RANGES
PAIRS = [(12, 17), (12, 23), (17, 23)]

YEARS: dict[str, Callable[[int, int], Interval]] = {
    "in {a}": lambda a, _: (a, a),
    "before {a}": lambda a, _: (-math.inf, a - 1),
    "earlier than {a}": lambda a, _: (-math.inf, a - 1),
    "pre-{a}": lambda a, _: (-math.inf, a - 1),
    "by {a}": lambda a, _: (-math.inf, a),
    "not after {a}": lambda a, _: (-math.inf, a),
    "no later than {a}": lambda a, _: (-math.inf, a),
    "at the latest in {a}": lambda a, _: (-math.inf, a),
    "in {a} or earlier": lambda a, _: (-math.inf, a),
    "after {a}": lambda a, _: (a + 1, math.inf),
    "later than {a}": lambda a, _: (a + 1, math.inf),
    "post-{a}": lambda a, _: (a + 1, math.inf),
    "not before {a}": lambda a, _: (a, math.inf),
    "no earlier than {a}": lambda a, _: (a, math.inf),
    "in or after {a}": lambda a, _: (a, math.inf),
    "in {a} or later": lambda a, _: (a, math.inf),
    "between {a} and {b}": lambda a, b: (a, b),
    "around {a}": lambda a, _: (a - 5, a + 5),
    "c. {a}": lambda a, _: (a - 5, a + 5),
    "in the {decade}s": lambda a, _: (a // 10 * 10, a // 10 * 10 + 9),
}
VERSIONS: dict[str, Callable[[int, int], Interval]] = {
    "3.{a}": lambda a, _: (a, a),
    "exactly 3.{a}": lambda a, _: (a, a),
    "at least 3.{a}": lambda a, _: (a, math.inf),
    "3.{a} or later": lambda a, _: (a, math.inf),
    ">=3.{a}": lambda a, _: (a, math.inf),
    "not before 3.{a}": lambda a, _: (a, math.inf),
    "since 3.{a}": lambda a, _: (a, math.inf),
    "newer than 3.{a}": lambda a, _: (a + 1, math.inf),
    "after 3.{a}": lambda a, _: (a + 1, math.inf),
    "3.{a} or older": lambda a, _: (0, a),
    "up to 3.{a}": lambda a, _: (0, a),
    "no later than 3.{a}": lambda a, _: (0, a),
    "not after 3.{a}": lambda a, _: (0, a),
    "older than 3.{a}": lambda a, _: (0, a - 1),
    "before 3.{a}": lambda a, _: (0, a - 1),
    "3.{a} to 3.{b}": lambda a, b: (a, b),
    "between 3.{a} and 3.{b}": lambda a, b: (a, b),
}
PAIRS_OF_VERSIONS = [(8, 10), (8, 12), (10, 12)]
PAIRS_OF_YEARS = [(1970, 1978), (1970, 1990), (1978, 1990), (1990, 2011)]


Pair = tuple[str, str, Interval, Interval, Label]


def pairs(sentence: str, forms: Mapping[str, Callable[[int, int], Interval]], numbers: Pairs) -> Iterator[Pair]:
    """Each form of a claim against each of the evidence: both texts, what can be by each, and the label."""
    for (said, says), (there, tells), one, other in product(forms.items(), forms.items(), numbers, numbers):
        texts = (
            sentence.format(form.format(a=pair[0], b=pair[1], decade=pair[0] // 10 * 10))
            for form, pair in ((said, one), (there, other))
        )
        claim, evidence = (text[0].upper() + text[1:] for text in texts)
        yield claim, evidence, says(*one), tells(*other), check_claim(claim, [evidence]).label


@pytest.mark.parametrize(
    ("sentence", "forms", "numbers", "supported", "refuted"),
    [
        ("{} came.", FORMS, PAIRS, 600, 1000),
        ("the market was held {}.", YEARS, PAIRS_OF_YEARS, 1200, 1600),
        ("the plug-in needs Python {}.", VERSIONS, PAIRS_OF_VERSIONS, 200, 100),
    ],
    ids=["counts", "years", "versions"],
)
def test_a_number_is_supported_only_by_what_leaves_nothing_open_and_refuted_by_what_leaves_no_room(
    sentence: str, forms: dict[str, Callable[[int, int], Interval]], numbers: Pairs, supported: int, refuted: int
) -> None:
    wrong = list[tuple[str, str, Label]]()
    found = Counter[Label]()
    for claim, evidence, said, there, label in pairs(sentence, forms, numbers):
        is_within = said[0] <= there[0] and there[1] <= said[1]
        is_apart = said[1] < there[0] or there[1] < said[0]
        found[label] += 1
        if (label is Label.SUPPORTED and not is_within) or (
            label is Label.REFUTED and not is_apart and forms is not VERSIONS and not is_another_number(said, there)
        ):
            wrong.append((claim, evidence, label))
    assert not wrong
    assert found[Label.SUPPORTED] > supported
    assert found[Label.REFUTED] > refuted


def is_another_number(said: Interval, there: Interval) -> bool:
    """Whether both have the same open end, one end of two in common, or are "at least" and "at most" one number.

    Who writes "over 17" of what is over 12, or "12 to 17" of 12 to 23, has the wrong number, whatever logic says. Of
    versions, two different bounds are two different demands.
    """
    ends = [(end in {0, -math.inf, math.inf}) for end in (said[0], there[0], said[1], there[1])]
    is_one_sided = ends[0] == ends[1] and ends[2] == ends[3]
    touches = (ends[0] and ends[3] and said[1] == there[0]) or (ends[1] and ends[2] and there[1] == said[0])
    return is_one_sided or touches
