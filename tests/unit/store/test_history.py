import os
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from sparring.errors import ForeignStateError, RunNotFoundError, StateLockedError, StateUnwritableError
from sparring.schema.consultation import Usage
from sparring.schema.runs import Limits, Run, RunHeader, RunStatus, RunSummary, Spent
from sparring.schema.transcript import Transcript, Turn
from sparring.store import history
from sparring.store.hosts import Place
from sparring.store.journal import JournalWriter
from sparring.store.last_run import next_moment, record_last_run
from sparring.store.lines import ResumeBody, TurnBody
from sparring.store.provenance import NO_KEY, Provenance, StateKey
from support.journals import BEGUN_AT, KEY, OTHER_KEY, chained, header, keep, lines_of, outcome, place_at, turn
from support.runs import answer, consult_request

FIRST = "debate-20250102T030405Z-0a1b"
SECOND = "debate-20250102T030406Z-0a1c"
THIRD = "consult-20250102T030407Z-0a1d"


def debate_folder(state: Path, run_id: str = FIRST) -> Path:
    return history.run_folder(state, "debate", run_id)


def begin(state: Path, run_id: str, created_at: datetime = BEGUN_AT) -> JournalWriter:
    return JournalWriter.create(debate_folder(state, run_id), header(run_id, created_at=created_at), key=KEY)


def written(
    state: Path, run_id: str, created_at: datetime = BEGUN_AT, *, key: StateKey = KEY, place: Place | None = None
) -> Path:
    """A run that was begun, as the application begins one."""
    kind = run_id.partition("-")[0]
    head = header(run_id, created_at=created_at)
    if kind == "consult":
        head = head.model_copy(update={"request": consult_request("Safe?")})
    folder = history.run_folder(state, kind, run_id)
    JournalWriter.create(folder, head, key=key).close()
    record_last_run(folder, created_at, place or place_at(state, key=key))
    return folder


def begin_consult(state: Path, question: str) -> JournalWriter:
    head = header(THIRD).model_copy(update={"request": consult_request(question)})
    return JournalWriter.create(history.run_folder(state, "consult", THIRD), head, key=KEY)


INTERRUPTED = RunSummary(
    run_id=FIRST, kind="debate", status=RunStatus.INTERRUPTED, topic="Tabs or spaces?", created_at=BEGUN_AT, is_own=True
)


def summary(**changes: object) -> RunSummary:
    return INTERRUPTED.model_copy(update=changes)


def test_a_new_id_is_never_one_that_is_taken_already(tmp_path: Path):
    taken = {history.new_run_id("consult", BEGUN_AT)[:-4] + f"{number:04x}" for number in range(0, 65_536, 64)}
    for name in taken:
        (tmp_path / name).touch()
    # Ids that are drawn without looking would all be free with a probability of 1 in 10 ** 10.
    assert taken.isdisjoint(history.unused_run_id(tmp_path, "consult", BEGUN_AT) for _ in range(1500))


def test_runs_are_listed_newest_first_with_their_status_although_lines_are_torn(tmp_path: Path):
    keep(debate_folder(tmp_path), [*lines_of((turn(0),)), b'{"v":1,"se'])
    with begin(tmp_path, SECOND) as writer:
        for step in range(2):
            writer.turn(turn(step), step=step, index=0, of=1)
        writer.end(outcome())
    with begin_consult(tmp_path, "Is\nthis " + "very " * 50 + "safe?"):
        assert history.list_runs(place_at(tmp_path)) == (
            summary(run_id=THIRD, kind="consult", status=RunStatus.RUNNING, topic="Is this " + "very " * 38 + "v…"),
            summary(run_id=SECOND, status=RunStatus.FINISHED, outcome="unjudged", turns=2, cost_usd=2e-07),
            summary(turns=1, cost_usd=1e-07),
        )


def test_runs_that_began_in_the_same_second_are_ordered_by_their_moment(tmp_path: Path):
    early, late = "debate-20250102T030405Z-ffff", "debate-20250102T030405Z-0000"
    begin(tmp_path, early, BEGUN_AT).close()
    begin(tmp_path, late, BEGUN_AT + timedelta(milliseconds=1)).close()
    assert [found.run_id for found in history.list_runs(place_at(tmp_path))] == [late, early]
    assert history.find_run("last", place_at(tmp_path)) == debate_folder(tmp_path, late)


