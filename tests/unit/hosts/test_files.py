import os
import stat
from pathlib import Path

import pytest

from sparring.errors import HostFileError
from sparring.hosts.files import Change, apply_changes
from sparring.schema.setup import Scope


def test_a_file_changed_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"theirs")
    for before in (b"seen", None):
        with pytest.raises(HostFileError, match="changed meanwhile"):
            apply_changes([Change(file, before, b"ours")], Scope.USER)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("settings.json", b"theirs")]


def test_a_failed_write_leaves_nothing_half_done(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HostFileError, match="cannot be written"):
        apply_changes([Change(tmp_path / "file" / "settings.json", None, b"ours")], Scope.USER)
    full = tmp_path / ("x" * 250)  # the name of the new file, which is longer, is too long
    with pytest.raises(HostFileError, match="File name too long"):
        apply_changes([Change(full, None, b"ours")], Scope.USER)
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208 -- names are what is compared


def test_files_of_a_project_are_as_readable_as_others_that_are_made_there(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "file").touch()
    apply_changes([Change(tmp_path / "ours" / "file", None, b"x")], Scope.PROJECT)
    for name in (".", "file"):
        modes = [stat.S_IMODE((tmp_path / folder / name).stat().st_mode) for folder in ("ours", "other")]
        assert modes[0] == modes[1]
