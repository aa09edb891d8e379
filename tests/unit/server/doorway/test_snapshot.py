"""Only what was made of what is installed is believed."""

import json
from pathlib import Path

import pytest

from sparring.server.doorway import snapshot

MADE_OF = json.loads(Path(snapshot.FILE).read_text(encoding="utf-8"))["made_of"]


def written(folder: Path, **changed: object) -> str:
    file = folder / "snapshot.json"
    recorded = json.loads(Path(snapshot.FILE).read_text(encoding="utf-8"))
    file.write_text(json.dumps(recorded | changed), encoding="utf-8")
    return str(file)


def test_the_snapshot_of_what_is_installed_is_used(tmp_path: Path) -> None:
    assert set(MADE_OF) == {"sparring", "mcp", "mcp_types"}
    assert snapshot.load(written(tmp_path)) is not None


@pytest.mark.parametrize("distribution", [*MADE_OF, "nowhere"])
def test_the_snapshot_of_another_version_is_not(tmp_path: Path, distribution: str) -> None:
    assert snapshot.load(written(tmp_path, made_of=MADE_OF | {distribution: "0.0.7"})) is None


def test_a_missing_or_damaged_snapshot_is_none(tmp_path: Path) -> None:
    assert snapshot.load(str(tmp_path / "none.json")) is None
    file = tmp_path / "cut.json"
    file.write_text("{", encoding="utf-8")
    assert snapshot.load(str(file)) is None
