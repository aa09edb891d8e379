"""Find the claims of a speech that cite nothing.

A claim is one of the speaker's own paragraphs or list items that states something in at least five words. No claims
are headings, questions, samples, quotations, tables, asides in italics, lines that lead in to a list with a colon, and
what only concedes or agrees. A citation anywhere in a block supports the whole of it; a block right before a list is
also supported if every item of that list cites something.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.checks.citations.syntax import prose_lines
from sparring.schema.spans import TextSpan
from sparring.text.prose import sentences

FEWEST_WORDS = 5

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
    return sum(1 for _ in _WORD.finditer(sentence)) >= FEWEST_WORDS


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
