"""Who of the workers of a ledger lives."""

from pathlib import Path

import pytest

from sparring.store.signs_of_life import LockedFiles


def test_who_lives_holds_a_lock_and_of_whom_there_is_no_file_nothing_is_known(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.sqlite"
    mine, others = LockedFiles(ledger), LockedFiles(ledger)
    mine.begin("mine")
    assert not others.has_ended("mine")
    mine.end()
    assert not list(tmp_path.iterdir())
    assert not others.has_ended("mine")


def test_of_whom_there_is_only_a_file_has_died_which_is_found_out_once(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.sqlite"
    (tmp_path / "ledger.sqlite-alive-dead").touch()
    assert LockedFiles(ledger).has_ended("dead")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["../ledger", "a/b", "", "x" * 65, "linked"])
def test_a_ledger_that_somebody_else_made_names_no_other_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "inner").mkdir()
    kept = tmp_path / "kept"
    kept.write_text("kept", encoding="utf-8")
    (tmp_path / "inner" / "ledger.sqlite-alive-linked").symlink_to(kept)
    signs = LockedFiles(tmp_path / "inner" / "ledger.sqlite")
    before = sorted(tmp_path.rglob("*"))
    signs.begin(name)
    assert not signs.has_ended(name)
    assert sorted(tmp_path.rglob("*")) == before
    assert kept.read_text(encoding="utf-8") == "kept"
