"""Sections that have to fit into a number of characters: the long ones give way, equally, and say so."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

_NOTE_ROOM = 70
"""More than the longest note on a cut takes (two counts of up to eleven digits with their commas)."""


@dataclass(frozen=True)
class Section:
    """A heading (empty: none) and what stands below it."""

    heading: str
    body: str


def joined(sections: Sequence[Section]) -> str:
    """All of the sections."""
    parts = [part for section in sections for part in (section.heading, section.body) if part]
    # In one join: a transcript may hold ten speeches of 8 MiB, and each copy of it counts.
    between = (text for part in parts for text in ("\n\n", part))
    return "".join((*islice(between, 1, None), "\n"))


def fitted(sections: Sequence[Section], *, limit: int) -> str:
    """The sections in fewer than ``limit`` characters; ``limit`` must leave room for all headings and notes.

    Short sections stay whole. The others are cut to the same length, the longest that fits.
    """
    whole = joined(sections)
    if len(whole) < limit:
        return whole
    frame = joined([replace(section, body="." + "." * _NOTE_ROOM) for section in sections])
    share = _fair_share([len(section.body) for section in sections], limit - 1 - len(frame))
    return joined([replace(section, body=_cut(section.body, share)) for section in sections])


def _fair_share(lengths: Sequence[int], room: int) -> int:
    """The length to cut to, given that not all of ``lengths`` have room."""
    waiting = deque(sorted(lengths))
    while waiting[0] <= room // len(waiting):
        room -= waiting.popleft()
    return max(room, 0) // len(waiting)


def _cut(body: str, share: int) -> str:
    if len(body) <= share:
        return body
    return f"{body[:share].rstrip()}\n\n[… cut: {share:,} of {len(body):,} characters shown]"
