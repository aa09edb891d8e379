"""The marked lines of a speech: ``Flaw:``, ``Alternative:``, ``Risk:``, ``Resolved:``.

A speech without a required line is asked for that line alone (``SUPPLEMENT`` ends the id of the ask); the line is then
put before the speech.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from sparring.checks.citations.syntax import placed_citations_in
from sparring.checks.concessions import mark_pattern
from sparring.schema.transcript import SPEECH_KINDS, Turn
from sparring.text.fences import lines
from sparring.text.words import words_in

MARK = mark_pattern(
    r"(?P<mark>flaw|alternative|risk|resolved)(?:[ \t]+#?\d{1,2})?"
    r"(?:[ \t]*\([^()\n]{1,60}\)|[ \t]+[–—-][^:：\n]{1,60})?"
)
"""Optionally numbered, and with a subject: ``Flaw 2 (security):``."""

SUPPLEMENT = ".line"


def is_supplement(turn: Turn) -> bool:
    """Return whether it is the line that a speech lacked."""
    return turn.ask_id.endswith(SUPPLEMENT)


_FIRST = ("flaw", "resolved", "alternative", "risk")


def supplemented(speech: str, supplement: str) -> str:
    """Put the marked lines of ``supplement``, each with the text up to the next empty line, before ``speech``.

    The rest of the supplement is dropped: a model that was asked for a line may repeat the whole speech.
    Its flaw or certificate replaces the certificates in the speech that cite nothing.
    """
    prose = [line.words for line in lines(supplement) if not line.is_fenced]
    paragraphs: dict[str, str] = {}
    for index, words in enumerate(prose):
        match = MARK.match(words)
        if match:
            paragraph = "\n".join(takewhile(str.strip, prose[index:]))
            paragraphs.setdefault(match["mark"].lower(), paragraph)
    if "flaw" in paragraphs or "resolved" in paragraphs:
        for start, end in reversed(certificates(speech)):  # from the end, so that the other spans stay right
            if not cites_something(speech[start:end]):
                speech = speech[:start] + speech[end:]
    added = [paragraphs[mark] for mark in _FIRST if mark in paragraphs]
    return "\n\n".join([*added, speech])


def certificates(speech: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the paragraphs that begin with ``Resolved:``, up to an empty line or the next mark."""
    spans: list[tuple[int, int]] = []
    start: int | None = None
    for line in lines(speech):
        match = None if line.is_fenced else MARK.match(line.words)
        if start is not None and (match or not line.words.strip()):
            spans.append((start, line.start))
            start = None
        if match and match["mark"].lower() == "resolved":
            start = line.start
    if start is not None:
        spans.append((start, len(speech)))
    return tuple(spans)


_OTHER_MARKS = mark_pattern("I (?:concede|withdraw)")
_BREAK = "  "
"""Two spaces at the end of a line, which Markdown shows as a line break."""


def on_their_own_lines(speech: str) -> str:
    """Return ``speech`` so that Markdown shows each marked line as a line of its own, not as part of a paragraph."""
    shown = list[str]()
    for line in lines(speech):
        is_marked = not line.is_fenced and (MARK.match(line.words) or _OTHER_MARKS.match(line.words))
        if is_marked and shown and shown[-1].strip():
            shown[-1] = shown[-1].rstrip() + _BREAK
        shown.append(line.words)
    return "\n".join(shown)


_EXHIBIT = re.compile(r"\bE\d{1,3}\b")
_IN_QUOTES = re.compile(r'"([^"\n]*)"|“([^“”\n]*)”')
_FEWEST_QUOTED = 4
"""Words between quotation marks that are more than a manner of speaking."""


def quoted_words(text: str) -> Iterator[str]:
    """Yield the passages between quotation marks in ``text`` that are long enough to look up."""
    for match in _IN_QUOTES.finditer(text):
        quote = match[1] or match[2] or ""  # one group for each kind of quotation mark
        if words_in(quote) >= _FEWEST_QUOTED:
            yield quote


def cites_something(text: str) -> bool:
    """Return whether ``text`` names a place or quotes words, with or without a match."""
    if _EXHIBIT.search(text) or next(quoted_words(text), None):
        return True
    return any(True for line in text.split("\n") for _ in placed_citations_in(line, 0))


def current_speeches(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The answered speeches of ``turns``, in order; a returned speech is represented by its replacement.

    A speech that was asked for a missing line starts with that line and has the duration of both turns.
    """
    latest: dict[tuple[int, str], Turn] = {}
    for turn in turns:
        if turn.kind not in SPEECH_KINDS or turn.answer is None:
            continue
        place = (turn.round, turn.role)
        before = latest.get(place)
        if before and before.answer and is_supplement(turn):
            answer = before.answer.model_copy(
                update={
                    "response": supplemented(before.answer.response, turn.answer.response),
                    "duration_ms": before.answer.duration_ms + turn.answer.duration_ms,
                }
            )
            latest[place] = before.model_copy(update={"reply": answer})
        elif not is_supplement(turn):
            latest[place] = turn
    return tuple(latest.values())
