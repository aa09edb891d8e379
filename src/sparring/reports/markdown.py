"""Markdown that holds what others wrote: their text made harmless, sections, and how they are made to fit."""

import re
from collections import deque
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sparring.text.tidying import for_terminal, visible

HARD_BREAK = "  \n"
"""Ends a line within a paragraph."""

_BLOCK_START = re.compile(
    r"""
      (?P<number>\d{1,9})? (?(number) (?=[.)](?:\s|$)) | (?=
        \#{1,6}(?:\s|$) | > | [*+-](?:\s|$) | `{3} | ~{3} | < | (?:[*_-]\s*+){3,}$ | \[[^\]]+\]: | [=-]+$
      ))
    """,
    re.VERBOSE,
)
"""Pattern of a line that would begin a block; the match ends where the backslash belongs."""

_MARKUP = re.compile(r"[\\`*~\[]|_(?<![^\W_]_)|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)")
"""Pattern of emphasis, code, links, HTML and entities within a line; an underscore inside a word is none."""


_MAY_END_IMAGE = ("](", "][", "]:")
_LOADING = re.compile(
    r"""
      <(?= (?:audio|base|body|embed|feimage|i?frame|image|img|input|link|meta|object|picture
          |script|source|svg|track|use|video)[\s/]
        | style\b | [a-z][^<]*?\b(?:background|style)\s*= )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Begins an element of HTML that a browser would ask another machine for."""


def harmless(text: str) -> str:
    """Return foreign Markdown ``text`` without characters that act on a terminal or are invisible, and without images.

    An image becomes a link: its address could contain words of the run, and send them to a foreign server. A space
    between the marks does that, which leaves code with the same characters readable.
    """
    text = visible(for_terminal(text))
    last = max(map(text.rfind, _MAY_END_IMAGE))
    if last >= 0:
        text = text[:last].replace("![", "! [") + text[last:]
    return _LOADING.sub("< ", text)


def quoted(text: str) -> str:
    """``text`` as one block quotation that nothing inside can leave."""
    lines = harmless(text).strip("\n").split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def inline(text: str) -> str:
    """``text`` folded into one line that begins no heading, list, fence or other block."""
    line = " ".join(harmless(text).split())
    start = _BLOCK_START.match(line)
    return line if start is None else f"{line[: start.end()]}\\{line[start.end() :]}"


def labelled(lead: str, text: str) -> str:
    """Return ``lead`` and ``text``: in one line if ``text`` is one, else as a quotation below."""
    if "\n" in for_terminal(text).strip():
        return f"{lead}\n\n{quoted(text)}"
    return f"{lead} {inline(text)}".strip()


def literal(text: str) -> str:
    """``text`` folded into one line that is shown as it is: nothing in it is emphasis, code, a link or HTML."""
    return inline(_MARKUP.sub(r"\\\g<0>", " ".join(visible(for_terminal(text)).split())))


def cell(text: str) -> str:
    """``text`` as ``literal``, for a cell of a table: no bar ends it."""
    return literal(text).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table. Cells are taken as they are: see ``cell``."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(points: Iterable[str]) -> str:
    """Each point in a line of a list."""
    return "\n".join(f"- {inline(point)}" for point in points)


_NOTE_ROOM = 70
"""More than the longest note on a cut takes (two counts of up to eleven digits with their commas)."""


class Section(Struct, frozen=True):
    """A heading (empty: none) and its content.

    Attributes:
        key: Its subject, if it is a single thing: the id of an ask, or the format's name of a result. Where there
            is room for more than text, it is folded and linked to.
        folded: Name under which the content is unfolded, where it is folded.
        inside: Content below that; where there is room for more than text, unfolded by its name.
    """

    heading: str
    body: str
    key: str = ""
    folded: str = ""
    inside: tuple[tuple[str, str], ...] = ()

    @property
    def markdown(self) -> str:
        """All that stands below the heading."""
        whole = "\n\n".join((self.body, *(body for _, body in self.inside)))
        return f"<details>\n<summary>{self.folded}</summary>\n\n{whole}\n\n</details>" if self.folded else whole


Sections = Sequence[Section]
"""A text in its parts, in their order."""


class Column(Struct, frozen=True):
    """One of several texts of equal weight: its name, facts about it, its Markdown."""

    heading: str
    facts: str
    text: str


class SideBySide(Struct, frozen=True):
    """Texts of equal weight that may stand side by side, text above and below them, and the form without columns.

    Attributes:
        is_plain: Whether none of them has a problem.
    """

    above: Sections
    columns: Sequence[Column]
    below: Sections
    stacked: Sections
    is_plain: bool = True


def optional_section(heading: str, body: str) -> list[Section]:
    """Return the section, if it has any content."""
    return [Section(heading, body)] if body else []


def joined(sections: Sections) -> str:
    """All of the sections."""
    pieces: list[str] = []
    for section in sections:
        for part in (section.heading, section.markdown):
            if part:
                pieces += [part, "\n\n"]
    pieces[-1:] = ["\n"]
    # In one join: a transcript may contain ten speeches of 8 MiB, and each copy of it counts.
    return "".join(pieces)


def fitted(sections: Sections, *, limit: int) -> str:
    """The sections in fewer than ``limit`` characters; ``limit`` must leave room for all headings and notes.

    Short sections stay whole. The others are cut to the same length, the longest that fits.
    """
    whole = joined(sections)
    if len(whole) < limit:
        return whole
    # Headings and notes cannot be cut: measure the text with a placeholder as long as a note for each body.
    placeholder = "." * (1 + _NOTE_ROOM)
    frame = joined([replace(section, body=placeholder) for section in sections])
    share = _fair_share([len(section.body) for section in sections], limit - 1 - len(frame))
    return joined([replace(section, body=_cut(section.body, share)) for section in sections])


def _fair_share(lengths: Sequence[int], room: int) -> int:
    """Return the length to cut to; not all of ``lengths`` have room."""
    longer = deque(sorted(lengths))
    while longer[0] <= room // len(longer):
        room -= longer.popleft()  # it stays whole, and leaves the rest of its share to the others
    return max(room, 0) // len(longer)


def _cut(body: str, share: int) -> str:
    if len(body) <= share:
        return body
    return f"{body[:share].rstrip()}\n\n[… cut: {share:,} of {len(body):,} characters shown]"
