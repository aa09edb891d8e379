"""An evaluation from its table to its figures: the plan is written first, then the arms are asked, look by look."""

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import cast

import anyio
from anyio import to_thread
from msgspec import Struct
from pydantic import ValidationError

from sparring import __version__
from sparring.app import App
from sparring.batch.engine import RowRequests, format_of, options_of
from sparring.batch.job import Job
from sparring.batch.rows import BatchRow
from sparring.engine.format import Arms, Format
from sparring.errors import UsageError
from sparring.evaluation import statistics
from sparring.evaluation.arms import ArmsAsked, Evaluator, arms_of, opened
from sparring.evaluation.measure import ASSUMED_DISCORDANCE, DEBATE, VOTE, measured
from sparring.evaluation.price import SAMPLED, Priced, Pricing, earlier_answers
from sparring.evaluation.table import LabelledTable, labelled
from sparring.formats.registry import FORMATS
from sparring.schema import runs
from sparring.schema.base import utc_now
from sparring.schema.evaluation import (
    EvaluatedRow,
    Evaluation,
    EvaluationPlan,
    EvaluationVerdict,
    PlannedSeat,
    SpendUnit,
)
from sparring.store.files import read_bounded, replace_file

PLAN_FILE = "plan.json"
USUAL_ARMS = ("single", VOTE, DEBATE)

Notify = Callable[[str], None]


class EvaluationJob(Struct, frozen=True):
    """Settings of an evaluation.

    Attributes:
        job: The format, its options, the table, the ledger and the limits.
        arms: Names of arms.
        against: The arm that the others are compared with; empty: ``vote``, or else the first one.
        margin: The largest loss of accuracy that still counts as no worse, as a share.
        group: A column whose values are groups; empty: none.
        is_gated: Whether the arm of the first sentence is evaluated after code as well.
        looks: Numbers of rows after which the evaluation may stop.
    """

    job: Job
    arms: tuple[str, ...] = USUAL_ARMS
    budget: SpendUnit = SpendUnit.CALLS
    against: str = ""
    margin: float = 0.03
    group: str = ""
    is_gated: bool = False
    looks: tuple[int, ...] = ()
    seed: int = 1

    @property
    def folder(self) -> Path:
        """Folder for the plan and the results, as typed."""
        return Path(self.job.output)


class Evaluated(Struct, frozen=True):
    """An evaluation with the rows that it follows from."""

    evaluation: Evaluation
    rows: tuple[EvaluatedRow, ...]


