import os
from pathlib import Path

from sparring.providers.project_cache import KEPT_DAYS, project_cache

DAY_S = 24 * 60 * 60


def test_each_project_has_a_private_cache_that_is_removed_when_unused(tmp_path: Path) -> None:
    private, (one, other) = tmp_path / "cache", [tmp_path / name for name in ("one", "other")]
    first = project_cache(private, one)
    second = project_cache(private, other)
    assert first != second
    assert {folder.stat().st_mode & 0o777 for folder in (private, first.parent, first)} == {0o700}
    (first / "kept").write_text("", encoding="utf-8")
    used = first.stat().st_mtime
    project_cache(private, other, now=used + (KEPT_DAYS - 1) * DAY_S)
    assert (first / "kept").exists()
    os.utime(first, (0, 0))
    assert project_cache(private, one) == first
    assert (first / "kept").exists(), "it is in use again"
    project_cache(private, other, now=used + (KEPT_DAYS + 1) * DAY_S)
    assert not first.exists()
