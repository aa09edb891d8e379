"""What a speech cites, of every kind, and what a working tree says about it; and who cites what of several."""

import pytest

from sparring.checks.citations import CommitPresence, FileRemoval, check_ledger
from sparring.checks.citations.ledger import MOST_SOURCES, compare_citations
from sparring.schema.consultation import Exhibit
from sparring.schema.lookups import CitationKind, CitationStatus, CitationTable, CitedPlace, TextSpan
from support.texts import cases, texts
from support.working_trees import MemoryTree

TEXTS = texts("citations")

FILES = dict(TEXTS["files-of-a-working-tree"])
TREE = MemoryTree(
    FILES,
    commits_seen={
        "abc1234": CommitPresence.THERE,
        "abc1235": CommitPresence.AMBIGUOUS,
        "abc1236": CommitPresence.PARTIAL_HISTORY,
        "abc1237": CommitPresence.NO_REPOSITORY,
    },
    gone={
        "src/app/loop.py": FileRemoval("1234567", "src/app/runner.py"),
        "src/app/old.py": FileRemoval("1234567"),
        "app/tools.py": FileRemoval("1234567", "src/app/tools.py"),
    },
)


def told(text: str, tree: MemoryTree = TREE) -> list[tuple[str, str, str, str]]:
    entries = check_ledger(text, tree).entries
    assert [text[entry.start : entry.end] for entry in entries] == [entry.text for entry in entries]
    return [(entry.kind.value, entry.text, entry.status.value, entry.reason) for entry in entries]


def test_a_ledger_lists_what_is_cited_in_order_and_the_claims_that_cite_nothing() -> None:
    text = "It runs in `Runner.run`, see src/app/runner.py:16.\n\nThat is always faster than the rest."
    tree = MemoryTree(FILES)
    assert told(text, tree) == [
        ("symbol", "Runner.run", "verified", "it is defined in src/app/runner.py"),
        ("path", "src/app/runner.py:16", "verified", "the name next to it is there"),
    ]
    assert tree.asked == 1
    unsupported = check_ledger(text, tree).unsupported
    assert unsupported == (TextSpan(text="That is always faster than the rest.", start=52, end=88),)


@pytest.mark.parametrize(("kind", "marked", "status", "reason"), cases("citations-looked-up"))
def test_each_kind_of_citation_is_looked_up_by_its_own_rule(kind: str, marked: str, status: str, reason: str) -> None:
    cited = marked.partition("‹")[2].partition("›")[0]
    assert (kind, cited, status, reason) in told(marked.replace("‹", "").replace("›", ""))


@pytest.mark.parametrize("text", TEXTS["words-values-flags-commands-and-settings-are-no-citations"])
def test_words_values_flags_commands_and_settings_are_no_citations(text: str) -> None:
    assert told(text) == []


def test_after_an_incomplete_search_missing_names_are_unchecked() -> None:
    cited = (("symbol", "no_such_name"), ("pattern", "no_such_call(x)"))
    reason = "not every file of the project was searched"
    found = told("`no_such_name` and `no_such_call(x)`", MemoryTree(FILES, is_complete=False))
    assert found == [(*each, "unchecked", reason) for each in cited]


def test_of_a_file_that_is_too_long_to_be_read_its_beginning_is_and_nothing_is_missed() -> None:
    tree = MemoryTree(FILES, too_long={"rows.py": "ROWS = (\n"}, is_complete=False)
    text = "`rows.py:1` to `rows.py:9000000`, `rows.py::ROWS`, `rows.py::no_such_name`, all of `rows.py`."
    assert [entry[2:] for entry in told(text, tree)] == [
        ("exists", "the line exists; nothing is quoted from it"),
        ("unchecked", "it is not in the beginning of the file, which is too long to be read"),
        ("verified", "it is in rows.py"),
        ("unchecked", "not every file of the project was searched"),
        ("exists", "the file exists"),
    ]


def test_a_range_of_commits_cites_both_and_an_address_no_path_inside_of_it() -> None:
    both = [("commit", "abc1234", "exists"), ("commit", "abc1238", "not_found")]
    assert [entry[:3] for entry in told("`abc1234..abc1238`")] == both
    addresses = told("https://example.org/?file=src/app/runner.py:3 and `http://x.org/a.py:1`")
    assert [entry[0] for entry in addresses] == ["url", "url"]


def test_of_very_many_citations_those_behind_are_counted_and_support_their_claims() -> None:
    text = "\n\n".join(f"This very claim is shown by README.md:{number}." for number in range(1, 8))
    ledger = check_ledger(text, TREE, most=3)
    first = ["README.md:1", "README.md:2", "README.md:3"]
    assert ([entry.text for entry in ledger.entries], ledger.left_out, ledger.unsupported) == (first, 4, ())
    ledger = check_ledger("`limit_s` and `limit_s` and `no_limit_s`", TREE)  # what is cited twice counts once
    assert (ledger.count(CitationStatus.EXISTS), ledger.count(CitationStatus.NOT_FOUND)) == (1, 1)


