"""The page of a run, whatever its format: first what came of it, then pictures, then the report with what was said."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparring.reports.conclusion import Conclusion
from sparring.reports.markdown import Section, Sections, joined
from sparring.reports.page.cards import Folded, filters, heading, sections, with_facets
from sparring.reports.page.document import document, footer, header
from sparring.reports.page.document import joined as lines
from sparring.reports.page.elements import NOTHING, Html, element
from sparring.reports.page.first_screen import first_screen, unfinished
from sparring.reports.page.pictures import Card, Pictures, shown, timeline
from sparring.reports.page.prose import LONGEST
from sparring.schema.runs import Run
from sparring.schema.transcript import Turn
from sparring.text.tidying import one_line

_TITLE_SHOWN = 80


@dataclass(frozen=True)
class Told:
    """What is told of a run.

    Attributes:
        ended: What came of it; None of one that has not ended.
        report: The sections of its report below that.
        pictures: What its format adds.
    """

    ended: Conclusion | None
    report: Sections
    pictures: Pictures


def run_page(run: Run, told: Told, *, scripts: Sequence[str] = ("page.js",), connects: bool = False) -> str:
    """The page of ``run``; see ``document`` for its scripts."""
    folded = dict(_folded(run, told))
    first = first_screen(run, told.ended) if told.ended else unfinished(run)
    drawn = _pictures(run, told.pictures)
    main = element("main", first, drawn, _report(told.report, folded), id="main")
    subject = one_line(run.header.request.subject, _TITLE_SHOWN)
    about, places = run.header.kind.replace("-", " "), _places(drawn, folded, told.pictures.called)
    return document(
        f"{told.ended.headline if told.ended else run.status}: {subject}",
        lines(header(about, places), main, footer(f"the journal of {run.header.run_id}")),
        data={
            "run": run.header.run_id,
            "kind": run.header.kind,
            "markdown": {each.anchor: each.markdown for each in folded.values() if len(each.markdown) <= LONGEST},
        },
        scripts=scripts,
        connects=connects,
    )


def _places(drawn: Html, folded: Mapping[str, Folded], called: str) -> Iterator[tuple[str, str]]:
    """What the page can be gone through by: an anchor, and what stands there."""
    yield "conclusion", "Conclusion"
    if drawn.markup:
        yield "pictures", "Pictures"
    yield "report", "Report"
    if folded:
        yield "parts", called


def _pictures(run: Run, added: Pictures) -> Html:
    figures = [*added.figures, *filter(None, (timeline(run),))]
    if not figures:
        return NOTHING
    title = element("h2", "In pictures", class_="part")
    return element("section", title, element("div", map(shown, figures), class_="figures"), id="pictures")


def _report(report: Sections, folded: Mapping[str, Folded]) -> Html:
    """All of it; what is folded and filtered stands in a part of its own."""
    before, cards, after = _parted(report, folded)
    parts = [
        element("h2", "The report", class_="part"),
        element("div", sections(before, folded), class_="text"),
    ]
    if cards:
        title = cards[0] if cards[0].key not in folded else None
        known = [folded[section.key].card for section in cards if section.key in folded]
        parts.append(
            element(
                "section",
                heading(title.heading) if title else NOTHING,
                sections([Section("", title.body)] if title else [], folded),
                filters(known),
                sections(cards[1:] if title else cards, folded),
                class_="cards",
                id="parts",
            )
        )
    parts += [element("div", sections(after, folded), class_="text")] if after else []
    return element("section", parts, id="report")


def _parted(report: Sections, folded: Mapping[str, Folded]) -> tuple[Sections, Sections, Sections]:
    """What stands before what is folded with the heading above that, what is folded, what stands after it."""
    places = [place for place, section in enumerate(report) if section.key in folded]
    if not places:
        return report, (), ()
    begin = next(
        (place for place in range(places[0] - 1, -1, -1) if report[place].heading.startswith("## ")), places[0]
    )
    return report[:begin], report[begin : places[-1] + 1], report[places[-1] + 1 :]


def _folded(run: Run, told: Told) -> Iterator[tuple[str, Folded]]:
    turns = {turn.ask_id: (number, turn) for number, turn in enumerate(run.transcript.turns, start=1)}
    language = dict(run.header.request).get("language")
    for section in told.report:
        if not section.key:
            continue
        number, turn = turns.get(section.key, (0, None))
        card = told.pictures.cards.get(section.key, Card())
        known = with_facets(card, _known_of(turn)) if turn else card
        anchor = f"turn-{number}" if turn else section.key
        yield section.key, Folded(section, anchor, known, joined([section]), language if turn else None)


def _known_of(turn: Turn) -> Mapping[str, Sequence[str]]:
    marks = ["failed"] if turn.failure else []
    marks += ["redacted"] if turn.reply.redactions else []
    return {"role": (turn.role.spoken,), "mark": marks}
