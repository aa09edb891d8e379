"""The log of a chaired debate on the disk."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from sparring.errors import StateCorruptError, StateLockedError, StateUnwritableError
from sparring.schema.chaired_debate import EntryType, LogEntry, Speaker
from sparring.store import debate_log
from sparring.store.debate_log import LOG_LIMIT, DebateLog, ReadLog
from support.debate_logs import BEGUN_AT, SOURCE, draft, entry, nothing_refused


@pytest.fixture
def log(tmp_path: Path) -> DebateLog:
    return DebateLog(tmp_path / "debate-log.jsonl")


def test_a_line_has_exactly_the_fields_of_the_specification_in_its_order(log: DebateLog) -> None:
    log.append(draft(), nothing_refused, clock=lambda: BEGUN_AT)
    assert log.path.read_text(encoding="utf-8") == (
        '{"seq":1,"timestamp":"2026-03-04T05:06:07.890000Z","phase":"opening","speaker":"promoter",'
        '"type":"opening_statement","content":"It fell by a third [1].","sources":[{"url":"https://example.org/paper",'
        '"title":"A study","accessed":"2026-02-21","quote":"It fell by a third."}],'
        '"rebuttal_to_seq":null,"target_seq":null}\n'
    )


def test_entries_are_numbered_from_1_and_read_back_as_they_were_written_by_the_user_alone(log: DebateLog) -> None:
    rebuttal = draft("Not so.\nIt rose – “twice”.", type=EntryType.REBUTTAL, rebuttal_to_seq=1, target_seq=1)
    written = [log.append(said, nothing_refused) for said in (draft(), rebuttal)]
    assert log.read() == ReadLog(tuple(each for each in written if isinstance(each, LogEntry)))
    assert [(each.seq, each.content) for each in log.read().entries] == [(1, draft().content), (2, rebuttal.content)]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in log.path.parent.iterdir()}
    assert modes == {"debate-log.jsonl": 0o600, ".debate-log.jsonl.lock": 0o600}


def test_a_missing_log_is_empty_and_an_impossible_one_is_an_error(tmp_path: Path) -> None:
    assert DebateLog(tmp_path / "none" / "debate-log.jsonl").read() == ReadLog()
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").touch()
    with pytest.raises(StateUnwritableError):
        DebateLog(tmp_path / "file" / "debate-log.jsonl").append(draft(), nothing_refused)


@pytest.mark.parametrize("torn", [b'{"seq":2,"timest', b'{"seq":2,"timest\n', b"\xff\xfe"])
def test_a_torn_last_line_is_reported_and_set_aside_by_the_next_writer(log: DebateLog, torn: bytes) -> None:
    log.sync([entry(1)])
    with log.path.open("ab") as stream:
        stream.write(torn)
    found = log.read()
    assert (found.entries, found.torn) == ((entry(1),), torn.removesuffix(b"\n"))
    assert found.notices == (f"The last line of the log is incomplete; its {len(found.torn)} bytes are ignored.",)
    log.append(draft("Next [1]."), nothing_refused)
    assert [each.seq for each in log.read().entries] == [1, 2]
    assert log.read().notices == ()
    assert log.path.with_name("debate-log.jsonl.torn").read_bytes() == torn.removesuffix(b"\n") + b"\n"


def test_a_last_line_that_only_lacks_its_end_counts(log: DebateLog) -> None:
    log.sync([entry(1), entry(2)])
    log.path.write_bytes(log.path.read_bytes().removesuffix(b"\n"))
    assert log.read() == ReadLog((entry(1), entry(2)))
    log.append(draft(), nothing_refused)
    assert len(log.path.read_bytes().splitlines()) == 3


def test_other_writers_may_leave_empty_lines_and_null_for_no_sources(log: DebateLog) -> None:
    said = json.loads(debate_log.line_of(entry(1, sources=())))
    log.path.write_text("\n" + json.dumps(said | {"sources": None}) + "\n\n", encoding="utf-8")
    assert log.read() == ReadLog((entry(1, sources=()),))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"nonsense", "line 1: it is not JSON"),
        (b"[]", "line 1: it is not an entry of a debate"),
        (b'{"seq": 1}', "line 1: it is not an entry of a debate"),
        (debate_log.line_of(entry(2)).strip(), "line 1: its seq is 2 and should be 1"),
        (debate_log.line_of(entry(1)).replace(b'"opening"', b'"overture"').strip(), "line 1: it is not an entry"),
    ],
)
def test_any_other_line_that_is_no_entry_is_refused_and_nothing_is_changed(
    log: DebateLog, line: bytes, problem: str
) -> None:
    before = line + b"\n" + debate_log.line_of(entry(2))
    log.path.write_bytes(before)
    for act in (log.read, lambda: log.append(draft(), nothing_refused), lambda: log.sync([entry(1)])):
        with pytest.raises(StateCorruptError, match=problem):
            act()
    assert log.path.read_bytes() == before


def test_no_link_is_followed_and_nothing_too_large_read(log: DebateLog, tmp_path: Path) -> None:
    log.path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StateCorruptError, match="symbolic link"):
        log.append(draft(), nothing_refused)
    (tmp_path / "elsewhere").touch(exist_ok=False)
    log.path.unlink()
    with log.path.open("wb") as stream:
        stream.truncate(LOG_LIMIT + 1)
    with pytest.raises(StateCorruptError, match="is larger than"):
        log.read()


def test_syncing_a_log_adds_entries_redacts_words_and_is_idempotent(log: DebateLog) -> None:
    log.sync([])
    log.sync([entry(1)])
    with log.path.open("ab") as stream:
        stream.write(b'{"se')
    log.sync([entry(1), entry(2, "Against it [1].", speaker=Speaker.DETRACTOR)])
    redacted = [entry(1, "[REDACTED] There is no such page.", sources=()), *log.read().entries[1:], entry(3)]
    log.sync(redacted)
    assert log.read() == ReadLog(tuple(redacted))
    assert SOURCE.quote.encode() not in log.path.read_bytes().splitlines()[0]
    before = log.path.stat()
    log.sync(redacted)
    assert (log.path.stat().st_ino, log.path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize(
    "others", [[entry(1, speaker=Speaker.CHAIR)], [entry(1), entry(2), entry(3)]], ids=["another", "longer"]
)
def test_a_log_of_another_debate_is_not_overwritten(log: DebateLog, others: list[LogEntry]) -> None:
    log.sync(others)
    before = log.path.read_bytes()
    with pytest.raises(StateCorruptError, match="entries of another debate"):
        log.sync([entry(1), entry(2)])
    assert log.path.read_bytes() == before


def test_waiting_too_long_for_other_writers_is_an_error(log: DebateLog) -> None:
    impatient = DebateLog(log.path, max_wait_s=0.01)
    with FileLock(log.path.with_name(".debate-log.jsonl.lock")), pytest.raises(StateLockedError):
        impatient.append(draft(), nothing_refused)


def test_a_reader_never_sees_half_a_line_while_two_write(log: DebateLog) -> None:
    def write(name: str) -> None:
        for number in range(15):
            DebateLog(log.path).append(draft(f"{name} {number} " + "word " * (number % 10) * 300), nothing_refused)

    with ThreadPoolExecutor(2) as threads:
        writing = [threads.submit(write, name) for name in ("ann", "bob")]
        while not all(writer.done() for writer in writing):
            content = log.path.read_bytes() if log.path.exists() else b""
            assert content.endswith(b"\n") or not content, content[-80:]
            seqs = [json.loads(line)["seq"] for line in content.splitlines()]
            assert seqs == list(range(1, len(seqs) + 1))
    assert [writer.result() for writer in writing] == [None, None]
    said = [each.content.split()[:2] for each in log.read().entries]
    assert len(said) == 30
    for name in ("ann", "bob"):
        assert [int(number) for who, number in said if who == name] == list(range(15))
