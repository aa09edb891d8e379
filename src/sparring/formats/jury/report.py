"""Views of a jury: the verdict first, the evidence for and against it, the statements; the page; the records."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from sparring.engine.course import UnusableReplyError, read_answer
from sparring.engine.format import Presentation
from sparring.formats.jury.case import BidirectionalCheck, listed
from sparring.formats.jury.replies import read_verdict
from sparring.formats.jury.statements import DEBATERS
from sparring.reports import runs
from sparring.reports.conclusion import Conclusion
from sparring.reports.markdown import HARD_BREAK, Section, Sections, cell, literal, optional_section, quoted, table
from sparring.reports.page.elements import Html, element, fragment
from sparring.reports.page.passages import Mark, marked, struck
from sparring.reports.page.pictures import Card, Figure, Pictures, badge
from sparring.reports.progress import stage
from sparring.reports.verification import hints, reference
from sparring.schema import base, claims, lookups, transcript
from sparring.schema import jury as schema
from sparring.schema.runs import Request, Run
from sparring.text.tidying import one_line

_SEATS = (*DEBATERS, base.Role.FACT_CHECKER, base.Role.JUDGE)
"""In the order of their introduction (specification: Core idea)."""


class FinishedJury(runs.FinishedRun[schema.JuryRequest, schema.JuryOutcome]):
    """A jury that has ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, schema.JuryRequest, schema.JuryOutcome)

    @property
    def jurors(self) -> tuple[schema.Juror, ...]:
        """The tool that answered last in each seat."""
        seats = ((role, self.request.participant(role)) for role in _SEATS)
        return tuple(runs.record_of(schema.Juror, self.respondent(seat, role), role=role) for role, seat in seats)

    def title(self, role: base.Role) -> str:
        """The tools that answered in a seat, with their models."""
        return self.title_of(self.request.participant(role), role)

    @property
    def phrases(self) -> tuple[schema.Phrase, ...]:
        """Quotes of Advocate, Skeptic and Fact-Checker; repeated ones are counted again."""
        phrases: list[schema.Phrase] = []
        for statement in self.outcome.statements:
            phrases += statement.phrases
        for entry in self.outcome.checklist:
            phrases += (*entry.truth, *entry.claim)
        return tuple(phrases)

    @property
    def verified_phrases(self) -> int:
        """The number of quotes in the texts."""
        return sum(phrase.span is not None for phrase in self.phrases)

    def ask_of(self, statement: schema.Statement) -> str:
        """The id of the ask that was answered with it."""
        for turn in reversed(self.run.transcript.turns):
            if turn.answer and (turn.role, turn.round) == (statement.role, statement.round):
                return turn.ask_id
        return ""


_PHRASE_SHOWN = 200


def _placed(phrase: schema.Phrase) -> str:
    """E.g. ``“more than 645,000” (truth, 12–29)``."""
    place = reference(phrase.source, phrase.span) if phrase.span else f"not in the {phrase.source}"
    return f"“{literal(one_line(phrase.text, _PHRASE_SHOWN))}” ({place})"


def _difference(difference: schema.CriticalDifference) -> str:
    """A difference as a bullet, below it the kinds of mutation and the places that it points at."""
    lines = [f"- {literal(difference.text)}"]
    if difference.types:
        lines.append(f"  - kind of mutation: {', '.join(difference.types)}")
    lines += [f"  - {_placed(anchor)}" for anchor in difference.anchors]
    if not difference.anchors:
        lines.append("  - points at no words of either text, and carries nothing")
    return "\n".join(lines)


def _title(role: base.Role) -> str:
    return role.display_name.title()


def _cells(phrases: Iterable[schema.Phrase]) -> str:
    return "; ".join(_placed(phrase).replace("|", "\\|") for phrase in phrases)


def _seats(jury: FinishedJury) -> str:
    """A table of the seats, each with its tool, and when it answered or why it did not."""
    rows = [(_title(juror.role), cell(jury.title(juror.role)), _stages(jury.run, juror.role)) for juror in jury.jurors]
    return table(("seat", "tool", "heard"), rows)


def _stages(run: Run, role: base.Role) -> str:
    """List the stages in which that role was asked, with the cause of each failure."""
    stages: list[str] = []
    for turn in run.transcript.turns:
        if turn.role is role:
            failed = f" failed: {runs.cause_of(turn.failure)}" if turn.failure else ""
            stages.append(stage(turn) + failed)
    return cell("; ".join(stages)) or "not asked"


def _statements(jury: FinishedJury) -> Iterator[Section]:
    for statement in jury.outcome.statements:
        stage_name = "opening" if statement.round == 1 else f"rebuttal {statement.round - 1}"
        heading = f"### {_title(statement.role)}, {stage_name}"
        yield Section(heading, _statement_text(statement), jury.ask_of(statement))


