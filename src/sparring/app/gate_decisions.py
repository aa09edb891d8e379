"""Decide a gate's answer to a host from the findings of a review, earlier answers, and the user's settings.

No session is blocked more often than the limit, nor twice for the same reason; without a review the host may
proceed and is told why. Nothing is read or asked here.
"""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from pydantic import ValidationError

from sparring.errors import ConfigurationError
from sparring.schema import base, changes, gate, review
from sparring.schema.checks import CheckResult
from sparring.text.tidying import one_line

T = TypeVar("T")

_KEPT = 50
"""Maximum numbers of verdicts and of sessions that are remembered."""

_MOST_SHOWN = 500
_MOST_LISTED = 12
_CHECK_LINES = 12
_GAPS = 5
_LINE = 300
_OFF = "off"


class HostCall(Struct, frozen=True):
    """A host's call of the gate.

    Attributes:
        session: The host's name for the session.
        is_again: Whether the host reports that its agent works only because it was blocked.
        plan: The plan to be accepted.
    """

    event: gate.GateEvent
    session: str
    is_again: bool = False
    plan: str = ""

    @property
    def key(self) -> str:
        """Return the name of the session in the memory; blocks for plans and for work are counted apart."""
        return sha256(f"{self.event}\n{self.session}".encode(errors="replace")).hexdigest()[:16]


class GateDecision(Struct, frozen=True):
    """An answer to the host, and the new memory."""

    answer: gate.GateAnswer
    memory: gate.GateMemory


def rules_of(table: Mapping[str, object], file: Path) -> gate.GateRules:
    """Return the rules of ``[gate]`` in ``file``; raises ``ConfigurationError``."""
    fields = dict(table)
    if isinstance(named := fields.get("reviewers"), str):
        fields["reviewers"] = tuple(part.strip() for part in named.split(","))
    try:
        return gate.GateRules.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in ("gate", *first["loc"]))
        raise ConfigurationError(
            f"{file}: {key}: {one_line(first['msg'], _LINE)}.", hint="See docs/gates.md."
        ) from error


def threshold(rules: gate.GateRules, path: str) -> review.DefectSeverity | None:
    """Return the least severity at which a finding in that file blocks; None if none does."""
    least = rules.severity
    for pattern, severity in rules.paths.items():
        if fnmatchcase(path, pattern):
            least = severity
            break
    return None if least == _OFF else review.DefectSeverity(least)


def verdict_of(
    digest: str, run_id: base.RunId, outcome: review.ReviewOutcome, left_out: Iterable[changes.ExcludedFile] = ()
) -> gate.GateVerdict:
    """Return the verdict of a review that has ended.

    Args:
        digest: The identity of what was reviewed.
        run_id: The run of the review.
        outcome: The outcome of that run.
        left_out: The files that were not shown.
    """
    gaps = dict.fromkeys(f"{file.path} ({file.reason})" for file in left_out if file.reason.is_gap)
    confirmed: list[gate.GateFinding] = []
    for finding in outcome.findings:
        is_confirmed = finding.state is review.FindingState.CONFIRMED
        if not is_confirmed or finding.dismissed or finding.is_outside or not finding.place:
            continue
        confirmed.append(
            gate.GateFinding(
                id=finding.id,
                file=finding.place.file,
                line=finding.place.first,
                severity=finding.severity,
                defect=finding.defect,
                title=one_line(finding.title, _LINE),
                fix=one_line(finding.reporters[0].report.fix, _LINE),
                families=finding.families,
            )
        )
    has_answers = outcome.status is not review.ReviewStatus.FAILED
    is_whole = has_answers and outcome.status is not review.ReviewStatus.INCOMPLETE
    return gate.GateVerdict(
        digest=digest,
        run_id=run_id,
        summary=_summary(run_id, outcome, tuple(gaps)),
        confirmed=tuple(confirmed),
        is_whole=is_whole and outcome.has_quorum,
        has_quorum=outcome.has_quorum and has_answers,
    )


def _summary(run_id: base.RunId, outcome: review.ReviewOutcome, gaps: Sequence[str]) -> str:
    match outcome.status:
        case review.ReviewStatus.FAILED:
            ended = "No reviewer could review this, so it passed"
        case review.ReviewStatus.INCOMPLETE:
            ended = f"The review is not complete ({outcome.finding(None)})"
        case _:
            weaker = ", by a reviewer of the author's family with another model, which is weaker"
            ended = f"Reviewed ({outcome.finding(None)}{weaker if outcome.is_weaker else ''})"
    parts = [f"{ended}."]
    if gaps:
        more = f" and {len(gaps) - _GAPS} more" if len(gaps) > _GAPS else ""
        parts.append(f"Not shown: {one_line(', '.join(gaps[:_GAPS]), _LINE)}{more}.")
    parts += [one_line(notice, _LINE) for notice in outcome.notices[:3]]
    parts.append(f"Full report: sparring runs show {run_id}")
    return " ".join(parts)


