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
        yield from self._plain_in(text)
        if not self._needles:
            return
        yield from self._spelled_in(text)
        for reading in readings(text):
            for span in self._spelled_in(reading.text):
                start, end = reading.original(span.start, span.end)
                if not _touches_marker(text, start, end):
                    yield SecretSpan(start, end, span.kind)

    def _plain_in(self, text: str) -> Iterator[SecretSpan]:
        """Yield the places of the values as they are, between the markers."""
        present = [value for value in self._values if value in text]
        if not present:
            return
        pattern = re.compile("|".join(map(re.escape, present)))
        start = 0
        for marker in MARKER.finditer(text):
            for match in pattern.finditer(text, start, marker.start()):
                yield SecretSpan(match.start(), match.end(), "known-value")
            start = marker.end()
        for match in pattern.finditer(text, start):
            yield SecretSpan(match.start(), match.end(), "known-value")

    def start_of_unfinished(self, text: str) -> int:
        """Return where a value may have begun of which the end of ``text`` is a part; its length where none has."""
        part_start = max(0, len(text) - self._reach)
        part = text[part_start:]
        is_encoded = _ENCODED_END.search(part, max(0, len(part) - _LONGEST_ENCODED)) is not None
        start = self._start_of_unfinished(part, 1 if is_encoded else _FEWEST_UNFINISHED)
        if self._needles:
            for reading in last_readings(part):
                place = self._start_of_unfinished(reading.text, 2 if reading.is_hexadecimal else _FEWEST_UNFINISHED)
                if place < len(reading.text):
                    start = min(start, reading.begins[place])
        return part_start + start

    def _start_of_unfinished(self, text: str, least_encoded: int) -> int:
        """Return where the longest beginning of a needle starts with which ``text`` ends; its length where none does.

        Args:
            text: The text, or a reading of it.
            least_encoded: Fewest letters and digits that count as the beginning of an encoded value.
        """
        letters = _letters(text)
        most = 0
        for needle in self._needles:
            expected, ending = needle.letters, letters[-len(needle.letters) :]
            if needle.is_hexadecimal:
                expected, ending = expected.lower(), ending.lower()
            least = 1 if needle.value else least_encoded
            for length in range(min(len(expected), len(ending)), max(least, most + 1) - 1, -1):
                if ending.endswith(expected[:length]):
                    most = length
                    break
        return _Spelled(text).place_of_last(most) if most else len(text)

    def _spelled_in(self, text: str) -> Iterator[SecretSpan]:
        """Yield the places of the needles in ``text``, which is examined in parts that overlap by half."""
        in_text = _among(self._needles, text)
        if not in_text:
            return
        for start in range(0, len(text), self._reach):
            part = text[start : start + 2 * self._reach]
            in_part = _among(in_text, part)
            if not in_part:
                continue
            spelled = _Spelled(part)
            for needle in in_part:
                for first, last in spelled.places(needle):
                    # A match that is short enough lies within one part.
                    if last - first <= self._reach and not _touches_marker(part, first, last):
                        yield SecretSpan(start + first, start + last, "known-value")


class _Spelled:
    """A text without escapes, and where in it every character is spelled.

    ``_meant`` has the characters without escapes, and ``_starts`` the place in the text of each of them, and of its
    end. ``_letters`` has the letters and digits among them, and ``_at`` their places in ``_meant``.
    """

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
        """Resolve one layer of escapes; return whether there was any."""
        before = self._meant
        pieces: list[str] = []
        starts: list[int] = []
        done = 0
        for escape in _ESCAPE.finditer(before):
            meant = _meaning(escape)
            pieces += before[done : escape.start()], meant
            starts += self._starts[done : escape.start()]
            starts += [self._starts[escape.start()]] * len(meant)
            done = escape.end()
        self._meant = "".join([*pieces, before[done:]])
        self._starts = starts + self._starts[done:]
        return self._meant != before

    def places(self, needle: _Needle) -> Iterator[tuple[int, int]]:
        """Yield where the text spells ``needle``: start and end, with the signs at the edges of its value."""
        letters = self._letters.lower() if needle.is_hexadecimal else self._letters
        for match in re.finditer(needle.letters, letters):
            first, last = self._at[match.start()], self._at[match.end() - 1]
            if needle.value:
                signs_before, core, signs_after = _edges_and_core(_resolved(needle.value))
                if _bare(self._meant[first : last + 1]) != _bare(core):
                    continue  # the same letters, with other signs between them
                first = self._reached(first, -1, signs_before[::-1])
                last = self._reached(last, 1, signs_after)
            start, end = self._starts[first], self._starts[last + 1]
            # Backslashes before the first sign belong to its spelling.
            while needle.value[:1] == self._meant[first] and start and self._text[start - 1] == "\\":
                start -= 1
            is_base64 = not needle.value and not needle.is_hexadecimal
            yield self._with_base64_edges(start, end) if is_base64 else (start, end)

    def _reached(self, at: int, step: int, signs: str) -> int:
        """Return the end of the value beyond its letters; characters outside ASCII may be spelled as bytes.

        Args:
            at: Place of its first or last letter.
            step: Direction: -1 towards the beginning, 1 towards the end.
            signs: The signs beyond that letter, in this direction.
        """
        by_bytes = "".join(sign.encode("utf-8", "surrogatepass").decode("latin-1")[::step] for sign in signs)
        ends = (self._followed(at, step, signs), self._followed(at, step, by_bytes))
        return max(ends) if step > 0 else min(ends)

    def _followed(self, at: int, step: int, signs: str) -> int:
        """Return the place of the last of ``signs`` that follow in order, with marks of lines and quoting between."""
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
    """Yield the needles of ``value``: its own, in hexadecimal, and in base64 from each of three offsets."""
    utf_8, utf_16 = value.encode("utf-8", "surrogatepass"), value.encode("utf-16-le", "surrogatepass")
    yield _Needle(_letters(value), value)
    yield _Needle(utf_8.hex(), is_hexadecimal=True)
    for content in (utf_8, utf_16):
        for offset, first in enumerate((0, 2, 3)):
            # Without the first and last characters, which share bits with the text before and after.
            encoded = b64encode(bytes(offset) + content).decode()
            end = (offset + len(content)) * 8 // 6
            yield _Needle(_letters(encoded[first:end]))


def _among(needles: list[_Needle], text: str) -> list[_Needle]:
    """Return those of ``needles`` whose letters and digits occur in ``text`` in their order, whatever is between."""
    if not needles:
        return []
    letters = _letters(text)
    folded = letters.lower()
    return [needle for needle in needles if needle.letters in (folded if needle.is_hexadecimal else letters)]


def _letters(text: str) -> str:
    """Return the ASCII letters and digits of ``text`` without its escapes."""
    return _resolved(text).encode("ascii", "ignore").translate(None, _DROPPED).decode("ascii")


def _resolved(text: str) -> str:
    """Return ``text`` without its escapes, of several layers at most."""
    if not any(sign in text for sign in _SIGNS):
        return text  # every escape begins with one of them
    has_new_sign = False

    def meaning(escape: re.Match[str]) -> str:
        nonlocal has_new_sign
        meant = _meaning(escape)
        has_new_sign = has_new_sign or meant in _SIGNS
        return meant

    for _ in range(_MOST_LAYERS):
        has_new_sign = False
        text = _ESCAPE.sub(meaning, text)
        if not has_new_sign:  # only such a sign can begin an escape of another layer
            break
    return text


def _meaning(escape: re.Match[str]) -> str:
    """Return the character that ``escape`` stands for; a space for a line end and the like."""
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
