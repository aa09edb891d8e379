"""Drive one format to its end: put the asks, write the turns down, hold the limits.

The runner knows no rules of deliberation and no transport. It asks concurrently, writes each turn to the journal as
soon as it is there, and shows the format a step's turns in asking order, so that a transcript does not depend on
timing. A cancelled run leaves its journal without an end: that is what makes it resumable.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import anyio
import anyio.to_thread

from sparring.engine.course import Asks
from sparring.engine.decision import decide
from sparring.engine.format import Rules
from sparring.errors import DeliberationError
from sparring.providers import Consultant
from sparring.schema.base import Role, utc_now
from sparring.schema.consultation import Failure, FailureCode, Reply
from sparring.schema.runs import AskStarted, Limits, Outcome, RunEvent, Spent, TurnTaken, spent
from sparring.schema.transcript import Ask, Transcript, Turn


class Journal(Protocol):
    """Where turns are written down; both methods return when what they were given is safe."""

    def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """Write a turn: ask number ``index`` of the ``of`` asks of step number ``step`` (both from 0)."""
        ...

    def end(self, outcome: Outcome) -> None:
        """Write that the run has ended."""
        ...


@dataclass(frozen=True)
class Progress:
    """How far a run has come: complete steps, and turns of a step that was broken off."""

    steps: tuple[tuple[Turn, ...], ...] = ()
    pending: tuple[Turn, ...] = ()

    @property
    def transcript(self) -> Transcript:
        """The turns of the complete steps."""
        return Transcript.of_steps(self.steps)


@dataclass(frozen=True)
class Deliberation:
    """All that one run needs."""

    run_id: str
    format: Rules
    consultant: Callable[[Ask], Consultant]
    journal: Journal
    limits: Limits
    observe: Callable[[RunEvent], None]


async def deliberate(run: Deliberation, progress: Progress | None = None) -> Outcome:
    """Run ``run.format`` from ``progress`` (default: from the start) to its outcome.

    When the wall time is over, the consultations under way are ended and every further ask fails with ``budget``:
    the format then decides what that means. Wall time is counted from this call; the other limits count what the
    journal already holds.

    Raises:
        DeliberationError: ``progress`` holds turns that these rules never asked for, or they take too long.
        StoreError: The journal cannot be written. The turns before are safe.
        HostSilentError: The calling agent was asked and is not heard of any more; the run can be resumed.
    """
    progress = progress or Progress()
    deadline = anyio.current_time() + run.limits.wall_s if run.limits.wall_s else None
    step = _Step(run, deadline=deadline)
    transcript, number, pending = progress.transcript, len(progress.steps), progress.pending
    while isinstance(decision := await decide(run.format, transcript, deadline), tuple):
        turns = await step.put(decision, number, transcript, pending)
        transcript, number, pending = transcript.extended(turns), number + 1, ()
    await anyio.to_thread.run_sync(run.journal.end, decision)
    return decision


class _Step:
    """Puts the asks of one step at a time."""

    def __init__(self, run: Deliberation, *, deadline: float | None) -> None:
        self._run = run
        self._deadline = deadline
        self._writing = anyio.Lock()

    async def put(self, asks: Asks, number: int, transcript: Transcript, pending: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """The turns for ``asks``, in their order; those in ``pending`` are not asked again."""
        turns = {turn.ask_id: turn for turn in pending}
        if unknown := turns.keys() - {ask.id for ask in asks}:
            raise DeliberationError(
                f"Run {self._run.run_id} holds turns that its rules do not ask for: {', '.join(sorted(unknown))}.",
                hint="Another version of sparring began it; start the deliberation anew.",
            )
        used = spent((*transcript.turns, *pending))

        async def take(index: int, ask: Ask, refusal: str) -> None:
            turns[ask.id] = turn = await self._turn(ask, refusal)
            # A turn that was paid for is written even when the run is cancelled at this very moment.
            with anyio.CancelScope(shield=True):
                async with self._writing:
                    await anyio.to_thread.run_sync(lambda: self._write(turn, step=number, of=len(asks), index=index))
            self._run.observe(_taken(self._run.run_id, turn))

        try:
            async with anyio.create_task_group() as group:
                put = 0
                for index, ask in enumerate(asks):
                    if ask.id not in turns:
                        group.start_soon(take, index, ask, _refusal(ask, used, put, self._run.limits))
                        put += 1
        except ExceptionGroup as failed:
            # Consultants raise nothing: this is the journal, or an agent that has gone away. The first ends the step.
            raise failed.exceptions[0] from failed
        return tuple(turns[ask.id] for ask in asks)

    def _write(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        self._run.journal.turn(turn, step=step, of=of, index=index)

    async def _turn(self, ask: Ask, refusal: str) -> Turn:
        if refusal:
            reply: Reply = Failure(tool=ask.tool, code=FailureCode.BUDGET, detail=refusal)
        else:
            self._run.observe(_started(self._run.run_id, ask))
            reply = await self._reply(ask)
        return Turn(
            **ask.place,
            ask_id=ask.id,
            prompt_sha256=hashlib.sha256(ask.question.prompt.encode()).hexdigest(),
            at=utc_now(),
            reply=reply,
        )

    async def _reply(self, ask: Ask) -> Reply:
        began = anyio.current_time()
        with anyio.CancelScope(deadline=math.inf if self._deadline is None else self._deadline):
            return await self._run.consultant(ask).ask(ask.question)
        elapsed_ms = round((anyio.current_time() - began) * 1000)
        detail = f"the run's wall time of {self._run.limits.wall_s:g} s is over"
        return Failure(tool=ask.tool, code=FailureCode.BUDGET, detail=detail, duration_ms=elapsed_ms)


def _refusal(ask: Ask, used: Spent, put: int, limits: Limits) -> str:
    """Why ``ask`` may not be put, or nothing; ``put`` asks of the same step are under way already."""
    if ask.role is Role.VERIFIER:
        return ""  # code costs nothing
    if limits.calls is not None and used.calls + put >= limits.calls:
        calls = "1 call" if limits.calls == 1 else f"{limits.calls} calls"
        return f"the run's limit of {calls} is used up"
    if limits.tokens is not None and used.tokens >= limits.tokens:
        return f"the run's limit of {limits.tokens} tokens is used up ({used.tokens} so far)"
    if limits.cost_usd is not None and used.cost_usd >= limits.cost_usd:
        return f"the run's limit of ${limits.cost_usd:g} is used up (${used.cost_usd:.4f} so far)"
    return ""


def _started(run_id: str, ask: Ask) -> AskStarted:
    return AskStarted(**ask.place, run_id=run_id, ask_id=ask.id, at=utc_now())


def _taken(run_id: str, turn: Turn) -> TurnTaken:
    return TurnTaken.model_construct(**dict(turn), run_id=run_id)
