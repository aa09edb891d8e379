"""The challenger's response to an opening: what is wrong or missing first, then an alternative, then what holds."""

from collections.abc import Callable, Iterable

from sparring.checks.citations import CheckedCitation, CitationStatus
from sparring.consult.offline.case import Case
from sparring.consult.offline.debating.aspects import ASPECTS, Aspect
from sparring.consult.offline.debating.drafting import Draft
from sparring.consult.offline.evidence import Evidence, code_span
from sparring.consult.offline.reading import Point
from sparring.schema.base import Role

_EACH = 2
"""Most points of one sort; a third of the same sort tells a reader nothing new."""


def response(case: Case) -> str:
    """The faults of the proposer's last speech, an alternative, and the risk that remains where it holds."""
    draft = Draft(case, "C")
    points = case.latest(Role.PROPOSER)
    draft.add("heading-faults")
    call_out_unsupported(draft, points)
    call_out_broken_citations(draft, points)
    _point_at_the_gap(draft, points)
    missing = [aspect for aspect in ASPECTS if not _look_at(aspect, draft, points)]
    draft.add("heading-alternative")
    propose_alternative(draft, points, missing[0] if missing else ASPECTS[0])
    _acknowledge(draft, points)
    return draft.text()


def call_out_unsupported(draft: Draft, points: Iterable[Point]) -> None:
    """Name claims that cite nothing at all."""
    unsupported = [point for point in points if not point.citations and "://" not in point.text and not point.concedes]
    for point in unsupported[:_EACH]:
        draft.add("challenge-unsupported", label=draft.label(), claim=point.gist.rstrip(" .!?:;*"))


def call_out_broken_citations(draft: Draft, points: Iterable[Point]) -> None:
    """Name citations that are not there."""
    for found in broken_citations(points)[:_EACH]:
        place = code_span(found.citation.text)
        draft.add("challenge-citation", label=draft.label(), citation=place, reason=found.reason)


def broken_citations(points: Iterable[Point]) -> list[CheckedCitation]:
    """The citations of ``points`` that were looked for and not found."""
    return [found for point in points for found in point.citations if found.status is CitationStatus.NOT_FOUND]


def find_on_aspect(draft: Draft, aspect: Aspect, *, fits: Callable[[Evidence], bool] | None = None) -> Evidence | None:
    """What the project says on the topic under one aspect: both in the same words, or else close together."""
    topic = draft.case.topic
    query = dict.fromkeys(aspect.terms, 0.5) | dict.fromkeys(topic, 1.0)
    both = draft.find(query, at_least=2, among=aspect.terms - topic.keys(), near=topic, fits=fits, limits_first=True)
    return both or draft.find(query, among=aspect.terms, near=topic, fits=fits, limits_first=True)


def _point_at_the_gap(draft: Draft, points: tuple[Point, ...]) -> None:
    """Name the part of the topic that no cited line touches, or else a limit that the position leaves out."""
    case = draft.case
    touched = {term for point in points if point.verified for term in point.terms}
    gap = [term for term in case.topic if term not in touched]
    if gap:
        query = dict.fromkeys(case.topic, 0.3) | dict.fromkeys(gap, 1.0)
        evidence = draft.find(query, at_least=min(2, len(case.topic)), among=gap, limits_first=True)
        quote = draft.quote(evidence) if evidence else case.say("nothing-quotable")
        draft.add("challenge-gap", label=draft.label(), terms=case.words(gap), quote=quote)
    elif evidence := draft.find(dict.fromkeys(case.topic, 1.0), at_least=min(2, len(case.topic)), limits_first=True):
        draft.add("challenge-limit", label=draft.label(), quote=draft.quote(evidence))


def _look_at(aspect: Aspect, draft: Draft, points: tuple[Point, ...]) -> bool:
    """Write the paragraph on one aspect; whether the proposer covered it."""
    case = draft.case
    covered = any(point.verified and aspect.is_covered(point.text) for point in points)
    evidence = find_on_aspect(draft, aspect)
    if covered and evidence is None:
        draft.add("challenge-aspect-thin", label=draft.label(), aspect=aspect.title)
    elif covered and evidence is not None:
        draft.add("challenge-aspect-risk", label=draft.label(), aspect=aspect.title, quote=draft.quote(evidence))
    elif evidence is None:
        draft.add("challenge-aspect-silent", label=draft.label(), aspect=aspect.title)
    else:
        why = case.say(f"aspect-{aspect.key}")
        draft.add("challenge-aspect", label=draft.label(), aspect=aspect.title, quote=draft.quote(evidence), why=why)
    return covered


def propose_alternative(draft: Draft, points: tuple[Point, ...], aspect: Aspect) -> None:
    """Name what should be done first instead, at the first place that ``points`` cite, or that the topic leads to."""
    case = draft.case
    cited = [found.citation.path for point in points for found in point.verified]
    hits = case.library.index.search(dict.fromkeys(case.topic, 1.0), limit=1)
    path = cited[0] if cited else hits[0].passage.path if hits else ""
    where = code_span(path) if path else case.say("nowhere")
    draft.add(f"alternative-{aspect.key}", label=draft.label(), where=where)


def _acknowledge(draft: Draft, points: tuple[Point, ...]) -> None:
    holding = [code_span(found.citation.text) for point in points for found in point.verified]
    if holding:
        draft.add("heading-holding")
        draft.add("holding", citations=", ".join(dict.fromkeys(holding)))
