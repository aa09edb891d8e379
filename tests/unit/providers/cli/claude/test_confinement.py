"""What Claude Code is told not to read."""

import json
from pathlib import Path

from sparring.providers.cli.claude.confinement import confine
from sparring.providers.cli.confinement import FILES, FOLDERS, Surroundings
from sparring.schema.base import RepoAccess
from support.desk import command_line, question


def rules(environment: dict[str, str], project: Path) -> list[str]:
    spec = command_line("claude")
    surroundings = Surroundings(environment, project, project / "private", (project / "[state]" / "debate",))
    flag, value = confine(spec, question(repo_access=RepoAccess.READ), surroundings, lambda: project).arguments
    settings = json.loads(value)
    assert (flag, settings.keys(), settings["permissions"].keys()) == ("--settings", {"permissions"}, {"deny"})
    return settings["permissions"]["deny"]


def test_claude_is_denied_secrets_and_what_earlier_sessions_left() -> None:
    found = rules({}, Path("/srv/project"))
    assert found[-1] == "Read(//tmp/claude-*/**)"
    assert "Read(**/.[eE][nN][vV][rR][cC])" in found
    assert "Read(**/.[gG][iI][tT]/**)" in found
    assert len(found) == len(set(found)) == len(FILES) + len(FOLDERS) + 3
    assert found[-3:-1] == ["Read(//srv/project/\\[state\\]/debate/**)", "Read(//srv/project/private/**)"]


def test_the_folder_of_earlier_sessions_is_denied_wherever_it_lies_unless_the_project_is_there(tmp_path: Path) -> None:
    (tmp_path / "real[1]").mkdir()
    (tmp_path / "link").symlink_to("real[1]")
    assert rules({"TMPDIR": str(tmp_path / "link")}, Path("/srv"))[-2:] == [
        f"Read(/{tmp_path}/link/claude-*/**)",
        f"Read(/{tmp_path}/real\\[1\\]/claude-*/**)",
    ]
    project = tmp_path / "claude-0" / "-work" / "scratchpad"
    assert not any("claude-*" in rule for rule in rules({"TMPDIR": str(tmp_path)}, project))
