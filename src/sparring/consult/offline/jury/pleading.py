"""What Advocate and Skeptic say: bullets that quote both texts word for word, at least three in an opening."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sparring.checks.quotes import Evidence
from sparring.consult.offline.jury.pair import Difference, Pair
from sparring.consult.offline.writing import Phrases, quoted
from sparring.schema.base import Role
from sparring.schema.consultation import Brief
from sparring.schema.quotes import QuoteVerdict

_FEWEST, _MOST = 3, 5
"""Reasons of an opening (specification: seed 001, Step 1)."""

_OF_A_KIND = 2
_SAID_IN_QUOTES = re.compile(r'(?<!\w)"(?=\S)([^"]+)(?<=\S)"(?!\w)|“([^“”]+)”')


def advocate_opening(brief: Brief, phrases: Phrases) -> str:
    """Why the claim is faithful, by the words of the truth that carry it."""
    pair = Pair(brief)
    return _bulleted([*_carried(pair, phrases), _on_the_difference(pair, phrases)], _in_defence(pair, phrases))


def skeptic_opening(brief: Brief, phrases: Phrases) -> str:
    """Why the claim is mutated, the smallest difference that changes its meaning first."""
    pair = Pair(brief)
    return _bulleted([*_differences(pair, phrases)], _doubts(pair, phrases))


def advocate_rebuttal(brief: Brief, phrases: Phrases) -> str:
    """What can be said to the Skeptic and to the Fact-Checker's mismatches; a proven one is not disputed."""
    pair = Pair(brief)
    stands = pair.covered[0].quote if pair.covered else None
    reasons = [
        *_on_each(pair.conflicts, "advocate-undisputed", phrases),
        *(
            phrases.say("advocate-not-denied", part=quoted(part.text), truth=quoted(pair.nearest))
            for part in pair.missing[:_OF_A_KIND]
        ),
        phrases.say("advocate-stands", truth=quoted(stands or pair.nearest)),
    ]
    return _bulleted([*reasons, *_invented(brief, pair, Role.SKEPTIC, phrases)])


def skeptic_rebuttal(brief: Brief, phrases: Phrases) -> str:
    """What the Advocate's defenses and the Fact-Checker's matches leave open; nothing left is said to be so."""
    pair = Pair(brief)
    still_open = [
        *_on_each(pair.conflicts, "skeptic-still-differs", phrases),
        *(phrases.say("skeptic-still-missing", part=quoted(part.text)) for part in pair.missing[:_OF_A_KIND]),
    ]
    reasons = still_open or [phrases.say("skeptic-nothing-left", truth=quoted(pair.nearest))]
    return _bulleted([*reasons, *_invented(brief, pair, Role.ADVOCATE, phrases)])


def _on_each(differences: Sequence[Difference], phrase: str, phrases: Phrases) -> Iterator[str]:
    """``phrase`` about the first few of ``differences``."""
    for each in differences[:_OF_A_KIND]:
        yield phrases.say(phrase, claim=quoted(each.claim), truth=quoted(each.truth))


def _carried(pair: Pair, phrases: Phrases) -> Iterator[str]:
    for part in pair.covered[:_OF_A_KIND]:
        yield phrases.say("advocate-carried", part=quoted(part.text), truth=quoted(part.quote or pair.nearest))


def _on_the_difference(pair: Pair, phrases: Phrases) -> str:
    answer = next(_on_each(pair.conflicts, "advocate-difference", phrases), None)
    return answer or phrases.say("advocate-nothing-denied", truth=quoted(pair.nearest))


def _in_defence(pair: Pair, phrases: Phrases) -> Iterator[str]:
    """Reasons that can always be given."""
    yield phrases.say("advocate-subject", truth=quoted(pair.nearest))
    yield phrases.say("advocate-shorter", truth=quoted(pair.left_out or pair.nearest))


def _differences(pair: Pair, phrases: Phrases) -> Iterator[str]:
    yield from _on_each(pair.conflicts, "skeptic-minimum", phrases)
    yield from _on_each(pair.shifts, "skeptic-shift", phrases)
    for part in pair.missing[:_OF_A_KIND]:
        yield phrases.say("skeptic-missing", part=quoted(part.text))
    for name in pair.unknown_names[:1]:
        yield phrases.say("skeptic-name", name=quoted(pair.claim[name.start : name.end]))
    if pair.left_out:
        yield phrases.say("skeptic-left-out", truth=quoted(pair.left_out))


def _doubts(pair: Pair, phrases: Phrases) -> Iterator[str]:
    """Doubts that can always be raised, and that say so where nothing better is to be had."""
    if not (pair.conflicts or pair.shifts or pair.missing):
        yield phrases.say("skeptic-no-difference", truth=quoted(pair.nearest))
    yield phrases.say("skeptic-wording", truth=quoted(pair.nearest))
    yield phrases.say("skeptic-reader", truth=quoted(pair.nearest))


def _invented(brief: Brief, pair: Pair, role: Role, phrases: Phrases) -> Iterator[str]:
    """That the other side quotes what stands in neither text."""
    texts = Evidence((pair.truth, pair.claim))
    said = [speech.text for speech in brief.speeches if speech.role is role]
    quotes = ["".join(groups) for text in said for groups in _SAID_IN_QUOTES.findall(text)]
    lost = sum(texts.find(quote.strip().rstrip(",;:")).verdict is not QuoteVerdict.VERBATIM for quote in quotes)
    if lost:
        yield phrases.say("invented", count=str(lost))


def _bulleted(reasons: Sequence[str], others: Iterable[str] = ()) -> str:
    """The first five ``reasons``, with as many of the ``others`` as three take."""
    filled = [*reasons, *islice(others, max(0, _FEWEST - len(reasons)))]
    return "\n".join(f"- {reason}" for reason in filled[:_MOST])
