"""What the page of a review shows besides: who found what, and each finding beside its lines of the change."""

from collections.abc import Iterator, Mapping

from sparring.formats.review.finished import FinishedReview, Heading, heading_of, place_of
from sparring.prompts import fence
from sparring.reports.page.elements import NOTHING, Html, element
from sparring.reports.page.passages import Line, code_lines
from sparring.reports.page.pictures import Card, Figure, Pictures, badge
from sparring.schema.changes import LineMark
from sparring.schema.review import CodePlace, Examination, ReviewFinding
from sparring.schema.runs import Run
from sparring.text.tidying import for_terminal, one_line

_NEAR = 3
_ROWS_SHOWN = 60
_LINES_SHOWN = 60
_TITLE_SHOWN = 120
_KINDS: Mapping[str, str] = {LineMark.ADDED: "added", LineMark.REMOVED: "removed"}
_TONES = {Examination.CONFIRMED: "good", Examination.REFUTED: "bad", Examination.UNSURE: "open"}


def pictures(run: Run) -> Pictures:
    """Who found what, and what is known of each finding."""
    review = FinishedReview(run)
    figures = (_matrix(review),) if review.outcome.findings else ()
    cards = {review.key(each): _card(review, each) for each in review.outcome.findings}
    return Pictures(figures, cards, called="Findings")


def _matrix(review: FinishedReview) -> Figure:
    numbers = range(1, len(review.reviewers) + 1)
    head = [element("th", name, scope="col") for name in ("Finding", "Stands", *map(review.name, numbers))]
    found = [each for which in Heading for each in review.of(which)]
    rows = [element("tr", _named(review, each), *(_cell(each, number) for number in numbers)) for each in found]
    table = element("table", element("thead", element("tr", head)), element("tbody", rows[:_ROWS_SHOWN]))
    about = "An empty cell: that reviewer did not report it."
    about += f" {len(rows) - _ROWS_SHOWN} more below." if len(rows) > _ROWS_SHOWN else ""
    scrolled = element("div", table, class_="scroll", tabindex="0", role="group", aria_label="Who found what")
    return Figure("Who found what", scrolled, about, is_wide=True)


def _named(review: FinishedReview, finding: ReviewFinding) -> tuple[Html, Html]:
    link = element("a", one_line(finding.title, _TITLE_SHOWN), href=f"#{review.key(finding)}")
    place = element("small", f" {finding.severity}, {one_line(place_of(finding), _TITLE_SHOWN)}")
    return element("th", link, place, scope="row"), element("td", heading_of(finding).value)


def _cell(finding: ReviewFinding, number: int) -> Html:
    examined = finding.examined
    if any(each.reviewer == number for each in finding.reporters):
        return element("td", badge("found", "accent"))
    if examined and examined.examiner == number:
        return element("td", badge(examined.verdict.value, _TONES[examined.verdict]))
    return element("td")


def _card(review: FinishedReview, finding: ReviewFinding) -> Card:
    stands = heading_of(finding)
    names = dict.fromkeys(review.name(each.reviewer) for each in finding.reporters)
    facets = {"severity": (finding.severity.value,), "state": (stands.value,), "reviewer": tuple(names)}
    lines = tuple(_lines(review, finding.place)) if finding.place else ()
    shown = code_lines(lines, name=place_of(finding)) if any(each.is_meant for each in lines) else NOTHING
    instead = code_of(finding.place) if finding.place and shown.markup else ""
    return Card(facets, beside=shown, instead_of=instead, is_open=stands is Heading.TO_FIX)


def code_of(place: CodePlace) -> str:
    """The code at ``place``, in a fence that nothing inside can close."""
    lines = for_terminal(place.text).split("\n")
    more = [f"[… {len(lines) - _LINES_SHOWN} more lines]"] if len(lines) > _LINES_SHOWN else []
    return fence("\n".join((*lines[:_LINES_SHOWN], *more)))


def _lines(review: FinishedReview, place: CodePlace) -> Iterator[Line]:
    """The lines of the change at that place with a few around them."""
    near = range(place.first - _NEAR, min(place.last, place.first + _LINES_SHOWN) + _NEAR + 1)
    files = (file for file in review.request.change.files if file.path == place.file)
    for number, mark, text in (line for file in files for hunk in file.hunks for line in hunk.numbered):
        if number in near:
            is_removed = mark == LineMark.REMOVED
            is_meant = place.first <= number <= place.last and is_removed == place.is_removed
            yield Line(None if is_removed else number, text, _KINDS.get(mark, ""), is_meant)
