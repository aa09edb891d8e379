import os
import sys
from pathlib import Path

from sparring.providers.available import Available, Missing, NotExecutable, availability, unsupported
from sparring.providers.known import load_providers
from sparring.schema.base import Effort
from sparring.schema.providers import CliProvider, ScriptedProvider
from support.desk import command_line, question
from support.texts import texts


def program(path: str) -> CliProvider:
    spec = command_line("claude")
    return spec.model_copy(update={"command": spec.command.model_copy(update={"program": path})})


def test_a_program_is_available_where_an_absolute_entry_of_the_path_leads_to_it_and_it_may_be_executed(
    tmp_path: Path,
) -> None:
    python, tool = Path(sys.executable), tmp_path / "claude"
    tool.touch(mode=0o700)
    relative, spec = os.path.relpath(tmp_path), program("claude")

    assert availability(program(python.name), {"PATH": str(python.parent)}) == Available(python)
    assert availability(program(sys.executable), {}) == Available(python)
    assert availability(spec, {"PATH": f"{relative}{os.pathsep}{tmp_path}"}) == Available(tool)
    missing = Missing("Claude Code is not installed: no `claude` on PATH.", spec.install)
    assert availability(spec, {"PATH": os.pathsep.join((relative, ".", ""))}) == missing
    tool.chmod(0o600)
    locked = NotExecutable(f"Claude Code cannot be started: `{tool}` may not be executed.", spec.install)
    assert [availability(each, {"PATH": str(tmp_path)}) for each in (spec, program(str(tool)))] == [locked] * 2


def test_a_script_is_available_when_it_is_there(tmp_path: Path) -> None:
    script = tmp_path / "replies.json"
    spec = ScriptedProvider(name="me", family="none", title="Me", install="Do this.")
    named = spec.model_copy(update={"script": script})
    assert availability(spec, {}) == Missing("me has no script.", "Do this.")
    assert isinstance(availability(named, {}), Missing)
    script.touch()
    assert availability(named, {}) == Available(script)


def test_a_question_that_a_provider_cannot_answer_is_refused_with_the_reason() -> None:
    plain = program("mine").command.model_copy(update={"model": (), "resume": ()})
    changes = {"name": "mine", "command": plain, "efforts": {Effort.LOW: "low"}}
    mine = command_line("claude").model_copy(update=changes)
    me = ScriptedProvider(name="me", family="none", title="Me")
    specs = {**load_providers(None).specs, "mine": mine, "me": me}
    refused = texts("providers")["a-question-that-a-provider-cannot-answer-is-refused"]
    assert [[name, asked, unsupported(specs[name], question(**asked), {})] for name, asked, _ in refused] == refused
