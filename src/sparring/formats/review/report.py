"""Views of a review: the defects to fix, then all findings with code and reporters; the records.

All words of reviewers, and all code, are foreign text: they stand in fences and quotations that they cannot leave.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from sparring.engine.course import UnusableReplyError, read_answer
from sparring.engine.format import Presentation
from sparring.formats.review import outcome
from sparring.formats.review.outcome import FinishedReview, Heading
from sparring.formats.review.places import Pointed
from sparring.formats.review.replies import FindingsForm, read_examination, read_findings
from sparring.prompts import fence
from sparring.reports.markdown import HARD_BREAK, Section, Sections, cell, literal, optional_section, quoted, table
from sparring.reports.page.elements import NOTHING, Html, element, grid
from sparring.reports.page.passages import PassageLine, code_lines
from sparring.reports.page.pictures import Card, Figure, Pictures, badge
from sparring.reports.runs import counted, request_of
from sparring.schema.authors import Author, AuthorSource, Independence
from sparring.schema.changes import LineMark, ReviewedFile
from sparring.schema.review import (
    CodePlace,
    Examination,
    Examined,
    LastReview,
    ReportedFinding,
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
        *(section for each in Heading for section in _findings(review, each)),
        Section("## Reviewers", _reviewers(review)),
        *_unread(review),
        *optional_section("## Checks", _checks(review)),
        Section("## Reviewed", _reviewed(review)),
        *optional_section("## Run", _about_the_run(review)),
    ]


# -- Findings ------------------------------------------------------------------------------------------------------


def _findings(review: FinishedReview, which: Heading) -> Iterator[Section]:
    findings = review.of(which)
    if findings:
        yield Section(f"## {which}", "")
    for each in findings:
        heading = (
            f"### {each.severity}: {literal(outcome.place_of(each))}: {literal(one_line(each.title, _TITLE_SHOWN))}"
        )
        examined = "\n\n".join(_examined(review, each.examined)) if each.examined else ""
        inside = (("Cross-examination", examined),) if examined else ()
        yield Section(heading, _finding(review, each), _key(each), inside=inside)


def _finding(review: FinishedReview, finding: ReviewFinding) -> str:
    code = [code_of(finding.place)] if finding.place else []
    reports = (part for each in finding.reporters for part in _reported(review, each, finding))
    return "\n\n".join((_facts(finding), *code, *reports))


def _key(finding: ReviewFinding) -> str:
    """Return the name of ``finding`` in links."""
    return f"finding-{finding.id}"


def _facts(finding: ReviewFinding) -> str:
    whose = "family" if len(finding.families) == 1 else "families"
    facts = [f"id {finding.id}", finding.defect.replace("_", " "), f"{whose} {', '.join(finding.families)}"]
    facts += ["outside the change"] if finding.is_outside else []
    dismissed = [f"Dismissed: {literal(finding.dismissed)}"] if finding.dismissed else []
    return HARD_BREAK.join((literal(", ".join(facts)), *dismissed))


def _reported(review: FinishedReview, reporter: Reporter, finding: ReviewFinding) -> Iterator[str]:
    """Yield a report: the reviewer, faults of the place, the words."""
    report, of = reporter.said, review.title(reporter.reviewer)
    sure = "" if report.confidence is None else f", confidence {report.confidence:.2f}"
    facts = [f"{report.severity}{sure}"]
    facts += [report.defect.replace("_", " ")] if report.defect is not finding.defect else []
    facts += [anchoring] if (anchoring := outcome.anchoring_of(reporter)) else []
    yield f"**{literal(of)}**: {literal('; '.join(facts))}"
    title = report.title if report.title != finding.title else ""
    yield quoted("\n\n".join(f"{name}{text}" for name, text in outcome.in_words(report, title).items()))
    if finding.place is None:
        yield f"It quotes:\n\n{fence(for_terminal(report.quote))}"


def _examined(review: FinishedReview, examined: Examined) -> Iterator[str]:
    """Yield an examination by another family: the verdict, its reason, the quoted code."""
    verdict = f"{examined.verdict} ({examined.cause.rstrip('.')})" if examined.cause else examined.verdict
    yield f"**{literal(review.title(examined.examiner))}**, asked to refute it: {literal(verdict)}"
    if examined.said and examined.said.reason.strip():
        yield quoted(examined.said.reason)
    if examined.place:
        yield f"It quotes {literal(outcome.spelled(examined.place))}:\n\n{code_of(examined.place)}"
    elif examined.said and examined.said.quote.strip():
        yield f"It quotes what stands nowhere there:\n\n{fence(for_terminal(examined.said.quote))}"


# -- Reviewers and material ----------------------------------------------------------------------------------------


def _reviewers(review: FinishedReview) -> str:
    rows = (
        (str(number), cell(review.title(number)), cell(_family(review, number)), _heard(review, number))
        for number in range(1, len(review.reviewers) + 1)
    )
    return table(("", "tool", "family", "answered"), rows)


_INDEPENDENCE = {
    Independence.INDEPENDENT: "",
    Independence.OTHER_MODEL: " (the author's; another model)",
    Independence.SAME: " (the author's; does not count)",
}


def _family(review: FinishedReview, number: int) -> str:
    reviewer = review.reviewers[number - 1]
    return f"{reviewer.family}{_INDEPENDENCE[reviewer.independence]}"


def _checks(review: FinishedReview) -> str:
    """The commands that ran for the user, with the last lines of their output."""
    lines = (
        f"**{literal(each.in_words)}**" + (f"\n\n{fence(chr(10).join(each.lines))}" if each.lines else "")
        for each in review.request.checks
    )
    return "\n\n".join(lines)


def _heard(review: FinishedReview, number: int) -> str:
    silences = dict(review.silences(number))
    cells = [f"{review.parts - len(silences)} of {review.parts} parts" if review.parts > 1 else "yes"]
    cells = cells if len(silences) < review.parts else ["no"]
    return cell("; ".join((*cells, *dict.fromkeys(silences.values()))))


def _unread(review: FinishedReview) -> Iterator[Section]:
    for number in range(1, len(review.reviewers) + 1):
        for part, why in review.silences(number):
            if why == outcome.NOT_READABLE:
                replies = [turn.answer.response for turn in review.asked(part, number) if turn.answer]
                heading = f"### {literal(review.title(number))}: could not be read"
                yield Section(heading, "\n\n".join(map(quoted, replies)))


def _reviewed(review: FinishedReview) -> str:
    change = review.request.change
    rows = [
        (cell(each.path), cell("; ".join((each.change.value, *each.facts))), _size(each))
        for each in change.files[:_FILES_SHOWN]
    ]
    more = len(change.files) - _FILES_SHOWN
    out = [
        (cell(each.path), cell("; ".join((f"left out: {outcome.NOT_SHOWN[each.why]}", *each.facts))), "")
        for each in change.left_out[:_FILES_SHOWN]
    ]
    more += max(len(change.left_out) - _FILES_SHOWN, 0) if more > 0 else len(change.left_out) - _FILES_SHOWN
    shown = table(("file", "change", "lines"), (*rows, *out)) if rows or out else "Nothing."
    return f"{shown}\n\n[… {more} more]" if more > 0 else shown


def _size(file: ReviewedFile) -> str:
    """E.g. ``+12 −3``; of a file that is reviewed whole, how many lines it has."""
    marks = [line[:1] for hunk in file.hunks for line in hunk.lines]
    added, removed = marks.count(LineMark.ADDED), marks.count(LineMark.REMOVED)
    return f"+{added} −{removed}" if added or removed else str(len(marks))


def _spoken(author: Author) -> str:
    how = {AuthorSource.HOST: "the host", AuthorSource.TRAILER: "signed a commit", AuthorSource.SAID: ""}[author.source]
    return f"{author.family}{f' {author.model}' if author.model else ''}{f' ({how})' if how else ''}"


def _about_the_run(review: FinishedReview) -> str:
    request, change = review.request, review.request.change
    facts = {"Compared": f"{change.base[:12]}..{(change.head or 'working tree')[:12]}"} if change.base else {}
    facts |= {"Blocks from": request.fail_on.value} if request.fail_on else {}
    facts |= {"Written by": ", ".join(_spoken(each) for each in request.authors)} if request.authors else {}
    return review.about(facts | {"Language": request.language, "Effort": request.effort.value})


# -- In short ------------------------------------------------------------------------------------------------------


def _details(review: FinishedReview) -> Sections:
    """A line or two for each finding with its fix, then the reasons why others do not count, and the reviewers."""
    return [
        *optional_section("## To fix", _points(review, Heading.TO_FIX)),
        *optional_section("## Contested", _points(review, Heading.CONTESTED)),
        *optional_section("## Outside the change", _points(review, Heading.OUTSIDE)),
        *optional_section(
            "## Do not count",
            _points(review, Heading.DISMISSED, Heading.REFUTED, Heading.STRUCK),
        ),
        Section("## Reviewers", _reviewers(review)),
        *optional_section("## Left out", _left_out(review)),
    ]


def _points(review: FinishedReview, *which: Heading) -> str:
    findings = review.of(*which)
    more = [f"[… {len(findings) - _POINTS_IN_SHORT} more]"] if len(findings) > _POINTS_IN_SHORT else []
    return "\n".join((*(_point(review, each) for each in findings[:_POINTS_IN_SHORT]), *more))


def _point(review: FinishedReview, finding: ReviewFinding) -> str:
    """A finding as a bullet, with its fix, or the reason why it does not count."""
    reporter, examined, stands = finding.reporters[0], finding.examined, outcome.heading_of(finding)
    counts = stands not in {Heading.DISMISSED, Heading.REFUTED, Heading.STRUCK}
    below = {
        "Fix": reporter.said.fix if counts else "",
        "Why": finding.dismissed or (outcome.anchoring_of(reporter) if stands is Heading.STRUCK else ""),
        "Asked to refute it": examined.said.reason if examined and examined.said else "",
    }
    lines = (f"  - {name}: {literal(one_line(text, _TEXT_SHOWN))}" for name, text in below.items() if text.strip())
    return "\n".join((f"- {literal(one_line(outcome.point(review, finding), _POINT_SHOWN))}", *lines))


def _left_out(review: FinishedReview) -> str:
    change = review.request.change
    lines = (*outcome.left_out(change, are_gaps=True), *outcome.left_out(change, are_gaps=False))
    return "\n".join(f"- {literal(each)}" for each in lines)


# -- During the run ------------------------------------------------------------------------------------------------


def _case(request: Request) -> Sections:
    if not isinstance(request, ReviewRequest):
        return ()
    change = request.change
    lines = sum(len(hunk.lines) for file in change.files for hunk in file.hunks)
    files = counted(len(change.files), "file")
    parts = f", in {len(change.parts)} parts" if len(change.parts) > 1 else ""
    about = [f"{literal(change.title)}: {files}, {lines:,} lines with their surroundings{parts}"]
    about += [f"Not shown: {literal(each)}" for each in outcome.left_out(change, are_gaps=True)]
    about += [f"Left out: {literal(each)}" for each in outcome.left_out(change, are_gaps=False)]
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


_NOWHERE = Pointed("-", 1, 1, "")


def _listed(form: FindingsForm) -> str:
    count = counted(len(form.findings), "finding") if form.findings else "no findings"
    titles = [_titled(each) for each in form.findings[:_MOST_LISTED]]
    unread = [f"- {_word(fault)}" for fault in form.malformed[:_MOST_LISTED]]
    return "\n".join((f"{count}{':' if titles else '.'}", *titles, *unread))


def _titled(finding: ReportedFinding) -> str:
    return f"- {_word(finding.severity)} {_word(f'{finding.file}:{finding.line}')}: {_word(finding.title)}"


def _word(value: object) -> str:
    return literal(one_line(str(value or "…"), _TEXT_SHOWN))


def _remaining(run: Run) -> tuple[str, ...]:
    request = request_of(run, ReviewRequest)
    asked = {turn.ask_id for turn in run.transcript.turns}
    parts = len(request.change.parts)
    missing = (
        f"findings of {each.tool}{f', part {part} of {parts}' if parts > 1 else ''}"
        for part in range(1, parts + 1)
        for number, each in enumerate(request.reviewers, start=1)
        if f"findings.{part}.{number}" not in asked
    )
    return (*missing, "the cross-examination of what one family alone has found")


# -- Records -------------------------------------------------------------------------------------------------------


def _result(review: FinishedReview) -> LastReview:
    change = review.request.change
    of_change = {name: value for name, value in change if name not in {"files", "kind", "parts"}}
    files = tuple(each.path for each in change.files)
    who = {"reviewers": review.reviewers, "families": review.families}
    heard = {"is_heard": review.outcome.is_heard, "is_weaker": review.outcome.is_weaker}
    return review.record(LastReview, **of_change, kind=change.kind, files=files, **who, **heard)


_NEAR = 3
_ROWS_SHOWN = 60
_LINES_SHOWN = 60
_NAME_SHOWN = 120
_KINDS: Mapping[str, str] = {LineMark.ADDED: "added", LineMark.REMOVED: "removed"}
_TONES = {Examination.CONFIRMED: "good", Examination.REFUTED: "bad", Examination.UNSURE: "open"}


def _pictures(review: FinishedReview) -> Pictures:
    figures = (_matrix(review),) if review.outcome.findings else ()
    cards = {_key(each): _card(review, each) for each in review.outcome.findings}
    return Pictures(figures, cards, called="Findings")


def _matrix(review: FinishedReview) -> Figure:
    numbers = range(1, len(review.reviewers) + 1)
    findings = [each for which in Heading for each in review.of(which)]
    rows = [element("tr", _named(each), *(_cell(each, number) for number in numbers)) for each in findings]
    table = grid("Who found what", ("Finding", "Stands", *map(review.name, numbers)), rows[:_ROWS_SHOWN])
    about = "An empty cell: that reviewer did not report it."
    about += f" {len(rows) - _ROWS_SHOWN} more below." if len(rows) > _ROWS_SHOWN else ""
    return Figure("Who found what", table, about, is_wide=True)


def _named(finding: ReviewFinding) -> tuple[Html, Html]:
    link = element("a", one_line(finding.title, _NAME_SHOWN), href=f"#{_key(finding)}")
    place = element("small", f" {finding.severity}, {one_line(outcome.place_of(finding), _NAME_SHOWN)}")
    return element("th", link, place, scope="row"), element("td", outcome.heading_of(finding).value)


def _cell(finding: ReviewFinding, number: int) -> Html:
    examined = finding.examined
    if any(each.reviewer == number for each in finding.reporters):
        return element("td", badge("found", "accent"))
    if examined and examined.examiner == number:
        return element("td", badge(examined.verdict.value, _TONES[examined.verdict]))
    return element("td")


def _card(review: FinishedReview, finding: ReviewFinding) -> Card:
    stands = outcome.heading_of(finding)
    names = dict.fromkeys(review.name(each.reviewer) for each in finding.reporters)
    facets = {"severity": (finding.severity.value,), "state": (stands.value,), "reviewer": tuple(names)}
    lines = tuple(_lines(review, finding.place)) if finding.place else ()
    shown = code_lines(lines, name=outcome.place_of(finding)) if any(each.is_meant for each in lines) else NOTHING
    instead = code_of(finding.place) if finding.place and shown.markup else ""
    return Card(facets, below=shown, instead_of=instead, is_open=stands is Heading.TO_FIX)


def code_of(place: CodePlace) -> str:
    """The code at ``place``, in a fence that nothing inside can close."""
    lines = for_terminal(place.text).split("\n")
    more = [f"[… {len(lines) - _LINES_SHOWN} more lines]"] if len(lines) > _LINES_SHOWN else []
    return fence("\n".join((*lines[:_LINES_SHOWN], *more)))


def _lines(review: FinishedReview, place: CodePlace) -> Iterator[PassageLine]:
    """The lines of the change at that place with a few around them."""
    near = range(place.first - _NEAR, min(place.last, place.first + _LINES_SHOWN) + _NEAR + 1)
    files = (file for file in review.request.change.files if file.path == place.file)
    for number, mark, text in (line for file in files for hunk in file.hunks for line in hunk.numbered):
        if number in near:
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
