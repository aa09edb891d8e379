"""A jury as it is shown: the verdict first, what speaks for and against it, what was said; and the records."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from sparring.reports.markdown import Section, cell, fitted, inline, joined, literal, quoted, table
from sparring.reports.places import stage
from sparring.reports.runs import (
    about_the_run,
    cause,
    ended_at,
    notices_of,
    outcome_of,
    redactions_in,
    request_of,
    tool_with_model,
)
from sparring.reports.verification import compared, mismatches, reference
from sparring.schema.base import Role
from sparring.schema.jury import (
    ChecklistEntry,
    CriticalDifference,
    Juror,
    JuryOutcome,
    JuryRequest,
    JuryStatus,
    LastVerdict,
    Phrase,
    Statement,
)
from sparring.schema.runs import Run
from sparring.schema.transcript import TurnKind
from sparring.text.tidying import one_line


@dataclass(frozen=True)
class FinishedJury:
    """A run that is a jury and has ended."""

    run: Run
    request: JuryRequest
    outcome: JuryOutcome

    @classmethod
    def of(cls, run: Run) -> Self:
        """Look at ``run`` as a finished jury.

        Raises:
            DeliberationError: It is another kind of run, or it has not ended.
        """
        return cls(run, request_of(run, JuryRequest), outcome_of(run, JuryOutcome))

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know, each line once."""
        return notices_of(self.run)

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """Whatever Advocate, Skeptic and Fact-Checker quote; what is repeated is counted again."""
        said = (phrase for statement in self.outcome.statements for phrase in statement.phrases)
        listed = (phrase for entry in self.outcome.checklist for phrase in (*entry.truth, *entry.claim))
        return (*said, *listed)

    def last_statement(self, role: Role) -> Statement | None:
        """The last that ``role`` said; None if it said nothing."""
        return next((said for said in reversed(self.outcome.statements) if said.role is role), None)


CHECKLIST_HEAD = ("compared", "found", "truth", "claim", "note")

_PHRASE_SHOWN = 200


def placed(phrase: Phrase) -> str:
    """E.g. ``“more than 645,000” (truth, 12–29)``."""
    place = reference(phrase.source, phrase.span) if phrase.span else f"not in the {phrase.source}"
    return f"“{literal(one_line(phrase.text, _PHRASE_SHOWN))}” ({place})"


def difference(found: CriticalDifference) -> str:
    """A difference as a bullet, below it the kinds of mutation and the places that it points at."""
    below = [f"kind of mutation: {', '.join(found.types)}"] if found.types else []
    below += [placed(anchor) for anchor in found.anchors] or ["points at no words of either text, and carries nothing"]
    return "\n".join([f"- {literal(found.text)}", *(f"  - {line}" for line in below)])


def invented(phrases: Iterable[Phrase]) -> str:
    """The phrases that are not where they are said to be; empty if all are."""
    missing = list(dict.fromkeys(placed(phrase) for phrase in phrases if phrase.span is None))
    return f"Not in the texts, word for word: {', '.join(missing)}." if missing else ""


def checklist_row(entry: ChecklistEntry) -> tuple[str, ...]:
    """A dimension as the Fact-Checker sees it, for a table under ``CHECKLIST_HEAD``."""
    found = f"{entry.status}, {entry.severity}" if entry.severity else entry.status.value
    return entry.dimension.value, found, _cells(entry.truth), _cells(entry.claim), cell(entry.note)


def title(role: Role) -> str:
    """A role as it begins a heading, e.g. ``Fact-Checker``."""
    return role.spoken.title()


def _cells(phrases: Iterable[Phrase]) -> str:
    return "; ".join(placed(phrase).replace("|", "\\|") for phrase in phrases)


SEATS = (Role.ADVOCATE, Role.SKEPTIC, Role.FACT_CHECKER, Role.JUDGE)
"""In the order in which they are introduced (specification: Core idea)."""


def jurors(run: Run) -> tuple[Juror, ...]:
    """Every seat; its model is what the tool reported last, else what was asked for.

    Raises:
        DeliberationError: The run is not a jury.
    """
    return tuple(_juror(run, role) for role in SEATS)


def _juror(run: Run, role: Role) -> Juror:
    seat = request_of(run, JuryRequest).participant(role)
    answers = [turn.answer for turn in run.transcript.turns if turn.role is role and turn.answer]
    reported = [answer.model for answer in answers if answer.model]
    return Juror(role=role, tool=seat.tool, model=reported[-1] if reported else seat.model)


def seats(run: Run) -> str:
    """Each seat with its tool, and when it was heard or why not, as a table."""
    rows = ((title(juror.role), _tool(juror), _heard(run, juror.role)) for juror in jurors(run))
    return table(("seat", "tool", "heard"), rows)


