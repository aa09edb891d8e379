"""The sections of a report on a page: what is long is folded, and found again by what is known of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sparring.reports.markdown import Section, Sections
from sparring.reports.page.elements import NOTHING, Html, element, fragment
from sparring.reports.page.pictures import Card, strip
from sparring.reports.page.prose import line, prose

_LOWEST = 6


@dataclass(frozen=True)
class Folded:
    """A section that is folded by itself.

    Attributes:
        anchor: How it is linked to, e.g. ``turn-7``.
        markdown: What is copied from it.
    """

    section: Section
    anchor: str
    card: Card
    markdown: str
    language: str | None = None


def sections(report: Sections, folded: Mapping[str, Folded]) -> Html:
    """The sections in their order; those that have a key in ``folded`` as what stands there for them."""
    return fragment(*(_one(section, folded.get(section.key)) for section in report))


def _one(section: Section, folded: Folded | None) -> Html:
    if folded is not None:
        return card(folded)
    body = prose(section.body) if section.body else NOTHING
    if section.folded:
        body = element("details", element("summary", section.folded), element("div", body, class_="inside"))
    return fragment(heading(section.heading), body)


def heading(markdown: str, *, below: int = 1, anchor: str | None = None) -> Html:
    """A heading of the report, so many levels lower on the page; one without a level is a paragraph."""
    if not markdown:
        return NOTHING
    marks, _, words = markdown.partition(" ")
    if set(marks) != {"#"}:
        return prose(markdown)
    return element(f"h{min(len(marks) + below, _LOWEST)}", line(words), id=anchor)


def card(folded: Folded) -> Html:
    """A section as something to unfold, with what is known of it in sight."""
    section, known = folded.section, folded.card
    title = heading(section.heading)
    marks = [element("span", word, class_="mark") for word in known.facets.get("mark", ())]
    summary = element("summary", title, element("span", strip(known.checked), marks, class_="known"))
    link = element("a", "Link to this", href=f"#{folded.anchor}", class_="anchor")
    tools = element("p", link, class_="tools")
    inside = element("div", _text(folded), _inside(folded), tools, class_="inside", id=folded.anchor)
    facets = {f"data_{name}": "|".join(words) for name, words in known.facets.items() if words}
    return element("details", summary, inside, class_="card", data_anchor=folded.anchor, open=known.is_open, **facets)


def _text(folded: Folded) -> Html:
    known, language = folded.card, folded.language
    before, found, after = folded.section.body.partition(known.instead_of or "\0")
    parts = (prose(before, quoted_in=language), known.beside, prose(after, quoted_in=language))
    if found or not known.beside.markup:
        return element("div", parts, class_="said")
    return fragment(element("div", parts[0], class_="said"), known.beside)


def _inside(folded: Folded) -> Iterator[Html]:
    for name, body in folded.section.inside:
        shown = element("div", prose(body, quoted_in=folded.language), class_="said")
        yield element("details", element("summary", name), shown, class_="within")


def filters(cards: Sequence[Card]) -> Html:
    """What the cards can be filtered by; the script that does it shows it."""
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


def with_facets(known: Card, more: Mapping[str, Sequence[str]]) -> Card:
    """``known`` with what is known of it besides, ahead of its own."""
    names = dict.fromkeys((*more, *known.facets))
    merged = {name: tuple(dict.fromkeys((*more.get(name, ()), *known.facets.get(name, ())))) for name in names}
    return replace(known, facets=merged)
