"""Rows judged in one process: each is a run of its format, derived from the exchanges of the ledger.

The result of a row is stored in the ledger as well, so that a complete row is read and not derived again. Rows have
no owner: two processes that derive the same row share its exchanges, and get the same result.
"""

import re
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
from anyio import to_thread
from msgspec import Struct, field
from msgspec.structs import replace
from pydantic_core import from_json

from sparring import __version__
from sparring.app import App
from sparring.app.exchanges.need import RunNeed
from sparring.app.exchanges.opening import models_of
from sparring.app.exchanges.session import Exchanges, RunOwner
from sparring.app.local_project import participants
from sparring.batch.answers import RowJournal, discard_unusable, finished, run_record
from sparring.batch.job import VERIFY, Job
from sparring.batch.results import NOTHING_SPENT, JudgedRow, Result, packed, result_of, unjudged_result
from sparring.batch.rows import ROW_BYTES, SAMPLE, BatchRow, RowSettings, harmless, key_maker
from sparring.engine.estimate import plan_of
from sparring.engine.format import Format, Rows
from sparring.engine.preparing import with_stand_ins
from sparring.engine.runner import Deliberation, deliberate
from sparring.errors import UnknownFormatError, UsageError, raising_first
from sparring.formats.registry import FORMATS
from sparring.participants.options import AccompanyingInput, Options, valid
from sparring.providers import Consultant
from sparring.providers.wrappers import WaitingConsultant, no_report
from sparring.schema import base, pairs, runs
from sparring.schema.batch import LedgerUse
from sparring.schema.transcript import Ask, Transcript
from sparring.store.exchanges.kept import StoredRow
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.exchanges.row_steps import RowToKeep
from sparring.store.exchanges.sql import Key
from sparring.store.history import new_run_id

TYPED = AccompanyingInput(is_by_user=True)
"""Marks input of the user: text of a table, regardless of its first characters."""

Through = Callable[[RunOwner, Ask, Consultant, base.ToolName], WaitingConsultant]
"""Makes the consultant that asks a tool for a row through the ledger."""

MOST_AT_ONCE = 1024

NOTHING_NEEDED = runs.Expected(fewest=0, usual=0, most=0, least_tokens=0, prompt_tokens=0)

EMPTY_TRANSCRIPT = Transcript()

BUDGET = "budget"
"""The code of a row that was not asked because a limit was reached."""


def rows_of(format_: Format) -> Rows:
    """Return how ``format_`` judges a table; raises ``UsageError`` if it does not."""
    if format_.rows is None:
        raise UsageError(f"A {format_.title.lower()} judges no table.")
    return format_.rows


def format_of(job: Job) -> Format | None:
    """Return the format that judges the rows; None if code alone checks them. Raises ``UsageError``."""
    if job.kind == VERIFY:
        return None
    try:
        format_ = FORMATS[job.kind]
        rows_of(format_)
    except (UnknownFormatError, UsageError) as error:
        known = ", ".join((VERIFY, *(name for name in FORMATS if FORMATS[name].rows)))
        raise UsageError(f"There is no batch of {job.kind!r}; known batches: {known}.") from error
    return format_


def options_of(job: Job, format_: Format) -> Options[Any]:
    """Return the options of every row; a row adds its own texts. Raises ``UsageError`` for an unknown option."""
    rows = rows_of(format_)
    texts = rows.texts(dict.fromkeys(rows.fields, SAMPLE))  # placeholders for the texts of each row
    given = {**texts, **{name: value for name, value in job.options.items() if value is not None}}
    return valid(lambda: format_.options.model_validate(given))