def _unread(jury: FinishedJury) -> Iterator[Section]:
    """Show the unparsable replies of the judge and the Fact-Checker."""
    unread: set[base.Role] = set()
    if jury.outcome.verdict is None:
        unread.add(base.Role.JUDGE)
    if not jury.outcome.checklist:
        unread.add(base.Role.FACT_CHECKER)
    for turn in jury.run.transcript.turns:
        if turn.answer and turn.role in unread:
            heading = f"### {_title(turn.role)}, {stage(turn)}: could not be read"
            yield Section(heading, quoted(turn.answer.response), turn.ask_id)


def _statement_text(statement: schema.Statement) -> str:
    """Return the words of a statement, and below them what code found wrong with it."""
    remarks = [f"- {literal(fault)}" for fault in statement.faults]
    missing = dict.fromkeys(_placed(phrase) for phrase in statement.phrases if phrase.span is None)
    if missing:
        remarks.append(f"- Not in the texts, word for word: {', '.join(missing)}.")
    parts = (quoted(statement.text), "\n".join(remarks))
    return "\n\n".join(part for part in parts if part)


_TEXT_SHOWN = 500
"""Characters of truth and claim in the decision: the reader of a decision knows the case."""

_NO_VERDICT = {
    schema.JuryStatus.FAILED: "there is no usable answer",
    schema.JuryStatus.UNJUDGED: "the judge gave no usable one",
}


def _conclusion(jury: FinishedJury) -> Conclusion:
    outcome, verdict = jury.outcome, jury.outcome.verdict
    verified = jury.verified_phrases
    shared: dict[str, Any] = {
        "about": ("Claim", jury.request.claim),
        "doubts": (*(f"[WARN] Contested: {reason}" for reason in outcome.contested), *jury.notices),
        "citations": {"quoted phrases verified": verified, "not in the texts": len(jury.phrases) - verified},
        "answered_by": _answered_by(jury),
    }
    if verdict is None:
        why = "code alone decides nothing" if jury.request.is_by_code else _NO_VERDICT[outcome.status]
        return Conclusion(headline=f"Jury: no verdict: {why}", is_plain=False, **shared)
    headline = f"Jury: {verdict.verdict}"
    if outcome.contested:
        headline += ", contested"
    if outcome.status is schema.JuryStatus.BY_CODE:
        headline += ", by code alone"
    faithful = "; ".join(verdict.what_would_make_it_faithful)
    return Conclusion(
        headline=headline,
        is_plain=not outcome.contested,
        label=verdict.verdict,
        why=verdict.one_sentence_summary,
        firmness=_firmness(jury, verdict),
        recommendation=f"To make it faithful: {faithful}" if faithful else "",
        **shared,
    )


def _firmness(jury: FinishedJury, verdict: schema.JudgeVerdict) -> str:
    """Return the judge's confidence, the anchored kinds of mutation, and the dissent."""
    facts: list[str] = []
    if verdict.confidence is not None:
        facts.append(f"confidence {verdict.confidence:.2f}")
    if jury.outcome.mutations:
        facts.append(f"kinds of mutation: {', '.join(jury.outcome.mutations)}")
    if jury.outcome.minority_view:
        facts.append(f"the {jury.outcome.minority_view.role.display_name} disagrees")
    return "; ".join(facts)


def _answered_by(jury: FinishedJury) -> tuple[str, ...]:
    answered = {turn.role for turn in jury.run.transcript.turns if turn.answer}
    return tuple(
        f"{juror.role.display_name} {jury.title(juror.role)}" for juror in jury.jurors if juror.role in answered
    )


def _report(jury: FinishedJury) -> Sections:
    request = jury.request
    case = _case(request, f"Truth:\n\n{quoted(request.truth)}", f"Claim:\n\n{quoted(request.claim)}")
    return [
        Section("## Case", case),
        Section("## Found by code", _by_code(jury)),
        *_reasons(jury),
        *_checklist(jury),
        *_minority(jury),
        *_hearing(jury),
        *_statements(jury),
        *_unread(jury),
        *optional_section("## Run", _about_the_run(jury)),
    ]


def _details(jury: FinishedJury) -> Sections:
    return [
        Section("## Case", _short_case(jury.request)),
        Section("## Found by code", _by_code(jury)),
        *_reasons(jury),
        *(_minority(jury) if jury.outcome.verdict else _last_words(jury)),
        *_hearing(jury),
    ]


def _live(_request: Request, so_far: transcript.Transcript) -> str:
    """A statement without changes; for a verdict or a checklist, which are JSON, its result."""
    turn = so_far.turns[-1]
    if turn.answer is None:
        return ""
    if turn.kind is transcript.TurnKind.CHECKLIST:
        return ""  # its findings are in the report, next to those of code
    if turn.kind is not transcript.TurnKind.VERDICT:
        return turn.answer.response
    try:
        verdict = read_answer(turn.answer, read_verdict).value
    except UnusableReplyError:
        return "No usable verdict."
    return f"**{verdict.verdict}**: {literal(verdict.one_sentence_summary)}"


