"""A finished review of records made by hand: one finding of every state, a reviewer that failed, files left out."""

from collections.abc import Iterator
from typing import Any

from sparring.schema import review as schema
from sparring.schema.authors import Independence
from sparring.schema.base import Role
from sparring.schema.changes import (
    ChangeKind,
    ExcludedFile,
    ExclusionReason,
    FileChange,
    Hunk,
    ReviewedChange,
    ReviewedFile,
)
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.runs import Run
from sparring.schema.transcript import Turn, TurnKind
from support.runs import answer, failure, run, turn

PAY = ReviewedFile(
    path="shop/pay ment.py",
    change=FileChange.MODIFIED,
    hunks=(
        Hunk(
            first=38,
            lines=(
                " def charge(order):",
                "     amount = order.total",
                "-    with lock(order):",
                "-        return send(amount, key=order.id)",
                "+    for attempt in range(3):",
                "+        try:",
                "+            return send(amount)",
                "+        except Timeout:",
                "+            continue",
                " ",
                " def refund(order):",
                "     return send(-order.total)",
            ),
        ),
    ),
)
OLD = ReviewedFile(
    path="shop/keys.py",
    old_path="shop/locks.py",
    facts=("renamed from shop/locks.py",),
    change=FileChange.RENAMED,
    hunks=(Hunk(first=1, lines=("+A = 1", " B = 2")),),
)


def request(**changes: Any) -> schema.ReviewRequest:
    """Three reviewers of three families on two files in one part."""
    change: dict[str, Any] = {
        "kind": ChangeKind.DIFF,
        "title": "main..topic",
        "base": "1" * 40,
        "head": "2" * 40,
        "files": (PAY, OLD),
        "left_out": (ExcludedFile(path="uv.lock", reason=ExclusionReason.GENERATED),),
        "parts": ((0, 1),),
    }
    reviewers = (
        schema.Reviewer(tool="claude", model="opus", family="anthropic"),
        schema.Reviewer(tool="codex", family="openai"),
        schema.Reviewer(tool="gemini", family="google"),
    )
    fields: dict[str, Any] = {"about": "Retry a charge that timed out.", "reviewers": reviewers}
    given = ReviewedChange(**change | changes.pop("change", {}))
    return schema.ReviewRequest(change=given, **fields | changes)


def reported(line: int, quote: str, **changes: Any) -> schema.ReportedFinding:
    """A critical bug there."""
    fields: dict[str, Any] = {
        "file": PAY.path,
        "line": line,
        "end_line": line + quote.count("\n"),
        "quote": quote,
        "defect": schema.DefectClass.BUG,
        "severity": schema.DefectSeverity.CRITICAL,
        "title": "A charge is sent again without a key",
        "trigger": "send() times out after the provider has charged",
        "consequence": "the customer pays twice",
        "fix": "Pass key=order.id.",
        "confidence": 0.9,
    }
    return schema.ReportedFinding(**fields | changes)


def finding(
    state: schema.FindingState, *said: schema.ReportedFinding, by: tuple[int, ...] = (1,), **changes: Any
) -> schema.ReviewFinding:
    """A finding made of what was said, by the reviewers of those numbers."""
    first = said[0]
    place = schema.CodePlace(file=first.file, first=first.line, last=first.end_line, text=first.quote)
    anchorings = changes.pop("anchoring", schema.Anchoring.EXACT)
    families = ("anthropic", "openai", "google")
    fields: dict[str, Any] = {
        "id": schema.finding_id(first.file, first.defect, first.quote, schema.CodeSurroundings()),
        "state": state,
        "defect": first.defect,
        "severity": first.severity,
        "title": first.title,
        "place": None if state is schema.FindingState.STRUCK else place,
        "reporters": tuple(
            schema.Reporter(reviewer=number, report=each, anchoring=anchorings)
            for number, each in zip(by, said, strict=True)
        ),
        "families": tuple(families[number - 1] for number in by),
    }
    return schema.ReviewFinding(**fields | changes)