class RowRequests:
    """The requests for the rows of a table, and everything that all of them share.

    Attributes:
        rows: How the format judges a table.
        sample: The request of any row.
        settings: Everything that determines the questions of all rows.
        labels: The possible labels of a verdict.
    """

    def __init__(self, app: App, job: Job, format_: Format) -> None:
        """Detect everything that would keep all rows from being judged, before anything is paid.

        Raises:
            SparringError: As for a single run.
        """
        options = options_of(job, format_)
        if job.is_fresh and job.reuses_rows:
            raise UsageError("fresh calls again, and reuse takes earlier answers.", hint="Leave out one of them.")
        if not 1 <= job.concurrent_rows <= MOST_AT_ONCE:
            raise UsageError(
                f"The number of rows judged at once must be 1 to {MOST_AT_ONCE}; it is {job.concurrent_rows}."
            )
        self._app = app
        self.format = format_
        self.rows = rows_of(format_)
        sample = BatchRow(1, "", 1, texts=dict.fromkeys(self.rows.fields, SAMPLE))
        self._request = app.requests(options, TYPED)
        with ThreadPoolExecutor(1) as thread:  # the exhibits of a project are gathered by an event loop of their own
            self.sample: runs.Request = thread.submit(self._request, self._fields(sample)).result()
        if job.is_gated and not self.rows.arms:
            raise UsageError(f"Code decides no rows of {format_.name}.", hint="Leave out --gate.")
        self._families = app.roster.families(participants(self.sample))
        self.settings = replace(settings_of(app, format_, self.sample), is_gated=job.is_gated)
        self.key = key_maker(format_.name, self.settings.digest)
        self.labels = tuple(str(label) for label in self.rows.labels)
        self._spelled = {_folded(label): label for label in self.labels}

    @property
    def tools(self) -> tuple[base.ToolName, ...]:
        """Return the tools that are asked for a row, each once."""
        return tuple(dict.fromkeys(needed.participant.tool for needed in self.sample.needed()))

    def need(self) -> runs.Expected:
        """Return the estimate for a row, without its own texts."""
        return plan_of(self.format, self.sample, self._app.prompts).expected

    def with_shown_names(self, rows: Sequence[BatchRow]) -> list[BatchRow]:
        """Return ``rows`` with names that may be shown: without secrets, and labels in the format's spelling."""
        named_rows = harmless(rows, self._app.redact)
        for at, row in enumerate(named_rows):
            spelled = self._spelled.get(_folded(row.gold), row.gold)
            if spelled != row.gold:
                named_rows[at] = replace(row, gold=spelled)
        return named_rows

    def header(self, request: runs.Request) -> runs.RunHeader:
        """Return the header of a new run of ``request``."""
        return new_header(request, self._families)

    async def deliberate(
        self,
        header: runs.RunHeader,
        journal: RowJournal,
        through: Callable[[Ask, Consultant, base.ToolName], WaitingConsultant],
    ) -> runs.Outcome:
        """Execute the run of ``header``; ``through`` makes the consultant that asks a tool through the ledger."""
        return await run_deliberation(self._app, self.format, header, journal, through)

    async def request_of(self, row: BatchRow) -> runs.Request:
        """Return the request for ``row``; raises ``UsageError`` if the row cannot be judged."""
        fields = self._fields(row)
        if "exhibits" in self.format.options.model_fields:
            return await to_thread.run_sync(self._request, fields)  # it reads the project, with its own event loop
        return self._request(fields)

    def _fields(self, row: BatchRow) -> Mapping[str, object]:
        """Return the options that come from the row itself."""
        named = {name: getattr(row, name) for name in self.rows.row_names}
        known = {name: text for name, text in named.items() if text}
        return {**self.rows.texts(row.texts), **known}


def new_header(request: runs.Request, families: Mapping[base.ToolName, str]) -> runs.RunHeader:
    """Return the header of a new run of ``request``; ``families`` are those of its tools."""
    now = base.utc_now()
    return runs.RunHeader(
        run_id=new_run_id(request.kind, now),
        request=request,
        created_at=now,
        sparring_version=__version__,
        families=families,
    )


async def run_deliberation(
    app: App,
    format_: Format,
    header: runs.RunHeader,
    journal: RowJournal,
    through: Callable[[Ask, Consultant, base.ToolName], WaitingConsultant],
) -> runs.Outcome:
    """Execute the run of ``header``; ``through`` makes the consultant that asks a tool through the ledger."""
    request = header.request
    deliberation = Deliberation(
        run_id=header.run_id,
        format=format_.rules(request, app.prompts),
        consultant=app.roster.consultant_of_run(None, lambda _: no_report, through=through),
        journal=journal,
        limits=header.limits,
        observe=None,
        calls=app.roster,
        prepare=lambda asks, transcript: with_stand_ins(asks, request, transcript),
    )
    return await deliberate(deliberation)


class _RowSlot(Struct):
    """One of the concurrent slots, which a row gives up while it waits for another process."""

    limiter: anyio.Semaphore
    is_taken: bool = True

    @asynccontextmanager
    async def released(self) -> AsyncGenerator[None]:
        """Let another row use the slot while the block runs."""
        self.release()
        yield
        await self.limiter.acquire()
        self.is_taken = True

    def release(self) -> None:
        if self.is_taken:
            self.is_taken = False
            self.limiter.release()


