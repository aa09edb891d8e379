import pytest

from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.tokens import Language, Text
from sparring.checks.claims.versions import Version, version_at


def read(written: str) -> list[Version]:
    text = Text(written)
    found = (version_at(text, place, lexicon(text.language)) for place in range(len(text.written)))
    return [each for each in found if each]


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("1.2.3", "1.2.3", "1.2.4"),
        ("Python 3.11", "version 3.11.4", "version 3.12"),
        ("Python 3.11 or later", "version 4", "version 3.10"),
        ("version >= 3", "version 3.0", "version 2.9"),
        ("before version 4", "version 3.9", "version 4.0"),
        ("since v11.18.0", "v11.18", "v11.17.9"),
        ("version ^1.2", "v1.9", "v2.0"),
        ("version 2.27 or older", "version 2.1", "version 2.28"),
    ],
)
def test_a_version_is_an_interval(text: str, inside: str, outside: str) -> None:
    (version,) = read(text)
    (one,), (other,) = read(inside), read(outside)

    assert version.low <= one.low <= version.high
    assert not version.low <= other.low <= version.high


@pytest.mark.parametrize(
    "text",
    [
        "3.11",
        "3.11 people",
        "Ohio 8.4 million",
        "Rotten Tomatoes 7.5/10",
        "version 75/100",
        "In 3.5 hours",
        "1.2.3.4.5",
    ],
)
def test_not_every_number_with_a_point_is_a_version(text: str) -> None:
    assert read(text) == []


def test_in_vietnamese_points_group() -> None:
    text = Text("Dân số là 5.105.768 người.")

    assert text.language is Language.VIETNAMESE
    assert not any(version_at(text, place, lexicon(text.language)) for place in range(len(text.written)))
