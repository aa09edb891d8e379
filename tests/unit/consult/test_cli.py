import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.consult.cli import CliConsultant
from sparring.consult.confinement import Surroundings
from sparring.consult.prompt_file import PromptFiles
from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, Failure, FailureCode, Usage
from sparring.schema.providers import PROVIDER_SPEC, CliProvider, ConfinementKind
from sparring.testing import fake_claude
from sparring.text.redaction import Redactor
from support.desk import question

KNOWN_VALUE = "open sesame, and\nclose it"
FAKE = Path(fake_claude.__file__)


def fake(mode: str = "answers", *, program: str = sys.executable) -> CliProvider:
    command = {"program": program, "argv": [str(FAKE), mode, "{effort}"], "effort": ["--effort", "{effort}"]}
    table = {
        "name": "fake",
        "kind": "cli",
        "family": "none",
        "title": "Fake",
        "install": "Make one.",
        "output": "claude",
        "preamble": "First.\n",
        "efforts": {"low": "little"},
        "command": command,
    }
    spec = PROVIDER_SPEC.validate_python(table)
    assert isinstance(spec, CliProvider)
    return spec


def consultant(folder: Path, spec: CliProvider, environment: Mapping[str, str] | None = None) -> CliConsultant:
    return CliConsultant(
        spec,
        Surroundings(environment or {}, folder, folder / "private"),
        prompt_files=PromptFiles(folder / "consult"),
        redactor=Redactor([KNOWN_VALUE]),
    )


@pytest.mark.process
async def test_the_prompt_goes_in_by_standard_input_and_the_answer_comes_back(tmp_path: Path) -> None:
    reply = await consultant(tmp_path, fake(), {"LANG": "C.UTF-8", "KNOWN_VALUE": "x"}).ask(
        question("Đúng không?", effort=Effort.LOW, keep_session=True)
    )

    assert isinstance(reply, Answer)
    said: dict[str, Any] = json.loads(reply.response)
    assert (said["prompt"], said["arguments"], said["folder"]) == (
        "First.\nĐúng không?",
        ["--effort", "little"],
        str(tmp_path),
    )
    assert said["environment"].keys() & {"LANG", "KNOWN_VALUE", "SPARRING_DEPTH"} == {"LANG", "SPARRING_DEPTH"}
    assert reply.model_copy(update={"response": "…", "duration_ms": 0}) == Answer(
        tool="fake",
        effort=Effort.LOW,
        response="…",
        session_id="6b1f7f0a-0000-4000-8000-000000000001",
        continuable=True,
        duration_ms=0,
        usage=Usage(input_tokens=7, output_tokens=3),
    )
    assert list((tmp_path / "consult").iterdir()) == []


def failure(code: FailureCode, detail: str) -> Failure:
    return Failure(tool="fake", code=code, detail=detail)


async def test_a_program_that_is_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    reply = await consultant(tmp_path, fake(program="no-such-program")).ask(question())

    assert reply.model_copy(update={"duration_ms": 0}) == failure(
        FailureCode.NOT_FOUND, "`no-such-program` is not there. Make one."
    )


async def test_a_project_that_has_gone_is_told_and_not_taken_for_a_missing_program(tmp_path: Path) -> None:
    reply = await consultant(tmp_path / "gone", fake()).ask(question())

    assert reply == failure(FailureCode.EXIT, f"The project folder `{tmp_path / 'gone'}` is not there any more.")


@pytest.mark.process
async def test_what_the_program_says_is_shown_without_secrets_that_span_lines(tmp_path: Path) -> None:
    reply = await consultant(tmp_path, fake("complains", program=sys.executable)).ask(question(KNOWN_VALUE))

    assert reply.model_copy(update={"duration_ms": 0, "redactions": 0}) == failure(
        FailureCode.EXIT, "fake ended with exit code 3: error: [REDACTED:known-value]"
    )


@pytest.mark.process
async def test_a_program_that_may_not_be_run_is_told(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.touch(mode=0o600)

    reply = await consultant(tmp_path, fake(program=str(program))).ask(question())

    assert reply.model_copy(update={"duration_ms": 0}) == failure(
        FailureCode.PERMISSION, f"`{program}` may not be used: Permission denied."
    )


async def test_a_prompt_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "consult").touch()

    reply = await consultant(tmp_path, fake()).ask(question())

    assert isinstance(reply, Failure)
    assert (reply.code, reply.detail.startswith(f"`{tmp_path / 'consult'}` cannot be used: ")) == (
        FailureCode.EXIT,
        True,
    )


@pytest.mark.parametrize("depth", ["2", "3", "many"])
async def test_nothing_is_started_from_deep_inside(depth: str, tmp_path: Path) -> None:
    reply = await consultant(tmp_path, fake(), {"SPARRING_DEPTH": depth}).ask(question())

    assert reply == failure(
        FailureCode.UNSUPPORTED,
        "sparring runs inside a tool that sparring started; fake is not started once more.",
    )


async def test_what_the_program_cannot_do_is_refused_before_it_is_started(tmp_path: Path) -> None:
    reply = await consultant(tmp_path, fake(program="no-such-program")).ask(question(model="opus"))

    assert reply == failure(FailureCode.UNSUPPORTED, "fake cannot be told which model to use; leave the model out.")


async def test_a_prompt_beyond_the_limit_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    spec = fake(program="no-such-program").model_copy(update={"prompt_limit": 1007})

    reply = await consultant(tmp_path, spec).ask(question("x" * 1001))

    assert reply == failure(
        FailureCode.CONTEXT_TOO_LONG, "fake takes prompts of at most 1,007 characters; this one has 1,008."
    )


async def test_a_configuration_that_cannot_be_understood_starts_nothing(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text("mcp_servers = [", encoding="utf-8")
    spec = fake(program="no-such-program").model_copy(update={"confinement": ConfinementKind.CODEX})

    reply = await consultant(tmp_path, spec, {"HOME": str(tmp_path)}).ask(question())

    assert isinstance(reply, Failure)
    assert (reply.code, reply.detail) == (
        FailureCode.UNSUPPORTED,
        f"{tmp_path / '.codex' / 'config.toml'} cannot be understood, so what it would start cannot be switched off.",
    )
