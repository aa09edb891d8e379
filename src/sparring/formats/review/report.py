"""Views of a review: the defects to fix, then all findings with code and reporters; the records.

All words of reviewers, and all code, are foreign text: they stand in fences and quotations that they cannot leave.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from sparring.engine.course import UnusableReplyError, read_answer
from sparring.engine.format import Presentation
from sparring.formats.review import outcome
from sparring.formats.review.outcome import FinishedReview, Heading
from sparring.formats.review.places import PointedLines
from sparring.formats.review.replies import FindingsForm, read_examination, read_findings
from sparring.prompts import fence
from sparring.reports.markdown import HARD_BREAK, Section, Sections, cell, literal, optional_section, quoted, table
from sparring.reports.page.elements import NOTHING, Html, element, grid
from sparring.reports.page.passages import PassageLine, code_lines
from sparring.reports.page.pictures import Card, Figure, Pictures, badge
from sparring.reports.runs import number_of, request_of
from sparring.schema.authors import Author, AuthorSource, Independence
from sparring.schema.changes import LineMark, ReviewedFile
from sparring.schema.review import (
    CodePlace,
    Examination,
    Examined,
    LastReview,
    Reporter,
    ReviewFinding,
    ReviewRequest,
)
from sparring.schema.runs import Request, Run
from sparring.schema.transcript import Transcript, TurnKind
from sparring.text.tidying import for_terminal, one_line

_FILES_SHOWN = 300
_MOST_LISTED = 20
_POINTS_IN_SHORT = 15
_POINT_SHOWN, _TEXT_SHOWN = 500, 300
_TITLE_SHOWN = 200


def _report(review: FinishedReview) -> Sections:
    about = review.request.about
    return [
        *optional_section("## Meant to do", quoted(about) if about.strip() else ""),
        *(section for heading in Heading for section in _findings(review, heading)),
        Section("## Reviewers", _reviewers(review)),
        *_unread(review),
        *optional_section("## Checks", _checks(review)),
        Section("## Reviewed", _reviewed(review)),
        *optional_section("## Run", _about_the_run(review)),
    ]


# -- Findings ------------------------------------------------------------------------------------------------------


def _findings(review: FinishedReview, heading: Heading) -> Iterator[Section]:
    findings = review.of(heading)
    if findings:
        yield Section(f"## {heading}", "")
    for finding in findings:
        place, title = literal(outcome.place_of(finding)), literal(one_line(finding.title, _TITLE_SHOWN))
        inside: tuple[tuple[str, str], ...] = ()
        if finding.examined:
            inside = (("Cross-examination", "\n\n".join(_examined(review, finding.examined))),)
        yield Section(
            f"### {finding.severity}: {place}: {title}", _finding(review, finding), _key(finding), inside=inside
        )


def _finding(review: FinishedReview, finding: ReviewFinding) -> str:
    """Return the facts about a finding, the code that it is about, and the words of each reporter."""
    paragraphs = [_facts(finding)]
    if finding.place:
        paragraphs.append(code_of(finding.place))
    for reporter in finding.reporters:
        paragraphs += _reported(review, reporter, finding)
    return "\n\n".join(paragraphs)


def _key(finding: ReviewFinding) -> str:
    """Return the name of ``finding`` in links."""
    return f"finding-{finding.id}"


def _facts(finding: ReviewFinding) -> str:
    families = "family" if len(finding.families) == 1 else "families"
    facts = [f"id {finding.id}", finding.defect.replace("_", " "), f"{families} {', '.join(finding.families)}"]
    if finding.is_outside:
        facts.append("outside the change")
    line = literal(", ".join(facts))
    if finding.dismissed:
        line += f"{HARD_BREAK}Dismissed: {literal(finding.dismissed)}"
    return line


def _reported(review: FinishedReview, reporter: Reporter, finding: ReviewFinding) -> Iterator[str]:
    """Yield a report: the reviewer, faults of the place, the words."""
    report = reporter.report
    confidence = "" if report.confidence is None else f", confidence {report.confidence:.2f}"
    facts = [f"{report.severity}{confidence}"]
    if report.defect is not finding.defect:
        facts.append(report.defect.replace("_", " "))
    anchoring = outcome.anchoring_of(reporter)
    if anchoring:
        facts.append(anchoring)
    yield f"**{literal(review.title(reporter.reviewer))}**: {literal('; '.join(facts))}"
    title = report.title if report.title != finding.title else ""
    yield quoted("\n\n".join(f"{name}{text}" for name, text in outcome.in_words(report, title).items()))
    if finding.place is None:
        yield f"It quotes:\n\n{fence(for_terminal(report.quote))}"


def _examined(review: FinishedReview, examined: Examined) -> Iterator[str]:
    """Yield an examination by another family: the verdict, its reason, the quoted code."""
    verdict = f"{examined.verdict} ({examined.cause.rstrip('.')})" if examined.cause else examined.verdict
    yield f"**{literal(review.title(examined.examiner))}**, asked to refute it: {literal(verdict)}"
    if examined.examination and examined.examination.reason.strip():
        yield quoted(examined.examination.reason)
    if examined.place:
        yield f"It quotes {literal(outcome.spelled(examined.place))}:\n\n{code_of(examined.place)}"
    elif examined.examination and examined.examination.quote.strip():
        yield f"Its quote is not in the file:\n\n{fence(for_terminal(examined.examination.quote))}"


# -- Reviewers and material ----------------------------------------------------------------------------------------


def _reviewers(review: FinishedReview) -> str:
    rows: list[tuple[str, ...]] = []
    for number, reviewer in enumerate(review.reviewers, start=1):
        family = f"{reviewer.family}{_INDEPENDENCE[reviewer.independence]}"
        rows.append((str(number), cell(review.title(number)), cell(family), _answered(review, number)))
    return table(("", "tool", "family", "answered"), rows)


_INDEPENDENCE = {
    Independence.INDEPENDENT: "",
    Independence.OTHER_MODEL: " (the author's; another model)",
    Independence.SAME: " (the author's; does not count)",
}


def _checks(review: FinishedReview) -> str:
    """The commands that ran for the user, with the last lines of their output."""
    paragraphs: list[str] = []
    for check in review.request.checks:
        paragraphs.append(f"**{literal(check.in_words)}**")
        if check.lines:
            paragraphs.append(fence("\n".join(check.lines)))
    return "\n\n".join(paragraphs)


def _answered(review: FinishedReview, number: int) -> str:
    """Say for how many parts that reviewer gave an answer, and why not for the others."""
    silences = dict(review.silences(number))
    answered = review.parts - len(silences)
    parts = f"{answered} of {review.parts} parts" if review.parts > 1 else "yes"
    if answered == 0:
        parts = "no"
    return cell("; ".join((parts, *dict.fromkeys(silences.values()))))


def _unread(review: FinishedReview) -> Iterator[Section]:
    for number in range(1, len(review.reviewers) + 1):
        for part, why in review.silences(number):
            if why == outcome.NOT_READABLE:
                replies = [turn.answer.response for turn in review.asked(part, number) if turn.answer]
                heading = f"### {literal(review.title(number))}: could not be read"
                yield Section(heading, "\n\n".join(map(quoted, replies)))


def _reviewed(review: FinishedReview) -> str:
    """List the reviewed files, then those that were left out; of each kind at most ``_FILES_SHOWN``."""
    change = review.request.change
    rows: list[tuple[str, ...]] = []
    for file in change.files[:_FILES_SHOWN]:
        facts = "; ".join((file.change.value, *file.facts))
        rows.append((cell(file.path), cell(facts), _size(file)))
    for left_out in change.left_out[:_FILES_SHOWN]:
        facts = "; ".join((f"left out: {outcome.NOT_SHOWN[left_out.reason]}", *left_out.facts))
        rows.append((cell(left_out.path), cell(facts), ""))
    if not rows:
        return "Nothing."
    shown = table(("file", "change", "lines"), rows)
    more = len(change.files) + len(change.left_out) - len(rows)
    return f"{shown}\n\n[… {more} more]" if more else shown


def _size(file: ReviewedFile) -> str:
    """E.g. ``+12 −3``; of a file that is reviewed whole, how many lines it has."""
    marks = [line[:1] for hunk in file.hunks for line in hunk.lines]
    added, removed = marks.count(LineMark.ADDED), marks.count(LineMark.REMOVED)
    return f"+{added} −{removed}" if added or removed else str(len(marks))


def _author(author: Author) -> str:
    name = f"{author.family} {author.model}" if author.model else author.family
    known_by = {AuthorSource.HOST: " (the host)", AuthorSource.TRAILER: " (signed a commit)", AuthorSource.DECLARED: ""}
    return f"{name}{known_by[author.source]}"


def _about_the_run(review: FinishedReview) -> str:
    request, change = review.request, review.request.change
    facts: dict[str, str] = {}
    if change.base:
        facts["Compared"] = f"{change.base[:12]}..{(change.head or 'working tree')[:12]}"
    if request.fail_on:
        facts["Blocks from"] = request.fail_on.value
    if request.authors:
        facts["Written by"] = ", ".join(_author(author) for author in request.authors)
    facts |= {"Language": request.language, "Effort": request.effort.value}
    return review.about(facts)


# -- In short ------------------------------------------------------------------------------------------------------


def _details(review: FinishedReview) -> Sections:
    """A line or two for each finding with its fix, then the reasons why others do not count, and the reviewers."""
    return [
        *optional_section("## To fix", _points(review, Heading.TO_FIX)),
        *optional_section("## Contested", _points(review, Heading.CONTESTED)),
        *optional_section("## Outside the change", _points(review, Heading.OUTSIDE)),
        *optional_section("## Do not count", _points(review, *_NOT_COUNTED)),
        Section("## Reviewers", _reviewers(review)),
        *optional_section("## Left out", _left_out(review)),
    ]


_NOT_COUNTED = (Heading.DISMISSED, Heading.REFUTED, Heading.STRUCK)


def _points(review: FinishedReview, *headings: Heading) -> str:
    findings = review.of(*headings)
    lines = [_point(review, finding) for finding in findings[:_POINTS_IN_SHORT]]
    if len(findings) > _POINTS_IN_SHORT:
        lines.append(f"[… {len(findings) - _POINTS_IN_SHORT} more]")
    return "\n".join(lines)


def _point(review: FinishedReview, finding: ReviewFinding) -> str:
    """A finding as a bullet, with its fix, or the reason why it does not count."""
    first, examined = finding.reporters[0], finding.examined
    heading = outcome.heading_of(finding)
    why = finding.dismissed
    if heading is Heading.STRUCK and not why:
        why = outcome.anchoring_of(first)
    below = {
        "Fix": "" if heading in _NOT_COUNTED else first.report.fix,
        "Why": why,
        "Asked to refute it": examined.examination.reason if examined and examined.examination else "",
    }
    lines = [f"- {literal(one_line(outcome.point(review, finding), _POINT_SHOWN))}"]
    lines += [f"  - {name}: {literal(one_line(text, _TEXT_SHOWN))}" for name, text in below.items() if text.strip()]
    return "\n".join(lines)


def _left_out(review: FinishedReview) -> str:
    change = review.request.change
    lines = (*outcome.left_out(change, are_gaps=True), *outcome.left_out(change, are_gaps=False))
    return "\n".join(f"- {literal(line)}" for line in lines)


# -- During the run ------------------------------------------------------------------------------------------------


def _case(request: Request) -> Sections:
    if not isinstance(request, ReviewRequest):
        return ()
    change = request.change
    lines = sum(len(hunk.lines) for file in change.files for hunk in file.hunks)
    files = number_of(len(change.files), "file")
    parts = f", in {len(change.parts)} parts" if len(change.parts) > 1 else ""
    about = [f"{literal(change.title)}: {files}, {lines:,} lines with their surroundings{parts}"]
    about += [f"Not shown: {literal(line)}" for line in outcome.left_out(change, are_gaps=True)]
    about += [f"Left out: {literal(line)}" for line in outcome.left_out(change, are_gaps=False)]
    return [Section("## Change", HARD_BREAK.join(about))]


def _live(_request: Request, transcript: Transcript) -> str:
    """Summarise an answer for live views; its words, which are JSON, are in the report."""
    turn = transcript.turns[-1]
    if turn.answer is None or turn.kind not in {TurnKind.FINDINGS, TurnKind.EXAMINATION}:
        return ""
    try:
        if turn.kind is TurnKind.EXAMINATION:
            examined = read_answer(turn.answer, partial(read_examination, reported=_NOWHERE)).value
            return f"{_word(examined.verdict)}: {_word(examined.reason)}"
        form = read_answer(turn.answer, read_findings).value
    except UnusableReplyError:
        return "No usable answer."
    return _listed(form)


_NOWHERE = PointedLines("-", 1, 1, "")


def _listed(form: FindingsForm) -> str:
    """List the findings of a reply, then its faults, as far as they can be read."""
    lines = [f"{number_of(len(form.findings), 'finding')}:" if form.findings else "no findings."]
    for finding in form.findings[:_MOST_LISTED]:
        place = f"{finding.file}:{finding.line}"
        lines.append(f"- {_word(finding.severity)} {_word(place)}: {_word(finding.title)}")
    lines += [f"- {_word(fault)}" for fault in form.malformed[:_MOST_LISTED]]
    return "\n".join(lines)


def _word(value: object) -> str:
    """Return a value of a reply in one line; ``…`` if it is empty."""
    return literal(one_line(str(value or "…"), _TEXT_SHOWN))


def _remaining(run: Run) -> tuple[str, ...]:
    request = request_of(run, ReviewRequest)
    asked = {turn.ask_id for turn in run.transcript.turns}
    parts = len(request.change.parts)
    remaining: list[str] = []
    for part in range(1, parts + 1):
        of_part = f", part {part} of {parts}" if parts > 1 else ""
        for number, reviewer in enumerate(request.reviewers, start=1):
            if f"findings.{part}.{number}" not in asked:
                remaining.append(f"findings of {reviewer.tool}{of_part}")
    return (*remaining, "the cross-examination of what one family alone has found")


# -- Records -------------------------------------------------------------------------------------------------------


def _result(review: FinishedReview) -> LastReview:
    change = review.request.change
    change_fields = {name: value for name, value in change if name not in {"files", "kind", "parts"}}
    return review.record(
        LastReview,
        **change_fields,
        kind=change.kind,
        files=tuple(file.path for file in change.files),
        reviewers=review.reviewers,
        families=review.families,
        has_quorum=review.outcome.has_quorum,
        is_weaker=review.outcome.is_weaker,
    )


_NEAR = 3
_ROWS_SHOWN = 60
_LINES_SHOWN = 60
_NAME_SHOWN = 120
_KINDS: Mapping[str, str] = {LineMark.ADDED: "added", LineMark.REMOVED: "removed"}
_TONES = {Examination.CONFIRMED: "good", Examination.REFUTED: "bad", Examination.UNSURE: "open"}


def _pictures(review: FinishedReview) -> Pictures:
    figures = (_matrix(review),) if review.outcome.findings else ()
    cards = {_key(finding): _card(review, finding) for finding in review.outcome.findings}
    return Pictures(figures, cards, speeches_title="Findings")


def _matrix(review: FinishedReview) -> Figure:
    """Show a row for each finding and a column for each reviewer."""
    numbers = range(1, len(review.reviewers) + 1)
    findings = [finding for heading in Heading for finding in review.of(heading)]
    rows: list[Html] = []
    for finding in findings[:_ROWS_SHOWN]:
        link = element("a", one_line(finding.title, _NAME_SHOWN), href=f"#{_key(finding)}")
        place = element("small", f" {finding.severity}, {one_line(outcome.place_of(finding), _NAME_SHOWN)}")
        head = element("th", link, place, scope="row")
        heading = element("td", outcome.heading_of(finding).value)
        rows.append(element("tr", head, heading, *(_cell(finding, number) for number in numbers)))
    about = "An empty cell: that reviewer did not report it."
    if len(findings) > _ROWS_SHOWN:
        about += f" {len(findings) - _ROWS_SHOWN} more below."
    matrix = grid("Findings by reviewer", ("Finding", "Stands", *map(review.name, numbers)), rows)
    return Figure("Findings by reviewer", matrix, about, is_wide=True)


def _cell(finding: ReviewFinding, number: int) -> Html:
    examined = finding.examined
    if any(reporter.reviewer == number for reporter in finding.reporters):
        return element("td", badge("found", "accent"))
    if examined and examined.examiner == number:
        return element("td", badge(examined.verdict.value, _TONES[examined.verdict]))
    return element("td")


def _card(review: FinishedReview, finding: ReviewFinding) -> Card:
    heading = outcome.heading_of(finding)
    names = dict.fromkeys(review.name(reporter.reviewer) for reporter in finding.reporters)
    facets = {"severity": (finding.severity.value,), "state": (heading.value,), "reviewer": tuple(names)}
    shown, instead_of = NOTHING, ""
    if finding.place:
        lines = tuple(_lines(review, finding.place))
        # The change need not contain the place: a finding may be about code around it.
        if any(line.is_meant for line in lines):
            shown = code_lines(lines, name=outcome.place_of(finding))
        if shown.markup:
            instead_of = code_of(finding.place)
    return Card(facets, below=shown, instead_of=instead_of, is_open=heading is Heading.TO_FIX)


def code_of(place: CodePlace) -> str:
    """The code at ``place``, in a fence that nothing inside can close."""
    lines = for_terminal(place.text).split("\n")
    shown = lines[:_LINES_SHOWN]
    if len(lines) > _LINES_SHOWN:
        shown.append(f"[… {len(lines) - _LINES_SHOWN} more lines]")
    return fence("\n".join(shown))


def _lines(review: FinishedReview, place: CodePlace) -> Iterator[PassageLine]:
    """The lines of the change at that place with a few around them."""
    near = range(place.first - _NEAR, min(place.last, place.first + _LINES_SHOWN) + _NEAR + 1)
    hunks = [hunk for file in review.request.change.files if file.path == place.file for hunk in file.hunks]
    for hunk in hunks:
        for number, mark, text in hunk.numbered:
            if number not in near:
                continue
            is_removed = mark == LineMark.REMOVED
            is_meant = place.first <= number <= place.last and is_removed == place.is_removed
            yield PassageLine(None if is_removed else number, text, _KINDS.get(mark, ""), is_meant)


PRESENTATION = Presentation(
    FinishedReview,
    outcome.conclusion,
    _report,
    _details,
    _result,
    _remaining,
    live=_live,
    case=_case,
    pictures=_pictures,
)
