"""What an installation does to the files of a host, from the plan to the disk and back, without any process."""

import json
import shutil
import stat
from functools import partial
from pathlib import Path

import pytest

from sparring.errors import ConfigurationError
from sparring.hosts.known import KNOWN_HOSTS, known_host
from sparring.hosts.plan import difference, plan_installation, plan_removal
from sparring.prompts.skills import skills
from sparring.schema.setup import Scope
from support.desk import write
from support.host_machine import HostMachine


@pytest.fixture
def machine(tmp_path: Path) -> HostMachine:
    return HostMachine(tmp_path, plan_installation, plan_removal)


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("host", [host.name for host in KNOWN_HOSTS])
def test_uninstalling_removes_only_what_was_installed(machine: HostMachine, host: str, scope: Scope) -> None:
    (machine.home / f".{host}").mkdir()  # empty, and the user's own
    before = machine.files()
    machine.install(host, scope, "/where/it/was/sparring")
    machine.install(host, scope)
    assert machine.plan(host, scope).changes == ()
    machine.uninstall(host, scope)
    assert machine.files() == before


@pytest.mark.parametrize(
    ("host", "name", "text"),
    [
        *(("cursor", ".cursor/mcp.json", text) for text in ("{\n}", "{ }", "{ // mine\n}", '{"mcpServers": {}}', "")),
        *(("codex", ".codex/config.toml", text) for text in ('model = "x"', "[mcp_servers]", "# mine", "")),
    ],
)
def test_settings_are_byte_for_byte_as_they_were(machine: HostMachine, host: str, name: str, text: str) -> None:
    settings = write(machine.home / name, text)
    machine.install(host)
    machine.uninstall(host)
    assert settings.read_bytes() == text.encode()


@pytest.mark.parametrize("text", ["{\n}", "{ }", "{\n\n}", "{ /* mine */ }"])
def test_an_empty_object_without_a_copy_stays(machine: HostMachine, text: str) -> None:
    settings = write(machine.home / ".cursor" / "mcp.json", text)
    (backup,) = machine.install("cursor")
    backup.unlink()
    machine.uninstall("cursor")
    assert settings.read_text(encoding="utf-8") == text


def test_settings_keep_their_mode_their_limits_and_a_private_copy_of_each_state(machine: HostMachine) -> None:
    first = '{"mcpServers": {"sparring": {"timeout": 2000000}}}'
    settings = write(machine.home / ".copilot" / "mcp-config.json", first)
    settings.chmod(0o640)
    (backup,) = machine.install("copilot")
    entry = json.loads(settings.read_text(encoding="utf-8"))["mcpServers"]["sparring"]
    assert (entry["command"], entry["timeout"]) == ("/opt/my bin/sparring", 2_000_000)
    settings.write_text('{"theirs": 1}', encoding="utf-8")
    (second,) = machine.install("copilot")
    assert [each.read_text(encoding="utf-8") for each in (backup, second)] == [first, '{"theirs": 1}']
    assert [stat.S_IMODE(each.stat().st_mode) for each in (backup, second, settings)] == [0o600, 0o600, 0o640]


def test_later_changes_of_the_user_stay(machine: HostMachine) -> None:
    settings = write(machine.home / ".cursor" / "mcp.json", "{}")
    (backup,) = machine.install("cursor")
    installed = settings.read_text(encoding="utf-8")
    settings.write_text(installed.replace("{", '{"theirs": 1,', 1), encoding="utf-8")
    machine.uninstall("cursor")
    assert json.loads(settings.read_text(encoding="utf-8")) == {"theirs": 1}
    for damage in (partial(backup.write_text, "{", encoding="utf-8"), backup.unlink):
        settings.write_text(installed, encoding="utf-8")
        damage()
        machine.uninstall("cursor")
        assert json.loads(settings.read_text(encoding="utf-8")) == {}
    settings.write_text('{"mcpServers": {"sparring": {"command": "other", "args": ["serve"]}}}', encoding="utf-8")
    plan = machine.uninstall("cursor")
    assert (plan.changes, plan.notes) == ((), (f"The entry in {settings} starts another program, so it stays.",))


