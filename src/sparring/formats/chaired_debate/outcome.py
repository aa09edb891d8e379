"""Outcome of a finished chaired debate: the winner, who decided, the grounds; and its page.

All of it comes from the outcome, which contains no removed words.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sparring.formats.chaired_debate.rulebook import DEBATERS
from sparring.reports.conclusion import Conclusion
from sparring.reports.page.elements import NOTHING, Html, element
from sparring.reports.page.pictures import Card, Figure, Pictures, badge, strip, tone_of
from sparring.reports.runs import FinishedRun, record_of
from sparring.schema import chaired_debate as schema
from sparring.schema.base import Role
from sparring.schema.lookups import SourceFinding, SourceStatus
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

_DECISIONS = {
    schema.DebateDecision.AFFIRMATIVE_WINS: "the affirmative wins",
    schema.DebateDecision.NEGATIVE_WINS: "the negative wins",
    schema.DebateDecision.DRAW: "a draw",
    schema.DebateDecision.VOID: "void",
}
STATUSES = {
    SourceStatus.VERIFIED: "verified",
    SourceStatus.UNRELIABLE: "unreliable",
    SourceStatus.FABRICATED: "fabricated",
    SourceStatus.UNREACHABLE: "unreachable (not checked)",
}
"""Words for the status of a source."""

_NO_DECISION = {
    schema.ChairedDebateStatus.FAILED: "a debater never spoke, or no opening counts",
    schema.ChairedDebateStatus.UNJUDGED: "the chair gave no usable one",
}
_WEAK = "resting on nothing that carries it"
_INCOMPLETE = "A debater failed before the end. The decision rests on what it had said."

_NOTHING_VERIFIED = "[WARN] No source was verified: the debaters' facts were not checked."


class FinishedChairedDebate(FinishedRun[schema.ChairedDebateRequest, schema.ChairedDebateOutcome]):
    """A chaired debate that has ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, schema.ChairedDebateRequest, schema.ChairedDebateOutcome)

    @property
    def notices(self) -> tuple[str, ...]:
        """Warnings for the reader, each line once."""
        if self.outcome.decision is not None and not self.statuses[SourceStatus.VERIFIED]:
            return (_NOTHING_VERIFIED, *super().notices)
        return super().notices

    @property
    def seats(self) -> tuple[schema.Seat, ...]:
        """The tool that answered last in each seat."""
        seats: list[schema.Seat] = []
        for role, participant in self.request.participants:
            respondent = self.respondent(participant, role)
            seats.append(record_of(schema.Seat, respondent, role=role, web=role in self.request.searching))
        return tuple(seats)

    @property
    def statuses(self) -> Counter[SourceStatus]:
        """Number of sources by status."""
        return Counter(checked.finding.status for checked in self.outcome.sources)

    @property
    def findings(self) -> Mapping[int, tuple[SourceFinding, ...]]:
        """Findings on the sources of each entry that cites any, in the order of its sources."""
        findings: dict[int, tuple[SourceFinding, ...]] = {}
        for checked in self.outcome.sources:
            findings[checked.seq] = (*findings.get(checked.seq, ()), checked.finding)
        return findings

    @property
    def points(self) -> tuple[schema.LogEntry, ...]:
        """Entries of the debaters that were not removed."""
        return tuple(entry for entry in self.outcome.log if entry.speaker in DEBATERS and not self.label(entry))

    def label(self, entry: schema.LogEntry) -> str:
        """``[STRUCK]`` or ``[REDACTED]`` for an entry of which only the reason is left, else empty.

        Other entries may contain the second label, too, if they repeated words that were removed later.
        """
        if entry.content.startswith(schema.STRUCK):
            return schema.STRUCK
        if entry.content.startswith(schema.REDACTED):
            for each in self.outcome.log:
                if each.type is schema.EntryType.REDACTION and each.target_seq == entry.seq:
                    return schema.REDACTED
        return ""

    def tool(self, role: Role) -> str:
        """The tools that answered in a seat with their models, e.g. ``claude (opus)``; empty without a seat."""
        seat = self.request.participant(role)
        return self.title_of(seat, role) if seat else ""


_WINNERS = {schema.DebateDecision.AFFIRMATIVE_WINS: Role.PROMOTER, schema.DebateDecision.NEGATIVE_WINS: Role.DETRACTOR}


