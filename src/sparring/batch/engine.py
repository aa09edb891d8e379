"""Rows held in one process: what is in the ledger is read, what is not is asked, and nothing is paid for twice.

A row is a run of its format like any other; only that its journal is the ledger, which holds all of them. Whoever holds
a row has its lease. What somebody else has is waited for, and read when it is there.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import anyio
from anyio import to_thread
from pydantic_core import from_json

from sparring import __version__
from sparring.app import App
from sparring.app.here import participants
from sparring.batch.answers import RowJournal, finished, kept, left_of
from sparring.batch.job import VERIFY, Job
from sparring.batch.limits import BatchLimits
from sparring.batch.results import NOTHING_SPENT, Result, Told, nothing_of, packed, result_of, spent_on, told_of
from sparring.batch.rows import ROW_BYTES, SAMPLE, BatchRow, RowSettings, harmless, key_maker
from sparring.engine.format import Format, Rows
from sparring.engine.runner import Deliberation, deliberate
from sparring.engine.stand_ins import with_stand_ins
from sparring.errors import LeaseLostError, UnknownFormatError, UsageError, first_alone
from sparring.formats.registry import FORMATS
from sparring.providers import Consultant
from sparring.providers.wrappers import WaitingConsultant, untold
from sparring.schema import base, pairs, providers, runs
from sparring.seating.options import Given, Options, valid
from sparring.store.history import new_run_id
from sparring.store.ledger import Filed, Key, Ledger, Taken

TYPED = Given(is_by_user=True)
"""What stands in a table is a text, whatever it begins with."""

Paced = Callable[[Consultant, base.ToolName], WaitingConsultant]
"""Makes who lets the questions to a tool wait for their turn."""

MOST_AT_ONCE = 1024

_LOOK_AGAIN_S = 0.25
"""How often it is looked whether a row that somebody else holds has ended."""

BUDGET = "budget"
"""The code of a row that was not asked because a limit was reached."""


def rows_of(format_: Format) -> Rows:
    """How ``format_`` judges a table; raises ``UsageError`` where it does not."""
    if format_.rows is None:
        raise UsageError(f"A {format_.title.lower()} judges no table.")
    return format_.rows


def format_of(job: Job) -> Format | None:
    """The format that judges the rows; None where code alone checks them. Raises ``UsageError``."""
    if job.what == VERIFY:
        return None
    try:
        format_ = FORMATS[job.what]
        rows_of(format_)
    except (UnknownFormatError, UsageError) as error:
        known = ", ".join((VERIFY, *(name for name in FORMATS if FORMATS[name].rows)))
        raise UsageError(f"There is no batch of {job.what!r}; what there is: {known}.") from error
    return format_


def options_of(job: Job, format_: Format) -> Options[Any]:
    """The options of every row; its texts are those of the row. Raises ``UsageError`` where an option is none."""
    rows = rows_of(format_)
    texts = rows.texts(dict.fromkeys(rows.fields, SAMPLE))  # those of each row stand there when it is asked
    given = {**texts, **{name: value for name, value in job.options.items() if value is not None}}
    return valid(lambda: format_.options.model_validate(given))


class RowEngine:
    """Judges rows in this process, however many others do the same."""

    def __init__(
        self, app: App, job: Job, format_: Format, ledger: Ledger, limits: BatchLimits, paced: Paced | None = None
    ) -> None:
        """Find out all that would keep every row from being judged, before anything is paid.

        Raises:
            SparringError: As for a single run.
        """
        options = options_of(job, format_)
        if job.is_fresh and job.reuses_rows:
            raise UsageError("--fresh asks anew, and --reuse takes what was said.", hint="Leave out one of them.")
        if not 1 <= job.side_by_side <= MOST_AT_ONCE:
            raise UsageError(
                f"The number of rows judged at once must be 1 to {MOST_AT_ONCE}; it is {job.side_by_side}."
            )
        self._app = app
        self._job = job
        self._format = format_
        self.rows = rows_of(format_)
        self.ledger = ledger
        self._budget = limits.budget
        self._places = anyio.Semaphore(job.side_by_side)
        self._looking = anyio.Lock()
        self._renewed: set[Key] = set()
        self._failed: set[Key] = set()
        sample = BatchRow(1, "", 1, texts=dict.fromkeys(self.rows.fields, SAMPLE))
        self._request = app.requests(options, TYPED)
        with ThreadPoolExecutor(1) as thread:  # what is shown of a project is gathered by a loop of its own
            self.sample: runs.Request = thread.submit(self._request, self._fields(sample)).result()
        self.settings = settings_of(app, format_, self.sample)
        self.key = key_maker(format_.name, self.settings.digest)
        self.labels = tuple(str(label) for label in self.rows.labels)
        self._spelled = {_folded(label): label for label in self.labels}
        self._families = app.roster.families(participants(self.sample))
        self._consultant = app.roster.answering(None, lambda _: untold, paced=paced or limits.consultant)

    def named(self, rows: Sequence[BatchRow]) -> list[BatchRow]:
        """``rows`` with names that may be told: without secrets, and labels as the format spells them."""
        found = harmless(rows, self._app.redact)
        for at, row in enumerate(found):
            spelled = self._spelled.get(_folded(row.gold), row.gold)
            if spelled != row.gold:
                found[at] = replace(row, gold=spelled)
        return found

    async def judged(self, rows: Sequence[BatchRow]) -> list[Told]:
        """What comes of ``rows``, in their order; rows that say the same are asked about once.

        Cancelled, it leaves rows that the next call goes on with.

        Raises:
            StoreError: What is judged cannot be kept.
        """
        rows = self.named(rows)
        keys = [None if row.problem else self.key(row) for row in rows]
        first = dict[Key, BatchRow]()
        for row, key in zip(rows, keys, strict=True):
            if key is not None:
                first.setdefault(key, row)
        judged = _Judged()
        async with self._looking:  # the first first: a limit leaves the end of the table, not its middle
            filed = await self._read(first, judged)
            if self._job.reuses_rows:
                judged.found |= await self.alike(first.keys() - judged.found.keys())
                judged.there |= judged.found.keys()
            left = {key: row for key, row in first.items() if key not in judged.found}
            taken = await self._taken(left) if left else {}
        await self._judge(left, taken, filed, judged)
        return [self._told(row, key, first, judged) for row, key in zip(rows, keys, strict=True)]

    async def alike(self, keys: Collection[Key]) -> dict[Key, Result]:
        """What was said of the rows of ``keys`` under any settings, the last of it."""
        beginnings = {key[:ROW_BYTES]: key for key in keys}
        found = await to_thread.run_sync(self.ledger.alike, beginnings)
        return {beginnings[each]: from_json(filed.result) for each, (_, filed) in found.items()}

    def known(self, row: BatchRow, filed: Mapping[Key, Filed], otherwise: Result) -> Told:
        """What is ``filed`` of a row and not to be asked anew, or else ``otherwise``; nobody is asked."""
        key = None if row.problem else self.key(row)
        if key is None:
            return self._told(row, key, {}, _Judged())
        there = None if self._is_renewed(key) else filed.get(key)
        return Told(row, from_json(there.result) if there else otherwise, bool(there), key)

    def _told(self, row: BatchRow, key: Key | None, first: Mapping[Key, BatchRow], judged: "_Judged") -> Told:
        if key is None:
            problem = f"Line {row.line} cannot be judged: {row.problem}."
            return Told(row, nothing_of(pairs.PairStatus.REFUSED, pairs.PairStatus.REFUSED, problem))
        if key in judged.there or first[key] is not row:
            return Told(row, judged.found[key], was_there=True, key=key)
        return Told(row, judged.found[key], key=key, paid=judged.paid.get(key, NOTHING_SPENT))

    def _is_renewed(self, key: Key) -> bool:
        """Whether the row is to be asked anew, which each row is only once."""
        return self._job.is_fresh and key not in self._renewed

    async def _taken(self, keys: Iterable[Key]) -> dict[Key, Taken]:
        """Those of ``keys`` that nobody else holds: to be asked anew, or to be gone on with."""
        anew = {key: self._is_renewed(key) for key in keys}
        taken = dict[Key, Taken]()
        for fresh in (True, False):
            if wanted := [key for key, is_anew in anew.items() if is_anew is fresh]:
                taken |= await to_thread.run_sync(partial(self.ledger.take, wanted, fresh=fresh))
        # The same row in another block may have been asked anew, and filed, in this very moment.
        if late := [key for key in taken if anew[key] and not self._is_renewed(key)]:
            await to_thread.run_sync(self.ledger.release, late)
        return {key: each for key, each in taken.items() if key not in late}

    async def _judge(
        self, left: dict[Key, BatchRow], taken: Mapping[Key, Taken], filed: Mapping[Key, Filed], judged: "_Judged"
    ) -> None:
        while left:
            await self._hold_all(taken, left, filed, judged)
            for key in judged.found:
                left.pop(key, None)
            if left and not taken:
                await anyio.sleep(_LOOK_AGAIN_S)  # others hold them, perhaps on another machine: no event can tell
            await self._read(left, judged)
            for key in judged.there:
                left.pop(key, None)
            taken = await self._taken(left) if left else {}

    async def _read(self, keys: Collection[Key], judged: "_Judged") -> Mapping[Key, Filed]:
        """What is filed of ``keys``; those that need not be asked are judged by it."""
        # Looked at before reading: what is filed anew by then is read.
        old = set(filter(self._is_renewed, keys))
        filed = await to_thread.run_sync(self.ledger.filed, list(keys)) if keys else {}
        known = {key for key, each in filed.items() if each.is_complete or key in self._failed} - old
        judged.found |= {key: from_json(filed[key].result) for key in known}
        judged.there |= known
        return filed

    async def _hold_all(
        self, taken: Mapping[Key, Taken], rows: Mapping[Key, BatchRow], filed: Mapping[Key, Filed], judged: "_Judged"
    ) -> None:
        async def hold(key: Key, each: Taken) -> None:
            try:
                if reason := await self._budget.begin_row():
                    nothing, before = nothing_of(pairs.PairStatus.NOT_ASKED, BUDGET, reason), filed.get(key)
                    # A verdict that was to be asked for anew is no answer to that.
                    judged.found[key] = nothing if before is None or before.is_complete else from_json(before.result)
                    await to_thread.run_sync(self.ledger.release, [key])
                    return
                try:
                    judged.found[key], judged.paid[key] = await self._held(key, rows[key], each)
                finally:
                    self._budget.end_row()
            except LeaseLostError:
                pass  # somebody else holds the row now, and is waited for
            finally:
                self._places.release()

        with first_alone():
            async with self._app.roster.connections.held(), anyio.create_task_group() as group:
                for key in rows:  # in the order of the table: where a limit is reached, its beginning is judged
                    if key in taken:
                        await self._places.acquire()
                        group.start_soon(hold, key, taken[key])

    async def _held(self, key: Key, row: BatchRow, taken: Taken) -> tuple[Result, runs.Spent]:
        """What comes of a row, and what was used for it now."""
        try:
            request = await self._request_of(row)
        except UsageError as error:
            await to_thread.run_sync(self.ledger.release, [key])
            problem = f"Line {row.line} cannot be judged: {error}"
            return nothing_of(pairs.PairStatus.REFUSED, pairs.PairStatus.REFUSED, problem), NOTHING_SPENT
        header = self._header(request)
        left = left_of(taken, header.run_id)
        journal = RowJournal(
            self.ledger, key, [*left.progress.steps], {**left.open_step}, unanswered=taken.asked.keys()
        )
        deliberation = Deliberation(
            run_id=header.run_id,
            format=self._format.rules(request, self._app.prompts),
            consultant=self._consultant,
            journal=journal,
            limits=header.limits,
            observe=None,
            calls=self._app.roster,
            earlier=left.earlier,
            stand_ins=lambda asks, said: with_stand_ins(asks, request, said),
        )
        outcome = await deliberate(deliberation, left.progress)
        turns = journal.turns
        paid = runs.spent(journal.paid).model_copy(update={"maybe_paid_twice": journal.asked_again})
        used = await self._used(key, paid) if taken.was_filed else runs.spent(turns)
        again = left.asked_again + journal.asked_again
        run = finished(header, turns, outcome, used.model_copy(update={"maybe_paid_twice": again}))
        told = told_of(self._format, run, [self._app.redact(text) for text in row.texts.values()])
        result = result_of(told, tuple(self.rows.quotes(run)) if told.word or told.seats else (), run, key)
        await self.ledger.file(
            key,
            result=packed(result),
            told=told.model_dump_json().encode(),
            run=kept(header, turns),
            is_complete=told.status is pairs.PairStatus.JUDGED,
        )
        if told.status is not pairs.PairStatus.JUDGED:
            self._failed.add(key)  # a later start asks again
        self._renewed |= {key} if self._job.is_fresh else set()
        return result, paid

    async def _used(self, key: Key, paid: runs.Spent) -> runs.Spent:
        """What a row has used that was filed before: also what it paid for then, and could not use or has lost."""
        if self._job.is_fresh:
            return paid
        filed = await to_thread.run_sync(self.ledger.filed, [key])
        return runs.summed((spent_on(from_json(filed[key].result)), paid))

    def _header(self, request: runs.Request) -> runs.RunHeader:
        now = base.utc_now()
        return runs.RunHeader(
            run_id=new_run_id(self._format.name, now),
            request=request,
            created_at=now,
            sparring_version=__version__,
            families=self._families,
        )

    async def _request_of(self, row: BatchRow) -> runs.Request:
        fields = self._fields(row)
        if "exhibits" in self._format.options.model_fields:
            return await to_thread.run_sync(self._request, fields)  # it reads the project, with a loop of its own
        return self._request(fields)

    def _fields(self, row: BatchRow) -> Mapping[str, object]:
        """The options that are the row's own."""
        named = {name: getattr(row, name) for name in self.rows.row_names}
        known = {name: text for name, text in named.items() if text}
        return {**self.rows.texts(row.texts), **known}