def test_protected_and_foreign_files_are_refused(machine: HostMachine) -> None:
    write(machine.home / ".claude" / "skills" / "debate" / "SKILL.md", "mine")
    with pytest.raises(ConfigurationError, match="is not from sparring"):
        machine.plan("claude")
    assert machine.uninstall("claude").changes == ()
    settings = write(machine.home / ".cursor" / "mcp.json", "{")
    with pytest.raises(ConfigurationError, match="cannot be parsed"):
        machine.uninstall("cursor")
    settings.write_text("{}", encoding="utf-8")
    for place, mode in ((settings, 0o444), (settings.parent, 0o555)):
        place.chmod(mode)
        with pytest.raises(ConfigurationError, match=f"{place} is read-only"):
            machine.plan("cursor")
        place.chmod(0o755)
    settings.parent.symlink_to(settings.parent.rename(machine.home / "\udcff"))
    with pytest.raises(ConfigurationError, match=r"is not UTF-8\. Nothing was changed"):
        machine.plan("cursor")


@pytest.mark.parametrize("link", [".mcp.json", ".claude/skills"])
def test_a_project_does_not_lead_an_installation_out_of_itself(machine: HostMachine, link: str) -> None:
    machine.install("claude", Scope.PROJECT)
    place = machine.project / link
    place.rename(machine.home / "outside")
    place.symlink_to(machine.home / "outside")
    for change in (machine.plan, machine.uninstall):
        with pytest.raises(ConfigurationError, match="points outside"):
            change("claude", Scope.PROJECT)


@pytest.mark.parametrize("loop", [".vscode/mcp.json", ".vscode"])
def test_a_link_to_itself_is_refused(machine: HostMachine, loop: str) -> None:
    (machine.project / loop).parent.mkdir(exist_ok=True)
    (machine.project / loop).symlink_to(machine.project / loop)
    with pytest.raises(ConfigurationError, match="a broken link"):
        machine.plan("vscode", Scope.PROJECT)


def test_renewing_a_skill_keeps_only_the_users_files(machine: HostMachine) -> None:
    machine.install("claude")
    skill = machine.home / ".claude" / "skills" / "jury" / "SKILL.md"
    ours = skill.read_bytes()
    skill.write_bytes(ours.replace(b"# Jury", b"# The jury"))
    machine.receipt = machine.receipt.with_made(frozenset(), {skill: skill.read_bytes()})  # an older version's
    assert (machine.install("claude"), skill.read_bytes()) == ([], ours)
    skill.write_bytes(ours + b"Be brief.\n")
    (backup,) = machine.install("claude")
    assert (backup.read_bytes(), skill.read_bytes()) == (ours + b"Be brief.\n", ours)
    machine.uninstall("claude")
    assert list(skill.parent.iterdir()) == [backup]


def test_uninstalling_does_not_delete_through_a_link_of_the_user(machine: HostMachine) -> None:
    source = next(each.folder for each in skills() if each.name == "debate")
    checkout, link = machine.home / "checkout" / "debate", machine.home / ".claude" / "skills" / "debate"
    shutil.copytree(source, checkout)
    link.parent.mkdir(parents=True)
    link.symlink_to(checkout)
    machine.install("claude")
    plan = machine.uninstall("claude")
    assert list(link.parent.iterdir()) == [link]
    assert (link / "SKILL.md").read_bytes() == (source / "SKILL.md").read_bytes()
    (note,) = plan.notes
    assert note == f"{link}/SKILL.md leads to {checkout}/SKILL.md, which no installation has made, so it stays."


def test_a_difference_shows_no_value_that_a_server_is_given(machine: HostMachine) -> None:
    other = {"env": {"A": "plain words they gave", "B": ["psst-psst"]}}
    write(machine.home / ".cursor" / "mcp.json", {"mcpServers": {"other": other}})
    (change,) = machine.plan("cursor").changes
    shown = difference(known_host("cursor"), change, {})
    assert ["/opt/my bin/sparring" in shown, "plain words" in shown, "psst-psst" in shown] == [True, False, False]
