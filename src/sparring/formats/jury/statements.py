"""Reading what a debater says: its reasons, the phrases it quotes, and whether its form is what was asked for.

Nothing is refused here. A fault is a reason to ask once more; after that the statement counts with its faults shown.
"""

import re
from collections.abc import Iterator

from sparring.formats.jury.case import Case
from sparring.schema.base import Role
from sparring.schema.jury import Phrase, Statement, TextName
from sparring.schema.transcript import Turn, TurnKind

_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•–]|\d{1,2}[.)])[ \t]+(?P<reason>\S.*)")
_FENCE = "```"

_FEWEST = {TurnKind.OPENING: 3, TurnKind.REBUTTAL: 1}
_MOST = 5
"""Reasons: 3 to 5 in an opening (specification: Step 1); a rebuttal has as many as there is to answer, up to 5."""

_MUST_CITE = {
    Role.ADVOCATE: ((TextName.TRUTH,), "in the truth"),
    Role.SKEPTIC: ((TextName.TRUTH, TextName.CLAIM), "in either text"),
}
"""Where a debater's quotes have to stand (specification: Step 1), and how that is called."""


def read_statement(turn: Turn, case: Case) -> Statement | None:
    """What was said in ``turn``; None when it failed."""
    if turn.answer is None:
        return None
    text = turn.answer.response
    bullets, phrases = read_bullets(text), case.cited(text)
    faults = tuple(_faults(turn, bullets, phrases))
    return Statement(role=turn.role, round=turn.round, text=text, bullets=bullets, phrases=phrases, faults=faults)


def read_bullets(text: str) -> tuple[str, ...]:
    """The items of the outermost list in ``text``, each on one line with everything below it.

    An item goes on over indented lines, and over others up to the next blank one.
    """
    lines = [line.expandtabs() for line in text.splitlines() if not line.strip().startswith(_FENCE)]
    marks = [_BULLET.match(line) for line in lines]
    outermost = min((len(mark["indent"]) for mark in marks if mark), default=0)
    items: list[list[str]] = []
    is_open = False
    for line, mark in zip(lines, marks, strict=True):
        if mark and len(mark["indent"]) == outermost:
            items.append([mark["reason"].strip()])
            is_open = True
        elif not line.strip():
            is_open = False
        elif items and (is_open or line.startswith(" " * (outermost + 1))):
            items[-1].append(line.strip())
    return tuple(" ".join(item) for item in items)


def _faults(turn: Turn, bullets: tuple[str, ...], phrases: tuple[Phrase, ...]) -> Iterator[str]:
    fewest, count = _FEWEST[turn.kind], len(bullets)
    if not fewest <= count <= _MOST:
        reasons = "1 reason" if count == 1 else f"{count} reasons"
        yield f"It gives {reasons} as a list, where {fewest} to {_MOST} were asked for."
    sources, where = _MUST_CITE[turn.role]
    if not any(phrase.span and phrase.source in sources for phrase in phrases):
        yield f"None of the phrases that it quotes stands {where}, word for word."
