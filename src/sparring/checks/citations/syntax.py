"""Citations of a Markdown text as written: places, quotes beside them, addresses, figures; and text to skip.

Knows the forms of citations, and nothing of files. Every pattern in this module is linear in the text. An address ends
exactly where its syntax ends. ``docs/checks.md`` defines measured numbers and claims.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from sparring.checks.citations.line_numbers import LINES_CITED, LinesCited, lines_cited
from sparring.schema.lookups import TextSpan
from sparring.text.fences import lines
from sparring.text.prose import sentences
from sparring.text.words import SPACED, UNIT, UNSPACED

_QUOTE_GAP = 12
"""Most characters between a quotation and the citation after it, as in "`words` (see `path:3`)"."""

_JOINING = re.compile(r"[^:;.!?]*")

_SUFFIXES = (
    "adoc|bash|bat|c|cc|cfg|cjs|clj|cmake|conf|cpp|cs|css|csv|cts|cxx|dart|env|erl|ex|exs|fish|go|gradle|graphql|h|hpp|"
    "hs|html|ini|ipynb|java|jl|js|json|jsonl|jsx|kt|kts|less|lock|lua|md|mdx|mjs|ml|mts|nix|php|pl|po|properties|proto|"
    "ps1|py|pyi|r|rb|rs|rst|sass|scala|scss|sh|sql|svelte|svg|swift|tf|toml|ts|tsx|txt|vim|vue|xml|yaml|yml|zig|zsh"
)
_NAMED_FILES = (
    "AUTHORS|CHANGELOG|CODEOWNERS|CONTRIBUTING|COPYING|Dockerfile|Gemfile|Justfile|LICENSE|Makefile|NOTICE|Procfile|"
    "Rakefile|README|TODO|VERSION"
)
_WORDS = UNSPACED.pattern
_PART = rf"(?!{_WORDS})[^/\s:`\"'()\[\]<>{{}}|,;*?$=“”‘’\u3000-\u303f\uff00-\uff1f]"
_GOES_ON = rf"_?(?!{_WORDS})[^\W_]"
_PLAIN = re.compile(
    rf"(?:(?<![^\s(\[{{\"'“‘*,;>|=\u3000-\u303f\uff00-\uff1f])|(?<={_WORDS})(?=\w))"
    rf"(?P<path>(?:(?:{_PART})+/|/)*(?:(?:{_PART})+\.{SPACED}+|(?:{_PART})+(?=:L?\d|\#L\d)))"
    rf"(?!{_GOES_ON}|/|\.\w)(?:{LINES_CITED})?(?!{_GOES_ON})"
)
"""Outside code spans a path ends at white space or a script without it."""

_SPAN = re.compile(
    rf"(?P<path>(?:[^\s:`*?<>{{}}$|]*[/\\])?(?:[^\s/\\:`*?<>{{}}$|]+\.{SPACED}+|{_NAMED_FILES}))(?:{LINES_CITED})?"
)
_SPAN_WITH_LINE = re.compile(
    rf"(?P<path>(?:[^`*?<>{{}}$|]*/[^`*?<>{{}}$|/]*[^\s`*?<>{{}}$|/]|[^/:`*?<>{{}}$|]+)){LINES_CITED}"
)
"""Inside a code span, with a line number, a path may hold spaces, and below a folder it needs no suffix."""

_SPAN_UNREAD = re.compile(
    r"(?P<path>[\w./\\+-]+)(?P<line>(?=[:#@(,\[~]|\s*(?:@|\(|\#|L\d|ll?\.|ln\b|lines?\b))[^\d`]{1,16}\d.*)"
)
"""Inside a code span, a path with a number that may be a line."""

_FILE = re.compile(rf".*\.(?P<suffix>{_SUFFIXES})|(?:.*[/\\])?(?i:{_NAMED_FILES})", re.DOTALL)
"""The names of files that are known without the listing of a project."""

_NAME = r"[A-Za-z_]\w*"
IN_FILE = re.compile(rf"(?P<path>[^\s:`*?<>{{}}$|]+\.\w+):{{1,2}}(?P<name>{_NAME}(?:(?:::|\.){_NAME})*)(?P<call>\(\))?")
"""``tests/test_a.py::test_b``, ``src/a.py:Class.method``."""

_BACKTICKS = re.compile(r"`+")
_QUOTED = re.compile(r"“([^“”\n]{2,400})”|\"([^\"\n]{2,400})\"")
_PAIRED = re.compile(r"“[^“”\n]*”|\"[^\"\n]*\"")
_A_WORD = re.compile(r"[^\W\d_]{3}")
_A_NUMBER = re.compile(r".{0,3}\d")
_QUOTATION_MARK = re.compile(r"[“”\"`]")
_CLAUSE_END = re.compile(
    r"(?<!e\.g)(?<!i\.e)(?<!etc)[.!?][)\"”*_]*\s|;\s|,?\s(?:while|whereas|although|though|but)\s", re.IGNORECASE
)
"""Behind it, words are of another sentence, or of a clause that may speak of something else."""


class Citation(Struct, frozen=True):
    """A place in a working tree that a text names.

    Attributes:
        text: The citation as written, ``text[start:end]`` of the searched text, without its backticks.
        line: First line cited, None for the file as a whole.
        end_line: Last line cited; equals ``line`` when there is one.
        quoted: Words that the text quotes with the citation, if any.
        others: Numbers next to the lines that may be further ones.
        is_unread: Whether a number or a quotation mark next to it cannot be read: it is at best unchecked.
    """

    text: str
    path: str
    line: int | None
    end_line: int | None
    quoted: str | None
    start: int
    end: int
    others: tuple[int, ...] = ()
    is_unread: bool = False


class PlacedCitation(Struct, frozen=True):
    """A citation at its place in a text.

    Attributes:
        line: The line that contains it.
        start: Its first character in that line.
        is_quoted_speech: Whether it is in a block quotation, and so belongs to another speaker.
    """

    citation: Citation
    line: str
    start: int
    is_quoted_speech: bool

    @property
    def in_line(self) -> tuple[str, int, int]:
        """The line, and where the citation begins and ends in it."""
        return self.line, self.start, self.start + len(self.citation.text)


class LineSpan(Struct, frozen=True):
    """A part of one line: where it stands, and the words it holds."""

    start: int
    end: int
    words: str


class IsFile(Protocol):
    """Decides whether a name without a known suffix may be that of a file."""

    def __call__(self, path: str, *, is_with_line: bool) -> bool:
        """``path`` is spelled from the root; ``is_with_line``: a line is cited with it."""
        ...


def is_no_file(path: str, *, is_with_line: bool) -> bool:  # noqa: ARG001 -- as the protocol has it
    """Report no name: without a listing, files are known by their suffixes alone."""
    return False


def placed_citations(text: str, is_file: IsFile = is_no_file) -> Iterator[PlacedCitation]:
    """Every citation of ``text``, in order. Fenced blocks are samples, not citations, and are passed over."""
    for start, line in prose_lines(text):
        yield from placed_citations_in(line, start, is_file=is_file)


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of ``text`` outside fenced blocks, each with where it begins."""
    return ((line.start, line.words) for line in lines(text) if not line.is_fenced)


