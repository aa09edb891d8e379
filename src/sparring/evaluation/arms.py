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
from sparring.app.exchanges.session import Exchanges, RunOwner
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
    first_seats = dict[str, int]()  # by tool; a tool with several seats answers in the first of them
    for place, seat in enumerate(seats):
        first_seats.setdefault(base.spelled_tool(seat.tool, seat.model), place)

    by_name: dict[str, NamedArm] = {}
    for name in names:
        kind, _, tool = name.partition(":")
        is_of_one_seat = kind in _OF_ONE_SEAT
        if kind not in KINDS or (tool and not (is_of_one_seat and tool in first_seats)):
            kinds = ", ".join(f"{known}[:TOOL]" if known in _OF_ONE_SEAT else known for known in KINDS)
            tools = ", ".join(sorted(first_seats))
            raise UsageError(f"There is no arm {name!r}; the arms are {kinds}, and the tools {tools}.")
        if (kind == "revise" and arms.revise is None) or (kind == "placebo" and arms.placebo is None):
            raise UsageError(f"This format has no arm {kind}.", hint="Leave it out of --arms.")

        if not is_of_one_seat:
            wanted = [NamedArm(kind, kind, tuple(range(len(seats))))]
        elif tool:
            wanted = [NamedArm(name, kind, (first_seats[tool],))]
        else:
            wanted = [NamedArm(f"{kind}:{tool}", kind, (place,)) for tool, place in first_seats.items()]
        for arm in wanted:
            if arm.name in by_name:
                raise UsageError(f"The arm {arm.name} is named twice.")
            by_name[arm.name] = arm
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
        owner = RunOwner(f"run{self._numbers}")
        async with self._exchanges.admitted(owner, RunNeed()) as refusal:
            if refusal:
                return None
            header, journal = self._requests.header(request), RowJournal()
            outcome = await self._requests.deliberate(header, journal, partial(self._through, owner))
        run = finished(header, journal.turns, outcome, runs.spent(journal.turns))
        key = self._key(row, request)
        result = packed(result_of(self._format, run, key, with_quotes=False))
        record = run_record(header, journal.steps, owner)
        await self._exchanges.ledger.keep_row(RowToKeep(key, is_complete=True, result=result, run=record))
        return ArmRun(run, key.hex(), sum(map(_seconds, journal.steps)))

    def _through(self, owner: RunOwner, ask: Ask, inner: Consultant, tool: base.ToolName) -> WaitingConsultant:
        through = self._exchanges.consultant(owner, ask, inner, tool)
        return _OneReply(self._exchanges, self._failures, through, tool)

    def _key(self, row: BatchRow, request: runs.Request) -> bytes:
        """Key of a run of an evaluation: never that of a row of a batch, where a failure is asked again."""
        text = request.model_dump_json(exclude=runs.CIRCUMSTANTIAL)
        settings = hashlib.sha256(b"evaluation" + self._requests.settings.digest + text.encode()).digest()[:6]
        return key_maker(self._format.name, settings)(row)