def decided(
    asked: HostCall,
    verdict: gate.GateVerdict | None,
    memory: gate.GateMemory,
    rules: gate.GateRules,
    dismissed: Iterable[str] = (),
) -> GateDecision | None:
    """Return the answer; None if a review is needed to decide.

    Args:
        asked: The host's call.
        verdict: The verdict on the present state, of this review or an earlier one; None if there is none.
        memory: Earlier answers.
        rules: The user's settings.
        dismissed: The ids of dismissed findings.
    """
    session = gate.GateSession(id=asked.key)
    others: list[gate.GateSession] = []
    for known in memory.sessions:
        if known.id == asked.key:
            session = known
        else:
            others.append(known)
    no_more = _no_more(asked, session, rules)
    if verdict is None:
        if not no_more:
            return None
        return _passing(memory, f"nothing was reviewed; passed, since {no_more}.")

    dismissed = frozenset(dismissed)
    blocking = BlockingFindings(
        tuple(finding for finding in verdict.confirmed if finding.id not in dismissed and _blocks(finding, rules)),
        tuple(check for check in verdict.checks if check.exit_code not in (0, None)),
    )
    is_new = verdict not in memory.verdicts
    memory = with_verdict(memory, verdict)
    if not blocking:
        return _passing(memory, _news(verdict, is_new=is_new))
    ids = blocking.ids(verdict.digest)
    if {*ids} <= {*session.shown}:
        no_more = "nothing has changed since they were shown"  # the agent has seen them, and decided otherwise
    if no_more:
        return _passing(memory, f"{blocking.count} still there; passed, since {no_more}: {blocking.places}")
    shown = tuple(dict.fromkeys((*session.shown, *ids)))[-_MOST_SHOWN:]
    session = gate.GateSession(id=session.id, blocks=session.blocks + 1, shown=shown)
    memory = memory.model_copy(update={"sessions": latest([*others, session])})
    return GateDecision(gate.GateAnswer(text=reason(blocking, verdict.run_id), blocks=True), memory)


def with_verdict(memory: gate.GateMemory, verdict: gate.GateVerdict) -> gate.GateMemory:
    """Return ``memory`` with ``verdict`` if enough reviewers answered: what could not be reviewed has no verdict."""
    if not verdict.has_quorum:
        return memory
    verdicts = [each for each in memory.verdicts if each.digest != verdict.digest]
    begun = tuple(each for each in memory.runs if each.digest != verdict.digest)
    return memory.model_copy(update={"verdicts": latest([*verdicts, verdict]), "runs": begun})


def _news(verdict: gate.GateVerdict, *, is_new: bool) -> str:
    """Return the text of an answer that does not block: news, and in every case anything that is missing."""
    unended = [each.in_words for each in verdict.checks if each.exit_code is None]
    missing = f"[WARN] {'; '.join(unended)}." if unended else ""
    remark = verdict.summary if is_new or not verdict.is_whole else ""
    return " ".join(part for part in (missing, remark) if part)


class BlockingFindings(Struct, frozen=True):
    """The findings and failed checks that block."""

    findings: tuple[gate.GateFinding, ...] = ()
    checks: tuple[CheckResult, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.findings or self.checks)

    def ids(self, digest: str) -> tuple[str, ...]:
        """Return the id of each: a finding keeps its id while its code is unchanged, a check while the change is."""
        checks = (changes.digest_of(digest, check.command, check.exit_code) for check in self.checks)
        return (*(finding.id for finding in self.findings), *checks)

    @property
    def count(self) -> str:
        """E.g. ``2 findings that block are``."""
        checks, findings = len(self.checks), len(self.findings)
        counts: list[str] = []
        if checks:
            counts.append("1 failed check" if checks == 1 else f"{checks} failed checks")
        if findings:
            counts.append("1 finding that blocks" if findings == 1 else f"{findings} findings that block")
        verb = "is" if checks + findings == 1 else "are"
        return f"{' and '.join(counts)} {verb}"

    @property
    def places(self) -> str:
        """Return the places of the first findings."""
        named = [each.command for each in self.checks] + [f"{each.file}:{each.line}" for each in self.findings]
        return f"{', '.join(named[:3])}{' ...' if len(named) > 3 else ''}"


def reason(blocking: BlockingFindings, run_id: base.RunId) -> str:
    """Return the reason for the block, for the agent."""
    lines = [f"sparring: {blocking.count} to be fixed first."]
    for each in blocking.checks:
        lines += [f"Check `{each.in_words}`. Its last lines:", *(f"    {line}" for line in each.lines[-_CHECK_LINES:])]
    if blocking.findings:
        lines.append("Findings were confirmed by models of two families. Check each in the code and fix it.")
        lines.append('Dismiss a false alarm with its reason: sparring review dismiss ID "..."')
    for number, each in enumerate(blocking.findings[:_MOST_LISTED], 1):
        kind = f"{each.severity}, {each.defect}"
        lines.append(
            f"{number}. {each.file}:{each.line} [{kind}] {each.title} (ID {each.id}; {', '.join(each.families)})"
        )
        lines.append(f"   Fix: {each.fix}")
    more = len(blocking.findings) - _MOST_LISTED
    if more > 0:
        lines.append(f"... and {more} more.")
    lines.append(f"Full report: sparring runs show {run_id}")
    return "\n".join(lines)


def allow(why: str) -> gate.GateAnswer:
    """Return the answer when there is no review to decide by."""
    return gate.GateAnswer(text=f"sparring: nothing was reviewed, so it passed: {one_line(why, 2 * _LINE)}")


def _blocks(finding: gate.GateFinding, rules: gate.GateRules) -> bool:
    least = threshold(rules, finding.file)
    return least is not None and finding.severity.is_at_least(least)


def _passing(memory: gate.GateMemory, remark: str) -> GateDecision:
    return GateDecision(gate.GateAnswer(text=f"sparring: {remark}" if remark else ""), memory)


def latest(records: Sequence[T]) -> tuple[T, ...]:
    """Return those of ``records`` that are remembered."""
    return tuple(records[-_KEPT:])


def _no_more(asked: HostCall, session: gate.GateSession, rules: gate.GateRules) -> str:
    """Return why the session is not blocked any more; empty if it may be."""
    if session.blocks >= rules.rounds:
        return f"this session was blocked as often as allowed ({session.blocks})"
    if asked.is_again and not session.blocks:
        return "the host's agent was already blocked, though not by this gate"
    return ""
