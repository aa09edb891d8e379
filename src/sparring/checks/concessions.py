"""Concessions and withdrawals in a debate, by the marks that the prompts request.

A speaker writes ``I concede: …`` or ``I withdraw: …`` on a separate line; where nothing follows the colon, the
next line has the content, or each item of the list that begins there. Only these marks are read: code does not guess
concessions in other words; a judge may propose them, word for word (design: Debate).
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sparring.schema import base, debate, judgement, lookups
from sparring.text.fences import Line, lines
from sparring.text.terms import terms
from sparring.text.words import UNSPACED, letters_in

_LISTED = r"(?:[-*+•]|\d{1,3}[.)])[ \t]+"
"""Pattern of the mark that begins an item of a list."""


def mark_pattern(marks: str) -> re.Pattern[str]:
    """One of ``marks`` with its colon, at the beginning of a line: it may be a heading, an item of a list, in bold."""
    before = rf"[ \t]*(?:#{{1,6}}[ \t]+)?[*_]{{0,3}}(?:{_LISTED})?[*_]{{0,3}}"
    return re.compile(rf"{before}{marks}[*_]{{0,3}}[ \t]*[:：][*_]{{0,3}}[ \t]*[*_]{{0,3}}", re.IGNORECASE)


_MARK = mark_pattern("I (?P<mark>concede|withdraw)")
_ITEM = re.compile(rf"[ \t]*{_LISTED}")
_BELOW = re.compile(r"[ \t]*(?![ \t>#|])")

_ABSENT = re.compile(
    r"(?:at (?:this|the) (?:point|time|moment|stage) |so far |for now |as (?:yet|before) |still |currently "
    r"|there (?:is|are) |(?:i|we) (?:have|see|find|concede|withdraw|give up|take back) )*"
    r"(?:(?:nothing|none|nil|null|nope|no|not|never|neither|nobody|n a|na|tbd|nichts|nix|keine?\w?|rien|aucune?|nada"
    r"|nenhuma?|ning[uú]n\w*|niente|nessun\w*|không|chẳng|chưa|нет|ничего|hiçbir\w*|yok|ei|intet|ingen\w*|inget"
    r"|niets|geen)(?!\w)"
    r"|(?:i|we) (?:do|did|have|can|could|will|would|should|am|was|are) ?(?:not|n t)(?!\w)"
    r"|(?:i|we) (?:don|didn|can|won|cannot)(?!\w)"
    r"|(?:my|our) (?:\w+ ){1,4}(?:stands?|holds?|remains?|is unchanged|are unchanged|unchanged|unaffected)(?!\w)"
    r"|无|無|没有|沒有|没什么|なし|ない|特になし|없)"
)
"""Openings of words by which a speaker gives up nothing where the form asks for it: they are no concession."""

_EMPTY_WORDS = frozenset(
    terms(
        "point position argument argue claim concede concession withdraw withdrawal accept agree challenger proposer "
        "opponent side stand hold remain unchanged view stance case evidence round speech here time moment stage "
        "anything everything something someone applicable present presently yet case debate reason answer statement "
        "nothing none nobody"
    )
)
"""Words of every debate, which name nothing that one side has and the other lacks."""

_MOST, _LONGEST = 50, 2_000
"""Marks of one speech that are read, and characters of one."""

_FEWEST_LETTERS = 8
"""Letters and digits below which words do not identify a withdrawn concession."""

_BETWEEN = re.compile(r"[\W_]+")


class CheckedSpeech(Struct, frozen=True):
    """One speech as it was made. ``ledger`` has its citations, if they were looked up."""

    role: judgement.Side
    round: int
    text: str
    ledger: lookups.CitationLedger | None


class _MarkedWords(Struct, frozen=True):
    """Marked line: its words from a column on, behind the mark or below a mark without words."""

    mark: str
    line: Line
    column: int
    is_item: bool = False

    @property
    def words(self) -> str:
        return self.line.words[self.column :]


class MarkedLine(Struct, frozen=True):
    """A marked concession or withdrawal of a speech.

    Attributes:
        span: The words.
        start: Start of the part of the paragraph that may support it; ``end`` is its end.
    """

    span: lookups.TextSpan
    is_withdrawal: bool
    start: int
    end: int


def marks(text: str) -> tuple[MarkedLine, ...]:
    """The marks of ``text`` in their order, without those in fenced code and in quoted lines."""
    marked: list[MarkedLine] = []
    paragraph: list[_MarkedWords] = []
    end = 0
    for line in lines(text):
        if line.is_fenced or not line.words.strip():
            marked += _closed(paragraph, end)
            paragraph = []
        elif statement := _marked_words(line, paragraph[-1] if paragraph else None):
            paragraph.append(statement)
        end = line.start + len(line.words)
        if len(marked) + len(paragraph) >= _MOST:
            break
    return (*marked, *_closed(paragraph, end))


def _marked_words(line: Line, before: _MarkedWords | None) -> _MarkedWords | None:
    """Return the marked words of ``line``, given the mark before it in the same paragraph."""
    if match := _MARK.match(line.words):
        return _MarkedWords(match["mark"].lower(), line, match.end())
    if before is None:
        return None
    if before.is_item:
        return _next_item(line, before)
    return None if _plain(before.words) else _below(line, before)


def _next_item(line: Line, before: _MarkedWords) -> _MarkedWords | None:
    """Return the marked words of ``line`` if it is the next item of the same list."""
    item = _ITEM.match(line.words)
    if item is None or item.end() != before.column:
        return None
    return replace(before, line=line)


def _below(line: Line, mark: _MarkedWords) -> _MarkedWords | None:
    """Return the marked words of ``line`` for a mark without words: the line, or the first item of a list."""
    item = _ITEM.match(line.words)
    if item is None:
        plain = _BELOW.match(line.words)
        return _MarkedWords(mark.mark, line, plain.end()) if plain else None
    around = _ITEM.match(mark.line.words)
    is_sibling = around is not None and item.end() <= around.end()  # of the item that is the mark
    return None if is_sibling else _MarkedWords(mark.mark, line, item.end(), is_item=True)


def analyse_conduct(speeches: Sequence[CheckedSpeech]) -> debate.Conduct:
    """Return concessions, withdrawals and flags that ``speeches`` mark, in the order of speaking.

    A concession shares a content word with an earlier speech of the other side; any other concedes nothing.
    In a speech whose citations were not looked up the support of a concession is unknown: it is not flagged for
    missing support, and only the concession itself is known of convergence.
    """
    marked = list(_marked(speeches))
    conceded = [(speech, mark) for speech, mark in marked if not mark.is_withdrawal]
    flags: list[debate.Flag] = []
    for speech, mark in conceded:
        if _is_known(speech, mark) and not _cited(speech, mark):
            kind = debate.FlagKind.UNSUPPORTED_AGREEMENT
            flags.append(debate.Flag(kind=kind, role=speech.role, round=speech.round, **mark.span.model_dump()))
    of_challenger = [(speech, mark) for speech, mark in conceded if speech.role is base.Role.CHALLENGER]
    return debate.Conduct(concessions=_concessions(marked), flags=tuple(flags), convergence=_convergence(of_challenger))


def _marked(speeches: Sequence[CheckedSpeech]) -> Iterator[tuple[CheckedSpeech, MarkedLine]]:
    """Yield the marks of all speeches, without concessions of points that the other side has not raised."""
    words_of_side: dict[judgement.Side, frozenset[str]] = {}
    for speech in speeches:
        raised: set[str] = set()
        for side, words in words_of_side.items():
            if side is not speech.role:
                raised |= words
        for mark in marks(speech.text):
            if mark.is_withdrawal or not raised.isdisjoint(content_terms(mark.span.text)):
                yield speech, mark
        words_of_side[speech.role] = words_of_side.get(speech.role, frozenset()) | content_terms(speech.text)


def _closed(paragraph: list[_MarkedWords], end: int) -> Iterator[MarkedLine]:
    """Yield the marks of a paragraph that ends at ``end``, without those whose words concede or withdraw nothing."""
    for marked in paragraph:
        behind = marked.words.lstrip("*_")
        words = behind[:_LONGEST].rstrip(" \t\r*_")
        line_end = marked.line.start + len(marked.line.words)
        start = line_end - len(behind)
        is_withdrawal = marked.mark == "withdraw"
        has_content = bool(_plain(words)) if is_withdrawal else names_something(words)
        if has_content:
            span = lookups.TextSpan(text=words, start=start, end=start + len(words))
            yield MarkedLine(span, is_withdrawal, marked.line.start, end)


def names_something(words: str) -> bool:
    """Return whether ``words`` name something that is given up or taken back, and do not say that nothing is."""
    plain = _plain(words)
    return letters_in(plain) >= _FEWEST_LETTERS and _ABSENT.match(plain) is None


def content_terms(text: str) -> frozenset[str]:
    """Return the terms of ``text`` that name something; of a script without spaces, each two characters in a row."""
    spaced = {term for term in terms(text) if not UNSPACED.search(term)}
    unspaced: set[str] = set()
    for place in range(len(text) - 1):
        pair = text[place : place + 2]
        if len(UNSPACED.findall(pair)) == len(pair):
            unspaced.add(pair)
    return frozenset((spaced - _EMPTY_WORDS) | unspaced)


def match_withdrawals(marked: Sequence[MarkedLine]) -> dict[int, int | None]:
    """Map the number of each concession of one speaker to the mark that takes it back; None while it stands.

    The same words count once while they stand; a withdrawal repeats them.
    """
    taken_back: dict[int, int | None] = {}
    standing: dict[int, str] = {}
    for number, mark in enumerate(marked):
        words = _plain(mark.span.text)
        if not mark.is_withdrawal:
            if words not in standing.values():
                standing[number] = words
                taken_back[number] = None
            continue
        for concession, conceded in list(standing.items()):
            if _is_same(conceded, words):
                taken_back[concession] = number
                del standing[concession]
    return taken_back


def _concessions(marked: Sequence[tuple[CheckedSpeech, MarkedLine]]) -> tuple[debate.Concession, ...]:
    made: dict[int, debate.Concession] = {}  # by the number of its mark
    for side in debate.SPEAKING_ORDER:
        own = [number for number, (speech, _) in enumerate(marked) if speech.role is side]
        marks_of_side = [marked[number][1] for number in own]
        for given, taken in match_withdrawals(marks_of_side).items():
            speech, mark = marked[own[given]]
            withdrawn = None
            if taken is not None:
                later, withdrawal = marked[own[taken]]
                withdrawn = debate.Withdrawal(round=later.round, **withdrawal.span.model_dump())
            made[own[given]] = debate.Concession(
                role=side, round=speech.round, withdrawn=withdrawn, **mark.span.model_dump()
            )
    return tuple(made[number] for number in sorted(made))


def _is_same(conceded: str, withdrawn: str) -> bool:
    """Return whether one of the two holds the other."""
    one, other = sorted((conceded, withdrawn), key=len)
    return letters_in(one) >= _FEWEST_LETTERS and f" {one} " in f" {other} "


def _plain(words: str) -> str:
    return _BETWEEN.sub(" ", words).strip().casefold()


def _convergence(conceded: Sequence[tuple[CheckedSpeech, MarkedLine]]) -> debate.Convergence:
    if not conceded:
        return debate.Convergence.NONE
    unknown = 0
    for speech, mark in conceded:
        if not _is_known(speech, mark):
            unknown += 1
            continue
        statuses = {entry.status for entry in _cited(speech, mark)}
        if lookups.CitationStatus.VERIFIED not in statuses:
            return debate.Convergence.UNSUPPORTED
    return debate.Convergence.UNCHECKED if unknown else debate.Convergence.SUPPORTED


def _is_known(speech: CheckedSpeech, mark: MarkedLine) -> bool:
    """Return whether the citations with ``mark`` are known. A full ledger lacks those that follow."""
    if speech.ledger is None:
        return False
    if not speech.ledger.left_out:
        return True
    entries = speech.ledger.entries
    return bool(entries) and mark.end <= entries[-1].start


def _cited(speech: CheckedSpeech, mark: MarkedLine) -> list[lookups.LedgerEntry]:
    entries = speech.ledger.entries if speech.ledger else ()
    return [entry for entry in entries if mark.start <= entry.start < mark.end]
