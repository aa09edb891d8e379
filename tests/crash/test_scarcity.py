"""Temporary shortages: at worst they interrupt a run, which continues later and repeats no question."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import pytest

from crash.scenes import COMMAND_LINE, SCENES, Scene, Scenes
from support.workbench import limited

pytestmark = pytest.mark.process

LIMITS = {
    "a full disk at once": "-f 0",
    "a full disk soon": "-f 8",
    "a full disk later": "-f 24",
    "hardly a descriptor": "-n 12",
    "few descriptors": "-n 20",
    "little memory": "-v 150000",
}
USUAL = {("a full disk soon", "debate"), *((name, "consult") for name in ("hardly a descriptor", "little memory"))}
"""Cases that run without the kills, too: the others end as their neighbours do."""


@pytest.mark.parametrize(
    ("limit", "scene"),
    [
        pytest.param(
            limit, SCENES[scene], marks=[pytest.mark.crash] * ((name, scene) not in USUAL), id=f"{name}, {scene}"
        )
        for name, limit in LIMITS.items()
        for scene in ("consult", "debate", "table")
    ],
)
def test_a_run_that_exhausted_the_machine_can_be_resumed(
    limit: str, scene: Scene, scenes: Scenes, tmp_path: Path
) -> None:
    whole = scenes.whole(scene, tmp_path / "whole")
    stage = scenes.stage(scene, tmp_path / "short")
    short = stage.bench.run_program(*stage.typed, line=limited(limit))
    assert "Traceback" not in short.err, short.err
    answered = stage.answered()
    if short.code:
        assert stage.result(stage.go_on()) == whole.result
    assert not answered & (stage.asked - whole.asked).keys()


UNPRIVILEGED = 'exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"' if os.getuid() == 0 else 'exec "$@"'
"""For root every folder can be written, unless it gives that up."""


@contextmanager
def read_only(folder: Path) -> Generator[None]:
    """Let nothing in ``folder`` be changed, made or removed."""
    there = [(path, path.stat().st_mode) for path in (folder, *folder.rglob("*"))]
    for path, mode in there:
        path.chmod(mode & 0o555)
    try:
        yield
    finally:
        for path, mode in there:
            path.chmod(mode)


@pytest.mark.skipif(os.getuid() == 0 and not which("setpriv"), reason="root can write everywhere")
@pytest.mark.parametrize(
    "scene",
    [pytest.param(each, marks=[pytest.mark.crash] * (name != "consult"), id=name) for name, each in SCENES.items()],
)
def test_on_a_read_only_disk_nothing_is_asked_and_nothing_is_lost(scene: Scene, scenes: Scenes, tmp_path: Path) -> None:
    whole = scenes.whole(scene, tmp_path / "whole")
    stage = scenes.stage(scene, tmp_path / "read-only")
    with read_only(stage.bench.project):
        refused = [stage.bench.run_program(*scene.command, line=UNPRIVILEGED)]
    assert not stage.asked
    stage.play(COMMAND_LINE, whole.moments[COMMAND_LINE] // 2)
    files, runs = stage.files(), [run.name for run in stage.runs()][:1]  # of a table there is none: it has a ledger
    with read_only(stage.bench.project):
        refused += [stage.bench.run_program("runs", "resume", run, line=UNPRIVILEGED) for run in runs]
        seen = [stage.bench.run_program("runs", "show", run, line=UNPRIVILEGED) for run in runs]
    for each in refused:
        told = each.err.removesuffix(" Set AI_STATE_DIR to a folder that can be written.\n").splitlines()
        assert (each.code, len(told)) == (1, 1), each.err
        assert told[0].endswith(("cannot be used: Permission denied.", "cannot be written: Permission denied.")), (
            each.err
        )
    assert ([each.code for each in seen], stage.files()) == ([0] * (scene.name != "table"), files), seen
    assert stage.result(stage.go_on()) == whole.result
    assert stage.asked == whole.asked
