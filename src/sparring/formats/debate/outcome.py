"""Outcome of a finished debate as Markdown: speakers, findings on citations, ballots."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from sparring.engine.course import UnusableReplyError, read_answer
from sparring.formats.debate.marks import current_speeches, is_supplement
from sparring.formats.debate.replies import FirstBallot, read_ballot
from sparring.formats.debate.speeches import as_side, order_of
from sparring.formats.debate.verdict import deciding
from sparring.reports.markdown import Section, bullets, inline, optional_section
from sparring.reports.runs import FinishedRun
from sparring.schema import base, lookups, runs, transcript
from sparring.schema import debate as schema
from sparring.schema.judgement import Ballot, Order
from sparring.text.tidying import one_line


class FinishedDebate(FinishedRun[schema.DebateRequest, schema.DebateOutcome]):
    """A debate that has ended."""

    def __init__(self, run: runs.Run) -> None:
        super().__init__(run, schema.DebateRequest, schema.DebateOutcome)

    @property
    def notices(self) -> tuple[str, ...]:
        """Warnings for the reader without duplicates, those about the ending before those about the arrangement.

        So the defects of the verdict, and a notice that nothing was verified, stand at the very top.
        """
        return tuple(dict.fromkeys((*self.outcome.notices, *super().notices)))

    @property
    def exchanges(self) -> tuple[schema.Exchange, ...]:
        """Speeches in order, without failures; of a returned speech, its second version."""
        exchanges: list[schema.Exchange] = []
        for turn in self._speeches:
            respondent = turn.respondent
            if turn.answer and respondent:
                exchange = schema.Exchange(
                    round=turn.round,
                    role=as_side(turn.role),
                    tool=respondent.tool,
                    stands_in_for=respondent.stands_in_for,
                    response=turn.answer.response,
                    duration_ms=turn.answer.duration_ms,
                )
                exchanges.append(exchange)
        return tuple(exchanges)

    def name(self, role: base.Role) -> str:
        """The tool of a side; the role is added if both sides have the same tool."""
        proposer, challenger = (self.name_of(self.request.participant(side), side) for side in schema.SPEAKING_ORDER)
        tool = proposer if role is base.Role.PROPOSER else challenger
        return f"{tool} ({role})" if proposer == challenger else tool

    def seated(self, role: base.Role) -> str:
        """The tool of a side, followed by the role."""
        return f"{self.name_of(self.request.participant(role), role)} ({role})"

    def place(self, round_: int, role: base.Role) -> str:
        """E.g. ``Round 2, challenger (codex)``."""
        names = (turn.tool_name for turn in self._speeches if (turn.round, turn.role) == (round_, role))
        return f"Round {round_}, {role} ({next(names, self.request.participant(role).tool)})"

    def judge_name(self, number: int) -> str:
        """E.g. ``judge (gemini)``, in a panel ``judge 2 (gemini)``."""
        judge = f"judge {number}" if self.judges_asked > 1 else "judge"
        return f"{judge} ({self.name_of(self.request.possible_judges[number - 1], base.Role.JUDGE, number)})"

    def seat(self, role: base.Role) -> str:
        """The tool that spoke for a side, and its model."""
        return self.title_of(self.request.participant(role), role)

    def judge_seat(self, number: int) -> str:
        """The tool that judged, and its model."""
        return self.title_of(self.request.possible_judges[number - 1], base.Role.JUDGE, number)

    def participant(self, role: base.Role) -> base.StateParticipant:
        """The tool that spoke last for a side."""
        return self.respondent(self.request.participant(role), role)

    @property
    def judges(self) -> tuple[base.StateParticipant, ...]:
        """The tools that judged; the first one also makes the summaries."""
        return tuple(
            self.respondent(judge, base.Role.JUDGE, number)
            for number, judge in enumerate(self.request.possible_judges[: self.judges_asked], start=1)
        )

    @cached_property
    def judges_asked(self) -> int:
        """The number of judges; the further one counts only if it was asked."""
        asked = (turn.number for turn in self.run.transcript.turns if turn.kind is transcript.TurnKind.SYNTHESIS)
        return max((len(self.request.judges), *asked))

    def speech(self, turn: transcript.Turn) -> str:
        """Return the words of ``turn``, with the line that was asked for later if one was missing."""
        complete = next((speech for speech in self._speeches if speech.ask_id == turn.ask_id), turn)
        return complete.answer.response if complete.answer else ""

    @cached_property
    def _speeches(self) -> tuple[transcript.Turn, ...]:
        """See ``marks.display_name``: one for each round and side."""
        return current_speeches(self.run.transcript.turns)

    def is_superseded(self, turn: transcript.Turn) -> bool:
        """Return whether the same ask was repeated and answered."""
        return any(
            other.answer and _place(other) == _place(turn) and other.attempt > turn.attempt
            for other in self.run.transcript.turns
            if not is_supplement(other)
        )

    @cached_property
    def ballots(self) -> Mapping[str, Ballot]:
        """Ballots by the ids of the judges' asks: of two replies, the last that can be parsed."""
        asks: dict[tuple[int, Order], str] = {}
        is_readable: dict[tuple[int, Order], bool] = {}
        for turn in self.run.transcript.turns:
            if turn.kind is not transcript.TurnKind.SYNTHESIS or not turn.answer:
                continue
            place = (turn.number, order_of(turn))
            has_ballot = ballot_in(turn) is not None
            if has_ballot or not is_readable.get(place, False):
                asks[place], is_readable[place] = turn.ask_id, has_ballot
        ballots = self.outcome.judgement.ballots if self.outcome.judgement else ()
        return {asks[ballot.judge, ballot.order]: ballot for ballot in ballots if (ballot.judge, ballot.order) in asks}

    def ledger(self, round_: int, role: base.Role) -> schema.SpeechLedger | None:
        """Return the citations of that speech; None if they were not looked up."""
        return next((each for each in self.outcome.ledgers if (each.round, each.role) == (round_, role)), None)

    def cited(self, status: lookups.CitationStatus, *roles: base.Role) -> tuple[lookups.LedgerEntry, ...]:
        """The citations with that status, by all roles or by ``roles``; a citation of several speakers occurs once."""
        speeches = [each for each in self.outcome.ledgers if not roles or each.role in roles]
        return _different([speech.ledger for speech in speeches if speech.ledger], status)

    def missing(self, part: schema.VerdictPart) -> tuple[str, ...]:
        """Return the citations of that part of the verdict that code did not find, one line each."""
        ledgers = [each.ledger for each in self.outcome.verdict_ledgers if each.ledger and each.part is part]
        lines = [f"Not found: {_with_reason(entry)}" for entry in _different(ledgers, lookups.CitationStatus.NOT_FOUND)]
        if self.outcome.judgement and self.outcome.verdict and part is schema.VerdictPart.AGREEMENTS:
            ballot = deciding(self.outcome.judgement)
            lines += [f"No side has said: “{inline(quote)}”" for quote in ballot.unsaid]
            lines += [f"Says otherwise: “{inline(quote)}”" for quote in ballot.contrary]
            lines += [f"Not compared with its agreement: “{inline(quote)}”" for quote in ballot.uncompared]
        return tuple(lines)

    @property
    def agreements(self) -> tuple[str, ...]:
        """The verdict's agreements as the specification words them."""
        agreements = self.outcome.verdict.agreements if self.outcome.verdict else ()
        return tuple(f"{agreed.point} (evidence: {agreed.evidence or 'none given'})" for agreed in agreements)

    @property
    def disagreements(self) -> tuple[str, ...]:
        """The verdict's disagreements as the specification words them; one without both positions is only named."""
        proposer, challenger = self.name(base.Role.PROPOSER), self.name(base.Role.CHALLENGER)
        lines: list[str] = []
        for disputed in self.outcome.verdict.disagreements if self.outcome.verdict else ():
            line = disputed.point
            if disputed.proposer and disputed.challenger:
                line += f": {proposer} argues {disputed.proposer}, {challenger} argues {disputed.challenger}"
            lines.append(line)
        return tuple(lines)


