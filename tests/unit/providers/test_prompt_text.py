"""What a program reads of a prompt: every letter of it, and what cannot be seen where it would follow a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.command import prompt_text
from sparring.providers.known import load_providers
from sparring.schema.providers import CliProvider
from support.desk import question

PREAMBLE = "The question follows.\n\n"


def read_by(tool: str, prompt: str) -> str:
    spec = load_providers(None).specs[tool]
    assert isinstance(spec, CliProvider)
    return prompt_text(spec, question(prompt))


def test_a_program_that_follows_no_words_reads_the_prompt_as_it_is() -> None:
    assert read_by("codex", "@notes.txt $skill /../x") == "@notes.txt $skill /../x"
    assert read_by("claude", "@notes.txt") == f"{PREAMBLE}@notes.txt"


@pytest.mark.parametrize(
    ("prompt", "guarded"),
    [
        ("@notes.txt", "@·notes.txt"),
        ("see @a, (@b) and me@example.org.", "see @·a, (@·b) and me@·example.org."),
        ("@x/../y ../../z", "@·x/..·/y ../../z"),
        ("@/.. @x/.\\./y @x\\/\\.\\./y", "@·/.. @·x/.\\.·/y @·x\\/\\.\\.·/y"),
        ('@"a b/../c" d/../e', '@·"a b/..·/c" d/../e'),
        ('@a"b\n/../c', '@·a"b\n/../c'),
        ("a @ b @, @\n@", "a @ b @, @\n@"),
        ("\\@notes.txt", "\\@notes.txt"),
        ("@.", "@."),
        ("@..", "@·.."),
        ("@a@b", "@·a@b"),
    ],
)
def test_gemini_does_not_see_a_path_and_the_model_sees_the_same_words(prompt: str, guarded: str) -> None:
    assert read_by("gemini", prompt) == PREAMBLE + guarded.replace("·", "\u200b")


@given(st.text(alphabet="@/\\.\"' \nab(){}[],;!?\u200b", max_size=40))
def test_nothing_is_lost(prompt: str) -> None:
    if prompt:
        assert read_by("gemini", prompt).replace("\u200b", "") == (PREAMBLE + prompt).replace("\u200b", "")
