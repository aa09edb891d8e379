"""Choose the words worth quoting, and quote them verbatim with their place."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from sparring.consult.offline.corpus import Passage
from sparring.consult.offline.retrieval import Hit, Index
from sparring.consult.offline.terms import is_word_list, terms

_PASSAGES_TRIED = 60
_SHORTEST, _LONGEST = 24, 260
_MOST_LINES = 4
_SENTENCE_BREAK = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"“*])")
_PROSE = re.compile(r"[A-Za-zÀ-ỹ`\"“*(].*[\w.,;:!?)`\"”*]")
_CODE_MARK = re.compile(
    r"[{}\[\]=<>|\\]|\w\(|::|->|^[@#]|^self\b|,$|"
    r"^(?:import|from \S+ import|def|class|return|assert|raise|yield|await|async)\b|"
    r"^(?:if|for|while|with|elif|else|try|except)\b.*:$"
)
_LIST_MARK = re.compile(r"^(?:[-*+]|\d+[.)])\s+")
_ENTRY = re.compile(r"[\w*`]+(?: \([^)]*\))?: ")
"""How a documented parameter, attribute or error begins; it is a unit of its own."""

_STRING = re.compile(r"""\s*[fr]?(?:"(?!"")|'(?!''))""")
"""A line that is a string; in a test that is an example somebody made up."""

_COMMENT_MARK = re.compile(r"^(?:#+|//+|--|\*)\s+")
_BACKTICKS = re.compile(r"`+")
_REASON = re.compile(
    r"\b(?:because|so that|since|otherwise|therefore|must|never|always|only|refused?|guarantee\w*)\b", re.IGNORECASE
)
_LIMIT = re.compile(
    r"\b(?:but|except|unless|however|only|not|never|cannot|fail\w*|error\w*|limit\w*|bounded?|refused?|lost|missing|"
    r"wrong|broken|timeout|without|raises?)\b",
    re.IGNORECASE,
)
_TEST_PATH = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)\.[a-z]+$")
_DOCUMENT = re.compile(r".*\.(?:md|mdx|rst|adoc|txt)|(?:.*/)?README", re.IGNORECASE)


class Kind(StrEnum):
    """What sort of evidence a quotation is."""

    REASON = "reason"
    TEST = "test"
    DOCUMENT = "document"
    COMMENT = "comment"
    CODE = "code"


@dataclass(frozen=True)
class Evidence:
    """Words of the project and where they stand.

    Attributes:
        terms: Those asked for that the words themselves hold.
        nearby: Those asked for that the lines around them hold.
    """

    path: str
    line: int
    end_line: int
    words: str
    terms: frozenset[str] = frozenset()
    nearby: frozenset[str] = frozenset()
    score: float = 0.0

    @property
    def place(self) -> str:
        """``path:line`` or ``path:line-line``."""
        return f"{self.path}:{self.line}" + (f"-{self.end_line}" if self.end_line > self.line else "")

    @property
    def citation(self) -> str:
        """The place as a code span."""
        return code_span(self.place)

    @property
    def quotation(self) -> str:
        """The words as a code span."""
        return code_span(self.words)

    @property
    def states_limit(self) -> bool:
        """Whether the words state a limit, a condition or a failure."""
        return bool(_LIMIT.search(self.words))

    @property
    def kind(self) -> Kind:
        """What sort of evidence it is; a test that gives a reason is a test."""
        if _TEST_PATH.search(self.path):
            return Kind.TEST
        if _REASON.search(self.words):
            return Kind.REASON
        if _DOCUMENT.fullmatch(self.path):
            return Kind.DOCUMENT
        return Kind.COMMENT if _is_sentence(self.words) else Kind.CODE


def code_span(words: str) -> str:
    """``words`` between runs of backticks that do not occur in them (CommonMark 6.1)."""
    used = {len(run) for run in _BACKTICKS.findall(words)}
    marks = "`" * next(length for length in range(1, len(used) + 2) if length not in used)
    padding = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{marks}{padding}{words}{padding}{marks}"


