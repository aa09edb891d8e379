"""JSON in text with other content: a model's reply, or the output of a program.

Framing is tolerant: an object or array is found by parsing at each brace and bracket, so no text before,
between or after hides it, not even a stray ``{ "``. Parsing is strict. ``json_repair`` may mend commas, quotes and
comments of an object that does not parse (``repaired_json``), but invented content is not accepted, and an
object that is never closed is none: the missing part might have been the point.

The reader of an object decides about its meaning. Time is linear in the text, and bounded for hostile ones.
"""

import json
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from typing import Any, cast

from msgspec import Struct

_WORK = 16
"""Characters that may be read in vain, for each character of the text; text beyond that is not searched."""

_LEAST_WORK = 100_000
_TRY = 256  # what trying costs, in characters
_WINDOW = 4096
_TORN = re.compile(r"[\w+.-]{0,5}[ \t\r\n`]*")
"""Pattern of a torn end of an object: the beginning of a literal, the end of a fence."""

_TAIL = 16  # characters of a literal, an escape or a number that the end of a piece may tear

_REPAIR_LIMIT = 100_000
"""Most characters to repair: json_repair 0.64 needs up to a second for 400,000. A verdict has some thousands."""

_REPAIRS = 8
"""Most objects of one text that are mended."""

_OPENING = re.compile(r"[{\[]")
_BRACE_OR_STRING = re.compile(r'[{}]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACE = re.compile(r"[{}]")
_OBJECT_START = re.compile(r"""\{\s*+["'“”]""")
_MEMBER_START = re.compile(r"""\{\s*+(["'“”])[^"'“”\\{}]{1,100}["'“”]\s*+:""")
_KEY = re.compile(r"""["'“”]([^"'“”\\]*+)["'“”]\s*+:""")

Json = dict[str, Any]


class LocatedJson(Struct, frozen=True):
    """A JSON object or array in a text.

    Attributes:
        start, end: Its place in the text.
        value: Its value.
        is_doubtful: Whether a key occurs twice in one of its objects, a number is unknown to JSON, or a text has half a
            character: there is no unique reading of it.
    """

    start: int
    end: int
    value: Json | list[Any]
    is_doubtful: bool = False

    @property
    def objects(self) -> tuple[Json, ...]:
        """The object itself, or those that the array lists."""
        listed = self.value if isinstance(self.value, list) else [self.value]
        return tuple(cast("Json", each) for each in listed if isinstance(each, dict))


def find_json(text: str) -> tuple[LocatedJson, ...]:
    """The outermost JSON objects and arrays in ``text``, in order; empty ones are left out.

    What is open at the end of the text is cut off, and nothing inside it counts.
    """
    objects: list[LocatedJson] = []
    place, work = 0, max(_LEAST_WORK, _WORK * len(text))
    while work > 0 and (opening := _OPENING.search(text, place)):
        start, doubts = opening.start(), _DoubtfulDecoder()
        try:
            value, length = _decoded(text, start, doubts)
        except _CutOffError:
            break
        except JSONDecodeError as error:
            work -= error.pos + _TRY
            place = start + 1
        except (ValueError, RecursionError):  # a number of thousands of digits; nested without end
            work -= _LEAST_WORK
            place = start + 1
        else:
            place = start + length
            if value:
                objects.append(LocatedJson(start, place, value, doubts.has_any or not _can_be_written(value)))
    return tuple(objects)


class _CutOffError(Exception):
    """The text ends before the object does."""


def _decoded(text: str, start: int, doubts: "_DoubtfulDecoder") -> tuple[Any, int]:
    """Return the value that begins at ``start``, and its length.

    It is looked for in a piece of the text, which grows: an error counts the lines up to its place, so that many errors
    in one long text would take time that grows with its square.
    """
    size = _WINDOW
    while True:
        piece = text[start : start + size]
        try:
            return doubts.decoder.raw_decode(piece)
        except JSONDecodeError as error:
            is_open = error.pos > len(piece) - _TAIL or error.msg.startswith("Unterminated string")
            if not is_open:
                raise
            is_whole_text = start + size >= len(text)
            if is_whole_text:
                # "Expecting" something else than what is there is an error, unless hardly anything is there.
                if not error.msg.startswith("Expecting") or _TORN.fullmatch(piece, error.pos):
                    raise _CutOffError from error
                raise
            size *= 8


def remainder(text: str, objects: tuple[LocatedJson, ...], *, emptied: bool = False) -> str:
    """Return ``text`` with a line end for each of ``objects``; if ``emptied``, with an empty value of its kind."""
    pieces: list[str] = []
    place = 0
    for each in objects:
        empty = "[]" if isinstance(each.value, list) else "{}"
        pieces += (text[place : each.start], empty if emptied else "\n")
        place = each.end
    return "".join((*pieces, text[place:]))


class _DoubtfulDecoder:
    """A decoder that takes what JSON's grammar allows, and notes what makes a text ambiguous."""

    def __init__(self) -> None:
        self.has_any = False
        self.decoder = JSONDecoder(strict=False, object_pairs_hook=self._members, parse_constant=self._constant)

    def _members(self, pairs: list[tuple[str, Any]]) -> Json:
        members = dict(pairs)
        self.has_any = self.has_any or len(members) < len(pairs)
        return members

    def _constant(self, _: str) -> None:
        self.has_any = True


def _can_be_written(value: object) -> bool:
    """Return whether no text in ``value`` holds half a surrogate pair, which JSON may escape and no file can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def repaired_json(text: str, strict: tuple[LocatedJson, ...] = ()) -> tuple[LocatedJson, ...]:
    """Return the closed objects in ``text`` that are invalid JSON but readable as if valid, outermost first.

    Objects that begin at the place of one of ``strict`` are skipped. Mending may neither make up a key nor lose one.
    An object inside an object that cannot be mended, or is never closed, is a part of it and not returned.
    """
    objects: list[LocatedJson] = []
    spans = [(each.start, each.end) for each in strict]
    starts = (match.start() for match in _OBJECT_START.finditer(text))
    outside = (start for start in starts if not _is_within(start, spans))
    done = 0  # what lies before belongs to an object that was read, or given up
    for start in islice(outside, _REPAIRS * 2):
        if start < done:
            continue
        ends = _possible_ends(text, start)
        for end in ends:
            value = _repaired(text[start:end])
            if value:
                objects.append(LocatedJson(start, end, value))
                done = end
                break
        else:
            if _MEMBER_START.match(text, start):  # else a brace of the prose around it
                done = max(ends, default=len(text))
    return tuple(objects[:_REPAIRS])


def _is_within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether ``place`` lies in one of ``spans``, which are in order and do not overlap."""
    before = bisect_right(spans, (place, sys.maxsize)) - 1
    return before >= 0 and place < spans[before][1]


def _possible_ends(text: str, start: int) -> tuple[int, ...]:
    """Return the places where the object may end: braces in strings do not count, or, with mixed-up quotes, they do."""
    ends = (_closed(_BRACE_OR_STRING, text, start), _closed(_BRACE, text, start))
    return tuple(dict.fromkeys(end for end in ends if end is not None))


def _closed(token: re.Pattern[str], text: str, start: int) -> int | None:
    depth = 0
    for match in token.finditer(text, start, start + _REPAIR_LIMIT):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if not depth:
                return match.end()
    return None


def _repaired(candidate: str) -> Json | None:
    # Imported here because it is needed for few replies and costs every start of the program otherwise.
    import json_repair  # noqa: PLC0415

    try:
        value = json_repair.loads(candidate, skip_json_loads=True, strict=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not _can_be_written(value):
        return None
    # The same keys equally often: repairing has neither made one up nor dropped a duplicate.
    written = Counter(_KEY.findall(candidate))
    return value if written == Counter(_keys(value)) else None


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in cast("Json", value).items():
            yield key
            yield from _keys(member)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _keys(item)
