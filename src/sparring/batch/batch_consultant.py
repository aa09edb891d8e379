"""Selection of the tools of a table that are asked by batch, and of those asked one by one."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

import anyio

from sparring.app.exchanges.session import Exchanges, RunOwner
from sparring.app.roster import Roster
from sparring.batch.batch_queue import USUAL_PACE, BatchQueue, BatchTiming
from sparring.errors import UsageError
from sparring.providers import Consultant
from sparring.providers.wrappers import RedactingConsultant, WaitingConsultant
from sparring.schema.base import ToolName
from sparring.schema.consultation import Question, Reply
from sparring.schema.transcript import Ask


class BatchConsultant:
    """Asks a tool by batch, for an ask of a run.

    Attributes:
        waited_s: Seconds that the question has waited; its batch may take a day.
    """

    def __init__(self, queue: BatchQueue, owner: RunOwner, ask: Ask) -> None:
        self._queue = queue
        self._owner = owner
        self._ask = ask
        self.waited_s = 0.0

    async def ask(self, question: Question) -> Reply:
        """Return the reply when its batch has ended."""
        began = anyio.current_time()
        reply = await self._queue.reply(self._owner, self._ask, question)
        self.waited_s += anyio.current_time() - began
        return reply


class BatchQueues:
    """Consultants for the tools of a table, one by one or by batch."""

    def __init__(self, roster: Roster, exchanges: Exchanges, pace: BatchTiming = USUAL_PACE) -> None:
        self._roster = roster
        self._exchanges = exchanges
        self._pace = pace
        self._queues: dict[ToolName, BatchQueue] = {}

    def consultant(self, owner: RunOwner, ask: Ask, inner: Consultant, tool: ToolName) -> WaitingConsultant:
        """Return the consultant that asks ``tool`` for an ask of ``owner``."""
        if tool in self._queues:
            return BatchConsultant(self._queues[tool], owner, ask)
        return self._exchanges.consultant(owner, ask, inner, tool)

    @asynccontextmanager
    async def running(self, tools: Iterable[ToolName]) -> AsyncGenerator[None]:
        """Gather questions, while the block runs, to those of ``tools`` that support batches.

        Raises:
            UsageError: None of them supports batches.
        """
        async with AsyncExitStack() as stack:
            for tool in dict.fromkeys(tools):
                if batches := self._roster.batches(tool):
                    redacting = RedactingConsultant(self._roster.consultant(tool), self._roster.redactor)
                    failures = self._roster.spec(tool).failures
                    queue = BatchQueue(batches, tool, self._exchanges, redacting, failures, self._pace)
                    await stack.enter_async_context(queue.running())
                    self._queues[tool] = queue
            if not self._queues:
                raise UsageError(
                    "None of the tools answers by batch: only APIs do.", hint="Leave out provider_batches."
                )
            yield
