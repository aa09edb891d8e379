"""The page of a run of any format: first the conclusion, then pictures, then the report with the speeches.

The first screen shows the question, the conclusion, the recommended action, and the participants. Long parts of
the report are folded, and can be searched by their facts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sparring.reports.conclusion import Conclusion, inert, urgent_first, usage_text
from sparring.reports.markdown import Section, Sections, joined
from sparring.reports.page.elements import NOTHING, Html, document, element, footer, fragment, grid, header, lines, text
from sparring.reports.page.passages import LONGEST, line, prose
from sparring.reports.page.pictures import Card, Figure, Pictures, shown, strip, tone_of
from sparring.reports.progress import stage
from sparring.reports.runs import seconds
from sparring.reports.seat_names import seat_name
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
    kind = run.header.kind.replace("-", " ")
    top = header(kind, _places(drawn, folded, pictures.speeches_title))
    bottom = footer(f"the journal of {run.header.run_id}")
    # The Markdown of each part, for the button that copies it.
    markdown_by_anchor: dict[str, str] = {}
    for part in folded.values():
        markdown = joined([part.section])
        if len(markdown) <= LONGEST:
            markdown_by_anchor[part.anchor] = markdown
    subject = one_line(run.header.request.subject, _TITLE_SHOWN)
    return document(
        f"{ended.headline if ended else run.status}: {subject}",
        lines(top, main, bottom),
        data={"markdown": markdown_by_anchor},
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
    figures = list(added.figures)
    timeline = _timeline(run)
    if timeline:
        figures.append(timeline)
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
        title = NOTHING
        filters = _filters([folded[section.key].card for section in cards if section.key in folded])
        if cards[0].key not in folded:  # the heading of the cards; the filters stand below it
            title = fragment(_heading(cards[0].heading), _sections([Section("", cards[0].body)], folded))
            cards = cards[1:]
        parts.append(element("section", title, filters, _sections(cards, folded), class_="cards", id="parts"))
    if after:
        parts.append(element("div", _sections(after, folded), class_="text"))
    return element("section", parts, id="report")


def _parted(report: Sections, folded: Mapping[str, _Folded]) -> tuple[Sections, Sections, Sections]:
    """Split the report into the sections before the folded ones, these, and the sections after them."""
    indexes = [index for index, section in enumerate(report) if section.key in folded]
    if not indexes:
        return report, (), ()
    begin, end = indexes[0], indexes[-1] + 1
    # The part begins with the heading above its first section, if there is one.
    for index in reversed(range(begin)):
        if report[index].heading.startswith("## "):
            begin = index
            break
    return report[:begin], report[begin:end], report[end:]


def _folded(run: Run, report: Sections, cards: Mapping[str, Card]) -> Iterator[tuple[str, _Folded]]:
    turns = {turn.ask_id: (number, turn) for number, turn in enumerate(run.transcript.turns, start=1)}
    language = dict(run.header.request).get("language")
    for section in report:
        if not section.key:
            continue
        card = cards.get(section.key, Card())
        if section.key in turns:
            number, turn = turns[section.key]
            yield section.key, _Folded(section, f"turn-{number}", _with_facets(card, _turn_facets(turn)), language)
        else:
            yield section.key, _Folded(section, section.key, card, None)


def _turn_facets(turn: Turn) -> Mapping[str, Sequence[str]]:
    facts = {"failed": bool(turn.failure), "redacted": bool(turn.reply.redactions)}
    return {"role": (turn.role.display_name,), "mark": [mark for mark, is_so in facts.items() if is_so]}


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
    return element("section", block, id="conclusion", aria_label="Status")


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
    rows = [_row("Why", ended.why, _LONG["why"])]
    if ended.points:
        points = [element("li", line(inert(point))) for point in ended.points]
        rows += [element("dt", "To do"), element("dd", _few(points, 5))]
    rows += [
        _row("Do", ended.recommendation, _LONG["do"]),
        _row("Unless", ended.unless, _LONG["unless"]),
    ]
    if ended.doubts:
        # The box has the colour of a warning, and its row is called so: the mark would say it a third time.
        texts = [doubt.removeprefix(_WARNING) for doubt in urgent_first(ended.doubts)]
        doubts = [element("li", _shortened(doubt, _LONG["doubt"])) for doubt in texts]
        rows += [element("dt", "Doubtful"), element("dd", _few(doubts, 2), class_="doubts")]
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
    run_header = run.header
    facts: list[Html] = []
    if ended.answered_by:
        participants = [element("li", _participant(name, run_header.families)) for name in ended.answered_by]
        facts.append(_fact("Answered by", element("ul", participants)))
    facts += [_fact(name, fact) for name, fact in ended.course]
    facts += [
        _checked(ended),
        _fact("Used", usage_text(run)),
        _fact("Run", element("code", run_header.run_id), f", {run_header.created_at:%Y-%m-%d %H:%M} UTC"),
    ]
    if ended.notes:
        notes = [element("li", _shortened(note, _LONG["doubt"])) for note in ended.notes]
        facts.append(_fact("Notes", _few(notes, 2)))
    return element("div", facts, class_="aside")


def _fact(name: str, *content: Html | str) -> Html:
    return element("div", element("h2", name), element("div", *content), class_="fact")


def _checked(ended: Conclusion) -> Html:
    if not any(ended.citations.values()):
        return NOTHING
    parts = [strip(ended.citations)]
    if ended.missing:
        parts.append(element("p", line(inert(f"not there: {', '.join(ended.missing)}")), class_="missing"))
    return _fact("Checked by code", *parts)


def _participant(answered_by: str, families: Mapping[str, str]) -> Html:
    """Return role, tool and model of a participant, with the family of its tool if the words do not have it."""
    words = f" {answered_by} "
    for tool, family in families.items():
        if f" {tool} " in words and f" {family} " not in words:
            return fragment(answered_by, element("small", f", family {family}"))
    return fragment(answered_by)


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
    """Return the text of a section with the content of its card: in place of the Markdown for it, else below."""
    card, body, language = folded.card, folded.section.body, folded.language
    if card.instead_of and card.instead_of in body:
        before, _, after = body.partition(card.instead_of)
        parts = (prose(before, quoted_in=language), card.below, prose(after, quoted_in=language))
        return element("div", parts, class_="said")
    return fragment(element("div", prose(body, quoted_in=language), class_="said"), card.below)


def _inside(folded: _Folded) -> Iterator[Html]:
    for name, body in folded.section.inside:
        shown = element("div", prose(body, quoted_in=folded.language), class_="said")
        yield element("details", element("summary", name), shown, class_="within")


def _filters(cards: Sequence[Card]) -> Html:
    """Return the filters of the cards; a script shows them."""
    if len(cards) < 2:
        return NOTHING
    words_by_facet: dict[str, dict[str, None]] = {}
    for card in cards:
        for name, words in card.facets.items():
            words_by_facet.setdefault(name, {}).update(dict.fromkeys(words))
    groups: list[Html] = []
    for name, words in words_by_facet.items():
        # Most cards have no mark, so that a single one separates them. Other facets need two values for that.
        if len(words) >= (1 if name == "mark" else 2):
            groups.append(element("div", _choices(name, words), class_="facet"))
    count = element("output", class_="count", aria_live="polite")
    folding = [element("button", name, type="button", data_fold=name.split()[0].lower()) for name in _FOLDING]
    keys = element("span", element("kbd", "j"), " next ", element("kbd", "k"), " previous", class_="keys")
    return element("div", groups, element("div", folding, count, keys, class_="facet"), class_="filters", hidden=True)


_FOLDING = ("Unfold all", "Fold all")


def _choices(name: str, words: Iterable[str]) -> Iterator[Html]:
    yield element("span", name, class_="name", id=f"facet-{name}")
    for word in words:
        yield element(
            "button", word, type="button", aria_pressed="false", data_facet=name, data_word=word, class_="choice"
        )


def _with_facets(known: Card, more: Mapping[str, Sequence[str]]) -> Card:
    """Return ``known`` with further facts, ahead of its own."""
    merged: dict[str, tuple[str, ...]] = {}
    for name in (*more, *known.facets):
        words = (*more.get(name, ()), *known.facets.get(name, ()))
        merged[name] = tuple(dict.fromkeys(words))
    return replace(known, facets=merged)


def _timeline(run: Run) -> Figure | None:
    """Return the timeline of the turns with their cost; None for a single turn."""
    turns = [turn for turn in run.transcript.turns if turn.role is not Role.VERIFIER and not turn.taken_from]
    if len(turns) < 2:
        return None
    # A turn is recorded when it ends. Times are in seconds.
    spans = [(turn.at.timestamp() - turn.reply.duration_ms / 1000, turn.at.timestamp()) for turn in turns]
    start = min(begin for begin, _ in spans)
    length = max(max(end for _, end in spans) - start, 0.001)
    rows: list[Html] = []
    for turn, (begin, end) in zip(turns, spans, strict=True):
        row = element(
            "tr",
            element("th", _speaker(turn), scope="row"),
            element("td", _lane(turn, (begin - start) / length, (end - start) / length)),
            element("td", seconds(turn.reply.duration_ms), class_="number"),
            element("td", _cost(turn), class_="number"),
        )
        rows.append(row)
    table = grid("Timeline", ("Who", "When", "Took", "Cost"), rows, class_="timeline")
    about = f"From the first question to the last answer: {seconds(round(1000 * length))}."
    return Figure("Timeline", table, about, is_wide=True)


def _speaker(turn: Turn) -> list[Html]:
    place = stage(turn)
    details = f"{turn.tool_name}, {place}" if place else turn.tool_name
    return [text(seat_name(turn)), element("small", details)]


def _lane(turn: Turn, begin: float, end: float) -> Html:
    """Draw a turn as a bar on the line of time; ``begin`` and ``end`` are shares of its length."""
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
