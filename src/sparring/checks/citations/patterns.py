"""Check code that a text quotes in backticks, such as ``await group.start(...)``: does any file hold it?

White space may differ and an ellipsis leaves something out, as with quotations. Code is *not found* only if it looks
like code and nothing else; prose in backticks, commands, flags and values are no citations.
"""

import re

from sparring.checks.citations.definitions import Source
from sparring.checks.citations.finding import Finding, not_found, unchecked, verified
from sparring.checks.citations.lookup import MOST_CANDIDATES, Lookup
from sparring.checks.citations.places import occurs

_WORD = re.compile(r"[^\W\d]\w*")
_ELLIPSIS = re.compile(r"…|\.{3}")
_CODE = re.compile(
    r"\w[(\[]|=|;|@\w|->|::|"
    r"^(?:await|async|return|raise|yield|import|from|def|class|except|with|assert|lambda|del|global|const|let|var|fn|"
    r"func|function|new|throw|export|public|private|static)\s+\S"
)
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\(")
_MOST_WORDS = 40


def words_of(code: str) -> tuple[str, ...]:
    """The names that a file must hold if it holds this code."""
    return tuple(dict.fromkeys(_WORD.findall(_ELLIPSIS.sub(" … ", code))))[:_MOST_WORDS]


def pattern_finding(code: str, lookup: Lookup) -> Finding | None:
    """What the working tree says about code; None if it is none, and stands nowhere."""
    words = words_of(code)
    if not words:
        return None
    for path in lookup.candidates(*words):
        source = lookup.source(path)
        if source and holds(source, code):
            return verified(f"it stands in {path}")
    return _standing_nowhere(code, words, lookup) if looks_like_code(code) else None


def _standing_nowhere(code: str, words: tuple[str, ...], lookup: Lookup) -> Finding:
    if not lookup.is_complete:
        return unchecked("not every file of the project was searched")
    called = _CALLED.match(code)
    if called and all(lookup.holding(part) for part in called[1].split(".") if part):
        return unchecked(f"{called[1]} is there, but no file holds the code as it is written here")
    if len(lookup.holding(*words)) > MOST_CANDIDATES:
        return unchecked("its words stand in more files than were searched for the code")
    return not_found("no file of the project holds that code")


def looks_like_code(words: str) -> bool:
    """Whether something in backticks can only be code."""
    return bool(_CODE.search(words))


def holds(source: Source, code: str) -> bool:
    """Whether a file holds the code, not as a part of longer names."""
    if occurs(code, source.text):
        edges = _edges(code)
        return edges is None or edges.search(source.text) is not None
    return False


def _edges(code: str) -> re.Pattern[str] | None:
    """Finds code of one part where it is not a piece of longer names."""
    if _ELLIPSIS.search(code):
        return None
    words = r"\s+".join(re.escape(word) for word in code.split())
    left = r"(?<!\w)" if code.lstrip()[:1].isidentifier() else ""
    right = r"(?!\w)" if code.rstrip()[-1:].isidentifier() or code.rstrip()[-1:].isdigit() else ""
    return re.compile(f"{left}{words}{right}")
