import os
import stat
import threading
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from sparring.errors import StateCorruptError, StateLockedError, StateUnwritableError
from sparring.schema.transcript import PutAsk
from sparring.store.following import News, Watching
from sparring.store.journal import JournalWriter, ReadJournal, is_locked, read_journal
from sparring.store.lines import NO_LINE_BEFORE, ResumeBody, ResumeLine, TurnBody, seal
from support.full_disk import largest_file
from support.journals import BEGUN_AT, chained, header, keep, lines_of, outcome, turn

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


THREE = lines_of((turn(0), turn(1)))


def placed(number: int, *, step: int, of: int = 1, index: int = 0) -> TurnBody:
    return TurnBody(step=step, of=of, index=index, turn=turn(number))


@pytest.mark.parametrize(
    ("tail", "size"),
    [(THREE[2][:-1], len(THREE[2]) - 1), (THREE[2][:40], 40), (b"\x00" * 9 + b"\n", 10), (b"no JSON\n", 8)],
    ids=["no newline", "half", "zeros of a power cut", "no JSON"],
)
def test_a_last_line_that_was_never_finished_is_ignored_with_a_notice(tmp_path: Path, tail: bytes, size: int):
    journal = read_journal(keep(tmp_path, [*THREE[:2], tail]))
    notice = f"The last line of the journal is incomplete; its {size} bytes are ignored."
    assert journal == ReadJournal(header(), ((turn(0),),), (), None, (notice,))


def test_turns_of_a_step_that_is_not_complete_are_pending_in_asking_order(tmp_path: Path):
    lines = chained(header(), placed(0, step=0), placed(2, step=1, of=3, index=2), placed(1, step=1, of=3, index=0))
    journal = read_journal(keep(tmp_path, lines))
    assert (journal.steps, journal.pending) == (((turn(0),),), (turn(1), turn(2)))


FOREIGN = seal(ResumeLine(seq=1, prev=NO_LINE_BEFORE, at=BEGUN_AT, body=ResumeBody())).content


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([THREE[0], THREE[2]], "line 2: it does not continue the line before"),
        ([*THREE, THREE[2]], "line 4: it does not continue the line before"),
        ([THREE[0], THREE[2], THREE[1]], "line 2: it does not continue the line before"),
        ([THREE[1]], "line 1: it does not continue the line before"),
        ([THREE[0], FOREIGN, THREE[1]], "line 2: it does not continue the line before"),
        ([THREE[0], THREE[1].replace(b"Tabs", b"Taps"), THREE[2]], "line 2: its hash does not fit"),
        ([*THREE[:2], THREE[2].replace(b"Tabs", b"Taps")], "line 3: its hash does not fit"),
        ([*THREE[:2], b"{}\n"], "line 3: its hash does not fit"),
        ([*THREE[:2], b"[1]\n"], "line 3: its hash does not fit"),
        ([THREE[0], THREE[1][:50] + b"\n", THREE[2]], "line 2: it is not JSON"),
        ([THREE[0], b"\n", *THREE[1:]], "line 2: it is not JSON"),
        ([*THREE[:2], b'{"v":3,"kind":"turn"}\n'], "line 3: it was written by a newer version.*Update sparring"),
        ([THREE[0].replace(b'"v":1', b'"v":3')], "line 1: it was written by a newer version.*Update sparring"),
        (chained(header(), header()), "line 2: a line of type 'start' has no place here"),
        (chained(ResumeBody()), "line 1: a line of type 'resume' has no place here"),
        (chained(header(), outcome(), outcome()), "line 3: a line of type 'end' has no place here"),
        (chained(header(), outcome(), placed(0, step=0)), "line 3: a line of type 'turn' has no place here"),
        (chained(header(), placed(0, step=1)), "line 2: turn 0 of step 1 has no place here"),
        (chained(header(), placed(0, step=0), placed(0, step=0)), "line 3: turn 0 of step 0 has no place here"),
        (chained(header(), placed(0, step=0, of=2, index=2)), "line 2: turn 2 of step 0 has no place here"),
        (
            chained(header(), placed(0, step=0, of=2), placed(0, step=0, of=2)),
            "line 3: turn 0 of step 0 has no place here",
        ),
        (
            chained(header(), placed(0, step=0, of=2), placed(1, step=0, of=3, index=1)),
            "line 3: turn 1 of step 0 has no place here",
        ),
        ([], "line 1: the run was broken off before its first line was written"),
        ([THREE[0][:-1]], "line 1: the run was broken off before its first line was written"),
    ],
)
def test_a_journal_that_is_not_as_it_was_written_is_refused_with_its_line(
    tmp_path: Path, lines: list[bytes], said: str
):
    keep(tmp_path, lines)
    with pytest.raises(StateCorruptError, match=rf"journal\.jsonl, {said}"):
        read_journal(tmp_path)
    assert (tmp_path / "journal.jsonl").read_bytes() == b"".join(lines)