@pytest.mark.parametrize("foreign", [0, 1, 4], ids=lambda count: f"{count} that came with the project")
def test_the_newest_runs_are_the_first_of_all(tmp_path: Path, foreign: int) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for state, numbers in ((one, range(6)), (other, range(4, 9))):  # two of them are kept twice
        for number in numbers:
            at = BEGUN_AT + timedelta(milliseconds=700 * number)
            run_id = f"debate-{at:%Y%m%dT%H%M%SZ}-{9 - number:04x}"
            lines = chained(header(run_id, created_at=at), outcome(), key=OTHER_KEY if number > 8 - foreign else KEY)
            keep(debate_folder(state, run_id), lines)
    place = place_at(one, other)
    listed = history.list_runs(place)
    assert len(listed) == 9
    for most in range(1, 11):
        assert history.newest_runs(place, most) == history.NewestRuns(listed[:most], max(9 - most, 0))
    (one / "debate" / "runs" / ".index.json").unlink()
    (other / "debate" / "runs" / ".index.json").unlink()
    history.newest_runs(place, 2)
    assert (one / "debate" / "runs" / ".index.json").exists() is (foreign > 0)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([], "line 1: it is not JSON"),
        (lines_of((turn(0),))[1:], "line 1: it does not continue the line before"),
        ([b'{"v":9}\n'], "line 1: it was written by a newer version"),
        ([lines_of(())[0], b'{"v":1}\n'], "line 2: its hash does not fit its content"),
        (chained(ResumeBody()), "line 1: the first line does not begin a run"),
        (None, "contains no journal.jsonl"),
    ],
)
def test_a_run_that_cannot_be_read_is_listed_with_its_problem(tmp_path: Path, lines: list[bytes] | None, problem: str):
    folder = debate_folder(tmp_path)
    folder.mkdir(parents=True)
    if lines is not None:
        keep(folder, lines)
    (found,) = history.list_runs(place_at(tmp_path))
    assert found == RunSummary(run_id=FIRST, kind="debate", problem=found.problem)
    assert problem in found.problem


def test_a_journal_that_was_listed_is_read_again_when_it_changes_though_size_and_time_are_the_same(tmp_path: Path):
    journal = keep(debate_folder(tmp_path), lines_of((turn(0),), ended=True)) / "journal.jsonl"
    before, was = history.list_runs(place_at(tmp_path)), journal.stat()
    assert history.list_runs(place_at(tmp_path)) == before
    journal.write_bytes(b"x" * was.st_size)
    os.utime(journal, ns=(was.st_mtime_ns, was.st_mtime_ns))
    assert "it is not JSON" in history.list_runs(place_at(tmp_path))[0].problem


@pytest.mark.parametrize("content", [b"", b"{", b'{"version":2,"entries":[]}', b'{"entries":[{"size":1}]}'])
def test_an_index_that_is_damaged_costs_nothing_but_time(tmp_path: Path, content: bytes):
    keep(debate_folder(tmp_path), lines_of((turn(0),), ended=True))
    before = history.list_runs(place_at(tmp_path))
    (index,) = tmp_path.glob("debate/runs/.index.json")
    whole = index.read_bytes()
    index.write_bytes(content)
    assert history.list_runs(place_at(tmp_path)) == before
    assert index.read_bytes() == whole
    assert index.stat().st_mode & 0o777 == 0o600


def test_a_run_that_was_removed_is_in_no_list_and_one_at_work_is_not_removed(tmp_path: Path):
    begin(tmp_path, FIRST).close()
    with begin(tmp_path, SECOND):
        history.remove_runs([debate_folder(tmp_path, FIRST)])
        with pytest.raises(StateLockedError, match=f"Run {SECOND} is still running"):
            history.remove_runs([debate_folder(tmp_path, SECOND)])
    assert [run.run_id for run in history.list_runs(place_at(tmp_path))] == [SECOND]
    assert {entry.name for entry in debate_folder(tmp_path).parent.iterdir()} == {SECOND, ".index.json"}


def test_foreign_and_linked_folders_are_not_listed(tmp_path: Path):
    runs = debate_folder(tmp_path).parent
    for folder in ("notes", "consult-20250102T030405Z-cccc"):
        (runs / folder).mkdir(parents=True)
    (runs / "debate-20250102T030405Z-aaaa").write_text("a file", encoding="utf-8")
    (runs / "debate-20250102T030405Z-bbbb").symlink_to(tmp_path)
    assert history.list_runs(place_at(tmp_path, tmp_path / "missing")) == ()
    begin(tmp_path / "elsewhere", FIRST).close()
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "debate").symlink_to(tmp_path / "elsewhere" / "debate")
    with pytest.raises(StateUnwritableError, match="debate is a symbolic link"):
        history.list_runs(place_at(tmp_path / "state"))


