"""The page of a run of any format: first the conclusion, then pictures, then the report with the speeches.

The first screen shows the question, the conclusion, the recommended action, and the participants. Long parts of
the report are folded, and can be searched by their facts.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sparring.reports.conclusion import Conclusion, inert, urgent_first, used
from sparring.reports.markdown import Section, Sections, joined
from sparring.reports.page.elements import NOTHING, Html, document, element, footer, fragment, grid, header, lines, text
from sparring.reports.page.passages import LONGEST, line, prose
from sparring.reports.page.pictures import Card, Figure, Pictures, shown, strip, tone_of
from sparring.reports.progress import stage
from sparring.reports.runs import seconds
from sparring.reports.voices import voice
from sparring.schema.base import Role
from sparring.schema.consultation import Answer
from sparring.schema.runs import Run, RunStatus
from sparring.schema.transcript import Turn
from sparring.text.tidying import one_line

_TITLE_SHOWN = 80


class _Folded(Struct, frozen=True):
    """A section that is folded separately.

    Attributes:
        anchor: Target of links to it, e.g. ``turn-7``.
        language: Of its quotations; None: unknown.
    """

    section: Section
    anchor: str
    card: Card
    language: str | None


def run_page(
    run: Run, ended: Conclusion | None, report: Sections, pictures: Pictures, *, scripts: Sequence[str], connects: bool
) -> str:
    """Return the page of ``run``.

    Args:
        run: The run to show.
        ended: Its conclusion; None: it has not ended.
        report: The sections of its report below that.
        pictures: Additions of its format.
        scripts: See ``document``.
        connects: The same.
    """
    folded = dict(_folded(run, report, pictures.cards))
    first = _first_screen(run, ended) if ended else _unfinished(run)
    drawn = _pictures(run, pictures)
    main = element("main", first, _report(report, folded), drawn, id="main")
    subject = one_line(run.header.request.subject, _TITLE_SHOWN)
    about, places = run.header.kind.replace("-", " "), _places(drawn, folded, pictures.called)
    copied = ((each.anchor, joined([each.section])) for each in folded.values())
    return document(
        f"{ended.headline if ended else run.status}: {subject}",
        lines(header(about, places), main, footer(f"the journal of {run.header.run_id}")),
        data={"markdown": {anchor: markdown for anchor, markdown in copied if len(markdown) <= LONGEST}},
        scripts=scripts,
        connects=connects,
    )


def _places(drawn: Html, folded: Mapping[str, _Folded], called: str) -> Iterator[tuple[str, str]]:
    """Yield the navigation of the page: anchors with their names."""
    yield "conclusion", "Conclusion"
    yield "report", "Report"
    if folded:
        yield "parts", called
    if drawn.markup:
        yield "pictures", "Pictures"


def _pictures(run: Run, added: Pictures) -> Html:
    figures = [*added.figures, *filter(None, (_timeline(run),))]
    if not figures:
        return NOTHING
    title = element("h2", "In pictures", class_="part")
    return element("section", title, element("div", map(shown, figures), class_="figures"), id="pictures")


def _report(report: Sections, folded: Mapping[str, _Folded]) -> Html:
    """Return the whole report; folded sections with filters are a separate part."""
    before, cards, after = _parted(report, folded)
    parts = [
        element("h2", "The report", class_="part"),
        element("div", _sections(before, folded), class_="text"),
    ]
    if cards:
        title = cards[0] if cards[0].key not in folded else None
        known = [folded[section.key].card for section in cards if section.key in folded]
        parts.append(
            element(
                "section",
                _heading(title.heading) if title else NOTHING,
                _sections([Section("", title.body)] if title else [], folded),
                _filters(known),
                _sections(cards[1:] if title else cards, folded),
                class_="cards",
                id="parts",
            )
        )
    parts += [element("div", _sections(after, folded), class_="text")] if after else []
    return element("section", parts, id="report")


def _parted(report: Sections, folded: Mapping[str, _Folded]) -> tuple[Sections, Sections, Sections]:
    """Split the report into the sections before the folded ones, these, and the sections after them."""
    places = [place for place, section in enumerate(report) if section.key in folded]
    if not places:
        return report, (), ()
    begin = next(
        (place for place in range(places[0] - 1, -1, -1) if report[place].heading.startswith("## ")), places[0]
    )
    return report[:begin], report[begin : places[-1] + 1], report[places[-1] + 1 :]


def _folded(run: Run, report: Sections, cards: Mapping[str, Card]) -> Iterator[tuple[str, _Folded]]:
    turns = {turn.ask_id: (number, turn) for number, turn in enumerate(run.transcript.turns, start=1)}
    language = dict(run.header.request).get("language")
    for section in report:
        if not section.key:
            continue
        number, turn = turns.get(section.key, (0, None))
        card = cards.get(section.key, Card())
        known = _with_facets(card, _known_of(turn)) if turn else card
        anchor = f"turn-{number}" if turn else section.key
        yield section.key, _Folded(section, anchor, known, language if turn else None)


def _known_of(turn: Turn) -> Mapping[str, Sequence[str]]:
    marks = ["failed"] if turn.failure else []
    marks += ["redacted"] if turn.reply.redactions else []
    return {"role": (turn.role.spoken,), "mark": marks}


# -- The first screen --------------------------------------------------------------------------------------------------

_WARNING = "[WARN] "
_LONG = {"why": 260, "do": 200, "unless": 120, "doubt": 170, "question": 220}
"""Characters that are in sight; of more, the rest is there to be unfolded."""


def _first_screen(run: Run, ended: Conclusion) -> Html:
    """The conclusion of a finished run."""
    name, subject = ended.about
    block = element("div", _kicker(run, name), _question(subject), _verdict(ended), _reasons(ended), class_="decision")
    return element("section", block, _aside(run, ended), id="conclusion", aria_label="Conclusion")


def _unfinished(run: Run) -> Html:
    """Return the first section of a run that has not ended."""
    state = "in progress" if run.status is RunStatus.RUNNING else run.status
    status = element("p", f"This run is {state}.", class_="headline doubtful")
    block = element("div", _kicker(run, "About"), _question(run.header.request.subject), status, class_="decision")
    return element("section", block, id="conclusion", aria_label="Where it stands")


def _kicker(run: Run, name: str) -> Html:
    return element("p", f"{run.header.kind.replace('-', ' ').capitalize()} · {name}", class_="kicker")


def _question(subject: str) -> Html:
    shown = one_line(subject, _LONG["question"])
    size = "long" if len(shown) > 90 else None
    title = element("h1", shown, class_=size)
    if len(shown) == len(subject.strip()):
        return title
    return fragment(title, element("details", element("summary", "All of it"), element("pre", subject, class_="plain")))


def _verdict(ended: Conclusion) -> Html:
    parts = [element("p", ended.headline)]
    if ended.firmness:
        parts.append(element("p", element("b", "Firmness: "), line(inert(ended.firmness)), class_="firmness"))
    return element("div", parts, class_="headline" if ended.is_green else "headline doubtful")


def _reasons(ended: Conclusion) -> Html:
    points = [element("li", line(inert(point))) for point in ended.points]
    # The box has the colour of a warning, and its row is called so: the mark would say it a third time.
    told = (doubt.removeprefix(_WARNING) for doubt in urgent_first(ended.doubts))
    doubts = [element("li", _shortened(doubt, _LONG["doubt"])) for doubt in told]
    rows = [
        _row("Why", ended.why, _LONG["why"]),
        fragment(element("dt", "To do"), element("dd", _few(points, 5))) if points else NOTHING,
        _row("Do", ended.recommendation, _LONG["do"]),
        _row("Unless", ended.unless, _LONG["unless"]),
        fragment(element("dt", "Doubtful"), element("dd", _few(doubts, 2), class_="doubts")) if doubts else NOTHING,
    ]
    return element("dl", rows, class_="reasons")


def _row(name: str, text: str, limit: int) -> Html:
    return fragment(element("dt", name), element("dd", _shortened(text, limit))) if text.strip() else NOTHING


def _shortened(text: str, limit: int) -> Html:
    """Return ``text``; of a long one the beginning, and the rest to be unfolded."""
    whole = line(inert(" ".join(text.split())))
    if len(text) <= limit:
        return whole
    return element(
        "details", element("summary", line(inert(one_line(text, limit)))), element("p", whole), class_="more"
    )


def _few(items: Sequence[Html], most: int) -> Html:
    shown = element("ul", items[:most])
    if len(items) <= most:
        return shown
    rest = element("details", element("summary", f"… and {len(items) - most} more"), element("ul", items[most:]))
    return fragment(shown, rest)


def _aside(run: Run, ended: Conclusion) -> Html:
    began = run.header
    voices = [element("li", _voice(each, began.families)) for each in ended.answered_by]
    notes = [element("li", _shortened(note, _LONG["doubt"])) for note in ended.notes]
    return element(
        "div",
        _fact("Answered by", element("ul", voices)) if voices else NOTHING,
        *(_fact(name, fact) for name, fact in ended.course),
        _checked(ended),
        _fact("Used", used(run)),
        _fact("Run", element("code", began.run_id), f", {began.created_at:%Y-%m-%d %H:%M} UTC"),
        _fact("Notes", _few(notes, 2)) if notes else NOTHING,
        class_="aside",
    )


def _fact(name: str, *content: Html | str) -> Html:
    return element("div", element("h2", name), element("div", *content), class_="fact")


def _checked(ended: Conclusion) -> Html:
    if not any(ended.citations.values()):
        return NOTHING
    parts = [strip(ended.citations)]
    if ended.missing:
        parts.append(element("p", line(inert(f"not there: {', '.join(ended.missing)}")), class_="missing"))
    return _fact("Checked by code", *parts)


def _voice(each: str, families: Mapping[str, str]) -> Html:
    named = f" {each} "
    known = [family for name, family in families.items() if f" {name} " in named and f" {family} " not in named]
    return fragment(each, element("small", f", family {known[0]}") if known else NOTHING)


# -- What is folded ----------------------------------------------------------------------------------------------------


def _sections(report: Sections, folded: Mapping[str, _Folded]) -> Html:
    """Return the sections in their order; those with a key in ``folded`` are replaced by that content."""
    return fragment(*(_one(section, folded.get(section.key)) for section in report))


def _one(section: Section, folded: _Folded | None) -> Html:
    if folded is not None:
        return _card(folded)
    body = prose(section.body) if section.body else NOTHING
    if section.folded:
        body = element("details", element("summary", section.folded), element("div", body, class_="inside"))
    return fragment(_heading(section.heading), body)


def _heading(markdown: str) -> Html:
    """A heading of the report, a level lower on the page; one without a level is a paragraph."""
    if not markdown:
        return NOTHING
    marks, _, words = markdown.partition(" ")
    if set(marks) != {"#"}:
        return prose(markdown)
    return element(f"h{min(len(marks) + 1, 6)}", line(words))


def _card(folded: _Folded) -> Html:
    """Return a section to unfold, with its facts in sight."""
    section, known = folded.section, folded.card
    title = _heading(section.heading)
    marks = [element("span", word, class_="mark") for word in known.facets.get("mark", ())]
    summary = element("summary", title, element("span", strip(known.checked), marks, class_="known"))
    link = element("a", "Link to this", href=f"#{folded.anchor}", class_="anchor")
    tools = element("p", link, class_="tools")
    inside = element("div", _text(folded), _inside(folded), tools, class_="inside", id=folded.anchor)
    facets = {f"data_{name}": "|".join(words) for name, words in known.facets.items() if words}
    return element("details", summary, inside, class_="card", data_anchor=folded.anchor, open=known.is_open, **facets)


def _text(folded: _Folded) -> Html:
    known, language = folded.card, folded.language
    before, separator, after = folded.section.body.partition(known.instead_of or "\0")
    parts = (prose(before, quoted_in=language), known.below, prose(after, quoted_in=language))
    if separator or not known.below.markup:
        return element("div", parts, class_="said")
    return fragment(element("div", parts[0], class_="said"), known.below)


def _inside(folded: _Folded) -> Iterator[Html]:
    for name, body in folded.section.inside:
        shown = element("div", prose(body, quoted_in=folded.language), class_="said")
        yield element("details", element("summary", name), shown, class_="within")


def _filters(cards: Sequence[Card]) -> Html:
    """Return the filters of the cards; a script shows them."""
    facets = dict[str, list[str]]()
    for each in cards:
        for name, words in each.facets.items():
            known = facets.setdefault(name, [])
            known += [word for word in words if word not in known]
    if len(cards) < 2:
        return NOTHING
    groups = [
        element("div", _choices(name, words), class_="facet")
        for name, words in facets.items()
        if words[name != "mark" :]
    ]
    count = element("output", class_="count", aria_live="polite")
    folding = [element("button", name, type="button", data_fold=name.split()[0].lower()) for name in _FOLDING]
    keys = element("span", element("kbd", "j"), " next ", element("kbd", "k"), " previous", class_="keys")
    return element("div", groups, element("div", folding, count, keys, class_="facet"), class_="filters", hidden=True)


_FOLDING = ("Unfold all", "Fold all")


def _choices(name: str, words: Sequence[str]) -> Iterator[Html]:
    yield element("span", name, class_="name", id=f"facet-{name}")
    for word in words:
        yield element(
            "button", word, type="button", aria_pressed="false", data_facet=name, data_word=word, class_="choice"
        )


def _with_facets(known: Card, more: Mapping[str, Sequence[str]]) -> Card:
    """Return ``known`` with further facts, ahead of its own."""
    names = dict.fromkeys((*more, *known.facets))
    merged = {name: tuple(dict.fromkeys((*more.get(name, ()), *known.facets.get(name, ())))) for name in names}
    return replace(known, facets=merged)


def _timeline(run: Run) -> Figure | None:
    """Return the timeline of the turns with their cost; None for a single turn."""
    turns = [turn for turn in run.transcript.turns if turn.role is not Role.VERIFIER and not turn.taken_from]
    if len(turns) < 2:
        return None
    ends = {turn.ask_id: turn.at.timestamp() for turn in turns}
    begins = {turn.ask_id: ends[turn.ask_id] - turn.reply.duration_ms / 1000 for turn in turns}
    first, last = min(begins.values()), max(ends.values())
    length = max(last - first, 0.001)
    lines = [
        element(
            "tr",
            element("th", _speaker(turn), scope="row"),
            element("td", _lane(turn, (begins[turn.ask_id] - first) / length, (ends[turn.ask_id] - first) / length)),
            element("td", seconds(turn.reply.duration_ms), class_="number"),
            element("td", _cost(turn), class_="number"),
        )
        for turn in turns
    ]
    table = grid("Who spoke when", ("Who", "When", "Took", "Cost"), lines, class_="timeline")
    about = f"From the first question to the last answer: {seconds(round(1000 * length))}."
    return Figure("Who spoke when", table, about, is_wide=True)


def _speaker(turn: Turn) -> list[Html]:
    place = stage(turn)
    return [text(voice(turn)), element("small", f"{turn.tool_name}{f', {place}' if place else ''}")]


def _lane(turn: Turn, begin: float, end: float) -> Html:
    width = max(end - begin, 0.004)
    left = min(begin, 1 - width)
    tone = "bad" if turn.failure else tone_of(turn.role)
    return element(
        "svg",
        element("rect", y="5", width="100%", height="2", class_="track"),
        element(
            "rect", x=f"{100 * left:.2f}%", width=f"{100 * width:.2f}%", height="12", rx="3", class_=f"fill {tone}"
        ),
        class_="lane",
        height="12",
        aria_hidden="true",
    )


def _cost(turn: Turn) -> str:
    if not isinstance(turn.reply, Answer):
        return "failed"
    cost = turn.reply.usage.cost_usd
    return "unknown" if cost is None else f"${cost:.4f}"
