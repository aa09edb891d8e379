import json
import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from sparring.errors import StateCorruptError, StateLockedError, StateUnwritableError
from sparring.schema.transcript import PendingAsk, Placed
from sparring.store.following import RunNews, RunWatcher
from sparring.store.journal import JournalWriter, ReadJournal, read_journal
from sparring.store.lines import NO_LINE_BEFORE, ResumeBody, ResumeLine, TurnBody, seal
from sparring.store.run_lock import is_locked
from support.full_disk import largest_file
from support.journals import BEGUN_AT, KEY, chained, header, keep, lines_of, outcome, turn

GOLDEN = Path(__file__).parents[2] / "golden" / "journal"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".claude" / "debate" / "runs" / header().run_id


def write_everything(folder: Path) -> ReadJournal:
    """A run in which everything happens: a broken step, a torn line, turns out of order, an end."""
    moments = (BEGUN_AT + timedelta(seconds=second) for second in count())
    with JournalWriter.create(folder, header(), clock=lambda: next(moments), key=KEY) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        writer.turn(turn(2), step=1, index=1, of=2)
    append(folder, b'{"v":1,"seq":3,"pre')
    writer, found = JournalWriter.reopen(folder, clock=lambda: next(moments), key=KEY)
    with writer:
        writer.turn(turn(1), step=1, index=0, of=2)
        writer.end(outcome())
    return found


def append(folder: Path, torn: bytes) -> None:
    with (folder / "journal.jsonl").open("ab") as stream:
        stream.write(torn)


def test_pending_asks_are_known_with_their_calls(folder: Path):
    asks = [
        PendingAsk(index=index, ask_id=f"ask-{index}", call=f"{index:032x}", place=Placed(**turn(index).place))
        for index in range(2)
    ]
    with JournalWriter.create(folder, header(), key=KEY) as writer:
        writer.asked(asks, step=0, of=2)
        writer.turn(turn(1), step=0, index=1, of=2)
    found = read_journal(folder)
    assert (found.answered, found.unanswered) == ((asks[1].call,), {"ask-0": asks[0].call})


def test_resuming_a_journal_gives_complete_and_pending_turns_and_continues_it(folder: Path):
    notice = "The last line of the journal is incomplete; its 19 bytes are ignored."
    assert write_everything(folder) == ReadJournal(header(), ((turn(0),),), (turn(2),), None, (notice,), is_own=True)
    assert (folder / "journal.jsonl").read_bytes() == (GOLDEN / "resumed.jsonl").read_bytes()


def test_a_golden_journal_is_read_with_its_turns_in_asking_order(folder: Path):
    keep(folder, [(GOLDEN / "resumed.jsonl").read_bytes()])
    begun = header()
    notice = "A torn line of 19 bytes was set aside at 2025-01-02T03:04:08+00:00."
    assert read_journal(folder) == ReadJournal(begun, ((turn(0),), (turn(1), turn(2))), (), outcome(), (notice,))


def test_every_torn_line_of_a_run_is_kept_in_a_separate_file(folder: Path):
    JournalWriter.create(folder, header(), key=KEY).close()
    for torn in (b"first", b"second\n", b"third"):
        append(folder, torn)
        JournalWriter.reopen(folder, key=KEY)[0].close()
    assert (folder / "journal.torn").read_bytes() == b"firstsecond\nthird"


def test_files_of_a_run_are_private(folder: Path):
    JournalWriter.create(folder, header(), key=KEY).close()
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir(), folder.parent)}
    files = dict.fromkeys((folder / "journal.jsonl", folder / "journal.lock"), 0o600)
    assert modes == {folder: 0o700, folder.parent: 0o700, **files}


def test_a_run_that_exists_is_not_begun_again_and_one_that_has_ended_not_changed(folder: Path):
    write_everything(folder)
    before = (folder / "journal.jsonl").read_bytes()
    with pytest.raises(StateUnwritableError, match="File exists"):
        JournalWriter.create(folder, header(topic="Another?"), key=KEY)
    assert not is_locked(folder)
    writer, found = JournalWriter.reopen(folder, key=KEY)
    with writer, pytest.raises(StateUnwritableError, match="the run has ended"):
        writer.turn(turn(3), step=2, index=0, of=1)
    assert found == read_journal(folder, KEY)
    assert (folder / "journal.jsonl").read_bytes() == before


