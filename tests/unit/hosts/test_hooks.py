"""The hooks of a gate in the files of the hosts: put in, known again, taken out byte for byte."""

import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.hosts.gates import gate_of, plan_gate, plan_gate_removal, reply_for_host
from sparring.hosts.known import host_paths, known_host
from sparring.schema.gate import GateAnswer, GateEvent
from sparring.schema.setup import Scope
from support.desk import write
from support.host_machine import HostMachine

GATED = ("claude", "codex", "copilot", "gemini", "opencode")
SHARED = tuple(name for name in GATED if not gate_of(known_host(name)).is_program)

SETTINGS = {
    "empty": "{}",
    "theirs": '{\n    "model": "opus",\n    "env": {"X": "1"}\n}\n',
    "their hooks": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], "Other": []}}',
    "laid out": '{\n  // mine\n  "hooks": {\n    "Stop": [\n      {"hooks": []}, // the first\n    ],\n  },\n}\n',
    "an empty list": '{"hooks": {"Stop": [], "AfterAgent": [], "agentStop": []}}',
}


def file_of(machine: HostMachine, host: str, scope: Scope = Scope.USER) -> Path:
    """Where the gate of that host is."""
    return host_paths(known_host(host), scope, machine.around).own / gate_of(known_host(host)).file


@pytest.fixture
def machine(tmp_path: Path) -> HostMachine:
    return HostMachine(tmp_path, plan_gate, plan_gate_removal)


@pytest.mark.parametrize("is_kept", [True, False], ids=["with its copy", "without"])
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("host", SHARED)
def test_text_of_users_stays_byte_for_byte(machine: HostMachine, host: str, settings: str, *, is_kept: bool) -> None:
    file = write(file_of(machine, host), SETTINGS[settings])
    machine.install(host)
    assert machine.plan(host).changes == ()
    if not is_kept:
        for copy in file.parent.glob("*.before-sparring*"):
            copy.unlink()
    machine.uninstall(host)
    left = file.read_text(encoding="utf-8")
    if is_kept or settings != "an empty list":
        assert left == SETTINGS[settings]


@pytest.mark.parametrize("program", ["/opt/my bin/sparring", "/new/sparring"], ids=["", "and sparring has moved"])
def test_later_additions_stay(machine: HostMachine, program: str) -> None:
    machine.install("claude")
    file, theirs = file_of(machine, "claude"), {"hooks": [{"type": "command", "command": "say done"}]}
    settings = json.loads(file.read_text(encoding="utf-8"))
    settings["hooks"]["Stop"].append(theirs)
    file.write_text(json.dumps(settings), encoding="utf-8")
    machine.install("claude", program=program)
    machine.uninstall("claude")
    assert json.loads(file.read_text(encoding="utf-8")) == {"hooks": {"Stop": [theirs]}}


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("settings", [None, SETTINGS["theirs"]], ids=["nothing", "theirs"])
@pytest.mark.parametrize("host", GATED)
def test_a_gate_is_installed_once_updated_in_place_and_removed_completely(
    machine: HostMachine, host: str, settings: str | None, scope: Scope
) -> None:
    file = file_of(machine, host, scope)
    if settings and host in SHARED:
        write(file, settings)
        write(file.with_name(f"{file.name}.before-sparring"), settings)
    before = machine.files()
    for program in ("/old/sparring", "/new/sparring"):
        machine.install(host, scope, program)
        assert machine.plan(host, scope, program).changes == ()
    text = file.read_text(encoding="utf-8")
    assert ("/old/" in text, "/new/sparring" in text) == (False, True)
    machine.uninstall(host, scope)
    assert machine.files() == before


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"Stop": {}}}', "[1]", '{"hooks":', "\ufffd{"])
def test_unreadable_hooks_are_left_alone(machine: HostMachine, text: str) -> None:
    file = write(file_of(machine, "claude"), text)
    with pytest.raises(ConfigurationError, match="cannot be parsed"):
        machine.install("claude")
    assert file.read_text(encoding="utf-8") == text


def test_a_foreign_plugin_stays(machine: HostMachine) -> None:
    write(file_of(machine, "opencode"), "export const Theirs = 1\n")
    with pytest.raises(ConfigurationError, match="not from sparring"):
        machine.install("opencode")
    assert machine.uninstall("opencode").changes == ()


def test_a_repository_cannot_redirect_changes_outside_of_it(machine: HostMachine) -> None:
    (machine.project / ".claude").symlink_to(machine.home)
    with pytest.raises(ConfigurationError, match="points outside"):
        machine.install("claude", Scope.PROJECT)


@pytest.mark.parametrize("host", GATED)
def test_every_answer_of_the_gate_is_shown(host: str) -> None:
    gate = gate_of(known_host(host))
    for hook in gate.hooks.values():
        held, told, silent = (
            reply_for_host(gate, hook, GateAnswer(text=text, blocks=blocks))
            for text, blocks in (("Mend it.", True), ("Nobody is there.", False), ("", False))
        )
        assert "Mend it." in held.out
        assert (held.code, silent.code, silent.out) == (0, 0, "{}")
        assert "Nobody is there." in told.out + told.err
        assert "deny" not in told.out
        assert "block" not in told.out
        # Exit code 2 would hold the agent back, and so would not say that nobody has looked.
        assert told.code == (1 if told.err else 0)


def test_a_plan_is_read_from_the_input_of_the_host(tmp_path: Path) -> None:
    said: dict[str, JsonValue] = {"tool_input": {"plan": "1. Do it", "plan_filename": "../../plan.md"}}
    (tmp_path / "plan.md").write_text("2. Test it", encoding="utf-8")
    variables = {"GEMINI_PLANS_DIR": str(tmp_path)}
    plans = [gate_of(known_host(host)).hooks[GateEvent.PLAN].plan(said, variables) for host in ("claude", "gemini")]
    assert plans == ["1. Do it", "2. Test it"]