def statements(jury: FinishedJury) -> Iterator[Section]:
    """Each opening and rebuttal, with what is wrong with it."""
    for said in jury.outcome.statements:
        yield Section(f"### {title(said.role)}, {_stage(said)}", stated(said))


def unread(jury: FinishedJury) -> Iterator[Section]:
    """What the judge and the Fact-Checker said, where none of it could be read."""
    silent = {Role.JUDGE} if jury.outcome.verdict is None else set[Role]()
    silent |= set() if jury.outcome.checklist else {Role.FACT_CHECKER}
    for turn in jury.run.transcript.turns:
        if turn.answer and turn.role in silent:
            heading = f"### {title(turn.role)}, {stage(turn)}: could not be read"
            yield Section(heading, quoted(turn.answer.response))


def stated(said: Statement) -> str:
    """A statement, and below it its faults and the phrases that are not in the texts."""
    faults = [f"- {literal(fault)}" for fault in said.faults]
    missing = invented(said.phrases)
    remarks = [*faults, *([f"- {missing}"] if missing else [])]
    return "\n\n".join([quoted(said.text), *(["\n".join(remarks)] if remarks else [])])


def _stage(said: Statement) -> str:
    return "opening" if said.round == 1 else f"rebuttal {said.round - 1}"


def _tool(juror: Juror) -> str:
    return cell(tool_with_model(juror.tool, juror.model))


def _heard(run: Run, role: Role) -> str:
    turns = [turn for turn in run.transcript.turns if turn.role is role]
    told = (
        f"{stage(turn)} failed: {cause(turn.failure.code, turn.failure.detail, turn.failure.duration_ms)}"
        if turn.failure
        else stage(turn)
        for turn in turns
    )
    return cell("; ".join(told)) or "not asked"


_TEXT_SHOWN = 500
"""Characters of truth and claim in the decision: whoever reads it knows the case."""

_HARD_BREAK = "  \n"
_NO_VERDICT = {
    JuryStatus.FAILED: "nobody gave anything that could be used",
    JuryStatus.UNJUDGED: "the judge gave none that could be used",
}


def report(run: Run) -> str:
    """The whole of a finished jury.

    Raises:
        DeliberationError: The run is not a finished jury.
    """
    jury = FinishedJury.of(run)
    request = jury.request
    return joined(
        [
            *_verdict(jury),
            Section("## Case", _case(jury, f"Truth:\n\n{quoted(request.truth)}", f"Claim:\n\n{quoted(request.claim)}")),
            *_reasons(jury),
            Section("## Checklist of the Fact-Checker", _checklist(jury)),
            Section("## Found by code", compared(jury.outcome.check, ("truth",))),
            *_minority(jury),
            Section("## Hearing", seats(run)),
            *statements(jury),
            *unread(jury),
            Section("## Run", _about_the_run(jury)),
        ]
    )


def decision(run: Run, *, limit: int) -> str:
    """The verdict of a finished jury and its reasons, in fewer than ``limit`` characters; without one, the last words.

    Raises:
        DeliberationError: The run is not a finished jury.
    """
    jury = FinishedJury.of(run)
    truth, claim = (literal(one_line(text, _TEXT_SHOWN)) for text in (jury.request.truth, jury.request.claim))
    closing = f"The whole: `sparring runs show {run.header.run_id}`\n\n{_about_the_run(jury)}"
    return fitted(
        [
            *_verdict(jury),
            Section("## Case", _case(jury, f"Truth: {truth}", f"Claim: {claim}")),
            *_reasons(jury),
            Section("## Found by code", mismatches(jury.outcome.check, ("truth",))),
            *(_minority(jury) if jury.outcome.verdict else _last_words(jury)),
            Section("## Hearing", seats(run)),
            Section("", closing),
        ],
        limit=limit,
    )


def _verdict(jury: FinishedJury) -> list[Section]:
    outcome = jury.outcome
    notices = [f"[WARN] **Contested**: {literal(reason)}" for reason in outcome.contested]
    notices += [inline(notice) for notice in jury.notices]
    warnings = [Section("", "\n\n".join(notices))] if notices else []
    if outcome.verdict is None:
        why = _NO_VERDICT.get(outcome.status, outcome.status.value)
        return [Section("# Jury: no verdict", f"**No verdict**: {why}."), *warnings]
    verdict = outcome.verdict
    facts = [f"**{verdict.verdict}**, confidence {verdict.confidence:.2f}"]
    facts += [f"kinds of mutation: {', '.join(outcome.mutations)}"] if outcome.mutations else []
    summary = literal(verdict.one_sentence_summary)
    return [Section(f"# Jury: {verdict.verdict}", f"{'; '.join(facts)}.\n\n{summary}"), *warnings]