def find_evidence(
    index: Index[Passage], query: Mapping[str, float], *, avoid: Collection[tuple[str, int]], limits_first: bool = False
) -> Iterator[Evidence]:
    """Quotations that speak of the terms of ``query``, best first, at most one of a file.

    Args:
        index: Where to search.
        query: Terms with their importance.
        avoid: Places (path and line) that must not be quoted again.
        limits_first: Prefer words that state a limit, a condition or a failure.
    """
    candidates: list[Evidence] = []
    for hit in index.search(query, limit=_PASSAGES_TRIED):
        for unit in _units(hit.passage):
            if not any((unit.path, line) in avoid for line in range(unit.line, unit.end_line + 1)):
                candidates += _weighed(unit, hit, index, query, limits_first=limits_first)
    candidates.sort(key=lambda evidence: (-evidence.score, evidence.path, evidence.line))
    used: set[str] = set()
    for evidence in candidates:
        if evidence.path not in used:
            used.add(evidence.path)
            yield evidence


def _weighed(
    unit: Evidence, hit: Hit[Passage], index: Index[Passage], query: Mapping[str, float], *, limits_first: bool
) -> Iterator[Evidence]:
    found = frozenset(terms(unit.words)) & hit.matched
    if not found or is_word_list(unit.words):
        return
    own = sum(query[term] * index.weight(term) for term in found)
    whole = sum(query[term] * index.weight(term) for term in hit.matched)
    score = hit.score * (0.25 + own / whole)
    score *= 1.0 if _is_sentence(unit.words) else 0.5
    score *= 0.5 if _TEST_PATH.search(unit.path) else 1.0  # what is tested is said better where it is done
    score *= 1.5 if _REASON.search(unit.words) else 1.0
    score *= 1.5 if limits_first and unit.states_limit else 1.0
    yield replace(unit, terms=found, nearby=hit.matched, score=score)


def _is_sentence(words: str) -> bool:
    return words[0].isupper() and words[-1] in ".!" and len(words.split()) >= 5


def _units(passage: Passage) -> Iterator[Evidence]:
    """What can be quoted of a passage: sentences of its prose, and single lines of everything else."""
    paragraph: list[tuple[int, str]] = []
    in_test = _TEST_PATH.search(passage.path)
    for number, line in enumerate(passage.text.split("\n"), start=passage.first_line):
        stripped = "" if in_test and _STRING.match(line) else line.strip()
        if _is_prose(stripped) and not _LIST_MARK.match(stripped) and not _ENTRY.match(stripped):
            paragraph.append((number, stripped))
            continue
        yield from _sentences(passage.path, paragraph)
        paragraph = []
        bare = _COMMENT_MARK.sub("", _LIST_MARK.sub("", stripped))
        if _is_prose(bare):
            paragraph.append((number, bare))
            if _COMMENT_MARK.match(stripped):  # the mark of the next comment line would stand between the words
                yield from _sentences(passage.path, paragraph)
                paragraph = []
        elif _SHORTEST <= len(stripped) <= _LONGEST and len(stripped.split()) >= 3:
            yield Evidence(passage.path, number, number, stripped)
    yield from _sentences(passage.path, paragraph)


def _is_prose(line: str) -> bool:
    return len(line.split()) >= 2 and bool(_PROSE.fullmatch(line)) and not _CODE_MARK.search(line)


def _sentences(path: str, paragraph: list[tuple[int, str]]) -> Iterator[Evidence]:
    """The sentences of consecutive lines of prose, each with the lines it stands on."""
    if not paragraph:
        return
    text = " ".join(line for _, line in paragraph)
    starts = _line_starts(paragraph)
    position = 0
    for sentence in _SENTENCE_BREAK.split(text):
        start = text.index(sentence, position)
        position = start + len(sentence)
        first = max(number for offset, number in starts if offset <= start)
        last = max(number for offset, number in starts if offset < position)
        words = sentence.strip().strip('"').strip()
        if _SHORTEST <= len(words) <= _LONGEST and last - first < _MOST_LINES and len(words.split()) >= 4:
            yield Evidence(path, first, last, words)


def _line_starts(paragraph: list[tuple[int, str]]) -> list[tuple[int, int]]:
    starts: list[tuple[int, int]] = []
    offset = 0
    for number, line in paragraph:
        starts.append((offset, number))
        offset += len(line) + 1
    return starts