def ballot_in(turn: transcript.Turn) -> FirstBallot | None:
    """Return the ballot in a judge's reply; None if there is no readable one."""
    if turn.answer is None:
        return None
    try:
        return read_answer(turn.answer, partial(read_ballot, order=order_of(turn))).value
    except UnusableReplyError:
        return None


def _place(turn: transcript.Turn) -> tuple[object, ...]:
    return (turn.kind, turn.round, turn.role, turn.number, turn.order)


RIGOR_OF_MODELS = "Structured perspective comparison (prompt-enforced adversarial rules, no deterministic verification)"
"""Literally as in the specification; it is true if no citation was verified."""

_UNSUPPORTED_SHOWN = 10
"""Claims of one speech that are listed; more are counted."""

_CLAIM_SHOWN = 300
"""Characters of such a claim."""

_CITATION_SHOWN = 100
"""Characters of a citation: code that is quoted may be as long as its line."""

_BACKTICKS = re.compile("`+")

_MISSING_IN_LINE = 5
"""Citations not found that the line below a speech names; the section on citations has all of them."""

_UNCHECKED_SHOWN = 10
"""Citations that are listed for one reason why they are unchecked; more are counted."""

_KINDS = {
    lookups.CitationKind.PATH: ("path", "paths"),
    lookups.CitationKind.EXHIBIT: ("exhibit", "exhibits"),
    lookups.CitationKind.SYMBOL: ("name", "names"),
    lookups.CitationKind.PATTERN: ("piece of code", "pieces of code"),
    lookups.CitationKind.COMMIT: ("commit", "commits"),
    lookups.CitationKind.URL: ("URL", "URLs"),
    lookups.CitationKind.BENCHMARK: ("measured number", "measured numbers"),
}


