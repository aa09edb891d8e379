"""Drive one format to its end: send the asks, record the turns, keep the limits.

The runner knows no rules of deliberation and no transport. It records each ask before it is sent, asks concurrently,
writes each turn to the journal as soon as it arrives, and shows the format a step's turns in asking order, so that a
transcript does not depend on timing. A cancelled run leaves its journal without an end: that is what makes it
resumable. An ask without a turn is taken up where its answer has arrived, or still arrives; else it is sent again.

Rules read foreign text, so they run where they can be ended. For short
texts that is a thread, which all runs of an event loop share: nearly all steps of rules take less time than the
transfer to another process, and a table has thousands of rows. Rules never run in the loop's own thread: there are
texts of 4 KB over which they can take ten seconds (numbers, all of which are compared with all others), and then
neither the run's own deadline nor any other run's would be kept.
"""

import math
import secrets
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol, Self

import anyio
import anyio.to_thread
from msgspec import Struct, field

from sparring.engine.course import Asks
from sparring.engine.format import Rules
from sparring.engine.preparing import Reservations, note_turn
from sparring.errors import DeliberationError, ExhaustedError, WorkerEndedError, raising_exhausted, raising_first
from sparring.processes.workers import PLENTY, SHORT, SharedThread, run_in_worker
from sparring.providers import Consultant
from sparring.schema.base import Role, utc_now
from sparring.schema.consultation import Failure, FailureCode, Reply
from sparring.schema.runs import AskStarted, Limits, Outcome, RunEvent, TurnCompleted, lost_seats
from sparring.schema.transcript import Ask, Note, PendingAsk, Placed, Transcript, Turn


class Journal(Protocol):
    """Journal of a run.

    All methods return when their arguments are durable.

    One may be called while another is still at work; arguments are written in the order of the calls. The way to
    durability is the journal's own affair: it may wait for others, and write several lines together.
    """

    async def asked(self, asks: Sequence[PendingAsk], *, step: int, of: int) -> None:
        """Write that ``asks`` of the ``of`` asks of step number ``step`` (from 0) are about to be sent."""
        ...

    async def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """Write a turn: ask number ``index`` of the ``of`` asks of step number ``step`` (both from 0)."""
        ...

    async def end(self, outcome: Outcome) -> None:
        """Write that the run has ended."""
        ...


class BlockingJournal(Protocol):
    """The same, blocking its caller as a disk does; called for one line after the other."""

    def asked(self, asks: Sequence[PendingAsk], *, step: int, of: int) -> None:
        """See ``Journal``."""
        ...

    def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``Journal``."""
        ...

    def end(self, outcome: Outcome) -> None:
        """See ``Journal``."""
        ...


class ThreadedJournal:
    """Writes to a blocking journal in another thread, so that the event loop continues; see ``Journal``."""

    def __init__(self, journal: BlockingJournal) -> None:
        self._journal = journal
        self._writing = anyio.Lock()

    async def asked(self, asks: Sequence[PendingAsk], *, step: int, of: int) -> None:
        """See ``Journal``."""
        await self._write(partial(self._journal.asked, asks, step=step, of=of))

    async def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``Journal``."""
        await self._write(partial(self._journal.turn, turn, step=step, of=of, index=index))

    async def end(self, outcome: Outcome) -> None:
        """See ``Journal``."""
        await self._write(partial(self._journal.end, outcome))

    async def _write(self, line: Callable[[], None]) -> None:
        async with self._writing:  # in the order of arrival
            await anyio.to_thread.run_sync(line)


