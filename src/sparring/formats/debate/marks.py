"""The marked lines of a speech: ``Flaw:``, ``Alternative:``, ``Risk:``, ``Resolved:``.

A speech that lacks one is asked for that line alone (``SUPPLEMENT`` ends the id of the ask); the line is put before it.
"""

from collections.abc import Iterable
from itertools import takewhile

from sparring.checks.concessions import mark_pattern
from sparring.schema.transcript import SPEECH_KINDS, Turn
from sparring.text.prose import lines

MARK = mark_pattern(
    r"(?P<mark>flaw|alternative|risk|resolved)(?:[ \t]+#?\d{1,2})?"
    r"(?:[ \t]*\([^()\n]{1,60}\)|[ \t]+[–—-][^:：\n]{1,60})?"
)
"""Numbered, and with what it is about: ``Flaw 2 (security):``."""

SUPPLEMENT = ".line"

_FIRST = ("flaw", "resolved", "alternative", "risk")


def supplemented(speech: str, supplement: str) -> str:
    """``speech`` behind the marked lines of ``supplement``, each with what follows it up to an empty line.

    Whatever else the supplement holds is left out: a model that was asked for a line may give the whole speech again.
    """
    said = [line.words for line in lines(supplement) if not line.is_fenced]
    marked = ((place, found["mark"].lower()) for place, words in enumerate(said) if (found := MARK.match(words)))
    paragraphs = [(mark, "\n".join(takewhile(str.strip, said[place:]))) for place, mark in marked]
    first = dict(reversed(paragraphs))
    return "\n\n".join((*(first[mark] for mark in _FIRST if mark in first), speech))


def spoken(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The speeches of ``turns`` that were answered, in order: of one that was returned, what came then.

    One that was asked for a line has that line before it, and took the time of both.
    """
    found: dict[tuple[int, str], Turn] = {}
    for turn in turns:
        if turn.kind not in SPEECH_KINDS or turn.answer is None:
            continue
        place = (turn.round, turn.role)
        before = found.get(place)
        is_line = turn.ask_id.endswith(SUPPLEMENT)
        if before and before.answer and is_line:
            answer = before.answer.model_copy(
                update={
                    "response": supplemented(before.answer.response, turn.answer.response),
                    "duration_ms": before.answer.duration_ms + turn.answer.duration_ms,
                }
            )
            found[place] = before.model_copy(update={"reply": answer})
        elif not is_line:
            found[place] = turn
    return tuple(found.values())
