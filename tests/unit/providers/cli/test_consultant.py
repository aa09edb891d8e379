import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.providers.cli.confinement import Surroundings
from sparring.providers.cli.consultant import CliConsultant
from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Usage
from sparring.schema.providers import PROVIDER_SPEC, CliProvider
from sparring.testing import fake_claude
from sparring.text.redaction import Redactor
from support.desk import answered, question, write

KNOWN_VALUE = "open sesame, and\nclose it"
FAKE = Path(fake_claude.__file__)


def fake(mode: str = "answers", *, program: str = sys.executable) -> CliProvider:
    command = {"program": program, "argv": [str(FAKE), mode, "{effort}"], "effort": ["--effort", "{effort}"]}
    table = {"name": "fake", "kind": "cli", "family": "none", "title": "Fake", "output": "claude", "command": command}
    told = {"install": "Make one.", "preamble": "First.\n", "efforts": {"low": "little"}}
    spec = PROVIDER_SPEC.validate_python({**table, **told})
    assert isinstance(spec, CliProvider)
    return spec


def consultant(folder: Path, spec: CliProvider, environment: Mapping[str, str] | None = None) -> CliConsultant:
    surroundings = Surroundings(environment or {}, folder, folder / "private")
    return CliConsultant(spec, surroundings, redactor=Redactor([KNOWN_VALUE]))


@pytest.mark.process
async def test_the_prompt_goes_in_by_standard_input_and_the_answer_comes_back(tmp_path: Path) -> None:
    asked = question("Đúng không?", effort=Effort.LOW, keep_session=True)
    reply = answered(await consultant(tmp_path, fake(), {"LANG": "C.UTF-8", "KNOWN_VALUE": "x"}).ask(asked))
    said: dict[str, Any] = json.loads(reply.response)
    told = (said["prompt"], said["arguments"], said["folder"])
    assert told == ("First.\nĐúng không?", ["--effort", "little"], str(tmp_path))
    assert said["environment"].keys() & {"LANG", "KNOWN_VALUE", "SPARRING_DEPTH"} == {"LANG", "SPARRING_DEPTH"}
    assert reply == Answer(
        tool="fake",
        effort=Effort.LOW,
        response=reply.response,
        session_id="6b1f7f0a-0000-4000-8000-000000000001",
        continuable=True,
        duration_ms=reply.duration_ms,
        usage=Usage(input_tokens=7, output_tokens=3),
    )
    assert list((tmp_path / "private" / "calls").iterdir()) == []


def failure(code: FailureCode, detail: str) -> Failure:
    return Failure(tool="fake", code=code, detail=detail)


NOWHERE = fake(program="no-such-program")


@pytest.mark.parametrize(
    ("spec", "asked", "code", "detail"),
    [
        (NOWHERE, question(), FailureCode.NOT_FOUND, "`no-such-program` is not there. Make one."),
        pytest.param(fake(program="/FOLDER/locked"), question(), FailureCode.PERMISSION,
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
