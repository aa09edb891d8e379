"""The challenger's follow-up: hold concessions, certify what is resolved, reject the rest, find something new."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from sparring.consult.offline.case import Case
from sparring.consult.offline.debating.challenging import broken_citations, call_out_broken_citations
from sparring.consult.offline.debating.defending import MOST_ANSWERED, main_points, named_points, speaks_to
from sparring.consult.offline.debating.drafting import Draft
from sparring.consult.offline.evidence import Evidence, Kind, code_span
from sparring.consult.offline.reading import Point
from sparring.schema.base import Role


def follow_up(case: Case) -> str:
    """A judgement on every point of the proposer's last speech, and a weakness that nobody has named yet."""
    draft = Draft(case, "C")
    points = case.latest(Role.PROPOSER)
    raised = named_points(case, Role.CHALLENGER)
    _reject_walk_backs(draft)
    draft.add("heading-defense")
    headed = draft.text()
    _judge(draft, main_points(points)[:MOST_ANSWERED], raised)
    call_out_broken_citations(draft, points)
    _hold_concessions(draft)
    if draft.text() == headed:
        draft.add("defense-empty")
    draft.add("heading-new")
    _raise_weakness(draft)
    return draft.text()


def _judge(draft: Draft, points: Sequence[Point], raised: Mapping[str, Point]) -> None:
    """Sort the answers into those that convince, those that dodge and those that cite nothing."""
    case = draft.case
    convincing: list[str] = []
    dodging: list[str] = []
    for point in points:
        label = point.label or draft.label()
        concern = raised.get(point.label)
        if point.concedes or broken_citations([point]):
            continue  # held, or named, below
        if not point.verified:
            draft.add("defense-unsupported", label=label, claim=point.gist.rstrip(" .!?:;*"))
            continue
        citation = point.verified[0].citation
        values = {"label": label, "citation": code_span(citation.text)}
        if citation.quoted and (concern is None or speaks_to(case, citation.quoted, concern)):
            convincing.append(case.say("resolved", **values, quotation=code_span(citation.quoted)))
        else:
            gist = (concern or point).gist.rstrip(" .!?:;*")
            dodging.append(case.say("dodged", **values, concern=gist))
    if convincing:
        draft.add("resolved-all", points="\n".join(convincing))
    if dodging:
        draft.add("dodged-all", points="\n".join(dodging))


def _hold_concessions(draft: Draft) -> None:
    speeches = draft.case.by(Role.PROPOSER)
    conceded = [(speech.round, sentence) for speech in speeches[-1:] for sentence in speech.concessions]
    if conceded:
        lines = "\n>\n".join(f"> {sentence}" for _, sentence in conceded)
        draft.add("held", round=str(conceded[0][0]), concessions=lines)


def _reject_walk_backs(draft: Draft) -> None:
    speeches = draft.case.by(Role.PROPOSER)
    for sentence in speeches[-1].walk_backs if speeches else ():
        draft.add("walked-back", label=draft.label(), sentence=sentence)


_Weakness = Callable[[Draft], Evidence | str | None]


def _raise_weakness(draft: Draft) -> None:
    """The first weakness that fits and that no earlier speech has raised; honest when there is none."""
    earlier = "\n".join(speech.text for speech in draft.case.by(Role.CHALLENGER))
    for title, template, weakness in _weaknesses():
        if title in earlier:
            continue
        found = weakness(draft)
        if found is not None:
            quote = found if isinstance(found, str) else draft.quote(found)
            draft.add(template, label=draft.label(), title=title, quote=quote)
            return
    evidence = draft.find(dict.fromkeys(draft.case.topic, 1.0), limits_first=True)
    if evidence:
        draft.add("weakness-limit", label=draft.label(), title="Another limit", quote=draft.quote(evidence))
    else:
        draft.add("nothing-new")


def _weaknesses() -> Iterator[tuple[str, str, _Weakness]]:
    yield "No test is cited", "weakness-untested", _untested
    yield "A condition left out", "weakness-limit", _condition
    yield "One file carries most of it", "weakness-narrow", _narrow
    yield "Only words, no running code", "weakness-words", _only_words


def _untested(draft: Draft) -> str | None:
    cited = _cited_evidence(draft.case)
    if not cited or any(evidence.kind is Kind.TEST for evidence in cited):
        return None
    query = dict.fromkeys(draft.case.topic, 1.0)
    tests = (evidence for evidence in draft.case.evidence(query) if evidence.kind is Kind.TEST)
    test = next(tests, None)
    return draft.case.say("test-left-out", quote=draft.quote(test)) if test else draft.case.say("no-test-found")


def _condition(draft: Draft) -> Evidence | None:
    return draft.find(dict.fromkeys(draft.case.topic, 1.0), at_least=2, limits_first=True)


def _narrow(draft: Draft) -> str | None:
    paths = [evidence.path for evidence in _cited_evidence(draft.case)]
    most = max(sorted(set(paths)), key=paths.count, default="")
    return code_span(most) if len(paths) >= 3 and paths.count(most) * 2 > len(paths) else None


def _only_words(draft: Draft) -> str | None:
    cited = _cited_evidence(draft.case)
    return "" if cited and not any(evidence.kind is Kind.CODE for evidence in cited) else None


def _cited_evidence(case: Case) -> list[Evidence]:
    """What the proposer has cited so far and stands."""
    return [
        Evidence(found.citation.path, found.citation.line or 1, found.citation.end_line or 1, words)
        for speech in case.by(Role.PROPOSER)
        for point in speech.points
        for found in point.verified
        if (words := found.citation.quoted or found.citation.text)
    ]
