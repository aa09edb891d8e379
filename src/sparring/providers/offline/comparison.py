"""What code finds in a claim and the texts beside it, in the form that a step of a jury asks for.

Nothing is played. ``checks.claims`` decides: a critical mismatch refutes, and a claim whose every number, date and
changed word is matched is supported; whatever it leaves open stays open. No round changes that, whoever says what.

The consultant imports this module when it is first asked for such a step: the claims check and its vocabulary take
50 ms (November 2026), and nobody who looks for passages should wait for them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from sparring.checks.claims import check_claim
from sparring.prompts import PromptLibrary
from sparring.schema.claims import Dimension, Finding, Label, Severity, Status
from sparring.schema.consultation import Brief
from sparring.schema.fact_check import PartStatus
from sparring.schema.jury import ChecklistDimension, ChecklistStatus, Faithfulness, JudgeVerdict
from sparring.schema.lookups import Span
from sparring.text.prose import sentences

_DOUBLE_QUOTES = re.compile('["“”„«»\\n]')
_MOST_LISTED = 3

_OTHER_LANGUAGE = "vi"
"""What is spoken besides English."""

_MOST_PARTS = 20
"""A fact-check reads no more of them."""

_MOST_REASONS = 5
"""Of whoever speaks before a jury, and of its judge."""

_MOST_PHRASES = 5

_DECIDING = {Label.REFUTED: PartStatus.CONFLICT, Label.NEI: PartStatus.MISSING, Label.SUPPORTED: PartStatus.COVERED}
"""The status of the parts that a label rests on, the strongest first."""

_FOUND_AS = {
    ChecklistDimension.NUMBERS: frozenset({Dimension.QUANTITY}),
    ChecklistDimension.DATES: frozenset({Dimension.TIME}),
    ChecklistDimension.ENTITIES: frozenset({Dimension.PLACE, Dimension.ENTITY}),
    ChecklistDimension.QUANTIFIERS: frozenset(
        {Dimension.SCOPE, Dimension.QUALIFIER, Dimension.NEGATION, Dimension.CERTAINTY}
    ),
    ChecklistDimension.CAUSALITY: frozenset({Dimension.CAUSALITY}),
}

_CONFIDENCE = {Label.REFUTED: 0.95, Label.SUPPORTED: 0.8}
"""How often each was right about faithful or not (2,800 development rows of seven kinds, November 2026)."""

_Part = dict[str, str | None]
Said = str | Mapping[str, object]
"""Prose, or a table that a step asks for."""


class Phrases:
    """The sentences of ``prompts/offline/findings-{language}.md``; English for a language that has no such book."""

    def __init__(self, prompts: PromptLibrary, language: str) -> None:
        self._prompts = prompts
        spoken = _OTHER_LANGUAGE if language.partition("-")[0] == _OTHER_LANGUAGE else "en"
        self._book = f"offline/findings-{spoken}"

    def say(self, phrase: str, **values: str) -> str:
        """The words of ``phrase``."""
        return self._prompts.render(f"{self._book}#{phrase}", values).strip()


class Comparison:
    """A claim held against some texts by code; made from a brief, which has both."""

    def __init__(self, brief: Brief, phrases: Phrases) -> None:
        self.claim = brief.topic
        self.say = phrases.say
        self._evidence = brief.evidence
        self._check = check_claim(brief.topic, brief.evidence)
        order = tuple(_DECIDING.values())
        self.findings = sorted(self._check.findings, key=lambda finding: order.index(_status(finding)))
        self.label = self._check.label

    @cached_property
    def parts(self) -> list[_Part]:
        """Each finding as a part of the claim with the sentence that it rests on.

        By the rule of the fact-check they make the same label: what one passage carries without a finding, or what is
        left open though every finding matches, is the whole claim.
        """
        deciding = _DECIDING[self.label]
        first = sorted(self.findings, key=lambda finding: _status(finding) is not deciding)
        parts = [self._part(finding) for finding in first[: _MOST_PARTS - 1]]
        if any(part["status"] is deciding for part in parts):
            return parts
        passage = self._check.passage
        status = PartStatus.COVERED if passage else PartStatus.MISSING
        return [*parts, {"part": self.claim.strip(), "status": status, "quote": passage.text if passage else None}]

    @property
    def deciding(self) -> list[_Part]:
        """The parts that the label rests on."""
        return [part for part in self.parts if part["status"] is _DECIDING[self.label]]

    @property
    def reason(self) -> str:
        """Why the label is what it is."""
        parts = listed([part["part"] or "" for part in self.deciding])
        return f"{self.say('notice')} {self.say(f'because-{self.label.lower()}', parts=parts)}"

    def _part(self, finding: Finding) -> _Part:
        status = _status(finding)
        is_shown = finding.evidence and status is not PartStatus.MISSING
        quote = self._sentence(finding.evidence) if finding.evidence and is_shown else None
        return {"part": finding.claim.text, "status": status, "quote": quote}

    def _sentence(self, found: Span) -> str:
        """The sentence of the evidence that holds ``found``, or its own words where they go over the end of one."""
        source = self._evidence[found.index]
        around = (place for place in sentences(source, 0, len(source)) if place[0] <= found.start < place[1])
        begin, end = next(around, (found.start, found.end))
        return source[begin:end] if found.end <= end else found.text


def for_the_claim(compared: Comparison) -> str:
    """What code found to be the same in both texts, as a list; empty where it found nothing."""
    same = [each for each in compared.findings if each.status is Status.MATCH]
    return _bulleted([_said(each, "same", compared) for each in same])


def against_the_claim(compared: Comparison) -> str:
    """What code found to differ, or to be missing, as a list; empty where it found nothing."""
    return _bulleted([_difference(each, compared) for each in compared.findings if each.status is not Status.MATCH])


def checklist(compared: Comparison) -> Said:
    """All dimensions, each by what was found in it."""
    return {"checklist": [_entry(dimension, compared) for dimension in ChecklistDimension]}


def verdict(compared: Comparison) -> Said:
    """The judge's, where what code found decides; empty where it does not."""
    if compared.label is Label.NEI:
        return ""
    label = Faithfulness.MUTATED if compared.label is Label.REFUTED else Faithfulness.FAITHFUL
    changed = [each for each in compared.findings if each.is_critical_mismatch][:_MOST_REASONS]
    same = [each for each in compared.findings if each.status is Status.MATCH][:_MOST_REASONS]
    differences = tuple(_difference(each, compared) for each in changed)
    reasons = (*differences, *(_said(each, "same", compared) for each in same))
    decided = JudgeVerdict(
        verdict=label,
        confidence=_CONFIDENCE[compared.label],
        rationale=reasons or (compared.reason,),
        critical_differences=differences,
        what_would_make_it_faithful=tuple(_said(each, "remedy", compared) for each in changed),
        one_sentence_summary=f"{compared.say('notice')} {compared.say(f'summary-{label.lower()}')}",
    )
    return decided.model_dump(mode="json")


