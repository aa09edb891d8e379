"""The challenger's opening when it has not heard the proposer: the negative, from what limits the topic."""

from collections.abc import Mapping

from sparring.consult.offline.case import Case
from sparring.consult.offline.debating.aspects import ASPECTS, Aspect
from sparring.consult.offline.debating.challenging import find_on_aspect, propose_alternative
from sparring.consult.offline.debating.drafting import Draft
from sparring.consult.offline.debating.opening import add_basis, lean_of
from sparring.consult.offline.evidence import Evidence
from sparring.consult.offline.terms import keywords


def opening_against(case: Case) -> str:
    """A position against the affirmative, what speaks for it in each of the three categories, and an alternative."""
    draft = Draft(case, "C")
    query = dict.fromkeys(case.topic, 1.0)
    limit = draft.find(query, fits=lambda evidence: evidence.states_limit, limits_first=True) if query else None
    evidence = limit or (draft.find(query) if query else None)
    if evidence is None:
        _oppose_without_evidence(draft)
    else:
        _oppose(draft, evidence)
    silent = [aspect for aspect in ASPECTS if not _speaks_against(aspect, draft, query)]
    draft.add("heading-alternative")
    propose_alternative(draft, (), silent[0] if silent else ASPECTS[0])
    add_basis(draft)
    return draft.text()


def _oppose(draft: Draft, evidence: Evidence) -> None:
    case = draft.case
    quote = draft.quote(evidence)
    if lean := lean_of(case):
        counts = {"passages": str(lean.passages), "other_passages": str(lean.other_passages)}
        options = {"chosen": lean.chosen, "other": lean.other}
        draft.add("position-against-option", label=draft.label(), quote=quote, **options, **counts)
    else:
        name = "position-against" if evidence.states_limit else "position-against-unlimited"
        draft.add(name, label=draft.label(), terms=case.words(evidence.terms), quote=quote)


def _oppose_without_evidence(draft: Draft) -> None:
    searched = ", ".join(f"*{word}*" for word in list(keywords(draft.case.brief.topic).values())[:6]) or "*?*"
    files = f"{draft.case.library.corpus.files_read:,}"
    draft.add("position-against-none", label=draft.label(), files=files, terms=searched)


def _speaks_against(aspect: Aspect, draft: Draft, topic: Mapping[str, float]) -> bool:
    """Write the paragraph on one category; whether the project has a line for it."""
    evidence = find_on_aspect(draft, aspect) if topic else None
    if evidence is None:
        draft.add("against-aspect-silent", label=draft.label(), aspect=aspect.title)
        return False
    why = draft.case.say(f"aspect-{aspect.key}")
    draft.add("against-aspect", label=draft.label(), aspect=aspect.title, quote=draft.quote(evidence), why=why)
    return True
