"""The words that the claims check uses, read from ``words/*.toml``: a word is a row there, never a rule in code."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib import resources
from typing import Any, Literal, cast, get_type_hints

from msgspec import Struct

from sparring.checks.claims.parsing.language import Language

Sign = Literal["", "=", "~", "<", "<=", ">", ">=", "since", "to"]
"""Exactly, as of, about, fewer, at most, more, at least, since then, until then."""

Phrase = tuple[str, ...]


class Lexicon(Struct, frozen=True, dict=True):
    """The words of one language; the file describes the purpose of each list.

    Phrases are tuples of tokens. ``first_words`` maps the first token of each phrase of ``phrases`` to the phrases.
    """

    decimal_mark: str
    telling: frozenset[str]
    limiting: frozenset[str]
    months: Mapping[str, int]
    percent: frozenset[Phrase]
    negations: frozenset[str]
    auxiliaries: frozenset[str]
    subordinators: frozenset[str]
    clause_words: frozenset[str]
    functional: frozenset[str]
    determiners: frozenset[str]
    slots: frozenset[str]
    either_way: frozenset[str]
    year_after: frozenset[str]
    date_fillers: frozenset[str]
    fillers: frozenset[str]
    versions: frozenset[str]
    releases: frozenset[Phrase]
    numerals: Mapping[str, int]
    ordinals: Mapping[str, int]
    scales: Mapping[str, int]
    currencies: Mapping[str, str]
    bounds: Mapping[Phrase, Sign]
    bounds_after: Mapping[Phrase, Sign]
    windows: Mapping[Phrase, Sign]
    phrases: Mapping[Phrase, Phrase]
    opposites: frozenset[tuple[Phrase, Phrase]]
    irregular: Mapping[str, str]

    @cached_property
    def value_words(self) -> frozenset[str]:
        """Return every word that a value in words can begin with."""
        return frozenset({*self.numerals, *self.ordinals, *self.months, "ngày", "mùng", "mồng", "tháng"})

    @cached_property
    def bound_ends(self) -> frozenset[str]:
        """Return the last words of all phrases that bound a value after them."""
        return frozenset(phrase[-1] for phrase in (*self.bounds, *self.windows))

    @cached_property
    def first_words(self) -> Mapping[str, tuple[Phrase, ...]]:
        """Return the phrases by their first token, the longest first."""
        by_first: dict[str, tuple[Phrase, ...]] = {}
        for phrase in sorted(self.phrases, key=len, reverse=True):
            by_first[phrase[0]] = (*by_first.get(phrase[0], ()), phrase)
        return by_first


@cache
def lexicon(language: Language) -> Lexicon:
    """Return the words of ``language``; a list that its file does not have is empty."""
    table: dict[str, Any] = _table(f"{language}.toml")
    sets = {name: frozenset(table.get(name, "").split()) for name in _SETS}
    return Lexicon(
        decimal_mark=table["decimal_mark"],
        months=_months(table.get("months", ""), language),
        opposites=_opposites(table.get("opposites", "")),
        phrases=_meanings(table.get("phrases", "")),
        irregular=_irregular(table.get("irregular", "")),
        percent=_phrases(table.get("percent", "")),
        releases=_phrases(table.get("releases", "")),
        currencies=dict(_pairs(table.get("currencies", ""))),
        numerals=_numbers(table.get("numerals", "")),
        ordinals=_numbers(table.get("ordinals", "")),
        scales=_numbers(table.get("scales", "")),
        bounds=_signs(table.get("bounds", {})),
        bounds_after=_signs(table.get("bounds_after", {})),
        windows=_signs(table.get("windows", {})),
        **cast("dict[str, Any]", sets),
    )


def _months(names: str, language: Language) -> dict[str, int]:
    """Return the numbers of months by their names, in English also by their abbreviations."""
    months = {name: number for number, name in enumerate(names.split(), start=1)}
    if language is Language.ENGLISH:
        months |= {name[:3]: number for name, number in months.items()}
        months["sept"] = 9
    return months


def _opposites(pairs: str) -> frozenset[tuple[Phrase, Phrase]]:
    """Return the pairs of ``one/other turned_off/turned_on`` in both directions."""
    opposites: set[tuple[Phrase, Phrase]] = set()
    for pair in pairs.split():
        one, other = (tuple(phrase.split("_")) for phrase in pair.split("/"))
        opposites |= {(one, other), (other, one)}
    return frozenset(opposites)


def _meanings(text: str) -> dict[Phrase, Phrase]:
    """Return the usual phrase for each phrase of ``a phrase = the usual one; ...``."""
    meanings: dict[Phrase, Phrase] = {}
    for entry in _listed(text):
        phrase, meaning = entry.split("=")
        meanings[tuple(phrase.split())] = tuple(meaning.split())
    return meanings


def _irregular(text: str) -> dict[str, str]:
    """Return the plain form of each irregular form of ``go went gone; ...``."""
    plain_of: dict[str, str] = {}
    for entry in _listed(text):
        plain, *forms = entry.split()
        plain_of |= dict.fromkeys(forms, plain)
    return plain_of


_SETS = tuple(name for name, kind in get_type_hints(Lexicon).items() if kind == frozenset[str])


def _table(name: str) -> dict[str, Any]:
    file = resources.files("sparring.checks.claims") / "words" / name
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _listed(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split(";") if part.strip()]


def _phrases(text: str) -> frozenset[Phrase]:
    return frozenset(tuple(phrase.split()) for phrase in _listed(text))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for pair in text.split():
        word, _, value = pair.partition("=")
        yield word, value


def _numbers(text: str) -> dict[str, int]:
    return {word: int(value) for word, value in _pairs(text)}


def _signs(table: Mapping[Sign, str]) -> dict[Phrase, Sign]:
    return {phrase: sign for sign, phrases in table.items() for phrase in _phrases(phrases)}


@cache
def units() -> Mapping[str, tuple[str, float]]:
    """Return the quantity of each unit word, and its size in the smallest unit."""
    return {
        word: (kind, factor)
        for kind, table in _table("units.toml").items()
        for words, factor in table.items()
        for word in words.split()
    }


@cache
def statement_words(name: str) -> frozenset[str]:
    """Return a list of the words that sentences about a key and its value have."""
    return frozenset(_table("statements.toml")[name].split())


@cache
def record_words(name: str) -> frozenset[str]:
    """Return the words that may accompany key and value of a kind of record."""
    return frozenset(_table("statements.toml")["records"][name].split())
