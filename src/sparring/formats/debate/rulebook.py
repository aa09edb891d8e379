"""The rules that code holds a speech to (specification: seed 004, Prompt Templates; design: Debate).

Prompts ask for marks at the beginning of a line, and for nothing before the first flaw. Code reads the marks; whether a
flaw is one, or whether words are praise, it does not guess. All other rules of a speech stand in its prompt alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from sparring.checks.concessions import marks
from sparring.schema.debate import SpeechRule
from sparring.schema.transcript import TurnKind
from sparring.text.prose import lines

IN_WORDS = {
    SpeechRule.FLAW: "names no flaw",
    SpeechRule.LEAD: "does not begin with a flaw",
    SpeechRule.ALTERNATIVE: "proposes no alternative",
    SpeechRule.RISK: "concedes, and does not say which risk remains",
    SpeechRule.CONCERN: "names no flaw, and certifies no concern as resolved",
    SpeechRule.NEW: "mostly repeats what its speaker had said before",
}
"""What is told of a speech that breaks them."""

_MARK = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+)?(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?[*_]{0,3}"
    r"(?P<mark>flaw|alternative|risk|resolved)(?:[ \t]+\d{1,2})?[*_]{0,3}:",
    re.IGNORECASE,
)
"""At the beginning of a line, which may be a heading or an item of a list, in bold, and numbered."""

_FEWEST_LETTERS = 8
"""Letters and digits below which words do not say what is wrong."""

_HEADING = re.compile(r"[ \t]*#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r"[ \t]*[-*_=]{3,}[ \t]*\Z")
_QUOTED = re.compile(r"[ \t]*>")

_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+")
_BETWEEN = re.compile(r"[\W_]+")
_FEWEST_WORDS = 4
"""Words of a sentence that nobody says twice by chance."""


def broken(kind: TurnKind, text: str, earlier: Iterable[str]) -> tuple[SpeechRule, ...]:
    """The rules that ``text``, a speech of that kind, breaks; ``earlier`` is what its speaker has said before."""
    return tuple(_broken(kind, text, earlier))


def _broken(kind: TurnKind, text: str, earlier: Iterable[str]) -> Iterator[SpeechRule]:
    found = _marks(text)
    if kind is TurnKind.RESPONSE:
        if "flaw" not in found:
            yield SpeechRule.FLAW
        elif not _leads_with_flaw(text):
            yield SpeechRule.LEAD
        if "alternative" not in found:
            yield SpeechRule.ALTERNATIVE
        if "risk" not in found and any(not mark.is_withdrawal for mark in marks(text)):
            yield SpeechRule.RISK
    if kind is TurnKind.FOLLOW_UP and found.isdisjoint({"flaw", "resolved"}):
        yield SpeechRule.CONCERN
    if _repeats(text, earlier):
        yield SpeechRule.NEW


def _marks(text: str) -> frozenset[str]:
    """The marks that something is said behind, on the line itself or the next one."""
    said = [line.words for line in lines(text) if not line.is_fenced and line.words.strip()]
    pairs = pairwise([*said, ""])
    found = ((match, words[match.end() :], below) for words, below in pairs if (match := _MARK.match(words)))
    return frozenset(
        match["mark"].lower() for match, behind, below in found if _says_something(behind.strip(" \t*_") or below)
    )


def _says_something(words: str) -> bool:
    return sum(map(str.isalnum, words[: 20 * _FEWEST_LETTERS])) >= _FEWEST_LETTERS


def _leads_with_flaw(text: str) -> bool:
    """Whether nothing is said before the first flaw; headings, and what is quoted to be answered, are not."""
    spoken = (line.words for line in lines(text) if line.words.strip() and not _is_silent(line.words))
    match = _MARK.match(next(spoken, ""))
    return match is not None and match["mark"].lower() == "flaw"


def _is_silent(words: str) -> bool:
    is_heading = _HEADING.match(words) and not _MARK.match(words)
    return bool(is_heading or _RULE.match(words) or _QUOTED.match(words))


def _repeats(text: str, earlier: Iterable[str]) -> bool:
    """Whether half of its words stand in sentences that its speaker has said before, word for word."""
    known = {sentence for speech in earlier for sentence in _sentences(speech)}
    if not known:
        return False
    own = _sentences(text)
    again = sum(_length(sentence) for sentence in own if sentence in known)
    return 2 * again >= sum(map(_length, own)) > 0


def _sentences(text: str) -> Sequence[str]:
    said = (line.words for line in lines(text) if not line.is_fenced and not _QUOTED.match(line.words))
    plain = (_BETWEEN.sub(" ", part).strip().casefold() for words in said for part in _SENTENCE_END.split(words))
    return [sentence for sentence in plain if _length(sentence) >= _FEWEST_WORDS]


def _length(sentence: str) -> int:
    return sentence.count(" ") + 1
