"""Foreign text made harmless for an error line, a terminal or a reader; and corrections of mistyped names.

It knows nothing about secrets or meaning. The journal keeps the text of a model unchanged; this is for display.
"""

import re
import unicodedata
from collections.abc import Iterable
from itertools import islice

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
    """Return ``text`` without anything that acts on a terminal; newlines and tabs stay, line ends become newlines."""
    text = _ESCAPE_SEQUENCE.sub("", text)
    text = _LINE_END.sub("\n", text)
    return _ACTING_CHARACTER.sub("", text)


_ACTING_IN_JSON = re.compile(
    b"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]"  # DEL, C1, marks of direction
)


def json_for_terminal(content: bytes) -> bytes:
    """Return ``content``, JSON in UTF-8, with characters that act on a terminal as escapes: the value is the same."""
    return _ACTING_IN_JSON.sub(lambda match: b"\\u%04x" % ord(match[0].decode()), content)


_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
"""Runs of invisible characters: tags, joiners, selectors, zero-width spaces. Models read them."""

_FLAG, _COUNTRIES = "\U0001f3f4", ("gbeng", "gbsct", "gbwls")
_FLAG_TAILS = frozenset(
    "".join(chr(0xE0000 + ord(letter)) for letter in country) + "\U000e007f" for country in _COUNTRIES
)
_JOINER, _NON_JOINER, _SOFT_HYPHEN, _NO_WIDTH = "\u200d", "\u200c", "\u00ad", "\u200b"
_DIRECTIONS = "\u061c\u200e\u200f"
_JOINING = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff\ua800-\uabff\ufb50-\ufefc]"
)
"""Arabic and its like, the scripts of India, Burmese, Khmer, Mongolian: how letters join is spelling there."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Scripts without spaces, in which a zero-width space marks a possible end of a line."""

