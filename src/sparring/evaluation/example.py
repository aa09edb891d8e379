"""Labelled rows whose labels follow from their construction: dates, quantities, settings, roles; English, Vietnamese.

Each row is about an attribute that has one value, such as the day on which something opened. SUPPORTED: the evidence
states the claim's value. REFUTED: the evidence states another one. NEI: the evidence is about other attributes alone.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct

from sparring.text.tidying import capitalized

ROWS = 200
SEED = 20261128
LABELS = ("SUPPORTED", "REFUTED", "NEI")

_THINGS: Mapping[str, Sequence[str]] = {
    "en": ("bridge", "library", "museum", "harbour", "theatre", "station", "market", "observatory"),
    "vi": ("cây cầu", "thư viện", "bảo tàng", "bến cảng", "nhà hát", "nhà ga", "khu chợ", "đài thiên văn"),
}
_PLACES: Mapping[str, Sequence[str]] = {
    "en": ("Norwell", "Eastby", "Harlow Bay", "Millford", "Stonegate", "Westmere"),
    "vi": ("An Lạc", "Bình Sơn", "Đông Hà", "Phú Mỹ", "Tân Hòa", "Vĩnh Thái"),
}
_PEOPLE: Mapping[str, Sequence[str]] = {
    "en": ("Ada Brandt", "Carl Okoro", "Dina Sato", "Emil Novak", "Freya Lind", "Gita Rao"),
    "vi": ("Nguyễn Thị Mai", "Trần Văn Bình", "Lê Thu Hà", "Phạm Quang Minh", "Hoàng Yến", "Đỗ Đức Anh"),
}
_SETTINGS = ("timeout", "retries", "max_connections", "cache_size", "port", "workers")


class _Fact(Struct, frozen=True):
    """Sentences about one attribute.

    Attributes:
        says: Sentence with a place for the value.
        values: Two different values.
        context: A sentence about another attribute.
    """

    says: Callable[[str], str]
    values: tuple[str, str]
    context: str


def _dates(language: str, draw: random.Random) -> _Fact:
    thing, place = draw.choice(_THINGS[language]), draw.choice(_PLACES[language])
    first = date(1950, 1, 1) + timedelta(days=draw.randrange(25_000))
    second = first + timedelta(days=draw.randrange(40, 3_000))
    visitors = f"{draw.randrange(2, 90)},000"
    if language == "vi":
        one, other = (f"ngày {day.day} tháng {day.month} năm {day.year}" for day in (first, second))
        says = "{thing} ở {place} được khánh thành vào {value}."
        context = "{thing} ở {place} đón {visitors} lượt khách."
    else:
        one, other = (f"{day.day} {day:%B} {day.year}" for day in (first, second))
        says = "The {thing} in {place} opened on {value}."
        context = "The {thing} in {place} has had {visitors} visitors."
    return _fact(says, (one, other), context, thing=thing, place=place, visitors=visitors)


def _quantities(language: str, draw: random.Random) -> _Fact:
    thing, place, number = draw.choice(_THINGS[language]), draw.choice(_PLACES[language]), draw.randrange(12, 900)
    values = (str(number), str(number + draw.randrange(3, 60)))
    year = str(draw.randrange(1950, 2020))
    if language == "vi":
        says = "{thing} ở {place} có {value} bậc thang."
        context = "{thing} ở {place} được xây năm {year}."
    else:
        says = "The {thing} in {place} has {value} steps."
        context = "The {thing} in {place} was built in {year}."
    return _fact(says, values, context, thing=thing, place=place, year=year)


def _settings(language: str, draw: random.Random) -> _Fact:
    name, other = draw.sample(_SETTINGS, 2)
    value = draw.randrange(2, 200)
    values = (str(value), str(value + draw.randrange(1, 50)))
    rest = str(draw.randrange(1, 90))
    if language == "vi":
        says, context = "Giá trị của {name} là {value}.", "Giá trị của {other} là {rest}."
    else:
        says, context = "The value of {name} is {value}.", "The value of {other} is {rest}."
    return _fact(says, values, context, name=name, other=other, rest=rest)


def _roles(language: str, draw: random.Random) -> _Fact:
    thing, place = draw.choice(_THINGS[language]), draw.choice(_PLACES[language])
    one, two, three = draw.sample(_PEOPLE[language], 3)
    if language == "vi":
        says = "Giám đốc duy nhất của {thing} ở {place} là {value}."
        context = "Thủ quỹ của {thing} ở {place} là {three}."
    else:
        says = "The only director of the {thing} in {place} is {value}."
        context = "The treasurer of the {thing} in {place} is {three}."
    return _fact(says, (one, two), context, thing=thing, place=place, three=three)


def _fact(says: str, values: tuple[str, str], context: str, **names: str) -> _Fact:
    def sentence(value: str) -> str:
        return capitalized(says.format(value=value, **names))

    return _Fact(sentence, values, capitalized(context.format(**names)))


_KINDS: Mapping[str, Callable[[str, random.Random], _Fact]] = {
    "date": _dates,
    "quantity": _quantities,
    "setting": _settings,
    "role": _roles,
}


def example_rows(count: int = ROWS, seed: int = SEED) -> list[dict[str, str]]:
    """Return labelled rows; the same for the same arguments, and no two alike."""
    draw = random.Random(seed)  # noqa: S311 -- nothing secret
    kinds = [(kind, language) for kind in _KINDS for language in ("en", "vi")]
    rows = dict[tuple[str, str], dict[str, str]]()  # by claim and evidence: a row that was drawn before is dropped
    while len(rows) < count:
        number = len(rows)
        # Kinds take turns, and after each turn of all kinds the label changes: every kind has every label.
        kind, language = kinds[number % len(kinds)]
        label = LABELS[number // len(kinds) % len(LABELS)]
        fact = _KINDS[kind](language, draw)
        claim = fact.says(fact.values[0])
        sentences = [fact.context]
        if label == "SUPPORTED":
            sentences.append(claim)
        elif label == "REFUTED":
            sentences.append(fact.says(fact.values[1]))
        draw.shuffle(sentences)
        evidence = " ".join(sentences)
        row = {
            "id": f"{kind}-{language}-{number + 1:03}",
            "claim": claim,
            "evidence": evidence,
            "gold": label,
            "kind": kind,
            "language": language,
        }
        rows.setdefault((claim, evidence), row)
    return list(rows.values())


def example_table(count: int = ROWS) -> bytes:
    """Return the rows as lines of JSON."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in example_rows(count)]
    return "".join(lines).encode()