def rigor(debate: FinishedDebate, *, in_short: bool = False) -> str:
    """Return the kind of comparison; ``in_short`` omits the counts, which the page shows next to it."""
    if not debate.cited(lookups.CitationStatus.VERIFIED):
        return RIGOR_OF_MODELS
    checked = "rules; citations checked" if in_short else f"rules; citations checked by code: {_in_numbers(debate)}"
    return RIGOR_OF_MODELS.replace("rules, no deterministic verification", checked)


def _in_numbers(debate: FinishedDebate, *roles: base.Role) -> str:
    counts = {status: len(debate.cited(status, *roles)) for status in lookups.CitationStatus}
    if not counts[lookups.CitationStatus.EXISTS]:
        del counts[lookups.CitationStatus.EXISTS]
    return ", ".join(f"{count} {status.counted}" for status, count in counts.items())


def checked_sections(debate: FinishedDebate, *, in_short: bool) -> list[Section]:
    """Show citations, concessions and unchecked points; empty if no citations were looked up."""
    if not debate.outcome.ledgers:
        return []
    citations = _citations_in_short(debate) if in_short else _citations(debate)
    unchecked = Section("## What was not checked", bullets(_unchecked_lines(debate)))
    return [*citations, *_concessions(debate), unchecked]


def _citations(debate: FinishedDebate) -> list[Section]:
    sections = [Section("## Citations", "")]
    for speech in debate.outcome.ledgers:
        could_cite = debate.request.could_cite(speech.role)
        sections.append(Section(f"### {debate.place(speech.round, speech.role)}", _listed(speech, could_cite)))
    return sections


def _citations_in_short(debate: FinishedDebate) -> list[Section]:
    """List the missing citations, then the counts and uncited sentences of each side."""
    lines = [
        f"Not found: {_with_reason(entry)} ({debate.name(speech.role)}, round {speech.round})"
        for speech in debate.outcome.ledgers
        if speech.ledger
        for entry in _different([speech.ledger], lookups.CitationStatus.NOT_FOUND)
    ]
    for side in schema.SPEAKING_ORDER:
        ledgers = [speech.ledger for speech in debate.outcome.ledgers if speech.role is side and speech.ledger]
        if not ledgers:
            continue
        line = f"{debate.name(side)}: {_in_numbers(debate, side)}"
        if debate.request.could_cite(side):
            uncited = sum(len(ledger.unsupported) for ledger in ledgers)
            line += f"; {'1 sentence cites' if uncited == 1 else f'{uncited} sentences cite'} nothing"
        lines.append(line)
    return [Section("## Citations", "\n".join(f"- {line}" for line in lines))]


