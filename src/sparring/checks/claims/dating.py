"""Which numbers of the evidence are told of the time that the claim names: "12,456 in 2010, up from 11,020 in 2000"."""

from bisect import bisect_left
from collections.abc import Sequence

from sparring.checks.claims.alignment import InEvidence
from sparring.checks.claims.comparison import date_holds
from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.quantities import Quantity
from sparring.checks.claims.tokens import Text

_REACH = 15
_PER_NUMBER, _PER_TURN = 10, 3
"""Tokens that a date is further away for every other number that stands between, and every "and" or comma."""

_COMMAS = frozenset(",;()")


def of_the_time(
    time: DateMention,
    sources: Sequence[Text],
    quantities: Sequence[InEvidence[Quantity]],
    dates: Sequence[InEvidence[DateMention]],
) -> list[InEvidence[Quantity]]:
    """The ``quantities``, without those of another time than ``time`` where one of their kind is of it."""
    holds: list[bool | None] = []
    for index, text in enumerate(sources):
        told = [each.mention for each in quantities if each.index == index]
        days = [each.mention for each in dates if each.index == index]
        holds += [_holds(time, _date_of(each, text, told, days)) for each in told]
    timely = {each.mention.kind for each, hold in zip(quantities, holds, strict=True) if hold}
    return [
        each
        for each, hold in zip(quantities, holds, strict=True)
        if hold is not False or each.mention.kind not in timely
    ]


def _holds(time: DateMention, date: DateMention | None) -> bool | None:
    return date_holds(time, date) if date else None


def _date_of(
    quantity: Quantity, text: Text, quantities: Sequence[Quantity], dates: Sequence[DateMention]
) -> DateMention | None:
    """The date that stands next to a quantity, in its sentence."""
    at = bisect_left(dates, quantity.begin, key=lambda date: date.begin)
    beside = [date for date in dates[max(0, at - 1) : at + 1] if abs(date.begin - quantity.begin) <= _REACH]
    beside = [date for date in beside if text.is_one_sentence(date.begin, quantity.begin)]
    return min(beside, key=lambda date: _distance(quantity, date, text, quantities), default=None)


def _distance(quantity: Quantity, date: DateMention, text: Text, quantities: Sequence[Quantity]) -> int:
    first, last = sorted((quantity.begin, date.begin))
    before_first, before_last = (bisect_left(quantities, at, key=lambda each: each.begin) for at in (first + 1, last))
    turns = lexicon(text.language).turns | _COMMAS
    turned = sum(word in turns for word in text.lowered[first + 1 : last])
    return last - first + _PER_NUMBER * (before_last - before_first) + _PER_TURN * turned
