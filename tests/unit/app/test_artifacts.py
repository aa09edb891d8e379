"""What a run leaves on the disk beside its journal: its result, the live log of a chaired debate and its files."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sparring.app import artifacts
from sparring.app.artifacts import LoggingJournal, keep_files, keep_result, log_so_far, refuse_others_files
from sparring.engine.runner import Progress
from sparring.errors import StateUnwritableError, UsageError
from sparring.formats.chaired_debate.flow import log_of
from sparring.formats.registry import FORMATS
from sparring.formats.views import RunView
from sparring.schema.chaired_debate import LogEntry
from sparring.schema.runs import Outcome
from sparring.schema.transcript import PendingAsk, Transcript, Turn
from sparring.store.debate_log import DebateLog
from support.chaired_playing import chaired_request, outcome, play_chaired
from support.debate_logs import BEGUN_AT
from support.stored_runs import stored

REQUEST = chaired_request(output_dir="out")
PLAYED = play_chaired(request=REQUEST)
NAMES = FORMATS["chaired-debate"].presentation().files
TURNS = PLAYED.transcript.turns
BEGUN = ((TURNS[0], TURNS[1]), (TURNS[2],))


class Kept:
    """A journal that keeps nothing."""

    def asked(self, asks: Sequence[PendingAsk], *, step: int, of: int) -> None:
        pass

    def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        pass

    def end(self, outcome: Outcome) -> None:
        pass


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def recording(project: Path, run_folder: Path, progress: Progress | None = None) -> LoggingJournal:
    return LoggingJournal(Kept(), REQUEST, progress or Progress(), folder=run_folder, project=project)


def logged(*folders: Path) -> list[tuple[LogEntry, ...]]:
    return [DebateLog(folder / "debate-log.jsonl").read().entries for folder in folders]


def test_after_each_turn_the_log_equals_the_transcript(project: Path, run_folder: Path) -> None:
    journal = recording(project, run_folder)
    for number, turn in enumerate((TURNS[1], TURNS[0], *TURNS[2:])):
        first = number < 2  # both debaters are asked at once whether they are ready; the second is the first to answer
        journal.turn(turn, step=max(0, number - 1), of=2 if first else 1, index=1 - number if first else 0)
        said = log_of(REQUEST, Transcript(turns=TURNS[: number + 1] if number else ()))
        assert logged(run_folder, project / "out") == ([said, said] if number else [(), ()])
    journal.end(outcome(PLAYED))
    assert logged(run_folder, project / "out") == [outcome(PLAYED).log] * 2
    assert journal.notices == ()


@pytest.mark.parametrize("pending", [0, 1])
def test_an_interrupted_step_is_completed_in_asking_order(project: Path, run_folder: Path, pending: int) -> None:
    asked = (TURNS[3], TURNS[4])
    journal = recording(project, run_folder, Progress(BEGUN, (asked[pending],)))
    journal.turn(asked[1 - pending], step=2, of=2, index=1 - pending)
    said = log_of(REQUEST, Transcript(turns=TURNS[:5]))
    assert said
    assert logged(run_folder, project / "out") == [said, said]


def test_a_resumed_debate_has_the_same_log(project: Path, run_folder: Path) -> None:
    progress = Progress(BEGUN)
    refuse_others_files("out", project, log_so_far(REQUEST, progress.transcript), NAMES)
    journal = recording(project, run_folder, progress)
    journal.catch_up()
    assert logged(run_folder, project / "out") == [log_so_far(REQUEST, progress.transcript)] * 2
    for number, turn in enumerate(TURNS[3:], start=2):
        journal.turn(turn, step=number, of=1, index=0)
    journal.end(outcome(PLAYED))
    assert logged(run_folder, project / "out") == [outcome(PLAYED).log] * 2


def _in_the_way(project: Path) -> None:
    project.mkdir()
    (project / "out").touch()


def _led_astray(project: Path) -> None:
    project.mkdir()
    (project / "out").symlink_to(project.parent)


def _foreign(project: Path) -> None:
    others = [entry.model_copy(update={"timestamp": BEGUN_AT}) for entry in log_of(REQUEST, PLAYED.transcript)]
    DebateLog(project / "out" / "debate-log.jsonl").sync(others)


@pytest.mark.parametrize("broken", [_in_the_way, _led_astray, _foreign])
def test_an_unwritable_folder_is_reported_once_and_ends_nothing(
    project: Path, run_folder: Path, broken: Callable[[Path], None]
) -> None:
    broken(project)
    journal = recording(project, run_folder, Progress(BEGUN))
    journal.turn(TURNS[3], step=2, of=1, index=0)
    journal.turn(TURNS[4], step=3, of=1, index=0)
    assert logged(run_folder)[0]
    (notice,) = journal.notices
    assert notice.startswith("[WARN] A log could not be kept: ")
    assert str(project / "out") in notice
    assert not (project.parent / "debate-log.jsonl").exists()


def test_a_folder_with_foreign_files_is_refused_before_any_call(project: Path) -> None:
    said = log_of(REQUEST, PLAYED.transcript)
    refuse_others_files("out", project, said, NAMES)
    (project / "out" / "summary.md").touch()
    with pytest.raises(UsageError, match=r"already contains summary.md"):
        refuse_others_files("out", project, said, NAMES)
    DebateLog(project / "out" / "debate-log.jsonl").sync(said)
    with pytest.raises(UsageError, match="is the log of another debate"):
        refuse_others_files("out", project, said[:1], NAMES)


def test_a_folder_that_leads_out_of_the_project_is_not_opened(project: Path) -> None:
    _led_astray(project)
    with pytest.raises(StateUnwritableError, match="points outside the project"):
        artifacts.open_folder("out/deeper", project)


def test_unwritable_files_of_a_finished_debate_are_reported(project: Path, run_folder: Path) -> None:
    run = stored("chaired-debate", request={"output_dir": "out"})
    assert keep_files(RunView(run), run_folder, project) == ()
    names = {"transcript.md", "summary.md", "metadata.json"}
    assert {file.name for file in run_folder.iterdir()} == {file.name for file in (project / "out").iterdir()} == names
    _in_the_way(project.parent / "other")
    (notice,) = keep_files(RunView(run), run_folder, project.parent / "other")
    assert notice.startswith("[WARN] The debate is complete, but some of its files could not be written: ")


def test_a_result_that_cannot_be_stored_is_reported_and_nothing_else_is_lost(tmp_path: Path) -> None:
    (tmp_path / "in the way").touch()
    (notice,) = keep_result(RunView(stored("jury")), tmp_path / "in the way" / "folder", tmp_path)
    assert notice.startswith("[WARN] The run is complete, but its result could not be filed: ")