class EarlierRun(Struct, frozen=True):
    """The answers of the run of that id, by the asks that they answer.

    Attributes:
        reused: First attempts that are certainly taken over: a failed ask changes the prompts after its step.
    """

    run_id: str = ""
    answered: Mapping[str, Turn] = field(default_factory=dict[str, Turn])
    reused: int = 0

    @classmethod
    def of(cls, run_id: str, steps: Iterable[Sequence[Turn]]) -> Self:
        """Return the answers in ``steps``; a failed ask is sent again."""
        answered: dict[str, Turn] = {}
        reused = 0
        has_failed = False  # a seat in an earlier step, so that the prompts after it differ
        for step in steps:
            answers = [turn for turn in step if turn.answer]
            answered |= {turn.ask_id: turn for turn in answers}
            if not has_failed:
                reused += sum(turn.attempt == 1 and turn.role is not Role.VERIFIER for turn in answers)
            has_failed = has_failed or bool(lost_seats(step))
        return cls(run_id, answered, reused)

    def turn(self, ask: Ask, transcript: Transcript) -> Turn | None:
        """Return the turn that answers ``ask`` after ``transcript``; None where that was not asked, or not answered."""
        earlier = self.answered.get(ask.id)
        if earlier is None or earlier.prompt_sha256 != ask.prompt_sha256:
            return None
        if ask.role is Role.VERIFIER and not all(turn.taken_from for turn in transcript.turns):
            return None  # the result of code is not in its prompt, and costs nothing
        return earlier.model_copy(update={"taken_from": earlier.taken_from or self.run_id})


NOTHING_EARLIER = EarlierRun()


class Progress(Struct, frozen=True):
    """Progress of a run.

    Attributes:
        steps: The complete steps.
        pending: Turns of an interrupted step.
        unanswered: Call names of asks of that step without a turn, by the ids of those asks.
    """

    steps: tuple[tuple[Turn, ...], ...] = ()
    pending: tuple[Turn, ...] = ()
    unanswered: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def transcript(self) -> Transcript:
        """The turns of the complete steps."""
        return Transcript.of_steps(self.steps)


class ProviderCalls(Protocol):
    """Calls to providers: their costs, and answers to questions that an earlier process asked."""

    def costs(self, ask: Ask) -> bool:
        """Return whether ``ask`` may be paid for."""
        ...

    async def recover(self, ask: Ask, call: str) -> Reply | None:
        """Return the reply to ``ask`` under that call name; None if it is unknown and the ask must be sent again."""
        ...

    def settle(self, call: str) -> None:
        """The reply is in the journal."""
        ...


class Deliberation(Struct, frozen=True):
    """All inputs of one run.

    Attributes:
        observe: Called for every event; None where there are no viewers, as with the rows of a table.
        earlier: A run whose answers are reused for the same asks.
        prepare: Adds to the asks of a step what no rule decides: the stand-ins, and the notes that were
            used before. It receives the transcript before the step.
        notes: The user's notes to the participants so far.
    """

    run_id: str
    format: Rules
    consultant: Callable[[Ask], Consultant]
    journal: Journal
    limits: Limits
    observe: Callable[[RunEvent], None] | None
    calls: ProviderCalls
    earlier: EarlierRun = NOTHING_EARLIER
    prepare: Callable[[Asks, Transcript], Asks] = lambda asks, _: asks
    notes: Callable[[], Sequence[Note]] | None = None


async def deliberate(run: Deliberation, progress: Progress | None = None) -> Outcome:
    """Run ``run.format`` from ``progress`` (default: from the start) to its outcome.

    When the wall time is over, the consultations under way are ended and every further ask fails with ``budget``:
    the format then decides about the consequences. Wall time is counted from this call; the other limits include
    everything in the journal.

    Raises:
        DeliberationError: ``progress`` has turns that these rules never asked for, or they take too long.
        StoreError: The journal cannot be written. The turns before are safe.
        ExhaustedError: This machine lacks resources to ask; the run can be resumed.
        HostSilentError: The calling agent was asked and has disconnected; the run can be resumed.
    """
    transcript, number, left = Transcript(), 0, Progress()
    if progress:
        transcript, number, left = progress.transcript, len(progress.steps), progress
    deadline = anyio.current_time() + run.limits.wall_s if run.limits.wall_s else None
    while True:
        decision = await decide(run.format, transcript, deadline)
        if isinstance(decision, Outcome):
            break
        # A step that an earlier process began has its notes already: new ones wait for the next step.
        has_begun = bool(left.pending or left.unanswered)
        if run.notes and not has_begun:
            for turn in await _new_notes(run.notes, transcript):
                await run.journal.turn(turn, step=number, of=1, index=0)
                transcript, number = transcript.extended((turn,)), number + 1
        asks = run.prepare(decision, transcript)
        turns = await _Step(run, asks, number, transcript, left, deadline).send()
        transcript, number, left = transcript.extended(turns), number + 1, Progress()
    await run.journal.end(decision)
    return decision


