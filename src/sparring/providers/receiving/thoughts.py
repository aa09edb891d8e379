"""Thoughts that a server without a reasoning parser leaves in the text of an answer.

A thought stands at the beginning, between marks of its model. Often the opening mark is a part of the prompt, so that
only the closing one is in the text; where the tokens ran out, only the opening one is. Only a leading thought is
removed: a speech about such marks, or with one in a piece of code, stays whole.
"""

import re
from bisect import bisect_right
from typing import NamedTuple

from sparring.text.fences import lines

_NAMES = "think|thinking|thought|thoughts|reasoning|seed:think|antml:thinking"

_OPENINGS = (
    rf"<(?P<name>{_NAMES})(?:\s[^<>]{{0,100}})?>",
    r"◁think▷",  # Kimi
    r"\[THINK\]",  # Magistral
    r"<\|begin_of_thought\|>",
    r"<\|START_THINKING\|>",  # Command
    r"<\|channel>thought",  # Gemma
)
_CLOSINGS = (
    rf"</(?:{_NAMES})>",
    r"◁/think▷",
    r"\[/THINK\]",
    r"<\|end_of_thought\|>",
    r"<\|END_THINKING\|>",
    r"<channel\|>",
)

_OPENING = re.compile(r"\s*+(?:" + "|".join(_OPENINGS) + ")", re.IGNORECASE)
_CLOSING = re.compile("|".join(_CLOSINGS), re.IGNORECASE)
_ANY_OPENING = re.compile("|".join(_OPENINGS), re.IGNORECASE)
_SENTENCE_ENDS = ".!?…:;)]}\"'”’*"
_MENTION = re.compile(r"[ \t]+[a-z]|[\"'”’)\]},.;:\\]")
"""Pattern of a text that mentions the mark before it."""

_HARMONY = re.compile(r"\s*+(?:<\|start\|>\s*+(?:assistant\s*+)?)?<\|channel\|>")
_HARMONY_TOKEN = re.compile(r"<\|(start|end|return|call|channel|message|constrain)\|>")
_BARE_HARMONY = re.compile(r"\s*+analysis(?=[A-Z\"'(])")
"""Remainder of Harmony's marks where a server drops the marks and keeps the words between them."""
_BARE_FINAL = "assistantfinal"

_ANSWER_MARKS = re.compile(
    r"\s*+<\|(?:begin_of_solution|START_RESPONSE)\|>(?P<text>.*?)(?:<\|(?:end_of_solution|END_RESPONSE)\|>\s*+)?",
    re.DOTALL,
)


class ReceivedText(NamedTuple):
    """The text of an answer, and the thought that stood before it; either may be empty."""

    thought: str
    answer: str


def without_thought(text: str) -> ReceivedText:
    """Separate a leading thought from the answer. A thought that is never closed leaves an empty answer."""
    if _HARMONY.match(text):
        return _of_harmony(text)
    if (bare := _BARE_HARMONY.match(text)) and _BARE_FINAL in text:
        thought, _, answer = text[bare.end() :].rpartition(_BARE_FINAL)
        return ReceivedText(thought.strip(), answer.strip())
    thoughts: list[str] = []
    rest = text
    if not _OPENING.match(text) and (closing := _lone_closing(text)) is not None:
        thoughts.append(text[: closing.start()].strip())
        rest = text[closing.end() :]
    while opening := _OPENING.match(rest):
        closing = _CLOSING.search(rest, opening.end())
        thoughts.append(rest[opening.end() : closing.start() if closing else len(rest)].strip())
        rest = rest[closing.end() :] if closing else ""
    if not thoughts:
        return ReceivedText("", text)
    if marked := _ANSWER_MARKS.fullmatch(rest):
        rest = marked["text"]
    return ReceivedText("\n\n".join(filter(None, thoughts)), rest.strip())


_LAST_CLOSINGS = 64
_LINE_LIMIT = 2_000  # characters of a line that are examined


def _lone_closing(text: str) -> re.Match[str] | None:
    """Return the last closing mark without an opening one, unless it is a word of a sentence or a piece of code."""
    first_opening = _ANY_OPENING.search(text)
    closings = list(_CLOSING.finditer(text, 0, first_opening.start() if first_opening else len(text)))
    fenced = [(line.start, line.start + len(line.words)) for line in lines(text) if line.is_fenced] if closings else []
    for closing in reversed(closings[-_LAST_CLOSINGS:]):
        start = closing.start()
        line = text[max(0, start - _LINE_LIMIT) : start].rpartition("\n")[2]
        is_in_code = line.count("`") % 2 == 1 or _is_within(start, fenced)
        if not is_in_code and _ends_a_thought(line.strip(), text[closing.end() : closing.end() + 3]):
            return closing
    return None


def _is_within(place: int, spans: list[tuple[int, int]]) -> bool:
    before = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return before >= 0 and place < spans[before][1]


def _ends_a_thought(line: str, after: str) -> bool:
    if after.startswith(("\n", "\r")):
        return True
    return (not line or line[-1] in _SENTENCE_ENDS) and not _MENTION.match(after)


def _of_harmony(text: str) -> ReceivedText:
    """The messages of OpenAI's Harmony: those of the channel ``final`` are the answer."""
    thoughts: list[str] = []
    answers: list[str] = []
    channel, is_message, place = "", False, 0
    for token in (*_HARMONY_TOKEN.finditer(text), None):
        piece = text[place : token.start() if token else len(text)]
        if is_message:
            (answers if channel == "final" else thoughts).append(piece)
        elif piece.strip() and channel == "?":
            channel = piece.split()[0].lower()
        if token is None:
            break
        place, is_message = token.end(), token[1] == "message"
        if token[1] == "channel":
            channel = "?"
    return ReceivedText("\n\n".join(map(str.strip, thoughts)), "\n\n".join(map(str.strip, answers)))
