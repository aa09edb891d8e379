"""What programs are kept from in the project that they may read."""

from pathlib import Path

import pytest

from sparring.app.roster import Roster
from sparring.prompts import PromptLibrary
from sparring.settings import Settings
from sparring.store.hosts import Place


@pytest.mark.parametrize("linked", [False, True])
def test_what_was_said_here_before_is_closed_to_all_programs(tmp_path: Path, *, linked: bool) -> None:
    project, real = tmp_path / "project", tmp_path / "real"
    (real if linked else project).mkdir()
    if linked:
        project.symlink_to(real)
    (project / ".opencode").mkdir()
    settings = Settings.read({"HOME": str(tmp_path), "AI_STATE_DIR": "kept/here"}, project)

    closed = Roster(settings, Place.find(settings, None), PromptLibrary()).surroundings().closed_inside()

    assert {
        "kept/here/debate", "kept/here/consult", "kept/here/exhibits", ".opencode/debate", ".opencode/jury",
    } <= set(closed)  # fmt: skip
    assert ".opencode" not in closed
