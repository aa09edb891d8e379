r"""Lines of a file for display: everything that a program would read is visible.

A control character is shown as its picture (U+2400 and following), a byte that is no UTF-8 as ``\xNN``, and a character
that is invisible or turns the direction of writing by its number, such as ``<U+202E>``. Line ends are not shown where
all lines end alike; otherwise, a carriage return at the end of a line is a picture as well.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from sparring.text.tidying import escape_invisible, numbered

_HIDDEN = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_TURNING = re.compile(r"[\x80-\x9f\u202a-\u202e\u2066-\u2069]")
_FIRST_PICTURE = 0x2400
_DELETE, _DELETE_PICTURE = "\x7f", "\u2421"
_UNDECODABLE = 0xDC00
"""The number that ``surrogateescape`` adds to a byte."""

_RETURN = "\r"
_MOST_HIDDEN, _HIDDEN_SHARE = 8, 0.05
"""Characters that are shown as pictures or bytes, and their share, up to which a file counts as text."""


def shown_line(line: str) -> str:
    """Return ``line``, decoded with ``surrogateescape``, without anything that cannot be seen or stored."""
    shown = _HIDDEN.sub(_picture, line)
    return shown if shown.isascii() else escape_invisible(_TURNING.sub(lambda match: numbered(match[0]), shown))


def _picture(match: re.Match[str]) -> str:
    number = ord(match[0])
    if number >= _UNDECODABLE:
        return f"\\x{number - _UNDECODABLE:02x}"
    return _DELETE_PICTURE if match[0] == _DELETE else chr(_FIRST_PICTURE + number)


def shown_lines(lines: Sequence[str], unended: Collection[int] = ()) -> tuple[str, ...]:
    """Return ``lines``, each without its line feed, as they are shown; those at the places ``unended`` have no end."""
    if all(line.endswith(_RETURN) or place in unended for place, line in enumerate(lines)):
        lines = [line.removesuffix(_RETURN) for line in lines]
    return tuple(map(shown_line, lines))


def file_lines(content: bytes) -> tuple[str, ...]:
    """Return the lines of a file as they are shown. A line feed ends a line, as for git, and nothing else does."""
    text = content.decode("utf-8", errors="surrogateescape")
    lines = text.removesuffix("\n").split("\n") if text else []
    return shown_lines(lines, () if text.endswith("\n") else (len(lines) - 1,))


def is_text(lines: Iterable[str]) -> bool:
    """Return whether ``lines``, as they were read, are those of a text: hardly anything in them has to be a picture.

    A NUL in a comment makes no binary file: shells, JavaScript and C run such a file.
    """
    hidden = total = 0
    for line in lines:
        hidden += len(_HIDDEN.findall(line.removesuffix(_RETURN)))
        total += len(line) + 1
    return hidden <= max(_MOST_HIDDEN, _HIDDEN_SHARE * total)


def enclosing(lines: Sequence[str], place: int) -> tuple[str, ...]:
    """Return the lines above ``lines[place]`` that enclose it by their indentation, the outermost first, indented.

    Blank lines and comments enclose nothing. Looks at most ``_LOOKED_UP`` lines up.
    """
    depth = next((_depth(line) for line in lines[place : place + _LOOKED_UP] if line.strip()), 0)
    lines_around = list[str]()
    for line in reversed(lines[max(place - _LOOKED_UP, 0) : place]):
        if depth == 0 or len(lines_around) == _MOST_ENCLOSING:
            break
        if is_code(line) and _depth(line) < depth:
            depth = _depth(line)
            lines_around.append(line.rstrip()[:_LONGEST_ENCLOSING])
    return tuple(reversed(lines_around))


_LOOKED_UP = 4_000
_MOST_ENCLOSING, _LONGEST_ENCLOSING = 8, 200
_COMMENT = re.compile(r"\s*(?:#(?!include|define|if|el|endif)|//|/\*|\*[ /]|\*$|--[ -]|<!--|;|%|\"\"\"|''')")
"""The beginnings of comments in common languages. One that is missing here makes a finding look new, never known."""


def is_code(line: str) -> bool:
    """Return whether ``line`` is neither blank nor a comment alone."""
    return bool(line.strip()) and _COMMENT.match(line) is None


def _depth(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
