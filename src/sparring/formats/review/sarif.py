"""A review in SARIF 2.1.0, for code scanning: what is confirmed or contested, as results.

A message of SARIF may hold links; what would be one in what reviewers say is parted by a space.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from sparring.formats.review.conclusion import conclusion
from sparring.formats.review.finished import FinishedReview, Heading
from sparring.schema.review import CodePlace, DefectClass, DefectSeverity, FindingState, ReviewFinding
from sparring.schema.runs import Run
from sparring.text.tidying import for_terminal, one_line, visible

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_FINGERPRINT = "sparringFinding/v1"
_SHOWN = 2_000

_RULES = {
    DefectClass.BUG: "It does not do what it is meant to.",
    DefectClass.SECURITY: "Somebody can do or learn what they must not.",
    DefectClass.DATA_LOSS: "Data is lost or damaged.",
    DefectClass.CONCURRENCY: "What happens at the same time gets into each other's way.",
    DefectClass.PERFORMANCE: "It takes more time or memory than it should.",
    DefectClass.API: "Who calls it is misled, or breaks.",
    DefectClass.TEST: "A test is missing, or cannot fail.",
    DefectClass.DOCS: "What is written about it is wrong, or missing.",
    DefectClass.STYLE: "It is harder to read than it need be.",
}
_LEVELS = {
    DefectSeverity.CRITICAL: "error",
    DefectSeverity.MAJOR: "error",
    DefectSeverity.MINOR: "warning",
    DefectSeverity.NOTE: "note",
}


def sarif(run: Run) -> str:
    """The log of a finished review."""
    review = FinishedReview(run)
    change = review.request.change
    compared = {"base": change.base, "head": change.head}
    log: dict[str, Any] = {
        "tool": {"driver": _driver(run.header.sparring_version)},
        "automationDetails": {"id": f"sparring-review/{run.header.run_id}"},
        "invocations": [_invocation(review)],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the project."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(review, each) for each in _reported(review)],
        "properties": {"status": review.outcome.status} | {name: commit for name, commit in compared.items() if commit},
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [log]}, indent=2) + "\n"


def _reported(review: FinishedReview) -> Iterator[ReviewFinding]:
    """What may be true, those that were dismissed included."""
    yield from review.of(Heading.TO_FIX, Heading.CONTESTED, Heading.OUTSIDE, Heading.DISMISSED)


def _driver(version: str) -> dict[str, Any]:
    rules = [
        {
            "id": each.value,
            "name": each.value.title().replace("_", ""),
            "shortDescription": {"text": text},
            "properties": {"tags": [each.value]},
        }
        for each, text in _RULES.items()
    ]
    return {"name": "sparring", "version": version, "rules": rules}


def _invocation(review: FinishedReview) -> dict[str, Any]:
    """Whether it was a whole review; whoever counts results alone must not take silence for consent."""
    ended = conclusion(review.run)
    is_whole = ended.is_plain
    told = [*([] if is_whole else [ended.why or ended.headline]), *ended.doubts]
    level = "warning" if is_whole else "error"
    return {
        "executionSuccessful": is_whole,
        "startTimeUtc": f"{review.run.header.created_at:%Y-%m-%dT%H:%M:%SZ}",
        "endTimeUtc": f"{review.at:%Y-%m-%dT%H:%M:%SZ}",
        "toolExecutionNotifications": [
            {"level": level, "message": {"text": _plain(each.removeprefix("[WARN] "))}} for each in told
        ],
    }


def _result(review: FinishedReview, finding: ReviewFinding) -> dict[str, Any]:
    is_confirmed = finding.state is FindingState.CONFIRMED
    result: dict[str, Any] = {
        "ruleId": finding.defect.value,
        "ruleIndex": list(_RULES).index(finding.defect),
        "level": _LEVELS[finding.severity] if is_confirmed else "note",
        "message": {"text": _message(review, finding)},
        "locations": [{"physicalLocation": _location(finding.place)}] if finding.place else [],
        "partialFingerprints": {_FINGERPRINT: finding.id},
        "properties": {
            "state": finding.state,
            "severity": finding.severity,
            "families": finding.families,
            "confidence": max(each.said.confidence for each in finding.reporters),
            "outsideTheChange": finding.is_outside,
        },
    }
    if finding.dismissed:
        why = _plain(finding.dismissed)
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return result


def _message(review: FinishedReview, finding: ReviewFinding) -> str:
    said = finding.reporters[0].said
    parts = {"": finding.title, "Trigger: ": said.trigger, "Consequence: ": said.consequence, "Fix: ": said.fix}
    told = [f"{name}{_plain(text).rstrip('.')}." for name, text in parts.items() if text.strip()]
    state = "Confirmed" if finding.state is FindingState.CONFIRMED else "Contested"
    return "\n".join((*told, f"{state}: {_plain(review.who(finding))}."))


def _location(place: CodePlace) -> dict[str, Any]:
    """Where it is in the new file; of removed lines, the one before which they stood."""
    region: dict[str, Any] = {"startLine": place.first, "endLine": max(place.first, place.last)}
    if not place.is_removed:
        region["snippet"] = {"text": visible(for_terminal(place.text))}
    return {
        "artifactLocation": {"uri": quote(place.file, errors="replace"), "uriBaseId": _ROOT},
        "region": region,
    }


def _plain(text: str) -> str:
    """What somebody said as a plain message that holds no link."""
    return visible(one_line(text, _SHOWN)).replace("](", "] (")
