"""What a Markdown text cites, as it is written: places, quotes beside them, addresses, figures; and what cites nothing.

Knows how citations are written, and nothing of files. Every pattern here is linear in the text. An address reaches as
far as it goes, and not a character further. What a measured number is, and what a claim, stands in ``docs/checks.md``.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.checks.folding import UNSPACED
from sparring.schema.lookups import TextSpan
from sparring.text.prose import lines, sentences

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
LINES_CITED = (
    r"(?::L?|\#L)(?P<line>\d{1,7})(?:C\d{1,5}|:\d{1,5})?(?:[-–—]L?(?P<end>\d{1,7})(?:C\d{1,5})?)?"
    r"(?P<more>(?:,\d[\d-]{0,15})*)"
)
_WORDS = UNSPACED.pattern
_PART = rf"(?!{_WORDS})[^/\s:`\"'()\[\]<>{{}}|,;*?$=“”‘’\u3000-\u303f\uff00-\uff1f]"
_GOES_ON = rf"_?(?!{_WORDS})[^\W_]"
_PLAIN = re.compile(
    rf"(?:(?<![^\s(\[{{\"'“‘*,;>|=\u3000-\u303f\uff00-\uff1f])|(?<={_WORDS})(?=\w))"
    rf"(?P<path>(?:(?:{_PART})+/|/)*(?:(?:{_PART})+\.(?:{_SUFFIXES})|(?:{_NAMED_FILES})(?=:\d)))"
    rf"(?!{_GOES_ON}|/|\.\w)(?:{LINES_CITED})?(?!{_GOES_ON})"
)
"""Outside code spans a path ends at white space or a script without it, and needs a suffix that files have."""

_SPAN = re.compile(
    rf"(?P<path>(?:[^\s:`*?<>{{}}$|]*[/\\])?(?:[^\s/\\:`*?<>{{}}$|]+\.(?:{_SUFFIXES})|{_NAMED_FILES}))(?:{LINES_CITED})?"
)
_SPAN_WITH_LINE = re.compile(
    rf"(?P<path>(?:[^`*?<>{{}}$|]*/[^`*?<>{{}}$|/]*[^\s`*?<>{{}}$|/]|[^/:`*?<>{{}}$|]+\.(?:{_SUFFIXES})|"
    rf"(?i:{_NAMED_FILES}))){LINES_CITED}"
)
"""Inside a code span, with a line number, a path may hold spaces, and below a folder it needs no suffix."""

_NAME = r"[A-Za-z_]\w*"
IN_FILE = re.compile(rf"(?P<path>[^\s:`*?<>{{}}$|]+\.\w+):{{1,2}}(?P<name>{_NAME}(?:(?:::|\.){_NAME})*)(?P<call>\(\))?")
"""``tests/test_a.py::test_b``, ``src/a.py:Class.method``."""

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


def mentions_in(line: str, offset: int, shown: re.Pattern[str] | None = None) -> Iterator[Mention]:
    """Every citation of one line outside fenced blocks, which begins at ``offset`` of its text.

    ``shown`` is how exhibits are cited, where there are some.
    """
    spans = code_spans(line)
    is_quoted_speech = line.lstrip().startswith(">")
    inside = [(span, match) for span in spans if (match := _cited_in_span(span.words, shown))]
    masked = without_code(line, spans)
    patterns = (_PLAIN, shown) if shown else (_PLAIN,)
    found = [(_stretch(match, masked), match) for pattern in patterns for match in pattern.finditer(masked)]
    cited = sorted(inside + found, key=lambda pair: pair[0].start)
    places = [stretch for stretch, _ in cited]
    taken = {stretch.start for stretch in places}
    quotes = [span for span in spans if span.start not in taken and not IN_FILE.fullmatch(span.words)] + [
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
    first, last = int(found["line"]), int(found["end"] or found["line"])
    further = [int(number) for number in re.findall(r"\d+", match["more"])] if match["line"] else []  # as in ":3-9,17"
    return min((first, *further)), max((last, *further))


def _cited_in_span(words: str, shown: re.Pattern[str] | None) -> re.Match[str] | None:
    if shown and (match := shown.fullmatch(words)):
        return match
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


_START = re.compile(r"(?<!\w)https?://", re.IGNORECASE)
_NEVER_INSIDE = frozenset('<>"“”`{}|\\^')
_TRAILING = ".,;:!?*_'’…~"
_PAIRS = {")": "(", "]": "["}


def find_addresses(line: str) -> Iterator[tuple[int, int]]:
    """Where the addresses of ``line`` stand.

    Brackets that an address opens belong to it, as in ``…/Debate_(parliamentary)``; punctuation behind it does not.
    """
    position = 0
    while match := _START.search(line, position):
        position = end = _end(line, match.end())
        while end > match.end() and line[end - 1] in _TRAILING:
            end -= 1
        if end > match.end():
            yield match.start(), end


def _end(line: str, start: int) -> int:
    """The first character from ``start`` on that no address holds, or that closes a bracket which it did not open."""
    open_: dict[str, int] = {"(": 0, "[": 0}
    for position in range(start, len(line)):
        character = line[position]
        if character.isspace() or character in _NEVER_INSIDE:
            return position
        if character in open_:
            open_[character] += 1
        elif character in _PAIRS:
            open_[_PAIRS[character]] -= 1
            if open_[_PAIRS[character]] < 0:
                return position
    return len(line)


_NUMBER = r"(?<![\w.,/#:$-])(?:~|≈|<|>)?\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,6})?"
_RATE = (
    r"(?:(?:[kKMG]i?B|requests?|reqs?|ops|operations|tokens?|rows|lines|files|frames|messages|msgs|queries|calls|"
    r"transactions|tx|iterations|events|pages)\s?(?:/\s?|\s?per\s)(?:s|sec|second|min|minute|h|hour)|rps|qps|fps|tps|"
    r"[kMG]?bit/s|[MG]bps)\b"
)
_FACTOR = (
    r"(?:[x×]|times)\b(?=\s+(?:faster|slower|smaller|larger|bigger|more|less|fewer|higher|lower|speed|as)\b)|"
    r"[x×](?!\w)"
)
_AMOUNT = (
    r"(?:ns|µs|μs|us|ms|milliseconds?|microseconds?|s|secs?|seconds?|min|minutes?|hours?|[kKMGT]i?B|bytes|megabytes|"
    r"gigabytes|percent|per cent)\b|%"
)
_RESULT = re.compile(rf"{_NUMBER}[ \u00a0\u202f]?(?:{_RATE}|{_FACTOR})")
_PERHAPS = re.compile(rf"{_NUMBER}[ \u00a0\u202f]?(?:{_AMOUNT})")
_MEASURING = re.compile(
    r"\b(?:benchmark\w*|measur\w+|profil\w+|latenc\w+|throughput|overhead|faster|slower|speed\w*|median|mean|average|"
    r"p\d{2}|percentile|takes?|took|ran|runs in|finish\w*|complet\w+ in|costs?|consum\w+|allocat\w+|peaks?|"
    r"drop\w*|reduc\w+|improv\w+|increas\w+|decreas\w+|grew|rose|fell|cuts?|regress\w+|coverage|accuracy|precision|"
    r"recall|hit rate|failure rate|error rate|of (?:the )?(?:requests|runs|cases|time|calls|failures)|cold start|"
    r"warm|compared (?:to|with))\b",
    re.IGNORECASE,
)


def find_results(line: str) -> Iterator[tuple[int, int]]:
    """Where ``line`` presents numbers as results; ``line`` is without its code, addresses and paths."""
    certain = [match.span() for match in _RESULT.finditer(line)]
    yield from certain
    taken = {start for start, _ in certain}
    if _MEASURING.search(line):
        yield from (match.span() for match in _PERHAPS.finditer(line) if match.start() not in taken)


_FEWEST_WORDS = 5

_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?:\s|$)")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,3}[.)])\s+")
_ASIDE = re.compile(r"_[^_].*_|\*[^*].*[^*]\*|\*\*[^*]*\*\*:?|[-*_=]{3,}|<[^<>]*>")
_GIVING_WAY = re.compile(
    r"\W*(?:(?:I|we)\s+(?:\w+ly\s+)?(?:concede|agree|accept|admit|grant|acknowledge|withdraw)\b|"
    r"(?:I|we) (?:was|were) wrong\b|(?:you(?: are|'re|’re)|the (?:challenger|proposer|other side) is) right\b|"
    r"(?:conceded|agreed|granted|accepted|fair (?:point|enough)|true enough|concession)\b)",
    re.IGNORECASE,
)
_WORD = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|" + r"\w+")
"""A word; where words are not parted by spaces, a character."""


@dataclass(frozen=True)
class _Block:
    start: int
    end: int
    is_item: bool


def uncited_claims(text: str, citations: Sequence[TextSpan]) -> tuple[TextSpan, ...]:
    """The sentence that states each claim of ``text`` in which none of ``citations`` stands, in order."""
    starts = sorted(each.start for each in citations)
    blocks = list(_blocks(text))
    is_cited = [_any_between(starts, block.start, block.end) for block in blocks]
    is_followed = _followed_by_cited_items(text, blocks, is_cited)
    silent = (block for position, block in enumerate(blocks) if not (is_cited[position] or is_followed[position]))
    return tuple(claim for block in silent if (claim := _claim(text, block)))


def _any_between(starts: list[int], first: int, last: int) -> bool:
    position = bisect_left(starts, first)
    return position < len(starts) and starts[position] < last


def _followed_by_cited_items(text: str, blocks: list[_Block], is_cited: list[bool]) -> list[bool]:
    """For each block whether a list of which every item cites something comes right behind it."""
    followed = [False] * len(blocks)
    all_cite = False  # of the items from here to the end of their list
    for position in range(len(blocks) - 1, -1, -1):
        block = blocks[position]
        nearby = position + 1 < len(blocks) and not text[block.end : blocks[position + 1].start].strip()
        leads_a_list = nearby and blocks[position + 1].is_item
        followed[position] = leads_a_list and all_cite and not block.is_item
        all_cite = block.is_item and is_cited[position] and (all_cite if leads_a_list else True)
    return followed


def _claim(text: str, block: _Block) -> TextSpan | None:
    """The first sentence of a block that states something, if the block is a claim."""
    words = text[block.start : block.end]
    if words.rstrip().rstrip("*_ ").endswith(":"):
        return None
    mark = _ITEM.match(words)
    begin = block.start + (mark.end() if mark else 0)
    stated = [span for span in sentences(text, begin, block.end) if _states(text[span[0] : span[1]])]
    if not stated:
        return None
    start, end = stated[0]
    return TextSpan(text=text[start:end], start=start, end=end)


def _states(sentence: str) -> bool:
    if sentence.rstrip("\"'”’)*_").endswith(("?", "？")) or _GIVING_WAY.match(sentence):
        return False
    return sum(1 for _ in _WORD.finditer(sentence)) >= _FEWEST_WORDS


def _blocks(text: str) -> Iterator[_Block]:
    """The speaker's own paragraphs and list items."""
    start = end = 0
    is_open, is_item = False, False
    for offset, line in prose_lines(text):
        is_passed_over = _is_passed_over(line)
        mark = _ITEM.match(line)
        is_elsewhere = offset != end + 1  # a fenced block stood between
        if is_open and (is_passed_over or mark or is_elsewhere):
            yield _Block(start, end, is_item)
            is_open = False
        if not is_passed_over and not is_open:
            start, is_open, is_item = offset, True, mark is not None
        if not is_passed_over:
            end = offset + len(line)
    if is_open:
        yield _Block(start, end, is_item)


def _is_passed_over(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped[0] in ">|" or bool(_HEADING.match(line) or _ASIDE.fullmatch(stripped))
