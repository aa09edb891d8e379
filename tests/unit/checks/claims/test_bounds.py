"""What bounds a number, in every pair of forms: a claim is supported by nothing that leaves it open."""

import math
from collections.abc import Callable, Iterator
from itertools import product

from sparring.checks.claims import check_claim
from sparring.schema.claims import Label

Interval = tuple[float, float]

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


def pairs() -> Iterator[tuple[str, str, Interval, Interval, Label]]:
    """Each form of a claim against each of the evidence: both texts, what can be by each, and the label."""
    for (said, says), (there, tells), one, other in product(FORMS.items(), FORMS.items(), PAIRS, PAIRS):
        claim, evidence = (
            f"{form.format(a=numbers[0], b=numbers[1])} came.".capitalize()
            for form, numbers in ((said, one), (there, other))
        )
        yield claim, evidence, says(*one), tells(*other), check_claim(claim, [evidence]).label


def test_a_number_is_supported_only_by_what_leaves_nothing_open_and_refuted_by_what_leaves_no_room() -> None:
    wrong = list[tuple[str, str, Label]]()
    supported = refuted = 0
    for claim, evidence, said, there, label in pairs():
        is_within = said[0] <= there[0] and there[1] <= said[1]
        is_apart = said[1] < there[0] or there[1] < said[0]
        supported += label is Label.SUPPORTED
        refuted += label is Label.REFUTED
        if (label is Label.SUPPORTED and not is_within) or (
            label is Label.REFUTED and not is_apart and not is_another_number(said, there)
        ):
            wrong.append((claim, evidence, label))
    assert not wrong
    assert supported > 600
    assert refuted > 1000


def is_another_number(said: Interval, there: Interval) -> bool:
    """Whether both have the same open end, one end of two in common, or are "at least" and "at most" one number.

    Who writes "over 17" of what is over 12, or "12 to 17" of 12 to 23, has the wrong number, whatever logic says.
    """
    is_one_sided = (said[1] == math.inf) == (there[1] == math.inf) and (said[0] == 0) == (there[0] == 0)
    touches = (
        0 in (said[0], there[0])
        and math.inf in (said[1], there[1])
        and (said[0] or there[0]) == (there[1] if there[1] != math.inf else said[1])
    )
    return is_one_sided or touches
