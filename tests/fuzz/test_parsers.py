"""Parsers of foreign text raise only their documented errors, end, and return no more than they were given."""

import re
import tomllib
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
"""Names of parsers that a module calls or inherits from."""

EXEMPT: dict[str, str] = tomllib.loads(Path(__file__).with_name("exempt.toml").read_text(encoding="utf-8"))
"""Modules that parse something, and why it is nothing that somebody else has written."""


def tried(parser: Parser, data: bytes) -> None:
    """Read ``data`` once."""
    try:
        read = parser.read(data)
    except parser.refuses as error:
        read = str(error)
    assert len(repr(read)) <= 200 * len(data) + 100_000


each_parser = pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)


@pytest.mark.timeout(300)
@each_parser
def test_nothing_foreign_breaks_a_parser(parser: Parser) -> None:
    @settings(max_examples=FEW.get(wished := settings().max_examples, wished))
    @given(texts_for(parser.name, parser.formats))
    def each(data: bytes) -> None:
        tried(parser, data)

    each()


@each_parser
def test_inputs_that_once_broke_a_parser_and_well_formed_ones_are_read(parser: Parser) -> None:
    for data in (*seeds_of(parser.name), b""):
        tried(parser, data)


def test_every_module_that_parses_is_in_the_table() -> None:
    calls = re.compile(rf"\b(?:{'|'.join(READERS)})\(|\([\w., ]*\b(?:{'|'.join(READERS)})\):")
    names = {file: ".".join(file.relative_to(SOURCE).with_suffix("").parts) for file in SOURCE.rglob("*.py")}
    parses = {name.removesuffix(".__init__"): calls.search(file.read_text("utf-8")) for file, name in names.items()}
    parsing = {name for name, found in parses.items() if found and not name.startswith("testing.")}  # the other side
    known = {module for parser in PARSERS for module in parser.modules.split()}
    assert parsing - known == EXEMPT.keys()
    assert known <= parses.keys()
    assert {folder.name for folder in CORPUS.iterdir()} <= {parser.name for parser in PARSERS}
