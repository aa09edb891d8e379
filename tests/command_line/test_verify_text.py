"""``sparring verify text``: a text for people, held against evidence, and looked up in a repository."""

import pytest

from support.workbench import Workbench

FACTS = """\
The castle has 250 rooms and was built in 1999.

The garden is the second largest of all the gardens.
"""
ARTICLE = """\
# The castle

The castle has **300** rooms and was built in 1999.

They write that “The garden is the largest of all the gardens”. No one said "it is made of cheese".

> The garden is the second largest
> of all the gardens.
"""

FOUND = """\
article.md:3: critical mismatch (quantity)
    The castle has **>>300<<** rooms and was built in 1999.
    facts.txt:1: The castle has >>250<< rooms and was built in 1999.
    The claim has "300", the evidence "250" in the same place.

article.md:5: altered quotation
    They write that “>>The garden is the largest of all the gardens<<”. No one said "it is made of cheese".
    facts.txt:3: >>The garden is the second largest of all the gardens<<.
    The garden is the {+second+} largest of all the gardens

article.md:5: quotation not in the evidence
    They write that “The garden is the largest of all the gardens”. No one said ">>it is made of cheese<<".

4 sentences, 1 with something to compare: 1 contradicted, 0 supported, 0 open. \
3 quotations: 1 verbatim, 1 altered, 1 not found.
"""


@pytest.fixture
def desk(bench: Workbench) -> Workbench:
    (bench.project / "facts.txt").write_text(FACTS, encoding="utf-8")
    (bench.project / "article.md").write_text(ARTICLE, encoding="utf-8")
    return bench


def test_a_wrong_claim_is_shown_with_both_places(desk: Workbench) -> None:
    done = desk.run("verify", "text", "article.md", "--evidence", "facts.txt")
    assert (done.code, done.err, done.out) == (1, "", FOUND)


def test_a_text_that_its_evidence_carries_is_no_failure(desk: Workbench) -> None:
    done = desk.run("verify", "text", "-", "--evidence", "facts.txt", stdin=b"It has 250 rooms; 12 of them are new.")
    told = "1 sentence, 1 with something to compare: 0 contradicted, 0 supported, 1 open. 0 quotations."
    assert (done.code, done.out) == (0, f'standard input:1: the evidence does not settle "12"\n\n{told}\n')


def test_the_object_has_offsets_in_the_texts_as_they_were_given(desk: Workbench) -> None:
    done = desk.run("verify", "text", "article.md", "--evidence", "facts.txt", "--json")
    found = done.json
    facts = (done.code, found["name"], found["evidence"], found["sentences"], found["is_contradicted"])
    assert facts == (1, "article.md", ["facts.txt"], 4, True)
    [sentence] = found["compared"]
    mismatch = sentence["findings"][0]
    told = (sentence["line"], sentence["label"], mismatch["status"], mismatch["evidence_line"])
    assert told == (3, "REFUTED", "mismatch", 1)
    quoted = [each["quotation"] for each in found["quotations"]]
    for place in (sentence["sentence"], mismatch["claim"], *quoted):
        assert ARTICLE[place["start"] : place["end"]] == place["text"]
    altered, _, verbatim = found["quotations"]
    for place in (mismatch["evidence"], altered["nearest"]["span"], verbatim["span"]):
        assert FACTS[place["start"] : place["end"]] == place["text"]
    assert [each["verdict"] for each in found["quotations"]] == ["altered", "not_found", "verbatim"]


ANSWER = """\
It retries three times (`README.md:3`). It is `retry_limit` in `limits.py:2` that says so.

The limit was raised in `client.py:40`, which calls `wait_longer()`.
"""
MADE_UP = """\
standard input:3: citation does not hold
    The limit was raised in `>>client.py:40<<`, which calls `wait_longer()`.
    there is no such file

standard input:3: citation does not hold
    The limit was raised in `client.py:40`, which calls `>>wait_longer()<<`.
    no file of the project contains wait_longer

5 citations looked up: 2 verified, 1 existing, 2 not found, 0 that code cannot check.
"""


@pytest.fixture
def shop(bench: Workbench) -> Workbench:
    (bench.project / "limits.py").write_text("# How often\nretry_limit = 3\n", encoding="utf-8")
    return bench


def test_citations_missing_from_the_repository_are_shown_with_the_reason(shop: Workbench) -> None:
    done = shop.run("verify", "text", "-", "--repo", stdin=ANSWER.encode())
    assert (done.code, done.out, done.err) == (1, MADE_UP, "")
    first, _ = ANSWER.split("\n\n")
    done = shop.run("verify", "text", "-", "--repo", "..", cwd=shop.project / ".git", stdin=first.encode())
    counts = "2 verified, 1 existing, 0 not found, 0 that code cannot check."
    assert (done.code, done.out) == (0, f"3 citations looked up: {counts}\n")


def test_a_project_without_files_makes_no_name_invented(shop: Workbench) -> None:
    (shop.root / "empty").mkdir()
    done = shop.run("verify", "text", "-", "--repo", "../empty", stdin=ANSWER.encode())
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("empty contains no source files. It is empty, or git ignores it.\n")


@pytest.mark.parametrize(
    ("typed", "stdin", "words"),
    [
        ("-", b"\xff", "'-' is not UTF-8 text. Convert it first"),
        ("-", b"a\0b", "'-' is a binary file"),
        ("-", b"x" * (1024 * 1024 + 1), "'-' has more than 1,024 KiB"),
        ("article.md --evidence -", b"x" * 1024 * 1024, "the limit is 1,024 KiB"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_a_sentence(desk: Workbench, typed: str, stdin: bytes, words: str) -> None:
    done = desk.run("verify", "text", *typed.split(), "--evidence", "facts.txt", stdin=stdin)
    assert (done.code, done.out, len(done.err.splitlines()), words in done.err) == (2, "", 1, True), done.err
