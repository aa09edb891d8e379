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

Says = Callable[[int, int], Interval]


def spelled(*rows: tuple[Says, str]) -> dict[str, Says]:
    """Forms, each with what it says; those of a row say the same."""
    return {form: says for says, forms in rows for form in forms.split("|")}


FORMS = spelled(
    (lambda a, _: (a, a), "{a} guests|exactly {a} guests"),
    (lambda a, _: (a, math.inf), "at least {a} guests|{a} or more guests|{a} guests or more|{a}+ guests"),
    (lambda a, _: (a, math.inf), "not fewer than {a} guests|a minimum of {a} guests"),
    (lambda a, _: (a + 1, math.inf), "more than {a} guests|over {a} guests"),
    (lambda a, _: (0, a), "at most {a} guests|up to {a} guests|no more than {a} guests|not over {a} guests"),
    (lambda a, _: (0, a), "{a} or fewer guests|a maximum of {a} guests"),
    (lambda a, _: (0, a - 1), "fewer than {a} guests|under {a} guests"),
    (lambda a, b: (a, b), "between {a} and {b} guests|from {a} to {b} guests|{a} to {b} guests|{a}-{b} guests"),
)
PAIRS = [(12, 17), (12, 23), (17, 23)]

YEARS = spelled(
    (lambda a, _: (a, a), "in {a}"),
    (lambda a, _: (-math.inf, a - 1), "before {a}|earlier than {a}|pre-{a}"),
    (lambda a, _: (-math.inf, a), "by {a}|not after {a}|no later than {a}|at the latest in {a}|in {a} or earlier"),
    (lambda a, _: (a + 1, math.inf), "after {a}|later than {a}|post-{a}"),
    (lambda a, _: (a, math.inf), "not before {a}|no earlier than {a}|in or after {a}|in {a} or later"),
    (lambda a, b: (a, b), "between {a} and {b}"),
    (lambda a, _: (a - 5, a + 5), "around {a}|c. {a}"),
    (lambda a, _: (a // 10 * 10, a // 10 * 10 + 9), "in the {decade}s"),
)
VERSIONS = spelled(
    (lambda a, _: (a, a), "3.{a}|exactly 3.{a}"),
    (lambda a, _: (a, math.inf), "at least 3.{a}|3.{a} or later|>=3.{a}|not before 3.{a}|since 3.{a}"),
    (lambda a, _: (a + 1, math.inf), "newer than 3.{a}|after 3.{a}"),
    (lambda a, _: (0, a), "3.{a} or older|up to 3.{a}|no later than 3.{a}|not after 3.{a}"),
    (lambda a, _: (0, a - 1), "older than 3.{a}|before 3.{a}"),
    (lambda a, b: (a, b), "3.{a} to 3.{b}|between 3.{a} and 3.{b}"),
)
PAIRS_OF_VERSIONS = [(8, 10), (8, 12), (10, 12)]
PAIRS_OF_YEARS = [(1970, 1978), (1970, 1990), (1978, 1990), (1990, 2011)]


Pair = tuple[str, str, Interval, Interval, Label]


def pairs(sentence: str, forms: Mapping[str, Says], numbers: Pairs) -> Iterator[Pair]:
    """A form of a claim against one of the evidence: both texts, what can be by each, and the label.

    The first form of each meaning is held against all of these with all numbers, every other with a few.
    """
    firsts = {says: form for form, says in [*forms.items()][::-1]}.values()
    few = {(numbers[0], numbers[0]), (numbers[0], numbers[-1]), (numbers[-1], numbers[0])}
    for (said, says), (there, tells), one, other in product(forms.items(), forms.items(), numbers, numbers):
        other_forms = (said not in firsts) + (there not in firsts)
        if other_forms > 1 or (other_forms and (one, other) not in few):
            continue
        texts = (
            sentence.format(form.format(a=pair[0], b=pair[1], decade=pair[0] // 10 * 10))
            for form, pair in ((said, one), (there, other))
        )
        claim, evidence = (text[0].upper() + text[1:] for text in texts)
        yield claim, evidence, says(*one), tells(*other), check_claim(claim, [evidence]).label


@pytest.mark.parametrize(
    ("sentence", "forms", "numbers", "supported", "refuted"),
    [
        ("{} came.", FORMS, PAIRS, 70, 200),
        ("the market was held {}.", YEARS, PAIRS_OF_YEARS, 45, 150),
        ("the plug-in needs Python {}.", VERSIONS, PAIRS_OF_VERSIONS, 25, 45),
    ],
    ids=["counts", "years", "versions"],
)
def test_a_number_is_supported_only_by_what_leaves_nothing_open_and_refuted_by_what_leaves_no_room(
    sentence: str, forms: dict[str, Says], numbers: Pairs, supported: int, refuted: int
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
    """Return whether both have the same open end, one end of two in common, or are "at least" and "at most" one number.

    Who writes "over 17" of what is over 12, or "12 to 17" of 12 to 23, has the wrong number, whatever logic says. Of
    versions, two different bounds are two different demands.
    """
    ends = [(end in {0, -math.inf, math.inf}) for end in (said[0], there[0], said[1], there[1])]
    is_one_sided = ends[0] == ends[1] and ends[2] == ends[3]
    touches = (ends[0] and ends[3] and said[1] == there[0]) or (ends[1] and ends[2] and there[1] == said[0])
    return is_one_sided or touches
