"""Arms: ways of asking about the same rows, which share the exchanges of a ledger.

An arm is a format with a varied request (``engine.format.Arms``). Prompts that two arms have in common are asked once
and counted for both. A paid failure is a permanent abstention: an arm that could ask again would be favoured.
"""

import hashlib
import json
import random
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle, islice

import anyio
from msgspec import Struct, field

from sparring.app import App
from sparring.app.exchanges.need import RunNeed
from sparring.app.exchanges.session import Exchanges, Owner
from sparring.batch.answers import RowJournal, finished, run_record
from sparring.batch.engine import RowRequests
from sparring.batch.job import Job
from sparring.batch.results import NO_VERDICT, packed, result_of
from sparring.batch.rows import BatchRow, key_maker
from sparring.batch.work import exchanges_of
from sparring.engine.format import Arms
from sparring.errors import UsageError, raising_first
from sparring.evaluation.measure import DEBATE, VOTE, counted, gated, summed
from sparring.providers import Consultant
from sparring.providers.wrappers import WaitingConsultant
from sparring.schema import base, runs
from sparring.schema.consultation import Failure, Question, Reply
from sparring.schema.evaluation import ArmRow, ArmUse, EvaluatedRow, SpendUnit
from sparring.schema.pairs import SeatLabel
from sparring.schema.transcript import Ask, Turn
from sparring.store.exchanges.row_steps import RowToKeep
from sparring.text.tidying import one_line

KINDS = ("single", VOTE, "self", "revise", "placebo", DEBATE)
"""All arms, in the order of a report."""

_OF_ONE_SEAT = ("single", "self")
MOST_SAMPLES = 60
"""Most samples of a row for one arm; a debate that takes more questions is not matched."""

_ABOUT_SHOWN = 300


class NamedArm(Struct, frozen=True):
    """One arm.

    Attributes:
        name: Its name in the report, e.g. ``self:claude``.
        kind: One of ``KINDS``.
        seats: The seats that answer, by their places in the request.
    """

    name: str
    kind: str
    seats: tuple[int, ...]


def arms_of(names: Sequence[str], seats: Sequence[base.Participant], arms: Arms) -> tuple[NamedArm, ...]:
    """Return the arms of these ``names``, in the order of a report; ``single`` is one for each tool that has a seat.

    Raises:
        UsageError: There is no such arm, it is named twice, or the format does not have it.
    """
    tools = {base.spelled_tool(seat.tool, seat.model): place for place, seat in reversed(list(enumerate(seats)))}
    by_name: dict[str, NamedArm] = {}
    for name in names:
        kind, _, tool = name.partition(":")
        if kind not in KINDS or (tool and (kind not in _OF_ONE_SEAT or tool not in tools)):
            named = ", ".join(f"{each}[:TOOL]" if each in _OF_ONE_SEAT else each for each in KINDS)
            raise UsageError(
                f"There is no arm {name!r}; the arms are {named}, and the tools {', '.join(sorted(tools))}."
            )
        if (kind == "revise" and arms.revise is None) or (kind == "placebo" and arms.placebo is None):
            raise UsageError(f"This format has no arm {kind}.", hint="Leave it out of --arms.")
        for each in ([tool] if tool else sorted(tools, key=tools.__getitem__)) if kind in _OF_ONE_SEAT else [""]:
            full = f"{kind}:{each}" if each else kind
            if full in by_name:
                raise UsageError(f"The arm {full} is named twice.")
            by_name[full] = NamedArm(full, kind, (tools[each],) if each else tuple(range(len(seats))))
    return tuple(sorted(by_name.values(), key=lambda arm: (KINDS.index(arm.kind), arm.seats)))


class ArmRun(Struct, frozen=True):
    """A run of an arm on a row.

    Attributes:
        key: In the ledger.
        seconds: Time of its questions, where those of a step count once.
    """

    run: runs.Run
    key: str
    seconds: float


class _OneReply:
    """Puts a question through the ledger, and remembers a failure that the ledger does not keep.

    Such a failure cost nothing, and the next call of the program asks again; within this one it is the reply for all
    arms.
    """

    def __init__(
        self, exchanges: Exchanges, failures: dict[bytes, Failure], inner: WaitingConsultant, tool: str
    ) -> None:
        self._exchanges = exchanges
        self._failures = failures
        self._inner = inner
        self._tool = tool
        self.waited_s = 0.0

    async def ask(self, question: Question) -> Reply:
        """See ``Consultant``."""
        digest = self._exchanges.keys(question, self._tool).digest
        if digest in self._failures:
            return self._failures[digest]
        reply = await self._inner.ask(question)
        self.waited_s = self._inner.waited_s
        if isinstance(reply, Failure) and reply.code in runs.FREE_FAILURES:
            return self._failures.setdefault(digest, reply)
        return reply


