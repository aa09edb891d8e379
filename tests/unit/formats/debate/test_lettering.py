"""Letters become roles when a judge's words are read."""

import pytest

from sparring.formats.debate.speeches import name_of, side_of, sides_in, with_roles
from sparring.schema.base import Role
from sparring.schema.judgement import Order

FIRST, SECOND = Order.PROPOSER_FIRST, Order.CHALLENGER_FIRST


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Side A had it right, and Side B did not.", "The proposer had it right, and the challenger did not."),
        ("It holds. Side B's point fails! side a wins", "It holds. The challenger's point fails! The proposer wins"),
        ("**Side A** cites a.py", "**The proposer** cites a.py"),
        ("He says: “Side B is wrong”", "He says: “the challenger is wrong”"),
        ("First.\n- Side A:\n- Side B:", "First.\n- The proposer:\n- The challenger:"),
        ("as Side A (Side B) says", "as the proposer (the challenger) says"),
        ("Side AB, Inside A and A side", "Side AB, Inside A and A side"),
        ("a" * 40 + " Side A", "a" * 40 + " the proposer"),
    ],
)
def test_a_side_named_by_its_letter_is_named_by_its_role(said: str, read: str) -> None:
    assert with_roles(said, FIRST) == read


def test_in_the_other_order_the_letters_are_the_other_sides() -> None:
    assert with_roles("Side A beats Side B.", SECOND) == "The challenger beats the proposer."
    assert [side_of("A", SECOND), side_of("B", SECOND)] == [Role.CHALLENGER, Role.PROPOSER] == list(sides_in(SECOND))
    assert [name_of(side, FIRST) for side in sides_in(FIRST)] == ["Side A", "Side B"]
