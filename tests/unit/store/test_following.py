from pathlib import Path

import pytest

from sparring.errors import StateCorruptError
from sparring.store.following import News, Watching
from sparring.store.journal import JournalWriter
from support.journals import header, outcome, turn

TORN = b'{"v":1,"seq":2,"pre'


def test_a_journal_is_read_on_where_it_stopped_and_a_torn_line_is_left_for_later(tmp_path: Path) -> None:
    folder = tmp_path / header().run_id
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


def test_what_is_not_as_it_was_written_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / header().run_id
    with JournalWriter.create(folder, header()) as writer:
        follower = Watching(folder)
        follower.look()
        writer.turn(turn(0), step=0, index=0, of=1)
        writer.turn(turn(1), step=1, index=0, of=1)
    path = folder / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"step":0', b'"step":7'))
    with pytest.raises(StateCorruptError, match="line 2"):
        follower.look()


def test_a_run_that_nobody_works_on_is_over_when_all_that_was_said_has_been_seen(tmp_path: Path) -> None:
    folder = tmp_path / header().run_id
    with JournalWriter.create(folder, header()) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        at_work = Watching(folder)
        assert [(len(news.turns), news.is_over) for news in (at_work.look(), at_work.look())] == [
            (1, False),
            (0, False),
        ]
    left = Watching(folder)
    assert [(len(news.turns), news.is_over) for news in (left.look(), left.look())] == [(1, False), (0, True)]