class ArmRuns:
    """Runs requests about rows through the ledger. Earlier answers, of any arm or process, cost nothing."""

    def __init__(self, app: App, requests: RowRequests, exchanges: Exchanges, at_once: int) -> None:
        self._app = app
        self._format = requests.format
        self._requests = requests
        self._exchanges = exchanges
        self._places = anyio.Semaphore(at_once)
        self._numbers = 0
        self._failures = dict[bytes, Failure]()

    @property
    def asked(self) -> int:
        """Questions of this process."""
        return self._exchanges.use.asked

    async def request(self, row: BatchRow) -> runs.Request:
        """Return the request of the format as it is, about ``row``; raises ``UsageError``."""
        return await self._requests.request_of(row)

    async def of_each(
        self, rows: Sequence[BatchRow], request: Callable[[BatchRow], Awaitable[runs.Request]]
    ) -> dict[int, ArmRun]:
        """Return a run for each of ``rows``, by their numbers; those for which a limit has no room are missing."""
        runs_made = dict[int, ArmRun]()

        async def run(row: BatchRow) -> None:
            try:
                made = await self._run(row, await request(row))
                if made:
                    runs_made[row.number] = made
            finally:
                self._places.release()

        with raising_first():
            async with self._app.roster.connections.acquired(), anyio.create_task_group() as group:
                for row in rows:
                    await self._places.acquire()
                    group.start_soon(run, row)
        return runs_made

    async def _run(self, row: BatchRow, request: runs.Request) -> ArmRun | None:
        self._numbers += 1
        owner = Owner(f"run{self._numbers}")
        async with self._exchanges.admitted(owner, RunNeed()) as refusal:
            if refusal:
                return None
            header, journal = self._requests.header(request), RowJournal()
            outcome = await self._requests.deliberate(header, journal, partial(self._through, owner))
        run = finished(header, journal.turns, outcome, runs.spent(journal.turns))
        key = self._key(row, request)
        result, body = result_of(self._format, run, key, with_quotes=False), run_record(header, journal.steps, owner)
        await self._exchanges.ledger.keep_row(RowToKeep(key, is_complete=True, result=packed(result), run=body))
        return ArmRun(run, key.hex(), sum(map(_seconds, journal.steps)))

    def _through(self, owner: Owner, ask: Ask, inner: Consultant, tool: base.ToolName) -> WaitingConsultant:
        through = self._exchanges.consultant(owner, ask, inner, tool)
        return _OneReply(self._exchanges, self._failures, through, tool)

    def _key(self, row: BatchRow, request: runs.Request) -> bytes:
        """Key of a run of an evaluation: never that of a row of a batch, where a failure is asked again."""
        text = request.model_dump_json(exclude=runs.CIRCUMSTANTIAL)
        settings = hashlib.sha256(b"evaluation" + self._requests.settings.digest + text.encode()).digest()[:6]
        return key_maker(self._format.name, settings)(row)


def _seconds(step: Sequence[Turn]) -> float:
    """Time of the questions of a step, which are concurrent."""
    return max((turn.reply.duration_ms for turn in step if turn.role is not base.Role.VERIFIER), default=0) / 1000


@asynccontextmanager
async def opened(app: App, job: Job, requests: RowRequests, notify: Callable[[str], None]) -> AsyncGenerator[ArmRuns]:
    """Open the ledger for the runs of an evaluation.

    Raises:
        SparringError: The ledger cannot be opened, or another process has other limits for the same evaluation.
    """
    app.roster.sweep()
    parts = json.dumps(["evaluation", job.kind, requests.settings.digest.hex(), list(job.inputs)])
    batch = hashlib.sha256(parts.encode()).hexdigest()[:16]
    async with exchanges_of(app, job, requests, lambda _: batch, notify) as exchanges:
        exchanges.keeps_failures = True
        yield ArmRuns(app, requests, exchanges, job.concurrent_rows)


class ArmsAsked(Struct, frozen=True):
    """Arms to ask about the rows, and the settings that all of them share.

    Attributes:
        budget: The quantity that is equal between arms.
        seed: Seed for the order in which rows get further samples, and for the positions that the placebo shows.
        gate: The arm that is also evaluated after code, which decides some rows first; empty: none.
        groups: The group of a row, by its number.
    """

    arms: tuple[NamedArm, ...]
    budget: SpendUnit
    seed: int
    gate: str = ""
    groups: Mapping[int, str] = field(default_factory=dict[int, str])


