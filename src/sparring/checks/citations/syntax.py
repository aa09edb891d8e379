"""What a Markdown text cites: which places in a working tree it names, and what it quotes beside them.

Knows how citations are written, and nothing of files. Every pattern here is linear in the text.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.text.fences import lines

_QUOTE_GAP = 12
"""Most characters between a quotation and the citation after it, as in "`words` (see `path:3`)"."""

_JOINING = re.compile(r"[^:;.!?]*")

_SENTENCE_REACH = 400
"""Most characters on either side that are read as the sentence around a citation."""

_SUFFIXES = (
    "adoc|bash|bat|c|cc|cfg|cjs|clj|cmake|conf|cpp|cs|css|csv|cts|cxx|dart|env|erl|ex|exs|fish|go|gradle|graphql|h|hpp|"
    "hs|html|ini|ipynb|java|jl|js|json|jsonl|jsx|kt|kts|less|lock|lua|md|mdx|mjs|ml|mts|nix|php|pl|po|properties|proto|"
    "ps1|py|pyi|r|rb|rs|rst|sass|scala|scss|sh|sql|svelte|svg|swift|tf|toml|ts|tsx|txt|vim|vue|xml|yaml|yml|zig|zsh"
)
_NAMED_FILES = (
    "AUTHORS|CHANGELOG|CODEOWNERS|CONTRIBUTING|COPYING|Dockerfile|Gemfile|Justfile|LICENSE|Makefile|NOTICE|Procfile|"
    "Rakefile|README|TODO|VERSION"
)
_LINES = (
    r"(?::L?|\#L)(?P<line>\d{1,7})(?:C\d{1,5}|:\d{1,5})?(?:[-–—]L?(?P<end>\d{1,7})(?:C\d{1,5})?)?"
    r"(?P<more>(?:,\d[\d-]{0,15})*)"
)
_PART = r"[^/\s:`\"'()\[\]<>{}|,;*?$=“”‘’]"
_PLAIN = re.compile(
    r"(?<![^\s(\[{\"'“‘*,;>|=])"
    rf"(?P<path>(?:{_PART}+/|/)*(?:{_PART}+\.(?:{_SUFFIXES})|(?:{_NAMED_FILES})(?=:\d)))(?!_?[^\W_]|/|\.\w)(?:{_LINES})?(?!_?[^\W_])"
)
"""Outside code spans a path ends at white space and needs a suffix that files have."""

_SPAN = re.compile(
    rf"(?P<path>(?:[^\s:`*?<>{{}}$|]*[/\\])?(?:[^\s/\\:`*?<>{{}}$|]+\.(?:{_SUFFIXES})|{_NAMED_FILES}))(?:{_LINES})?"
)
_SPAN_WITH_LINE = re.compile(
    rf"(?P<path>(?:[^`*?<>{{}}$|]*/[^`*?<>{{}}$|/]*[^\s`*?<>{{}}$|/]|[^/:`*?<>{{}}$|]+\.(?:{_SUFFIXES})|"
    rf"(?i:{_NAMED_FILES}))){_LINES}"
)
"""Inside a code span, with a line number, a path may hold spaces, and below a folder it needs no suffix."""

_BACKTICKS = re.compile(r"`+")
_QUOTED = re.compile(r"“([^“”\n]{2,400})”|\"([^\"\n]{2,400})\"")
_LINES_BEHIND = re.compile(
    r"`?(?:,? \(?|,? (?:on|at|around|near|see) )lines? (?P<line>\d{1,7})"
    r"(?: ?(?:-|–|—|to|through|and) ?(?P<end>\d{1,7}))?"
)
_LINES_BEFORE = re.compile(
    r"\blines? (?P<line>\d{1,7})(?: ?(?:-|–|—|to|through|and) ?(?P<end>\d{1,7}))? (?:of|in) (?:the file )?[`\"“(]?\Z",
    re.IGNORECASE,
)
_LINES_REACH = 50
"""Most characters before a path that are read for "lines 3 to 9 of the file"."""

_SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)[.!?][)\"”*_]*\s")


@dataclass(frozen=True)
class Citation:
    """A place in a working tree that a text names.

    Attributes:
        text: The citation as written, ``text[start:end]`` of what was searched, without its backticks.
        line: First line cited, None for the file as a whole.
        end_line: Last line cited; equals ``line`` when there is one.
        quoted: Words that the text quotes beside the citation, if any.
    """

    text: str
    path: str
    line: int | None
    end_line: int | None
    quoted: str | None
    start: int
    end: int


@dataclass(frozen=True)
class Mention:
    """A citation where it stands.

    Attributes:
        sentence: The words around it, within its line.
        is_quoted_speech: It stands in a block quotation, so it is somebody else's.
    """

    citation: Citation
    sentence: str
    is_quoted_speech: bool


@dataclass(frozen=True)
class Stretch:
    """A part of one line: where it stands, and the words it holds."""

    start: int
    end: int
    words: str


def mentions(text: str) -> Iterator[Mention]:
    """Every citation of ``text``, in order. Fenced blocks are samples, not citations, and are passed over."""
    for start, line in prose_lines(text):
        yield from mentions_in(line, start)


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of ``text`` outside fenced blocks, each with where it begins."""
    return ((line.start, line.words) for line in lines(text) if not line.is_fenced)