def placed_citations_in(
    line: str, offset: int, shown: re.Pattern[str] | None = None, *, is_file: IsFile = is_no_file
) -> Iterator[PlacedCitation]:
    """Every citation of one line outside fenced blocks, which begins at ``offset`` of its text.

    ``shown`` is how exhibits are cited, where there are some.
    """
    spans = code_spans(line)
    masked = without_code(line, spans)
    cited = _cited(spans, masked, shown, is_file)
    places = [stretch for stretch, _ in cited]
    quotes = _quotes(spans, masked, places)
    stray = _stray_marks(line, masked, spans)
    # Numbers inside quotations are no lines.
    bare = _without_quotes(line, [quote for quote in quotes if not _touches(quote, places)])
    is_quoted_speech = line.lstrip().startswith(">")
    for position, (stretch, match) in enumerate(cited):
        words, path = match[0], match["path"]
        if stretch.words != words and words.endswith(stretch.words):  # without the mark of an emphasis
            words, path = stretch.words, path[1:]
        start = stretch.start + line[stretch.start : stretch.end].index(words)
        before = places[position - 1].end if position else 0
        behind = places[position + 1].start if position + 1 < len(places) else len(line)
        cited_lines = _lines(match, bare, stretch, (before, behind))
        first, last = _first_and_last(cited_lines.numbers)
        next_stray = bisect_left(stray, stretch.end)
        has_stray_mark = next_stray < len(stray) and stray[next_stray] < behind
        citation = Citation(
            text=words,
            path=path,
            line=first,
            end_line=last,
            quoted=_quote_near(position, places, quotes, line),
            start=offset + start,
            end=offset + start + len(words),
            others=cited_lines.others,
            is_unread=cited_lines.is_unread or has_stray_mark,
        )
        yield PlacedCitation(citation, line, start, is_quoted_speech)


