"""Find known values in a text, in any spelling.

A value may be escaped (JSON, URL, HTML, shell; in part, in either case, several times over), wrapped over lines, quoted
in a diff, or encoded (hexadecimal, base64 or base64url at any of three offsets, from UTF-8 or UTF-16). It may stand
under line numbers or in a dump (``dumps``). So both are compared after escapes are resolved and everything but letters
and digits is dropped. That costs a few copies of the text
and a search for each encoding; after a match, the few thousand characters around it are examined again,
with the place of every letter, and the characters between the letters are compared as well.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import unescape

from msgspec import Struct

from sparring.text.dumps import last_readings, readings
from sparring.text.secret_shapes import MARKER, SecretSpan

SHORTEST_VALUE = 8
"""Shorter values occur by chance, and a password that short is lost anyway."""

_FEWEST_LETTERS = 5
"""A value that has fewer letters and digits is sought as it stands only."""

_DROPPED = bytes(code for code in range(256) if not (code < 128 and chr(code).isalnum()))
_BETWEEN = re.compile(r"[\s\\'\",+>|#*-]|[^\x00-\x7f]")
"""Characters between two letters that are no part of a value: white space, quoting, marks of lines."""

_ESCAPE = re.compile(
    r"[%\\&](?:(?<=%)(?:25)*(?P<byte>[0-9A-Fa-f]{2})"
    r"|(?<=&)(?:amp;)*(?P<entity>#[xX][0-9A-Fa-f]{1,8};?|#[0-9]{1,8};?|[A-Za-z]{2,8};)"
    r"|(?<=\\)(?<!\\\\)\\*(?:(?:x|u00|U000000|u\{0{0,4})(?P<code>[0-9A-Fa-f]{2})\}?"
    r"|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[nrtbfv]))"
)
_SIGNS = ("%", "\\", "&")
_MOST_LAYERS = 3
_MOST_BETWEEN = 24
"""Marks between two signs at the edge of a value."""

_BASE64_SIGN = r"(?:[+/_-]|%2[BbFf]|\\+/)"
_BEFORE_BASE64 = re.compile(rf"[A-Za-z0-9]?{_BASE64_SIGN}{{0,4}}\Z")
_AFTER_BASE64 = re.compile(rf"{_BASE64_SIGN}{{0,4}}[A-Za-z0-9]?{_BASE64_SIGN}?(?:=|%3[Dd]|\\+u003[Dd]){{0,2}}")
_LONGEST_EDGE = 64
_FEWEST_UNFINISHED = 8
"""Letters of an encoded value that are taken for its beginning, where nothing else looks encoded."""
_LONGEST_ENCODED = 512
_ENCODED_END = re.compile(r"[A-Za-z0-9+/_=-]{16,}+[\s\"',\\]*\Z")
"""A line that ends as a wrapped encoding does."""


class _Needle(Struct, frozen=True):
    """The letters and digits of one spelling of a value.

    Attributes:
        value: The value itself where the letters are its own, or nothing where they encode it.
    """

    letters: str
    value: str = ""
    is_hexadecimal: bool = False


class KnownValues:
    """Finds the given values in every spelling."""

    def __init__(self, values: Iterable[str]) -> None:
        long_enough = {value for value in values if len(value) >= SHORTEST_VALUE}
        # Longest first: one value may be a part of another.
        self._values = sorted(long_enough, key=lambda value: (-len(value), value))
        needles = (needle for value in self._values for needle in _needles(value))
        self._needles = [needle for needle in needles if len(needle.letters) >= _FEWEST_LETTERS]
        self._reach = 4096 + 8 * max(map(len, self._values), default=0)

    def find(self, text: str) -> Iterator[SecretSpan]:
        """Yield the places of the values in ``text``.

        Text in or across a marker is no secret, with any value: else a second pass would find it again.
        """
        if present := [value for value in self._values if value in text]:
            edges = [0, *(edge for marker in MARKER.finditer(text) for edge in marker.span()), len(text)]
            pattern = re.compile("|".join(map(re.escape, present)))
            for start, end in zip(edges[::2], edges[1::2], strict=True):
                for match in pattern.finditer(text, start, end):
                    yield SecretSpan(match.start(), match.end(), "known-value")
        yield from self._spelled_in(text)
        for reading in readings(text) if self._needles else ():
            for span in self._spelled_in(reading.text):
                start, end = reading.original(span.start, span.end)
                if not _touches_marker(text, start, end):
                    yield SecretSpan(start, end, span.kind)

    def start_of_unfinished(self, text: str) -> int:
        """Return where a value may have begun of which the end of ``text`` is a part; its length where none has."""
        first = max(0, len(text) - self._reach)
        part = text[first:]
        is_encoded = _ENCODED_END.search(part, max(0, len(part) - _LONGEST_ENCODED)) is not None
        places = [self._start_of_unfinished(part, 1 if is_encoded else _FEWEST_UNFINISHED)]
        for reading in last_readings(part) if self._needles else ():
            place = self._start_of_unfinished(reading.text, 2 if reading.is_hexadecimal else _FEWEST_UNFINISHED)
            places.append(reading.begins[place] if place < len(reading.text) else len(part))
        return first + min(places)

    def _start_of_unfinished(self, text: str, least_encoded: int) -> int:
        letters = _letters(text)
        most = 0
        for needle in self._needles:
            begin, ending = needle.letters, letters[-len(needle.letters) :]
            if needle.is_hexadecimal:
                begin, ending = begin.lower(), ending.lower()
            least = 1 if needle.value else least_encoded
            lengths = (length for length in range(min(len(begin), len(ending)), least - 1, -1))
            most = max(most, next((length for length in lengths if ending.endswith(begin[:length])), 0))
        return _Spelled(text).place_of_last(most) if most else len(text)

    def _spelled_in(self, text: str) -> Iterator[SecretSpan]:
        if spelled := _among(self._needles, text):
            for start in range(0, len(text), self._reach):
                yield from self._in_part(text, start, spelled)

    def _in_part(self, text: str, start: int, needles: list[_Needle]) -> Iterator[SecretSpan]:
        """Yield the needles spelled from ``start`` on; a match that is short enough lies within one part."""
        part = text[start : start + 2 * self._reach]
        if needles := _among(needles, part):
            spelled = _Spelled(part)
            for needle in needles:
                for first, last in spelled.places(needle):
                    if last - first <= self._reach and not _touches_marker(part, first, last):
                        yield SecretSpan(start + first, start + last, "known-value")


class _Spelled:
    """A text without escapes, and where in it every character is spelled."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._meant = text
        self._starts = list(range(len(text) + 1))
        for _ in range(_MOST_LAYERS):
            if not self._resolve():
                break
        self._at = [at for at, sign in enumerate(self._meant) if sign.isascii() and sign.isalnum()]
        self._letters = "".join(self._meant[at] for at in self._at)

    def place_of_last(self, count: int) -> int:
        """Return where the last ``count`` letters and digits begin."""
        return self._starts[self._at[-count]]

    def _resolve(self) -> bool:
        pieces: list[str] = []
        starts: list[int] = []
        kept = 0
        for escape in _ESCAPE.finditer(self._meant):
            meant = _meaning(escape)
            pieces += self._meant[kept : escape.start()], meant
            starts += self._starts[kept : escape.start()]
            starts += [self._starts[escape.start()]] * len(meant)
            kept = escape.end()
        self._meant, before = "".join([*pieces, self._meant[kept:]]), self._meant
        self._starts = starts + self._starts[kept:]
        return self._meant != before

    def places(self, needle: _Needle) -> Iterator[tuple[int, int]]:
        letters = self._letters.lower() if needle.is_hexadecimal else self._letters
        for match in re.finditer(needle.letters, letters):
            first, last = self._at[match.start()], self._at[match.end() - 1]
            if needle.value:
                begun, core, ended = _edges_and_core(_resolved(needle.value))
                if _bare(self._meant[first : last + 1]) != _bare(core):
                    continue
                first, last = self._reached(first, -1, begun[::-1]), self._reached(last, 1, ended)
            start, end = self._starts[first], self._starts[last + 1]
            while needle.value[:1] == self._meant[first] and start and self._text[start - 1] == "\\":
                start -= 1
            yield (start, end) if needle.value or needle.is_hexadecimal else self._with_base64_edges(start, end)

    def _reached(self, at: int, step: int, signs: str) -> int:
        """Return the end of the value beyond its letters; characters outside ASCII may be spelled as bytes."""
        by_bytes = "".join(sign.encode("utf-8", "surrogatepass").decode("latin-1")[::step] for sign in signs)
        return max(self._followed(at, step, signs), self._followed(at, step, by_bytes), key=lambda end: end * step)

    def _followed(self, at: int, step: int, signs: str) -> int:
        for sign in signs:
            position = at + step
            for _ in range(_MOST_BETWEEN):
                actual = self._meant[position : position + 1] if position >= 0 else ""
                if actual == sign or not actual or not _BETWEEN.match(actual):
                    break
                position += step
            if self._meant[max(0, position) : position + 1] != sign:
                break
            at = position
        return at

    def _with_base64_edges(self, start: int, end: int) -> tuple[int, int]:
        before = _BEFORE_BASE64.search(self._text, max(0, start - _LONGEST_EDGE), start)
        after = _AFTER_BASE64.match(self._text, end)
        return before.start() if before else start, after.end() if after else end