def conclusion(debate: FinishedChairedDebate) -> Conclusion:
    """Return the conclusion of the debate of ``run``."""
    outcome = debate.outcome
    doubts = list(debate.notices)
    if outcome.status is schema.ChairedDebateStatus.INCOMPLETE:
        doubts.insert(0, _INCOMPLETE)
    shared: dict[str, Any] = {
        "about": ("Topic", debate.request.topic),
        "doubts": tuple(doubts),
        "citations": {status.value: debate.statuses[status] for status in STATUSES},
        "missing": _sources_not_there(debate),
        "answered_by": _answered_by(debate),
    }
    if outcome.decision is None:
        why = _NO_DECISION.get(outcome.status, outcome.status.value)
        return Conclusion(headline=f"Chaired debate: no decision: {why}", is_plain=False, **shared)
    winner = _WINNERS.get(outcome.decision)
    weak = f", {_WEAK}" if outcome.weak_grounds else ""
    return Conclusion(
        headline=f"Chaired debate: {_DECISIONS[outcome.decision]}{weak}",
        is_plain=not weak and outcome.status is schema.ChairedDebateStatus.COMPLETED,
        winner=next((seat.tool for seat in debate.seats if seat.role is winner), ""),
        winner_role=winner or "",
        label=outcome.decision,
        why=outcome.reasoning,
        firmness=_firmness(debate),
        **shared,
    )


def _answered_by(debate: FinishedChairedDebate) -> tuple[str, ...]:
    answered = {turn.role for turn in debate.run.transcript.turns if turn.answer}
    return tuple(f"{seat.role.display_name} {debate.tool(seat.role)}" for seat in debate.seats if seat.role in answered)


def _firmness(debate: FinishedChairedDebate) -> str:
    if debate.outcome.decided_by is schema.DecidedBy.RULE:
        firmness = "decided by the rules"
    else:
        firmness = f"decided by the chair, {debate.tool(Role.CHAIR)}"
    decisive = ", ".join(f"seq {seq}" for seq in debate.outcome.decisive)
    return f"{firmness}; it rests on {decisive}" if decisive else firmness


def _sources_not_there(debate: FinishedChairedDebate) -> tuple[str, ...]:
    """The first three addresses that do not exist or were made up."""
    fabricated = [
        source.finding for source in debate.outcome.sources if source.finding.status is SourceStatus.FABRICATED
    ]
    return tuple(dict.fromkeys(one_line(finding.url, 100) for finding in fabricated if finding.url))[:3]


_ROWS_SHOWN = 100


def key(entry: schema.LogEntry) -> str:
    """Return the name of ``entry`` in links."""
    return f"seq-{entry.seq}"


def pictures(debate: FinishedChairedDebate) -> Pictures:
    """The log, and the details of each entry."""
    cards = {key(entry): _card(debate, entry) for entry in debate.outcome.log}
    return Pictures((_log(debate),) if cards else (), cards, speeches_title="The log")


def _log(debate: FinishedChairedDebate) -> Figure:
    head = [element("th", name, scope="col") for name in ("Entry", "Phase", "Who", "What", "Its sources")]
    rows = [_row(debate, entry) for entry in debate.outcome.log[:_ROWS_SHOWN]]
    table = element("table", element("thead", element("tr", head)), element("tbody", rows))
    scrolled = element("div", table, class_="scroll", tabindex="0", role="group", aria_label="The log")
    more = len(debate.outcome.log) - _ROWS_SHOWN
    return Figure("The log", scrolled, f"{more} more below." if more > 0 else "", is_wide=True)


def _row(debate: FinishedChairedDebate, entry: schema.LogEntry) -> Html:
    number = element("th", element("a", f"seq {entry.seq}", href=f"#{key(entry)}"), scope="row")
    act = entry.type.value.replace("_", " ")
    if entry.rebuttal_to_seq:
        act += f" to seq {entry.rebuttal_to_seq}"
    removed = debate.label(entry).strip("[]").lower()
    mark = badge(removed, "bad") if removed else NOTHING
    speaker = badge(entry.speaker.value, tone_of(Role(entry.speaker.value)))
    cells = (entry.phase.value, speaker, (act, " ", mark), strip(_counts(debate, entry)))
    return element("tr", number, *(element("td", cell) for cell in cells))


def _counts(debate: FinishedChairedDebate, entry: schema.LogEntry) -> dict[str, int]:
    counts = Counter(finding.status for finding in debate.findings.get(entry.seq, ()))
    return {name: counts[status] for status, name in STATUSES.items() if counts[status]}


def _card(debate: FinishedChairedDebate, entry: schema.LogEntry) -> Card:
    removed = debate.label(entry).strip("[]").lower()
    statuses = {finding.status for finding in debate.findings.get(entry.seq, ())}
    marks: list[str] = []
    if removed:
        marks.append(removed)
    if SourceStatus.FABRICATED in statuses:
        marks.append("not found")
    return Card({"role": (entry.speaker.value,), "mark": tuple(marks)}, _counts(debate, entry))
