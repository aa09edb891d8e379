"""Judgement of a fetched page as evidence for the source that cites it, and of figures without a source.

Pure: the caller passes the page. *Fabricated* is a heavy word, and the least certain one: a quote may be a translation,
and a page may show its text only with scripts. So it needs a page that is gone, or a long one, read whole, in the
quote's language, that contains hardly any of the quote's words.

A paragraph is the text between blank lines (specification: seed 003, Source Requirements). It states a figure when
it contains a number that counts, measures, dates or prices something, in digits, or a word such as ``million``. Numbers
that only name a place in the debate (``seq 5``, ``round 2``, ``[1]``, list numbers) and those inside names
(``COVID-19``, ``GPT-4``) are none. People and models recognise claims without figures:
code does not guess.
"""

import re
from collections.abc import Collection, Iterator
from unicodedata import normalize

from sparring.checks.quotes import Evidence
from sparring.schema.chaired_debate import CONJECTURE_LABEL
from sparring.schema.consultation import Source
from sparring.schema.lookups import Page, PageProblem, QuoteFinding, QuoteVerdict, SourceFinding, SourceStatus
from sparring.text.tidying import one_line
from sparring.text.words import SPACED, WORD

_STATUS_OF_PROBLEM = {
    PageProblem.GONE: SourceStatus.FABRICATED,
    PageProblem.REFUSED: SourceStatus.UNRELIABLE,
    PageProblem.FAILED: SourceStatus.UNREACHABLE,
}
_FEWEST_WORDS_OF_A_QUOTE = 3
_FEWEST_WORDS_OF_A_PAGE = 200
_FEWEST_CONTENT_WORDS = 4
_FEWEST_SMALL_WORDS = 2

_CONTENT = re.compile(r"[^\W\d_]{4,}|\d{2,}")
_SMALL = re.compile(r"\b[^\W\d_]{2,3}\b")
_SPACED = re.compile(r"[\u0000-\u0dff\u1e00-\u1fff]+")
"""Scripts that put spaces between words."""

_STEM = 6
"""Letters of a word that stand for all its forms."""

_MARKER = re.compile(r"(?<=\w[\w.,;:)])[ ]?\[\d{1,3}\]")
"""A reference mark of an encyclopedia, which a page's text has lost (``providers.sources.hypertext``)."""

_WORDS_SHOWN = 200
_TITLE_SHOWN = 80
_WORDS_LIMIT = 2_000


def check_source(source: Source, page: Page) -> SourceFinding:
    """Return the status of ``source`` by ``page``, fetched from its address."""
    if page.problem is not None:
        return _finding(source, page, _STATUS_OF_PROBLEM[page.problem], page.detail)
    quote = source.quote.strip()
    if not quote:
        reason = "nothing of the page is quoted, so what it supports cannot be checked"
        return _finding(source, page, SourceStatus.UNRELIABLE, reason)
    if _length(quote) < _FEWEST_WORDS_OF_A_QUOTE:
        return _finding(source, page, SourceStatus.UNRELIABLE, "the quote is too short to carry anything")
    return _searched(source, page, _find_quote(quote, page.text))


def _find_quote(quote: str, text: str) -> QuoteFinding:
    """Search the text of a page for the quote; also without reference marks, which the page has lost."""
    evidence = Evidence([text])
    finding = evidence.find(quote)
    unmarked = _MARKER.sub("", quote)
    if finding.verdict is QuoteVerdict.VERBATIM or unmarked == quote or _length(unmarked) < _FEWEST_WORDS_OF_A_QUOTE:
        return finding
    second = evidence.find(unmarked)
    # A bracket that the page has there, too, is no mark but an index, and may be another one.
    is_index = second.span is not None and text.startswith("[", second.span.end)
    return second if second.span and not is_index else finding


def _searched(source: Source, page: Page, finding: QuoteFinding) -> SourceFinding:
    if finding.verdict is QuoteVerdict.VERBATIM:
        words = " … ".join(part.text for part in finding.parts)
        return _finding(source, page, SourceStatus.VERIFIED, "the quoted words are on the page", words)
    if finding.nearest is not None:
        reason = f"the page has other words: {one_line(finding.nearest.difference, _WORDS_SHOWN)}"
        return _finding(source, page, SourceStatus.UNRELIABLE, reason, finding.nearest.span.text)
    if not page.is_whole:
        reason = "the quoted words are not in what could be read of the page"
        return _finding(source, page, SourceStatus.UNRELIABLE, reason)
    if _is_on_other_topic(source.quote, page.text):
        return _finding(source, page, SourceStatus.FABRICATED, "the page says nothing like it")
    reason = "the quoted words are not on the page" if page.text.strip() else "the page shows no text"
    return _finding(source, page, SourceStatus.UNRELIABLE, reason)


def _finding(source: Source, page: Page, status: SourceStatus, reason: str, words: str = "") -> SourceFinding:
    reason = one_line(reason, _WORDS_SHOWN + _TITLE_SHOWN)
    other_title = _other_title(source.title, page.title)
    if other_title:
        reason = f"{reason}; its title is “{other_title}”"
    return SourceFinding(
        url=source.url,
        quote=source.quote,
        status=status,
        reason=reason,
        page_words=one_line(words, _WORDS_LIMIT),
        final_url=page.final_url,
        fetched_at=None if page.problem else page.fetched_at,
    )


