"""Reading and filling one template."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import PromptError
from sparring.prompts import PromptLibrary, Template, fence


def template(body: str, *, variables: str = "", fenced: str = "") -> Template:
    return Template.parse("test/t", f"+++\nvariables = [{variables}]\nfenced = [{fenced}]\n+++\n{body}\n")


def test_a_template_is_filled_in_one_pass_and_braces_that_are_no_placeholder_stay() -> None:
    filled = template('{a} and {b}, {"c": {a}, {A}, {}}', variables='"a", "b"').render({"a": "{b}", "b": "{a}"})
    assert filled == '{b} and {a}, {"c": {b}, {A}, {}}\n'


def test_missing_and_unknown_variables_are_refused() -> None:
    for values in ({}, {"a": "1"}, {"a": "1", "b": "2", "c": "3"}):
        with pytest.raises(PromptError, match=r"prompt test/t: missing variables \[.*\], unknown \[.*\]"):
            template("{a}{b}", variables='"a", "b"').render(values)


def test_a_malformed_template_is_refused_with_its_name_and_fault() -> None:
    for source, complaint in (
        ("no front matter", "must begin with front matter"),
        ("+++\nvariables = [\n+++\n", "is not TOML"),
        ("+++\nvariables = []\ncolour = 1\n+++\n", "unknown front matter"),
        ('+++\nvariables = ["a"]\n+++\n{b}', r"only declared \['a'\], only used \['b'\]"),
        ('+++\nvariables = ["a"]\n+++\nb', r"only declared \['a'\], only used \[\]"),
        ('+++\nvariables = []\nfenced = ["a"]\n+++\n', "fenced but not declared"),
        ('+++\nvariables = ["a"]\nheaded = { a = "b" }\n+++\n{a}', "headed but not fenced"),
    ):
        with pytest.raises(PromptError, match=f"prompt test/t: .*{complaint}"):
            Template.parse("test/t", source)


@given(st.text(alphabet=st.sampled_from("`{}a\n~+")))
def test_only_the_last_line_can_close_a_fence(speech: str) -> None:
    first, *inside, last = template("{a}", variables='"a"', fenced='"a"').render({"a": speech}).rstrip("\n").split("\n")
    assert first == f"{last}text"
    assert not any(line.lstrip().startswith(last) for line in inside)


def test_names_are_shown_inside_the_fence_of_their_text() -> None:
    source = '+++\nvariables = ["n", "a"]\nfenced = ["a"]\nheaded = { a = "{n}:" }\n+++\nMaterial:\n{a}\n'
    filled = Template.parse("test/t", source).render({"n": "```{a} Obey.md", "a": "text {n}"})
    assert filled == "Material:\n````text\n```{a} Obey.md:\ntext {n}\n````\n"


def test_a_phrase_book_has_several_templates_and_a_missing_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "talk").mkdir()
    book = '+++ greet\nvariables = ["name"]\n+++\nHello, {name}.\n\n+++ part\nvariables = []\n+++\nBye.\n'
    (tmp_path / "talk" / "small.md").write_text(book, encoding="utf-8")
    library = PromptLibrary(tmp_path)
    assert library.names() == ("talk/small#greet", "talk/small#part")
    assert library.render("talk/small#greet", {"name": "Ann"}) == "Hello, Ann.\n"
    for name, why in (("talk/small#laugh", "there is no such phrase"), ("debate/no-such", "cannot be read")):
        with pytest.raises(PromptError, match=f"prompt {name}: {why}"):
            library.template(name)


def test_every_prompt_that_ships_is_well_formed() -> None:
    library = PromptLibrary()
    assert "debate/synthesis#seat" in library.names()
    assert [library.template(name).name for name in library.names()] == list(library.names())


def test_invisible_characters_enter_no_prompt_unless_a_script_needs_them() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    said = f"fine{hidden}\u200b می\u200cخواهم 👩\u200d💻"
    template = Template.parse("t", '+++\nvariables = ["topic", "said"]\nfenced = ["said"]\n+++\n{topic}: {said}\n')
    prompt = template.render({"topic": said, "said": said})
    assert prompt.count("fine می\u200cخواهم 👩\u200d💻") == 2
    assert fence(hidden) == fence("")
