"""What is read in a claim and its evidence: words, numbers, dates. The tables say what each of them shows."""

from collections.abc import Callable
from functools import partial

import pytest

from sparring.checks.claims.comparison import date_holds, quantity_holds
from sparring.checks.claims.context import is_label
from sparring.checks.claims.dates import DateMention, find_dates, roman_value
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.numerals import Version, digits_value, numeral_at, version_at
from sparring.checks.claims.quantities import Quantity, find_quantities
from sparring.checks.claims.terms import Terms, fold
from sparring.checks.claims.tokens import Language, Text
from support.texts import cases, texts

TEXTS = texts("claims")


def numeral(text: str, language: Language) -> list[object] | None:
    found = numeral_at(Text(text).lowered, 0, lexicon(language), language)
    return found and [found.value, found.end, *([True] if found.is_ordinal else [])]


def quantities(text: str) -> tuple[Quantity, ...]:
    read = Text(text)
    taken = frozenset(place for date in find_dates(read) for place in range(date.begin, date.end))
    return find_quantities(read, taken)


def as_written(text: str, found: Quantity | DateMention) -> str:
    return Text(text).span_of(found.begin, found.end).text


def quantity(text: str, found: Quantity) -> str:
    low, high = (int(each) if each % 1 == 0 else each for each in (found.low, found.high))
    return " ".join(f"{as_written(text, found)} = {found.bound} {low}..{high} {found.kind}".split())


def day(found: DateMention) -> str:
    told = "-".join(str(each or "?") for each in (found.year, found.month, found.day))
    return told.removesuffix("-?").removesuffix("-?")


def date(text: str, found: DateMention) -> str:
    until = f"to {found.last_year}" if found.last_year else f"through {day(found.through)}" if found.through else ""
    return " ".join(f"{as_written(text, found)} = {found.window} {day(found)} {until}".split())


def versions(written: str) -> list[Version]:
    text = Text(written)
    found = (version_at(text, place, lexicon(text.language)) for place in range(len(text.written)))
    return [each for each in found if each]


def labels(written: str) -> list[int]:
    text = Text(written)
    return [place for place in range(len(text.written)) if is_label(text, place, lexicon(text.language))]


READERS: dict[str, Callable[[str], object]] = {
    "a text is words, numbers and marks": lambda text: Text(text).written,
    "a text is of the language that most of its words are": lambda text: Text(text).language,
    "a full stop before a small letter ends no sentence": lambda text: list(Text(text).sentence_ends),
    "a text is read as terms": lambda text: [word.text for word in Terms(Text(text)).words],
    "code is told by its marks or its shape": lambda text: [w.text for w in Terms(Text(text)).words if w.is_code],
    "a number in English has its value, its words and its rank": partial(numeral, language=Language.ENGLISH),
    "a number in Vietnamese has its value, its words and its rank": partial(numeral, language=Language.VIETNAMESE),
    "points and commas are read as the language has them": lambda text: [digits_value(text, each) for each in Language],
    "a Roman numeral is read below forty": roman_value,
    "the first quantity is an interval of its kind": lambda text: quantity(text, quantities(text)[0]),
    "what only names something is no quantity": lambda text: list(quantities(text)),
    "the words before a number bound it": lambda text: quantities(text)[0].bound,
    "what is counted stands behind the number, or is implied": lambda text: sorted(quantities(text)[-1].nouns),
    "the places of a number are named behind it": lambda text: sorted(quantities(text)[0].places),
    "the names of a number stand before it": lambda text: sorted(quantities(text)[0].names),
    "a date is read with its window": lambda text: "; ".join(date(text, each) for each in find_dates(Text(text))),
    "a date in brackets has the name before it": lambda text: [sorted(found.owner) for found in find_dates(Text(text))],
    "not every number with a point is a version": versions,
    "a count beside a name is no label": labels,
    "words that are spelled in one way or several": lambda text: len({fold(w, Language.ENGLISH) for w in text.split()}),
    "Vietnamese words keep their accents": partial(fold, language=Language.VIETNAMESE),
    "accents are kept where they tell words apart": lambda text: Text(text).lowered,
}


@pytest.mark.parametrize(("table", "text", "read"), cases("claim-reading"))
def test_a_text_is_read_as_its_table_says(table: str, text: str, read: object) -> None:
    assert READERS[table](text) == read


@pytest.mark.parametrize(("text", "inside", "outside"), TEXTS["a-version-is-an-interval"])
def test_a_version_is_an_interval(text: str, inside: str, outside: str) -> None:
    (version,) = versions(text)
    (one,), (other,) = versions(inside), versions(outside)
    assert version.low <= one.low <= version.high
    assert not version.low <= other.low <= version.high


@pytest.mark.parametrize(("claim", "evidence", "holds"), TEXTS["a-number-says-yes-no-or-nothing-about-another"])
def test_a_number_says_yes_no_or_nothing_about_another(claim: str, evidence: str, *, holds: bool | None) -> None:
    said, there = (find_quantities(Text(text), frozenset())[0] for text in (claim, evidence))
    assert quantity_holds(said, there) is holds


@pytest.mark.parametrize(("claim", "evidence", "holds"), TEXTS["a-day-says-yes-no-or-nothing-about-a-window"])
def test_a_day_says_yes_no_or_nothing_about_a_window(claim: str, evidence: str, *, holds: bool | None) -> None:
    said, there = (find_dates(Text(text))[0] for text in (claim, evidence))
    assert date_holds(said, there) is holds
