"""Runs of requests that are never paid for twice: their answers are exchanges of the ledger, like those of rows.

A run that ended with all answers is read again; any other reuses its answers, and only the rest is asked. Limits
are those of one start.
"""

import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from anyio import to_thread
from pydantic import ValidationError

from sparring.app import App
from sparring.app.exchanges.need import RunNeed
from sparring.app.exchanges.opening import models_of, using_ledger
from sparring.app.exchanges.session import Exchanges, RunOwner
from sparring.app.local_project import participants
from sparring.batch.answers import RowJournal, discard_unusable, finished, read_run_record, run_record
from sparring.batch.engine import new_header, run_deliberation
from sparring.batch.results import packed
from sparring.engine.estimate import plan_of
from sparring.engine.format import Format
from sparring.formats.registry import FORMATS
from sparring.schema import runs
from sparring.schema.transcript import Transcript
from sparring.store.exchanges.amounts import Maximum
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.exchanges.row_steps import RowToKeep
from sparring.store.exchanges.sql import Key

_KEY_BYTES = 16


class KeptRuns:
    """Runs of one format in the ledger of a project.

    Attributes:
        spent: Usage of this process for all of them.
    """

    def __init__(self, app: App, format_: Format, exchanges: Exchanges) -> None:
        self._app = app
        self._format = format_
        self._exchanges = exchanges
        self._numbers = 0
        self.spent = runs.Spent()

    def key(self, request: runs.Request) -> Key:
        """Return the key of the run of ``request``: it depends on everything that decides its prompts."""
        tools = (needed.participant.tool for needed in request.needed())
        decisive = [
            "whole run",
            self._format.name,
            self._format.rules_version,
            self._app.prompts.digest(self._format.name, FORMATS),
            dict(models_of(self._app, tools)),
            request.model_dump(mode="json", exclude=runs.CIRCUMSTANTIAL),
        ]
        text = json.dumps(decisive, sort_keys=True)
        return hashlib.sha256(text.encode()).digest()[:_KEY_BYTES]

    async def left(self, requests: Sequence[runs.Request]) -> list[runs.Request]:
        """Return those of ``requests`` without a run that ended with all answers."""
        keys = [self.key(request) for request in requests]
        rows = await to_thread.run_sync(self._exchanges.ledger.rows, keys)
        complete = {key for key, row in rows.items() if row.is_complete}
        return [request for request, key in zip(requests, keys, strict=True) if key not in complete]

    async def run(self, request: runs.Request) -> runs.Run | str:
        """Run ``request`` to its end and return the run; or why a limit has no room for it.

        Raises:
            StoreError: Answers cannot be stored.
        """
        key = self.key(request)
        rows = await to_thread.run_sync(self._exchanges.ledger.rows, [key])
        row = rows.get(key)
        if row and row.is_complete:
            earlier = await to_thread.run_sync(self._earlier, key)
            if earlier:
                return earlier
        need = plan_of(self._format, request, self._app.prompts).expected
        if row:
            await discard_unusable(self._exchanges.ledger, key)
        self._numbers += 1
        owner = RunOwner(f"run{self._numbers}")
        async with self._exchanges.admitted(owner, RunNeed(need.fewest, need.most, need.least_tokens)) as refusal:
            if refusal:
                return refusal
            families = self._app.roster.families(participants(request))
            header, journal = new_header(request, families), RowJournal()
            through = partial(self._exchanges.consultant, owner)
            outcome = await run_deliberation(self._app, self._format, header, journal, through)
        run = finished(header, journal.turns, outcome, runs.spent(journal.turns))
        self.spent = runs.summed((self.spent, runs.spent_on(owner.put)))
        is_complete = not runs.lost_seats(run.transcript.turns)
        body = run_record(header, journal.steps, owner)
        await self._exchanges.ledger.keep_row(RowToKeep(key, is_complete, packed({"run": key.hex()}), body))
        return run

    def _earlier(self, key: Key) -> runs.Run | None:
        """Return the run that was kept under ``key``, if it can be read."""
        ledger = self._exchanges.ledger
        try:
            header, steps = read_run_record(ledger, ledger.find(key.hex()).run)
        except (ValidationError, KeyError, ValueError):
            return None
        transcript = Transcript.of_steps(steps)
        outcome = self._format.rules(header.request, self._app.prompts).next(transcript)
        if not isinstance(outcome, runs.Outcome):
            return None
        return finished(header, transcript.turns, outcome, runs.spent(transcript.turns))


@asynccontextmanager
async def opened(
    app: App,
    format_: Format,
    request: runs.Request,
    limits: runs.Limits,
    notify: Callable[[str], None] = lambda _: None,
) -> AsyncGenerator[KeptRuns]:
    """Open the ledger of the project for runs like ``request``, within ``limits`` for all of them together.

    Raises:
        StoreError: The ledger cannot be opened.
    """
    maximum = Maximum.of(limits.calls, limits.tokens, limits.cost_usd)
    tools = dict.fromkeys(needed.participant.tool for needed in request.needed())

    def batch(ledger: ExchangeLedger) -> str:
        return hashlib.sha256(f"whole runs {ledger.start}".encode()).hexdigest()[:16]

    async with using_ledger(app, batch, maximum, tools, notify=notify) as exchanges:
        yield KeptRuns(app, format_, exchanges)
