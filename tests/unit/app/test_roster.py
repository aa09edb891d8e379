"""What programs are kept from in the project that they may read."""

from pathlib import Path

from sparring.app.roster import Roster
from sparring.prompts import PromptLibrary
from sparring.providers.cli.confinement import Surroundings
from sparring.settings import Settings
from sparring.store.hosts import Place


def test_earlier_records_are_closed_to_all_programs(tmp_path: Path) -> None:
    (tmp_path / "project" / ".opencode").mkdir(parents=True)
    parts = ("batch", "debate", "consult", "review")
    for chosen, ours in (
        ("kept/here", ["kept/here"]),
        (".sparring", [".sparring"]),
        (".claude", [f".claude/{name}" for name in parts]),
        (".", [*parts]),
    ):
        settings = Settings.read({"HOME": str(tmp_path), "AI_STATE_DIR": chosen}, tmp_path / "project")
        closed = Roster(settings, Place.find(settings, None), PromptLibrary()).surroundings().closed_inside()
        assert {*ours, *(f".opencode/{name}" for name in parts)} <= set(closed)
        assert {".opencode", ".claude", "."}.isdisjoint(closed)


def test_only_the_state_folder_is_closed_under_every_path_to_it(tmp_path: Path) -> None:
    (tmp_path / "real" / "deep" / "state").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / ".claude").symlink_to("deep/state")
    (tmp_path / "real" / ".codex").symlink_to(".codex")
    project, outside = tmp_path / "link", tmp_path / "outside"
    own = (project / ".codex/debate", project / ".claude/debate", tmp_path / "real/deep/state/jury", outside, project)
    closed = Surroundings({}, project, outside, own).closed_inside()
    assert closed == [".claude/debate", ".codex/debate", "deep/state/debate", "deep/state/jury"]
