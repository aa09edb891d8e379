import os
import sys
from pathlib import Path

from sparring.providers.available import Available, Missing, NotExecutable, availability, unsupported
from sparring.providers.known import load_providers
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.providers import CliProvider, OfflineProvider, ScriptedProvider
from support.desk import command_line, question


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
    assert availability(load_providers(None).specs["offline"], {}) == Available()


OFFLINE = OfflineProvider(name="offline", family="rules", title="Offline")
SCRIPTED = ScriptedProvider(name="me", family="none", title="Me")
SESSION = "01a1fb9f-c26d-72c0-a7b8-9d4de9a67beb"


def bare() -> CliProvider:
    spec = program("mine")
    plain = spec.command.model_copy(update={"model": (), "resume": ()})
    return spec.model_copy(update={"name": "mine", "command": plain, "efforts": {Effort.LOW: "low"}})


SPECS = load_providers(None).specs
NOT_BOTH = "can be allowed to search the web or to read the repository, not both at once."
READS_AND_SEARCHES = question(web=True, repo_access=RepoAccess.READ)
REFUSALS = [
    (program("claude"), question(model="opus", effort=Effort.MAX, session_id=SESSION), None),
    (program("claude"), question(session_id="the-last"), "'the-last' is not an id of a claude session."),
    (bare(), question(effort=Effort.LOW), None),
    (bare(), question(model="opus"), "mine cannot be told which model to use; leave the model out."),
    (bare(), question(effort=Effort.MAX), "mine has no effort level 'max'; it knows: low."),
    (bare(), question(session_id=SESSION), "mine cannot continue a session."),
    (program("claude"), question(web=True), None),
    (program("claude"), READS_AND_SEARCHES, f"claude {NOT_BOTH}"),
    (SPECS["gemini"], READS_AND_SEARCHES, f"gemini {NOT_BOTH}"),
    *((SPECS[name], question(model="m-1", web=True), f"{name} cannot be allowed to search the web.")
        for name in ("anthropic", "copilot", "opencode", "opencode-acp")),
    (SPECS["anthropic"], question(model="m", repo_access=RepoAccess.READ),
        "anthropic is a model without tools: it cannot read the repository. Give it what matters as context."),
    (SPECS["openai"], question(model="gpt-4.1", effort=Effort.HIGH),
        "openai has no effort level 'high' for gpt-4.1; it knows: medium."),
    (SPECS["ollama"], question(effort=Effort.MAX), "ollama has no effort level 'max'; it knows: low, medium, high."),
    (OFFLINE, question(web=True), "offline cannot be allowed to search the web."),
    (SCRIPTED, question(web=True), None),
    (OFFLINE, question(effort=Effort.MAX), None),
    (OFFLINE, question(model="opus"), "offline works without a model; it cannot use 'opus'."),
    (OFFLINE, question(session_id="s-1"), "offline keeps no sessions; it cannot continue 's-1'."),
    (SCRIPTED, question(model="opus", effort=Effort.MAX, session_id="s-1"), None),
    (SPECS["host"], question(repo_access=RepoAccess.READ, effort=Effort.HIGH), None),
    (SPECS["host"], question(model="opus"), "host has the model that its user chose; it cannot use 'opus'."),
    (SPECS["host"], question(session_id="s-1"), "host is one conversation; it cannot continue 's-1'."),
    (SPECS["host"], question(web=True), "host cannot be allowed to search the web."),
]  # fmt: skip


def test_what_a_provider_cannot_do_is_said() -> None:
    assert [(spec, asked, unsupported(spec, asked)) for spec, asked, _ in REFUSALS] == REFUSALS