class Evaluator:
    """Asks all arms about rows."""

    def __init__(self, arm_runs: ArmRuns, variations: Arms, asked: ArmsAsked) -> None:
        self._runs = arm_runs
        self._vary = variations
        self._asked = asked

    async def answers(self, rows: Sequence[BatchRow]) -> list[EvaluatedRow]:
        """Return the answers of all arms; rows that did not fit a limit are missing.

        Arms get equal spends over the rows that are given together.

        Raises:
            UsageError: The budget is in a unit that a tool does not report.
            SparringError: Answers cannot be stored.
        """
        kinds = {arm.kind for arm in self._asked.arms}
        debated = dict[int, ArmRun]()
        if kinds & {DEBATE, "revise", "placebo", VOTE, "self"}:
            debated = await self._runs.of_each(rows, self._runs.request)
            rows = [row for row in rows if row.number in debated]
        target = self._target(debated) if DEBATE in kinds else None
        by_arm = {arm.name: await self._of_arm(arm, rows, debated, target) for arm in self._asked.arms}
        by_code = await self._by_code(rows) if self._asked.gate else {}
        first = await self._first_round(rows, debated)
        whole = [row for row in rows if all(row.number in each for each in by_arm.values())]
        return [self._evaluated(row, by_arm, first.get(row.number, ()), by_code.get(row.number)) for row in whole]

    async def _first_round(
        self, rows: Sequence[BatchRow], debated: Mapping[int, ArmRun]
    ) -> Mapping[int, tuple[SeatLabel, ...]]:
        """Return the blind answer of each seat, and the final one where the format has the same seats vote again."""
        votes = {number: self._vary.votes(each.run) for number, each in debated.items()}
        if any(votes.values()) or not any(arm.kind == VOTE for arm in self._asked.arms):
            return votes
        seats = next(arm.seats for arm in self._asked.arms if arm.kind == VOTE)
        alone = await self._sampled(rows, seats, dict.fromkeys(_numbers(rows), len(seats)))
        return {number: self._vary.votes(each.run) for number, each in alone.items()}

    def _evaluated(
        self,
        row: BatchRow,
        by_arm: Mapping[str, Mapping[int, ArmRow]],
        seats: tuple[SeatLabel, ...],
        by_code: str | None,
    ) -> EvaluatedRow:
        made = EvaluatedRow(
            row=row.number,
            row_id=row.row_id,
            about=one_line(next(iter(row.texts.values())), _ABOUT_SHOWN),
            group=self._asked.groups.get(row.number, ""),
            gold=row.gold,
            seats=seats,
            by_code=by_code,
            arms={name: answers[row.number] for name, answers in by_arm.items()},
        )
        if not self._asked.gate:
            return made
        behind = gated(made, self._asked.gate)
        return made.model_copy(update={"arms": {**made.arms, f"gate:{self._asked.gate}": behind}})

    def _target(self, debated: Mapping[int, ArmRun]) -> float:
        spend = summed(map(_use, debated.values())).of(self._asked.budget)
        if spend is None:
            unit = "token counts" if self._asked.budget is SpendUnit.TOKENS else "prices"
            raise UsageError(
                f"Arms cannot spend equal {self._asked.budget}: not every answer came with {unit}.",
                hint="Use --set budget=calls. Answers are kept and not paid for again.",
            )
        return spend

    async def _of_arm(
        self, arm: NamedArm, rows: Sequence[BatchRow], debated: Mapping[int, ArmRun], target: float | None
    ) -> dict[int, ArmRow]:
        match arm.kind:
            case "debate":
                return {row.number: self._decided(debated[row.number]) for row in rows}
            case "single":
                return self._voted(await self._sampled(rows, arm.seats, dict.fromkeys(_numbers(rows), 1)))
            case "vote" | "self":
                return self._voted(await self._filled(rows, arm.seats, target))
            case "revise":
                return await self._controlled(rows, debated, self._revised)
            case _:
                return await self._controlled(rows, debated, self._placebo(rows))

    def _decided(self, each: ArmRun) -> ArmRow:
        label = self._vary.label(each.run)
        return ArmRow(
            label=label,
            use=_use(each),
            run=each.key,
            failure="" if label else _failure(each.run),
            confidence=self._vary.confidence(each.run),
        )

    def _voted(self, made: Mapping[int, ArmRun]) -> dict[int, ArmRow]:
        rows = dict[int, ArmRow]()
        for number, each in made.items():
            votes = tuple(seat.blind for seat in self._vary.votes(each.run))
            label = counted(votes)
            rows[number] = ArmRow(
                label=label, votes=votes, use=_use(each), run=each.key, failure="" if label else _failure(each.run)
            )
        return rows

    async def _sampled(
        self, rows: Sequence[BatchRow], seats: Sequence[int], counts: Mapping[int, int]
    ) -> dict[int, ArmRun]:
        """Return blind runs of ``seats``, in turn, with so many samples of each row."""

        async def request(row: BatchRow) -> runs.Request:
            asked = tuple(islice(cycle(seats), counts[row.number]))
            return self._vary.blind(await self._runs.request(row), asked)

        return await self._runs.of_each(rows, request)

    async def _filled(self, rows: Sequence[BatchRow], seats: Sequence[int], target: float | None) -> dict[int, ArmRun]:
        """Return blind runs of ``seats`` with more samples until all rows together have used ``target``.

        Samples go to rows in turn, so that the number of two rows never differs by more than one. A run derives all of
        its samples again, so few passes are made: each of them adds three quarters of the missing spend, and the last
            ones a sample for some rows.
        """
        counts = dict.fromkeys(_numbers(rows), len(seats))
        sampled = await self._sampled(rows, seats, counts)
        order = random.Random(self._asked.seed).sample(list(rows), len(rows))  # noqa: S311 -- nothing secret
        turn = cycle([row.number for row in order if row.number in sampled])
        spend, samples = self._spent(sampled.values()), len(seats) * len(sampled)
        while target is not None and spend > 0:
            lacking = max(0, round((target - spend) * samples / spend))
            many = max(len(sampled), 3 * lacking // 4)
            added = Counter(islice(turn, min(lacking, many)))
            chosen = [row for row in rows if row.number in added and counts[row.number] < MOST_SAMPLES]
            if not chosen:
                break
            counts |= {row.number: min(MOST_SAMPLES, counts[row.number] + added[row.number]) for row in chosen}
            more = await self._sampled(chosen, seats, counts)
            if len(more) < len(chosen):  # a limit is reached: rows would differ in their samples
                asked = set(_numbers(chosen))
                return {number: each for number, each in sampled.items() if number not in asked} | more
            spend += self._spent(more.values()) - self._spent(sampled[number] for number in more)
            samples = sum(counts[number] for number in sampled)
            sampled |= more
        return sampled

    def _spent(self, made: Iterable[ArmRun]) -> float:
        """Return what the runs have used, in the unit of the budget; 0 where that is not known."""
        return summed(map(_use, made)).of(self._asked.budget) or 0.0

    async def _controlled(
        self,
        rows: Sequence[BatchRow],
        debated: Mapping[int, ArmRun],
        varied: Callable[[runs.Request, BatchRow, Mapping[int, ArmRun]], runs.Request],
    ) -> dict[int, ArmRow]:
        async def request(row: BatchRow) -> runs.Request:
            return varied(await self._runs.request(row), row, debated)

        return {number: self._decided(each) for number, each in (await self._runs.of_each(rows, request)).items()}

    def _revised(self, request: runs.Request, row: BatchRow, debated: Mapping[int, ArmRun]) -> runs.Request:
        if self._vary.revise is None:
            raise ValueError("the format has no arm revise")
        return self._vary.revise(request, debated[row.number].run)

    def _placebo(
        self, rows: Sequence[BatchRow]
    ) -> Callable[[runs.Request, BatchRow, Mapping[int, ArmRun]], runs.Request]:
        """Return what shows each row the positions of the next one, in an order that follows from the seed."""
        order = random.Random(self._asked.seed).sample(_numbers(rows), len(rows))  # noqa: S311 -- nothing secret
        donors = dict(zip(order, [*order[1:], *order[:1]], strict=True))

        def varied(request: runs.Request, row: BatchRow, debated: Mapping[int, ArmRun]) -> runs.Request:
            if self._vary.placebo is None:
                raise ValueError("the format has no arm placebo")
            return self._vary.placebo(request, debated[row.number].run, debated[donors[row.number]].run)

        return varied

    async def _by_code(self, rows: Sequence[BatchRow]) -> dict[int, str | None]:
        """Return the label that code alone gives each row; None where it leaves it open."""

        async def request(row: BatchRow) -> runs.Request:
            return self._vary.by_code(await self._runs.request(row))

        made = await self._runs.of_each(rows, request)
        labels = {number: self._vary.label(each.run) for number, each in made.items()}
        return {number: None if label == self._vary.open_label else label for number, label in labels.items()}


def _numbers(rows: Sequence[BatchRow]) -> list[int]:
    return [row.number for row in rows]


def _use(each: ArmRun) -> ArmUse:
    spent = each.run.spent
    return ArmUse(
        calls=spent.calls,
        tokens=None if spent.uncounted_calls else spent.tokens,
        cost_usd=None if spent.unpriced_calls else spent.cost_usd,
        seconds=each.seconds,
    )


def _failure(run: runs.Run) -> str:
    lost = runs.lost_seats(run.transcript.turns)
    return next((str(turn.failure.code) for turn in lost if turn.failure), NO_VERDICT)
