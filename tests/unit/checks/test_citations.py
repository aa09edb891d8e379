import pytest

from sparring.checks.citations import CheckedCitation, Citation, CitationStatus, check_citations, find_citations
from support.texts import texts

TEXTS = texts("citations")

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


@pytest.mark.parametrize(("text", "cited"), TEXTS["citations-are-found-however-they-are-written"])
def test_citations_are_found_however_they_are_written(text: str, cited: list[list[str | int]]) -> None:
    assert [[found.path, found.line, found.end_line] for found in find_citations(text)] == cited


@pytest.mark.parametrize(("text", "quoted"), TEXTS["words-count-as-quoted-when-they-stand-beside-the-citation"])
def test_words_count_as_quoted_when_they_stand_beside_the_citation(text: str, quoted: str | None) -> None:
    assert find_citations(text)[0].quoted == quoted


@pytest.mark.parametrize(("text", "status", "reason"), TEXTS["only-what-can-be-decided-is-decided"])
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
