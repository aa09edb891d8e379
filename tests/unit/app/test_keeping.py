"""What a finished run leaves on the disk beside its journal."""

from pathlib import Path

import pytest

from sparring.app.keeping import keep_result, last_files
from sparring.formats.reports import last, report, result
from sparring.store.history import run_folder
from support.stored_runs import stored


@pytest.mark.parametrize(
    ("kind", "name"),
    [("debate", "last-debate.json"), ("fact-check", "last-fact-check.json"), ("jury", "last-verdict.json")],
)
def test_a_finished_run_leaves_its_result_its_report_and_the_last_file_of_its_kind(
    kind: str, name: str, tmp_path: Path
) -> None:
    finished, file = stored(kind), tmp_path / kind / name
    folder = run_folder(tmp_path, finished.header.kind, finished.header.run_id)
    folder.mkdir(parents=True)
    assert keep_result(finished, folder, tmp_path) == ()
    kept = last(finished)
    assert kept
    assert kept.model_validate_json(file.read_bytes()) == kept
    assert kept.model_validate_json((folder / "result.json").read_bytes()) == result(finished)
    assert (folder / "report.md").read_text(encoding="utf-8") == report(finished)
    assert file.stat().st_mode & 0o777 == 0o600
    assert last_files(tmp_path, finished.header.kind) == ((file, type(kept)),)


def test_a_result_that_cannot_be_filed_is_told_and_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "in the way").touch()
    (notice,) = keep_result(stored("jury"), tmp_path / "in the way" / "folder", tmp_path)
    assert notice.startswith("[WARN] The run is complete, but its result could not be filed: ")
