"""Which words are retrieved, and which of them are quoted."""

import pytest

from sparring.checks.citations import CitationStatus, check_citations
from sparring.consult.offline.corpus import Passage, cut
from sparring.consult.offline.evidence import Evidence, Kind, code_span, find_evidence
from sparring.consult.offline.retrieval import Hit, Index
from sparring.consult.offline.terms import is_word_list, keywords, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("writes writing write", ["writ", "writ", "writ"]),
        ("JournalWriter.write_turn()", ["journal", "writer", "writ", "turn"]),
        ("HTTPServer parseJSON", ["http", "server", "pars", "json"]),
        ("src/schema/base.py", ["src", "schema", "bas", "py"]),
        ("the process of a string", ["process", "string"]),
        ("Có nên ghi bộ nhớ đệm ra đĩa không?", ["ghi", "bộ", "nhớ", "đệm", "đĩa"]),
        ("e\u0301te\u0301", ["été"]),
        ("x 7 42", ["42"]),
    ],
)
def test_terms_are_the_words_of_prose_and_identifiers(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_keywords_remember_how_a_term_was_written() -> None:
    assert keywords("Should JSON files be written to files?") == {"json": "JSON", "fil": "files", "written": "written"}


def test_a_list_of_words_is_no_sentence() -> None:
    assert is_word_list("broken bug check corrupt crash edge error")
    assert not is_word_list("a broken check is an error of the bug")
    assert not is_word_list("broken bug check")


def index(**files: str) -> Index[Passage]:
    return Index([passage for path, text in files.items() for passage in cut(path.replace("_", ".", 1), text)])


def test_rare_terms_and_short_passages_count_more_and_ties_keep_their_order() -> None:
    searched = index(
        b_md="disk disk\n", a_md="disk disk\n", c_md="disk journal\n", d_md="disk and much more to say here\n"
    )
    hits = searched.search({"disk": 1.0, "journal": 1.0, "absent": 1.0}, limit=3)
    assert [(hit.passage.path, sorted(hit.matched)) for hit in hits] == [
        ("c.md", ["disk", "journal"]),
        ("b.md", ["disk"]),
        ("a.md", ["disk"]),
    ]
    assert searched.weight("journal") > searched.weight("disk") > 0


def test_an_empty_project_answers_every_search_with_nothing() -> None:
    assert Index([]).search({"disk": 1.0}, limit=5) == ()


def test_a_hit_keeps_its_passage() -> None:
    (passage,) = cut("a.md", "disk\n")
    (hit,) = Index([passage]).search({"disk": 1.0}, limit=1)
    assert hit == Hit(passage, hit.score, frozenset({"disk"}))


PROSE = """# Cache on disk

The cache writes to disk, and a sentence may
go on in the next line of the file. Another one is here.

- A list item about the disk stands alone.
- Another item.

    :param disk: a disk
"""


def quoted(searched: Index[Passage], *terms_: str, avoid: frozenset[tuple[str, int]] = frozenset()) -> list[Evidence]:
    return list(find_evidence(searched, dict.fromkeys(terms_, 1.0), avoid=avoid))


def test_a_sentence_is_quoted_whole_across_its_lines() -> None:
    (found,) = quoted(index(a_md=PROSE), "cach", "disk")
    assert (found.place, found.words) == (
        "a.md:3-4",
        "The cache writes to disk, and a sentence may go on in the next line of the file.",
    )


def test_what_was_quoted_is_not_quoted_again() -> None:
    (found,) = quoted(index(a_md=PROSE), "disk", avoid=frozenset({("a.md", 4)}))
    assert found.citation == "`a.md:6`"
    assert found.words == "A list item about the disk stands alone."


def test_each_comment_line_is_its_own_quotation() -> None:
    source = "# The cache writes each entry\n# to disk and then it answers.\nput(disk, entry_of(cache))\n"
    assert [found.words for found in quoted(index(a_py=source), "cach")] == ["The cache writes each entry"]


def test_word_lists_are_not_quoted() -> None:
    assert quoted(index(a_py='WORDS = "disk"\n"broken bug check corrupt crash disk error exception"\n'), "disk") == []


def test_strings_in_tests_are_made_up_and_not_quoted() -> None:
    line = '"The cache writes to disk." + more(disk)\n'
    passages = [passage for path in ("tests/test_a.py", "src/a.py") for passage in cut(path, line)]
    assert [found.path for found in quoted(Index(passages), "disk")] == ["src/a.py"]


@pytest.mark.parametrize(
    ("path", "words", "kind"),
    [
        ("tests/test_a.py", "It must hold.", Kind.TEST),
        ("web/a.test.ts", "It holds.", Kind.TEST),
        ("src/a.py", "It must hold, because of that.", Kind.REASON),
        ("README.md", "It holds for everyone.", Kind.DOCUMENT),
        ("src/a.py", "It holds for all of them.", Kind.COMMENT),
        ("src/a.py", "return holds(all)", Kind.CODE),
    ],
)
def test_evidence_knows_what_sort_it_is(path: str, words: str, kind: Kind) -> None:
    assert Evidence(path, 1, 1, words).kind is kind


@pytest.mark.parametrize("words", ["plain", "a `b` c", "`b`", "``a`` and `b`", "```", "ends with `"])
def test_words_with_backticks_survive_being_quoted(words: str) -> None:
    text = f"`a.md:1` says: {code_span(words)}"
    (found,) = check_citations(text, {"a.md": f"x {words} y\n"}.get)
    assert (found.citation.quoted, found.status) == (words, CitationStatus.VERIFIED)
