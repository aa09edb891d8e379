"""What parses foreign text raises nothing but what it says, ends, and gives back no more than it was given."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

from fuzz.parsers import PARSERS, Parser
from fuzz.texts import CORPUS, seeds_of, texts_for

FEW = {25: 6, 50: 25}
"""In the profiles of `make quick` and `make test` a few of so many examples will do; longer searches are asked for."""

SOURCE = Path(__file__).parents[2] / "src" / "sparring"
READERS = {
    *("loads", "reader", "model_validate_json", "validate_json", "from_json", "parse_jsonc"),
    *("PdfReader", "HTMLParser", "ParquetFile"),
}
"""What a module calls, or inherits from, that parses a format."""

EXEMPT = {
    "batch.answers": "what was asked and answered, from our own ledger",
    "batch.engine": "what was filed of a row, from our own ledger",
    "batch.judging": "what was filed of a row, from our own ledger",
    "batch.ray": "what workers of ours send to their driver",
    "batch.ray_nodes": "what workers of ours send to each other",
    "batch.work": "our own options, spelled as JSON to look for secrets in them",
    "batch.allowances": "what workers of ours have written into their own ledger",
    "providers.cli.measured": "ships with sparring",
    "providers.worker": "what our own worker wrote, over a pipe that nobody else has",
    "providers.cli.call_folder": "reads what our own supervisor wrote, in a private folder",
    "checks.claims.lexicon": "ships with sparring",
    "cli.demo": "ships with sparring",
    "formats.chaired_debate.rules": "what code has answered, from a journal that was read already",
    "formats.consult.report": "what code has answered, from a journal that was read already",
    "formats.review.rules": "what code has answered, from a journal that was read already",
    "formats.debate.speeches": "what code has answered, from a journal that was read already",
    "prompts.skills": "ships with sparring",
    "providers.lookup.pdf_program": "a process of its own, whose every failure is one sentence (its unit tests)",
    "providers.lookup.sources": "what that process has written, once it has ended well",
    "server.snapshot": "ships with sparring, or was written by it",
    "text.secret_shapes": "ships with sparring",
    "text.secret_words": "ships with sparring",
}
"""Modules that parse something, and why it is nothing that somebody else has written."""


def tried(parser: Parser, data: bytes) -> None:
    """Read ``data`` once."""
    try:
        read = parser.read(data)
    except parser.refuses as error:
        read = str(error)
    assert len(repr(read)) <= 200 * len(data) + 100_000


@pytest.mark.timeout(300)
@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_nothing_foreign_breaks_a_parser(parser: Parser) -> None:
    @settings(max_examples=FEW.get(wished := settings().max_examples, wished))
    @given(texts_for(parser.name, parser.formats))
    def each(data: bytes) -> None:
        tried(parser, data)

    each()


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_what_broke_a_parser_once_and_what_is_well_formed_is_read(parser: Parser) -> None:
    for data in (*seeds_of(parser.name), b""):
        tried(parser, data)


def test_every_module_that_parses_is_in_the_table() -> None:
    calls = re.compile(rf"\b(?:{'|'.join(READERS)})\(|\([\w., ]*\b(?:{'|'.join(READERS)})\):")
    parsing = {module_of(file) for file in SOURCE.rglob("*.py") if calls.search(file.read_text(encoding="utf-8"))}
    parsing = {module for module in parsing if not module.startswith("testing.")}  # the other side in tests
    known = {module for parser in PARSERS for module in parser.modules.split()}
    assert parsing - known - EXEMPT.keys() == set()
    assert (known | EXEMPT.keys()) - {module_of(file) for file in SOURCE.rglob("*.py")} == set()
    assert EXEMPT.keys() - parsing == set()
    assert {folder.name for folder in CORPUS.iterdir()} <= {parser.name for parser in PARSERS}


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
