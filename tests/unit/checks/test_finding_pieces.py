"""Addresses, measured numbers, and where code defines names."""

import pytest

from sparring.checks.citations.syntax import find_addresses, find_results
from sparring.checks.citations.tree import Definition, SourceText
from support.texts import texts

TEXTS = texts("citations")


ENDLESS = [("https://x.org/" + sign * 50_000, ["https://x.org/"]) for sign in ").,"]


@pytest.mark.parametrize(("line", "found"), [*TEXTS["an-address-ends-where-the-sentence-goes-on"], *ENDLESS])
def test_an_address_ends_where_the_sentence_goes_on(line: str, found: list[str]) -> None:
    assert [line[start:end] for start, end in find_addresses(line)] == found


@pytest.mark.parametrize(("line", "found"), TEXTS["a-number-is-a-result-by-its-unit-or-by-its-sentence"])
def test_a_number_is_a_result_by_its_unit_or_by_its_sentence(line: str, found: list[str]) -> None:
    assert [line[start:end] for start, end in find_results(line)] == found


SOURCE = SourceText(
    "from a import (\n    Other,\n    Third as Fourth,\n)\n\n\n"
    "class Thing(\n    Other,\n):\n    kind: str = 'x'\n\n    async def act(\n        self,\n    ) -> None:\n"
    "        self.done = True\n        self.act(done=1)\n\n# a class of Thing, and the type Nothing\n"
    "LIMIT = 3\n\nstatic int count(int x) {\n}\n\n  public async send(x) {\n  }\n"
    "return count(1)\nif (Thing == 3) {\nconst value = require('other')\n"
    "impl<T> Shape for Thing {\n}\ndef self.build\nend\n"
)


@pytest.mark.parametrize(
    ("name", "definitions"),
    [
        ("Thing", [(7, 16, True), (29, 30, True)]),
        ("act", [(12, 16, False)]),
        ("value", [(28, 28, False)]),
        ("build", [(31, 31, False)]),
        ("Shape", [(29, 30, True)]),
        ("Nothing", []),
        ("LIMIT", []),
    ],
)
def test_a_definition_reaches_as_far_as_its_block(name: str, definitions: list[tuple[int, int, bool]]) -> None:
    found = [(each.line, each.end_line, each.is_class) for each in SOURCE.definitions(name)]
    assert found == definitions


def test_a_definition_says_what_stands_behind_its_name() -> None:
    assert list(SourceText("class A(B): pass").definitions("A")) == [
        Definition(1, 1, is_class=True, heading="(B): pass")
    ]


@pytest.mark.parametrize(
    ("name", "is_member"),
    [("kind", True), ("act", True), ("done", True), ("self", False), ("LIMIT", False), ("Other", False)],
)
def test_a_member_is_what_the_block_of_a_class_defines(name: str, *, is_member: bool) -> None:
    assert SOURCE.has_member(name, 7, 16) is is_member


@pytest.mark.parametrize(
    ("name", "is_offered"),
    [
        ("Other", True),
        ("Fourth", False),
        ("LIMIT", True),
        ("count", True),
        ("send", True),
        ("other", True),
        ("x", False),
    ],
)
def test_a_module_offers_what_it_defines_and_what_it_imports(name: str, *, is_offered: bool) -> None:
    assert SOURCE.offers(name) is is_offered


def test_methods_may_stand_beside_their_type() -> None:
    source = SourceText("func (s *Server) Listen() {\n}\nfunc Listen() {\n}\n")
    assert (source.has_method_of("Server", "Listen"), source.has_method_of("Client", "Listen")) == (True, False)
