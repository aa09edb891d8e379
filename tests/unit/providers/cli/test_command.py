"""What a child is started with, as far as the golden files of recorded commands do not show it."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.cli.confinement import Surroundings, confine
from sparring.providers.cli.consultant import DEPTH_LIMIT, build_command, child_environment, depth_of, prompt_text
from sparring.providers.cli.process import Command
from sparring.schema.consultation import Question
from sparring.schema.providers import Environment
from support.desk import command_line, question, write

SESSION = "01a1fb9f-c26d-72c0-a7b8-9d4de9a67beb"


def command(name: str, asked: Question, home: Path, environment: Mapping[str, str] | None = None) -> Command:
    surroundings = Surroundings(environment or {"HOME": str(home)}, home, home / "private")
    spec = command_line(name)
    confinement = confine(spec, asked, surroundings, lambda: Path(mkdtemp(dir=home)))
    return build_command(spec, asked, surroundings=surroundings, confinement=confinement)


def test_a_child_sees_only_what_its_provider_allows() -> None:
    allowed = {
        "PATH": "/bin", "HOME": "/home/me", "LC_ALL": "C", "XDG_CONFIG_HOME": "/x", "https_proxy": "http://proxy",
        "NODE_EXTRA_CA_CERTS": "/ca.pem", "ANTHROPIC_API_KEY": "sk-ant", "ANTHROPIC_BASE_URL": "http://here",
        "CLAUDE_CODE_MAX_RETRIES": "7",
    }  # fmt: skip
    others = {
        "CLAUDE_CODE_DISABLE_ATTACHMENTS": "0", "CLAUDECODE": "1", "OPENAI_API_KEY": "sk-other",
        "DATABASE_PASSWORD": "secret", "LC": "not a locale", "SPARRING_DEPTH": "1",
    }  # fmt: skip
    fixed = (
        "CLAUDE_CODE_DISABLE_ATTACHMENTS", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING",
        "DISABLE_TELEMETRY",
    )  # fmt: skip

    seen = child_environment(command_line("claude"), allowed | others)
    assert seen == allowed | dict.fromkeys(fixed, "1") | {"SPARRING_DEPTH": "2"}


def test_a_default_holds_until_the_user_sets_the_variable() -> None:
    spec = command_line("claude").model_copy(update={"environment": Environment(defaults={"TRIES": "2"})})
    assert child_environment(spec, {}) == {"TRIES": "2", "SPARRING_DEPTH": "1"}
    assert child_environment(spec, {"TRIES": "5"}) == {"TRIES": "5", "SPARRING_DEPTH": "1"}


def test_the_key_of_a_users_own_model_provider_reaches_codex_and_nobody_else(tmp_path: Path) -> None:
    write(tmp_path / ".codex" / "config.toml", '[model_providers.mine]\nenv_key = "MINE_KEY"\n')
    parent = {"HOME": str(tmp_path), "MINE_KEY": "sk-mine", "OTHER_KEY": "sk-other"}

    seen = {name: command(name, question(), tmp_path, parent).env for name in ("claude", "codex")}

    assert "MINE_KEY" not in seen["claude"]
    homes = ("CODEX_HOME", "CODEX_SQLITE_HOME")
    assert {name: value for name, value in seen["codex"].items() if name not in homes} == {
        "HOME": str(tmp_path),
        "MINE_KEY": "sk-mine",
        "SPARRING_DEPTH": "1",
        "GIT_DIR": "/dev/null",
    }


def test_a_depth_that_is_no_number_counts_as_too_deep() -> None:
    known = {"0": 0, "1": 1, "7": 7}
    odd = dict.fromkeys(("", "-1", "²", "9" * 5000), DEPTH_LIMIT)
    assert depth_of({}) == 0
    assert {value: depth_of({"SPARRING_DEPTH": value}) for value in known | odd} == known | odd


PREAMBLE = "The question follows.\n\n"


def read_by(tool: str, prompt: str) -> str:
    return prompt_text(command_line(tool), question(prompt))


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
