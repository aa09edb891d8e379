import pytest

from sparring.checks.citations import CheckedCitation, Citation, CitationStatus, check_citations, find_citations

FILES = {
    "src/a.py": (
        "import os\n\n\ndef here():\n    return os.getcwd()  # never fails, even when\n    # the folder is gone\n"
    ),
    "docs/my notes.md": "# Notes\nWrite first.\n",
    "Makefile": "test:\n\tpytest\n",
    "README.md": "Read me\n",
}


def statuses(text: str) -> list[tuple[str, str, str]]:
    return [(found.citation.text, found.status.value, found.reason) for found in check_citations(text, FILES.get)]


def test_a_citation_keeps_its_place_and_the_words_quoted_beside_it() -> None:
    text = "It moves: `src/a.py:5-6` says: `return os.getcwd()`."
    assert check_citations(text, FILES.get) == (
        CheckedCitation(
            Citation("src/a.py:5-6", "src/a.py", 5, 6, "return os.getcwd()", 11, 23),
            CitationStatus.VERIFIED,
            "the quoted words stand there",
        ),
    )
    assert text[11:23] == "src/a.py:5-6"


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("src/a.py:3", [("src/a.py", 3, 3)]),
        ("src/a.py:3-9.", [("src/a.py", 3, 9)]),
        ("(src/a.py#L3-L9)", [("src/a.py", 3, 9)]),
        ("[here](src/a.py#L3)", [("src/a.py", 3, 3)]),
        ("**src/a.py:3**: so", [("src/a.py", 3, 3)]),
        ("`src/a.py`", [("src/a.py", None, None)]),
        ("`docs/my notes.md:2`", [("docs/my notes.md", 2, 2)]),
        ("`.ci/run:3` and `Makefile:1`", [(".ci/run", 3, 3), ("Makefile", 1, 1)]),
        ("Makefile:2, README.md", [("Makefile", 2, 2), ("README.md", None, None)]),
        ("``a`b.py:3``", []),
        ("`C:\\x\\a.py`", []),
        ("http://example.org/a.py:3", []),
        ("`http://example.org/a:80`", []),
        ("`localhost:8080` at 10:30, ratio 1.5", []),
        ("`src/*.py`, `{kind}/runs/<id>/x.json`", []),
        ("`pytest -q`, foo.bar(), and so on.", []),
        ("```text\nsrc/a.py:3\n```\nafter", []),
        ("~~~\nsrc/a.py:3\n```\n~~~\nsrc/b.py:1", [("src/b.py", 1, 1)]),
        ("```\nnever closed src/a.py:3", []),
        ("a ` lone tick, then ``src/a.py:3``", [("src/a.py", 3, 3)]),
    ],
)
def test_citations_are_found_however_they_are_written(text: str, cited: list[tuple[str, int, int]]) -> None:
    assert [(found.path, found.line, found.end_line) for found in find_citations(text)] == cited


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("`src/a.py:5` says: `return x`", "return x"),
        ("`src/a.py:5` has “never fails”", "never fails"),
        ('src/a.py:5 has "never fails"', "never fails"),
        ("“never fails” (src/a.py:5)", "never fails"),
        ("`` a ` b `` in `src/a.py:5`", "a ` b"),
        ("`x` in `src/a.py:5` and `y` in `src/a.py:6`", "y"),
        ("`src/a.py:5` is read. Then `y` is called.", None),
        ("`src/a.py:5`, e.g. `y`", "y"),
        ("“not covered”: `src/a.py:5` dodges it", None),
        ("“something said long before” and much later on `src/a.py:5`", None),
    ],
)
def test_words_count_as_quoted_when_they_stand_beside_the_citation(text: str, quoted: str | None) -> None:
    assert find_citations(text)[0].quoted == quoted


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        ("`src/a.py`", "verified", "the file exists"),
        ("./src/a.py:4", "verified", "the line exists; nothing is quoted from it"),
        ("src/a.py:7", "not_found", "the file has 6 lines"),
        ("src/a.py:0", "not_found", "the file has 6 lines"),
        ("src/a.py:6-4", "not_found", "the file has 6 lines"),
        ("src/a.py:2 says `return os.getcwd()`", "verified", "the quoted words stand there"),
        ("src/a.py:1 says `return os.getcwd()`", "not_found", "the quoted words are not near that line"),
        ("src/a.py:1 says `there is no cow`", "not_found", "the quoted words are not in the file"),
        ("src/a.py:4 says “return … fails, even”", "verified", "the quoted words stand there"),
        ("src/a.py:4 says “fails ... return”", "not_found", "the quoted words are not in the file"),
        ("src/a.py:4 says “…...”", "unchecked", "the line exists; the word beside the citation may not be a quotation"),
        (
            "src/a.py:4 uses `anyio`",
            "unchecked",
            "the line exists; the word beside the citation may not be a quotation",
        ),
        ("src/a.py:4 uses `getcwd`", "verified", "the quoted words stand there"),
        ("`src/gone.py:4` says so", "not_found", "there is no such file"),
        ("`src/gone.py` says so", "not_found", "there is no such file"),
        ("Add `src/gone.py` for it", "unchecked", "there is no such file, but it may be one that is proposed"),
        ("`src/gone.py:4` does not exist", "unchecked", "it is named as something that is not there"),
        ("a.py:4 says so", "unchecked", "the file is named without its folder and does not stand at the root"),
        ("`python tools/a.py:4`", "unchecked", "it may be a command and no path"),
        ("> src/gone.py:4", "unchecked", "it stands in a quotation of somebody else"),
        ("../other/a.py:4", "unchecked", "the path leads out of the project"),
        ("docs/../../other/a.py:4", "unchecked", "the path leads out of the project"),
        ("`/etc/hosts.txt:4`", "unchecked", "the path leads out of the project"),
        ("`config/.env.toml:4`", "unchecked", "a file of that name may hold secrets and is not read"),
        ("`src\\a.py:4`", "verified", "the line exists; nothing is quoted from it"),
        ("`src/a.py`, lines 2 to 9", "not_found", "the file has 6 lines"),
        ("line 4 of `src/a.py`", "verified", "the line exists; nothing is quoted from it"),
        ("src/a.py:1,4-5,7", "not_found", "the file has 6 lines"),
    ],
)
def test_only_what_can_be_decided_is_decided(text: str, status: str, reason: str) -> None:
    assert [found[1:] for found in statuses(text)] == [(status, reason)]


def test_the_sentence_around_a_citation_decides_not_its_neighbours() -> None:
    text = "`src/gone.py:1` proves it. `src/lost.py:2` does not exist. See src/gone.py:3."
    assert [found[1] for found in statuses(text)] == ["not_found", "unchecked", "not_found"]


def test_each_file_is_read_once() -> None:
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return FILES.get(path)

    check_citations("src/a.py:1, src/a.py:2, src/gone.py:3 and src/gone.py:4", read)
    assert asked == ["src/a.py", "src/gone.py"]


@pytest.mark.parametrize(
    "bad", ["`" * 50_000, "a=`" * 20_000, "a/" * 50_000, "(“" * 30_000, "x." * 50_000, "`a`“b” " * 10_000]
)
def test_text_made_to_confuse_holds_no_citation(bad: str) -> None:
    assert find_citations(bad) == ()
