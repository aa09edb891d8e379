"""Documentation that people finish: few words, short sentences, small cells, and the words of the glossary."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
GENERATED = {"options.md", "tools.md"}
"""Pages whose tables come from the code; their words count, and those of option help are messages."""
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    *(page for page in DOCS if page.name not in GENERATED),
]
WORDS = 15_000
"""Words of all pages in ``docs``; a word has a letter or a digit."""
CHANGELOG_WORDS = 500
"""One page."""
SENTENCE = 40
CELL = 200
GLOSSARY = 20
WORDING = tomllib.loads((ROOT / "tests" / "data" / "wording.toml").read_text(encoding="utf-8"))
_BLOCK = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_STARTS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*#>]|\d+\.) )")
_ENDS = re.compile(r"(?<=[.!?:;])(?:\*\*)?[\"”)]?\s+(?=[A-Z`*“\"(])")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def words(text: str) -> list[str]:
    return [word for word in text.split() if re.search(r"\w", word)]


def prose(page: Path) -> str:
    """The page without code blocks and comments."""
    return _COMMENT.sub("", _BLOCK.sub("\n\n", page.read_text(encoding="utf-8")))


def cells(page: Path) -> Iterator[str]:
    for line in prose(page).splitlines():
        if line.lstrip().startswith("|"):
            yield from (cell.strip() for cell in re.split(r"(?<!\\)\|", line))


def sentences(page: Path) -> Iterator[str]:
    text = "\n".join("" if line.lstrip().startswith("|") else line for line in prose(page).splitlines())
    for paragraph in _STARTS.split(text):
        yield from _ENDS.split(" ".join(_LINK.sub(r"\1", paragraph).split()))


def test_the_documentation_is_short() -> None:
    count = sum(len(words(page.read_text(encoding="utf-8"))) for page in DOCS)
    assert count <= WORDS, f"docs/ has {count - WORDS:,} words too many, tables of options included: shorten a page"
    assert len(words((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))) <= CHANGELOG_WORDS


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_sentences_and_cells_are_short(page: Path) -> None:
    assert [sentence for sentence in sentences(page) if len(words(sentence)) > SENTENCE] == []
    assert [cell for cell in cells(page) if len(_LINK.sub(r"\1", cell)) > CELL] == []


def test_the_glossary_has_few_words() -> None:
    section = (
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Glossary\n")[2].partition("\n## ")[0]
    )
    entries = re.findall(r"^\| \*\*(.+?)\*\* \|", section, re.MULTILINE)
    assert 10 < len(entries) <= GLOSSARY


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_page_uses_plain_words(page: Path) -> None:
    text = " ".join(re.sub(r"`[^`\n]*`", "", prose(page)).split()).lower()
    assert [word for word in WORDING["words"] if re.search(rf"\b{word}\b", text)] == []
    assert [phrase for phrase in WORDING["phrases"] if phrase in text] == []


@cache
def messages() -> tuple[tuple[str, str], ...]:
    """The texts of the program with a space in them, and where they are; no docstrings."""
    found = list[tuple[str, str]]()
    for file in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
                found.append((f"{named(file)}:{node.lineno}", node.value))
    skills = sorted((ROOT / "skills").rglob("*.md"))
    found += [(named(file), line) for file in skills for line in file.read_text(encoding="utf-8").splitlines()]
    return tuple(found)


_TEXTS_OF_OTHERS = (
    "src/sparring/checks/concessions.py",
    "src/sparring/evaluation/audit/cases.py",
    "src/sparring/testing/",
)
"""Word lists that are read with, and texts of speakers."""
_PRONOUNS = ("whoever", "somebody", "anybody", "nobody", "everybody")


def test_messages_name_what_they_speak_of() -> None:
    ours = [(place, text) for place, text in messages() if " " in text and not place.startswith(_TEXTS_OF_OTHERS)]
    found = re.compile(rf"\b({'|'.join(_PRONOUNS)})\b", re.IGNORECASE)
    assert [(place, text) for place, text in ours if found.search(text)] == []


@pytest.mark.parametrize("phrase", WORDING["phrases"])
def test_no_message_uses_a_phrase_that_readers_did_not_understand(phrase: str) -> None:
    assert len(messages()) > 1_000
    assert [place for place, text in messages() if phrase in " ".join(text.lower().split())] == []
