"""Outcome of a finished debate as Markdown: speakers, findings on citations, ballots."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from sparring.engine.course import UnusableReplyError, read_answer
from sparring.formats.debate.marks import is_supplement, spoken
from sparring.formats.debate.replies import FirstBallot, read_ballot
from sparring.formats.debate.speeches import as_side, order_of
from sparring.formats.debate.verdict import deciding
from sparring.reports.markdown import Section, bullets, inline, optional_section
from sparring.reports.runs import FinishedRun
from sparring.schema import base, lookups, runs, transcript
from sparring.schema import debate as schema
from sparring.schema.judgement import Ballot
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
        return tuple(
            schema.Exchange(
                round=turn.round,
                role=as_side(turn.role),
                tool=answerer.tool,
                stands_in_for=answerer.stands_in_for,
                response=turn.answer.response,
                duration_ms=turn.answer.duration_ms,
            )
            for turn in self._speeches
            if turn.answer and (answerer := turn.answerer)
        )

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
        which = f" {number}" if self.judges_asked > 1 else ""
        return f"judge{which} ({self.name_of(self.request.possible_judges[number - 1], base.Role.JUDGE, number)})"

    def seat(self, role: base.Role) -> str:
        """The tool that spoke for a side, and its model."""
        return self.title_of(self.request.participant(role), role)

    def judge_seat(self, number: int) -> str:
        """The tool that judged, and its model."""
        return self.title_of(self.request.possible_judges[number - 1], base.Role.JUDGE, number)

    def participant(self, role: base.Role) -> base.StateParticipant:
        """The tool that spoke last for a side."""
        return self.answerer(self.request.participant(role), role)

    @property
    def judges(self) -> tuple[base.StateParticipant, ...]:
        """The tools that judged; the first one also makes the summaries."""
        return tuple(
            self.answerer(judge, base.Role.JUDGE, number)
            for number, judge in enumerate(self.request.possible_judges[: self.judges_asked], start=1)
        )

    @cached_property
    def judges_asked(self) -> int:
        """The number of judges; the further one counts only if it was asked."""
        asked = (turn.number for turn in self.run.transcript.turns if turn.kind is transcript.TurnKind.SYNTHESIS)
        return max((len(self.request.judges), *asked))

    def speech(self, turn: transcript.Turn) -> str:
        """Return the words of ``turn``, with the line that was asked for later if one was missing."""
        last = next((each for each in self._speeches if each.ask_id == turn.ask_id), turn)
        return last.answer.response if last.answer else ""

    @cached_property
    def _speeches(self) -> tuple[transcript.Turn, ...]:
        """See ``marks.spoken``: one for each round and side."""
        return spoken(self.run.transcript.turns)

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
        turns = (each for each in self.run.transcript.turns if each.kind is transcript.TurnKind.SYNTHESIS)
        read = sorted((each for each in turns if each.answer), key=lambda turn: ballot_in(turn) is not None)
        last = {(turn.number, order_of(turn)): turn.ask_id for turn in read}
        cast = self.outcome.judgement.ballots if self.outcome.judgement else ()
        return {last[place]: each for each in cast if (place := (each.judge, each.order)) in last}

    def ledger(self, round_: int, role: base.Role) -> schema.SpeechLedger | None:
        """Return the citations of that speech; None if they were not looked up."""
        places = (ledger for ledger in self.outcome.ledgers if (ledger.round, ledger.role) == (round_, role))
        return next(places, None)

    def cited(self, status: lookups.CitationStatus, *roles: base.Role) -> tuple[lookups.LedgerEntry, ...]:
        """The citations with that status, by all roles or by ``roles``; a citation of several speakers occurs once."""
        ledgers = (each.ledger for each in self.outcome.ledgers if each.ledger and each.role in (roles or (each.role,)))
        return _different(ledgers, status)

    def missing(self, part: schema.VerdictPart) -> tuple[str, ...]:
        """Return the citations of that part of the verdict that code did not find, one line each."""
        ledgers = [each.ledger for each in self.outcome.verdict_ledgers if each.ledger and each.part is part]
        lines = [f"Not found: {_with_reason(entry)}" for entry in _different(ledgers, lookups.CitationStatus.NOT_FOUND)]
        if self.outcome.judgement and self.outcome.verdict and part is schema.VerdictPart.AGREEMENTS:
            ballot = deciding(self.outcome.judgement)
            quotes_by_kind = {
                "No side has said": ballot.unsaid,
                "Says otherwise": ballot.contrary,
                "Not compared with its agreement": ballot.uncompared,
            }
            lines += [f"{what}: “{inline(words)}”" for what, quotes in quotes_by_kind.items() for words in quotes]
        return tuple(lines)

    @property
    def agreements(self) -> tuple[str, ...]:
        """The verdict's agreements as the specification words them."""
        agreed = self.outcome.verdict.agreements if self.outcome.verdict else ()
        return tuple(f"{each.point} (evidence: {each.evidence or 'none given'})" for each in agreed)

    @property
    def disagreements(self) -> tuple[str, ...]:
        """The verdict's disagreements as the specification words them."""
        proposer, challenger = self.name(base.Role.PROPOSER), self.name(base.Role.CHALLENGER)
        disputed = self.outcome.verdict.disagreements if self.outcome.verdict else ()
        return tuple(
            f"{each.point}: {proposer} argues {each.proposer}, {challenger} argues {each.challenger}"
            if each.proposer and each.challenger
            else each.point
            for each in disputed
        )


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
    speeches = (
        Section(
            f"### {debate.place(each.round, each.role)}", _listed(each, could_cite=debate.request.could_cite(each.role))
        )
        for each in debate.outcome.ledgers
    )
    return [Section("## Citations", ""), *speeches]


