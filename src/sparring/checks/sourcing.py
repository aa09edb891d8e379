"""Whether what states figures says where they come from (specification: seed 003, Source Requirements).

A paragraph is what stands between blank lines. It states a figure when it holds a number that counts, measures, dates
or prices something, in digits, or a word such as ``million``. Numbers that only name a place in the debate (``seq 5``,
``round 2``, ``[1]``, list numbers) and those inside names (``COVID-19``, ``GPT-4``) are none. That a claim without any
figure is a claim at all is for people and models to see: code does not guess.
"""

import re
from collections.abc import Collection, Iterator

from sparring.schema.chaired_debate import CONJECTURE_LABEL

_BLANK_LINES = re.compile(r"\n[ \t]*+\n")
_LEAD = " \t\r\n*_#>`-"
"""What Markdown may put before a label at the beginning of a text."""

_NUMBERS = r"\d{1,6}(?:\s?(?:,|;|-|–|and|&|to)\s?\d{1,6})*+"
_MARK = re.compile(r"\[(\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*+)\]")
_ENTRY = re.compile(rf"\bseqs?\b[.:]?\s{{0,3}}#?({_NUMBERS})", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_PLACES = (
    "seqs?|entry|entries|rounds?|phase|points?|step|part|sections?|articles?|chapters?|clause|figures?|fig|tables?"
    "|appendix|argument|claim|premise|reason|item|sources?|question|page|objection"
)
_NO_FIGURE = re.compile(
    rf"""
      https?://\S+
    | ^[ \t>*_-]*+\d{{1,3}}[.)](?=\s)                                             # a list number
    | \[\d{{1,3}}(?:\s?[,;–-]\s?\d{{1,3}})*+\]                                     # a mark
    | \b(?:{_PLACES})\b[.:]?\s{{0,3}}\#?{_NUMBERS}(?![\d%.,]*\d|\s?%)              # a place: section 5
    | (?<![\w.,])\d\s(?:reasons?|points?|arguments?|objections?)\b
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_FIGURE = re.compile(
    r"""
      (?<!\w)(?<!\w-)(?<!\w\.)(?<!\d[,:])\d(?:[\d.,:]*\d)?
    | (?<=[a-z]-)(?:1[5-9]|20)\d\d(?!\w)     # mid-2019, but not COVID-19
    | \b(?:percent|per\scent|million|billion|trillion)s?\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_conjecture(text: str) -> bool:
    """Whether ``text`` begins with the label of a conjecture, which may stand in bold, as the specification has it."""
    return text.lstrip(_LEAD).upper().startswith(CONJECTURE_LABEL)


def entries_cited(text: str) -> tuple[int, ...]:
    """The entries that ``text`` refers to as ``(seq 5)`` or ``(seq 5, 7)``, each once."""
    found = (int(number) for match in _ENTRY.finditer(text) for number in _DIGITS.findall(match[1]))
    return tuple(dict.fromkeys(found))


def unsourced_paragraphs(
    content: str, *, sources: int, entries: Collection[int] = (), given: str = ""
) -> tuple[int, ...]:
    """The numbers, from 1, of the paragraphs of ``content`` that state figures without saying where they come from.

    A paragraph says so by ``[n]``, with n up to ``sources``, by ``(seq n)`` with n among ``entries``, or by the label
    of a conjecture, which, at the beginning of ``content``, stands for all of it. Figures that are ``given``, such as
    those of the topic, need no source.
    """
    if is_conjecture(content):
        return ()
    known = frozenset(_figures(given))
    return tuple(
        number
        for number, paragraph in enumerate(_paragraphs(content), start=1)
        if not _is_sourced(paragraph, sources, entries) and any(each not in known for each in _figures(paragraph))
    )


def _paragraphs(content: str) -> Iterator[str]:
    return (part for part in _BLANK_LINES.split(content.replace("\r\n", "\n").strip()) if part.strip())


def _figures(text: str) -> Iterator[str]:
    return (match[0].lower() for match in _FIGURE.finditer(_NO_FIGURE.sub(" ", text)))


def _is_sourced(paragraph: str, sources: int, entries: Collection[int]) -> bool:
    marks = (int(number) for match in _MARK.finditer(paragraph) for number in _DIGITS.findall(match[1]))
    return (
        CONJECTURE_LABEL in paragraph.upper()
        or any(1 <= mark <= sources for mark in marks)
        or any(seq in entries for seq in entries_cited(paragraph))
    )
