import stat
import threading
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from sparring.errors import StateCorruptError, StateLockedError, StateUnwritableError
from sparring.schema.transcript import PutAsk
from sparring.store.journal import JournalWriter, ReadJournal, is_locked, read_journal
from support.full_disk import largest_file
from support.journals import BEGUN_AT, header, keep, lines_of, outcome, turn

GOLDEN = Path(__file__).parents[2] / "golden" / "journal"


class Clock:
    """A clock that goes on by a second whenever it is read."""

    def __init__(self) -> None:
        self._seconds = count()

    def __call__(self) -> datetime:
        return BEGUN_AT + timedelta(seconds=next(self._seconds))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".claude" / "debate" / "runs" / header().run_id


def write_everything(folder: Path) -> ReadJournal:
    """A run in which everything happens: a broken step, a torn line, turns out of order, an end."""
    clock = Clock()
    with JournalWriter.create(folder, header(), clock=clock) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        writer.turn(turn(2), step=1, index=1, of=2)
    with (folder / "journal.jsonl").open("ab") as stream:
        stream.write(b'{"v":1,"seq":3,"pre')
    writer, found = JournalWriter.reopen(folder, clock=clock)
    with writer:
        writer.turn(turn(1), step=1, index=0, of=2)
        writer.end(outcome())
    return found


def test_it_is_known_under_which_names_was_asked_what_is_answered_and_what_is_not(folder: Path):
    asks = [PutAsk(index=index, ask_id=f"ask-{index}", call=f"{index:032x}") for index in range(2)]
    with JournalWriter.create(folder, header()) as writer:
        writer.asked(asks, step=0, of=2)
        writer.turn(turn(1), step=0, index=1, of=2)
    found = read_journal(folder)
    assert (found.answered, found.unanswered) == ((asks[1].call,), {"ask-0": asks[0].call})


def test_a_journal_is_written_as_the_golden_file_has_it(folder: Path):
    write_everything(folder)
    assert (folder / "journal.jsonl").read_bytes() == (GOLDEN / "resumed.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("golden", "version"),
    [
        pytest.param("resumed", 2, id="of today"),
        pytest.param("without-families", 2, id="before there were families"),
        pytest.param("without-substitute", 2, id="before there was a substitute"),
        pytest.param("without-panel", 1, id="before there was a panel"),
        pytest.param("without-context", 1, id="before there was context"),
    ],
)
def test_a_golden_journal_is_read_with_its_turns_in_asking_order(folder: Path, golden: str, version: int):
    keep(folder, [(GOLDEN / f"{golden}.jsonl").read_bytes()])
    assert read_journal(folder) == ReadJournal(
        header=header().model_copy(update={"schema_version": version}),
        steps=((turn(0),), (turn(1), turn(2))),
        pending=(),
        outcome=outcome(),
        notices=("A torn line of 19 bytes was set aside at 2025-01-02T03:04:08+00:00.",),
    )


def test_who_resumes_a_run_gets_what_was_complete_and_what_was_pending(folder: Path):
    assert write_everything(folder) == ReadJournal(
        header=header(),
        steps=((turn(0),),),
        pending=(turn(2),),
        outcome=None,
        notices=("The last line of the journal is incomplete; its 19 bytes are ignored.",),
    )
    assert (folder / "journal.torn").read_bytes() == b'{"v":1,"seq":3,"pre'


def test_every_torn_line_of_a_run_is_kept_beside_it(folder: Path):
    JournalWriter.create(folder, header()).close()
    for torn in (b"first", b"second\n", b"third"):
        with (folder / "journal.jsonl").open("ab") as stream:
            stream.write(torn)
        JournalWriter.reopen(folder)[0].close()
    assert (folder / "journal.torn").read_bytes() == b"firstsecond\nthird"


def test_what_a_run_keeps_is_private(folder: Path):
    JournalWriter.create(folder, header()).close()
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir(), folder.parent)}
    assert modes == {
        folder: 0o700,
        folder / "journal.jsonl": 0o600,
        folder / "journal.lock": 0o600,
        folder.parent: 0o700,
    }