def _citations_in_short(debate: FinishedDebate) -> list[Section]:
    lines = [*_missing(debate), *filter(None, (_side_in_short(debate, role) for role in schema.SPEAKING_ORDER))]
    return [Section("## Citations", "\n".join(f"- {line}" for line in lines))]


def ledger_line(each: schema.SpeechLedger) -> str:
    """One speech in one line, e.g. ``3 verified, 1 not found (`src/x.py:99`: the file has 40 lines)``."""
    if each.ledger is None:
        return f"not looked up: {inline(each.problem)}"
    missing = [_with_reason(entry) for entry in _different([each.ledger], lookups.CitationStatus.NOT_FOUND)]
    shown = f" ({'; '.join(_first(missing, _MISSING_IN_LINE))})" if missing else ""
    counts = (
        _count(each.ledger, lookups.CitationStatus.VERIFIED, "verified"),
        _count(each.ledger, lookups.CitationStatus.EXISTS, "existing"),
        _count(each.ledger, lookups.CitationStatus.NOT_FOUND, "not found") + shown,
        _count(each.ledger, lookups.CitationStatus.UNCHECKED, "unchecked"),
        f"{each.ledger.left_out} not looked up" if each.ledger.left_out else "",
    )
    return ", ".join(count for count in counts if count) or "none"


def _counted_kinds(entries: Iterable[lookups.LedgerEntry]) -> str:
    """E.g. ``2 URLs, 1 measured number``."""
    counted = Counter(entry.kind for entry in entries)
    return ", ".join(f"{count} {_KINDS[kind][count > 1]}" for kind, count in counted.items())


def _listed(each: schema.SpeechLedger, *, could_cite: bool) -> str:
    if each.ledger is None:
        return f"Not looked up: {inline(each.problem)}"
    ledger = each.ledger
    lines = [f"Not found: {_with_reason(entry)}" for entry in _different([ledger], lookups.CitationStatus.NOT_FOUND)]
    if verified := _different([ledger], lookups.CitationStatus.VERIFIED):
        lines.append(f"Verified: {'; '.join(_cited(entry) for entry in verified)}")
    lines += _by_reason("Exists", _different([ledger], lookups.CitationStatus.EXISTS))
    lines += _by_reason("Unchecked", _different([ledger], lookups.CitationStatus.UNCHECKED))
    if ledger.left_out:
        lines.append(f"Not looked up: {ledger.left_out} more")
    lines += _unsupported(ledger) if could_cite else ()
    nothing = "It cites nothing." if could_cite else "Nothing was shown that it could cite."
    return "\n".join(f"- {line}" for line in lines) or nothing


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


def _missing(debate: FinishedDebate) -> Iterator[str]:
    for each in debate.outcome.ledgers:
        for entry in _different([each.ledger], lookups.CitationStatus.NOT_FOUND) if each.ledger else ():
            yield f"Not found: {_with_reason(entry)} ({debate.name(each.role)}, round {each.round})"