_SELECTOR = re.compile("[\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SELECTED = ("So", "Sm", "Sk", "Po", "Nd", "Lo")
"""Categories of characters that a variation selector changes: emoji, keycaps, mathematical signs, ideographs."""


def visible(text: str) -> str:
    """Return ``text`` without invisible characters that models read; those that a script or an emoji needs stay."""
    return text if text.isascii() else _UNSEEN.sub(_needed, text)


_BLANK = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters and symbols that leave no mark."""


def is_blank(text: str) -> bool:
    """Return whether nothing of ``text`` can be seen: no letter, digit or sign."""
    shown = for_terminal(text)
    if shown.isascii():
        return not shown.strip()
    return all(sign in _BLANK or unicodedata.category(sign)[0] in "CZM" for sign in shown)


def escape_invisible(text: str) -> str:
    """Return ``text`` with each invisible character replaced by its number, such as ``<U+200B>``.

    Those that a script or an emoji needs stay.
    """
    if text.isascii():
        return text

    def shown(run: re.Match[str]) -> str:
        is_spelling = _needed(run) == run[0]
        return run[0] if is_spelling else numbered(run[0])

    return _UNSEEN.sub(shown, text)


def numbered(characters: str) -> str:
    """Return the number of each character in its place, such as ``<U+200B>``."""
    return "".join(f"<U+{ord(character):04X}>" for character in characters)


def _needed(run: re.Match[str]) -> str:
    """Return the unseen characters of a run that belong to the spelling of the text around it."""
    unseen, text = run[0], run.string
    before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
    if unseen in _FLAG_TAILS and before == _FLAG:
        return unseen
    if len(unseen) == 2 and unseen[1] == _JOINER and _is_selector(unseen[0]):  # as in a heart on fire
        is_spelling = _is_emoji(before) and _is_emoji(after)
    else:
        is_spelling = len(unseen) == 1 and _is_spelling(unseen, before, after)
    return unseen if is_spelling else ""


def _is_spelling(unseen: str, before: str, after: str) -> bool:
    if unseen == _JOINER and _is_emoji(before):
        return _is_emoji(after)
    if unseen in (_JOINER, _NON_JOINER):
        return bool(_JOINING.match(before))
    if unseen == _NO_WIDTH:
        return bool(_UNSPACED.match(before) and _UNSPACED.match(after))
    if unseen == _SOFT_HYPHEN:
        return before.isalpha() and after.isalpha()
    if _is_selector(unseen):
        return bool(before) and unicodedata.category(before) in _SELECTED
    return unseen in _DIRECTIONS


def _is_selector(character: str) -> bool:
    return _SELECTOR.match(character) is not None


def _is_emoji(character: str) -> bool:
    return bool(character) and (unicodedata.category(character) == "So" or "\U0001f3fb" <= character <= "\U0001f3ff")


def clean(text: str) -> str:
    """Return ``text`` for a model to read: without characters that act on a terminal, and without invisible ones.

    This is the one cleaning of everything that goes into a prompt: questions, material, exhibits and names of files.
    It removes colours of a pasted log, tags, overrides of direction and spaces without width. It comes before the
    search for secrets, because one with such a character in it would not be found. A form feed ends a line.
    """
    return visible(for_terminal(_PAGE_BREAK.sub("\n", text)))


_PAGE_BREAK = re.compile("[\x0b\x0c]")
_WITHIN_LINE = re.compile("[\x0b\x0c\r]")


def clean_lines(text: str) -> str:
    """Return ``text`` cleaned line by line, so that each line keeps its number."""
    cleaned = list[str]()
    for line in text.split("\n"):
        if line.isascii() and line.isprintable():
            cleaned.append(line)
        else:
            cleaned.append(clean(_WITHIN_LINE.sub(" ", line.removesuffix("\r"))))
    return "\n".join(cleaned)


def one_line(text: str, limit: int) -> str:
    """Return ``text`` as one line of at most ``limit`` characters, cut with an ellipsis; empty if nothing is visible.

    Secrets must be removed before: a cut one is no longer recognised.
    """
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


_LONGEST_TORN = 24
"""Characters of a word that are left out of an excerpt rather than shown torn."""


def at_words(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return the part of ``begin`` to ``end`` that begins and ends with whole words, for an excerpt.

    A word that is longer than others (code, a script without spaces) is torn.
    """
    begin, end = max(0, begin), min(len(text), end)
    if begin and _is_within_word(text, begin):
        for place in range(begin, min(end, begin + _LONGEST_TORN)):
            if text[place].isspace():
                begin = place + 1
                break
    if end < len(text) and _is_within_word(text, end):
        for place in range(end - 1, max(begin, end - _LONGEST_TORN), -1):
            if text[place].isspace():
                end = place
                break
    return begin, end


def _is_within_word(text: str, place: int) -> bool:
    """Return whether neither the character before ``place`` nor the one there is white space."""
    both = text[place - 1 : place + 1]
    return both.strip() == both


def capitalized(sentence: str) -> str:
    """Return ``sentence`` with a capital letter; nothing else in it changes."""
    return sentence[:1].upper() + sentence[1:]


NOT_UTF_8 = "Convert it first, e.g. with `iconv -f latin1 -t utf-8`."
"""Hint about a text in another encoding."""


def is_encodable(text: str) -> bool:
    """Return whether ``text`` holds no half of a surrogate pair, which JSON may escape and no encoding accepts."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_MOST_KNOWN = 500
"""Most names that are compared; more would take too long for an error message."""

_LONGEST_WORD_COMPARED = 80


def setting_name(typed: str) -> str:
    """Return the name of an option or a setting as ``config.toml`` has it; ``typed`` may be spelled as a flag."""
    return typed.strip().removeprefix("--").replace("-", "_")


_SETTING_SHOWN = 60
"""Characters of a wrong name that are repeated."""


def no_setting(name: str, known: Iterable[str]) -> str:
    """Return the sentence that refuses ``name``, with the closest of the ``known`` names."""
    return f"There is no setting {one_line(repr(name), _SETTING_SHOWN)}.{did_you_mean(setting_name(name), known)}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question to follow a sentence, with a space before it; empty where no name in ``known`` is like it."""
    from difflib import get_close_matches  # noqa: PLC0415 -- only an error needs it

    names = {name.lower(): name for name in islice(known, _MOST_KNOWN)}
    close = get_close_matches(word[:_LONGEST_WORD_COMPARED].lower(), names, n=2, cutoff=0.7)
    if not close:
        return ""
    return f" Did you mean {' or '.join(names[name] for name in close)}?"