def _case(jury: FinishedJury, truth: str, claim: str) -> str:
    request = jury.request
    names = {"Row": request.row_id, "Data set": request.dataset}
    facts = [f"{name}: {literal(value)}" for name, value in names.items() if value]
    return "\n\n".join([*([_HARD_BREAK.join(facts)] if facts else []), truth, claim, _verified(jury)])


def _verified(jury: FinishedJury) -> str:
    there = sum(phrase.span is not None for phrase in jury.phrases)
    return (
        f"Verified by code: {there} of {len(jury.phrases)} quoted phrases stand in the texts word for word; "
        "numbers, dates and words of both texts were compared."
    )


def _reasons(jury: FinishedJury) -> list[Section]:
    verdict = jury.outcome.verdict
    if verdict is None:
        return []
    differences = "\n".join(map(difference, jury.outcome.differences))
    return [
        Section("## Rationale", _bullets(verdict.rationale)),
        Section("## Critical differences", differences or "None."),
        Section("## What would make it faithful", _bullets(verdict.what_would_make_it_faithful)),
    ]


def _minority(jury: FinishedJury) -> list[Section]:
    view = jury.outcome.minority_view
    return [Section(f"## Minority view: {title(view.role)}", quoted(view.text))] if view else []


def _last_words(jury: FinishedJury) -> list[Section]:
    said = [jury.last_statement(role) for role in (Role.ADVOCATE, Role.SKEPTIC)]
    return [Section(f"## Last word: {title(last.role)}", stated(last)) for last in said if last]


def _checklist(jury: FinishedJury) -> str:
    entries = jury.outcome.checklist
    return table(CHECKLIST_HEAD, map(checklist_row, entries)) if entries else "The Fact-Checker gave none."


def _bullets(points: Iterable[str]) -> str:
    return "\n".join(f"- {literal(point)}" for point in points) or "None."


def _about_the_run(jury: FinishedJury) -> str:
    request = jury.request
    rebuttals = f"{jury.outcome.rebuttals_completed} of {request.rebuttals}"
    facts = {"Rebuttal rounds": rebuttals, "Language": request.language, "Effort": request.effort.value}
    return about_the_run(jury.run, facts)


def result(run: Run) -> LastVerdict:
    """``jury/last-verdict.json`` and the ``result.json`` of a finished jury.

    Raises:
        DeliberationError: The run is not a finished jury.
    """
    request, outcome = request_of(run, JuryRequest), outcome_of(run, JuryOutcome)
    return LastVerdict(
        id=run.header.run_id,
        row_id=request.row_id,
        dataset=request.dataset,
        truth=request.truth,
        claim=request.claim,
        status=outcome.status,
        verdict=outcome.verdict,
        contested=outcome.contested,
        mutations=outcome.mutations,
        differences=outcome.differences,
        check=outcome.check,
        checklist=outcome.checklist,
        statements=outcome.statements,
        minority_view=outcome.minority_view,
        jurors=jurors(run),
        rebuttals=request.rebuttals,
        rebuttals_completed=outcome.rebuttals_completed,
        language=request.language,
        effort=request.effort,
        spent=run.spent,
        redactions=request.redactions + redactions_in(run.transcript),
        timestamp=ended_at(run),
        notices=notices_of(run),
    )


def last(run: Run) -> LastVerdict | None:
    """``jury/last-verdict.json``; None for a jury in which nobody gave anything usable.

    Raises:
        DeliberationError: The run is not a finished jury.
    """
    failed = outcome_of(run, JuryOutcome).status is JuryStatus.FAILED
    return None if failed else result(run)


_DEBATERS = (Role.ADVOCATE, Role.SKEPTIC)


def remaining(run: Run) -> tuple[str, ...]:
    """Whose words are missing.

    Raises:
        DeliberationError: The run is not a jury.
    """
    request = request_of(run, JuryRequest)
    turns = run.transcript.turns
    heard = {(turn.kind, turn.role, turn.round) for turn in turns}
    # Whoever fails in the opening is asked no more.
    silent = {turn.role for turn in turns if turn.kind is TurnKind.OPENING and turn.failure}
    missing = [
        f"{stage}, {role.spoken} ({request.participant(role).tool})"
        for stage, kind, role, round_ in _places(request)
        if (kind, role, round_) not in heard and role not in silent
    ]
    return (*missing, f"verdict, judge ({request.judge.tool})")


def _places(request: JuryRequest) -> Iterator[tuple[str, TurnKind, Role, int]]:
    """Everything that comes before the verdict: stage, kind, role and round of each turn."""
    yield from (("opening", TurnKind.OPENING, role, 1) for role in _DEBATERS)
    yield "checklist", TurnKind.CHECKLIST, Role.FACT_CHECKER, 1
    for number in range(1, request.rebuttals + 1):
        yield from ((f"rebuttal {number}", TurnKind.REBUTTAL, role, number + 1) for role in _DEBATERS)
