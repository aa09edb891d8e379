"""A claim beside its truth: what differs, what the truth does not have, and what both share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from sparring.consult.offline.comparing.sentences import Sentence, sentences, whole_words
from sparring.consult.offline.comparing.weighing import WeighedPart, weigh
from sparring.consult.offline.terms import Word, terms, words
from sparring.schema.claims import Finding, Status
from sparring.schema.consultation import Brief
from sparring.schema.fact_check import PartStatus

_SHOWN = 120
"""Most characters of the truth that are repeated where no shorter stretch of it is meant."""


@dataclass(frozen=True)
class Difference:
    """Words of the claim, and the words of the truth in whose place they stand."""

    claim: str
    truth: str


class Pair:
    """What every seat looks at; made from a brief, whose only evidence is the truth."""

    def __init__(self, brief: Brief) -> None:
        self.claim = brief.topic
        self.truth = "\n".join(brief.evidence)
        self.weighed = weigh(self.claim, (self.truth,))

    @cached_property
    def conflicts(self) -> tuple[Difference, ...]:
        """What by itself makes the claim say something else."""
        return self._differences(lambda finding: finding.is_critical_mismatch)

    @cached_property
    def shifts(self) -> tuple[Difference, ...]:
        """What differs without making the claim false by itself."""
        return self._differences(lambda finding: finding.status is Status.MISMATCH and not finding.is_critical_mismatch)

    @cached_property
    def covered(self) -> tuple[WeighedPart, ...]:
        """Parts of the claim that words of the truth carry."""
        return self._parts(PartStatus.COVERED)

    @cached_property
    def missing(self) -> tuple[WeighedPart, ...]:
        """Parts of the claim that the truth does not have."""
        return self._parts(PartStatus.MISSING)

    @cached_property
    def unknown_names(self) -> tuple[Word, ...]:
        """Capitalised words of the claim, but for its first one, that the truth does not have."""
        known = set(terms(self.truth))
        return tuple(
            word
            for word in words(self.claim)
            if word.start and word.is_capitalised and known.isdisjoint(word.terms) and word.terms
        )

    @cached_property
    def nearest(self) -> str:
        """The words of the truth that have most in common with the claim."""
        said = set(terms(self.claim))
        return _beginning(max(self._sentences, key=lambda each: len(said & each.terms)).text)

    @cached_property
    def left_out(self) -> str:
        """The longest stretch of the truth without a word that the claim has; empty where there is none."""
        said = set(terms(self.claim))
        stretches = [
            whole_words(sentence.text, run[0].start, run[-1].end)
            for sentence in self._sentences
            for is_shared, each in groupby(sentence.words, key=lambda word: not said.isdisjoint(word.terms))
            if not is_shared and (run := list(each))
        ]
        return _beginning(max(stretches, key=len, default=""))

    @cached_property
    def _sentences(self) -> tuple[Sentence, ...]:
        return sentences((self.truth,)) or (Sentence(0, 0, self.truth),)

    def _differences(self, is_meant: Callable[[Finding], bool]) -> tuple[Difference, ...]:
        found = (each for each in self.weighed.check.findings if is_meant(each))
        return tuple(Difference(each.claim.text, each.evidence.text) for each in found if each.evidence)

    def _parts(self, status: PartStatus) -> tuple[WeighedPart, ...]:
        return tuple(part for part in self.weighed.parts if part.status is status)


def _beginning(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN].rpartition(" ")[0] or text[:_SHOWN]
