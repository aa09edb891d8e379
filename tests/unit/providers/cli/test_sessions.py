"""How long sessions are kept, and for whom."""

import os
from pathlib import Path

from sparring.providers.cli.sessions import KEPT_DAYS, kept_sessions
from support.desk import write

DAY_S = 24 * 60 * 60
NOW = 100 * DAY_S


def aged(file: Path, days: float) -> None:
    write(file, "said")
    os.utime(file, (0, NOW - days * DAY_S))
    os.utime(file.parent, (0, NOW - days * DAY_S))


def test_only_what_was_not_continued_for_long_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    aged(folder / "old" / "said.jsonl", KEPT_DAYS + 1)
    aged(folder / "continued" / "first.jsonl", KEPT_DAYS + 1)
    aged(folder / "continued" / "last.jsonl", KEPT_DAYS - 1)
    (folder / "link").symlink_to(tmp_path)
    assert kept_sessions(folder, now=NOW) == folder
    assert sorted(path.name for path in folder.iterdir()) == ["continued", "link"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_what_belongs_to_one_session_may_be_a_file_deep_below(tmp_path: Path) -> None:
    aged(tmp_path / "2026" / "01" / "old.jsonl", KEPT_DAYS + 1)
    aged(tmp_path / "2026" / "02" / "new.jsonl", KEPT_DAYS - 1)
    kept_sessions(tmp_path, "*/*/*.jsonl", now=NOW)
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == ["new.jsonl"]