def _cited(
    spans: list[LineSpan], masked: str, shown: re.Pattern[str] | None, is_file: IsFile
) -> list[tuple[LineSpan, re.Match[str]]]:
    """Return the citations of a line in order, with their matches: in code spans, and in the ``masked`` text."""
    in_spans = ((span, _cited_in_span(span.words, shown, is_file)) for span in spans)
    cited = [(span, match) for span, match in in_spans if match]
    cited += [(_line_span(match, masked), match) for match in _PLAIN.finditer(masked) if _is_path(match, is_file)]
    if shown:
        cited += [(_line_span(match, masked), match) for match in shown.finditer(masked)]
    cited.sort(key=lambda pair: pair[0].start)
    return cited


def _quotes(spans: list[LineSpan], masked: str, places: list[LineSpan]) -> list[LineSpan]:
    """Return what a line quotes, in order: code spans that are no citations, and text in quotation marks."""
    starts = {place.start for place in places}
    quotes = [span for span in spans if span.start not in starts and not IN_FILE.fullmatch(span.words)]
    quotes += [LineSpan(match.start(), match.end(), match[1] or match[2]) for match in _QUOTED.finditer(masked)]
    quotes.sort(key=lambda quote: quote.start)
    return quotes


def _touches(quote: LineSpan, places: list[LineSpan]) -> bool:
    """Report whether a quotation holds one of ``places``, or begins or ends right at one: its marks may be a slip."""
    following = bisect_left(places, quote.start, key=lambda place: place.end)
    return following < len(places) and places[following].start <= quote.end


def _without_quotes(line: str, quotes: list[LineSpan]) -> str:
    """Return ``line`` with quotes that contain words blanked out, every other character in its place."""
    pieces: list[str] = []
    end = 0
    for quote in quotes:
        if quote.start >= end and _A_WORD.search(quote.words) and not _A_NUMBER.match(quote.words):
            pieces += (line[end : quote.start], "`" * (quote.end - quote.start))
            end = quote.end
    return "".join((*pieces, line[end:]))


def _is_path(match: re.Match[str], is_file: IsFile) -> bool:
    """Return whether a text in the form of a path is one by its name, or by ``is_file``."""
    path, is_with_line = match["path"], bool(match["line"])
    if named := _FILE.fullmatch(path):
        return bool(named["suffix"]) or is_with_line
    return is_file(path.removeprefix("./"), is_with_line=is_with_line)


def _stray_marks(line: str, masked: str, spans: list[LineSpan]) -> list[int]:
    """Return the places of quotation marks and backticks without a partner."""
    covered = [(span.start, span.end) for span in spans]
    covered += [match.span() for match in _PAIRED.finditer(masked)]
    covered.sort()
    marks: list[int] = []
    for match in _QUOTATION_MARK.finditer(line):
        # The last stretch that begins at the mark or before it.
        nearest = bisect_left(covered, (match.start(), len(line) + 1)) - 1
        if nearest < 0 or match.start() >= covered[nearest][1]:
            marks.append(match.start())
    return marks


