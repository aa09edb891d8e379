"""The review of a change or a plan by several model families (design: Review).

Reading order: ``options`` declares the options; ``findings`` joins reports of the same defect, ``places`` locates them
in the change; ``prompts`` words the prompts; ``flow`` is the course, with the examination of findings of a single
family, and its endings; ``outcome`` words the result and keeps dismissed findings; ``report`` shows the result,
``exports`` writes it for other programs.
"""

import json
from typing import Any

from sparring.engine.audited import AuditedSeat
from sparring.engine.capabilities import BugBench, Export, Exports
from sparring.engine.format import Format, Presentation, Rules
from sparring.errors import ExitCode
from sparring.formats.review import exports
from sparring.formats.review.options import LAST_REVIEW, ReviewOptions, complete
from sparring.formats.review.outcome import DISMISSING
from sparring.prompts import PromptLibrary
from sparring.schema.review import DefectClass, LastReview, ReviewOutcome, ReviewRequest, ReviewStatus
from sparring.schema.transcript import Ask, TurnKind

__all__ = ["FORMAT"]


def _rules(request: ReviewRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.review.flow import Review

    return Review(request, prompts)


def _presentation() -> Presentation[Any]:
    from sparring.formats.review.report import PRESENTATION

    return PRESENTATION


def _usual(ask: Ask, place: int) -> str:
    """Every reviewer finds a different defect in each part, and the examiner is unsure about it."""
    if ask.kind is TurnKind.EXAMINATION:
        return json.dumps({"verdict": "unsure", "reason": "It may be."})
    if ask.kind is TurnKind.JOINING:
        return json.dumps({"same": []})
    exhibits = ask.question.brief.exhibits
    if not exhibits:
        return json.dumps({"findings": []})
    shown = exhibits[place % len(exhibits)]
    line = next((line for line in shown.text.splitlines() if line.strip()), "")
    words = dict.fromkeys(("title", "trigger", "consequence", "fix"), "Something is wrong there.")
    at = {"file": shown.path, "line": shown.first, "end_line": shown.last, "quote": line}
    defect = tuple(DefectClass)[place % len(DefectClass)]  # more than reviewers, so that no two find the same
    finding = {**at, **words, "class": defect, "severity": "minor", "confidence": 0.5}
    return json.dumps({"findings": [finding]})


_COMMENTS = "Print comments on the changed lines as the host takes them; nothing is posted."
_EXPORTS = Exports(
    {
        "sarif": Export(
            "sarif", "Write the findings there as SARIF 2.1.0, for code scanning; `-` prints them.", exports.sarif
        ),
        "github": Export("comments", _COMMENTS, exports.github),
        "gitlab": Export("comments", _COMMENTS, exports.gitlab, exports.not_for_gitlab),
    }
)


def _audited() -> AuditedSeat:
    from sparring.formats.review.audited import SEAT

    return SEAT


FORMAT = Format(
    name="review",
    title="Cross-review",
    description=(
        "Review a change, files or a plan: tools of several families look blind, code checks each place they "
        "name, and what one family alone finds another tries to refute."
    ),
    options=ReviewOptions,
    request=ReviewRequest,
    complete=complete,
    outcome=ReviewOutcome,
    rules=_rules,
    presentation=_presentation,
    examples=(
        'sparring review --about "retries end after 3 attempts"',
        "sparring review main..topic --with claude,codex,gemini --fail-on major",
        "sparring review --plan PLAN.md",
        'sparring review dismiss 1a2b3c4d "the caller holds the lock"',
        "sparring review --bench --set sample=30",
    ),
    exit_codes={
        ReviewStatus.BLOCKING: ExitCode.FAILED,
        ReviewStatus.FINDINGS: ExitCode.DONE,
        ReviewStatus.CLEAN: ExitCode.DONE,
        ReviewStatus.INCOMPLETE: ExitCode.NO_VERDICT,
        ReviewStatus.FAILED: ExitCode.FAILED,
    },
    subject="what",
    last_files=((LAST_REVIEW, LastReview),),
    capabilities=(_EXPORTS, DISMISSING, BugBench("bench")),
    not_evaluated=(
        "A review ends in findings and not in a label, so rows have nothing to compare; "
        "`sparring review --bench` compares reviewers, their union and their examination on planted bugs."
    ),
    usual=_usual,
    expected_if="each reviewer finds one thing that no other does",
    audited={"examiner": _audited},
)