async def _new_notes(notes: Callable[[], Sequence[Note]], transcript: Transcript) -> list[Turn]:
    known = {turn.ask_id for turn in transcript.turns}
    written = await anyio.to_thread.run_sync(notes)
    return [note_turn(note) for note in written if note.id not in known]


_NAME_BYTES = 16
"""Bytes of the name of a call."""


class _Step:
    """One step: sends its asks concurrently, and writes each turn as soon as it arrives.

    Attributes:
        left: What an interrupted process has left of this step.
    """

    def __init__(
        self,
        run: Deliberation,
        asks: Asks,
        number: int,
        transcript: Transcript,
        left: Progress,
        deadline: float | None,
    ) -> None:
        self._run = run
        self._asks = asks
        self._number = number
        self._left = left
        self._deadline = math.inf if deadline is None else deadline
        self._samples = _samples(asks, transcript)
        self._turns = {turn.ask_id: turn for turn in left.pending}
        self._calls = dict(left.unanswered)  # names of calls, by the ids of their asks
        self._reused: dict[str, Turn] = {}
        self._refusals: dict[str, str] = {}  # why an ask must not be sent, empty where it may
        reserving = Reservations(run.limits, (*transcript.turns, *left.pending))
        for ask in asks:
            if ask.id in self._turns:
                continue
            if turn := run.earlier.turn(ask, transcript):
                self._reused[ask.id] = turn
            else:
                self._refusals[ask.id] = reserving.refusal(ask)

    async def send(self) -> tuple[Turn, ...]:
        """Return the turns for all asks, in their order. Turns that are left of the step are not asked again."""
        self._refuse_unexpected_turns()
        due = [(index, ask) for index, ask in enumerate(self._asks) if ask.id not in self._turns]
        new = [(index, ask) for index, ask in due if ask.id not in self._calls and self._refusals.get(ask.id) == ""]
        exhausted: list[ExhaustedError] = []

        async def take(index: int, ask: Ask) -> None:
            try:
                await self._take(index, ask)
            except ExhaustedError as error:
                exhausted.append(error)  # the other asks, which are paid for, are completed

        await self._announce(new)
        await _all_of([partial(take, index, ask) for index, ask in due])
        if exhausted:
            raise exhausted[0]
        return tuple(self._turns[ask.id] for ask in self._asks)

    def _refuse_unexpected_turns(self) -> None:
        unexpected = self._turns.keys() - {ask.id for ask in self._asks}
        if unexpected:
            raise DeliberationError(
                f"Run {self._run.run_id} contains turns that its rules do not expect: {', '.join(sorted(unexpected))}.",
                hint="It was started by another version of sparring; start a new run.",
            )

    async def _announce(self, asks: Sequence[tuple[int, Ask]]) -> None:
        """Write that ``asks``, with their numbers in the step, are about to be sent, under new names of calls."""
        if not asks:
            return
        pending = [
            PendingAsk(
                index=index,
                ask_id=ask.id,
                call=secrets.token_hex(_NAME_BYTES),
                costs=self._run.calls.costs(ask),
                place=Placed.model_construct(**ask.place),
            )
            for index, ask in asks
        ]
        await self._run.journal.asked(pending, step=self._number, of=len(self._asks))
        self._calls.update({each.ask_id: each.call for each in pending})

    async def _take(self, index: int, ask: Ask) -> None:
        """Get the turn of ``ask``, write it and show it."""
        turn = self._reused.get(ask.id) or _turn(ask, await self._reply(index, ask))
        self._turns[ask.id] = turn
        # A turn that was paid for is written even when the run is cancelled at this very moment.
        with anyio.CancelScope(shield=True):
            await self._run.journal.turn(turn, step=self._number, of=len(self._asks), index=index)
            self._run.calls.settle(self._calls.get(ask.id, ""))
        if self._run.observe:
            self._run.observe(TurnCompleted.model_construct(**dict(turn), run_id=self._run.run_id))

    async def _reply(self, index: int, ask: Ask) -> Reply:
        refusal = self._refusals[ask.id]
        if ask.id in self._left.unanswered:
            # An earlier process has sent it. It is paid for, so its answer is fetched before anything is refused.
            reply = await self._recover(ask, self._calls[ask.id])
            if reply:
                return reply
            if not refusal:
                await self._announce([(index, ask)])
        if refusal:
            return Failure(tool=ask.tool, code=FailureCode.BUDGET, detail=refusal)
        return await self._consult(ask)

    async def _recover(self, ask: Ask, call: str) -> Reply | None:
        with anyio.CancelScope(deadline=self._deadline):
            return await self._run.calls.recover(ask, call)
        return self._too_late(ask, anyio.current_time())

    async def _consult(self, ask: Ask) -> Reply:
        question = ask.question.model_copy(
            update={"call": self._calls.get(ask.id, ""), "sample": self._samples[ask.id]}
        )
        if self._run.observe:
            self._run.observe(AskStarted(**ask.place, run_id=self._run.run_id, ask_id=ask.id, at=utc_now()))
        began = anyio.current_time()
        with anyio.CancelScope(deadline=self._deadline), raising_exhausted():
            return await self._run.consultant(ask).ask(question)
        return self._too_late(ask, began)

    def _too_late(self, ask: Ask, began: float) -> Failure:
        elapsed_ms = round((anyio.current_time() - began) * 1000)
        detail = f"the run's wall time of {self._run.limits.wall_s:g} s is over"
        return Failure(tool=ask.tool, code=FailureCode.BUDGET, detail=detail, duration_ms=elapsed_ms)