def _case(request: schema.JuryRequest, truth: str, claim: str) -> str:
    names = {"Row": request.row_id, "Data set": request.dataset}
    origin = HARD_BREAK.join(f"{name}: {literal(value)}" for name, value in names.items() if value)
    return "\n\n".join(part for part in (origin, truth, claim) if part)


def _short_case(request: schema.JuryRequest) -> str:
    truth = literal(one_line(request.truth, _TEXT_SHOWN))
    claim = literal(one_line(request.claim, _TEXT_SHOWN))
    return _case(request, f"Truth: {truth}", f"Claim: {claim}")


def _case_file(request: Request) -> Sections:
    """Step 0 of the specification: the texts of the case, and the findings of code."""
    if not isinstance(request, schema.JuryRequest) or request.is_by_code:
        return ()
    compared = BidirectionalCheck(request.truth, request.claim)
    patterns = patterns_table(compared.check, compared.patterns, compared.omitted)
    return Section("## Case", _short_case(request)), Section("## Found by code", patterns)


def _hearing(jury: FinishedJury) -> list[Section]:
    if jury.request.is_by_code:
        return []
    count = f"{jury.verified_phrases} of {len(jury.phrases)} quoted phrases"
    verified = f"Verified by code: {count} are in the texts word for word."
    return [Section("## Hearing", f"{verified}\n\n{_seats(jury)}")]


def _reasons(jury: FinishedJury) -> list[Section]:
    verdict = jury.outcome.verdict
    if verdict is None:
        return []
    return [
        *optional_section("## Verdict", literal(verdict.one_sentence_summary)),
        *optional_section("## Rationale", _bullets(verdict.rationale)),
        *optional_section("## Critical differences", "\n".join(map(_difference, jury.outcome.differences))),
        *optional_section("## What would make it faithful", _bullets(verdict.what_would_make_it_faithful)),
    ]


def _minority(jury: FinishedJury) -> list[Section]:
    view = jury.outcome.minority_view
    return [Section(f"## Minority view: {_title(view.role)}", quoted(view.text))] if view else []


def _last_words(jury: FinishedJury) -> list[Section]:
    last_statements = {statement.role: statement for statement in jury.outcome.statements}
    return [
        Section(f"## Last word: {_title(role)}", _statement_text(last_statements[role]))
        for role in DEBATERS
        if role in last_statements
    ]


def _checklist(jury: FinishedJury) -> list[Section]:
    if jury.request.is_by_code:
        return []
    rows = [
        (each.dimension.value, _status(each), _cells(each.truth), _cells(each.claim), cell(each.note))
        for each in jury.outcome.checklist
    ]
    shown = table(("compared", "found", "truth", "claim", "note"), rows) if rows else "The Fact-Checker gave none."
    return [Section("## Checklist of the Fact-Checker", shown)]


def _by_code(jury: FinishedJury) -> str:
    outcome = jury.outcome
    return patterns_table(outcome.check, outcome.patterns, outcome.omitted)


def patterns_table(
    check: claims.ClaimCheck, patterns: Iterable[schema.PatternFinding], omitted: tuple[str, ...]
) -> str:
    """Return the table of code's finding on each pattern, and the words without a counterpart in the other text."""
    rows = [(finding.pattern.value, _status(finding), cell(finding.why)) for finding in patterns]
    left_out = f"The claim leaves out {literal(one_line(listed(omitted), _TEXT_SHOWN))}." if omitted else ""
    parts = (table(("compared", "found", "why"), rows), hints(check), left_out)
    return "\n\n".join(part for part in parts if part)


def _status(finding: schema.PatternFinding | schema.ChecklistEntry) -> str:
    return f"{finding.status}, {finding.severity}" if finding.severity else finding.status.value


def _bullets(points: Iterable[str]) -> str:
    return "\n".join(f"- {literal(point)}" for point in points)


def _about_the_run(jury: FinishedJury) -> str:
    request = jury.request
    if request.is_by_code:
        return jury.about({})
    rebuttals = f"{jury.outcome.rebuttals_completed} of {request.rebuttals}"
    facts = {"Rebuttal rounds": rebuttals, "Language": request.language, "Effort": request.effort.value}
    return jury.about(facts)


def _result(jury: FinishedJury) -> schema.LastVerdict:
    return jury.record(schema.LastVerdict, jurors=jury.jurors)


