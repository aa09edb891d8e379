"""Framing of a program's output: the JSON objects in it, at any place, and the broken ones.

Everything around an object is noise: update notices, log lines, a word on the same line, escape sequences. An
object may be spread over several lines, and may be one of an array. The tool's module knows its meaning. A
broken event is no noise if its type is one that the tool needs: a part of the answer is lost.
"""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from msgspec import Struct

from sparring.text.extraction import find_json

Json = dict[str, Any]

_ESCAPE_SEQUENCE = re.compile(
    r"""
      \x1b\[ [0-?]*+ [ -/]*+ [@-~]                                 # CSI: colours, cursor, modes
    | \x1b[]PX^_] [^\x07\x1b\n{]*+ (?: \x07 | \x1b\\ )              # OSC and its like: titles, links, the clipboard
    | \x1b [ -/]*+ [0-~]                                           # two characters, and character sets
    """,
    re.VERBOSE,
)
# JSON escapes all of these within a text. Characters that it may have unescaped stay, even if they affect a terminal:
# U+0080 to U+009F, marks of direction, and a BOM within an answer.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LINE_END = re.compile(r"\r\n?")
_ARRAYS_TRIED = 8
_WORDS = 400  # characters of a broken event that are kept


class TornEvent(Struct, frozen=True):
    """An event that is broken or truncated.

    Attributes:
        type: The type that it states.
        words: Its beginning.
    """

    type: str
    words: str

    @classmethod
    def of(cls, event: Json) -> "TornEvent":
        """Return ``event``, of which something that is needed cannot be parsed."""
        return cls(str(event.get("type", "")), json.dumps(event, ensure_ascii=False)[:_WORDS])


def cleaned(output: str) -> str:
    """Return ``output`` without a BOM, escape sequences and control characters; every line ends with a line feed.

    Texts in JSON stay whole, because JSON escapes all characters that are removed.
    """
    if "\x1b" in output:
        output = _ESCAPE_SEQUENCE.sub("", output)
    return _LINE_END.sub("\n", _CONTROL.sub("", output.removeprefix("\ufeff")))


def objects_in(output: str) -> Iterator[Json]:
    """The JSON objects in ``output``, in order; those that an array lists one by one."""
    return (each for each in events_in(output) if not isinstance(each, TornEvent))


def events_in(output: str, needed: Collection[str] = ()) -> Iterator[Json | TornEvent]:
    """Yield the JSON objects in ``output``, in order, and between them the broken ones whose ``type`` is ``needed``."""
    text = cleaned(output)
    torn = re.compile(rf'"type"\s*+:\s*+"({"|".join(map(re.escape, needed))})"') if needed else None
    place = 0
    for start, end, objects in _located_objects(text):
        yield from _torn_between(torn, text, place, start)
        yield from objects
        place = end
    yield from _torn_between(torn, text, place, len(text))


def _located_objects(text: str) -> Iterator[tuple[int, int, tuple[Json, ...]]]:
    place = 0
    for each in find_json(text):
        yield each.start, each.end, each.objects
        place = each.end
    # An array that was never closed: a program that is ended while it lists its events has printed those before.
    for _ in range(_ARRAYS_TRIED):
        place = text.find("[", place) + 1
        if not place:
            return
        if inside := [each for each in find_json(text[place:]) if each.objects]:
            yield from ((place + each.start, place + each.end, each.objects) for each in inside)
            return


def _torn_between(torn: re.Pattern[str] | None, text: str, start: int, end: int) -> Iterator[TornEvent]:
    if torn is None:
        return
    for match in torn.finditer(text, start, end):
        brace = text.rfind("{", max(start, match.start() - _WORDS), match.start())
        begin = match.start() if brace < 0 else brace
        yield TornEvent(match[1], text[begin : min(end, begin + _WORDS)])


class ObjectReader:
    """Finds objects in an output while it is still being printed. Bytes may be cut anywhere."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""

    def feed(self, printed: bytes) -> Iterator[Json]:
        """The objects that are complete with ``printed``, in order; each is given once."""
        new = cleaned(self._decoder.decode(printed))
        self._rest += new
        if "}" not in new:
            return
        objects = find_json(self._rest)
        if objects:
            self._rest = self._rest[objects[-1].end :]
        for each in objects:
            yield from each.objects
