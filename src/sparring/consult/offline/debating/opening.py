"""The proposer's opening: a position taken from what the repository shows, and the lines that carry it."""

import re
from dataclasses import dataclass

from sparring.consult.offline.case import Case
from sparring.consult.offline.debating.drafting import Draft
from sparring.consult.offline.evidence import Evidence
from sparring.consult.offline.terms import keywords

_POINTS = 4
_CHOICE = re.compile(r"\s+(?:or|vs\.?|versus|rather than|instead of|hay(?: là)?)\s+", re.IGNORECASE)
_LEAN = 2
"""How many times as often one option must be spoken of before the rule takes its side."""


@dataclass(frozen=True)
class Lean:
    """An option that the repository speaks of more than of the other."""

    chosen: str
    other: str
    passages: int
    other_passages: int


def opening(case: Case) -> str:
    """A position and up to four quotations, each of which adds something of the topic."""
    draft = Draft(case, "P")
    first = draft.find(dict.fromkeys(case.topic, 1.0)) if case.topic else None
    if first is None:
        return _without_evidence(case)
    _state_position(draft, first)
    covered = set(first.terms)
    for _ in range(_POINTS - 1):
        query = {term: 0.3 if term in covered else 1.0 for term in case.topic}
        uncovered = case.topic.keys() - covered
        at_least = 2 if len(case.topic) > 2 else 1
        point = draft.find(query, at_least=at_least, among=uncovered) if uncovered else None
        point = point or draft.find(query, at_least=at_least)
        if point is None:
            break
        draft.add("point", label=draft.label(), terms=case.words(point.terms), quote=draft.argue(point))
        covered |= point.terms
    add_basis(draft)
    return draft.text()


def add_basis(draft: Draft) -> None:
    """Say what was searched."""
    case = draft.case
    passages = len(case.library.index.search(dict.fromkeys(case.topic, 1.0), limit=10_000))
    draft.add("basis", files=f"{case.library.corpus.files_read:,}", passages=f"{passages:,}")
    for sentence in case.unread:
        draft.append(sentence)


def _without_evidence(case: Case) -> str:
    draft = Draft(case, "P")
    files = case.library.corpus.files_read
    searched = ", ".join(f"*{word}*" for word in list(keywords(case.brief.topic).values())[:6]) or "*?*"
    if files:
        draft.add("position-none", label=draft.label(), files=f"{files:,}", terms=searched)
    else:
        draft.add("position-no-files", label=draft.label())
    return draft.text()


def _state_position(draft: Draft, first: Evidence) -> None:
    case = draft.case
    lean = lean_of(case)
    if lean is None:
        terms = case.words(first.terms)
        draft.add("position-kept", label=draft.label(), terms=terms, quote=draft.argue(first))
        return
    draft.add(
        "position-option",
        label=draft.label(),
        chosen=lean.chosen,
        other=lean.other,
        passages=str(lean.passages),
        other_passages=str(lean.other_passages),
        quote=draft.argue(first),
    )


def lean_of(case: Case) -> Lean | None:
    """The option that is spoken of at least twice as often, when the topic offers exactly two."""
    sides = _CHOICE.split(case.brief.topic.strip())
    if len(sides) != 2:
        return None
    left, right = (keywords(side) for side in sides)
    right = {term: word for term, word in right.items() if term not in left}
    left = dict(list(left.items())[-max(len(right), 1) :])
    if not left or not right:
        return None
    counts = [_passages_with_all(case, option) for option in (left, right)]
    options = [" ".join(option.values()) for option in (left, right)]
    chosen = 0 if counts[0] >= counts[1] else 1
    other = 1 - chosen
    if counts[chosen] < max(_LEAN * counts[other], 1):
        return None
    return Lean(options[chosen], options[other], counts[chosen], counts[other])


def _passages_with_all(case: Case, option: dict[str, str]) -> int:
    hits = case.library.index.search(dict.fromkeys(option, 1.0), limit=100_000)
    return sum(hit.matched == option.keys() for hit in hits)
