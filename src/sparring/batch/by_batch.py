"""Which tools of a job are asked by the batch interfaces of their providers, for half of the price and within a day."""

import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

from sparring.app import App
from sparring.batch.gathering import Gathering
from sparring.batch.limits import CountingConsultant, Limits, PacedConsultant
from sparring.batch.shared_state import Home
from sparring.errors import UsageError
from sparring.providers import Consultant
from sparring.providers.redacting import RedactingConsultant
from sparring.schema.base import ToolName
from sparring.store.ledger import Ledger


class ByBatch:
    """Whoever puts questions to a tool, one by one or gathered; see ``roster.answering``."""

    def __init__(self, app: App, limits: Limits, ledger: Ledger) -> None:
        self._app = app
        self._limits = limits
        self._ledger = ledger
        self._home = Home(ledger, time.time, lambda: ledger.ended)
        self._gathered: dict[ToolName, Consultant] = {}

    def consultant(self, inner: Consultant, tool: ToolName) -> PacedConsultant | CountingConsultant:
        """Whoever asks ``tool``: what its batches do not limit, the limits do."""
        if tool in self._gathered:
            return self._limits.counting(self._gathered[tool])
        return self._limits.consultant(inner, tool)

    @asynccontextmanager
    async def running(self, tools: Iterable[ToolName]) -> AsyncGenerator[None]:
        """Gather, while the block runs, what those of ``tools`` are asked that answer by batch.

        Raises:
            UsageError: None of them does.
        """
        async with AsyncExitStack() as stack:
            for tool in dict.fromkeys(tools):
                if batches := self._app.roster.batches(tool):
                    gathering = Gathering(batches, tool, self._home, worker=self._ledger.worker)
                    await stack.enter_async_context(gathering.running())
                    self._gathered[tool] = RedactingConsultant(gathering, self._app.roster.redactor)
            if not self._gathered:
                raise UsageError(
                    "None of the tools answers by batch: only APIs do.", hint="Leave out --provider-batches."
                )
            yield