_LEDGER_WORDS = {
    lookups.CitationStatus.VERIFIED: "verified",
    lookups.CitationStatus.EXISTS: "existing",
    lookups.CitationStatus.NOT_FOUND: "not found",
    lookups.CitationStatus.UNCHECKED: "unchecked",
}


def ledger_line(speech: schema.SpeechLedger) -> str:
    """One speech in one line, e.g. ``3 verified, 1 not found (`src/x.py:99`: the file has 40 lines)``."""
    ledger = speech.ledger
    if ledger is None:
        return f"not looked up: {inline(speech.problem)}"
    counts: list[str] = []
    for status, word in _LEDGER_WORDS.items():
        count = ledger.count(status)
        if not count:
            continue
        if status is lookups.CitationStatus.NOT_FOUND:
            missing = [_with_reason(entry) for entry in _different([ledger], status)]
            counts.append(f"{count} {word} ({'; '.join(_first(missing, _MISSING_IN_LINE))})")
        else:
            counts.append(f"{count} {word}")
    if ledger.left_out:
        counts.append(f"{ledger.left_out} not looked up")
    return ", ".join(counts) or "none"


def _listed(speech: schema.SpeechLedger, could_cite: bool) -> str:  # noqa: FBT001 -- private, called once
    ledger = speech.ledger
    if ledger is None:
        return f"Not looked up: {inline(speech.problem)}"
    lines = [f"Not found: {_with_reason(entry)}" for entry in _different([ledger], lookups.CitationStatus.NOT_FOUND)]
    verified = _different([ledger], lookups.CitationStatus.VERIFIED)
    if verified:
        lines.append(f"Verified: {'; '.join(_cited(entry) for entry in verified)}")
    lines += _by_reason("Exists", _different([ledger], lookups.CitationStatus.EXISTS))
    lines += _by_reason("Unchecked", _different([ledger], lookups.CitationStatus.UNCHECKED))
    if ledger.left_out:
        lines.append(f"Not looked up: {ledger.left_out} more")
    if could_cite:
        lines += _unsupported(ledger)
    if lines:
        return "\n".join(f"- {line}" for line in lines)
    return "It cites nothing." if could_cite else "Nothing was shown that it could cite."


def _by_reason(reason_prefix: str, entries: Iterable[lookups.LedgerEntry]) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for entry in entries:
        by_reason.setdefault(entry.reason, []).append(_cited(entry))
    for reason, cited in by_reason.items():
        yield f"{reason_prefix}, {inline(reason).rstrip('.')}: {'; '.join(_first(cited, _UNCHECKED_SHOWN))}"


def _unsupported(ledger: lookups.CitationLedger) -> Iterator[str]:
    claims = ledger.unsupported
    for claim in claims[:_UNSUPPORTED_SHOWN]:
        yield f"Unsupported: “{inline(one_line(claim.text, _CLAIM_SHOWN))}”"
    if len(claims) > _UNSUPPORTED_SHOWN:
        left = len(claims) - _UNSUPPORTED_SHOWN
        yield "Unsupported: 1 more sentence" if left == 1 else f"Unsupported: {left} more sentences"


def _different(
    ledgers: Iterable[lookups.CitationLedger], status: lookups.CitationStatus
) -> tuple[lookups.LedgerEntry, ...]:
    """The entries with that status, without duplicates."""
    entries = (entry for ledger in ledgers for entry in ledger.entries if entry.status is status)
    return tuple({(entry.kind, entry.text): entry for entry in entries}.values())


def _first(items: Sequence[str], most: int) -> list[str]:
    """Return the first ``most`` items, and how many more there are."""
    shown = list(items[:most])
    if len(items) > most:
        shown.append(f"{len(items) - most} more")
    return shown


