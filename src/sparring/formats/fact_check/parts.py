"""Whether the parts that an agent names are those of the claim: together they hold all that it says, and nothing else.

Words are told apart as they are where claims are compared. In scripts without spaces between words they cannot be, and
nobody is asked for what nobody can look up.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from sparring.checks.claims import carried
from sparring.checks.claims.terms import Terms, Word
from sparring.checks.claims.tokens import Text
from sparring.schema.claims import Label, Relation
from sparring.schema.fact_check import CheckedPart, Fault, FaultFound, PartStatus
from sparring.text.tidying import one_line

FEWEST_PARTS, MOST_PARTS = 2, 5
"""Specification: Round 1, step 1."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese."""

_SHOWN = 120
_MOST_SHOWN = 20


class WholeClaim:
    """A claim, as the parts of it are held against it."""

    def __init__(self, claim: str) -> None:
        self._claim = claim

    @property
    def is_told_apart(self) -> bool:
        """Whether the words of the claim can be told apart."""
        return not _UNSPACED.search(self._claim)

    def problems(self, parts: Sequence[str]) -> tuple[str, ...]:
        """What is wrong with ``parts``, in sentences for whoever named them."""
        return tuple(self._problems(parts))

    def left_out(self, parts: Sequence[str]) -> tuple[str, ...]:
        """The words of the claim that none of ``parts`` has."""
        return _lacking(self._wanted, [word for part in parts for word in _words(part)])

    def foreign_words(self, part: str) -> tuple[str, ...]:
        """The words of ``part`` that the claim has not."""
        return _lacking(_told_apart(part), self._words)

    def is_turned(self, part: str) -> bool:
        """Whether ``part`` cannot be true together with the claim: it says the opposite, or another number."""
        return carried(part, self._claim).relation is Relation.CONFLICTS

    @cached_property
    def _words(self) -> Sequence[Word]:
        return _words(self._claim)

    @cached_property
    def _wanted(self) -> Sequence[Word]:
        return _told_apart(self._claim)

    def _problems(self, parts: Sequence[str]) -> Iterator[str]:
        named = len({key(part) for part in parts})
        if (named < FEWEST_PARTS and self._can_be_split) or named > MOST_PARTS:
            yield f"{FEWEST_PARTS} to {MOST_PARTS} different parts are asked for, and there are {named}."
        if words := self.left_out(parts):
            yield f"No part speaks of: {_listed(words)}."
        for part in parts:
            if words := self.foreign_words(part):
                yield f"These words of a part are none of the claim: {_listed(words)}."
            if self.is_turned(part):
                yield f'This part says something else than the claim: "{one_line(part, _SHOWN)}".'

    @property
    def _can_be_split(self) -> bool:
        return len(self._wanted) >= FEWEST_PARTS


def key(part: str) -> tuple[str, ...]:
    """What is equal for parts that say the same words, in whatever inflection."""
    return tuple(word.key for word in _words(part) if word.is_content or word.is_negation) or (part,)


def added(words: Sequence[str]) -> CheckedPart:
    """The part that holds what was left out; nothing covers it."""
    return CheckedPart(part=", ".join(words), status=PartStatus.MISSING, claimed=PartStatus.MISSING, is_added=True)


def incomplete(words: Sequence[str]) -> FaultFound:
    """That ``words`` were left out."""
    return FaultFound(fault=Fault.INCOMPLETE_PARTS, why=f"No part speaks of: {_listed(words)}.")


def _told_apart(text: str) -> Sequence[Word]:
    """The words that count, where they can be told apart."""
    words = (word for word in _words(text) if word.is_content or word.is_negation)
    return [word for word in words if not _UNSPACED.search(word.text)]


def _lacking(wanted: Sequence[Word], words: Sequence[Word]) -> tuple[str, ...]:
    """Those of ``wanted`` that are not among ``words``, each once; code only as it is written."""
    written = {word.text for word in words} | {word.text.lower() for word in words}
    keys = {word.key for word in words}
    return tuple(
        dict.fromkeys(
            word.text
            for word in wanted
            if word.text not in written and (word.is_code or not (word.key in keys or word.text.lower() in written))
        )
    )


def _words(part: str) -> Sequence[Word]:
    return Terms(Text(part)).words


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _MOST_SHOWN} more" if len(words) > _MOST_SHOWN else ""
    return ", ".join(words[:_MOST_SHOWN]) + more


def verdict_by_rule(statuses: Sequence[PartStatus]) -> Label:
    """What the parts of a claim make: any CONFLICT refutes, even beside a MISSING one; all COVERED support; else NEI.

    Source: specification (seed 000), Round 1, step 2; design, Fact-check, for a CONFLICT beside a MISSING one.
    """
    if PartStatus.CONFLICT in statuses:
        return Label.REFUTED
    return Label.SUPPORTED if set(statuses) == {PartStatus.COVERED} else Label.NEI