class RowEngine:
    """Judges rows in this process; any number of other processes may do the same."""

    def __init__(self, app: App, job: Job, requests: RowRequests, exchanges: Exchanges, through: Through) -> None:
        self._app = app
        self._job = job
        self._exchanges = exchanges
        self._through = through
        self._format = requests.format
        self._places = anyio.Semaphore(job.concurrent_rows)
        self._looking = anyio.Lock()
        self._need = NOTHING_NEEDED if exchanges.maximum.is_none else requests.need()
        self._numbers = 0
        self._deriving: dict[Key, anyio.Event] = {}
        self.requests = requests
        self.key = requests.key

    @property
    def batch(self) -> str:
        """The id under which limits and counters are kept."""
        return self._exchanges.batch

    @property
    def use(self) -> LedgerUse:
        """Return the counts of the requests of this process."""
        return self._exchanges.use

    @property
    def ledger(self) -> ExchangeLedger:
        """Return the ledger of the exchanges and results of rows."""
        return self._exchanges.ledger

    async def judged(self, rows: Sequence[BatchRow]) -> list[JudgedRow]:
        """Judge ``rows`` and return the results in their order; equal rows are judged once.

        If it is cancelled, it leaves exchanges with which the next call continues.

        Raises:
            StoreError: A result cannot be stored.
        """
        rows = self.requests.with_shown_names(rows)
        keys = [None if row.problem else self.key(row) for row in rows]
        first = dict[Key, BatchRow]()
        for row, key in zip(rows, keys, strict=True):
            if key is not None:
                first.setdefault(key, row)
        block = _BlockResults()
        async with self._looking:  # in order: a limit cuts off the end of the table, not its middle
            before = await to_thread.run_sync(self.ledger.rows, list(first))
            for key, row in before.items():
                if self._is_done(row):
                    block.results[key] = from_json(row.result)
                    block.existing.add(key)
            if self._job.reuses_rows:
                block.results |= await self.latest_results(first.keys() - block.results.keys())
                block.existing |= block.results.keys()
        left = {key: row for key, row in first.items() if key not in block.results}
        await self._derive_all(left, before, block)
        return [self._judged(row, key, first, block) for row, key in zip(rows, keys, strict=True)]

    async def _was_done_meanwhile(self, key: Key, block: "_BlockResults") -> bool:
        """Return whether another block of this process has derived the same row in the meantime."""
        if (event := self._deriving.get(key)) is None:
            return False
        await event.wait()
        kept = await to_thread.run_sync(self.ledger.rows, [key])
        if key not in kept or not self._is_done(kept[key]):
            return False
        block.results[key] = from_json(kept[key].result)
        block.existing.add(key)
        return True

    async def latest_results(self, keys: Collection[Key]) -> dict[Key, Result]:
        """Return the latest results of the rows of ``keys``, under any settings."""
        beginnings = {key[:ROW_BYTES]: key for key in keys}
        kept_rows = await to_thread.run_sync(self.ledger.alike, beginnings)
        return {beginnings[each]: from_json(row.result) for each, row in kept_rows.items()}

    def _is_done(self, row: StoredRow) -> bool:
        """Return whether a row needs no work: it is complete, or was judged since this process began."""
        since = self.ledger.start
        return row.stamp >= (self._exchanges.not_before if row.is_complete else since)

    def _judged(
        self, row: BatchRow, key: Key | None, first: Mapping[Key, BatchRow], block: "_BlockResults"
    ) -> JudgedRow:
        if key is None:
            problem = f"Line {row.line} cannot be judged: {row.problem}."
            return JudgedRow(row, unjudged_result(pairs.PairStatus.REFUSED, pairs.PairStatus.REFUSED, problem))
        if key in block.existing or first[key] is not row:
            return JudgedRow(row, block.results[key], is_reused=True, key=key)
        return JudgedRow(row, block.results[key], key=key, paid=block.paid.get(key, NOTHING_SPENT))

    async def _derive_all(
        self, rows: Mapping[Key, BatchRow], before: Mapping[Key, StoredRow], block: "_BlockResults"
    ) -> None:
        async def derive(key: Key, place: _RowSlot) -> None:
            try:
                while key in self._deriving:
                    if await self._was_done_meanwhile(key, block):
                        return
                self._deriving[key] = ended = anyio.Event()
                try:
                    await self._derive(key, rows[key], before.get(key), place, block)
                finally:
                    del self._deriving[key]
                    ended.set()
            finally:
                place.release()

        with raising_first():
            async with self._app.roster.connections.acquired(), anyio.create_task_group() as group:
                for key in rows:  # in table order: when a limit is reached, the beginning of the table is judged
                    await self._places.acquire()
                    group.start_soon(derive, key, _RowSlot(self._places))

    async def _derive(
        self, key: Key, row: BatchRow, before: StoredRow | None, place: _RowSlot, block: "_BlockResults"
    ) -> None:
        """Judge one row."""
        self._numbers += 1
        owner = RunOwner(f"row{self._numbers}", waiting=place.released)
        async with self._exchanges.admitted(owner, self._row_need(row)) as refusal:
            if refusal:
                nothing = unjudged_result(pairs.PairStatus.NOT_ASKED, BUDGET, refusal)
                # A stored verdict does not count if the user has asked for a new one.
                block.results[key] = nothing if before is None or before.is_complete else from_json(before.result)
                return
            if before and not before.is_complete:
                await discard_unusable(self.ledger, before.key)
            await self._run(key, row, owner, block)

    async def _run(self, key: Key, row: BatchRow, owner: RunOwner, block: "_BlockResults") -> None:
        try:
            request = await self.request(row)
        except UsageError as error:
            problem = f"Line {row.line} cannot be judged: {error}"
            block.results[key] = unjudged_result(pairs.PairStatus.REFUSED, pairs.PairStatus.REFUSED, problem)
            return
        header, journal = self.requests.header(request), RowJournal()
        outcome = await self.requests.deliberate(header, journal, partial(self._through, owner))
        turns = journal.turns
        again = await self.ledger.asked_again(owner.repeated) if owner.repeated else 0
        used = runs.spent(turns)
        if owner.failed or again:
            failed = runs.spent_on(owner.failed).model_copy(update={"maybe_paid_twice": again})
            used = runs.summed((used, failed))
        run = finished(header, turns, outcome, used)
        result = result_of(self._format, run, key)
        is_complete = result["status"] == pairs.PairStatus.JUDGED
        await self.ledger.keep_row(
            RowToKeep(key, is_complete, packed(result), run_record(header, journal.steps, owner))
        )
        paid = runs.spent_on(owner.put)
        if owner.asked_again:
            paid = paid.model_copy(update={"maybe_paid_twice": owner.asked_again})
        block.results[key], block.paid[key] = result, paid

    async def request(self, row: BatchRow) -> runs.Request:
        """Return the request for ``row``: by code alone if the job is gated and code decides the row.

        Raises:
            UsageError: The row cannot be judged.
        """
        request = await self.requests.request_of(row)
        return await to_thread.run_sync(self._gated, request) if self._job.is_gated else request

    def _gated(self, request: runs.Request) -> runs.Request:
        """Return the request that asks no tool, if code decides it; else ``request``."""
        arms = self.requests.rows.arms
        if arms is None:
            return request
        by_code = arms.by_code(request)
        outcome = self._format.rules(by_code, self._app.prompts).next(EMPTY_TRANSCRIPT)
        if not isinstance(outcome, runs.Outcome):
            return request
        label = arms.label(finished(self.requests.header(by_code), (), outcome, runs.Spent()))
        return request if label in {None, arms.open_label} else by_code

    def _row_need(self, row: BatchRow) -> RunNeed:
        characters = sum(map(len, row.texts.values()))
        tokens = round(self._need.fewest * characters / runs.CHARACTERS_PER_TOKEN)
        return RunNeed(self._need.fewest, self._need.most, self._need.least_tokens + tokens)


class _BlockResults(Struct):
    """Results of the rows of a block; ``existing`` are those judged before, ``paid`` is the usage now."""

    results: dict[Key, Result] = field(default_factory=dict[Key, Result])
    existing: set[Key] = field(default_factory=set[Key])
    paid: dict[Key, runs.Spent] = field(default_factory=dict[Key, runs.Spent])


def settings_of(app: App, format_: Format, sample: runs.Request) -> RowSettings:
    """Return everything that determines the questions of all rows, from the request for any row."""
    return RowSettings(
        format=format_.name,
        rules_version=format_.rules_version,
        prompts=app.prompts.digest(format_.name, FORMATS),
        request=sample,
        models=dict(models_of(app, (needed.participant.tool for needed in sample.needed()))),
    )


def _folded(label: str) -> str:
    return re.sub(r"[\s-]+", "_", label.casefold())