def _side_in_short(debate: FinishedDebate, role: base.Role) -> str:
    ledgers = [each.ledger for each in debate.outcome.ledgers if each.role is role and each.ledger]
    if not ledgers:
        return ""
    line = f"{debate.name(role)}: {_in_numbers(debate, role)}"
    if not debate.request.could_cite(role):
        return line
    bare = sum(len(ledger.unsupported) for ledger in ledgers)
    return f"{line}; {'1 sentence cites' if bare == 1 else f'{bare} sentences cite'} nothing"


def _different(
    ledgers: Iterable[lookups.CitationLedger], status: lookups.CitationStatus
) -> tuple[lookups.LedgerEntry, ...]:
    """The entries with that status, without duplicates."""
    entries = (entry for ledger in ledgers for entry in ledger.entries if entry.status is status)
    return tuple({(entry.kind, entry.text): entry for entry in entries}.values())


def _first(shown: Sequence[str], most: int) -> list[str]:
    """The first of them, and how many more there are."""
    return [*shown[:most], *([f"{len(shown) - most} more"] if len(shown) > most else [])]


def _count(ledger: lookups.CitationLedger, status: lookups.CitationStatus, word: str) -> str:
    count = ledger.count(status)
    return f"{count} {word}" if count else ""


def _with_reason(entry: lookups.LedgerEntry) -> str:
    return f"{_cited(entry)}: {inline(entry.reason).rstrip('.')}"


def _cited(entry: lookups.LedgerEntry) -> str:
    """The citation as code. The delimiter has more backticks than any sequence of them in the citation."""
    bare = one_line(entry.text, _CITATION_SHOWN).strip("`").strip()
    fence = "`" * (max((len(run) for run in _BACKTICKS.findall(bare)), default=0) + 1)
    return f"{fence}{bare}{fence}" if len(fence) == 1 else f"{fence} {bare} {fence}"


def _concessions(debate: FinishedDebate) -> list[Section]:
    """Show the remaining concessions, then withdrawn ones with both quotes."""
    conceded = debate.outcome.conduct.concessions
    standing = (f"{_who(debate, each)}: “{each.text}”" for each in conceded if not each.withdrawn)
    withdrawn = (
        f"Withdrawn: {_who(debate, each)}: “{each.text}”, taken back in round {each.withdrawn.round}: "
        f"“{each.withdrawn.text}”"
        for each in conceded
        if each.withdrawn
    )
    return optional_section("## Concessions", bullets((*standing, *withdrawn, *_named_by_judges(debate))))


def _named_by_judges(debate: FinishedDebate) -> Iterator[str]:
    """Yield concessions that judges name without a mark in a speech; code knows only that the words occur."""
    judgement = debate.outcome.judgement
    named = [each for ballot in judgement.ballots for each in ballot.concessions] if judgement else []
    marked = [each.text for each in debate.outcome.conduct.concessions]
    for each in dict.fromkeys(named):
        if not any(each.quote in text or text in each.quote for text in marked):
            yield f"Named by a judge: {debate.name(each.side)}, round {each.round}: “{each.quote}”"


def _who(debate: FinishedDebate, each: schema.Concession) -> str:
    return f"{debate.name(each.role)}, round {each.round}"


_MEANING = (
    "Whether a citation that is there supports what is said of it, and whether the reasoning holds: the judges weigh "
    "that, and code does not."
)


def _unchecked_lines(debate: FinishedDebate) -> Iterator[str]:
    yield _MEANING
    yield from _unchecked_of_verdict(debate)
    if unchecked := debate.cited(lookups.CitationStatus.UNCHECKED):
        yield f"Citations that code cannot settle here: {_counted_kinds(unchecked)}."
    for each in debate.outcome.ledgers:
        if each.ledger is None:
            yield f"What round {each.round}, {each.role}, cites: {each.problem.rstrip('.')}."
        elif each.ledger.left_out:
            yield f"{each.ledger.left_out} more citations of round {each.round}, {each.role}."
    could = [each.ledger for each in debate.outcome.ledgers if debate.request.could_cite(each.role)]
    if bare := sum(len(ledger.unsupported) for ledger in could if ledger):
        yield "1 sentence that cites nothing." if bare == 1 else f"{bare} sentences that cite nothing."


_NAMED = {
    schema.VerdictPart.AGREEMENTS: "What the judge names as evidence of an agreement",
    schema.VerdictPart.RECOMMENDATION: "What the recommendation cites",
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
