"""Grounds of a vote: the claim, whose parts must cover it exactly, and the evidence that is quoted.

Words are separated as in the comparison of claims. In scripts without spaces between words that is impossible, so
agents are not asked for anything that code cannot look up.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from msgspec import Struct

from sparring.checks.claims import check_claim, check_support
from sparring.checks.claims.parsing.words import Word, missing_from, split_words
from sparring.checks.quotes import Evidence
from sparring.schema.claims import ClaimCheck, Label, Relation
from sparring.schema.fact_check import CheckedPart, Fault, FaultFinding, PartStatus, Position
from sparring.schema.lookups import QuoteFinding, QuoteVerdict, Span
from sparring.text.prose import sentences_around
from sparring.text.tidying import one_line
from sparring.text.words import UNSPACED

FEWEST_PARTS, MOST_PARTS = 2, 5
"""Specification: Round 1, step 1."""

_SHOWN = 120
"""Characters of a part that a sentence about it repeats."""

_MOST_SHOWN = 20


class ClaimCoverage:
    """A claim, for comparison with its parts."""

    def __init__(self, claim: str) -> None:
        self._claim = claim

    @property
    def is_separable(self) -> bool:
        """True if the words of the claim can be separated."""
        return not UNSPACED.search(self._claim)

    def problems(self, parts: Sequence[str]) -> Iterator[str]:
        """Yield the problems of ``parts``, in sentences for the agent that named them."""
        named = len({key(part) for part in parts})
        if (named < FEWEST_PARTS <= len(self._wanted)) or named > MOST_PARTS:
            yield f"{FEWEST_PARTS} to {MOST_PARTS} different parts are asked for, and there are {named}."
        left_out = self.left_out(parts)
        if left_out:
            yield f"No part speaks of: {_listed(left_out)}."
        for part in parts:
            foreign = self.foreign_words(part)
            if foreign:
                yield f"These words of a part are not in the claim: {_listed(foreign)}."
            if self.is_turned(part):
                yield f"This part says something else than the claim: {shown(part)}."

    def left_out(self, parts: Sequence[str]) -> tuple[str, ...]:
        """The words of the claim that none of ``parts`` has."""
        return missing_from(self._wanted, [word for part in parts for word in _words(part, self._claim)])

    def foreign_words(self, part: str) -> tuple[str, ...]:
        """The words of ``part`` that the claim has not."""
        return missing_from(_separable_words(part, self._claim), self._words)

    def is_foreign(self, part: str) -> bool:
        """Return whether ``part`` has no word in common with the claim; False if its words cannot be separated."""
        words = {word.text for word in _separable_words(part, self._claim)}
        return not UNSPACED.search(part) and len(self.foreign_words(part)) == len(words)

    def is_turned(self, part: str) -> bool:
        """Return whether ``part`` contradicts the claim: it states the opposite, or another number."""
        return _carried(part, self._claim) is Relation.CONFLICTS

    @cached_property
    def _words(self) -> Sequence[Word]:
        return _words(self._claim)

    @cached_property
    def _wanted(self) -> Sequence[Word]:
        return _separable_words(self._claim)


def key(part: str) -> tuple[str, ...]:
    """Return a key that is equal for parts of the same words, in any inflection."""
    return tuple(word.key for word in _words(part) if word.is_content or word.is_negation) or (part,)


def added(words: Sequence[str]) -> CheckedPart:
    """The part with the words that the agent left out; no quote covers it."""
    return CheckedPart(part=", ".join(words), status=PartStatus.MISSING, claimed=PartStatus.MISSING, is_added=True)


def incomplete(words: Sequence[str]) -> FaultFinding:
    """Build the fault that the parts leave ``words`` out."""
    return FaultFinding(fault=Fault.INCOMPLETE_PARTS, why=f"No part speaks of: {_listed(words)}.")


def _separable_words(text: str, context: str = "") -> Sequence[Word]:
    words = [word for word in _words(text, context) if word.is_content or word.is_negation]
    return [word for word in words if not UNSPACED.search(word.text)]


# Agents name the same parts with the same quotes, and each is compared again after a second reading.
_KEPT = 512


@lru_cache(maxsize=_KEPT)
def _words(part: str, context: str = "") -> Sequence[Word]:
    return split_words(part, context)


@lru_cache(maxsize=_KEPT)
def _checked(part: str, text: str) -> ClaimCheck:
    return check_claim(part, [text])


@lru_cache(maxsize=_KEPT)
def _carried(part: str, quote: str, around: str = "") -> Relation:
    return check_support(part, quote, around).relation


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _MOST_SHOWN} more" if len(words) > _MOST_SHOWN else ""
    return ", ".join(words[:_MOST_SHOWN]) + more


def verdict_by_rule(statuses: Sequence[PartStatus]) -> Label:
    """Return the label for the parts of a claim: a CONFLICT refutes, all COVERED support, else NEI.

    Source: specification (seed 000), Round 1, step 2; design, Fact-check, for a CONFLICT together with a MISSING one.
    """
    if PartStatus.CONFLICT in statuses:
        return Label.REFUTED
    return Label.SUPPORTED if set(statuses) == {PartStatus.COVERED} else Label.NEI


_EXCERPT = 1_000
"""Characters of a quote that other agents are shown: a quote of a whole source must not fill their prompts."""

_GAP = " … "


class CitedQuote(Struct, frozen=True):
    """A quote that was looked up.

    Attributes:
        quote: As the agent wrote it.
        fault: The reason why it supports nothing, if any.
    """

    quote: str
    finding: QuoteFinding
    fault: FaultFinding | None

    @property
    def is_verbatim(self) -> bool:
        """True if the evidence contains the quote, with any meaning."""
        return self.finding.verdict is QuoteVerdict.VERBATIM

    @property
    def excerpt(self) -> str:
        """The evidence's own words, as others are shown them: all, or the beginning, which is verbatim too."""
        whole = words_of(self.finding)
        if len(whole) <= _EXCERPT:
            return whole
        first = self.finding.parts[0].text
        if len(first) <= _EXCERPT:
            return first
        whole_words, _, _ = first[:_EXCERPT].rpartition(" ")
        return whole_words or first[:_EXCERPT]


