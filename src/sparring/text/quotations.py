"""Where a text quotes: passages in quotation marks, and block quotations.

Marks are matched within a paragraph. Passed over is what is too short to be a quotation (a term, a name, a word that
is not meant), and what stands in code. Single marks are not read: they are apostrophes as well.
"""

import re
from collections.abc import Iterator

from sparring.text.prose import Block, Prose

FEWEST_WORDS = 3

_PASSAGE = re.compile(
    r"""
      (?<![\w"])"(?P<straight>[^\s"][^"]*)(?<=\S)"(?!\w)
    | “(?P<curly>[^“”]+)”
    | „(?P<low>[^„“”"]+)[“”"]
    | «(?P<angular>[^«»]+)»
    | 「(?P<corner>[^「」]+)」
    """,
    re.VERBOSE,
)
_CODE = re.compile(r"`[^`\n]+`")
_WORD = re.compile(r"\w+")
# "the third," he said: whoever sets type puts the comma inside, whether or not it is quoted.
_LENT = ",;:"
_ATTRIBUTION = re.compile(r"\n[ \t]*(?:--|[—–―])[^\n]*\Z")
_CALLOUT = re.compile(r"\s*\[!\w+\]")


def quotations(prose: Prose) -> Iterator[tuple[int, int]]:
    """Where each quotation begins and ends, without its marks, in order."""
    for block in prose.blocks:
        found = _whole(prose, block) if block.is_quoted else _passages(prose, block)
        yield from ((start, end) for start, end in found if _is_long_enough(prose.plain[start:end]))


def _whole(prose: Prose, block: Block) -> Iterator[tuple[int, int]]:
    """A block quotation without a last line that says whose it is, unless it is a call-out, which quotes nobody."""
    text = prose.plain[block.start : block.end]
    if not _CALLOUT.match(text):
        said = _ATTRIBUTION.sub("", text.rstrip())
        lead = len(said) - len(said.lstrip())
        yield block.start + lead, block.start + len(said.rstrip())


def _passages(prose: Prose, block: Block) -> Iterator[tuple[int, int]]:
    text = prose.plain[block.start : block.end]
    code = [match.span() for match in _CODE.finditer(prose.text[block.start : block.end])]
    for match in _PASSAGE.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        if not any(begin < end and start < stop for begin, stop in code):
            while end > start and (text[end - 1].isspace() or text[end - 1] in _LENT):
                end -= 1
            said = text[start:end]
            lead = len(said) - len(said.lstrip())
            yield block.start + start + lead, block.start + end


def _is_long_enough(text: str) -> bool:
    return len(_WORD.findall(text)) >= FEWEST_WORDS