class Evaluating:
    """An evaluation that is ready to begin: everything that could be refused has been."""

    def __init__(self, app: App, wanted: EvaluationJob) -> None:
        """Read the table and make the plan; asks no tool.

        Raises:
            SparringError: As for a batch; and where the rows, the arms or the settings cannot be evaluated.
        """
        _refuse(wanted)
        self._app = app
        self._wanted = wanted
        self._format, self._arms = _format_with_arms(wanted.job)
        self._requests = RowRequests(app, wanted.job, self._format)
        self.table = _table(app, wanted, self._requests)
        seats = self._arms.seats(self._requests.sample)
        if not seats:
            raise UsageError("An evaluation needs an AI tool.", hint="Name tools with --with.")
        self._named = arms_of(wanted.arms, seats, self._arms)
        self.plan = self._planned(seats)

    def _planned(self, seats: Sequence[object]) -> EvaluationPlan:
        wanted, count = self._wanted, len(self.table.rows)
        names = [arm.name for arm in self._named]
        against = wanted.against or (VOTE if VOTE in names else names[0])
        if against not in names:
            raise UsageError(f"against names {against!r}, which is not one of the arms: {', '.join(names)}.")
        if len(names) == 1:
            raise UsageError(f"{names[0]} is the only arm; there is nothing to compare it with.", hint="Add an arm.")
        about = DEBATE if DEBATE in names and against != DEBATE else [name for name in names if name != against][-1]
        looks = _looks(wanted.looks, count)
        priced = self._priced()
        return EvaluationPlan(
            format=self._format.name,
            arms=(*names, *([f"gate:{about}"] if wanted.is_gated else [])),
            about=about,
            against=against,
            seats=tuple(PlannedSeat.model_validate(seat, from_attributes=True) for seat in seats),
            options=self._options(),
            budget=wanted.budget,
            margin=wanted.margin,
            group=wanted.group,
            gate=about if wanted.is_gated else "",
            looks=looks,
            seed=wanted.seed,
            rows=count,
            assumed_discordance=ASSUMED_DISCORDANCE,
            rows_needed=statistics.planned_rows(ASSUMED_DISCORDANCE, min(wanted.margin, ASSUMED_DISCORDANCE)),
            detectable=statistics.detectable_difference(ASSUMED_DISCORDANCE, count),
            calls=priced.calls,
            price=priced.price,
            prompts_sha256=self._app.prompts.digest(self._format.name, FORMATS),
            table_sha256=self.table.sha256,
            sparring_version=__version__,
            declared_at=utc_now(),
        )

    def _options(self) -> dict[str, str]:
        """Return the options that are not left to the format: those that were typed, and the user's defaults."""
        options, _ = self._app.configuration.completed(options_of(self._wanted.job, self._format))
        rows = self._requests.rows
        named = options.model_fields_set - set(rows.texts(dict.fromkeys(rows.fields, "")))
        return {name: _spelled(getattr(options, name)) for name in sorted(named)}

    def _priced(self) -> Priced:
        rows = random.Random(self._wanted.seed).sample(  # noqa: S311 -- nothing secret
            self.table.rows, min(SAMPLED, len(self.table.rows))
        )

        async def requests() -> list[runs.Request]:
            return [await self._requests.request_of(row) for row in rows]

        with ThreadPoolExecutor(1) as thread:  # requests may be made by a loop of their own
            sample = thread.submit(anyio.run, requests).result()
        pricing = Pricing(self._format, self._arms, self._named, self._app.prompts, self._app.roster.is_paid)
        return pricing.of(sample, len(self.table.rows), earlier_answers(self._app, self._wanted.job.ledger))

    def declare(self) -> tuple[str, ...]:
        """Write the plan, unless one is there; return where this evaluation deviates from the one that is there.

        Raises:
            StoreError: It cannot be written.
        """
        path = self._app.settings.cwd / self._wanted.folder / PLAN_FILE
        content = read_bounded(path)
        if content is None:
            replace_file(path, self.plan.model_dump_json(indent=2).encode() + b"\n")
            return ()
        try:
            declared = EvaluationPlan.model_validate_json(content)
        except ValidationError as error:
            raise UsageError(f"{path} is not the plan of an evaluation.", hint="Name another --output.") from error
        estimate = {"calls": declared.calls, "price": declared.price}
        self.plan = self.plan.model_copy(update={"declared_at": declared.declared_at, **estimate})
        changed = [name for name in EvaluationPlan.model_fields if getattr(declared, name) != getattr(self.plan, name)]
        changes = ", ".join(name.replace("_", " ") for name in changed)
        return (f"The plan of {declared.declared_at:%Y-%m-%d %H:%M} UTC was changed: {changes}.",) if changed else ()

    async def evaluate(self, notify: Notify) -> Evaluated:
        """Ask all arms, and return the results.

        After an interruption at any moment, it is called again: answered questions are not asked again, and the result
        is the same.

        Raises:
            SparringError: Nothing can be evaluated, or answers cannot be stored.
        """
        deviations = await to_thread.run_sync(self.declare)
        rows = list[EvaluatedRow]()
        async with opened(self._app, self._wanted.job, self._requests, notify) as runs:
            asked = ArmsAsked(self._named, self.plan.budget, self.plan.seed, self.plan.gate, self.table.groups)
            evaluator = Evaluator(runs, self._arms, asked)
            for part in self._parts():
                rows += await evaluator.answers(part)
                if not rows:
                    raise UsageError("The limit has no room for a single row.", hint="Raise it; nothing is lost.")
                evaluation = measured(sorted(rows, key=lambda row: row.row), self.plan)
                if self.plan.looks:
                    notify(f"After {len(rows):,} rows: {evaluation.sentence}")
                if evaluation.verdict in {EvaluationVerdict.BETTER, EvaluationVerdict.WORSE}:
                    break
        rows.sort(key=lambda row: row.row)
        return Evaluated(measured(rows, self.plan, deviations), tuple(rows))

    def _parts(self) -> Iterator[Sequence[BatchRow]]:
        """Yield the rows of each look; in an order that follows from the seed, since tables are often sorted."""
        rows = self.table.rows
        if not self.plan.looks:
            yield rows
            return
        order = random.Random(self.plan.seed).sample(rows, len(rows))  # noqa: S311 -- nothing secret
        for begin, end in pairwise((0, *self.plan.looks)):
            yield order[begin:end]


def _spelled(value: object) -> str:
    return ",".join(map(str, cast("tuple[object, ...]", value))) if isinstance(value, tuple) else str(value)


def _refuse(wanted: EvaluationJob) -> None:
    if not 0 < wanted.margin < 0.5:
        raise UsageError(f"margin is a share between 0 and 0.5, such as 0.03; it is {wanted.margin:g}.")
    if list(wanted.looks) != sorted(set(wanted.looks)) or any(look < 1 for look in wanted.looks):
        raise UsageError("look takes growing numbers of rows, such as 100,200,400.")


def _looks(wanted: tuple[int, ...], rows: int) -> tuple[int, ...]:
    looks = tuple(look for look in wanted if look < rows)
    return (*looks, rows) if looks else ()


def _format_with_arms(job: Job) -> tuple[Format, Arms]:
    known = [name for name in FORMATS if (rows := FORMATS[name].rows) and rows.arms]
    if job.kind not in known:
        if reason := FORMATS[job.kind].not_evaluated if job.kind in FORMATS else "":
            raise UsageError(f"{job.kind} cannot be evaluated on labelled rows. {reason}")
        raise UsageError(f"{job.kind!r} cannot be evaluated on labelled rows; what can: {', '.join(known)}.")
    format_ = format_of(job)
    arms = format_.rows.arms if format_ and format_.rows else None
    if format_ is None or arms is None:
        raise UsageError(f"{job.kind} has no arms.")
    return format_, arms


def _table(app: App, wanted: EvaluationJob, requests: RowRequests) -> LabelledTable:
    return labelled(wanted.job, requests.rows, wanted.group, app.settings.cwd, requests.with_shown_names)
