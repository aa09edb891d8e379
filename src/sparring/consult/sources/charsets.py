"""From the bytes of a page to its characters, whatever it says about them.

Only character sets that pages really use are known: some of Python's codecs are slow, unpack things or are no text.
"""

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

# By the name that Python gives them. Those with a wider sibling are read as that, as browsers do.
_READ_AS = {
    "utf-8": "utf-8",
    "utf-16": "utf-16-le",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "shift_jis": "cp932",
    "cp932": "cp932",
    "euc_kr": "cp949",
    "cp949": "cp949",
    "tis-620": "cp874",
    **{
        name: name
        for name in (
            *("big5", "big5hkscs", "euc_jp", "iso2022_jp", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "cp866"),
            *(f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
            *("cp874", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
        )
    },
}
_NOT_LIKE_ASCII = frozenset({"utf-16-le", "utf-16-be", "iso2022_jp"})
"""A text in one of these may be valid UTF-8 and mean something else."""

_NAME = re.compile(r"[A-Za-z0-9_:.-]{1,40}")
_BEGINNING = 4096
"""Bytes in which a page may name its own character set; browsers look at the first 1024."""

_OWN_NAME = re.compile(
    rb"""<meta\b[^<>]{0,300}?\bcharset\s*=\s*["']?\s*([\w:.-]{1,40})|<\?xml\b[^<>]{0,100}?\bencoding\s*=\s*["']([\w:.-]{1,40})""",
    re.IGNORECASE,
)


def decode(body: bytes, said: str, *, is_markup: bool) -> str:
    """The characters of ``body``; bytes that are none are replaced.

    ``said`` is the name of its character set in the header. What begins with a byte order mark is what that says, and
    what is valid UTF-8 is that: servers and pages are wrong about it far more often than it is so by accident.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    named = _read_as(said) or (_own(body) if is_markup else None) or "utf-8"
    if named not in _NOT_LIKE_ASCII:
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return body.decode(named, "replace")


def _own(body: bytes) -> str | None:
    """What the page says of itself. It was readable so far, so it is not UTF-16, which some say all the same."""
    found = _OWN_NAME.search(body[:_BEGINNING])
    named = _read_as((found[1] or found[2]).decode("ascii", "replace")) if found else None
    return "utf-8" if named in {"utf-16-le", "utf-16-be"} else named


def _read_as(name: str) -> str | None:
    if not _NAME.fullmatch(name):
        return None
    try:
        return _READ_AS.get(codecs.lookup(name).name)
    except LookupError:
        return None
