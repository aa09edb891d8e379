"""The proposer's defense: every challenge answered with new evidence, or conceded."""

from collections.abc import Callable

from sparring.consult.offline.case import Case
from sparring.consult.offline.debating.aspects import ASPECTS
from sparring.consult.offline.debating.challenging import broken_citations, find_on_aspect
from sparring.consult.offline.debating.drafting import Draft
from sparring.consult.offline.evidence import Evidence, code_span
from sparring.consult.offline.reading import Point
from sparring.consult.offline.terms import keywords, terms
from sparring.schema.base import Role

MOST_ANSWERED = 8
"""Most challenges that one speech goes into."""

CONVINCING_TERMS = 3
"""How many terms of a concern the quoted line must hold itself before the concern counts as resolved."""

TALK = frozenset(
    terms(
        "alternative answer argue argument carry challenge challenger cite citation cited claim concede concern cover "
        "covered defense evidence fact file hold line missing name new nothing opening part passage position propose "
        "proposer quote quoted resolved rest round say says show speak support text topic unsupported weakness word"
    )
)
"""Words about the debate itself; they find nothing in a repository."""


def defense(case: Case) -> str:
    """One paragraph for each challenge of the other side's last speech."""
    draft = Draft(case, "D")
    first_raised = named_points(case, Role.CHALLENGER)
    last = [point for point in main_points(case.latest(Role.CHALLENGER)) if point.wants_answer]
    challenges = [first_raised.get(point.label, point) for point in last]
    own_broken = {found.citation.text for speech in case.by(Role.PROPOSER) for found in broken_citations(speech.points)}
    answers = [_answer(draft, point, own_broken) for point in challenges[:MOST_ANSWERED]]
    conceded = answers.count(False)
    name = "defense-kept" if conceded * 2 <= len(answers) else "defense-narrowed"
    position = case.say(name, answered=str(len(answers) - conceded), conceded=str(conceded)) if answers else ""
    left = len(challenges) - len(answers)
    if left:
        draft.add("defense-left", count=str(left))
    return f"{position}\n\n{draft.text()}".strip() or case.say("defense-nothing-to-answer")


def main_points(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The points that have a label if any has one, else all: a label says what wants an answer."""
    return tuple(point for point in points if point.label) or points


def named_points(case: Case, role: Role) -> dict[str, Point]:
    """The labelled points of one side, each as it was when its label was first used."""
    named: dict[str, Point] = {}
    for speech in case.by(role):
        for point in speech.points:
            if point.label:
                named.setdefault(point.label, point)
    return named


def speaks_to(case: Case, quoted: str, concern: Point) -> bool:
    """Whether the quoted words are about the concern, and not only about the topic that everybody speaks of."""
    words = frozenset(terms(quoted)) - TALK
    if aspect := next((aspect for aspect in ASPECTS if aspect.title.lower() in concern.text.lower()), None):
        under, on = len(words & aspect.terms), len(words & case.topic.keys())
        return bool(under and on) and under + on >= CONVINCING_TERMS
    return len(words.intersection(terms(concern.core))) >= CONVINCING_TERMS


def _answer(draft: Draft, challenge: Point, own_broken: set[str]) -> bool:
    """Write the answer to one challenge; whether it was an answer and no concession."""
    case = draft.case
    label = challenge.label or draft.label()
    gist = challenge.gist.rstrip(" .!?:;*")
    broken = broken_citations([challenge])
    if any(found.citation.text in own_broken for found in challenge.citations):
        draft.add("defense-concede-citation", label=label)
        return False
    if broken:
        citation = code_span(broken[0].citation.text)
        draft.add("defense-broken-challenge", label=label, citation=citation, reason=broken[0].reason)
        return True
    is_alternative = "lternative" in challenge.gist
    evidence = _evidence_against(draft, challenge, is_alternative=is_alternative)
    if evidence is None:
        _concede(draft, challenge, label=label, gist=gist)
        return False
    named = "" if challenge.label else case.say("in-answer-to", gist=gist)
    template = "defense-tradeoff" if is_alternative else "defense-answer"
    draft.append(f"{named}\n\n{case.say(template, label=label, quote=draft.argue(evidence))}".strip())
    return True


def _concede(draft: Draft, challenge: Point, *, label: str, gist: str) -> None:
    """Give the challenge up, by what it rests on if that is there: a concession without evidence supports nothing."""
    if challenge.verified:
        citation = code_span(challenge.verified[0].citation.text)
        draft.add("defense-concede-cited", label=label, gist=gist, citation=citation)
    else:
        draft.add("defense-concede", label=label, gist=gist)


def _evidence_against(draft: Draft, challenge: Point, *, is_alternative: bool) -> Evidence | None:
    """New words that speak to a challenge; to one that was not answered before, also words that are merely near it."""
    case = draft.case

    def convinces(evidence: Evidence) -> bool:
        return speaks_to(case, evidence.words, challenge)

    found = _search(draft, challenge, is_alternative=is_alternative, fits=convinces)
    if found is None and challenge.label not in named_points(case, Role.PROPOSER):
        found = _search(draft, challenge, is_alternative=is_alternative, fits=None)
    return found


def _search(
    draft: Draft, challenge: Point, *, is_alternative: bool, fits: Callable[[Evidence], bool] | None
) -> Evidence | None:
    case = draft.case
    if is_alternative:
        return draft.find(dict.fromkeys(case.topic, 1.0), at_least=2, fits=fits)
    aspect = next((aspect for aspect in ASPECTS if aspect.title.lower() in challenge.text.lower()), None)
    if aspect:
        return find_on_aspect(draft, aspect, fits=fits)
    asked = [term for term in keywords(challenge.core) if term not in TALK and case.library.index.frequency(term)][:24]
    query = dict.fromkeys(asked, 0.6) | {term: 1.0 for term in asked if term in case.topic}
    return draft.find(query, at_least=min(2, len(query)), among=asked, fits=fits)
