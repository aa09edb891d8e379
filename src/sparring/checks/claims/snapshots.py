"""What is counted for one time says nothing about another.

A claim "as of 28 April" against evidence "as of 27 April" has its numbers unanswered, unless it has the very numbers of
the evidence: then it tells of the same count, and what differs is the day. And of "12,456 in 2010, up from 11,020 in
2000" only those numbers count that are told of the time that the claim names (``of_the_time``).
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparring.checks.claims.alignment import Aligned, Dates, InEvidence, Mention, Quantities
from sparring.checks.claims.comparison import date_holds, significant_digits
from sparring.checks.claims.dates import DateMention, period
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.quantities import COUNT, Quantity
from sparring.checks.claims.tokens import Text
from sparring.schema.claims import Status

_TELLING, _ROUND = 20, 10
"""A smaller or rounder number is too often the same by chance."""

_SNAPSHOTS = frozenset({"=", "<="})
_SOME_YEAR = 2000

_REACH = 15
_PER_NUMBER, _PER_TURN = 10, 3
"""Tokens that a date is further away for every other number that stands between, and every "and" or comma."""

_COMMAS = frozenset(",;()")


class Snapshots:
    """The days that a claim and its evidence tell numbers of, once both are aligned."""

    def __init__(self, sources: Sequence[Text], dates: Dates, quantities: Sequence[tuple[Quantity, Aligned]]) -> None:
        self._sources = sources
        self._dates = dates
        repeated = (_repeated(claim, found) for claim, found in quantities)
        self._days_told = [day for each in repeated if each and (day := self._day_of(each))]

    def settle(self, claim: DateMention, found: Aligned) -> Aligned:
        """What ``claim`` is worth, if the numbers beside it tell; else what was ``found``, without what is doubtful."""
        if claim.day is not None:
            # "By 10 May" tells how things stood on 10 May, where the evidence tells how they stood on a day.
            on_the_day = replace(claim, window="=") if claim.window in _SNAPSHOTS else claim
            days = (day.mention for day in self._days_told)
            holds = [date_holds(on_the_day if day.window in _SNAPSHOTS else claim, day) for day in days]
            for status, wanted in ((Status.MATCH, True), (Status.MISMATCH, False)):
                if wanted in holds:
                    return Aligned(status, date=self._days_told[holds.index(wanted)])
        is_doubtful = found.status is Status.MISMATCH and self.is_other_day(claim, found)
        return Aligned(Status.MISSING, date=found.date) if is_doubtful else found

    def is_other_day(self, claim: DateMention, found: Aligned) -> bool:
        """Whether the evidence tells how things stood on another day than the claim."""
        there = found.date.mention if found.date else None
        if there is None or claim.day is None or there.day is None:
            return False
        is_snapshot = claim.window in _SNAPSHOTS or there.window in {*_SNAPSHOTS, "to"}
        if not is_snapshot or claim.window in {"<", ">", "to"}:
            return False
        year = claim.year or there.year or _SOME_YEAR
        return period(claim, year) != period(there, year)

    def _day_of(self, quantity: InEvidence[Quantity]) -> InEvidence[DateMention] | None:
        """The one day that is named in the sentence of a quantity."""
        text, at = self._sources[quantity.index], quantity.mention.begin
        there = (date for date in self._dates if date.index == quantity.index and date.mention.day is not None)
        days = [date for date in there if text.is_one_sentence(date.mention.begin, at)]
        return days[0] if len(days) == 1 else None


def _repeated(claim: Quantity, found: Aligned) -> InEvidence[Quantity] | None:
    """Where the evidence has the very number of the claim, if it is one that tells."""
    if found.quantity is None or found.status is not Status.MATCH:
        return None
    is_telling = claim.value >= _TELLING and (claim.value % _ROUND != 0 or significant_digits(claim.value) > 2)
    there = found.quantity.mention
    is_same = claim.kind == COUNT and (claim.value, claim.bound) == (there.value, there.bound)
    return found.quantity if is_telling and is_same else None


def of_the_time(
    time: DateMention, sources: Sequence[Text], quantities: Quantities, dates: Dates
) -> list[InEvidence[Quantity]]:
    """The ``quantities``, without those of another time than ``time`` where one of their kind is of it."""
    holds: list[bool | None] = []
    told, days = _by_source(quantities), _by_source(dates)
    for index, text in enumerate(sources):
        near = (_date_of(each, text, told[index], days[index]) for each in told[index])
        holds += [date_holds(time, date) if date else None for date in near]
    timely = {each.mention.kind for each, hold in zip(quantities, holds, strict=True) if hold}
    told_so = zip(quantities, holds, strict=True)
    return [each for each, hold in told_so if hold is not False or each.mention.kind not in timely]


def _by_source(mentions: Sequence[InEvidence[Mention]]) -> Mapping[int, list[Mention]]:
    found: defaultdict[int, list[Mention]] = defaultdict(list)
    for each in mentions:
        found[each.index].append(each.mention)
    return found


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
    turns = lexicon(text.language).turns
    turned = sum(word in turns or word in _COMMAS for word in text.lowered[first + 1 : last])
    return last - first + _PER_NUMBER * (before_last - before_first) + _PER_TURN * turned
