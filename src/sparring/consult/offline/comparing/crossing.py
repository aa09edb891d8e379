"""A claim in one language against sources in another: only numbers, dates and names can be compared."""

from collections.abc import Iterator, Sequence

from sparring.checks.claims.tokens import Text
from sparring.consult.offline.comparing.holding import Sources
from sparring.consult.offline.comparing.parts import MOST, Part, part_of
from sparring.consult.offline.terms import Word, words
from sparring.schema.claims import Finding, Status

_SHORTEST_NAME = 3


def is_across(claim: str, evidence: Sequence[str]) -> bool:
    """Whether no source is in the language of ``claim``."""
    language = Text(claim).language
    return all(Text(source).language is not language for source in evidence)


def comparable_parts(claim: str, findings: Sequence[Finding], sources: Sources) -> tuple[Part, ...]:
    """At most five parts: what the claims check has found, what does not match first, then names that ``sources`` have.

    A name that they do not have says nothing, since many are translated.
    """
    said = tuple(words(claim))
    unmatched_first = sorted(findings, key=lambda each: each.status is Status.MATCH)
    places = [(each.claim.start, each.claim.end) for each in unmatched_first]
    free = [word for word in said if not any(begin <= word.start < end for begin, end in places)]
    places += _names(free, sources)
    return tuple(part_of(claim, place, said, findings) for place in dict.fromkeys(places[:MOST]))


def _names(said: Sequence[Word], sources: Sources) -> Iterator[tuple[int, int]]:
    for word in said:
        if word.is_capitalised and len(word.written) >= _SHORTEST_NAME and sources.has(word.terms):
            yield word.start, word.end
