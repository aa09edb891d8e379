"""Why a program is not even started; what it is started with is in the golden files of recorded commands."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from sparring.providers.cli.confinement import Surroundings
from sparring.providers.cli.consultant import CliConsultant
from sparring.schema.consultation import Failure, FailureCode, Question
from sparring.schema.providers import CliProvider, CommandLine
from sparring.text.redaction import Redactor
from support.desk import question, write


def fake(program: str = sys.executable) -> CliProvider:
    how = {"install": "Make one.", "preamble": "First.\n", "command": CommandLine(program=program)}
    return CliProvider.model_validate({"name": "fake", "family": "none", "title": "Fake", "output": "claude", **how})


def consultant(folder: Path, spec: CliProvider, environment: Mapping[str, str] | None = None) -> CliConsultant:
    return CliConsultant(spec, Surroundings(environment or {}, folder, folder / "private"), redactor=Redactor())


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
         "fake cannot be told which model to use; leave the model out."),
        (NOWHERE.model_copy(update={"prompt_limit": 1007}), question("x" * 1001), FailureCode.CONTEXT_TOO_LONG,
         "fake takes prompts of at most 1,007 characters; this one has 1,008."),
        (NOWHERE.model_copy(update={"confinement": "codex"}), question(), FailureCode.UNSUPPORTED,
         "/FOLDER/.codex/config.toml cannot be understood, so what it would start cannot be switched off."),
    ],
    ids=["missing", "not to be run", "no folder for prompts", "unsupported", "too long", "broken configuration"],
)  # fmt: skip
async def test_what_cannot_be_started_is_told(
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


async def test_nothing_is_started_from_deep_inside_or_in_a_project_that_has_gone(tmp_path: Path) -> None:
    for depth in ("2", "3", "many"):
        reply = await consultant(tmp_path, fake(), {"SPARRING_DEPTH": depth}).ask(question())
        told = "sparring runs inside a tool that sparring started; fake is not started once more."
        assert reply == failure(FailureCode.UNSUPPORTED, told)
    reply = await consultant(tmp_path / "gone", fake()).ask(question())
    assert reply == failure(FailureCode.EXIT, f"The project folder `{tmp_path / 'gone'}` is not there any more.")
