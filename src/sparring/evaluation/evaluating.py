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
from sparring.batch.engine import RowRequests, options_of
from sparring.batch.job import Job
from sparring.batch.rows import BatchRow
from sparring.engine.format import Arms, Format
from sparring.errors import UsageError
from sparring.evaluation import statistics
from sparring.evaluation.arms import ArmsAsked, Evaluator, arms_of, opened
from sparring.evaluation.measure import ASSUMED_DISCORDANCE, DEBATE, VOTE, measured
from sparring.evaluation.price import SAMPLED, Priced, Pricing, earlier_answers
from sparring.evaluation.table import labelled
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
        self.table = labelled(
            wanted.job, self._requests.rows, wanted.group, app.settings.cwd, self._requests.with_shown_names
        )
        seats = self._arms.seats(self._requests.sample)
        if not seats:
            raise UsageError("An evaluation needs an AI tool.", hint="Name tools with --with.")
        self._named = arms_of(wanted.arms, seats, self._arms)
        self.plan = self._planned(seats)

    def _planned(self, seats: Sequence[object]) -> EvaluationPlan:
        wanted = self._wanted
        names = tuple(arm.name for arm in self._named)
        about, against = _sides(names, wanted.against)
        arms, gate = names, ""
        if wanted.is_gated:
            arms, gate = (*names, f"gate:{about}"), about
        # No difference of accuracies is larger than the share of discordant rows.
        difference = min(wanted.margin, ASSUMED_DISCORDANCE)
        count = len(self.table.rows)
        looks = tuple(look for look in wanted.looks if look < count)
        priced = self._priced()
        return EvaluationPlan(
            format=self._format.name,
            arms=arms,
            about=about,
            against=against,
            seats=tuple(PlannedSeat.model_validate(seat, from_attributes=True) for seat in seats),
            options=self._options(),
            budget=wanted.budget,
            margin=wanted.margin,
            group=wanted.group,
            gate=gate,
            looks=(*looks, count) if looks else (),
            seed=wanted.seed,
            rows=count,
            assumed_discordance=ASSUMED_DISCORDANCE,
            rows_needed=statistics.planned_rows(ASSUMED_DISCORDANCE, difference),
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
        given_by_rows = set(rows.texts(dict.fromkeys(rows.fields, "")))
        spelled = dict[str, str]()
        for name in sorted(options.model_fields_set - given_by_rows):
            value = getattr(options, name)
            is_list = isinstance(value, tuple)
            spelled[name] = ",".join(map(str, cast("tuple[object, ...]", value))) if is_list else str(value)
        return spelled

    def _priced(self) -> Priced:
        count = min(SAMPLED, len(self.table.rows))
        rows = random.Random(self._wanted.seed).sample(self.table.rows, count)  # noqa: S311 -- nothing secret

        async def requests() -> list[runs.Request]:
            return [await self._requests.request_of(row) for row in rows]

        with ThreadPoolExecutor(1) as thread:  # a thread of its own, since this one may already run an event loop
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
        # The time and the estimate are those of the first start: answers since then make the estimate another one.
        self.plan = self.plan.model_copy(
            update={"declared_at": declared.declared_at, "calls": declared.calls, "price": declared.price}
        )
        changed = [name for name in EvaluationPlan.model_fields if getattr(declared, name) != getattr(self.plan, name)]
        if not changed:
            return ()
        changes = ", ".join(name.replace("_", " ") for name in changed)
        return (f"The plan of {declared.declared_at:%Y-%m-%d %H:%M} UTC was changed: {changes}.",)

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


def _sides(arms: Sequence[str], against: str) -> tuple[str, str]:
    """Return the arm that the first sentence is about, and the one that all others are compared with.

    Args:
        arms: Names of arms, in the order of a report.
        against: The latter, as the user named it; empty: ``vote``, or else the first arm.
    """
    against = against or (VOTE if VOTE in arms else arms[0])
    if against not in arms:
        raise UsageError(f"against names {against!r}, which is not one of the arms: {', '.join(arms)}.")
    others = [arm for arm in arms if arm != against]
    if not others:
        raise UsageError(f"{arms[0]} is the only arm; there is nothing to compare it with.", hint="Add an arm.")
    return DEBATE if DEBATE in others else others[-1], against


def _refuse(wanted: EvaluationJob) -> None:
    if not 0 < wanted.margin < 0.5:
        raise UsageError(f"margin is a share between 0 and 0.5, such as 0.03; it is {wanted.margin:g}.")
    if list(wanted.looks) != sorted(set(wanted.looks)) or any(look < 1 for look in wanted.looks):
        raise UsageError("look takes growing numbers of rows, such as 100,200,400.")


def _format_with_arms(job: Job) -> tuple[Format, Arms]:
    if job.kind in FORMATS:
        format_ = FORMATS[job.kind]
        if format_.rows and format_.rows.arms:
            return format_, format_.rows.arms
        if format_.not_evaluated:
            raise UsageError(f"{job.kind} cannot be evaluated on labelled rows. {format_.not_evaluated}")
    evaluated = [name for name in FORMATS if (rows := FORMATS[name].rows) and rows.arms]
    raise UsageError(f"{job.kind!r} cannot be evaluated on labelled rows; what can: {', '.join(evaluated)}.")