def test_turns_from_several_threads_make_one_unbroken_chain(folder: Path):
    barrier = threading.Barrier(4)
    with JournalWriter.create(folder, header(), key=KEY) as writer, ThreadPoolExecutor(4) as pool:

        def work(index: int) -> None:
            barrier.wait()
            writer.turn(turn(index), step=0, index=index, of=4)

        list(pool.map(work, range(4)))
    assert read_journal(folder).steps == (tuple(turn(index) for index in range(4)),)


def test_a_run_is_locked_while_it_is_worked_on_and_by_one_only(folder: Path):
    assert not is_locked(folder)
    assert not folder.exists()
    with JournalWriter.create(folder, header(), key=KEY) as writer:
        assert is_locked(folder)
        with pytest.raises(StateLockedError, match=folder.name):
            JournalWriter.reopen(folder, key=KEY)
        writer.turn(turn(0), step=0, index=0, of=1)
    writer.close()  # once more
    assert not is_locked(folder)
    assert read_journal(folder).steps == ((turn(0),),)


def test_a_lock_that_cannot_be_opened_counts_as_free(tmp_path: Path):
    (tmp_path / "real.lock").touch()
    (tmp_path / "journal.lock").symlink_to(tmp_path / "real.lock")
    assert not is_locked(tmp_path)
    with pytest.raises(StateUnwritableError, match=r"journal\.lock"):
        JournalWriter.create(tmp_path, header(), key=KEY)


@pytest.mark.parametrize("room", [0, 100])
def test_a_write_that_fails_closes_the_journal_and_loses_no_earlier_turn(folder: Path, room: int):
    with JournalWriter.create(folder, header(), key=KEY) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        with largest_file((folder / "journal.jsonl").stat().st_size + room):
            for said in ("File too large", "is closed"):
                with pytest.raises(StateUnwritableError, match=said):
                    writer.turn(turn(1), step=1, index=0, of=1)
    writer, found = JournalWriter.reopen(folder, key=KEY)
    writer.close()
    assert found.steps == ((turn(0),),)
    assert (folder / "journal.torn").exists() == bool(room)


@pytest.mark.parametrize("room", [1, 100])
def test_a_run_that_cannot_begin_leaves_nothing(folder: Path, room: int):
    with largest_file(room), pytest.raises(StateUnwritableError, match="File too large"):
        JournalWriter.create(folder, header(), key=KEY)
    assert not folder.exists()
    JournalWriter.create(folder, header(), key=KEY).close()


def test_a_journal_that_was_removed_takes_no_more_turns(folder: Path):
    with JournalWriter.create(folder, header(), key=KEY) as writer:
        (folder / "journal.jsonl").unlink()
        with pytest.raises(StateUnwritableError, match="was removed during the run"):
            writer.turn(turn(0), step=0, index=0, of=1)


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
        ([THREE[1]], "line 1: it does not continue the line before"),
        ([THREE[0], FOREIGN, THREE[1]], "line 2: it does not continue the line before"),
        ([THREE[0], THREE[1].replace(b"Tabs", b"Taps"), THREE[2]], "line 2: its hash does not fit"),
        ([*THREE[:2], THREE[2].replace(b"Tabs", b"Taps")], "line 3: its hash does not fit"),
        ([*THREE[:2], b"{}\n"], "line 3: its hash does not fit"),
        ([*THREE[:2], b"[1]\n"], "line 3: its hash does not fit"),
        ([THREE[0], THREE[1][:50] + b"\n", THREE[2]], "line 2: it is not JSON"),
        ([THREE[0], b"\n", *THREE[1:]], "line 2: it is not JSON"),
        ([*THREE[:2], b'{"v":2,"kind":"turn"}\n'], "line 3: it was written by a newer version.*Update sparring"),
        ([THREE[0].replace(b'"v":1', b'"v":2')], "line 1: it was written by a newer version.*Update sparring"),
        (chained(header(), header()), "line 2: a line of type 'start' has no place here"),
        (chained(ResumeBody()), "line 1: a line of type 'resume' has no place here"),
        (chained(header(), outcome(), outcome()), "line 3: a line of type 'end' has no place here"),
        (chained(header(), outcome(), placed(0, step=0)), "line 3: a line of type 'turn' has no place here"),
        (chained(header(), placed(0, step=1)), "line 2: turn 0 of step 1 has no place here"),
        (chained(header(), placed(0, step=0), placed(0, step=0)), "line 3: turn 0 of step 0 has no place here"),
        (chained(header(), placed(0, step=0, of=2, index=2)), "line 2: turn 2 of step 0 has no place here"),
        (chained(header(), *[placed(0, step=0, of=2)] * 2), "line 3: turn 0 of step 0 has no place here"),
        (chained(header(), placed(0, step=0, of=2), placed(1, step=0, of=3, index=1)), "line 3: turn 1 of step 0 has"),
        ([], "line 1: the run was interrupted before its first line was written"),
        ([THREE[0][:-1]], "line 1: the run was interrupted before its first line was written"),
        (None, r"journal\.jsonl"),
    ],
)
def test_a_journal_that_is_not_as_it_was_written_is_refused_with_its_line_and_not_changed(
    tmp_path: Path, lines: list[bytes] | None, said: str
):
    if lines is not None:
        keep(tmp_path, lines)
    for use in (read_journal, partial(JournalWriter.reopen, key=KEY)):
        with pytest.raises(StateCorruptError, match=rf"(journal\.jsonl, |contains no ){said}"):
            use(tmp_path)
    assert not is_locked(tmp_path)
    assert [path.read_bytes() for path in tmp_path.glob("*.jsonl")] == ([] if lines is None else [b"".join(lines)])


