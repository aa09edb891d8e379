"""Read a speech: its points, its concessions, its citations. Works on anybody's Markdown, not only on our own."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sparring.checks.citations import CheckedCitation, CitationStatus, check_citations
from sparring.checks.conduct import concessions, withdrawals
from sparring.consult.offline.terms import terms
from sparring.schema.consultation import Speech
from sparring.schema.spans import TextSpan
from sparring.text.fences import lines
from sparring.text.tidying import one_line

_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")
_NEW_BLOCK = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+")
_ASIDE = re.compile(r"_[^_].*_|\*[^*].*[^*]\*|[-*_]{3,}")
_LABEL = re.compile(r"[\s>*_#-]*(?P<label>[A-Z]{1,2}\d{1,2}(?:\.\d{1,2})?)\b[\s.:)*—-]*")
_MARKS = re.compile(r"\*\*|^[-*+]\s+|^\d{1,3}[.)]\s+")
_EMPHASIS = re.compile(r"(?<![\w`*])\*(?=\S)([^*`\n]{1,80})(?<=\S)\*(?![\w`*])")
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?…](?=[)\"”*_]*(?:\s|$))[)\"”*_]*|$)", re.MULTILINE)
_CERTIFIED = re.compile(
    r"\bI(?:'m| am|’m) (?:now )?(?:convinced|satisfied)\b(?! that)|\bgenuinely resolved\b", re.IGNORECASE
)
_SHORTEST_POINT = 5
_POSITION = "Position:"


@dataclass(frozen=True)
class Point:
    """One thing said in a speech: a paragraph or a list item.

    Attributes:
        label: Its name in the speech, such as ``C1.2``; empty when it has none.
        text: Its words without label and emphasis, in one line.
        citations: What it cites, checked.
        said: The same as it stands in the speech, for those who quote it.
        concedes: Whether its speaker gives something up in it.
    """

    label: str
    text: str
    citations: tuple[CheckedCitation, ...]
    said: str = ""
    concedes: bool = False

    @property
    def verified(self) -> tuple[CheckedCitation, ...]:
        """Its citations that hold."""
        return tuple(found for found in self.citations if found.status is CitationStatus.VERIFIED)

    @property
    def gist(self) -> str:
        """Its first sentence, cut to a length that can be repeated."""
        return one_line(next(sentences(self.text), self.text), 200)

    @property
    def core(self) -> str:
        """What it is about: its first sentence and the words it quotes, or all of it if that is very little."""
        quoted = " ".join(found.citation.quoted or "" for found in self.citations)
        return f"{self.gist} {quoted}" if quoted else self.text

    @property
    def certifies(self) -> bool:
        """Whether its speaker, a challenger, declares a concern resolved and cites what resolved it."""
        return bool(_CERTIFIED.search(self.text)) and bool(self.verified)

    @property
    def wants_answer(self) -> bool:
        """Whether it argues: where somebody stands is answered by answering the points for it."""
        return not (self.concedes or self.certifies or self.text.startswith(_POSITION))

    @cached_property
    def terms(self) -> frozenset[str]:
        """What it speaks of."""
        return frozenset(terms(self.text))


class HeardSpeech:
    """A speech as its listeners take it apart."""

    def __init__(self, speech: Speech, read: Callable[[str], str | None]) -> None:
        self.role = speech.role
        self.round = speech.round
        self.text = speech.text
        self.citations = check_citations(speech.text, read)
        self.points = tuple(self._points())

    @cached_property
    def concessions(self) -> tuple[str, ...]:
        """The sentences, word for word and each in one line, in which the speaker gives something up."""
        return tuple(" ".join(found.text.split()) for found in self._given_up)

    @cached_property
    def walk_backs(self) -> tuple[str, ...]:
        """The same of those in which the speaker takes an earlier concession back."""
        return tuple(" ".join(found.text.split()) for found in withdrawals(self.text))

    @cached_property
    def _given_up(self) -> tuple[TextSpan, ...]:
        return concessions(self.text)

    def _points(self) -> Iterator[Point]:
        for start, end in _blocks(self.text):
            block = self.text[start:end]
            label = _LABEL.match(block)
            words = block[label.end() :] if label else block
            plain = _EMPHASIS.sub(r"\1", _MARKS.sub("", " ".join(words.split()))).strip()
            citations = tuple(found for found in self.citations if start <= found.citation.start < end)
            if plain and (label or (len(plain.split()) >= _SHORTEST_POINT and not plain.endswith(":"))):
                concedes = any(found.text in block for found in self._given_up)
                yield Point(label["label"] if label else "", plain, citations, block, concedes)


def sentences(text: str) -> Iterator[str]:
    """The sentences of one line, stripped, as they stand."""
    return (sentence for match in _SENTENCE.finditer(text) if (sentence := match[0].strip()))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where the speaker's own paragraphs and list items stand.

    Passed over: headings, fenced blocks, tables, block quotations (somebody else's words) and asides in italics.
    """
    start: int | None = None
    for line in lines(f"{text}\n"):  # the empty line at its end ends the last block
        stripped = "" if line.is_fenced else line.words.strip()
        passed_over = not stripped or stripped[0] in ">|" or _HEADING.match(stripped) or _ASIDE.fullmatch(stripped)
        if start is not None and (passed_over or _NEW_BLOCK.match(stripped)):
            yield start, line.start - 1
            start = None
        if not passed_over and start is None:
            start = line.start
