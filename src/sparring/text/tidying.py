"""Text from outside made harmless for one error line or for a terminal. Knows nothing about secrets or meaning."""

import re

_ESCAPE_SEQUENCE = re.compile(
    r"""
      (?: \x1b\[ | \x9b ) [0-?]*+ [ -/]*+ [@-~]             # CSI: colours, cursor, modes
    | (?: \x1b[]PX^_] | [\x90\x98\x9d-\x9f] )               # OSC, DCS, SOS, PM, APC: titles, links, clipboard ...
      [^\x07\x1b\x9c\n]*+ (?: \x07 | \x1b\\ | \x9c )        # ... which must be closed in their line to hide anything
    | \x1b [ -/]*+ [0-~]                                    # two-character and charset sequences
    """,
    re.VERBOSE,
)
_LINE_END = re.compile(r"\r\n?")
_ACTING_CHARACTER = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and line feed, DEL, C1
    "\u202a-\u202e\u2066-\u2069"  # bidirectional overrides and isolates: they show another order than is stored
    "\ud800-\udfff]"  # lone surrogates, which JSON may escape and no output encoding accepts
)


def for_terminal(text: str) -> str:
    """``text`` without anything that acts on a terminal; newlines and tabs stay, every line end becomes a newline."""
    return _ACTING_CHARACTER.sub("", _LINE_END.sub("\n", _ESCAPE_SEQUENCE.sub("", text)))


def one_line(text: str, limit: int) -> str:
    """``text`` as one line of at most ``limit`` characters, cut with an ellipsis; empty if nothing visible is left.

    Secrets must be taken out before: a cut one is no longer recognised.
    """
    line = " ".join(for_terminal(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def capital(sentence: str) -> str:
    """``sentence`` as it begins one; nothing else in it changes."""
    return sentence[:1].upper() + sentence[1:]


def is_encodable(text: str) -> bool:
    """Whether ``text`` holds no half of a surrogate pair, which JSON may escape and no encoding accepts."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