def _seconds(step: Sequence[Turn]) -> float:
    """Return the time of the questions of a step, which are concurrent; code's own turns take none."""
    durations_ms = [turn.reply.duration_ms for turn in step if turn.role is not base.Role.VERIFIER]
    return max(durations_ms, default=0) / 1000


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
        # Only single answers do without the debate: the other arms read its turns, or spend as much as it does.
        if kinds - {"single"}:
            debated = await self._runs.of_each(rows, self._runs.request)
            rows = [row for row in rows if row.number in debated]
        target = self._target(debated) if DEBATE in kinds else None
        by_arm = {arm.name: await self._of_arm(arm, rows, debated, target) for arm in self._asked.arms}
        by_code = await self._by_code(rows) if self._asked.gate else {}
        seat_labels = await self._seat_labels(rows, debated)

        evaluated = list[EvaluatedRow]()
        for row in rows:
            if all(row.number in of_arm for of_arm in by_arm.values()):
                arms = {name: of_arm[row.number] for name, of_arm in by_arm.items()}
                seats = seat_labels.get(row.number, ())
                evaluated.append(self._evaluated(row, arms, seats, by_code.get(row.number)))
        return evaluated

    async def _seat_labels(
        self, rows: Sequence[BatchRow], debated: Mapping[int, ArmRun]
    ) -> Mapping[int, tuple[SeatLabel, ...]]:
        """Return the blind answer of each seat, and the final one where the format has the same seats vote again."""
        labels = {number: self._vary.votes(debate.run) for number, debate in debated.items()}
        vote = next((arm for arm in self._asked.arms if arm.kind == VOTE), None)
        if any(labels.values()) or vote is None:
            return labels
        # In this format nobody votes blind within the debate. The first sample of the arm "vote" is such a round.
        blind = await self._sampled(rows, vote.seats, dict.fromkeys(_numbers(rows), len(vote.seats)))
        return {number: self._vary.votes(run.run) for number, run in blind.items()}

    def _evaluated(
        self, row: BatchRow, arms: Mapping[str, ArmRow], seats: tuple[SeatLabel, ...], by_code: str | None
    ) -> EvaluatedRow:
        evaluated = EvaluatedRow(
            row=row.number,
            row_id=row.row_id,
            about=one_line(next(iter(row.texts.values())), _ABOUT_SHOWN),
            group=self._asked.groups.get(row.number, ""),
            gold=row.gold,
            seats=seats,
            by_code=by_code,
            arms=arms,
        )
        gate = self._asked.gate
        if not gate:
            return evaluated
        return evaluated.model_copy(update={"arms": {**arms, f"gate:{gate}": gated(evaluated, gate)}})

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
                sampled = await self._sampled(rows, arm.seats, dict.fromkeys(_numbers(rows), 1))
                return {number: self._voted(run) for number, run in sampled.items()}
            case "vote" | "self":
                sampled = await self._filled(rows, arm.seats, target)
                return {number: self._voted(run) for number, run in sampled.items()}
            case "revise":
                return await self._controlled(rows, debated, self._revised)
            case _:
                return await self._controlled(rows, debated, self._placebo(rows))

    def _decided(self, arm_run: ArmRun) -> ArmRow:
        """Return the answer of a run that reaches a verdict of its own."""
        label = self._vary.label(arm_run.run)
        return ArmRow(
            label=label,
            use=_use(arm_run),
            run=arm_run.key,
            failure="" if label else _failure(arm_run.run),
            confidence=self._vary.confidence(arm_run.run),
        )

    def _voted(self, arm_run: ArmRun) -> ArmRow:
        """Return the answer of a blind run: the label with most votes of its samples."""
        votes = tuple(seat.blind for seat in self._vary.votes(arm_run.run))
        label = counted(votes)
        return ArmRow(
            label=label,
            votes=votes,
            use=_use(arm_run),
            run=arm_run.key,
            failure="" if label else _failure(arm_run.run),
        )

    async def _sampled(
        self, rows: Sequence[BatchRow], seats: Sequence[int], counts: Mapping[int, int]
    ) -> dict[int, ArmRun]:
        """Return blind runs of ``seats``, in turn, with so many samples of each row."""

        async def request(row: BatchRow) -> runs.Request:
            seats_of_samples = tuple(islice(cycle(seats), counts[row.number]))
            return self._vary.blind(await self._runs.request(row), seats_of_samples)

        return await self._runs.of_each(rows, request)

    async def _filled(self, rows: Sequence[BatchRow], seats: Sequence[int], target: float | None) -> dict[int, ArmRun]:
        """Return blind runs of ``seats`` with more samples until all rows together have used ``target``.

        Samples go to rows in turn, so that the number of two rows never differs by more than one. A run derives all of
        its samples again, so few passes are made: each of them adds three quarters of the missing spend, and the last
        ones a sample for some rows.
        """
        counts = dict.fromkeys(_numbers(rows), len(seats))
        sampled = await self._sampled(rows, seats, counts)
        if target is None:
            return sampled
        order = random.Random(self._asked.seed).sample(list(rows), len(rows))  # noqa: S311 -- nothing secret
        turns = cycle([row.number for row in order if row.number in sampled])
        spend, samples = self._spent(sampled.values()), len(seats) * len(sampled)
        while spend > 0:
            # Samples differ in their price, so only a part of what seems to be missing is asked at once.
            missing = max(0, round((target - spend) * samples / spend))
            in_this_pass = min(missing, max(len(sampled), 3 * missing // 4))
            added = Counter(islice(turns, in_this_pass))
            chosen = [row for row in rows if row.number in added and counts[row.number] < MOST_SAMPLES]
            if not chosen:
                break
            for row in chosen:
                counts[row.number] = min(MOST_SAMPLES, counts[row.number] + added[row.number])
            resampled = await self._sampled(chosen, seats, counts)
            if len(resampled) < len(chosen):
                # A limit is reached. Rows that were to get more samples and did not would be at a disadvantage: they
                # are left out.
                chosen_numbers = set(_numbers(chosen))
                unchanged = {number: run for number, run in sampled.items() if number not in chosen_numbers}
                return unchanged | resampled
            spend += self._spent(resampled.values()) - self._spent(sampled[number] for number in resampled)
            samples = sum(counts[number] for number in sampled)
            sampled |= resampled
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

        arm_runs = await self._runs.of_each(rows, request)
        return {number: self._decided(run) for number, run in arm_runs.items()}

    def _revised(self, request: runs.Request, row: BatchRow, debated: Mapping[int, ArmRun]) -> runs.Request:
        if self._vary.revise is None:
            raise ValueError("the format has no arm revise")
        return self._vary.revise(request, debated[row.number].run)

    def _placebo(
        self, rows: Sequence[BatchRow]
    ) -> Callable[[runs.Request, BatchRow, Mapping[int, ArmRun]], runs.Request]:
        """Return a variation that shows each row the positions of the next one, in an order that the seed decides."""
        order = random.Random(self._asked.seed).sample(_numbers(rows), len(rows))  # noqa: S311 -- nothing secret
        rotated = [*order[1:], *order[:1]]
        donors = dict(zip(order, rotated, strict=True))

        def varied(request: runs.Request, row: BatchRow, debated: Mapping[int, ArmRun]) -> runs.Request:
            if self._vary.placebo is None:
                raise ValueError("the format has no arm placebo")
            return self._vary.placebo(request, debated[row.number].run, debated[donors[row.number]].run)

        return varied

    async def _by_code(self, rows: Sequence[BatchRow]) -> dict[int, str | None]:
        """Return the label that code alone gives each row; None where it leaves it open."""

        async def request(row: BatchRow) -> runs.Request:
            return self._vary.by_code(await self._runs.request(row))

        arm_runs = await self._runs.of_each(rows, request)
        labels = {number: self._vary.label(run.run) for number, run in arm_runs.items()}
        return {number: None if label == self._vary.open_label else label for number, label in labels.items()}


def _numbers(rows: Sequence[BatchRow]) -> list[int]:
    return [row.number for row in rows]


def _use(arm_run: ArmRun) -> ArmUse:
    """Return the use of a run; a total to which an answer contributed no figure is unknown."""
    spent = arm_run.run.spent
    return ArmUse(
        calls=spent.calls,
        tokens=None if spent.uncounted_calls else spent.tokens,
        cost_usd=None if spent.unpriced_calls else spent.cost_usd,
        seconds=arm_run.seconds,
    )


def _failure(run: runs.Run) -> str:
    """Return the code of the first failure that cost a seat its answer; ``NO_VERDICT`` where all seats answered."""
    for turn in runs.lost_seats(run.transcript.turns):
        if turn.failure:
            return str(turn.failure.code)
    return NO_VERDICT
