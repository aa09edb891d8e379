"""What the speaker itself says in a speech, sentence by sentence: without quotations of others, code and tables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.schema.spans import TextSpan
from sparring.text.prose import Block, Prose, sentences

_CODE = re.compile(r"`[^`\n]+`")
_QUOTED = re.compile(r'“[^“”]*”|(?<![\w"])"[^"]+"(?!\w)|«[^«»]*»')
_NOT_SPACE = re.compile(r"\S")
_EMPHASIS = "*_`"
_ASIDE = re.compile(r"\s*(?:_[^_].*_|\*[^*].*[^*]\*)\s*", re.DOTALL)
_WHOLE_BOLD = re.compile(r"\s*\*\*[^*\n]+\*\*:?\s*")


@dataclass(frozen=True)
class Sentence:
    """A sentence, ``text[start:end]`` of the speech with the emphasis around it.

    Attributes:
        words: The same as its readers see it: apostrophes straight, quotations and code masked.
    """

    start: int
    end: int
    words: str


@dataclass(frozen=True)
class Passage:
    """A heading, paragraph or list item of the speaker's own.

    Attributes:
        is_title: A heading, or a paragraph that is all bold or ends in a colon: it stands above something.
    """

    start: int
    end: int
    is_heading: bool
    is_item: bool
    is_title: bool
    is_aside: bool
    words: str
    sentences: tuple[Sentence, ...]


def passages(text: str) -> tuple[Passage, ...]:
    """The passages of ``text`` in order."""
    prose = Prose(text)
    return tuple(_passage(prose, block) for block in prose.blocks if not block.is_quoted)


def span(text: str, start: int, end: int) -> TextSpan:
    """That place of ``text``."""
    return TextSpan(text=text[start:end], start=start, end=end)


def _passage(prose: Prose, block: Block) -> Passage:
    text = prose.text
    lead = text[text.rfind("\n", 0, block.start) + 1 : block.start].strip()
    whole, words = text[block.start : block.end], _own_words(prose, block)
    is_heading = lead.startswith("#")
    is_title = is_heading or words.rstrip().endswith(":") or bool(_WHOLE_BOLD.fullmatch(whole))
    return Passage(
        start=block.start,
        end=block.end,
        is_heading=is_heading,
        is_item=bool(lead) and not is_heading,
        is_title=is_title,
        is_aside=bool(_ASIDE.fullmatch(whole)),
        words=words,
        sentences=tuple(_sentences(text, block, words)),
    )


def _own_words(prose: Prose, block: Block) -> str:
    words = prose.plain[block.start : block.end].replace("’", "'").replace("‘", "'")
    pieces: list[str] = []
    place = 0
    for code in _CODE.finditer(prose.text, block.start, block.end):
        start, end = code.start() - block.start, code.end() - block.start
        pieces += (words[place:start], _masked(words[start:end]))
        place = end
    words = "".join([*pieces, words[place:]])
    return _QUOTED.sub(lambda quoted: _masked(quoted[0]), words)


def _masked(words: str) -> str:
    # In capitals, so that a sentence which begins with code is seen to begin there.
    return _NOT_SPACE.sub("X", words)


def _sentences(text: str, block: Block, words: str) -> Iterator[Sentence]:
    for first, last in sentences(words, 0, len(words)):
        start, end = block.start + first, block.start + last
        while start > block.start and text[start - 1] in _EMPHASIS:
            start -= 1
        while end < block.end and text[end] in _EMPHASIS:
            end += 1
        yield Sentence(start, end, words[first:last])