def _remaining(run: Run) -> tuple[str, ...]:
    request = runs.request_of(run, schema.JuryRequest)
    turns = run.transcript.turns
    asked = {(turn.kind, turn.role, turn.round) for turn in turns}
    # A seat that fails in the opening is not asked again.
    failed = {turn.role for turn in turns if turn.kind is transcript.TurnKind.OPENING and turn.failure}
    missing = [
        f"{stage_name}, {role.display_name} ({request.participant(role).tool})"
        for stage_name, kind, role, round_ in _places(request)
        if (kind, role, round_) not in asked and role not in failed
    ]
    return (*missing, f"verdict, judge ({request.judge.tool})")


def _places(request: schema.JuryRequest) -> Iterator[tuple[str, transcript.TurnKind, base.Role, int]]:
    """All turns before the verdict: stage, kind, role and round of each."""
    yield from (("opening", transcript.TurnKind.OPENING, role, 1) for role in DEBATERS)
    yield "checklist", transcript.TurnKind.CHECKLIST, base.Role.FACT_CHECKER, 1
    for number in range(1, request.rebuttals + 1):
        yield from ((f"rebuttal {number}", transcript.TurnKind.REBUTTAL, role, number + 1) for role in DEBATERS)


class _Difference(Struct, frozen=True):
    words: str
    says: str
    tone: str
    kinds: Sequence[str]
    places: Sequence[tuple[schema.TextName, lookups.TextSpan]]


def _pictures(jury: FinishedJury) -> Pictures:
    minority = jury.outcome.minority_view
    cards = {
        jury.ask_of(statement): _card(statement, is_minority=minority is not None and minority.role is statement.role)
        for statement in jury.outcome.statements
    }
    return Pictures((_texts(jury),), cards)


def _texts(jury: FinishedJury) -> Figure:
    """Show both texts side by side, with numbered marks that lead to the differences listed below them."""
    differences = list(_differences(jury))
    texts = {schema.TextName.TRUTH: jury.request.truth, schema.TextName.CLAIM: jury.request.claim}
    columns: list[Html] = []
    for name, text in texts.items():
        columns.append(element("div", element("h4", name.capitalize()), marked(text, _marks(differences, name))))
    sides = element("div", columns, class_="sides")
    if not differences:
        return Figure("Truth and claim", fragment(sides, element("p", "No difference was shown.")), is_wide=True)
    items: list[Html] = []
    for number, each in enumerate(differences, start=1):
        badges = (badge(f"says {each.says}"), *map(badge, each.kinds))
        items.append(element("li", each.words, " ", *badges, id=f"difference-{number}"))
    about = "Numbers link the words to their findings."
    return Figure("Truth and claim", fragment(sides, element("ol", items, class_="differences")), about, is_wide=True)


def _differences(jury: FinishedJury) -> Iterator[_Difference]:
    """Yield the critical differences of the judge, then the mismatches of code."""
    for each in jury.outcome.differences:
        places = [(anchor.source, anchor.span) for anchor in each.anchors if anchor.span]
        yield _Difference(each.text, "the judge", "bad", [kind.value for kind in each.types], places)
    for finding in jury.outcome.check.findings:
        if finding.status is claims.Status.MISMATCH:
            places = [(schema.TextName.CLAIM, finding.claim)]
            if finding.evidence:
                places.append((schema.TextName.TRUTH, finding.evidence))
            tone = "bad" if finding.is_critical_mismatch else "open"
            yield _Difference(finding.why, "code", tone, [finding.dimension.value, finding.severity.value], places)


def _marks(differences: Sequence[_Difference], name: schema.TextName) -> Iterator[Mark]:
    """A mark for each place, with the numbers of all differences that it belongs to; it leads to the first."""
    numbers_by_place: dict[tuple[int, int], list[int]] = {}
    for number, difference in enumerate(differences, start=1):
        for source, span in difference.places:
            if source is name:
                numbers_by_place.setdefault((span.start, span.end), []).append(number)
    for (start, end), numbers in numbers_by_place.items():
        first = numbers[0]
        label = ", ".join(map(str, dict.fromkeys(numbers)))
        yield Mark(start, end, differences[first - 1].tone, f"[{label}]", f"difference-{first}")


def _card(statement: schema.Statement, *, is_minority: bool) -> Card:
    missing = [phrase for phrase in statement.phrases if phrase.span is None]
    facts = {"contested": is_minority, "not found": bool(missing), "fault": bool(statement.faults)}
    marks = tuple(mark for mark, is_so in facts.items() if is_so)
    counts = {"verified": len(statement.phrases) - len(missing), "not in the texts": len(missing)}
    made_up = struck((phrase.text, f"not in the {phrase.source}") for phrase in missing)
    return Card({"mark": marks}, counts, made_up)


PRESENTATION = Presentation(
    FinishedJury, _conclusion, _report, _details, _result, _remaining, live=_live, case=_case_file, pictures=_pictures
)
