"""Whole runs in memory: the real format, the real runner, and the consultant without a model in every seat."""

import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.figures import Figure, Scale, cpu_s
from sparring.checks.claims import check_claim
from sparring.engine.format import Rules
from sparring.engine.runner import Deliberation, deliberate
from sparring.lookup.offline import OfflineConsultant
from sparring.prompts import PromptLibrary
from sparring.schema.base import RULE_BASED_TOOL, Participant
from sparring.schema.runs import Limits, Outcome
from sparring.schema.transcript import PendingAsk, Turn
from support.playing import NobodyBefore

SEAT = Participant(tool=RULE_BASED_TOOL)
CLAIM = "It retries a failed request 3 times."
SENTENCE = "A failed request is sent again after a pause, at most 4 times, unless the caller has gone. "


class NoJournal:
    """Keeps nothing."""

    async def asked(self, asks: Sequence[PendingAsk], *, step: int, of: int) -> None:
        """See ``Journal.asked``."""

    async def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``Journal.turn``."""

    async def end(self, outcome: Outcome) -> None:
        """See ``Journal.end``."""


class Bench:
    """Runs one deliberation after the other."""

    def __init__(self, consultant: OfflineConsultant, prompts: PromptLibrary) -> None:
        self.prompts = prompts
        self._consultant = consultant

    async def outcome(self, rules: Rules) -> Outcome:
        """Return the outcome of a deliberation by ``rules``."""
        run = Deliberation(
            run_id="bench-20260301T120000Z-c0de",
            format=rules,
            consultant=lambda _: self._consultant,
            journal=NoJournal(),
            limits=Limits(),
            observe=None,
            calls=NobodyBefore(),
        )
        return await deliberate(run)


@contextmanager
def bench() -> Generator[Bench]:
    """A bench in an empty project."""
    prompts = PromptLibrary()
    with tempfile.TemporaryDirectory() as project:
        yield Bench(OfflineConsultant(Path(project), prompts, tool="offline", environment={}), prompts)


def beside_code(what: str, scale: Scale, work: Callable[[str, str], object]) -> Figure:
    """The CPU of ``work`` on a claim and 10 KB of evidence over that of one look at them by code."""
    evidence = SENTENCE * (scale.of(10_000, smoke=1000) // len(SENTENCE))
    alone_s = cpu_s(lambda: check_claim(CLAIM, [evidence]), times=3)
    work_s = cpu_s(lambda: work(CLAIM, evidence), times=3)
    return Figure(
        f"CPU of {what} / of one check by code",
        work_s / alone_s,
        f"{1000 * work_s:.0f} ms, {1000 * alone_s:.1f} ms for {len(evidence):,} characters of evidence",
    )
