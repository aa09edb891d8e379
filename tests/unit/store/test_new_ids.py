from datetime import UTC, datetime
from pathlib import Path

from sparring.schema.runs import RunKind
from sparring.store.history import unused_run_id

NOW = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_new_id_is_never_one_that_is_taken_already(tmp_path: Path) -> None:
    taken = {f"consult-20250102T030405Z-{number:04x}" for number in range(0, 65_536, 16)}
    for name in taken:
        (tmp_path / name).touch()
    # Ids that are drawn without looking would all be free with a probability of 1 in 10 ** 14.
    drawn = {unused_run_id(tmp_path, RunKind.CONSULT, NOW) for _ in range(500)}
    assert not drawn & taken
