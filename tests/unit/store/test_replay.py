import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from sparring.errors import StateCorruptError, StateUnwritableError
from sparring.schema.transcript import Transcript
from sparring.store.journal import ReadJournal, read_journal
from sparring.store.lines import EndLine, Line, Link, ResumeBody, ResumeLine, StartLine, TurnBody, TurnLine, seal
from support.journals import BEGUN_AT, header, keep, lines_of, outcome, turn

THREE = lines_of((turn(0), turn(1)))
ENDED = lines_of((turn(0), turn(1)), ended=True)


def chained(*bodies: object) -> list[bytes]:
    """Lines with correct hashes for those bodies, whatever sense they make."""
    types: dict[type, Callable[..., Line]] = {
        type(header()): StartLine,
        TurnBody: TurnLine,
        ResumeBody: ResumeLine,
        type(outcome()): EndLine,
    }
    link, lines = Link(), list[bytes]()
    for body in bodies:
        sealed = seal(types[type(body)](seq=link.seq, prev=link.prev, at=BEGUN_AT, body=body))
        link = sealed.following
        lines.append(sealed.content)
    return lines


def placed(number: int, *, step: int, of: int = 1, index: int = 0) -> TurnBody:
    return TurnBody(step=step, of=of, index=index, turn=turn(number))


def test_a_finished_journal_is_read_whole(tmp_path: Path):
    journal = read_journal(keep(tmp_path, ENDED))
    assert journal == ReadJournal(header(), ((turn(0),), (turn(1),)), (), outcome(), ())
    assert journal.transcript == Transcript(turns=(turn(0), turn(1)))


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


FOREIGN = seal(ResumeLine(seq=1, prev="0" * 64, at=BEGUN_AT, body=ResumeBody())).content


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