def test_a_run_that_exists_is_not_begun_again(folder: Path):
    JournalWriter.create(folder, header()).close()
    before = (folder / "journal.jsonl").read_bytes()
    with pytest.raises(StateUnwritableError, match="File exists"):
        JournalWriter.create(folder, header(topic="Another?"))
    assert (folder / "journal.jsonl").read_bytes() == before
    assert not is_locked(folder)


def test_a_run_that_has_ended_is_not_changed_by_reopening_it(folder: Path):
    write_everything(folder)
    before = (folder / "journal.jsonl").read_bytes()
    writer, found = JournalWriter.reopen(folder)
    with writer, pytest.raises(StateUnwritableError, match="the run has ended"):
        writer.turn(turn(3), step=2, index=0, of=1)
    assert found == read_journal(folder)
    assert (folder / "journal.jsonl").read_bytes() == before


def test_a_journal_that_cannot_be_trusted_is_not_changed_by_reopening_it(folder: Path):
    lines = lines_of((turn(0), turn(1)))
    keep(folder, [lines[0], lines[2], lines[1]])
    with pytest.raises(StateCorruptError):
        JournalWriter.reopen(folder)
    assert (folder / "journal.jsonl").read_bytes() == lines[0] + lines[2] + lines[1]
    assert not is_locked(folder)


def test_turns_from_several_threads_make_one_unbroken_chain(folder: Path):
    barrier = threading.Barrier(4)
    with JournalWriter.create(folder, header()) as writer:

        def work(index: int) -> None:
            barrier.wait()
            writer.turn(turn(index), step=0, index=index, of=4)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert read_journal(folder).steps == (tuple(turn(index) for index in range(4)),)


def test_a_run_is_locked_while_it_is_worked_on_and_by_one_only(folder: Path):
    with JournalWriter.create(folder, header()) as writer:
        assert is_locked(folder)
        with pytest.raises(StateLockedError, match=folder.name):
            JournalWriter.reopen(folder)
        writer.turn(turn(0), step=0, index=0, of=1)
    assert not is_locked(folder)
    assert read_journal(folder).steps == ((turn(0),),)


def test_asking_whether_a_run_is_locked_makes_no_file(tmp_path: Path):
    assert not is_locked(tmp_path)
    assert not is_locked(tmp_path / "missing")
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_cannot_be_opened_is_held_by_nobody(tmp_path: Path):
    (tmp_path / "real.lock").touch()
    (tmp_path / "journal.lock").symlink_to(tmp_path / "real.lock")
    assert not is_locked(tmp_path)
    with pytest.raises(StateUnwritableError, match=r"journal\.lock"):
        JournalWriter.create(tmp_path, header())


@pytest.mark.parametrize("room", [0, 100])
def test_a_write_that_fails_closes_the_journal_and_loses_no_earlier_turn(folder: Path, room: int):
    with JournalWriter.create(folder, header()) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        with largest_file((folder / "journal.jsonl").stat().st_size + room):
            for said in ("File too large", "is closed"):
                with pytest.raises(StateUnwritableError, match=said):
                    writer.turn(turn(1), step=1, index=0, of=1)
    writer, found = JournalWriter.reopen(folder)
    writer.close()
    assert found.steps == ((turn(0),),)
    assert (folder / "journal.torn").exists() == bool(room)


@pytest.mark.parametrize("room", [1, 100])
def test_a_run_that_cannot_begin_leaves_nothing(folder: Path, room: int):
    with largest_file(room), pytest.raises(StateUnwritableError, match="File too large"):
        JournalWriter.create(folder, header())
    assert not folder.exists()
    JournalWriter.create(folder, header()).close()


def test_a_journal_that_was_removed_takes_no_more_turns(folder: Path):
    with JournalWriter.create(folder, header()) as writer:
        (folder / "journal.jsonl").unlink()
        with pytest.raises(StateUnwritableError, match="was removed while the run was at work"):
            writer.turn(turn(0), step=0, index=0, of=1)


def test_closing_twice_does_no_harm(folder: Path):
    writer = JournalWriter.create(folder, header())
    writer.close()
    writer.close()
    assert not is_locked(folder)


def test_a_run_in_the_place_of_a_file_cannot_be_begun(tmp_path: Path):
    (tmp_path / "debate").write_text("", encoding="utf-8")
    with pytest.raises(StateUnwritableError, match="AI_STATE_DIR"):
        JournalWriter.create(tmp_path / "debate" / "runs" / "one", header())