def _needles(value: str) -> Iterator[_Needle]:
    data = value.encode("utf-8", "surrogatepass")
    yield _Needle(_letters(value), value)
    yield _Needle(data.hex(), is_hexadecimal=True)
    for encoded_first in (data, value.encode("utf-16-le", "surrogatepass")):
        for shift, first in enumerate((0, 2, 3)):
            # Without the first and last characters, which share bits with the text before and after.
            encoded = b64encode(bytes(shift) + encoded_first).decode()
            yield _Needle(_letters(encoded[first : (len(encoded_first) + shift) * 8 // 6]))


def _among(needles: list[_Needle], text: str) -> list[_Needle]:
    if not needles:
        return []
    letters = _letters(text)
    folded = letters.lower()
    return [needle for needle in needles if needle.letters in (folded if needle.is_hexadecimal else letters)]


def _letters(text: str) -> str:
    return _resolved(text).encode("ascii", "ignore").translate(None, _DROPPED).decode("ascii")


def _resolved(text: str) -> str:
    is_open = True

    def meaning(escape: re.Match[str]) -> str:
        nonlocal is_open
        meant = _meaning(escape)
        is_open = is_open or meant in _SIGNS
        return meant

    if not any(sign in text for sign in _SIGNS):
        return text  # with which every escape begins
    for _ in range(_MOST_LAYERS):
        if is_open:
            is_open = False
            text = _ESCAPE.sub(meaning, text)
    return text


def _meaning(escape: re.Match[str]) -> str:
    if code := escape["byte"] or escape["code"]:
        return chr(int(code, 16))
    return unescape(f"&{escape['entity']}") if escape["entity"] else " "


def _edges_and_core(value: str) -> tuple[str, str, str]:
    """Split ``value`` at its first and its last letter or digit."""
    letters = list(re.finditer("[A-Za-z0-9]", value))
    first, last = letters[0].start(), letters[-1].end()
    return value[:first], value[first:last], value[last:]


def _bare(text: str) -> str:
    return _BETWEEN.sub("", text)


def _touches_marker(text: str, start: int, end: int) -> bool:
    near = max(0, start - _LONGEST_EDGE)
    markers = MARKER.finditer(text, near, min(len(text), end + _LONGEST_EDGE))
    return any(marker.start() < end and marker.end() > start for marker in markers)
