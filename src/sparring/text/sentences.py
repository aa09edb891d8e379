"""Where the sentences of a paragraph stand.

A sentence ends with ``.``, ``!``, ``?`` or an ellipsis before white space, unless what follows begins in small letters
or the full stop belongs to an abbreviation or an initial; in scripts without spaces with their own full stop. In doubt
two sentences stay one: that only gives more words to compare by.
"""

import re
from collections.abc import Iterator

LONGEST = 2_000
"""Characters; what goes on longer without an end (a list, a log) is cut at white space."""

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*(?=\s)|[。！？][」』”’]*")
_WORD_BEFORE = re.compile(r"(?:^|(?<=[\s(\[\"'“‘«]))[^\W\d_][\w.]*\Z")
_REACH = 16
_FOLLOWING = re.compile(r"\s*[\"'“‘«(\[]*(\S)")
_ABBREVIATION = re.compile(
    r"""
    mr | mrs | ms | dr | prof | st | sr | jr | rev | gen | col | lt | capt | sgt | gov | sen | rep | pres | hon | vs |
    no | nos | vol | vols | fig | figs | eq | ch | sec | pp | art | ed | eds | approx | ca | cf | al | inc | ltd | co |
    corp | dept | est | jan | feb | mar | apr | jun | jul | aug | sep | sept | oct | nov | dec | tp | ts | gs | pgs |
    ths | bs | ks
    """,
    re.VERBOSE | re.IGNORECASE,
)


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the sentences of the paragraph ``text[start:end]`` stand; without those that hold no letter or digit."""
    begin = start
    for stop in (*_stops(text, start, end), end):
        while stop - begin > LONGEST:
            cut = max(text.rfind(space, begin + 1, begin + LONGEST) for space in " \n\t")
            cut = cut if cut > begin else begin + LONGEST
            yield from _trimmed(text, begin, cut)
            begin = cut
        yield from _trimmed(text, begin, stop)
        begin = stop


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    for match in _END.finditer(text, start, end):
        following = _FOLLOWING.match(text, match.end(), end)
        if following and not following[1].islower() and not _is_abbreviated(text, start, match):
            yield match.end()


def _is_abbreviated(text: str, start: int, end: re.Match[str]) -> bool:
    if end[0] != ".":
        return False
    found = _WORD_BEFORE.search(text[max(start, end.start() - _REACH) : end.start()])
    word = found[0] if found else ""
    is_initial = len(word) == 1 and word.isupper()
    return is_initial or "." in word or bool(_ABBREVIATION.fullmatch(word))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if any(character.isalnum() for character in piece):
        yield start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
