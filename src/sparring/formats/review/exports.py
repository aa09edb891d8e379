"""A review in formats of other programs: as comments on the changed lines, and in SARIF for code scanning.

Nothing is posted: comments have the form that the interfaces of GitHub and GitLab accept. Only lines that a host shows
in a change can have comments: the changed lines and a few around them. Other findings are in the summary. Reviewers'
words notify no user, refer to nothing, and give the host no command. A message of SARIF may contain links; a space
breaks the syntax of links in the words of reviewers.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from sparring.errors import UsageError
from sparring.formats.review.outcome import FinishedReview, Heading, conclusion, in_words, point
from sparring.reports.markdown import literal
from sparring.schema.changes import ChangeKind, ExcludedFile, FileChange, LineMark, ReviewedChange, ReviewedFile
from sparring.schema.checks import CheckResult
from sparring.schema.review import (
    CodePlace,
    DefectClass,
    DefectSeverity,
    FindingState,
    ReviewFinding,
    ReviewRequest,
)
from sparring.schema.runs import Request, Run
from sparring.text.tidying import for_terminal, one_line, visible

_AROUND = 3
"""Lines around a changed one that hosts show."""

_TEXT_SHOWN, _TITLE_SHOWN, _POINT_SHOWN = 1_500, 200, 600
_IN_SUMMARY = 40
_REFERENCE = re.compile(r"@(?=\w)|[#!](?=\d)")
_NO_WIDTH = "\u200b"

_COMPARED_HINT = "Name them: sparring review BASE..HEAD, as the merge request compares them."


def github(run: Run) -> str:
    """The body of ``POST /repos/{owner}/{repo}/pulls/{number}/reviews``."""
    review = FinishedReview(run)
    head = review.request.change.head
    anchored, rest = _anchored(review)
    comments = [
        {"path": lines.file.path, **_side(lines), "body": _comment(review, finding)} for finding, lines in anchored
    ]
    commit = {"commit_id": head} if head else {}
    return _json(commit | {"event": "COMMENT", "body": _summary(review, rest), "comments": comments})


def gitlab(run: Run) -> str:
    """``note`` for ``POST /projects/:id/merge_requests/:iid/notes``, and each of ``discussions`` for ``…/discussions``.

    Raises:
        UsageError: The subject of the review is no difference between two commits.
    """
    review = FinishedReview(run)
    change = review.request.change
    problem = not_for_gitlab(review.request)
    if problem:
        raise UsageError(problem, hint=_COMPARED_HINT)
    commits = {"position_type": "text", "base_sha": change.base, "start_sha": change.base, "head_sha": change.head}
    anchored, rest = _anchored(review, needs_old=True)
    discussions: list[dict[str, Any]] = []
    for finding, lines in anchored:
        discussions.append({"position": commits | _position(lines), "body": _comment(review, finding)})
    return _json({"note": {"body": _summary(review, rest)}, "discussions": discussions})


def not_for_gitlab(request: Request) -> str:
    """Return why no GitLab export of such a review is possible; empty if it is."""
    change = request.change if isinstance(request, ReviewRequest) else None
    is_compared = change and change.base and change.head
    return "" if is_compared else "Comments for GitLab need two commits, and the working tree is none."


# -- Where in the change -------------------------------------------------------------------------------------------


class _HostLine(Struct, frozen=True):
    """A line that a host shows. ``old``: its number before the change; None: it is not known."""

    new: int
    old: int | None
    mark: str
    text: str


class _Commented(Struct, frozen=True):
    file: ReviewedFile
    first: _HostLine
    last: _HostLine


class _HostLines:
    def __init__(self, change: ReviewedChange) -> None:
        self._files = {each.path: each for each in change.files} if change.kind is ChangeKind.DIFF else {}
        self._partial = {each.path for each in change.left_out}  # hunks of them are missing, and so are their lines
        self._lines: dict[str, list[_HostLine]] = {}

    def at(self, place: CodePlace) -> _Commented | None:
        """The last block of adjacent lines of ``place`` in the host's view; None if it shows none of them."""
        if place.file not in self._files:
            return None
        if place.file not in self._lines:
            self._lines[place.file] = list(self._of(self._files[place.file]))
        matching = [line for line in self._lines[place.file] if _is_in(line, place)]
        if not matching:
            return None
        first = last = matching[-1]
        for line in reversed(matching[:-1]):
            if not _follows(line, first):
                break
            first = line
        return _Commented(self._files[place.file], first, last)

    def _of(self, file: ReviewedFile) -> Iterator[_HostLine]:
        """Yield the lines that a host shows: the changed ones with a few around them.

        Hosts show fewer unchanged lines than reviewers were shown.
        """
        # Old numbers are new ones plus the lines removed so far, less those added. With hunks missing they are unknown.
        shift: int | None = None if file.path in self._partial else 0
        for hunk in file.hunks:
            numbered = hunk.numbered
            changed = [index for index, (_, mark, _) in enumerate(numbered) if mark != LineMark.KEPT]
            shown = {index + step for index in changed for step in range(-_AROUND, _AROUND + 1)}
            for index, (new, mark, text) in enumerate(numbered):
                if index in shown:
                    yield _HostLine(new, None if shift is None else new + shift, mark, text)
                if shift is not None:
                    shift += (mark == LineMark.REMOVED) - (mark == LineMark.ADDED)


