"""Why a program is not even started, and what the golden files of recorded commands do not show of one that is."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ExhaustedError
from sparring.lookup.snapshot import with_copy
from sparring.providers.cli.confinement import Addition, Surroundings, child_environment
from sparring.providers.cli.consultant import CliConsultant, prompt_text
from sparring.schema.consultation import Failure, FailureCode, Question
from sparring.schema.providers import CliProvider, CommandLine, Environment
from sparring.text.redaction import Redactor
from support.desk import command_line, question, write
from support.full_disk import largest_file
from support.texts import texts


def fake(program: str = sys.executable) -> CliProvider:
    how = {"install": "Make one.", "preamble": "First.\n", "command": CommandLine(program=program)}
    return CliProvider.model_validate({"name": "fake", "family": "none", "title": "Fake", "output": "claude", **how})


def consultant(folder: Path, spec: CliProvider, environment: Mapping[str, str] | None = None) -> CliConsultant:
    return CliConsultant(
        spec, with_copy(Surroundings(environment or {}, folder, folder / "private"), Redactor()), redactor=Redactor()
    )


def failure(code: FailureCode, detail: str) -> Failure:
    return Failure(tool="fake", code=code, detail=detail)


NOWHERE = fake("no-such-program")


@pytest.mark.parametrize(
    ("spec", "asked", "code", "detail"),
    [
        (NOWHERE, question(), FailureCode.NOT_FOUND, "`no-such-program` is not there. Make one."),
        pytest.param(fake("/FOLDER/locked"), question(), FailureCode.PERMISSION,
         "`/FOLDER/locked` may not be used: Permission denied.", marks=pytest.mark.process),
        (fake(), question(), FailureCode.EXIT, "`/FOLDER/private/calls` cannot be used: Not a directory."),
        (NOWHERE, question(model="opus"), FailureCode.UNSUPPORTED,
         "fake takes no model; leave it out."),
        (NOWHERE.model_copy(update={"prompt_limit": 1007}), question("x" * 1001), FailureCode.CONTEXT_TOO_LONG,
         "fake takes prompts of at most 1,007 characters; this one has 1,008."),
        (NOWHERE.model_copy(update={"confinement": "codex"}), question(), FailureCode.UNSUPPORTED,
         "/FOLDER/.codex/config.toml cannot be parsed, so what it would start cannot be switched off."),
    ],
    ids=["missing", "not to be run", "no folder for prompts", "unsupported", "too long", "broken configuration"],
)  # fmt: skip
async def test_a_program_that_cannot_start_is_reported(
    spec: CliProvider, asked: Question, code: FailureCode, detail: str, tmp_path: Path
) -> None:
    (tmp_path / "locked").touch(mode=0o600)
    write(tmp_path / ".codex" / "config.toml", "mcp_servers = [")
    if "private" in detail:
        (tmp_path / "private").touch()
    program = spec.command.program.replace("/FOLDER", str(tmp_path))
    spec = spec.model_copy(update={"command": spec.command.model_copy(update={"program": program})})
    reply = await consultant(tmp_path, spec, {"HOME": str(tmp_path)}).ask(asked)
    assert reply.model_copy(update={"duration_ms": 0}) == failure(code, detail.replace("/FOLDER", str(tmp_path)))


async def test_a_full_disk_is_no_failure_of_a_tool(tmp_path: Path) -> None:
    with largest_file(0), pytest.raises(ExhaustedError, match="limit that is set for files"):
        await consultant(tmp_path, fake()).ask(question())


async def test_nothing_is_started_from_deep_inside_or_in_a_project_that_has_gone(tmp_path: Path) -> None:
    for depth in ("2", "3", "many", "", "-1", "²", "9" * 5000):
        reply = await consultant(tmp_path, fake(), {"SPARRING_DEPTH": depth}).ask(question())
        told = "sparring runs inside a tool that sparring started; fake is not started again."
        assert reply == failure(FailureCode.UNSUPPORTED, told)
    reply = await consultant(tmp_path / "gone", fake()).ask(question())
    assert reply == failure(FailureCode.EXIT, f"The project folder `{tmp_path / 'gone'}` is not there any more.")


def test_a_child_sees_only_what_its_provider_allows() -> None:
    claude = command_line("claude")
    tables = texts("providers")
    allowed, others = (dict(tables[name]) for name in ("variables-that-claude-may-see", "and-such-as-it-may-not"))
    seen = child_environment(claude, allowed | others, Addition())
    assert seen == allowed | dict(claude.environment.fixed) | {"SPARRING_DEPTH": "2"}
    spec = claude.model_copy(update={"environment": Environment(defaults={"TRIES": "2"})})
    assert child_environment(spec, {}, Addition()) == {"TRIES": "2", "SPARRING_DEPTH": "1"}
    assert child_environment(spec, {"TRIES": "5"}, Addition()) == {"TRIES": "5", "SPARRING_DEPTH": "1"}


def test_a_key_that_the_program_was_found_to_need_reaches_it_and_no_other_does() -> None:
    environment, needs = {"MINE_KEY": "sk-mine", "OTHER_KEY": "sk-other"}, Addition(passed_on=frozenset({"MINE_KEY"}))
    seen = child_environment(command_line("codex"), environment, needs)
    assert {name for name in seen if name.endswith("_KEY")} == {"MINE_KEY"}


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
