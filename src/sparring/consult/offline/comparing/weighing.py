"""Decide what the evidence does for each part of a claim, and from that, by the specification's rule, the verdict."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sparring.checks.claims import check_claim
from sparring.consult.offline.comparing.crossing import comparable_parts, is_across
from sparring.consult.offline.comparing.holding import Held, Sources
from sparring.consult.offline.comparing.parts import Part, parts
from sparring.consult.offline.comparing.sentences import Sentence, opening_end, word_after_name
from sparring.consult.offline.terms import Word, words
from sparring.schema.claims import ClaimCheck, Label
from sparring.schema.fact_check import PartStatus, verdict_by_rule


@dataclass(frozen=True)
class WeighedPart:
    """A part of the claim, word for word, with the words of the evidence that decide about it."""

    text: str
    status: PartStatus
    quote: str | None = None


@dataclass(frozen=True)
class Weighed:
    """A claim held against some texts."""

    check: ClaimCheck
    parts: tuple[WeighedPart, ...]

    @cached_property
    def verdict(self) -> Label:
        """What the parts make by the specification's rule."""
        return verdict_by_rule([part.status for part in self.parts])

    @property
    def deciding(self) -> tuple[WeighedPart, ...]:
        """The parts that the verdict rests on."""
        wanted = {
            Label.REFUTED: PartStatus.CONFLICT,
            Label.SUPPORTED: PartStatus.COVERED,
            Label.NEI: PartStatus.MISSING,
        }
        return tuple(part for part in self.parts if part.status is wanted[self.verdict])

    @property
    def key_quote(self) -> str | None:
        """What the verdict rests on most: the quote of the first conflict, else the longest one that covers a part."""
        quotes = [part.quote for part in self.deciding if part.quote]
        return quotes[0] if self.verdict is Label.REFUTED else max(quotes, key=len, default=None)


def weigh(claim: str, evidence: Sequence[str]) -> Weighed:
    """Every part of ``claim`` held against ``evidence``."""
    check, sources = check_claim(claim, evidence), Sources(evidence)
    if is_across(claim, evidence):
        comparable = comparable_parts(claim, check.findings, sources)
        weighed = tuple(_Weighing(claim, comparable, sources).parts())
        # Names show that both speak of the same thing, not that they say the same of it.
        return Weighed(check, weighed if check.findings else (WeighedPart(claim.strip(), PartStatus.MISSING), *weighed))
    weighing = _Weighing(claim, parts(claim, check.findings), sources)
    return Weighed(check, tuple(weighing.parts_of_statement()))


class _Weighing:
    def __init__(self, claim: str, cut: Sequence[Part], sources: Sources) -> None:
        self._claim = claim
        self._parts = cut
        self._sources = sources
        self._terms = frozenset(term for part in cut for term in part.terms)
        self._near = sources.nearest(self._terms)

    def parts(self) -> Iterator[WeighedPart]:
        """Every part by itself."""
        for part in self._parts:
            yield self._weighed(part, self._sources.best(part, self._near))

    def parts_of_statement(self) -> Iterator[WeighedPart]:
        """Every part; the first one, which is what the claim is about, may go by another name: "he", "the film"."""
        held = [self._sources.best(part, self._near) for part in self._parts]
        said = max((each for each in held if each and each.share), key=lambda each: each.share, default=None)
        for part, found in zip(self._parts, held, strict=True):
            alone = self._weighed(part, found)
            if said is None or part.is_open:
                yield alone
            elif self._has_another_name(part, found.sentence if found and found.share else said.sentence):
                yield _missing(part)
            else:
                yield self._weighed_lead(alone, found, said) if part is self._parts[0] else alone

    def _weighed(self, part: Part, held: Held | None) -> WeighedPart:
        conflict = part.conflict
        if conflict and conflict.evidence:
            quote = self._sources.sentence_of(conflict.evidence)
            return WeighedPart(part.span.text, PartStatus.CONFLICT, quote)
        if held is None or not held.is_enough or part.is_open:
            return _missing(part)
        return WeighedPart(part.span.text, PartStatus.COVERED, held.quote)

    def _weighed_lead(self, alone: WeighedPart, held: Held | None, said: Held) -> WeighedPart:
        """The first part in the light of ``said``, the sentence that says most of any part."""
        lead = self._parts[0]
        if self._names_nobody_of(lead) and self._says_it_of_another(said.sentence):
            return _missing(lead)
        if alone.status is PartStatus.COVERED or len(self._parts) == 1:
            return alone
        if held and held.quote:
            return WeighedPart(alone.text, PartStatus.COVERED, held.quote)
        if self._is_about_another(said.sentence):
            return alone
        end = said.sentence.text.find(said.quote) + len(said.quote)
        return WeighedPart(alone.text, PartStatus.COVERED, said.sentence.text[:end])

    def _says_it_of_another(self, sentence: Sentence) -> bool:
        """Whether ``sentence`` has another name that goes on as the claim's: "Bela won" against "Anna won"."""
        following = word_after_name(self._claim)
        return any(
            after.written == following and self._is_strange(name) for name, after in pairwise(words(sentence.text))
        )

    def _has_another_name(self, part: Part, sentence: Sentence) -> bool:
        """Whether ``part`` says something of a name that no source has, and ``sentence`` has others in its place."""
        begin = opening_end(self._claim)
        unknown = [name for name in part.names if name.start >= begin and not self._sources.has(name.terms)]
        return bool(unknown) and any(map(self._is_strange, sentence.names))

    def _names_nobody_of(self, lead: Part) -> bool:
        """Whether no source has any of the names before the claim's predicate."""
        names = [name for name in lead.names if name.start < opening_end(self._claim)]
        return bool(names) and not any(self._sources.has(name.terms) for name in names)

    def _is_about_another(self, sentence: Sentence) -> bool:
        """Whether a sentence opens with a name that the claim does not have."""
        return any(map(self._is_strange, sentence.opening))

    def _is_strange(self, word: Word) -> bool:
        """Whether it may be a name, and the claim does not have it."""
        return word.is_capitalised and bool(word.terms) and self._terms.isdisjoint(word.terms)


def _missing(part: Part) -> WeighedPart:
    return WeighedPart(part.span.text, PartStatus.MISSING)
