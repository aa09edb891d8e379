import math
from typing import NamedTuple

import pytest

from sparring.checks.claims.context import is_label
from sparring.checks.claims.dates import find_dates
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.quantities import Quantity, find_quantities
from sparring.checks.claims.tokens import Text

ABOVE_5 = math.nextafter(5, math.inf)
BELOW_5 = math.nextafter(5, -math.inf)


class Seen(NamedTuple):
    text: str
    low: float
    high: float
    bound: str
    kind: str


def quantities(text: str) -> tuple[Quantity, ...]:
    read = Text(text)
    taken = frozenset(place for date in find_dates(read) for place in range(date.begin, date.end))
    return find_quantities(read, taken)


def seen(text: str) -> list[Seen]:
    read = Text(text)
    found: list[Seen] = []
    for each in quantities(text):
        start, end = read.offsets(each.begin, each.end)
        found.append(Seen(text[start:end], each.low, each.high, each.bound, each.kind))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("there were 5 cases", Seen("5", 5, 5, "", "count")),
        ("more than 5 cases", Seen("5", ABOVE_5, math.inf, ">", "count")),
        ("over the 5 cases", Seen("5", ABOVE_5, math.inf, ">", "count")),
        ("no more than 5 cases", Seen("5", -math.inf, 5, "<=", "count")),
        ("fewer than 5 cases", Seen("5", -math.inf, BELOW_5, "<", "count")),
        ("at least 5 cases", Seen("5", 5, math.inf, ">=", "count")),
        ("5 or more cases", Seen("5", 5, math.inf, ">=", "count")),
        ("5+ cases", Seen("5", 5, math.inf, ">=", "count")),
        ("about 5 cases", Seen("5", 5, 5, "~", "count")),
        ("5% of them", Seen("5", 5, 5, "", "percent")),
        ("5 per cent of them", Seen("5", 5, 5, "", "percent")),
        ("it cost over $5 million", Seen("5 million", math.nextafter(5e6, math.inf), math.inf, ">", "money usd")),
        ("it cost 5 US dollars", Seen("5", 5, 5, "", "money usd")),
        ("between 3 and 5 cases", Seen("3 and 5", 3, 5, "range", "count")),
        ("30 – 50 thousand people", Seen("30 – 50 thousand", 30_000, 50_000, "range", "count")),
        ("5 – 3 was the result", Seen("5", 5, 5, "", "count")),
        ("in her 50s", Seen("50s", 50, 59, "range", "count")),
        ("rated 3.5/10 by", Seen("3.5/10", 3.5, 3.5, "", "/10")),
        ("rated 41 out of 100 by", Seen("41 out of 100", 41, 41, "", "/100")),
        ("5 out of 7 days", Seen("5", 5, 5, "", "count")),
        ("after the third place", Seen("third", 3, 3, "~", "ordinal")),
        ("over the age of 2", Seen("2", math.nextafter(63_115_200, math.inf), math.inf, ">", "time")),
        ("aged 2 at that time", Seen("2", 63_115_200, 63_115_200, "", "time")),
        ("for 2 decades", Seen("2", 631_152_000, 631_152_000, "", "time")),
        ("ranked # 2 in Ohio", Seen("2", 2, 2, "", "ordinal")),
        ("the third place", Seen("third", 3, 3, "", "ordinal")),
        ("it took 2 hours", Seen("2", 7_200, 7_200, "", "time")),
        ("a road of over 2 km", Seen("2", math.nextafter(2_000, math.inf), math.inf, ">", "length")),
        ("a 2-year-old horse", Seen("2", 63_115_200, 63_115_200, "", "age")),
        ("there were no new cases", Seen("no", 0, 0, "", "count")),
        ("from £3 to £5 each", Seen("3 to £5", 3, 5, "range", "money gbp")),
        ("có hơn 5 người ở đó", Seen("5", ABOVE_5, math.inf, ">", "count")),
        ("có 5 người trở lên", Seen("5", 5, 5, "", "count")),
        ("đứng thứ 5 ở đó", Seen("5", 5, 5, "", "ordinal")),
        ("tăng 5 phần trăm", Seen("5", 5, 5, "", "percent")),
    ],
)
def test_a_quantity_is_an_interval_of_its_kind(text: str, expected: Seen) -> None:
    assert seen(text)[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "the film 127 Hours was",
        "COVID-19 is a disease",
        "season 2 was better",
        "the protein DMS3 binds",
        "the film Tall Grass 3 had begun",
        "a range (95% CI)",
        "she was number one",
        "in the top 100",
        "the band Blink 182 was",
        "it began at 10:30",
        "a .500 record",
        "one of them",
        "no one came",
        "by One Direction",
        "on 5 May 2020",
        "nothing at all",
        "no doubt about it",
    ],
)
def test_what_only_names_something_is_no_quantity(text: str) -> None:
    assert seen(text) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Italy had 5 cases", 2),
        ("Only 5 cases", 1),
        ("Italy 5 cases", 1),
        ("Italy 5 %", 1),
        ("costs $ 5 USD", 2),
        ("well-5 x", 1),
    ],
)
def test_a_count_beside_a_name_is_no_label(text: str, place: int) -> None:
    read = Text(text)

    assert not is_label(read, place, lexicon(read.language))


def test_what_is_counted_stands_behind_the_number() -> None:
    (found,) = quantities("there were 5 new confirmed deaths, not cases")

    assert found.nouns == {"new", "confirm", "#deaths"}


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("Of the 90 cases there, 5 were in the south", {"south", "#cases"}),
        ("Of the 90 cases there, 5 were deaths", {"#deaths"}),
        ("There were cases. In the south 5 were seen", {"seen"}),
        ("There were 5 COVID-19 cases", {"covid", "#cases"}),
    ],
)
def test_what_is_counted_is_implied_where_it_is_not_repeated(text: str, nouns: set[str]) -> None:
    assert quantities(text)[-1].nouns == nouns


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("there were 5 cases in New Alden, Corby", {"new", "alden"}),
        ("there were 5 ships of Denmark", set[str]()),
        ("there were 5 in 1999 in Alden", set[str]()),
        ("there were 5 cases in April", set[str]()),
    ],
)
def test_the_places_of_a_number_are_named_behind_it(text: str, places: set[str]) -> None:
    assert quantities(text)[0].places == places


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("In May, New Alden had 5 cases", {"new", "alden"}),
        ("Corby and Alden had 5 cases", {"alden"}),
        ("in the town, there were 5 cases", set[str]()),
    ],
)
def test_the_names_of_a_number_stand_before_it(text: str, names: set[str]) -> None:
    assert quantities(text)[0].names == names