STEPS: Mapping[str, Callable[[Comparison], Said]] = {
    "jury/advocate-opening": for_the_claim,
    "jury/advocate-rebuttal": for_the_claim,
    "jury/skeptic-opening": against_the_claim,
    "jury/skeptic-rebuttal": against_the_claim,
    "jury/checklist": checklist,
    "jury/verdict": verdict,
    "jury/reconsider": verdict,
}


def _status(finding: Finding) -> PartStatus:
    if finding.is_critical_mismatch:
        return PartStatus.CONFLICT
    return PartStatus.COVERED if finding.status is Status.MATCH else PartStatus.MISSING


def _difference(finding: Finding, compared: Comparison) -> str:
    return _said(finding, "differs", compared) if finding.evidence else _said(finding, "lacks", compared)


def _said(finding: Finding, phrase: str, compared: Comparison) -> str:
    values = {"claim": quoted(finding.claim.text)}
    if finding.evidence:
        values["truth"] = quoted(finding.evidence.text)
    return compared.say(phrase, **values)


def _bulleted(reasons: Sequence[str]) -> str:
    return "\n".join(f"- {reason}" for reason in reasons[:_MOST_REASONS])


def _entry(dimension: ChecklistDimension, compared: Comparison) -> dict[str, object]:
    findings = [each for each in compared.findings if each.dimension in _FOUND_AS[dimension]]
    unequal = [each for each in findings if each.status is not Status.MATCH]
    shown = unequal or findings
    status = ChecklistStatus.MISMATCH if unequal else ChecklistStatus.MATCH if findings else ChecklistStatus.ABSENT
    severity = Severity.CRITICAL if any(each.is_critical_mismatch for each in unequal) else Severity.MINOR
    return {
        "dimension": dimension,
        "status": status,
        "severity": severity if unequal else None,
        "truth": _each_once([each.evidence.text for each in shown if each.evidence]),
        "claim": _each_once([each.claim.text for each in shown]),
        "note": compared.say(f"entry-{status}"),
    }


def _each_once(texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(texts))[:_MOST_PHRASES]


def listed(items: Sequence[str]) -> str:
    """The first of ``items`` between quotation marks, with commas."""
    return ", ".join(f"“{item}”" for item in items[:_MOST_LISTED])


def quoted(words: str) -> str:
    """``words`` between double quotes: if there are such marks within, the longest stretch without one."""
    return f'"{max(_DOUBLE_QUOTES.split(words), key=len).strip()}"'
