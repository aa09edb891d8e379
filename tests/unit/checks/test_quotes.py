import json
import re
from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

import pytest

from sparring.checks.quotes import Evidence
from sparring.schema.lookups import QuoteFinding, QuoteVerdict, Span
from support.texts import texts

TEXTS = texts("quotes")

SAMPLE = Path(__file__).parents[2] / "data" / "carries.sample.jsonl"

SOURCE = (
    "The tower does not sway, says Dr. Nguyễn; in 1999, 20 people (3.5 % of all) climbed it. "
    "It's a non-violent place where nobody isn't welcome."
)


def verdict(quote: str, *sources: str) -> QuoteVerdict:
    return Evidence(sources or (SOURCE,)).find(quote).verdict


@pytest.mark.parametrize(("quote", "text"), TEXTS["a-quote-is-found-however-it-is-set-and-wrapped"])
def test_a_quote_is_found_in_any_typography_and_wrapping(quote: str, text: str) -> None:
    start = SOURCE.index(text)
    span = Span(index=0, start=start, end=start + len(text), text=text)
    assert Evidence([SOURCE]).find(quote) == QuoteFinding(verdict=QuoteVerdict.VERBATIM, span=span, parts=(span,))


@pytest.mark.parametrize(
    ("quote", "sources"),
    [
        *((quote, [SOURCE]) for quote in TEXTS["a-changed-quote-is-never-verbatim"]),
        *((quote, [source]) for quote, source in TEXTS["what-cuts-or-changes-the-meaning-is-never-verbatim"]),
        *((quote, [source]) for quote, source in TEXTS["an-ellipsis-hides-no-negation-and-keeps-the-order"]),
        ("one two three four", ["one two", "three four"]),
        ("caf owner", ["the caf\ufffd owner"]),
    ],
)
def test_changed_cut_or_joined_text_is_never_verbatim(quote: str, sources: list[str]) -> None:
    assert verdict(quote, *sources) is not QuoteVerdict.VERBATIM


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        *TEXTS["what-only-looks-cut-is-verbatim"],
        ("東京タワー", "昨日は東京タワーに行った。"),  # scripts without spaces are quoted by the letter
        ("9.8 million", "a total of 9.8\ufffdmillion"),  # a space that was lost after a digit is one
    ],
)
def test_text_that_only_looks_cut_is_verbatim(quote: str, source: str) -> None:
    assert verdict(quote, source) is QuoteVerdict.VERBATIM


@pytest.mark.parametrize("quote", TEXTS["a-quote-that-says-nothing-is-not-found"])
def test_an_empty_quote_is_not_found(quote: str) -> None:
    assert verdict(quote, "... “” — () and words") is QuoteVerdict.NOT_FOUND


@pytest.mark.parametrize("ellipsis", ["...", "…", "[...]", "(…)", ". . ."])
def test_an_ellipsis_inside_joins_parts_of_one_source(ellipsis: str) -> None:
    evidence = Evidence(["Nothing.", "We saw the old tower sway in the strong wind."])
    finding = evidence.find(f"the old tower {ellipsis} the strong wind")
    assert [part.text for part in finding.parts] == ["the old tower", "the strong wind"]
    assert finding.span == Span(index=1, start=7, end=44, text="the old tower sway in the strong wind")


def test_a_quote_is_found_behind_a_longer_word_that_holds_it() -> None:
    assert Evidence(["The start of the art."]).find("art").span == Span(index=0, start=17, end=20, text="art")


@pytest.mark.parametrize("quote", ["हिन्दी भाषा", "한글 책방", "বাংলা কোনো", "பொது மொழி", "العَرَبِيَّةُ لُغَةٌ"])
def test_in_every_script_a_word_may_end_with_a_mark_and_letters_may_be_composed_or_not(quote: str) -> None:
    for source in (f"x {quote} y", normalize("NFD", f"x {quote} y"), normalize("NFC", f"x {quote} y")):
        finding = Evidence([source]).find(quote)
        assert finding.span == Span(index=0, start=2, end=len(source) - 2, text=source[2:-2])
        assert finding.verdict is QuoteVerdict.VERBATIM
        assert verdict(quote[:-1], source) is not QuoteVerdict.VERBATIM


def test_a_quote_that_resembles_nothing_is_not_found() -> None:
    for invented in ("Whales sing in the deep ocean", "Whales do not sway in the deep"):
        for sources in ([SOURCE], []):
            assert Evidence(sources).find(invented) == QuoteFinding(verdict=QuoteVerdict.NOT_FOUND)


@pytest.mark.parametrize(("quote", "verdict"), TEXTS["where-a-reader-could-argue-either-way-the-written-policy-holds"])
def test_where_a_reader_could_argue_either_way_the_written_policy_holds(quote: str, verdict: str) -> None:
    assert Evidence(["The fire of 1910 took 26,510 houses near the café"]).find(quote).verdict == verdict


ALTERED: dict[str, Callable[[str], str]] = {
    "a digit changed": lambda quote: re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), quote, count=1),
    "a word dropped": lambda quote: re.sub(r"\A((\S+ ){2,}?)\S+ ", r"\1", quote),
    "two words exchanged": lambda quote: re.sub(r"\A(\S+ )(\S+ )(\S+ )", r"\1\3\2", quote),
    "a negation put in": lambda quote: quote.replace(" ", " not ", 1),
    "the first letter lost": lambda quote: quote[1:] if quote[:2].isalnum() else quote,
    "the last letter lost": lambda quote: quote[:-1] if quote[-2:].isalnum() else quote,
}


def test_quotes_from_documentation_are_found_and_none_that_is_altered() -> None:
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").split("\n") if line]
    assert len(rows) == 150
    missed: list[str] = []
    for row in rows:
        quote, evidence = row["quote"], Evidence(row["evidence"])
        found = evidence.find(quote)
        missed += [] if found.verdict is QuoteVerdict.VERBATIM else [quote]
        assert all(row["evidence"][part.index][part.start : part.end] == part.text for part in found.parts)
        altered = {name: alter(quote) for name, alter in ALTERED.items()}
        taken = [name for name, other in altered.items() if evidence.find(other).verdict is QuoteVerdict.VERBATIM]
        assert [name for name in taken if altered[name].split() != quote.split()] == [], quote
    assert missed == ["1 v", "35"]  # half a word and half a number, however the data was made
