import os
from datetime import timedelta
from pathlib import Path

import pytest

from sparring.errors import StateUnwritableError
from sparring.schema.limits import Spent
from sparring.schema.runs import RunKind
from sparring.store.history import run_folder
from sparring.store.usage import spent_since
from support.journals import BEGUN_AT, keep, lines_of, turn

FIRST = "debate-20250102T030405Z-0a1b"
SECOND = "debate-20250102T030406Z-0a1c"


def folder(state: Path, run_id: str = FIRST) -> Path:
    """Where that debate is kept."""
    return run_folder(state, RunKind.DEBATE, run_id)


def test_only_turns_from_the_moment_on_are_counted_over_all_runs(tmp_path: Path) -> None:
    for run_id in (FIRST, SECOND):
        keep(folder(tmp_path, run_id), lines_of(tuple(turn(number) for number in range(4))))
    # Of turns 1 to 3 the second has failed; it is a call too.
    found = spent_since(tmp_path, BEGUN_AT + timedelta(seconds=1))
    assert found == Spent(calls=6, tokens=4 * 1234, cost_usd=sum([1e-07] * 4))
    assert spent_since(tmp_path, BEGUN_AT + timedelta(seconds=4)) == Spent()


def test_journals_that_were_written_before_the_moment_are_not_read(tmp_path: Path) -> None:
    journal = keep(folder(tmp_path), lines_of((turn(0),))) / "journal.jsonl"
    os.utime(journal, (0, 0))
    assert spent_since(tmp_path, BEGUN_AT) == Spent()


def test_what_cannot_be_read_counts_nothing_and_hinders_nothing(tmp_path: Path) -> None:
    keep(folder(tmp_path), [b"no journal\n"])
    keep(folder(tmp_path, SECOND), lines_of((turn(0),)))
    (folder(tmp_path).parent / "a file").write_text("", encoding="utf-8")
    (folder(tmp_path).parent / "an empty folder").mkdir()
    assert spent_since(tmp_path, BEGUN_AT).calls == 1


def test_a_state_without_runs_has_used_nothing(tmp_path: Path) -> None:
    assert spent_since(tmp_path / "nowhere", BEGUN_AT) == Spent()


def test_a_state_folder_that_is_linked_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "debate").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StateUnwritableError):
        spent_since(tmp_path, BEGUN_AT)
