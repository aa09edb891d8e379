"""Words where they stand: a text with places in it marked, and lines of code with their numbers.

A mark always says in words what its colour says.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sparring.reports.page.elements import NOTHING, Html, element, fragment
from sparring.reports.page.pictures import badge

_AROUND = 240
"""Characters that are shown before and after what is marked; a text that is not much longer is shown whole."""

_WHOLE = 4_000
_LINES_AROUND = 2
_LINE_SHOWN = 400


@dataclass(frozen=True)
class Mark:
    """A place in a text: its colour, and what is said of it there.

    Attributes:
        leads_to: An anchor of this page.
    """

    start: int
    end: int
    tone: str
    label: str = ""
    leads_to: str = ""


def marked(whole: str, marks: Iterable[Mark]) -> Html:
    """``whole`` with its marks; of a long one what is around them."""
    places = list(_apart(whole, marks))
    shown, parts = _windows(whole, places), list[Html | str]()
    for begin, end in shown:
        parts += [" … "] if begin else []
        at = begin
        for mark in (each for each in places if begin <= each.start < end):
            parts += [whole[at : mark.start], _mark(whole, mark)]
            at = mark.end
        parts.append(whole[at:end])
    parts += [" …"] if shown[-1][1] < len(whole) else []
    return element("div", parts, class_="passage")


def _apart(whole: str, marks: Iterable[Mark]) -> Iterator[Mark]:
    """The marks in order; of two that overlap, the second begins where the first ends."""
    at = 0
    for each in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        start, end = max(each.start, at), min(each.end, len(whole))
        if start < end:
            yield Mark(start, end, each.tone, each.label, each.leads_to)
            at = end


def _windows(whole: str, places: Sequence[Mark]) -> list[tuple[int, int]]:
    if len(whole) <= _WHOLE or not places:
        return [(0, min(len(whole), _WHOLE))]
    found = list[tuple[int, int]]()
    for each in places:
        begin, end = max(0, each.start - _AROUND), min(len(whole), each.end + _AROUND)
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def _mark(whole: str, mark: Mark) -> Html:
    label = element("small", mark.label, class_=f"label {mark.tone}") if mark.label else NOTHING
    if mark.leads_to and mark.label:
        label = element("a", label, href=f"#{mark.leads_to}")
    return fragment(element("mark", whole[mark.start : mark.end], class_=mark.tone), label)


@dataclass(frozen=True)
class Line:
    """A line of code. ``kind`` is ``added``, ``removed`` or empty; ``is_meant`` that it is what is spoken of."""

    number: int | None
    text: str
    kind: str = ""
    is_meant: bool = False


_SIGNS = {"added": "+", "removed": "−"}


def code_lines(lines: Iterable[Line], *, name: str) -> Html:
    """Lines with their numbers."""
    rows = [
        element(
            "tr",
            element("td", "" if each.number is None else str(each.number), class_="number"),
            element("td", _SIGNS.get(each.kind, " "), class_="sign"),
            element("td", each.text[:_LINE_SHOWN]),
            class_=" ".join(filter(None, (each.kind, "meant" if each.is_meant else ""))) or None,
        )
        for each in lines
    ]
    table = element("table", element("caption", name), element("tbody", rows), class_="lines")
    return element("div", table, class_="scroll", tabindex="0", role="group", aria_label=name)


def excerpt(text: str, *, first: int, begin: int, end: int) -> tuple[Line, ...]:
    """Those lines of ``text``, whose first one has the number ``first``, with a few around them."""
    numbered = enumerate(text.split("\n"), start=first)
    near = range(begin - _LINES_AROUND, end + _LINES_AROUND + 1)
    return tuple(Line(number, line, is_meant=begin <= number <= end) for number, line in numbered if number in near)


@dataclass(frozen=True)
class Checked:
    """Something that was quoted or cited, with what code found of it.

    Attributes:
        found: ``verified``, ``not found`` or ``unchecked``; ``tone`` is its colour.
        words: It, where it was said.
        why: In a few words.
        place: What stands where it leads.
    """

    found: str
    tone: str
    words: Html
    why: str = ""
    place: Html = NOTHING


def checked_list(title: str, entries: Sequence[Checked]) -> Html:
    """What was quoted or cited, each beside what is there."""
    if not entries:
        return NOTHING
    items = [
        element("li", badge(each.found, each.tone), element("div", each.words, _why(each.why), each.place))
        for each in entries
    ]
    return element("details", element("summary", title), element("ul", items, class_="checked"), class_="cited")


def _why(why: str) -> Html:
    return element("small", why, class_="why") if why else NOTHING


_REFERENCE = re.compile(r"`?(?P<name>[^`:\s]+)(?::(?P<begin>\d{1,7})(?:-(?P<end>\d{1,7}))?)?`?")


def reference(cited: str) -> tuple[str, int | None, int | None]:
    """What a citation such as ``src/a.py:3-9`` or ``E3:12`` names, and its lines."""
    found = _REFERENCE.fullmatch(cited.strip())
    if found is None:
        return "", None, None
    begin = int(found["begin"]) if found["begin"] else None
    return found["name"], begin, int(found["end"]) if found["end"] else begin
