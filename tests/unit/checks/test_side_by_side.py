"""Who cites what, found in what several texts say."""

from sparring.checks.citations.ledger import MOST_SOURCES, compare_citations
from sparring.schema.lookups import CitationStatus, CitationTable, PlaceCited

FILES = {"src/a.py": "x = 1\n" * 20}


def compared(*texts: str) -> CitationTable:
    return compare_citations(dict(enumerate(texts, start=1)), FILES.get)


def test_places_of_one_file_are_one_source_and_what_is_shared_comes_first() -> None:
    table = compared(
        "See https://example.org/a. Also `src/a.py:12` and `src/a.py:3-4`. That `own_name` is mine, as src/gone.py:2.",
        "In `./src/a.py:900`, `retry_count()`, and (https://example.org/b).",
        "`src/a.py` and `retry_count`.",
    )
    shown = [
        f"{each.kind} {each.name}: "
        + ", ".join(f"{place.answer} {place.line or ''}-{place.end_line or ''} {place.status}" for place in each.places)
        for each in table.sources
    ]
    assert shown == [
        "path src/a.py: 1 12-12 verified, 1 3-4 verified, 2 900-900 not_found, 3 - verified",
        "symbol retry_count: 2 - unchecked, 3 - unchecked",
        "path src/gone.py: 1 2-2 not_found",
        "url https://example.org/a: 1 - unchecked",
        "url https://example.org/b: 2 - unchecked",
    ]


def test_what_stands_in_a_sample_or_is_a_plain_word_is_no_citation() -> None:
    text = "A `word`, `two words`, `" + "a_" * 100 + "`.\n\n```\nhttps://example.org `retry_count`\n```\n"
    assert compared(text, text) == CitationTable()


def test_a_source_cited_twice_in_the_same_way_is_one_place() -> None:
    (source,) = compared("`src/a.py:1`, again `src/a.py:1`.").sources
    assert source.places == (PlaceCited(answer=1, line=1, end_line=1, status=CitationStatus.VERIFIED),)


def test_of_very_many_sources_those_that_are_left_out_are_counted() -> None:
    table = compared(" ".join(f"https://example.org/{number}" for number in range(MOST_SOURCES + 7)))
    assert (len(table.sources), table.left_out) == (MOST_SOURCES, 7)
