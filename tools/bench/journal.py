"""Time to load a long journal and to find the next asks."""

import tempfile
from pathlib import Path

from bench.figures import Figure, Figures, Scale, cpu_s
from sparring.engine.course import Asks
from sparring.schema.base import Role, utc_now
from sparring.schema.consult import ConsultedTool, ConsultOutcome, ConsultRequest, ConsultStatus
from sparring.schema.consultation import Answer, Brief, Question
from sparring.schema.runs import Outcome, RunHeader
from sparring.schema.transcript import Ask, Transcript, Turn, TurnKind
from sparring.store.journal import JournalWriter, read_journal
from sparring.store.provenance import StateKey


class LongTalk:
    """A format of so many turns, one after the other."""

    def __init__(self, turns: int) -> None:
        self._turns = turns

    def next(self, transcript: Transcript) -> Asks | Outcome:
        """The next of them."""
        said = len(transcript.turns)
        if said == self._turns:
            return ConsultOutcome(status=ConsultStatus.COMPLETED, reply=transcript.turns[-1].reply)
        brief = Brief(step="bench", topic="t", role=Role.CONSULTANT, round=said + 1)
        question = Question(prompt="Go on.", brief=brief, timeout_s=1)
        return (
            Ask(
                id=f"a{said}",
                kind=TurnKind.ANSWER,
                role=Role.CONSULTANT,
                round=said + 1,
                tool="left",
                question=question,
            ),
        )


def run(scale: Scale) -> Figures:
    """CPU for a turn of a long journal over that of one with a tenth of its turns."""
    turns = scale.of(10_000, smoke=100)
    with tempfile.TemporaryDirectory() as name:
        tenth_s, whole_s = (_load_and_replay_s(Path(name) / str(count), count) for count in (turns // 10, turns))
    yield Figure(
        f"CPU for a turn of {turns:,} / of {turns // 10:,}",
        whole_s / tenth_s / 10,
        f"{whole_s:.2f} s, {tenth_s:.2f} s to load and replay all  (aim < 2 s)",
    )


def _load_and_replay_s(folder: Path, turns: int) -> float:
    _write(folder, turns)
    return cpu_s(lambda: _load_and_replay(folder, turns))


def _load_and_replay(folder: Path, turns: int) -> None:
    rules, transcript = LongTalk(turns), Transcript()
    for step in read_journal(folder).steps:
        decision = rules.next(transcript)
        if not isinstance(decision, tuple) or [ask.id for ask in decision] != [turn.ask_id for turn in step]:
            raise AssertionError(f"the replay parted from the journal after {len(transcript.turns)} turns")
        transcript = transcript.extended(step)


def _write(folder: Path, turns: int) -> None:
    request = ConsultRequest(question="Go on.", asked=(ConsultedTool(tool="left"),))
    header = RunHeader(
        run_id="consult-20260101T000000Z-0000", request=request, created_at=utc_now(), sparring_version="bench"
    )
    key = StateKey(None, given="a key of the bench, and of nobody else")
    with JournalWriter.create(folder, header, key=key) as journal:
        for number in range(turns):
            turn = Turn(
                ask_id=f"a{number}",
                kind=TurnKind.ANSWER,
                role=Role.CONSULTANT,
                round=number + 1,
                tool="left",
                prompt_sha256="0" * 64,
                at=utc_now(),
                reply=Answer(tool="left", response="A thousand characters. " * 43, duration_ms=1),
            )
            journal.turn(turn, step=number, of=1, index=0)
