"""Sides and the letters that a judge knows them by."""

import re
from typing import Literal

from sparring.formats.debate.hearing import other_side
from sparring.schema.base import Role
from sparring.schema.debate import SPEAKING_ORDER, Order, Side

Letter = Literal["A", "B"]

ORDERS = {"ab": Order.PROPOSER_FIRST, "ba": Order.CHALLENGER_FIRST}
"""As the ids of asks spell the two orders."""

_NAME = re.compile(r"\bside ([AB])\b", re.IGNORECASE)
_ENDS = (".", "!", "?", "…")
_BETWEEN = " \t\r\n\"'“”‘’*_([#>-"
_REACH = 16
"""Characters before a name in which the end of the sentence before is looked for."""


def first_side(order: Order) -> Side:
    """Who is Side A."""
    return Role.PROPOSER if order is Order.PROPOSER_FIRST else Role.CHALLENGER


def side_of(letter: Letter, order: Order) -> Side:
    """Who is called ``letter`` in that order."""
    first = first_side(order)
    return first if letter == "A" else other_side(first)


def name_of(side: Role, order: Order) -> str:
    """What ``side`` is called in that order, e.g. ``Side A``."""
    return "Side A" if side is first_side(order) else "Side B"


def sides_in(order: Order) -> tuple[Side, Side]:
    """Both sides as they are shown."""
    return SPEAKING_ORDER if order is Order.PROPOSER_FIRST else (Role.CHALLENGER, Role.PROPOSER)


def with_roles(text: str, order: Order) -> str:
    """``text`` of a judge with "the proposer" and "the challenger" for "Side A" and "Side B"."""

    def role(found: re.Match[str]) -> str:
        side = side_of("A" if found[1].upper() == "A" else "B", order)
        return f"{'The' if _begins_sentence(text, found.start()) else 'the'} {side}"

    return _NAME.sub(role, text)


def _begins_sentence(text: str, start: int) -> bool:
    window = text[max(0, start - _REACH) : start]
    before = window.rstrip(_BETWEEN)
    return before.endswith(_ENDS) or (not before and start <= _REACH) or "\n" in window[len(before) :]