def mentions_in(line: str, offset: int) -> Iterator[Mention]:
    """Every citation of one line outside fenced blocks, which begins at ``offset`` of its text."""
    spans = code_spans(line)
    is_quoted_speech = line.lstrip().startswith(">")
    inside = [(span, match) for span in spans if (match := _cited_in_span(span.words))]
    masked = without_code(line, spans)
    found = [(_stretch(match, masked), match) for match in _PLAIN.finditer(masked)]
    cited = sorted(inside + found, key=lambda pair: pair[0].start)
    places = [stretch for stretch, _ in cited]
    taken = {stretch.start for stretch in places}
    quotes = [span for span in spans if span.start not in taken] + [
        Stretch(match.start(), match.end(), match[1] or match[2]) for match in _QUOTED.finditer(masked)
    ]
    quotes.sort(key=lambda quote: quote.start)
    for position, (stretch, match) in enumerate(cited):
        first, last = _lines(match, line, stretch)
        words, path = match[0], match["path"]
        if stretch.words != words and words.endswith(stretch.words):
            words, path = stretch.words, path[1:]
        start = offset + stretch.start + line[stretch.start : stretch.end].index(words)
        quoted = _quote_beside(position, places, quotes, line)
        citation = Citation(words, path, first, last, quoted, start, start + len(words))
        yield Mention(citation, sentence_around(line, citation.start - offset, citation.end - offset), is_quoted_speech)


def code_spans(line: str) -> list[Stretch]:
    """The code spans of one line: a run of backticks up to the next run of the same length (CommonMark 6.1)."""
    runs = list(_BACKTICKS.finditer(line))
    closing: dict[int, int] = {}
    partner: dict[int, int] = {}
    for position in range(len(runs) - 1, -1, -1):
        length = len(runs[position][0])
        if length in closing:
            partner[position] = closing[length]
        closing[length] = position
    spans: list[Stretch] = []
    position = 0
    while position < len(runs):
        if position not in partner:
            position += 1
            continue
        opening, end = runs[position], runs[partner[position]]
        words = line[opening.end() : end.start()]
        padded = words.startswith(" ") and words.endswith(" ") and words.strip()
        spans.append(Stretch(opening.start(), end.end(), words[1:-1] if padded else words))
        position = partner[position] + 1
    return spans


def _stretch(match: re.Match[str], line: str) -> Stretch:
    """Where a path outside of code spans stands, without the mark of an emphasis around it."""
    is_emphasis = match[0].startswith("_") and line.startswith("_", match.end())
    return Stretch(match.start() + is_emphasis, match.end(), match[0][is_emphasis:])


def _lines(match: re.Match[str], line: str, stretch: Stretch) -> tuple[int | None, int | None]:
    """The lines cited: with the path, or in words beside it ("line 3 of", "(lines 3 to 9)")."""
    found: re.Match[str] | None = match
    if not match["line"]:
        before = line[max(stretch.start - _LINES_REACH, 0) : stretch.start]
        found = _LINES_BEHIND.match(line, stretch.end) or _LINES_BEFORE.search(before)
    if found is None:
        return None, None
    first = int(found["line"])
    last = int(found["end"]) if found["end"] else first
    further = match["more"] if match["line"] else ""  # as in ":3-9,17"
    return first, max(last, *(int(number) for number in re.findall(r"\d+", further))) if further else last


def _cited_in_span(words: str) -> re.Match[str] | None:
    if match := _SPAN.fullmatch(words):
        return match
    match = _SPAN_WITH_LINE.fullmatch(words)
    return match if match and "//" not in match["path"] else None


def without_code(line: str, spans: list[Stretch]) -> str:
    """``line`` with its code spans blanked out, every character in its place."""
    pieces: list[str] = []
    end = 0
    for span in spans:
        pieces += (line[end : span.start], "`" * (span.end - span.start))
        end = span.end
    return "".join((*pieces, line[end:]))


def _quote_beside(position: int, places: list[Stretch], quotes: list[Stretch], line: str) -> str | None:
    """The quotation that belongs to the citation at ``position``: after it in its sentence, else right before it."""
    place = places[position]
    following = places[position + 1].start if position + 1 < len(places) else len(line)
    preceding = places[position - 1].end if position else 0
    after = bisect_left(quotes, place.end, key=lambda quote: quote.start)
    if after < len(quotes) and quotes[after].start < following:
        gap = line[place.end : quotes[after].start]
        return None if _SENTENCE_END.search(gap) else quotes[after].words
    if after and preceding <= quotes[after - 1].start and quotes[after - 1].end <= place.start:
        gap = line[quotes[after - 1].end : place.start]
        return quotes[after - 1].words if len(gap) <= _QUOTE_GAP and _JOINING.fullmatch(gap) else None
    return None


def sentence_around(line: str, start: int, end: int) -> str:
    """The sentence of ``line`` in which ``line[start:end]`` stands, as far as it is in reach."""
    before = line[max(start - _SENTENCE_REACH, 0) : start]
    after = line[start : end + _SENTENCE_REACH]
    opening = max((match.end() for match in _SENTENCE_END.finditer(before)), default=0)
    closing = _SENTENCE_END.search(after, end - start)
    return before[opening:] + after[: closing.end() if closing else len(after)]
