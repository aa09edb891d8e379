"""Citations of places, and what they are made of: addresses, measured numbers, and where code defines names."""

import pytest

from sparring.checks.citations import check_citations, find_citations
from sparring.checks.citations.syntax import find_addresses, find_results
from sparring.checks.citations.tree import Definition, SourceText
from support.texts import texts

TEXTS = texts("citations")

FILES = dict(TEXTS["files-of-a-project"])


@pytest.mark.parametrize(("text", "cited"), TEXTS["citations-are-found-however-they-are-written"])
def test_citations_are_found_in_every_notation(text: str, cited: list[list[str | int]]) -> None:
    assert [[found.path, found.line, found.end_line] for found in find_citations(text)] == cited


@pytest.mark.parametrize(("text", "quoted"), TEXTS["words-count-as-quoted-when-they-stand-beside-the-citation"])
def test_words_next_to_a_citation_count_as_quoted(text: str, quoted: str | None) -> None:
    assert find_citations(text)[0].quoted == quoted


@pytest.mark.parametrize(("text", "status", "reason"), TEXTS["only-what-can-be-decided-is-decided"])
def test_only_what_can_be_decided_is_decided(text: str, status: str, reason: str) -> None:
    assert [(found.status, found.reason) for found in check_citations(text, FILES.get)] == [(status, reason)]


def test_the_sentence_around_a_citation_decides_not_its_neighbours_and_each_file_is_read_once() -> None:
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return FILES.get(path)

    text = "`src/gone.py:1` proves it. `src/lost.py:2` does not exist. See src/gone.py:3 and src/a.py:1, src/a.py:2."
    found = [each.status for each in check_citations(text, read)]
    assert found == ["not_found", "unchecked", "not_found", "exists", "exists"]
    assert asked == ["src/gone.py", "src/lost.py", "src/a.py"]


ENDLESS = [("https://x.org/" + sign * 50_000, ["https://x.org/"]) for sign in ").,"]


@pytest.mark.parametrize(("line", "found"), [*TEXTS["an-address-ends-where-the-sentence-goes-on"], *ENDLESS])
def test_an_address_ends_before_the_rest_of_its_sentence(line: str, found: list[str]) -> None:
    assert [line[start:end] for start, end in find_addresses(line)] == found


@pytest.mark.parametrize(("line", "found"), TEXTS["a-number-is-a-result-by-its-unit-or-by-its-sentence"])
def test_a_number_is_a_result_by_its_unit_or_by_its_sentence(line: str, found: list[str]) -> None:
    assert [line[start:end] for start, end in find_results(line)] == found


SOURCE = SourceText(*TEXTS["definitions"])


def test_a_definition_reaches_as_far_as_its_block() -> None:
    names = ("Thing", "act", "value", "build", "Shape", "Nothing", "LIMIT")
    found = {name: [(each.line, each.end_line, each.is_class) for each in SOURCE.definitions(name)] for name in names}
    assert {name: places for name, places in found.items() if places} == {
        "Thing": [(7, 16, True), (29, 30, True)],
        "act": [(12, 16, False)],
        "value": [(28, 28, False)],
        "build": [(31, 31, False)],
        "Shape": [(29, 30, True)],
    }
    (told,) = SourceText("class A(B): pass").definitions("A")
    assert told == Definition(1, 1, is_class=True, heading="(B): pass")


def test_a_member_is_what_a_class_defines_and_a_module_offers_what_it_defines_and_imports() -> None:
    names = ("kind", "act", "done", "self", "LIMIT", "Other", "Fourth", "count", "send", "other", "x")
    assert [name for name in names if SOURCE.has_member(name, 7, 16)] == ["kind", "act", "done"]
    assert [name for name in names[4:] if SOURCE.offers(name)] == ["LIMIT", "Other", "count", "send", "other"]
    source = SourceText("func (s *Server) Listen() {\n}\nfunc Listen() {\n}\n")  # beside the type that it belongs to
    assert (source.has_method_of("Server", "Listen"), source.has_method_of("Client", "Listen")) == (True, False)