def examined(verdict: schema.Examination, quote: str = "send(amount)", **changes: Any) -> schema.Examined:
    """Return codex's examination of the finding."""
    said = schema.CrossExamination(
        verdict=verdict, file=PAY.path, line=42, quote=quote, reason="Because `send` says so."
    )
    place = schema.CodePlace(file=PAY.path, first=42, last=42, text=f"            return {quote}")
    fields: dict[str, Any] = {"examiner": 2, "verdict": verdict, "examination": said, "place": place}
    return schema.Examined(**fields | changes)


SEND = "            return send(amount)"
FINDINGS = (
    finding(schema.FindingState.CONFIRMED, reported(42, SEND), reported(42, SEND, severity="major"), by=(1, 2)),
    finding(
        schema.FindingState.CONFIRMED,
        reported(40, "    for attempt in range(3):", defect="concurrency", severity="major", title="No lock any more"),
        examined=examined(schema.Examination.CONFIRMED),
    ),
    finding(
        schema.FindingState.CONTESTED,
        reported(43, "        except Timeout:", defect="api", severity="minor", title="`None` is returned at the end"),
        examined=examined(schema.Examination.UNSURE, place=None, cause="what it quotes stands nowhere"),
    ),
    finding(
        schema.FindingState.CONFIRMED,
        reported(47, "    return send(-order.total)", severity="minor", title="A refund has no key either"),
        reported(47, "    return send(-order.total)", severity="minor"),
        by=(1, 2),
        is_outside=True,
    ),
    finding(
        schema.FindingState.CONTESTED,
        reported(41, "        try:", defect="style", severity="note", title="Nested too deeply"),
        dismissed="We like it so.",
    ),
    finding(
        schema.FindingState.REFUTED,
        reported(44, "            continue", defect="performance", severity="note", title="It waits for nothing"),
        examined=examined(schema.Examination.REFUTED),
    ),
    finding(
        schema.FindingState.STRUCK,
        reported(9, "eval(order)", defect="security", severity="critical", title="Whatever comes in is run"),
        anchoring=schema.Anchoring.NO_QUOTE,
    ),
)


def said(number: int, reply: Reply, *, kind: TurnKind = TurnKind.FINDINGS, part: int = 1) -> Turn:
    """A turn of the reviewer of that number."""
    role = Role.REVIEWER if kind is TurnKind.FINDINGS else Role.EXAMINER
    ask_id = f"findings.{part}.{number}" if kind is TurnKind.FINDINGS else f"examination.{part}"
    return turn(kind, role, reply, minute=number, ask_id=ask_id).model_copy(update={"number": number})


def review(
    status: schema.ReviewStatus = schema.ReviewStatus.INCOMPLETE,
    findings: tuple[schema.ReviewFinding, ...] = FINDINGS,
    answered: tuple[tuple[int, ...], ...] = ((1, 2),),
    turns: tuple[Turn, ...] | None = None,
    **changes: Any,
) -> Run:
    """A finished review of which gemini failed."""
    asked = request(**changes)
    tools = [*(each.tool for each in asked.reviewers), "codex", "gemini"]
    usual = (
        said(1, answer('{"findings": []}', model="opus-4", tool=tools[0])),
        said(2, answer('{"findings": []}', tool=tools[1])),
        said(3, failure(FailureCode.TIMEOUT, tool=tools[2])),
    )
    notices = tuple(
        f"[WARN] {name} has not reviewed it: timeout: no answer in time."
        for number, name in enumerate(("claude", "codex", "gemini"), start=1)
        if not all(number in part for part in answered)
    )
    seats = range(1, len(asked.reviewers) + 1)
    outcome = schema.ReviewOutcome(
        status=status,
        findings=findings,
        answered=answered,
        incomplete_reviewers=tuple(tuple(number for number in seats if number not in part) for part in answered),
        counted=tuple(dict(_counted(asked, part)) for part in answered),
        notices=notices,
    )
    return run(asked, usual if turns is None else turns, outcome)


def _counted(asked: schema.ReviewRequest, part: tuple[int, ...]) -> Iterator[tuple[str, Independence]]:
    for number in part:
        reviewer = asked.reviewers[number - 1]
        how = asked.independence_of(number, reviewer.tool, None)
        if how is not Independence.SAME:
            yield reviewer.family, how