def code_spans(line: str) -> list[LineSpan]:
    """The code spans of one line: a run of backticks up to the next run of the same length (CommonMark 6.1)."""
    runs = list(_BACKTICKS.finditer(line))
    # From the end, so that for each run the next one of its length is known.
    next_of_length: dict[int, int] = {}
    partner: dict[int, int] = {}
    for position in range(len(runs) - 1, -1, -1):
        length = len(runs[position][0])
        if length in next_of_length:
            partner[position] = next_of_length[length]
        next_of_length[length] = position
    spans: list[LineSpan] = []
    position = 0
    while position < len(runs):
        if position not in partner:
            position += 1
            continue
        opening, closing = runs[position], runs[partner[position]]
        words = line[opening.end() : closing.start()]
        is_padded = words.startswith(" ") and words.endswith(" ") and words.strip()
        spans.append(LineSpan(opening.start(), closing.end(), words[1:-1] if is_padded else words))
        position = partner[position] + 1
    return spans


def _line_span(match: re.Match[str], line: str) -> LineSpan:
    """Return the position of a path outside of code spans, without the mark of an emphasis around it."""
    is_emphasis = match[0].startswith("_") and line.startswith("_", match.end())
    return LineSpan(match.start() + is_emphasis, match.end(), match[0][is_emphasis:])


def _lines(match: re.Match[str], line: str, stretch: LineSpan, bounds: tuple[int, int]) -> LinesCited:
    """Return the cited lines: with the path, or in words next to it ("line 3 of", "(lines 3 to 9)")."""
    if match.re is _SPAN_UNREAD:
        return lines_cited(match[0], 0, match.end("path"))
    return lines_cited(line, stretch.start, stretch.end, match, bounds)


_ENDS = 2
"""Numbers of a range, which keep their order: a decreasing pair is no range."""


def _first_and_last(numbers: tuple[int, ...]) -> tuple[int | None, int | None]:
    if not numbers:
        return None, None
    if len(numbers) > _ENDS:
        return min(numbers), max(numbers)
    return numbers[0], numbers[-1]


def _cited_in_span(words: str, shown: re.Pattern[str] | None, is_file: IsFile) -> re.Match[str] | None:
    """Return the match of a code span that is a citation, by the first form that fits; None for other code."""
    if shown and (match := shown.fullmatch(words)):
        return match
    match = _SPAN.fullmatch(words)
    if match and (_is_path(match, is_file) or _FILE.fullmatch(match["path"])):
        return match
    match = _SPAN_WITH_LINE.fullmatch(words)
    if match and "//" not in match["path"] and ("/" in match["path"] or _is_path(match, is_file)):
        return match
    match = _SPAN_UNREAD.fullmatch(words)
    return match if match and _is_path(match, is_file) else None


def without_code(line: str, spans: list[LineSpan]) -> str:
    """``line`` with its code spans blanked out, every character in its place."""
    pieces: list[str] = []
    end = 0
    for span in spans:
        pieces += (line[end : span.start], "`" * (span.end - span.start))
        end = span.end
    return "".join((*pieces, line[end:]))


def _quote_near(position: int, places: list[LineSpan], quotes: list[LineSpan], line: str) -> str | None:
    """The quotation that belongs to the citation at ``position``: after it in its clause, else right before it.

    One that stands between two citations belongs to the nearer of them.
    """
    place = places[position]
    following = places[position + 1] if position + 1 < len(places) else None
    preceding = places[position - 1] if position else None
    after = bisect_left(quotes, place.end, key=lambda quote: quote.start)
    if after < len(quotes) and (following is None or quotes[after].start < following.start):
        quote = quotes[after]
        distance = _gap_before(quote, place, line)
        other_distance = _gap_behind(quote, following, line) if following else None
        if distance is not None and (other_distance is None or distance <= other_distance):
            return quote.words
    if after and (preceding is None or preceding.end <= quotes[after - 1].start):
        quote = quotes[after - 1]
        distance = _gap_behind(quote, place, line)
        other_distance = _gap_before(quote, preceding, line) if preceding else None
        if distance is not None and (other_distance is None or distance < other_distance):
            return quote.words
    return None


def _gap_before(quote: LineSpan, place: LineSpan, line: str) -> int | None:
    """Return the distance of ``quote`` after ``place`` in the same clause; None where it is elsewhere."""
    gap = line[place.end : quote.start]
    return None if _CLAUSE_END.search(gap) else len(gap)