def test_a_line_with_a_correct_hash_but_an_unknown_field_is_refused(tmp_path: Path):
    (start,) = chained(header())
    prev = start[-67:-3].decode()
    line = f'{{"v":1,"seq":1,"prev":"{prev}","at":"2025-01-02T03:04:05Z","type":"resume","body":{{"mood":"good"}}'
    digest = sha256(f"{line}}}".encode()).hexdigest()
    keep(tmp_path, [start, f'{line},"hash":"{digest}"}}\n'.encode()])
    with pytest.raises(StateCorruptError, match="line 2: its content is not what this version of sparring writes"):
        read_journal(tmp_path)


def test_a_folder_without_a_journal_is_refused(tmp_path: Path):
    with pytest.raises(StateCorruptError, match=r"holds no journal\.jsonl"):
        read_journal(tmp_path)


def test_a_journal_that_is_too_large_is_refused_without_reading_it(tmp_path: Path):
    keep(tmp_path, THREE)
    os.truncate(tmp_path / "journal.jsonl", 1024**3 + 1)  # sparse: takes no room
    with pytest.raises(StateCorruptError, match="larger than 1,073,741,824 bytes"):
        read_journal(tmp_path)


def test_a_journal_behind_a_link_is_not_read(tmp_path: Path):
    keep(tmp_path / "real", THREE)
    (tmp_path / "journal.jsonl").symlink_to(tmp_path / "real" / "journal.jsonl")
    with pytest.raises(StateCorruptError, match="symbolic link"):
        read_journal(tmp_path)


def test_a_run_that_is_a_file_cannot_be_read(tmp_path: Path):
    (tmp_path / "run").write_text("", encoding="utf-8")
    with pytest.raises(StateUnwritableError, match=r"journal\.jsonl cannot be used"):
        read_journal(tmp_path / "run")


TORN = b'{"v":1,"seq":2,"pre'


def test_a_journal_is_read_on_where_it_stopped_and_a_torn_line_is_left_for_later(folder: Path):
    with JournalWriter.create(folder, header()) as writer:
        follower = Watching(folder)
        assert follower.look().turns == ()
        writer.turn(turn(0), step=0, index=0, of=1)
        assert [each.ask_id for each in follower.look().turns] == [turn(0).ask_id]
    with (folder / "journal.jsonl").open("ab") as stream:
        stream.write(TORN)
    assert follower.look().turns == ()
    with JournalWriter.reopen(folder)[0] as writer:
        writer.turn(turn(1), step=1, index=0, of=1)
        assert [each.ask_id for each in follower.look().turns] == [turn(1).ask_id]
        writer.end(outcome())
    assert follower.look() == News((), is_over=True)


def test_what_is_not_as_it_was_written_is_refused(folder: Path):
    with JournalWriter.create(folder, header()) as writer:
        follower = Watching(folder)
        follower.look()
        writer.turn(turn(0), step=0, index=0, of=1)
        writer.turn(turn(1), step=1, index=0, of=1)
    path = folder / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"step":0', b'"step":7'))
    with pytest.raises(StateCorruptError, match="line 2"):
        follower.look()


def test_a_run_that_nobody_works_on_is_over_when_all_that_was_said_has_been_seen(folder: Path):
    with JournalWriter.create(folder, header()) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        at_work = Watching(folder)
        assert [(len(news.turns), news.is_over) for news in (at_work.look(), at_work.look())] == [
            (1, False),
            (0, False),
        ]
    left = Watching(folder)
    assert [(len(news.turns), news.is_over) for news in (left.look(), left.look())] == [(1, False), (0, True)]