@dataclass
class _Judged:
    """What is known of the rows of a block; ``there`` are those that were judged before, ``paid`` what was used now."""

    found: dict[Key, Result] = field(default_factory=dict[Key, Result])
    there: set[Key] = field(default_factory=set[Key])
    paid: dict[Key, runs.Spent] = field(default_factory=dict[Key, runs.Spent])


def settings_of(app: App, format_: Format, sample: runs.Request) -> RowSettings:
    """All that decides what every row is asked, of a request for any row."""
    return RowSettings(
        format=format_.name,
        rules_version=format_.rules_version,
        prompts=app.prompts.digest(format_.name, FORMATS),
        request=sample,
        models=dict(_models(app, (needed.participant.tool for needed in sample.needed()))),
    )


def _models(app: App, tools: Iterable[base.ToolName]) -> Iterable[tuple[base.ToolName, str]]:
    """The models that answer where none is asked for, as far as the provider files say so."""
    for tool in dict.fromkeys(tools):
        spec = app.roster.spec(tool)
        if isinstance(spec, providers.ApiProvider):
            variable = app.settings.environment.get(spec.model_variable or "", "")
            yield tool, variable.strip() or spec.model or ""


def _folded(label: str) -> str:
    return re.sub(r"[\s-]+", "_", label.casefold())
