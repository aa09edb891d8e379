"""The answer of a debate round: hold every other agent's quotes against the claim, and keep the verdict by default.

The one thing that changes it is a quote of an agent that says REFUTED: it must be in the evidence, and the claims check
must find it in critical mismatch with a part of the claim on which the own search had found nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from sparring.checks.claims import check_claim
from sparring.checks.quotes import Evidence
from sparring.consult.offline.comparing.weighing import Weighed, weigh
from sparring.consult.offline.fact_checking.analysis import reason
from sparring.consult.offline.terms import terms
from sparring.consult.offline.writing import Phrases, json_block
from sparring.schema.base import Record
from sparring.schema.claims import Label, Status
from sparring.schema.consultation import Brief, Speech
from sparring.schema.fact_check import ChangeTrigger, DecisionChange, Issue, PartStatus
from sparring.schema.quotes import QuoteVerdict


class _Told(Record):
    """A position as the brief tells it."""

    verdict: Label
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Stance:
    """Where an agent stood after the round before; ``quotes`` are only those that are in the evidence."""

    name: str
    verdict: Label | None
    quotes: tuple[str, ...]


def rebuttal(brief: Brief, phrases: Phrases) -> str:
    """The JSON object that the specification asks for from round 2 on."""
    weighed, evidence = weigh(brief.topic, brief.evidence), Evidence(brief.evidence)
    stances = [_stance(speech, evidence) for speech in brief.speeches]
    before = next((each.verdict for each in stances if each.name == brief.name and each.verdict), weighed.verdict)
    others = [each for each in stances if each.name != brief.name]
    missed = None if before is Label.REFUTED else _missed_conflict(brief.topic, weighed, others)
    verdict = Label.REFUTED if missed else before
    return json_block(
        {
            "key_parts_checked": [part.text for part in weighed.parts],
            "has_new_evidence": missed is not None,
            "has_strong_counterevidence": verdict is Label.REFUTED,
            "rebuttals": [
                _answer(each, issue, weighed)
                for each in others
                if (issue := _issue(each, brief.topic, verdict, weighed))
            ],
            "decision_change": DecisionChange.CHANGE if missed else DecisionChange.MAINTAIN,
            "changed_from": before if missed else ChangeTrigger.NONE,
            "change_trigger": ChangeTrigger.STRONGER_QUOTE if missed else ChangeTrigger.NONE,
            "verdict": verdict,
            "key_quote": missed or weighed.key_quote,
            "reasoning_vi": phrases.say("notice") + " " + _because(missed, before, weighed, phrases),
        }
    )


def _because(missed: str | None, before: Label, weighed: Weighed, phrases: Phrases) -> str:
    if missed:
        return phrases.say("changed", quote=missed)
    kept = phrases.say("kept")
    return f"{kept} {reason(weighed, phrases)}" if before is weighed.verdict else kept


def _stance(speech: Speech, evidence: Evidence) -> _Stance:
    try:
        told = _Told.model_validate_json(speech.text, extra="ignore")
    except ValidationError:
        return _Stance(speech.name, None, ())
    verbatim = (quote for quote in told.quotes if evidence.find(quote).verdict is QuoteVerdict.VERBATIM)
    return _Stance(speech.name, told.verdict, tuple(verbatim))


def _missed_conflict(claim: str, weighed: Weighed, others: Sequence[_Stance]) -> str | None:
    """The first quote of somebody who says REFUTED that does refute a part on which nothing was found."""
    missing = [part.text for part in weighed.parts if part.status is PartStatus.MISSING]
    matched = {each.claim.start for each in weighed.check.findings if each.status is Status.MATCH}
    own = [part.quote for part in weighed.parts if part.quote]
    against = [quote for each in others if each.verdict is Label.REFUTED for quote in each.quotes]
    for quote in (each for each in against if not any(each in known for known in own)):
        refuted = (each.claim for each in check_claim(claim, [quote]).critical_mismatches)
        if any(each.text in part for each in refuted if each.start not in matched for part in missing):
            return quote
    return None


def _issue(other: _Stance, claim: str, verdict: Label, weighed: Weighed) -> Issue | None:
    """What is wrong with what another agent says; None where it says the same."""
    if other.verdict is None or other.verdict is verdict:
        return None
    if other.verdict is Label.NEI:
        return Issue.MISSES_KEY_PART
    if not other.quotes:
        return Issue.NO_SUPPORTING_QUOTE
    said = set(terms(claim))
    if all(said.isdisjoint(terms(quote)) for quote in other.quotes):
        return Issue.IRRELEVANT
    if other.verdict is Label.REFUTED:
        return Issue.WEAK_CONTRADICTION
    return Issue.WRONG_CONTEXT if weighed.verdict is Label.REFUTED else Issue.MISSES_KEY_PART


def _answer(other: _Stance, issue: Issue, weighed: Weighed) -> dict[str, str | None]:
    return {
        "agent": other.name,
        "their_verdict": other.verdict,
        "their_quote": other.quotes[0] if other.quotes else None,
        "issue": issue,
        "counter_quote": weighed.key_quote,
    }