def test_a_run_is_found_by_its_id_by_its_beginning_and_as_the_last(tmp_path: Path):
    for run_id in (FIRST, SECOND):
        begin(tmp_path, run_id).close()
    begin_consult(tmp_path, "Safe?").close()
    assert history.find_run(FIRST, place_at(tmp_path)) == debate_folder(tmp_path, FIRST)
    assert history.find_run("debate-20250102T030406", place_at(tmp_path)) == debate_folder(tmp_path, SECOND)
    assert history.find_run("0a1c", place_at(tmp_path)) == debate_folder(tmp_path, SECOND)
    assert (
        history.find_run("consult", place_at(tmp_path))
        == history.find_run("last", place_at(tmp_path))
        == history.run_folder(tmp_path, "consult", THIRD)
    )
    begin(tmp_path / "copies", FIRST).close()
    assert history.find_run(FIRST, place_at(tmp_path, tmp_path / "copies")) == debate_folder(tmp_path, FIRST)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("debate", f"2 runs begin or end with 'debate': {FIRST}, {SECOND}. Give more of the id."),
        ("jury", "There is no run 'jury'"),
        (FIRST + "0", "There is no run"),
        *((name, "is not the id of a run.") for name in ("", "../debate", "debate/runs", "debate\n", "-x")),
        ("x" * 100, f"'{'x' * 80}' is not the id of a run."),
        ("debate-20250102T030405Z-0alb", f"Did you mean {FIRST} or {SECOND}?"),
    ],
)
def test_a_run_that_is_not_there_is_refused_and_no_path_is_made_from_its_name(tmp_path: Path, asked: str, said: str):
    for run_id in (FIRST, SECOND):
        begin(tmp_path, run_id).close()
    with pytest.raises(RunNotFoundError, match=re.escape(said)):
        history.find_run(asked, place_at(tmp_path))


def test_a_loaded_run_has_the_turns_of_its_complete_steps_and_the_cost_of_all(tmp_path: Path):
    folder = debate_folder(tmp_path)
    with begin(tmp_path, FIRST) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        writer.turn(turn(1), step=1, index=1, of=2)
        running = history.load_run(folder)
    spent, said = Spent(calls=2, tokens=2468, cost_usd=2e-07), Transcript(turns=(turn(0),))
    assert running == Run(header=header(), status=RunStatus.RUNNING, transcript=said, spent=spent)
    assert history.load_run(folder) == running.model_copy(update={"status": RunStatus.INTERRUPTED})
    writer, _ = JournalWriter.reopen(folder, key=KEY)
    with writer:
        writer.end(outcome())
        ended = history.load_run(folder)  # while its result is being filed
    assert (ended.status, ended.outcome) == (RunStatus.FINISHED, outcome())


def notices(folder: Path, head: RunHeader, *said: Turn) -> tuple[str, ...]:
    turns = [TurnBody(step=step, of=1, index=0, turn=each) for step, each in enumerate(said)]
    return history.load_run(keep(folder, chained(head, *turns))).notices


def test_a_seat_that_answers_with_another_model_than_in_the_run_before_is_named(tmp_path: Path) -> None:
    def by(model: str | None, taken_from: str | None = None) -> Turn:
        return turn(0).model_copy(update={"reply": answer(model=model), "taken_from": taken_from})

    first = "debate-20261121T110000Z-0a1b"
    taken = f"1 answer was reused from {first} at no cost."
    mixed = "[WARN] The proposer was opus-4 in that run, and is opus-5 in this one."
    for now, told in ((by("opus-5"), (taken, mixed)), (by("opus-4"), (taken,)), (by(None), (taken,))):
        assert notices(debate_folder(tmp_path), header(), by("opus-4", first), now) == told


def test_a_limit_that_missed_an_uncounted_answer_is_reported(tmp_path: Path) -> None:
    limited = header().model_copy(update={"limits": Limits(calls=9, tokens=1000, cost_usd=0.5)})
    untold = turn(0).model_copy(update={"reply": answer(usage=Usage())})

    folder = debate_folder(tmp_path)
    assert notices(folder, limited, untold, turn(1), untold) == (
        "[WARN] The limit of $0.5 does not count 2 answers without a price.",
        "[WARN] The limit of 1,000 tokens does not count 2 answers without token counts.",
    )
    assert notices(folder, limited, turn(1)) == ()


def test_the_last_run_is_one_that_has_begun(tmp_path: Path) -> None:
    with pytest.raises(RunNotFoundError, match=r"There is no run in .* yet\. Start one: sparring debate"):
        history.find_run("last", place_at(tmp_path))
    begin(tmp_path, FIRST).close()
    keep(debate_folder(tmp_path, SECOND), [b'{"v":1,"seq":0'])
    assert history.find_run("last", place_at(tmp_path)) == debate_folder(tmp_path, FIRST)


@pytest.mark.parametrize(("put_back_s", "begun_s"), [(3600, 1), (-9, 9)], ids=["the clock was put back", "it goes on"])
def test_a_run_begins_after_those_before_it(tmp_path: Path, put_back_s: int, begun_s: int) -> None:
    written(tmp_path, FIRST)
    now, begun = BEGUN_AT - timedelta(seconds=put_back_s), BEGUN_AT + timedelta(seconds=begun_s)
    assert next_moment(now, place_at(tmp_path)) == begun