def _gap_behind(quote: LineSpan, place: LineSpan, line: str) -> int | None:
    """Return the distance of ``quote`` before ``place``, joined to it; None where it is elsewhere."""
    gap = line[quote.end : place.start]
    if quote.end > place.start or len(gap) > _QUOTE_GAP or not _JOINING.fullmatch(gap):
        return None
    return len(gap)


_START = re.compile(r"(?<!\w)https?://", re.IGNORECASE)
_NEVER_INSIDE = frozenset('<>"“”`{}|\\^')
_TRAILING = ".,;:!?*_'’…~"
_PAIRS = {")": "(", "]": "["}


def find_addresses(line: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the addresses in ``line``.

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
    """Yield the spans of ``line`` that present numbers as results; ``line`` has no code, addresses and paths."""
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


class _Block(Struct, frozen=True):
    start: int
    end: int
    is_item: bool


def uncited_claims(text: str, citations: Sequence[TextSpan]) -> tuple[TextSpan, ...]:
    """Each sentence that states something in a block of ``text`` in which none of ``citations`` stands, in order."""
    starts = sorted(each.start for each in citations)
    blocks = list(_blocks(text))
    is_cited = [_any_between(starts, block.start, block.end) for block in blocks]
    is_followed = _followed_by_cited_items(text, blocks, is_cited)
    claims: list[TextSpan] = []
    for position, block in enumerate(blocks):
        if not is_cited[position] and not is_followed[position]:
            claims += _claims(text, block)
    return tuple(claims)


def _any_between(starts: list[int], first: int, last: int) -> bool:
    position = bisect_left(starts, first)
    return position < len(starts) and starts[position] < last


def _followed_by_cited_items(text: str, blocks: list[_Block], is_cited: list[bool]) -> list[bool]:
    """For each block whether a list of which every item cites something comes right behind it."""
    followed = [False] * len(blocks)
    # From the end: whether the items from the last position to the end of their list all cite something.
    all_cite = False
    for position in range(len(blocks) - 1, -1, -1):
        block = blocks[position]
        following = blocks[position + 1] if position + 1 < len(blocks) else None
        leads_a_list = following is not None and following.is_item and not text[block.end : following.start].strip()
        if block.is_item:
            all_cite = is_cited[position] and (all_cite or not leads_a_list)
        else:
            followed[position] = leads_a_list and all_cite
            all_cite = False
    return followed


def _claims(text: str, block: _Block) -> Iterator[TextSpan]:
    """Yield the sentences of a block that state something; one that leads in to a list states nothing by itself."""
    words = text[block.start : block.end]
    if words.rstrip().rstrip("*_ ").endswith(":"):
        return
    mark = _ITEM.match(words)
    begin = block.start + (mark.end() if mark else 0)
    for start, end in sentences(text, begin, block.end):
        if _states(text[start:end]):
            yield TextSpan(text=text[start:end], start=start, end=end)


def _states(sentence: str) -> bool:
    """Report whether a sentence states something: no question, no concession, and at least five words."""
    is_question = sentence.rstrip("\"'”’)*_").endswith(("?", "？"))
    if is_question or _GIVING_WAY.match(sentence):
        return False
    return sum(1 for _ in UNIT.finditer(sentence)) >= _FEWEST_WORDS


def _blocks(text: str) -> Iterator[_Block]:
    """The speaker's own paragraphs and list items."""
    block: _Block | None = None
    for offset, line in prose_lines(text):
        is_passed_over = _is_passed_over(line)
        is_item = _ITEM.match(line) is not None
        is_elsewhere = block is not None and offset != block.end + 1  # a fenced block stood between
        if block is not None and (is_passed_over or is_item or is_elsewhere):
            yield block
            block = None
        if not is_passed_over:
            end = offset + len(line)
            block = _Block(block.start, end, block.is_item) if block else _Block(offset, end, is_item)
    if block is not None:
        yield block


def _is_passed_over(line: str) -> bool:
    """Report whether a line is empty, of another speaker, or states nothing: a table, a heading, a rule, an aside."""
    stripped = line.strip()
    if not stripped or stripped[0] in ">|":
        return True
    return bool(_HEADING.match(line) or _ASIDE.fullmatch(stripped))
