"""Citations that are written in an unusual way, or come with an excuse: what they count for at most."""

import pytest

from sparring.checks.citations import check_citations, check_ledger
from support.texts import texts
from support.working_trees import MemoryTree

TEXTS = texts("damage")
TREE = MemoryTree(
    {
        "app.py": "import os\n\nWIDTH = 5\nlimit = 5000\n",
        "auth/login.py": "def login(user):\n    return user\n",
        "kernel.cu": "__global__ void add() {}\n",
        "contracts/Token.sol": "contract Token {}\n",
        "go.mod": "module app\n",
        "main.S": "nop\n",
        "Jenkinsfile": "pipeline {}\n",
        "U\u0308bung.md": "# Aufgabe\n",
    }
)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        *TEXTS["what-cannot-be-read-as-a-line-is-no-citation-of-the-file"],
        *TEXTS["an-excuse-holds-for-the-very-thing-that-it-speaks-of"],
        *TEXTS["a-file-is-what-the-project-lists"],
    ],
)
def test_excuses_cover_only_citations_that_are_read(text: str, status: str) -> None:
    assert check_ledger(text, TREE).entries[0].status == status


@pytest.mark.parametrize(("text", "status"), TEXTS["what-cannot-be-read-as-a-line-is-no-citation-of-the-file"])
def test_without_a_listing_the_same_is_found_of_files_with_known_suffixes(text: str, status: str) -> None:
    assert [each.status for each in check_citations(text, TREE.files.get)][:1] in ([status], [])


@pytest.mark.parametrize("text", TEXTS["cites-nothing"])
def test_names_that_the_project_does_not_list_are_no_files(text: str) -> None:
    assert check_ledger(text, TREE).entries == ()
