"""Whether a piece of folded text ends where words end: half a word, or half a number, is no quote."""

import re
import unicodedata

_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that put no spaces between words."""

_NEGATING_PREFIX = re.compile(r"(?<!\w)(?:non|anti|un|not)-$", re.IGNORECASE)
_NEGATING_PREFIX_REACH = 6


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether nothing that changes the meaning is cut off at either end of ``text[start:end]``."""
    return _begins(text, start) and _ends(text, end)


def _begins(text: str, start: int) -> bool:
    if start == 0:
        return True
    before, first = text[start - 1], text[start]
    if _joined(before, first):
        return False
    if first.isdigit() and before in ".," and start > 1 and text[start - 2].isdigit():
        return False
    return not _NEGATING_PREFIX.search(text[max(0, start - _NEGATING_PREFIX_REACH) : start])


def _ends(text: str, end: int) -> bool:
    if end == len(text):
        return True
    last, after = text[end - 1], text[end]
    if _joined(last, after):
        return False
    if last.isdigit() and after in ".," and text[end + 1 : end + 2].isdigit():
        return False
    return not (last in "nN" and text[end : end + 2].lower() == "'t")


def _joined(one: str, other: str) -> bool:
    in_a_word = (one.isalnum() or _is_mark(one)) and (other.isalnum() or _is_mark(other))
    return in_a_word and (_is_mark(other) or not (_UNSPACED.match(one) or _UNSPACED.match(other)))


def _is_mark(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character).startswith("M")