def _with_reason(entry: lookups.LedgerEntry) -> str:
    return f"{_cited(entry)}: {inline(entry.reason).rstrip('.')}"


def _cited(entry: lookups.LedgerEntry) -> str:
    """The citation as code. The delimiter has more backticks than any sequence of them in the citation."""
    bare = one_line(entry.text, _CITATION_SHOWN).strip("`").strip()
    longest_run = max((len(run) for run in _BACKTICKS.findall(bare)), default=0)
    fence = "`" * (longest_run + 1)
    return f"{fence}{bare}{fence}" if len(fence) == 1 else f"{fence} {bare} {fence}"


def _concessions(debate: FinishedDebate) -> list[Section]:
    """Show the remaining concessions, then withdrawn ones with both quotes, then those that only a judge names."""
    remaining: list[str] = []
    withdrawn: list[str] = []
    for concession in debate.outcome.conduct.concessions:
        line = f"{debate.name(concession.role)}, round {concession.round}: “{concession.text}”"
        withdrawal = concession.withdrawn
        if withdrawal:
            withdrawn.append(f"Withdrawn: {line}, taken back in round {withdrawal.round}: “{withdrawal.text}”")
        else:
            remaining.append(line)
    return optional_section("## Concessions", bullets((*remaining, *withdrawn, *_named_by_judges(debate))))


def _named_by_judges(debate: FinishedDebate) -> Iterator[str]:
    """Yield concessions that judges name without a mark in a speech; code knows only that the words occur."""
    judgement = debate.outcome.judgement
    named = [quoted for ballot in judgement.ballots for quoted in ballot.concessions] if judgement else []
    marked = [concession.text for concession in debate.outcome.conduct.concessions]
    for quoted in dict.fromkeys(named):
        if not any(quoted.quote in text or text in quoted.quote for text in marked):
            yield f"Named by a judge: {debate.name(quoted.side)}, round {quoted.round}: “{quoted.quote}”"


_MEANING = (
    "Whether a citation that is there supports what is said of it, and whether the reasoning holds: the judges weigh "
    "that, and code does not."
)


def _unchecked_lines(debate: FinishedDebate) -> Iterator[str]:
    yield _MEANING
    yield from _unchecked_of_verdict(debate)
    unchecked = debate.cited(lookups.CitationStatus.UNCHECKED)
    if unchecked:
        counts = Counter(entry.kind for entry in unchecked)
        kinds = ", ".join(f"{count} {_KINDS[kind][count > 1]}" for kind, count in counts.items())
        yield f"Citations that code cannot settle here: {kinds}."
    uncited = 0
    for speech in debate.outcome.ledgers:
        if speech.ledger is None:
            yield f"What round {speech.round}, {speech.role}, cites: {speech.problem.rstrip('.')}."
            continue
        if speech.ledger.left_out:
            yield f"{speech.ledger.left_out} more citations of round {speech.round}, {speech.role}."
        if debate.request.could_cite(speech.role):
            uncited += len(speech.ledger.unsupported)
    if uncited:
        yield "1 sentence that cites nothing." if uncited == 1 else f"{uncited} sentences that cite nothing."


_NAMED = {
    schema.VerdictPart.AGREEMENTS: "Evidence of agreements named by the judge",
    schema.VerdictPart.RECOMMENDATION: "Citations of the recommendation",
}


def _unchecked_of_verdict(debate: FinishedDebate) -> Iterator[str]:
    looked_up = debate.outcome.verdict_ledgers
    if debate.agreements and not looked_up:  # a run of before they were looked up
        yield f"{_NAMED[schema.VerdictPart.AGREEMENTS]}."
    for each in looked_up:
        if each.ledger is None:
            yield f"{_NAMED[each.part]}: {each.problem.rstrip('.')}."
        elif each.part is schema.VerdictPart.AGREEMENTS and not each.ledger.entries:
            yield f"{_NAMED[each.part]}, since it cites nothing that code can look up."
