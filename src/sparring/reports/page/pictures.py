"""Graphics of a page: pictures of a run, each with its words, and facts about folded parts.

Pictures and words have the same content: a reader without sight, or of a print without colours, misses nothing.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from sparring.reports.page.elements import NOTHING, Html, element
from sparring.schema import base


class Figure(Struct, frozen=True):
    """A picture with its title and its content in words.

    Attributes:
        about: Its content in words; a reader who cannot see the picture needs no more.
        is_wide: Whether it takes the whole width.
    """

    title: str
    picture: Html
    about: str = ""
    is_wide: bool = False


class Card(Struct, frozen=True):
    """Facts about a folded part of the report, for search and filters.

    Attributes:
        facets: Its values for each filter, e.g. ``{"role": ("judge",)}``.
        checked: Results of code for its citations and quotes, counted: ``verified``, ``not found``, ``unchecked``.
        below: Content below its text, e.g. its citations.
        instead_of: The Markdown in its text that this content replaces.
        is_open: Whether it is unfolded at first.
    """

    facets: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    checked: Mapping[str, int] = field(default_factory=dict[str, int])
    below: Html = NOTHING
    instead_of: str = ""
    is_open: bool = False


class Pictures(Struct, frozen=True):
    """Additions of a format to the page of a run.

    Attributes:
        figures: Its pictures, the most important first.
        cards: Facts about the folded parts, by their keys; those common to all turns need no mention.
        speeches_title: Name of the folded parts.
    """

    figures: Sequence[Figure] = ()
    cards: Mapping[str, Card] = field(default_factory=dict[str, Card])
    speeches_title: str = "Speeches"


def shown(figure: Figure) -> Html:
    """The figure on a page."""
    about = element("figcaption", figure.about) if figure.about else NOTHING
    wide = "figure wide" if figure.is_wide else "figure"
    return element("figure", element("h3", figure.title), figure.picture, about, class_=wide)


def bar(share: float, *, tone: str = "accent", label: str) -> Html:
    """Return a bar filled to ``share`` of its length, with words for readers who cannot see it."""
    return element(
        "svg",
        element("rect", width="100%", height="8", rx="4", class_="track"),
        element("rect", width=f"{100 * max(0.0, min(share, 1.0)):.2f}%", height="8", rx="4", class_=f"fill {tone}"),
        class_="bar",
        height="8",
        role="img",
        aria_label=label,
    )


_TONES = {
    "good": ("verified", "verbatim", "quotes there"),
    "bad": ("not found", "not in the texts", "not there", "altered", "fabricated"),
}
"""Tones of results of code, by the ends of their words; any other one is open."""


def status_tone(word: str) -> str:
    """Return the colour of a result of code."""
    return next((tone for tone, endings in _TONES.items() if word.endswith(endings)), "open")


_SIGNS = {"good": "✓", "bad": "✗", "open": "?"}


def badge(word: str, tone: str = "") -> Html:
    """Return a word with a colour, and with a sign for readers who see no colours."""
    sign = _SIGNS.get(tone)
    return element("span", f"{sign} {word}" if sign else word, class_=f"badge {tone}".strip())


def strip(checked: Mapping[str, int]) -> Html:
    """Return the counts of code's findings: a bar in parts with their words below."""
    counted = {word: count for word, count in checked.items() if count}
    if not counted:
        return NOTHING
    words = [badge(f"{count} {word}", status_tone(word)) for word, count in counted.items()]
    bar_ = parted([(count, status_tone(word)) for word, count in counted.items()])
    return element("span", bar_, words, class_="strip")


def parted(counted: Sequence[tuple[int, str]], *, height: int = 8) -> Html:
    """Return a bar in parts, each as long as its count and of its tone; the caller describes the parts."""
    whole, begin, parts = sum(count for count, _ in counted), 0.0, list[Html]()
    for count, tone in counted:
        width = 100 * count / whole
        parts.append(element("rect", x=f"{begin:.2f}%", width=f"{width:.2f}%", height=height, class_=f"fill {tone}"))
        begin += width
    return element("svg", parts, class_="bar", height=height, aria_hidden="true")


_OTHER_SIDE = frozenset({base.Role.CHALLENGER, base.Role.SKEPTIC, base.Role.DETRACTOR, base.Role.EXAMINER})
_NEITHER = frozenset({base.Role.JUDGE, base.Role.CHAIR, base.Role.AUDIENCE, base.Role.REPORTER, base.Role.VERIFIER})


def tone_of(role: base.Role) -> str:
    """Return the colour of a role: of one side, of the other, of neither."""
    return "other" if role in _OTHER_SIDE else "neither" if role in _NEITHER else "accent"