def _length(quote: str) -> int:
    """Words of ``quote``; where no spaces stand between them, two characters count as one."""
    length = 0
    for word in WORD.findall(quote):
        length += 1 if _SPACED.fullmatch(word) else max(1, len(word) // 2)
    return length


def _is_on_other_topic(quote: str, text: str) -> bool:
    """Return whether a long text in the quote's own language has less than a third of its words, in any form."""
    quoted, there = normalize("NFC", quote).casefold(), normalize("NFC", text).casefold()
    page_words = WORD.findall(there)
    content = {word for word in _CONTENT.findall(quoted) if _SPACED.fullmatch(word)}
    if len(page_words) < _FEWEST_WORDS_OF_A_PAGE or len(content) < _FEWEST_CONTENT_WORDS:
        return False
    # Articles and prepositions show the language: the page has to have half of the quote's.
    small = {*_SMALL.findall(quoted)}
    shared_small = small.intersection(page_words)
    if len(small) < _FEWEST_SMALL_WORDS or 2 * len(shared_small) < len(small):
        return False
    shared = sum(word[:_STEM] in there for word in content)
    return 3 * shared < len(content)


def _other_title(cited_title: str, real: str) -> str:
    """The page's own title, when most words of the one that is cited are not in it."""
    cited, own = {*WORD.findall(cited_title.casefold())}, {*WORD.findall(real.casefold())}
    if not cited or not own:
        return ""
    shorter = min(len(cited), len(own))
    is_other = 2 * len(cited & own) < shorter
    return one_line(real, _TITLE_SHOWN) if is_other else ""


_BLANK_LINES = re.compile(r"\n[ \t]*+\n")
_LEAD = " \t\r\n*_#>`-"
"""Characters that Markdown may put before a label at the beginning of a text."""

_NUMBERS = r"\d{1,6}(?:\s?(?:,|;|-|–|and|&|to)\s?\d{1,6})*+"
_ENTRY = re.compile(rf"(?a:\bseqs?\b)[.:]?\s{{0,3}}#?({_NUMBERS})", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_PLACES = (
    "seqs?|entry|entries|rounds?|phase|points?|step|part|sections?|articles?|chapters?|clause|figures?|fig|tables?"
    "|appendix|argument|claim|premise|reason|item|sources?|question|page|objection"
)
_NO_FIGURE = re.compile(
    rf"""
      https?://\S+
    | ^[ \t>*_-]*+\d{{1,3}}(?:[.)](?=\s)|、) | 第\d{{1,3}}                           # a list number
    | \[\d{{1,3}}(?:\s?[,;–-]\s?\d{{1,3}})*+\]                                     # a mark
    | \b(?:{_PLACES})\b[.:]?\s{{0,3}}\#?{_NUMBERS}(?![\d%.,]*\d|\s?%)              # a place: section 5
    | (?<![\w.,])\d\s(?:reasons?|points?|arguments?|objections?)\b
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_FIGURE = re.compile(
    rf"""
      (?<!{SPACED})(?<!\w-)(?<!\w\.)(?<!\d[,:])\d(?:[\d.,:]*\d)?
    | (?<=[a-z]-)(?:1[5-9]|20)\d\d(?!\w)     # mid-2019, but not COVID-19
    | \b(?:percent|per\scent|million|billion|trillion)s?\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_conjecture(text: str) -> bool:
    """Return whether ``text`` begins with the label of a conjecture, bold or not, as the specification asks."""
    return text.lstrip(_LEAD).upper().startswith(CONJECTURE_LABEL)


def cited_entries(text: str) -> tuple[int, ...]:
    """The entries that ``text`` refers to as ``(seq 5)`` or ``(seq 5, 7)``, each once."""
    numbers: dict[int, None] = {}
    for match in _ENTRY.finditer(text):
        for number in _DIGITS.findall(match[1]):
            numbers[int(number)] = None
    return tuple(numbers)


def unsourced_paragraphs(content: str, *, entries: Collection[int] = (), given: str = "") -> tuple[int, ...]:
    """Return the numbers, from 1, of the paragraphs of ``content`` that state figures without their source.

    A paragraph of an entry without sources names one by ``(seq n)`` with n among ``entries``, or has the label of a
    conjecture, which, at the beginning of ``content``, stands for all of it. Figures that are ``given``, such as those
    of the topic, need no source.
    """
    if is_conjecture(content):
        return ()
    known = frozenset(_figures(given))
    parts = _BLANK_LINES.split(content.replace("\r\n", "\n").strip())
    paragraphs = [part for part in parts if part.strip()]
    unsourced: list[int] = []
    for number, paragraph in enumerate(paragraphs, start=1):
        if not _is_sourced(paragraph, entries) and not known.issuperset(_figures(paragraph)):
            unsourced.append(number)
    return tuple(unsourced)


def _figures(text: str) -> Iterator[str]:
    return (match[0].lower() for match in _FIGURE.finditer(_NO_FIGURE.sub(" ", text)))


def _is_sourced(paragraph: str, entries: Collection[int]) -> bool:
    if CONJECTURE_LABEL in paragraph.upper():
        return True
    return any(number in entries for number in cited_entries(paragraph))
