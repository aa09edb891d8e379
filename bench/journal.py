"""How long it takes to load a long journal and to find out what comes next."""

import tempfile
import time
from pathlib import Path

from sparring.formats import Asks
from sparring.schema.base import Role, utc_now
from sparring.schema.consult import Consulted, ConsultOutcome, ConsultRequest, ConsultStatus
from sparring.schema.consultation import Answer, Brief, Question
from sparring.schema.runs import Outcome, RunHeader
from sparring.schema.transcript import Ask, Transcript, Turn, TurnKind
from sparring.store.journal import JournalWriter, read_journal

TURNS = 10_000


class LongTalk:
    """A format of ``TURNS`` turns, one after the other."""

    def next(self, transcript: Transcript) -> Asks | Outcome:
        """The next of them."""
        said = len(transcript.turns)
        if said == TURNS:
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


def main() -> None:
    """Print the seconds for ``TURNS`` turns (aim: under 2), beside those for a tenth of them."""
    with tempfile.TemporaryDirectory() as name:
        tenth_s = _load_and_replay(Path(name) / "tenth", TURNS // 10)
        whole_s = _load_and_replay(Path(name) / "whole", TURNS)
    print(f"{TURNS} turns load and replay in {whole_s:.2f} s  (aim < 2); {whole_s / tenth_s:.1f} x a tenth of them")


def _load_and_replay(folder: Path, turns: int) -> float:
    _write(folder, turns)
    began = time.perf_counter()
    kept = read_journal(folder)
    transcript = Transcript()
    for step in kept.steps:
        decision = LongTalk().next(transcript)
        if not isinstance(decision, tuple) or [ask.id for ask in decision] != [turn.ask_id for turn in step]:
            raise AssertionError(f"the replay parted from the journal after {len(transcript.turns)} turns")
        transcript = transcript.extended(step)
    return time.perf_counter() - began


def _write(folder: Path, turns: int) -> None:
    request = ConsultRequest(question="Go on.", asked=(Consulted(tool="left"),))
    header = RunHeader(
        run_id="consult-20260101T000000Z-0000", request=request, created_at=utc_now(), sparring_version="bench"
    )
    with JournalWriter.create(folder, header) as journal:
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


if __name__ == "__main__":
    main()