def _is_in(line: _HostLine, place: CodePlace) -> bool:
    if not place.first <= line.new <= place.last:
        return False
    if not place.is_removed:
        return line.mark != LineMark.REMOVED
    stripped = {line.strip() for line in place.text.splitlines()}
    return line.mark == LineMark.REMOVED and line.old is not None and line.text.strip() in stripped


def _follows(before: _HostLine, line: _HostLine) -> bool:
    if line.mark == LineMark.REMOVED:
        return before.old is not None and line.old == before.old + 1
    return line.new == before.new + 1


def _anchored(
    review: FinishedReview, *, needs_old: bool = False
) -> tuple[list[tuple[ReviewFinding, _Commented]], list[ReviewFinding]]:
    """Split findings into those with a line and the rest; ``needs_old`` excludes kept lines without an old number."""
    shown = _HostLines(review.request.change)
    anchored, rest = list[tuple[ReviewFinding, _Commented]](), list[ReviewFinding]()
    for finding in review.of(Heading.TO_FIX, Heading.CONTESTED, Heading.OUTSIDE):
        lines = shown.at(finding.place) if finding.place and not finding.is_outside else None
        if lines is None or (needs_old and lines.last.mark == LineMark.KEPT and lines.last.old is None):
            rest.append(finding)
        else:
            anchored.append((finding, lines))
    return anchored, rest


def _side(lines: _Commented) -> dict[str, Any]:
    """GitHub numbers removed lines on the left side of the diff, and all others on the right one."""
    if lines.last.mark == LineMark.REMOVED:
        side, first, last = "LEFT", lines.first.old, lines.last.old
    else:
        side, first, last = "RIGHT", lines.first.new, lines.last.new
    if first == last:
        return {"line": last, "side": side}
    return {"start_line": first, "start_side": side, "line": last, "side": side}


def _position(lines: _Commented) -> dict[str, Any]:
    """GitLab knows an added line by its new number, a removed one by its old, and any other by both."""
    file, line = lines.file, lines.last
    paths = {"old_path": file.old_path if file.change is FileChange.RENAMED else file.path, "new_path": file.path}
    numbers = {"old_line": line.old, "new_line": line.new}
    if line.mark == LineMark.ADDED:
        del numbers["old_line"]
    elif line.mark == LineMark.REMOVED:
        del numbers["new_line"]
    return paths | numbers


# -- In words ------------------------------------------------------------------------------------------------------


def _comment(review: FinishedReview, finding: ReviewFinding) -> str:
    contested = "contested, " if finding.state is FindingState.CONTESTED else ""
    title = _inert(one_line(finding.title, _TITLE_SHOWN))
    paragraphs = [f"**{contested}{finding.severity} {finding.defect.replace('_', ' ')}**: {title}"]
    for name, text in in_words(finding.reporters[0].report, "").items():
        paragraphs.append(f"**{name.rstrip(': ')}**: {_inert(one_line(text, _TEXT_SHOWN))}")
    paragraphs.append(f"Found by {_inert(review.who(finding))} (sparring, {finding.id})")
    return "\n\n".join(paragraphs)


def _summary(review: FinishedReview, rest: Sequence[ReviewFinding]) -> str:
    """Summarise the conclusion, the doubts, and the findings that no comment can be attached to."""
    ended = conclusion(review)
    paragraphs = [f"**{_inert(ended.headline)}**"]
    paragraphs += [_inert(text.removeprefix("[WARN] ")) for text in (ended.why, ended.firmness, *ended.doubts) if text]
    points = [f"- {_inert(one_line(point(review, finding), _POINT_SHOWN))}" for finding in rest[:_IN_SUMMARY]]
    if len(rest) > _IN_SUMMARY:
        points.append(f"- … and {len(rest) - _IN_SUMMARY} more")
    if points:
        paragraphs.append("\n".join(points))
    return "\n\n".join(paragraphs)


