"""Texts without the additions of their form: line numbers, columns of a hex dump, quoted-printable, lists of bytes.

Each reading has the remaining characters and the place of each in the text, so that findings
in a reading can be removed from the text. A reading is made only where the text has such a form.
"""

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

_NUMBER_OF_A_LINE = re.compile(r"^[ \t>]{0,12}\d{1,7}(?:[ \t]*[|│:→]|\t|-)[ \t]?", re.MULTILINE)
_DUMPED = re.compile(
    r"^[ \t>|]{0,12}(?:0x)?[0-9A-Fa-f]{4,8}:?[ \t]+(?P<bytes>(?:[0-9A-Fa-f]{2}(?:[0-9A-Fa-f]{2})?[ \t]{1,3}){1,16})"
    r"[^\n]{0,40}$",
    re.MULTILINE,
)
_PAIR = re.compile(r"[0-9A-Fa-f]{2}")
_PRINTABLE = re.compile(r"=(?:(?P<byte>[0-9A-F]{2})|[ \t]{0,8}\r?\n)")
_LISTED = re.compile(r"(?:(?<![\w.])(?:0[xX][0-9A-Fa-f]{1,2}|\d{1,3})[ \t\r\n]{0,8},?[ \t\r\n]{0,8}){6,}")
_LISTED_LAST = re.compile(r"(?:(?<![\w.])(?:0[xX][0-9A-Fa-f]{1,2}|\d{1,3})[ \t\r\n]{0,8},?[ \t\r\n]{0,8})+")
_ONE_LISTED = re.compile(r"0[xX](?P<hexadecimal>[0-9A-Fa-f]{1,2})|(?P<decimal>\d{1,3})")
_OCTAL = re.compile(r"\\(?P<octal>[0-3][0-7]{2})")
_WIDE = re.compile("[\uff01-\uff5e]")
_BYTE = 256


class DumpReading(Struct, frozen=True):
    """A text as its dump represents it.

    Attributes:
        text: The represented characters.
        begins, ends: Place of each of them in the original.
        is_hexadecimal: Whether ``text`` spells bytes as pairs of digits.
    """

    text: str
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    is_hexadecimal: bool = False

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of the non-empty ``text[start:end]``."""
        return self.begins[start], self.ends[end - 1]


def readings(text: str) -> Iterator[DumpReading]:
    """The readings of ``text`` that its form allows, without the text as it stands."""
    if _NUMBER_OF_A_LINE.search(text):
        yield _read(text, _NUMBER_OF_A_LINE, lambda _: "")
    if _DUMPED.search(text):
        yield _dumped(text)
    if _PRINTABLE.search(text):
        yield _read(text, _PRINTABLE, lambda match: chr(int(match["byte"], 16)) if match["byte"] else "")
    if _OCTAL.search(text):
        yield _read(text, _OCTAL, lambda match: chr(int(match["octal"], 8)))
    if not text.isascii() and _WIDE.search(text):
        yield _read(text, _WIDE, lambda match: chr(ord(match[0]) - 0xFEE0))
    for listed in _LISTED.finditer(text):
        yield _listed(text, listed)


def last_readings(text: str) -> Iterator[DumpReading]:
    """The readings of ``text`` with the list of bytes that it ends with, however short: more of it may follow."""
    yield from readings(text)
    lists = list(_LISTED_LAST.finditer(text))
    if lists and lists[-1].end() == len(text):
        yield _listed(text, lists[-1])


def _read(text: str, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str]) -> DumpReading:
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    place = 0
    for match in pattern.finditer(text):
        meant = meaning(match)
        pieces += (text[place : match.start()], meant)
        begins += (*range(place, match.start()), *[match.start()] * len(meant))
        ends += (*range(place + 1, match.start() + 1), *[match.end()] * len(meant))
        place = match.end()
    pieces.append(text[place:])
    begins += range(place, len(text))
    ends += range(place + 1, len(text) + 1)
    return DumpReading("".join(pieces), tuple(begins), tuple(ends))


def _dumped(text: str) -> DumpReading:
    """The bytes of a dump, as pairs of hexadecimal digits; each ends where its line does, which repeats it as text."""
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    for line in _DUMPED.finditer(text):
        for pair in _PAIR.finditer(text, *line.span("bytes")):
            pieces.append(pair[0])
            begins += (pair.start(), pair.start())
            ends += (line.end(), line.end())
    return DumpReading("".join(pieces), tuple(begins), tuple(ends), is_hexadecimal=True)


def _listed(text: str, listed: re.Match[str]) -> DumpReading:
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    for one in _ONE_LISTED.finditer(text, *listed.span()):
        code = int(one["hexadecimal"], 16) if one["hexadecimal"] else int(one["decimal"])
        if code < _BYTE:
            pieces.append(chr(code))
            begins.append(one.start())
            ends.append(one.end())
    return DumpReading("".join(pieces), tuple(begins), tuple(ends))
