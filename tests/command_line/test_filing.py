"""What a killed process could not file is filed by whoever sees the run next."""

import os
from pathlib import Path

import pytest

from support.workbench import DEBATE, Workbench

FILES = ("result.json", "report.md", "../../last-debate.json")


def debate(bench: Workbench) -> Path:
    """The folder of a new debate."""
    before = set(bench.state.glob("debate/runs/debate-*"))
    assert bench.run(*DEBATE).code == 0
    (folder,) = set(bench.state.glob("debate/runs/debate-*")) - before
    return folder


def contents(folder: Path) -> list[bytes | None]:
    return [file.read_bytes() if (file := folder / name).exists() else None for name in FILES]


def lose(folder: Path, *names: str) -> None:
    """Leave the run as a process leaves it that is killed after the end of the journal."""
    for name in names:
        (folder / name).unlink()


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("runs", "list"), 0),
        (("runs", "show", "last"), 0),
        (("runs", "resume", "last"), 0),
        (DEBATE, 0),
    ],
    ids=["list", "show", "resume", "the next run"],
)
def test_whoever_sees_a_run_next_that_has_ended_files_it(bench: Workbench, command: tuple[str, ...], code: int) -> None:
    folder = debate(bench)
    filed = contents(folder)
    lose(folder, *FILES)
    (folder / ".report.md.0123456789abcdef.new").touch()
    os.utime(folder / ".report.md.0123456789abcdef.new", (0, 0))
    assert bench.run(*command).code == code
    assert contents(folder)[:2] == filed[:2]
    assert (bench.state / "debate" / "last-debate.json").exists()
    assert not list(folder.glob(".*.new"))


def test_an_earlier_run_that_is_filed_late_takes_no_later_ones_place(bench: Workbench) -> None:
    earlier, later = debate(bench), None
    while later is None or later.name.rsplit("-", 1)[0] == earlier.name.rsplit("-", 1)[0]:  # not in the same second
        later = debate(bench)
    last = (bench.state / "debate" / "last-debate.json").read_bytes()
    lose(earlier, "result.json", "report.md")
    assert bench.run("runs", "list").code == 0
    assert (earlier / "result.json").exists()
    assert (bench.state / "debate" / "last-debate.json").read_bytes() == last