def _samples(asks: Asks, transcript: Transcript) -> dict[str, int]:
    """Return for each ask its number among asks of the same tool with the same words: each needs its own answer."""
    counted = Counter((turn.tool, turn.prompt_sha256) for turn in transcript.turns)
    samples = dict[str, int]()
    for ask in asks:
        same = ask.tool, ask.prompt_sha256
        counted[same] += 1
        samples[ask.id] = counted[same]
    return samples


async def _all_of(works: Sequence[Callable[[], Coroutine[None, None, None]]]) -> None:
    if len(works) == 1:
        await works[0]()  # no other work to wait for
        return
    with raising_first():  # consultants raise nothing: an error is the journal's, or a calling agent has disconnected
        async with anyio.create_task_group() as group:
            for work in works:
                group.start_soon(work)


def _turn(ask: Ask, reply: Reply) -> Turn:
    return Turn(**ask.place, ask_id=ask.id, prompt_sha256=ask.prompt_sha256, at=utc_now(), reply=reply)


_GRACE_S = 1.5
"""Seconds for the outcome of a run whose time is over."""

_LONGEST_SPEECH = 32 << 10
"""Characters; no tool is asked for so much, and rules may read one answer many times."""


async def decide(rules: Rules, transcript: Transcript, deadline: float | None) -> Asks | Outcome:
    """Run ``rules`` on ``transcript`` in a worker; the time of the run is over at ``deadline``.

    Raises:
        DeliberationError: They take longer than they may; the run can be resumed.
    """
    left_s = math.inf if deadline is None else max(0.0, deadline - anyio.current_time()) + _GRACE_S
    # The wait for a worker counts.
    with suppress(WorkerEndedError), anyio.move_on_after(min(left_s, PLENTY.wall_s)):
        return await _decided(rules, transcript)
    raise DeliberationError(
        "The answer takes too long to check.",
        hint="Nothing is lost; resume the run to check it again.",
    )


async def _decided(rules: Rules, transcript: Transcript) -> Asks | Outcome:
    lengths = [len(text) for text in transcript.responses]
    if sum(lengths) > SHORT or max(lengths, default=0) > _LONGEST_SPEECH:
        return await run_in_worker(rules.next, transcript)
    return await SharedThread.current().run(partial(rules.next, transcript))