@pytest.mark.parametrize("key", [KEY, OTHER_KEY], ids=["years ahead", "somebody else's"])
def test_a_run_of_a_wrong_day_and_one_of_others_does_not_set_the_clock(tmp_path: Path, key: StateKey) -> None:
    ahead = BEGUN_AT + (timedelta(days=9_000) if key is KEY else timedelta(hours=1))
    written(tmp_path, FIRST, ahead, key=key)
    assert next_moment(BEGUN_AT, place_at(tmp_path)) == BEGUN_AT


# Names of three runs in the order in which they were written, whatever their clocks said.
@pytest.mark.parametrize(
    "stamps",
    [
        ("20250102T030405Z", "20510102T030405Z", "20250102T030406Z"),
        ("19700101T000000Z", "20250102T030405Z", "19700101T000001Z"),
    ],
)
@pytest.mark.parametrize("is_noted", [True, False], ids=["noted", "by the time of its file"])
def test_the_last_run_is_the_one_that_was_written_last(
    tmp_path: Path, stamps: tuple[str, ...], *, is_noted: bool
) -> None:
    for number, stamp in enumerate(stamps):
        folder = written(tmp_path, f"debate-{stamp}-0a1b")
        os.utime(folder / "journal.jsonl", ns=(number, number))
    if not is_noted:
        (tmp_path / "debate" / ".last.json").unlink()
    assert history.find_run("last", place_at(tmp_path)).name == f"debate-{stamps[-1]}-0a1b"


def test_the_last_run_of_several_hosts_is_the_one_written_last(tmp_path: Path) -> None:
    states = (tmp_path / ".claude", tmp_path / ".codex", tmp_path / ".sparring")
    place = Place(tmp_path, states[0], states[1:], Provenance(KEY))
    for state, run_id in ((states[2], FIRST), (states[0], THIRD), (states[1], SECOND)):
        written(state, run_id, place=place)
        assert history.find_run("last", place).name == run_id


def foreign_run(state: Path, run_id: str = "debate-20990102T030405Z-0a1b", key: StateKey = OTHER_KEY) -> Path:
    """A run that came with the project, with all that a run of the user's own has."""
    folder = written(state, run_id, key=key)
    history.list_runs(place_at(state, key=key))
    return folder


@pytest.mark.parametrize("key", [OTHER_KEY, NO_KEY], ids=["signed with another key", "not signed"])
def test_a_run_that_came_with_the_project_is_listed_after_the_users_own_and_is_never_the_last_one(
    tmp_path: Path, key: StateKey
) -> None:
    foreign = foreign_run(tmp_path, key=key)
    with pytest.raises(RunNotFoundError, match=r"You have no runs in .* yet\. The run there came with the project"):
        history.find_run("last", place_at(tmp_path))
    written(tmp_path, FIRST)
    foreign_run(tmp_path, "consult-20990102T030405Z-0a1b", key=key)
    assert history.find_run("last", place_at(tmp_path)).name == FIRST
    listed = [(run.run_id, run.is_own) for run in history.list_runs(place_at(tmp_path))]
    assert listed == [(FIRST, True), (foreign.name, False), ("consult-20990102T030405Z-0a1b", False)]
    assert history.load_run(foreign, place_at(tmp_path)).notices[0] == history.CAME_WITH_PROJECT
    assert history.load_run(debate_folder(tmp_path), place_at(tmp_path)).notices == ()


def test_a_run_that_came_with_the_project_is_neither_resumed_nor_reused(tmp_path: Path) -> None:
    foreign = foreign_run(tmp_path)
    before = (foreign / "journal.jsonl").read_bytes()
    with pytest.raises(ForeignStateError, match=f"Run {foreign.name} came with the project"):
        JournalWriter.reopen(foreign, key=KEY)
    with pytest.raises(ForeignStateError, match="shown but not resumed"):
        history.refuse_foreign(foreign, place_at(tmp_path))
    assert (foreign / "journal.jsonl").read_bytes() == before
    assert history.retries_of(foreign, place_at(tmp_path)) == []
    assert history.unfiled_runs(foreign.parent, 5, KEY) == []


def test_an_index_that_came_with_the_project_is_ignored(tmp_path: Path) -> None:
    written(tmp_path, FIRST)
    before = history.list_runs(place_at(tmp_path))
    index = tmp_path / "debate" / "runs" / ".index.json"
    index.write_bytes(index.read_bytes().replace(b"Tabs or spaces?", b"Whatever it says"))
    assert history.list_runs(place_at(tmp_path)) == before
    lie = KEY.opened("index of runs", index.read_bytes()).content.replace(b"Tabs or spaces?", b"Whatever it says")
    index.write_bytes(OTHER_KEY.sealed("index of runs", lie))
    assert history.list_runs(place_at(tmp_path)) == before
