"""The words that the claims check knows, read from ``lexicon/*.toml``; a word is a row there, never a rule here."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from itertools import chain
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator

from sparring.checks.claims.tokens import Language
from sparring.schema.base import Record

Change = Literal["", "by", "from", "to", "every"]
Bound = Literal["", "=", "~", "<", "<=", ">", ">=", "range"]
"""Simply or exactly so many, about, fewer, at most, more, at least, from one to another."""

Window = Literal["", "=", "~", "<", "<=", ">", ">=", "since", "to"]
"""How a date is meant: on, as of, around, before, by, after, not before it; so since it; until it, and no longer."""

Phrase = tuple[str, ...]
Sign = TypeVar("Sign", Bound, Window)
_DENIED_BOUNDS: Mapping[Bound, Bound] = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
"""What a bound is behind a "not": "not over 5", "may not exceed 5"."""

_DENIED_WINDOWS: Mapping[Window, Window] = {"<": ">=", ">": "<=", "to": ">="}
"""What a window is behind a "not": "not after 2019", "not until 2019"."""

_PHRASE_REACH = 4
_JOINING = frozenset(".-")


def _by_phrase(table: Mapping[str, str]) -> dict[Phrase, str]:
    return {_phrase(words): sign for words, sign in table.items()}


def _by_form(table: Mapping[str, str]) -> dict[str, str]:
    return {form: plain for plain, forms in table.items() for form in forms.split()}


def _numbered(names: Iterable[str]) -> dict[str, int]:
    months = {name: number for number, name in enumerate(names, start=1)}
    shortened = {name[:3]: number for name, number in months.items()} | ({"sept": 9} if months else {})
    return shortened | months


def _phrases(phrases: Iterable[str]) -> frozenset[Phrase]:
    return frozenset(_phrase(words) for words in phrases)


def _phrase(words: str) -> Phrase:
    return tuple(words.split())


class Lexicon(Record):
    """One language's words; what each list is for stands beside it in the file.

    Attributes:
        small: Words that say nothing about what a text is about.
        bounds: What stands before a number and makes it a bound.
        bounds_after: The same, behind a number.
        windows: What stands before a date.
        changes: Words before a number: by how much something changed, what it was, what it became, how often it is.
        rates: What stands behind a number that is so many for each of something.
        differences: What stands right behind a number that is so many more or less than something.
        distances: What stands before a bound or window, and says how far from it something is.
        functional: Words that carry nothing which would have to be accounted for; in capitals, ``acronyms`` do.
        prepositions: Words that tell what the phrase behind them is to the others; ``determiners`` may stand between,
            of which the ``definite`` tell of one that is known.
        directions: Two prepositions of which each tells the opposite of the other.
        phrases: Each phrase that says what one word says.
        open_to: Those of the ``phrases`` that leave open whether it is so, as "tries to" does.
        settings: Words that only tell that a key has a value.
        switches: Words for on (1) and off (0).
        hedges: Words that make a sentence less certain; ``doubts`` those with which it says nothing to be so, and
            ``conditions`` those that leave that open even where they stand behind it.
        infinitives: Words behind which a verb only names what is done.
        clauses: Words that may begin a clause; ``subclauses`` those that begin one which depends on another, and
            ``relatives`` those that begin one about what stands before it; what ``premises`` begin need not be so.
        beside: Prepositions behind which nobody does what the sentence tells.
        wholes: What stands between a number and that of the whole, of which so many are meant.
        present: Words that tell what is; ``past`` what was, ``future`` what will be.
        being: What may stand behind those.
        parts: Words before what only some of is told of; ``universals`` before what all of is.
        alternatives: Words between two of which one is so.
        pairings: Words which say that of several things several others are told in turn.
        suffixes: Scales that are glued to a number.
        versions: Words behind which a version stands; ``releases`` what stands behind one.
        numbered: Words behind which a number is a port or a status, and which of them.
        irregular: The plain form of every inflected one that no ending tells; ``synonyms`` one word for several.
        opposites: Each phrase with what says the opposite of it, both ways; ``scopes`` the same for how many are meant.
    """

    small: frozenset[str]
    months: Annotated[Mapping[str, int], BeforeValidator(_numbered)]
    percent: Annotated[frozenset[Phrase], BeforeValidator(_phrases)]
    negations: frozenset[str]
    auxiliaries: frozenset[str]
    turns: frozenset[str]
    fillers: frozenset[str]
    labels: frozenset[str]
    plain_capitals: frozenset[str]
    no_nouns: frozenset[str]
    countable_names: frozenset[str]
    relations: frozenset[str]
    ranges_from: frozenset[str]
    ranges_to: frozenset[str]
    ranges_alone: frozenset[str]
    ranges_within: frozenset[str]
    articles: frozenset[str]
    articles_before: frozenset[str]
    articles_after: frozenset[str]
    year_after: frozenset[str]
    surely_year_after: frozenset[str]
    month_after: frozenset[str]
    date_fillers: frozenset[str]
    date_starts: frozenset[str]
    numerals: Mapping[str, int]
    ordinals: Mapping[str, int]
    scales: Mapping[str, int]
    currencies: Mapping[str, str]
    changes: Mapping[str, Change]
    rates: Annotated[frozenset[Phrase], BeforeValidator(_phrases)]
    differences: frozenset[str]
    bounds: Annotated[Mapping[Phrase, Bound], BeforeValidator(_by_phrase)]
    bounds_after: Annotated[Mapping[Phrase, Bound], BeforeValidator(_by_phrase)]
    century: frozenset[str]
    ages: Annotated[frozenset[Phrase], BeforeValidator(_phrases)]
    places_after: frozenset[str]
    confidences: frozenset[str]
    windows: Annotated[Mapping[Phrase, Window], BeforeValidator(_by_phrase)]
    distances: frozenset[str]
    opposites: frozenset[tuple[str, str]]
    scopes: frozenset[tuple[str, str]]
    hedges: frozenset[str]
    doubts: frozenset[str]
    conditions: frozenset[str]
    infinitives: frozenset[str]
    clauses: frozenset[str]
    subclauses: frozenset[str]
    relatives: frozenset[str]
    premises: frozenset[str]
    beside: frozenset[str]
    parts: frozenset[str]
    wholes: Annotated[frozenset[Phrase], BeforeValidator(_phrases)]
    present: frozenset[str]
    past: frozenset[str]
    future: frozenset[str]
    being: frozenset[str]
    universals: frozenset[str]
    alternatives: frozenset[str]
    pairings: frozenset[str]
    functional: frozenset[str]
    acronyms: frozenset[str]
    prepositions: frozenset[str]
    determiners: frozenset[str]
    definite: frozenset[str]
    directions: frozenset[tuple[str, str]]
    irregular: Annotated[Mapping[str, str], BeforeValidator(_by_form)]
    synonyms: Annotated[Mapping[str, str], BeforeValidator(_by_form)]
    phrases: Annotated[Mapping[Phrase, str], BeforeValidator(_by_phrase)]
    open_to: Mapping[str, str]
    settings: frozenset[str]
    switches: Mapping[str, float]
    suffixes: Mapping[str, int]
    versions: frozenset[str]
    releases: Annotated[frozenset[Phrase], BeforeValidator(_phrases)]
    numbered: Mapping[str, str]
    causes: frozenset[str]
    associations: frozenset[str]

    @cached_property
    def number_words(self) -> frozenset[str]:
        """Every word that a number in words can begin with."""
        return frozenset({*self.numerals, *self.ordinals, "a", "half", "no"})

    @cached_property
    def plain_forms(self) -> Mapping[str, str]:
        """What stands for a word where words are compared."""
        plain = {**self.synonyms, **self.irregular}
        return {form: plain.get(word, word) for form, word in plain.items()}

    @cached_property
    def phrase_starts(self) -> Mapping[str, Sequence[Phrase]]:
        """The ``phrases``, the longest first, by the word that they begin with."""
        longest = sorted(self.phrases, key=len, reverse=True)
        return {start: [each for each in longest if each[0] == start] for start in {each[0] for each in longest}}

    @cached_property
    def open_phrases(self) -> frozenset[str]:
        """What stands for the phrases of ``open_to``."""
        return frozenset(self.open_to.values())

    @cached_property
    def date_words(self) -> frozenset[str]:
        """Every word that a date can begin with, and the months."""
        return frozenset({*self.months, *self.numerals, *self.ordinals, *self.date_starts})

    def bound_before(self, before: Sequence[str]) -> Bound:
        """What the words that end ``before`` a number make of it, the longest phrase first; a "not" turns it round."""
        return self._sign_before(before, self.bounds, _DENIED_BOUNDS) or ""

    def window_before(self, before: Sequence[str]) -> Window:
        """The same for a date."""
        return self._sign_before(before, self.windows, _DENIED_WINDOWS) or ""

    def distance_before(self, before: Sequence[str]) -> str:
        """The word that says how far from its bound or window something is, before a number or date; "not" with it."""
        for at in range(len(before) - 2, -1, -1):
            if before[at] in self.distances and self._begins_bound(before[at + 1 :]):
                is_denied = at and before[at - 1] in self.negations
                return f"not {before[at]}" if is_denied else before[at]
        return ""

    def _begins_bound(self, words: Sequence[str]) -> bool:
        """Whether ``words`` begin with a bound or window, and have nothing behind it that could not stand there."""
        for length in range(min(_PHRASE_REACH, len(words)), 0, -1):
            phrase = tuple(words[:length])
            if phrase in self.bounds or phrase in self.windows:
                return all(word in self.fillers or word in self.date_fillers for word in words[length:])
        return False

    def _sign_before(
        self, before: Sequence[str], table: Mapping[Phrase, Sign], denied: Mapping[Sign, Sign]
    ) -> Sign | None:
        for length in range(_PHRASE_REACH, 0, -1):
            if sign := table.get(tuple(before[-length:])):
                is_denied = length < len(before) and before[-length - 1] in self.negations
                return denied.get(sign, sign) if is_denied else sign
        return None


class Concepts(Record):
    """Words of the same meaning, by one name for all of them, such as ``#deaths``.

    Attributes:
        counted: The names of things that are counted.
        units: What a unit measures, and how many of the smallest ones it is; ``measures`` the same by the words.
    """

    names: Mapping[str, str]
    counted: frozenset[str]
    units: Mapping[str, tuple[str, float]]
    measures: Mapping[str, tuple[str, float]]


@cache
def lexicon(language: Language) -> Lexicon:
    """The words of ``language``."""
    pairs = {name: frozenset(_both_ways(each)) for name, each in _table("opposites.toml")[language].items()}
    table = _table(f"{language}.toml")
    open_to = {f"{form} to": f"{plain} to" for form, plain in _by_form(table["open_to"]).items()}
    return Lexicon.model_validate(table | pairs | {"open_to": open_to, "phrases": table["phrases"] | open_to})


@cache
def bounding_words(language: Language) -> frozenset[str]:
    """Every word of what bounds a quantity or a date."""
    words = lexicon(language)
    phrases = chain(words.bounds, words.bounds_after, words.windows)
    return frozenset(word for phrase in phrases for word in phrase if word not in _JOINING)


@cache
def concepts() -> Concepts:
    """Words of the same meaning, in all languages."""
    table = _table("concepts.toml")
    counted = dict(_named(table["counted"]))
    return Concepts(
        names=dict(_named(table["others"])) | counted,
        counted=frozenset(counted.values()),
        units={f"#{name}": unit for name, unit in table["units"].items()},
        measures={
            word: (kind, factor)
            for kind, units in table["measures"].items()
            for words, factor in units.items()
            for word in words.split()
        },
    )


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("sparring.checks.claims") / "lexicon" / name).read_text(encoding="utf-8"))


def _named(table: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((word, f"#{name}") for name, words in table.items() for word in words.split())


def _both_ways(pairs: Iterable[str]) -> Iterator[tuple[str, str]]:
    for pair in pairs:
        one, _, other = pair.partition("/")
        yield one, other
        yield other, one
