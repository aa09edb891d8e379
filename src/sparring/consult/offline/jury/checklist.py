"""The Fact-Checker's answer: five dimensions, each from the claims check or from words that both texts have."""

import re
from collections.abc import Sequence
from functools import cache

from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.tokens import Language
from sparring.consult.offline.jury.pair import Pair
from sparring.consult.offline.terms import Word, terms, words
from sparring.consult.offline.writing import Phrases, json_block
from sparring.schema.claims import Dimension, Finding, Severity, Status
from sparring.schema.consultation import Brief
from sparring.schema.jury import ChecklistDimension, ChecklistStatus

_FOUND_AS = {
    ChecklistDimension.NUMBERS: frozenset({Dimension.QUANTITY}),
    ChecklistDimension.DATES: frozenset({Dimension.TIME}),
    ChecklistDimension.ENTITIES: frozenset({Dimension.PLACE, Dimension.ENTITY}),
    ChecklistDimension.QUANTIFIERS: frozenset(
        {Dimension.SCOPE, Dimension.QUALIFIER, Dimension.NEGATION, Dimension.CERTAINTY}
    ),
    ChecklistDimension.CAUSALITY: frozenset({Dimension.CAUSALITY}),
}
_MOST_PHRASES = 5

_Entry = dict[str, object]


def checklist(brief: Brief, phrases: Phrases) -> str:
    """The JSON object with all five dimensions."""
    pair = Pair(brief)
    return json_block({"checklist": [_entry(dimension, pair, phrases) for dimension in ChecklistDimension]})


def _entry(dimension: ChecklistDimension, pair: Pair, phrases: Phrases) -> _Entry:
    findings = [each for each in pair.weighed.check.findings if each.dimension in _FOUND_AS[dimension]]
    unequal = [each for each in findings if each.status is not Status.MATCH]
    if unequal:
        severity = Severity.CRITICAL if any(each.is_critical_mismatch for each in unequal) else Severity.MINOR
        return _shown(dimension, ChecklistStatus.MISMATCH, severity, *_texts(unequal), phrases.say("entry-differs"))
    if dimension is ChecklistDimension.ENTITIES and pair.unknown_names:
        unknown = _written(pair.unknown_names)
        return _shown(dimension, ChecklistStatus.MISMATCH, Severity.MINOR, [], unknown, phrases.say("entry-unknown"))
    there, said = _texts(findings) if findings else _shared(dimension, pair)
    status = ChecklistStatus.MATCH if said else ChecklistStatus.ABSENT
    return _shown(dimension, status, None, there, said, phrases.say(f"entry-{status}"))


def _shown(
    dimension: ChecklistDimension,
    status: ChecklistStatus,
    severity: Severity | None,
    truth: Sequence[str],
    claim: Sequence[str],
    note: str,
) -> _Entry:
    return {
        "dimension": dimension,
        "status": status,
        "severity": severity,
        "truth": list(dict.fromkeys(truth))[:_MOST_PHRASES],
        "claim": list(dict.fromkeys(claim))[:_MOST_PHRASES],
        "note": note,
    }


def _texts(findings: Sequence[Finding]) -> tuple[list[str], list[str]]:
    return [each.evidence.text for each in findings if each.evidence], [each.claim.text for each in findings]


def _shared(dimension: ChecklistDimension, pair: Pair) -> tuple[list[str], list[str]]:
    """Words of that dimension that stand in both texts, as each of them has them."""
    if dimension is ChecklistDimension.ENTITIES:
        return _names(pair)
    telling = _telling(dimension)
    there, said = (list(telling.finditer(text)) if telling else [] for text in (pair.truth, pair.claim))
    both = {match[0].lower() for match in there} & {match[0].lower() for match in said}
    return _among(there, both), _among(said, both)


def _names(pair: Pair) -> tuple[list[str], list[str]]:
    known = set(terms(pair.truth))
    names = [word for word in words(pair.claim) if word.is_capitalised and not known.isdisjoint(word.terms)]
    wanted = {term for word in names for term in word.terms}
    return _written([word for word in words(pair.truth) if not wanted.isdisjoint(word.terms)]), _written(names)


@cache
def _telling(dimension: ChecklistDimension) -> re.Pattern[str] | None:
    """What bounds a number, or names a cause, in any language; None for dimensions without such words."""
    phrases: set[str] = set()
    for words_of in (lexicon(language) for language in Language):
        if dimension is ChecklistDimension.QUANTIFIERS:
            phrases.update(" ".join(phrase) for phrase in words_of.bounds)
        elif dimension is ChecklistDimension.CAUSALITY:
            phrases.update(words_of.causes, words_of.associations)
    if not phrases:
        return None
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


def _written(chosen: Sequence[Word]) -> list[str]:
    return [word.written for word in chosen]


def _among(found: Sequence[re.Match[str]], wanted: set[str]) -> list[str]:
    return [match[0] for match in found if match[0].lower() in wanted]