def test_only_words_that_are_names_count_towards_the_limit() -> None:
    ledger = check_ledger("`Runner` `Base` `Quiet`", TREE, most=2)
    assert ([entry.text for entry in ledger.entries], ledger.left_out) == (["Runner", "Base"], 1)
    text = "`word` " * 50 + "`limit_s` " + "`word` " * 50 + "README.md:1"
    assert [entry[1] for entry in told(text)] == ["limit_s", "README.md:1"]
    assert [entry.text for entry in check_ledger(text, TREE, most=2).entries] == ["limit_s", "README.md:1"]


def test_code_with_words_in_too_many_files_is_not_reported_as_missing() -> None:
    files = {f"src/m{number:03}.py": f"def f():\n    return {number}\n" for number in range(60)}
    reason = "its words are in more files than were searched for the code"
    assert told("It does `return 59`.", MemoryTree(files)) == [("pattern", "return 59", "unchecked", reason)]


def test_a_path_from_the_top_of_the_disk_and_a_repository_within_this_one_are_of_the_project() -> None:
    tree = MemoryTree(FILES | {"sub": ""}, roots=("/home/me/app/",))
    text = "`/home/me/app/src/app/tools.py:1`, `call_all` in /home/me/app/web/index.ts, /home/me/app/../x.py:1, `sub/`"
    assert [(cited, status) for _, cited, status, _ in told(text, tree)] == [
        ("/home/me/app/src/app/tools.py:1", "verified"),
        ("call_all", "not_found"),
        ("/home/me/app/web/index.ts", "exists"),
        ("/home/me/app/../x.py:1", "unchecked"),
        ("sub/", "exists"),
    ]
    assert told("`src/app/tools.py:2`, tried by `pytest -k all=1`.", tree)[0][2] == "unchecked"
    assert told("At `src/app/tools.py:2` add `x = LIMIT + 1`.", tree)[0][2:] == (
        "unchecked",
        "the quoted words are not in the file, but may be proposed",
    )


CHARGE = "def charge(card):\n    total = card.sum\n    return total"
SHOWN = (
    Exhibit(number=1, path="diff", last=3, text="+new line of code\n-old\n+newer"),
    Exhibit(number=2, path="src/other.py", first=10, last=12, text=CHARGE),
    Exhibit(number=3, path="standard input", last=1, text="Error: the card was charged twice"),
)


@pytest.mark.parametrize(
    ("text", "cited", "status", "reason"), TEXTS["what-everybody-was-shown-is-cited-by-its-number"]
)
def test_an_exhibit_is_cited_by_its_number(text: str, cited: str, status: str, reason: str) -> None:
    first, *_ = check_ledger(text, TREE, exhibits=SHOWN).entries
    assert (first.kind, first.text, first.status, first.reason) == (CitationKind.EXHIBIT, cited, status, reason)
    assert not [entry for entry in check_ledger(text, TREE).entries if entry.kind is CitationKind.EXHIBIT]


def test_a_name_is_searched_in_the_exhibit_cited_next_to_it() -> None:
    ledger = check_ledger("`charge` in E2 and `refund()` in E2.", TREE, exhibits=SHOWN)
    assert [entry.status for entry in ledger.entries if entry.kind is CitationKind.SYMBOL] == ["verified", "not_found"]
    text = "An E2E test, E2.py, a/E2, SE2 and E2x are none; a diff is none. src/other.py:11 does it."
    cited = [(entry.kind, entry.status) for entry in check_ledger(text, TREE, exhibits=SHOWN).entries]
    assert CitationKind.EXHIBIT not in [kind for kind, _ in cited]
    assert cited[-1] == (CitationKind.PATH, CitationStatus.NOT_FOUND)  # in the working tree, whatever was shown of it


@pytest.mark.parametrize(("text", "claims"), TEXTS["sentences-of-a-block-that-cites-nothing-are-claims"])
def test_each_sentence_of_a_block_that_cites_nothing_is_a_claim(text: str, claims: list[str]) -> None:
    spans = check_ledger(text, MemoryTree({"a.py": "def here():\n    pass\n"})).unsupported
    assert [text[span.start : span.end] for span in spans] == [span.text for span in spans] == claims


def compared(*texts: str) -> CitationTable:
    return compare_citations(dict(enumerate(texts, start=1)), {"src/a.py": "x = 1\n" * 20}.get)


def test_places_of_one_file_are_one_source_and_shared_sources_come_first() -> None:
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
        "path src/a.py: 1 12-12 exists, 1 3-4 exists, 2 900-900 not_found, 3 - exists",
        "symbol retry_count: 2 - unchecked, 3 - unchecked",
        "path src/gone.py: 1 2-2 not_found",
        "url https://example.org/a: 1 - unchecked",
        "url https://example.org/b: 2 - unchecked",
    ]


def test_a_source_counts_once_a_sample_never_and_omissions_are_counted() -> None:
    (source,) = compared("`src/a.py:1`, again `src/a.py:1`.").sources
    assert source.places == (CitedPlace(answer=1, line=1, end_line=1, status=CitationStatus.EXISTS),)
    text = "A `word`, `two words`, `" + "a_" * 100 + "`.\n\n```\nhttps://example.org `retry_count`\n```\n"
    assert compared(text, text) == CitationTable()
    table = compared(" ".join(f"https://example.org/{number}" for number in range(MOST_SOURCES + 7)))
    assert (len(table.sources), table.left_out) == (MOST_SOURCES, 7)
