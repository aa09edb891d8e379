"""What is read in a text: words, languages, values. The tables say what each of them shows."""

from collections.abc import Callable

import pytest

from sparring.checks.claims.document import ParsedText, parse
from sparring.checks.claims.parsing.language import Language
from sparring.checks.claims.values.value import Value, relation
from support.texts import cases, texts

TEXTS = texts("claims")


def english_unless_recognised(text: str) -> ParsedText:
    return parse(text).with_language_of(Language.ENGLISH)


def written_values(text: str) -> str:
    read = english_unless_recognised(text)
    found: list[str] = []
    for sentence in read.sentences:
        for value in sentence.values:
            begin, end = sentence.tokens.place(value.begin, value.end)
            found.append(f"{read.plain.plain[begin:end]} = {value.low:.12g}..{value.high:.12g} {value.kind}")
    return "; ".join(found)


READERS: dict[str, Callable[[str], object]] = {
    "a text is words, numbers and marks": lambda text: [
        word for sentence in parse(text).sentences for word in sentence.tokens.written
    ],
    "a text is of the language of most of its function words": lambda text: parse(text).language,
}


@pytest.mark.parametrize(("table", "text", "read"), cases("claim-reading"))
def test_texts_are_read_as_tabled(table: str, text: str, read: object) -> None:
    assert READERS.get(table, written_values)(text) == read


def first_value(text: str) -> Value:
    return english_unless_recognised(text).sentences[0].values[0]


@pytest.mark.parametrize(("claim", "evidence", "said"), TEXTS["what-a-value-says-of-another-in-its-place"])
def test_two_values_are_the_same_apart_or_undecided(claim: str, evidence: str, said: str) -> None:
    assert relation(first_value(claim), first_value(evidence)).value == said


@pytest.mark.parametrize(("text", "inside", "outside"), TEXTS["a-version-is-an-interval"])
def test_a_version_is_an_interval(text: str, inside: str, outside: str) -> None:
    version, one, other = map(first_value, (text, inside, outside))
    assert version.low <= one.low <= version.high
    assert not version.low <= other.low <= version.high
