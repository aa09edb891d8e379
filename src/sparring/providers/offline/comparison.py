"""What code finds in a claim and the texts beside it, in the form that a step of a fact-check asks for.

Nothing is played. ``checks.claims`` decides: a critical mismatch refutes, and a claim whose every number, date and
changed word is matched is supported; whatever it leaves open stays open. No round changes that, whoever says what.

The consultant imports this module when it is first asked for such a step: the claims check and its vocabulary take
50 ms (November 2026), and nobody who looks for passages should wait for them.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from sparring.checks.claims import check_claim
from sparring.prompts import PromptLibrary
from sparring.schema.claims import Finding, Label, Status
from sparring.schema.consultation import Brief
from sparring.schema.fact_check import ChangeTrigger, DecisionChange, PartStatus
from sparring.schema.lookups import Span
from sparring.text.prose import sentences

_MOST_LISTED = 3

_OTHER_LANGUAGE = "vi"
"""What is spoken besides English."""

_MOST_PARTS = 20
"""A fact-check reads no more of them."""

_DECIDING = {Label.REFUTED: PartStatus.CONFLICT, Label.NEI: PartStatus.MISSING, Label.SUPPORTED: PartStatus.COVERED}
"""The status of the parts that a label rests on, the strongest first."""

_Part = dict[str, str | None]
Said = Mapping[str, object]
"""A table that a step asks for."""


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


def analysis(compared: Comparison) -> Said:
    """The blind round of a fact-check."""
    return {"parts": compared.parts, "verdict": compared.label, "reasoning_vi": compared.reason}


def rebuttal(compared: Comparison) -> Said:
    """A later round: the same finding, whatever the others have said."""
    return {
        "key_parts_checked": [part["part"] for part in compared.parts],
        "has_new_evidence": False,
        "has_strong_counterevidence": compared.label is Label.REFUTED,
        "rebuttals": [],
        "decision_change": DecisionChange.MAINTAIN,
        "changed_from": ChangeTrigger.NONE,
        "change_trigger": ChangeTrigger.NONE,
        "verdict": compared.label,
        "key_quote": next((part["quote"] for part in compared.deciding if part["quote"]), None),
        "reasoning_vi": compared.reason,
    }


STEPS: Mapping[str, Callable[[Comparison], Said]] = {
    "fact-check/analysis": analysis,
    "fact-check/rebuttal": rebuttal,
}


def _status(finding: Finding) -> PartStatus:
    if finding.is_critical_mismatch:
        return PartStatus.CONFLICT
    return PartStatus.COVERED if finding.status is Status.MATCH else PartStatus.MISSING


def listed(items: Sequence[str]) -> str:
    """The first of ``items`` between quotation marks, with commas."""
    return ", ".join(f"“{item}”" for item in items[:_MOST_LISTED])