def test_a_line_with_a_correct_hash_but_an_unknown_field_is_refused(tmp_path: Path):
    (start,) = chained(header())
    prev = json.loads(start)["hash"]
    line = f'{{"v":1,"seq":1,"prev":"{prev}","at":"2025-01-02T03:04:05Z","type":"resume","body":{{"mood":"good"}}'
    digest = sha256(f"{line}}}".encode()).hexdigest()
    keep(tmp_path, [start, f'{line},"hash":"{digest}"}}\n'.encode()])
    with pytest.raises(StateCorruptError, match="line 2: its content is not what this version of sparring writes"):
        read_journal(tmp_path)


def test_a_journal_that_is_too_large_or_behind_a_link_is_refused_without_reading_it(tmp_path: Path):
    keep(tmp_path / "real", THREE)
    (tmp_path / "journal.jsonl").symlink_to(tmp_path / "real" / "journal.jsonl")
    os.truncate(tmp_path / "real" / "journal.jsonl", 1024**3 + 1)  # sparse: takes no room
    for folder, said in ((tmp_path, "symbolic link"), (tmp_path / "real", "larger than 1,073,741,824 bytes")):
        with pytest.raises(StateCorruptError, match=said):
            read_journal(folder)


def test_a_run_in_the_place_of_a_file_can_be_neither_begun_nor_read(tmp_path: Path):
    (tmp_path / "runs").write_text("", encoding="utf-8")
    with pytest.raises(StateUnwritableError, match="AI_STATE_DIR"):
        JournalWriter.create(tmp_path / "runs" / "one", header(), key=KEY)
    with pytest.raises(StateUnwritableError, match=r"journal\.jsonl cannot be used"):
        read_journal(tmp_path / "runs")


def test_watching_continues_after_the_last_line_and_leaves_torn_lines(folder: Path):
    with JournalWriter.create(folder, header(), key=KEY) as writer:
        follower = RunWatcher(folder)
        assert follower.read_new_turns().turns == ()
        writer.turn(turn(0), step=0, index=0, of=1)
        assert [each.ask_id for each in follower.read_new_turns().turns] == [turn(0).ask_id]
    append(folder, b'{"v":1,"seq":2,"pre')
    assert follower.read_new_turns().turns == ()
    with JournalWriter.reopen(folder, key=KEY)[0] as writer:
        writer.turn(turn(1), step=1, index=0, of=1)
        assert [each.ask_id for each in follower.read_new_turns().turns] == [turn(1).ask_id]
        writer.end(outcome())
    assert follower.read_new_turns() == RunNews((), is_over=True)


def test_a_changed_journal_is_refused_while_watching(tmp_path: Path):
    follower = RunWatcher(keep(tmp_path, THREE[:1]))
    follower.read_new_turns()
    keep(tmp_path, [THREE[0], THREE[1].replace(b'"step":0', b'"step":7'), THREE[2]])
    with pytest.raises(StateCorruptError, match="line 2"):
        follower.read_new_turns()


def test_watching_an_abandoned_run_ends_after_its_last_turn(folder: Path):
    def looks() -> list[tuple[int, bool]]:
        watching = RunWatcher(folder)
        return [(len(news.turns), news.is_over) for news in (watching.read_new_turns(), watching.read_new_turns())]

    with JournalWriter.create(folder, header(), key=KEY) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        assert looks() == [(1, False), (0, False)]
    assert looks() == [(1, False), (0, True)]
