"""Whole runs in memory: the real format, the real runner, and the consultant without a model in every seat."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from sparring.consult.offline import OfflineConsultant
from sparring.formats import Format
from sparring.prompts import PromptLibrary
from sparring.runner import Deliberation, deliberate
from sparring.schema.limits import Limits
from sparring.schema.participants import RULE_BASED_TOOL, Participant
from sparring.schema.runs import Outcome
from sparring.schema.transcript import Turn

SEAT = Participant(tool=RULE_BASED_TOOL)


class NoJournal:
    """Keeps nothing."""

    def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``Journal.turn``."""

    def end(self, outcome: Outcome) -> None:
        """See ``Journal.end``."""


class Bench:
    """Runs one deliberation after the other."""

    def __init__(self, consultant: OfflineConsultant, prompts: PromptLibrary) -> None:
        self.prompts = prompts
        self._consultant = consultant

    async def outcome(self, rules: Format) -> Outcome:
        """How a deliberation by ``rules`` ends."""
        run = Deliberation(
            run_id="bench-20260301T120000Z-c0de",
            format=rules,
            consultant=lambda _: self._consultant,
            journal=NoJournal(),
            limits=Limits(),
            observe=lambda _: None,
        )
        return await deliberate(run)


@asynccontextmanager
async def bench() -> AsyncGenerator[Bench]:
    """A bench in an empty project."""
    prompts = PromptLibrary()
    with tempfile.TemporaryDirectory() as project:
        yield Bench(OfflineConsultant(Path(project), prompts), prompts)
