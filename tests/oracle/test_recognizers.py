"""Our numbers and dates against those of Recognizers-Text, which was written by other people for other ends."""

import importlib
import tomllib
from collections.abc import Callable
from datetime import date
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from sparring.checks.claims.document import Sentence, parse
from sparring.checks.claims.values.dates import Date, date_at
from sparring.checks.claims.values.value import DATE, DAY, DAYS_A_MONTH, DAYS_A_YEAR, Value

_CULTURE = "en-us"
_MODIFIERS = {"before": "<", "after": ">", "since": "since"}
_DISAGREEMENTS: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("disagreements.toml").read_text(encoding="utf-8")
)


def in_words(table: str) -> dict[int, str]:
    """Numbers, and what they are called."""
    rows = (row.partition(" ") for row in table.strip().replace("\n", "|").split("|"))
    return {int(number): words for number, _, words in rows}


NUMBERS = in_words("""
2 two|13 thirteen|21 twenty-one|58 fifty-eight|90 ninety|100 one hundred|101 one hundred and one
110 one hundred and ten|342 three hundred and forty-two|2150 two thousand one hundred and fifty
3001 three thousand and one|4000 four thousand|9999 nine thousand nine hundred and ninety-nine
10010 ten thousand and ten|65300 sixty-five thousand three hundred|100000 one hundred thousand|1000000 one million
999999 nine hundred and ninety-nine thousand nine hundred and ninety-nine|7000250 seven million two hundred and fifty
20000017 twenty million and seventeen|500000000 five hundred million|1000000000 one billion
123456789 one hundred and twenty-three million four hundred and fifty-six thousand seven hundred and eighty-nine
""")
SMALL = in_words("""
2 two|3 three|11 eleven|12 twelve|19 nineteen|20 twenty|21 twenty-one|32 thirty-two|40 forty|53 fifty-three
75 seventy-five|80 eighty|99 ninety-nine
""")
RANKS = in_words("""
2 second|3 third|11 eleventh|12 twelfth|19 nineteenth|20 twentieth|21 twenty-first|32 thirty-second|40 fortieth
53 fifty-third|75 seventy-fifth|80 eightieth|99 ninety-ninth
""")


def rank(number: int) -> str:
    """The number in digits, as an ordinal."""
    return f"{number}{'th' if number in {11, 12} else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


NUMBER_SHAPES: dict[str, Callable[[int, int], str]] = {
    "digits": lambda number, _: f"There were {number} people in the town.",
    "digits in groups": lambda number, _: f"There were {number:,} people in the town.",
    "decimals": lambda number, small: f"It weighed {number}.{small} units of gold.",
    "a scale": lambda _, small: f"There were {small}.5 million people in the town.",
    "words": lambda number, _: f"There were {NUMBERS[number]} people in the town.",
    "words without and": lambda number, _: f"There were {NUMBERS[number].replace(' and', '')} people in the town.",
    "a rank": lambda _, small: f"This is the {rank(small)} visitor of the town.",
    "a rank in words": lambda _, small: f"This is the {RANKS[small]} visitor of the town.",
    "a high rank": lambda _, small: f"This is the two thousand one hundred and {RANKS[small]} visitor.",
    "a percentage": lambda _, small: f"It grew by {small}.5% in the town.",
    "a percentage in words": lambda _, small: f"It grew by {SMALL[small]} per cent in the town.",
    "a range": lambda number, small: f"There were between {number} and {number + small} people in the town.",
    "two numbers": lambda number, small: f"There were {number:,} men and {SMALL[small]} horses in the town.",
    "money": lambda number, _: f"It cost ${number:,} in the town.",
    "a dozen": lambda _, small: f"There were {SMALL[small]} dozen people in the town.",
}

DAYS = (date(1700, 1, 1), date(1812, 2, 29), date(1945, 5, 22), date(2003, 9, 3), date(2090, 12, 31))
"""Few: their reader takes 10 ms a date."""

DATE_SHAPES = (
    "She was born on {0.day} {0:%B} {0.year} in the town.",
    "She was born on {0:%B} {0.day}, {0.year} in the town.",
    "She was born on the {rank} of {0:%B} {0.year} in the town.",
    "She was born on {0:%b} {0.day}, {0.year} in the town.",
    "She was born on {0:%Y-%m-%d} in the town.",
    "She was born on {0.day} {0:%B} in the town.",
    "She was born in {0:%B} {0.year} in the town.",
    "She was born in {0.year} in the town.",
    "She left the town before {0.day} {0:%B} {0.year}.",
    "She left the town after {0:%B} {0.year}.",
    "She lived in the town since {0.year}.",
)


def values_of(text: str) -> list[tuple[Sentence, Value]]:
    return [(sentence, value) for sentence in parse(text).sentences for value in sentence.values]


def numbers_we_read(text: str) -> list[float]:
    return [value.amount for _, value in values_of(text) if value.kind not in {DATE, DAY}]


def _theirs(package: str) -> Any:
    """Half a second's import, which has no types: only where it is asked."""
    return importlib.import_module(package)


def numbers_they_read(text: str) -> list[float]:
    theirs = _theirs("recognizers_number")
    ranks = theirs.recognize_ordinal(text, _CULTURE)
    found = theirs.recognize_number(text, _CULTURE)
    counts = [each for each in found if not any(rank.start <= each.start <= rank.end for rank in ranks)]
    return [float(each.resolution["value"]) for each in sorted((*ranks, *counts), key=lambda each: each.start)]


def dates_we_read(text: str) -> list[str]:
    found: list[str] = []
    for sentence, value in values_of(text):
        date = date_at(sentence.tokens, value.core, sentence.lexicon)
        if date and value.kind in {DATE, DAY}:
            found.append(f"{value.sign} {_written(date)}".strip())
    return found


def _written(date: Date) -> str:
    year, rest = divmod(date.first, DAYS_A_YEAR)
    month, day = divmod(rest, DAYS_A_MONTH)
    length = date.last - date.first + 1
    parts = [f"{month + 1:02}"] * (length < DAYS_A_YEAR) + [f"{day + 1:02}"] * (length == 1)
    return "-".join((str(year or "XXXX"), *parts))


def dates_they_read(text: str) -> list[str]:
    found = _theirs("recognizers_date_time").recognize_datetime(text, _CULTURE)
    values = (each.resolution["values"][0] for each in found)
    return [f"{_MODIFIERS.get(value.get('Mod', ''), '')} {value['timex']}".strip() for value in values]


@pytest.mark.parametrize("shape", NUMBER_SHAPES)
def test_numbers_are_read_as_others_read_them(shape: str) -> None:
    for number, small in zip(NUMBERS, cycle(SMALL), strict=False):
        text = NUMBER_SHAPES[shape](number, small)
        assert numbers_we_read(text) == numbers_they_read(text), text


@pytest.mark.parametrize("shape", DATE_SHAPES)
def test_dates_are_read_as_others_read_them(shape: str) -> None:
    for day in DAYS:
        text = shape.format(day, rank=rank(day.day))
        assert dates_we_read(text) == dates_they_read(text), text


@pytest.mark.parametrize(
    ("kind", "known"), [(kind, each) for kind, rows in _DISAGREEMENTS.items() for each in rows], ids=str
)
def test_every_known_disagreement_is_one(kind: str, known: dict[str, Any]) -> None:
    ours, theirs = {"numbers": (numbers_we_read, numbers_they_read), "dates": (dates_we_read, dates_they_read)}[kind]
    assert known["reason"]
    assert (ours(known["text"]), theirs(known["text"])) == (known["ours"], known["theirs"])