def _inert(text: str) -> str:
    """``text`` unchanged for the reader, in one line: no markup, mention, reference or command takes effect."""
    return _REFERENCE.sub(lambda sign: sign[0] + _NO_WIDTH, literal(text))


def _json(payload: dict[str, Any]) -> str:
    return json.dumps(payload, indent=2) + "\n"


# -- SARIF 2.1.0: confirmed and contested findings as results ------------------------------------------------------

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_FINGERPRINT = "sparringFinding/v1"
_SHOWN = 2_000

_RULES = {
    DefectClass.BUG: "It does not do what it is meant to.",
    DefectClass.SECURITY: "A user can do or learn what they must not.",
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
_MAY_BE_TRUE = (Heading.TO_FIX, Heading.CONTESTED, Heading.OUTSIDE, Heading.DISMISSED)


def sarif(run: Run) -> str:
    """The log of a finished review."""
    review = FinishedReview(run)
    change = review.request.change
    properties: dict[str, Any] = {"status": review.outcome.status}
    if change.base:
        properties["base"] = change.base
    if change.head:
        properties["head"] = change.head
    if change.left_out:
        properties["leftOut"] = [_left_out(file) for file in change.left_out]
    if review.request.authors:
        properties["authors"] = [_plain(author.family) for author in review.request.authors]
    if review.outcome.is_weaker:
        properties["weaker"] = True
    log: dict[str, Any] = {
        "tool": {"driver": _driver(run.header.sparring_version)},
        "automationDetails": {"id": f"sparring-review/{run.header.run_id}"},
        "invocations": [_invocation(review), *map(_check, review.request.checks)],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the project."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(review, finding) for finding in review.of(*_MAY_BE_TRUE)],
        "properties": properties,
    }
    return _json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [log]})


def _left_out(file: ExcludedFile) -> dict[str, Any]:
    return {"uri": quote(file.path, errors="replace"), "reason": file.reason, "keepsFromComplete": file.reason.is_gap}


def _check(check: CheckResult) -> dict[str, Any]:
    """A command of the user as a separate invocation."""
    invocation: dict[str, Any] = {"commandLine": _plain(check.command), "executionSuccessful": check.exit_code == 0}
    if check.exit_code is not None:
        invocation["exitCode"] = check.exit_code
    invocation["properties"] = {"lastLines": [_plain(line) for line in check.lines]}
    return invocation


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
    """Return whether the review was complete; a program that only counts results must not read silence as consent."""
    ended = conclusion(review)
    is_whole = ended.is_plain
    notes = list(ended.doubts)
    if not is_whole:
        notes.insert(0, ended.why or ended.headline)
    level = "warning" if is_whole else "error"
    return {
        "executionSuccessful": is_whole,
        "startTimeUtc": f"{review.run.header.created_at:%Y-%m-%dT%H:%M:%SZ}",
        "endTimeUtc": f"{review.at:%Y-%m-%dT%H:%M:%SZ}",
        "toolExecutionNotifications": [
            {"level": level, "message": {"text": _plain(each.removeprefix("[WARN] "))}} for each in notes
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
            "confidence": max(each.report.confidence or 0 for each in finding.reporters) or None,
            "outsideTheChange": finding.is_outside,
        },
    }
    if finding.dismissed:
        why = _plain(finding.dismissed)
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return result


def _message(review: FinishedReview, finding: ReviewFinding) -> str:
    report = finding.reporters[0].report
    lines = [f"{name}{_plain(text).rstrip('.')}." for name, text in in_words(report, finding.title).items()]
    state = "Confirmed" if finding.state is FindingState.CONFIRMED else "Contested"
    return "\n".join((*lines, f"{state}: {_plain(review.who(finding))}."))


def _location(place: CodePlace) -> dict[str, Any]:
    """Return the SARIF location in the new file; for removed lines, the line that follows them."""
    region: dict[str, Any] = {"startLine": place.first, "endLine": max(place.first, place.last)}
    if not place.is_removed:
        region["snippet"] = {"text": visible(for_terminal(place.text))}
    return {
        "artifactLocation": {"uri": quote(place.file, errors="replace"), "uriBaseId": _ROOT},
        "region": region,
    }


def _plain(text: str) -> str:
    return visible(one_line(text, _SHOWN)).replace("](", "] (")