def words_of(finding: QuoteFinding) -> str:
    """The words of the evidence that match a verbatim quote, without the words that the agent put around them."""
    return _GAP.join(part.text for part in finding.parts)


class UndecidedQuote(Struct, frozen=True):
    """A part of a claim and the sentence, or sentences, of the evidence that were quoted for or against it.

    Attributes:
        by_code: The finding of code, if an agent and a reader disagree with it and the quote is read again; else empty.
    """

    part: str
    passage: str
    by_code: str = ""


_FAR = 2_000
"""Characters around a quote that are searched for the beginning and the end of its sentence."""


class EvidenceCheck:
    """Claim and evidence that a verdict can rest on.

    Attributes:
        claim: The whole text of the claim.
        whole: The claim, for comparison with its parts.
    """

    def __init__(self, claim: str, sources: Sequence[str]) -> None:
        self.claim = claim
        self._sources = sources
        self.whole = ClaimCoverage(claim)

    def look_up(self, quote: str) -> CitedQuote:
        """``quote`` in the evidence; code or a second reader must show how it relates to a part."""
        finding = self._evidence.find(quote)
        return CitedQuote(quote, finding, _fault(quote, finding))

    def contradiction(self, cited: CitedQuote) -> str:
        """Return why the sentence of ``cited`` contradicts the whole claim; empty if it does not.

        Only what code sees for sure: a number, a date or a changed word.
        """
        mismatches = _checked(self.claim, self.passage(cited.finding)).critical_mismatches
        return mismatches[0].why if mismatches else ""

    def relation(self, cited: CitedQuote, part: str) -> Relation:
        """Compare ``cited``, verbatim in the evidence, with ``part`` by code: itself, or else its whole sentence.

        Pieces of several sentences are left open: no sentence states their connection.
        """
        around, *more = self._sentences(cited.finding)
        if more:
            return Relation.OPEN
        by_itself = _carried(part, words_of(cited.finding), around)
        return _carried(part, around) if by_itself is Relation.OPEN else by_itself

    def passage(self, finding: QuoteFinding) -> str:
        """The sentences that contain a quote, as a second reader is shown them."""
        return _GAP.join(self._sentences(finding))

    def opposite(self, cited: CitedQuote, part: str) -> str:
        """Return why ``cited``, which by code conflicts with ``part``, does so."""
        for text in (words_of(cited.finding), self.passage(cited.finding)):
            mismatches = _checked(part, text).critical_mismatches
            if mismatches:
                return mismatches[0].why
        return ""

    def _sentences(self, finding: QuoteFinding) -> list[str]:
        return list(dict.fromkeys(self._sentence(piece) for piece in finding.parts))

    def _sentence(self, piece: Span) -> str:
        begin = max(0, piece.start - _FAR)
        near = self._sources[piece.index][begin : piece.end + _FAR]
        return sentences_around(near, piece.start - begin, piece.end - begin)

    def foreignness(self, part: str) -> str:
        """Return why ``part`` is not of the claim, as a sentence without its subject; empty if it is."""
        if self.whole.is_foreign(part) and not Evidence([self.claim]).locate(part):
            return "has no word and no number in common with the claim."
        return "says something else than the claim." if self.whole.is_turned(part) else ""

    @cached_property
    def _evidence(self) -> Evidence:
        return Evidence(self._sources)


def _fault(quote: str, finding: QuoteFinding) -> FaultFinding | None:
    """Return why a quote supports nothing, independent of the part that it was given for."""
    if finding.nearest:
        why = f"The evidence has something else there: {finding.nearest.difference}"
        return FaultFinding(fault=Fault.ALTERED_QUOTE, why=why, quote=quote)
    if finding.verdict is not QuoteVerdict.VERBATIM:
        return FaultFinding(fault=Fault.FABRICATED_QUOTE, why="The evidence has nothing like it.", quote=quote)
    return None


def shown(part: str) -> str:
    """``part`` between quotation marks, as a sentence about it repeats it."""
    return f'"{one_line(part, _SHOWN)}"'


def quotes_of(position: Position) -> Iterator[tuple[str, QuoteFinding]]:
    """Yield an agent's quotes in a round, with the finding on each."""
    pairs = [(part.quote, part.quote_finding) for part in position.parts]
    pairs.append((position.key_quote, position.key_quote_finding))
    pairs += [(rebuttal.counter_quote, rebuttal.quote_finding) for rebuttal in position.rebuttals]
    for quote, finding in pairs:
        if quote and finding:
            yield quote, finding
