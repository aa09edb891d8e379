"""Power cuts after any one operation on the disk: the remaining data."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
from msgspec import Struct
from msgspec.structs import replace

from crash.scenes import SCENES, Scene, rehearsed, substance
from sparring.app.artifacts import LoggingJournal, keep_result, last_files
from sparring.disk import SYSTEM, Disk
from sparring.engine.runner import Deliberation, Progress, ThreadedJournal, deliberate
from sparring.errors import StateCorruptError
from sparring.formats.chaired_debate.flow import log_of
from sparring.formats.registry import FORMATS
from sparring.formats.views import RunView, report
from sparring.hosts.files import Change, apply_changes
from sparring.prompts import PromptLibrary
from sparring.schema.chaired_debate import ChairedDebateOutcome, LogEntry
from sparring.schema.consultation import Question, Reply
from sparring.schema.jury import JuryStatus
from sparring.schema.runs import RunHeader
from sparring.schema.setup import Scope
from sparring.schema.transcript import Turn
from sparring.store.debate_log import LOG_NAME, DebateLog
from sparring.store.history import run_folder
from sparring.store.journal import JournalWriter, ReadJournal, read_journal
from sparring.testing.crashes import LosingDisk, Loss
from support.chaired_playing import chaired_request, play_chaired
from support.debate_logs import draft, entry, nothing_refused
from support.journals import KEY, header, keep, lines_of, outcome, turn
from support.playing import NOON, NobodyBefore
from support.stored_runs import stored

LOG_TORN = f"{LOG_NAME}.torn"
_WRITES = ["write"] * 4


class Crash(Struct, frozen=True):
    """One way to lose everything but what was synced.

    Attributes:
        after: Operations before it.
        root: What is left.
    """

    after: int
    loss: Loss
    root: Path


class Power:
    """A disk in a folder of its own, and every crash that may happen to what is written to it."""

    def __init__(self, folder: Path, prepare: Callable[[Path], object] = lambda _: None) -> None:
        self.root = folder / "whole"
        self.root.mkdir(parents=True)
        prepare(self.root)
        self.disk = LosingDisk(self.root)
        self._folder = folder

    @property
    def now(self) -> int:
        """Number of operations so far; all that is safe now is safe after any crash from here on."""
        return len(self.disk.operations)

    def crashes(self, *losses: Loss) -> Iterator[Crash]:
        """Of many writes in a row the first and the last two are enough: those between leave as much, or a half."""
        moments = [after for after in range(self.now + 1) if self.disk.operations[max(after - 2, 0) :][:4] != _WRITES]
        for after, loss in itertools.product(moments, losses or Loss):
            root = self._folder / f"{after} {loss}"
            self.disk.crash(after, loss, root)
            yield Crash(after, loss, root)


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def test_a_crashed_run_has_every_turn_reported_as_stored_and_can_be_resumed(tmp_path: Path) -> None:
    power, name = Power(tmp_path), Path("debate", "runs", header().run_id)
    with JournalWriter.create(power.root / name, header(), disk=power.disk, key=KEY) as writer:
        safe = [power.now]
        for number, index in ((0, 0), (1, 1), (2, 0)):
            writer.turn(turn(number), step=min(number, 1), index=index, of=min(number, 1) + 1)
            safe.append(power.now)
        writer.end(outcome())
        safe.append(power.now)
    for crash in power.crashes():
        promised = sum(crash.after >= moment for moment in safe)
        try:
            found = read_journal(crash.root / name)
        except StateCorruptError:
            assert not promised, crash
            continue
        turns = {each.ask_id for each in (*found.transcript.turns, *found.pending)}
        assert turns >= {turn(number).ask_id for number in range(3) if number < promised - 1}, crash
        assert promised < len(safe) or found.outcome == outcome(), crash
        JournalWriter.reopen(crash.root / name, key=KEY)[0].close()
        again = read_journal(crash.root / name)
        assert (again.steps, again.pending, again.outcome) == (found.steps, found.pending, found.outcome)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(scene, marks=[pytest.mark.crash] * (name not in {"chaired-debate", "consult"}), id=name)
        for name, scene in SCENES.items()
        if scene.call
    ],
)
def test_a_whole_run_that_crashed_once_and_again_ends_as_if_it_never_had(scene: Scene, tmp_path: Path) -> None:
    (whole,) = rehearsed(scene, tmp_path / "rehearsed")
    power = Power(tmp_path / "played")
    safe = played(whole, power.root / "run", power.disk)
    # One of eleven is enough: all ways to lose come up, and two operations of three meet one.
    for number, crash in enumerate(itertools.islice(power.crashes(), 0, None, 11)):
        folder = crash.root / "run"
        kept = {call for call, moment in safe.items() if moment <= crash.after}
        try:
            read_journal(folder)
        except StateCorruptError:
            assert not kept, crash
            continue
        second = Power(crash.root / "second", lambda root, folder=folder: shutil.copytree(folder, root / "run"))
        again = played(whole, second.root / "run", second.disk)
        assert not again.keys() & kept, crash
        # One crash of those while it was taken up: over all of the first ones, every sort of them comes up.
        after, loss = number % (second.now + 1), tuple(Loss)[number % len(Loss)]
        second.disk.crash(after, loss, crash.root / "third")
        third = crash.root / "third" / "run"
        assert not played(whole, third).keys() & kept, (crash, after, loss)
        for ended in (second.root / "run", third):
            assert substance(read_journal(ended).outcome) == substance(whole.outcome), (crash, after, loss)
            assert turns_of(read_journal(ended)) == turns_of(whole), (crash, after, loss)
        shutil.rmtree(crash.root)


def played(whole: ReadJournal, folder: Path, disk: Disk = SYSTEM) -> dict[str, int]:
    """Hold the run in ``folder``, from its beginning or from where it is; who was asked, and when that was safe."""
    safe = dict[str, int]()

    class Told(JournalWriter):
        """A journal that says when a turn is safe."""

        def turn(self, turn: Turn, *, step: int, index: int, of: int) -> None:
            super().turn(turn, step=step, index=index, of=of)
            safe[turn.ask_id] = len(disk.operations) if isinstance(disk, LosingDisk) else 0

    if folder.is_dir():
        writer, kept = Told.reopen(folder, key=KEY, disk=disk)
        progress = Progress(kept.steps, kept.pending, kept.unanswered)
        if kept.outcome:
            writer.close()
            return safe
    else:
        writer, progress = Told.create(folder, whole.header, key=KEY, disk=disk), Progress()
    said = {turn.ask_id: turn.reply for turn in whole.transcript.turns}
    with writer:
        run = Deliberation(
            run_id=whole.header.run_id,
            format=FORMATS[whole.header.request.kind].rules(whole.header.request, PromptLibrary()),
            consultant=lambda ask: Repeating(said[ask.id]),
            journal=ThreadedJournal(writer),
            limits=whole.header.limits,
            observe=None,
            calls=NobodyBefore(),
        )
        anyio.run(deliberate, run, progress)
    return safe


class Repeating(Struct, frozen=True):
    """Somebody who says what was said before."""

    reply: Reply

    async def ask(self, question: Question) -> Reply:
        del question
        return self.reply


def turns_of(journal: ReadJournal) -> list[tuple[str, Reply]]:
    return [(turn.ask_id, turn.reply) for turn in journal.transcript.turns]


def test_a_torn_line_is_never_lost_and_a_crash_while_resuming_is_harmless(tmp_path: Path) -> None:
    torn = lines_of((turn(0), turn(1)))[2][:60]
    power = Power(tmp_path, lambda root: keep(root / "run", [*lines_of((turn(0),)), torn]))
    JournalWriter.reopen(power.root / "run", disk=power.disk, key=KEY)[0].close()
    assert content(power.root / "run" / "journal.torn") == torn
    for crash in power.crashes():
        journal, aside = (content(crash.root / "run" / name) or b"" for name in ("journal.jsonl", "journal.torn"))
        assert torn in journal or torn in aside, crash
        JournalWriter.reopen(crash.root / "run", key=KEY)[0].close()
        assert read_journal(crash.root / "run").steps == ((turn(0),),)


@pytest.mark.slow
def test_a_kept_result_is_wholly_old_or_wholly_new_and_new_once_reported(tmp_path: Path) -> None:
    earlier, later = stored("jury", status=JuryStatus.UNJUDGED), stored("jury")
    ((last_file, record_type),) = last_files(Path(), later.header.kind)

    folder = run_folder(Path(), later.header.kind, later.header.run_id)
    beside = folder.with_name("jury-20250101T000000Z-0a1b")
    power = Power(tmp_path, lambda root: keep_result(RunView(earlier), root / beside, root))
    assert keep_result(RunView(later), power.root / folder, power.root, power.disk) == ()
    for crash in power.crashes():
        kept = record_type.model_validate_json((crash.root / last_file).read_bytes())
        files = [content(crash.root / folder / name) for name in ("result.json", "report.md")]
        if crash.after == power.now:
            assert kept == RunView(later).last(), crash
            assert None not in files, crash
        assert kept in (RunView(earlier).last(), RunView(later).last()), crash
        written = RunView(later).result()
        assert files[0] is None or type(written).model_validate_json(files[0]) == written, crash
        assert files[1] == report(later).encode() or files == [None, None], crash


def test_written_log_entries_survive_a_crash_and_torn_ones_are_set_aside(tmp_path: Path) -> None:
    torn = b'{"seq":2,"timest'
    power = Power(tmp_path, lambda root: (DebateLog(root / LOG_NAME).sync([entry(1)]), append(root / LOG_NAME, torn)))
    written = DebateLog(power.root / LOG_NAME, disk=power.disk).append(draft("Next [1]."), nothing_refused)
    assert isinstance(written, LogEntry)
    for crash in power.crashes():
        found = DebateLog(crash.root / LOG_NAME).read()
        assert found.entries in ((entry(1),), (entry(1), written)), crash
        assert crash.after < power.now or written in found.entries, crash
        assert found.torn == torn or torn in (content(crash.root / LOG_TORN) or b""), crash


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(content)


def test_the_log_of_a_debate_never_has_more_entries_than_its_journal(tmp_path: Path) -> None:
    request = chaired_request()
    played = play_chaired(request=request)
    begun = RunHeader(
        run_id="chaired-debate-20261121T120000Z-0a1b", request=request, created_at=NOON, sparring_version="1"
    )
    power = Power(tmp_path)
    with JournalWriter.create(power.root / "run", begun, disk=power.disk, key=KEY) as journal:
        recording = LoggingJournal(
            journal, request, Progress(), folder=power.root / "run", project=power.root, disk=power.disk
        )
        turns = iter(played.transcript.turns)
        for number, asks in enumerate(played.steps):
            for index, said in enumerate(itertools.islice(turns, len(asks))):
                recording.turn(said, step=number, of=len(asks), index=index)
        recording.end(played.outcome)
    assert recording.notices == ()
    for crash in power.crashes(Loss.NOTHING):
        log = DebateLog(crash.root / "run" / LOG_NAME).read().entries
        if log:
            found = read_journal(crash.root / "run")
            said = log_of(request, found.transcript)
            assert isinstance(played.outcome, ChairedDebateOutcome)
            assert log in (played.outcome.log, said[: len(log)]), crash


def test_a_file_of_a_host_is_wholly_old_or_new_and_the_old_one_is_saved_first(tmp_path: Path) -> None:
    change = Change(path=Path("host", "settings.json"), before=b"old", after=b"new")
    new = Change(path=Path("host", "skills", "SKILL.md"), before=None, after=b"skill")

    def settings(root: Path) -> None:
        (root / "host").mkdir()
        (root / change.path).write_bytes(b"old")

    power = Power(tmp_path, settings)
    apply_changes([replace(each, path=power.root / each.path) for each in (change, new)], Scope.USER, power.disk)
    for crash in power.crashes():
        there, skill = content(crash.root / change.path), content(crash.root / new.path)
        backup = content(crash.root / "host" / "settings.json.before-sparring")
        assert there == b"old" or (there, backup) == (b"new", b"old"), crash
        assert skill in (None, b"skill"), crash
        assert crash.after < power.now or (there, skill) == (b"new", b"skill"), crash
