"""What a child is started with, as far as the golden files of recorded commands do not show it."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.cli.confinement import Confinement, Surroundings
from sparring.providers.cli.consultant import DEPTH_LIMIT, build_command, child_environment, depth_of, prompt_text
from sparring.schema.providers import Environment
from support.desk import command_line, question
from support.texts import texts


def test_a_child_sees_only_what_its_provider_allows() -> None:
    claude = command_line("claude")
    allowed = {
        "PATH": "/bin", "HOME": "/home/me", "LC_ALL": "C", "XDG_CONFIG_HOME": "/x", "https_proxy": "http://proxy",
        "NODE_EXTRA_CA_CERTS": "/ca.pem", "ANTHROPIC_API_KEY": "sk-ant", "ANTHROPIC_BASE_URL": "http://here",
        "CLAUDE_CODE_MAX_RETRIES": "7",
    }  # fmt: skip
    others = {
        "CLAUDE_CODE_DISABLE_ATTACHMENTS": "0", "CLAUDECODE": "1", "OPENAI_API_KEY": "sk-other",
        "DATABASE_PASSWORD": "secret", "LC": "not a locale", "SPARRING_DEPTH": "1",
    }  # fmt: skip
    seen = child_environment(claude, allowed | others)
    assert seen == allowed | dict(claude.environment.fixed) | {"SPARRING_DEPTH": "2"}
    spec = claude.model_copy(update={"environment": Environment(defaults={"TRIES": "2"})})
    assert child_environment(spec, {}) == {"TRIES": "2", "SPARRING_DEPTH": "1"}
    assert child_environment(spec, {"TRIES": "5"}) == {"TRIES": "5", "SPARRING_DEPTH": "1"}


def test_a_key_that_the_program_was_found_to_need_reaches_it_and_no_other_does() -> None:
    surroundings = Surroundings({"MINE_KEY": "sk-mine", "OTHER_KEY": "sk-other"}, Path(), Path())
    needs = Confinement(passed_on=frozenset({"MINE_KEY"}))
    command = build_command(command_line("codex"), question(), surroundings=surroundings, confinement=needs)
    assert {name for name in command.env if name.endswith("_KEY")} == {"MINE_KEY"}


def test_a_depth_that_is_no_number_counts_as_too_deep() -> None:
    known = {"0": 0, "1": 1, "7": 7}
    odd = dict.fromkeys(("", "-1", "²", "9" * 5000), DEPTH_LIMIT)
    assert depth_of({}) == 0
    assert {value: depth_of({"SPARRING_DEPTH": value}) for value in known | odd} == known | odd


PREAMBLE = "The question follows.\n\n"


def read_by(tool: str, prompt: str) -> str:
    return prompt_text(command_line(tool), question(prompt))


def test_gemini_does_not_see_a_path_and_the_model_and_all_others_see_the_same_words() -> None:
    for prompt, guarded in texts("providers")["a-path-is-hidden-from-gemini"]:
        assert read_by("gemini", prompt) == PREAMBLE + guarded.replace("·", "\u200b")
    assert read_by("codex", "@notes.txt $skill /../x") == "@notes.txt $skill /../x"
    assert read_by("claude", "@notes.txt") == f"{PREAMBLE}@notes.txt"


@given(st.text(alphabet="@/\\.\"' \nab(){}[],;!?\u200b", max_size=40))
def test_nothing_is_lost(prompt: str) -> None:
    if prompt:
        assert read_by("gemini", prompt).replace("\u200b", "") == (PREAMBLE + prompt).replace("\u200b", "")
