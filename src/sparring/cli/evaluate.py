"""The command ``sparring evaluate``: a plan, or an evaluation with its files; the exit code suits CI."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import anyio
import typer
from msgspec import Struct
from msgspec.structs import fields, replace

from sparring.app import App
from sparring.batch.job import Job, typed_limits
from sparring.cli import parsing, printing, runs
from sparring.cli.invocation import invocation
from sparring.errors import ExitCode, UsageError
from sparring.evaluation import output
from sparring.evaluation.evaluating import Evaluating, EvaluationJob
from sparring.evaluation.example import example_table
from sparring.evaluation.report import plan_lines, report_of
from sparring.evaluation.statistics import ALPHA
from sparring.formats.registry import FORMATS
from sparring.participants.options import Option, plain_type, valid
from sparring.schema.evaluation import Evaluation, EvaluationPlan, EvaluationVerdict, SpendUnit
from sparring.store.files import replace_file
from sparring.text.tidying import no_setting, one_line, setting_name

T = TypeVar("T")
NO_WORSE = "no-worse"
EXAMPLE_FILE = "example.jsonl"
_SHOWN = 60


class TypedOptions(Struct, frozen=True):
    """Options of the command as typed, before they are checked."""

    rows: str
    example: bool
    format: str
    arms: str
    budget: str
    against: str
    margin: float
    group: str
    gate: str
    plan: bool
    look: str
    seed: int
    output: str
    participants: str
    option: Sequence[str]
    column: Sequence[str]
    ledger: str
    at_once: int | None
    fresh: bool
    max_calls: int | None
    max_tokens: int | None
    max_cost: str
    asserts: str


def evaluate(typed: TypedOptions, *, as_json: bool) -> None:
    """Plan or evaluate; exit code 4 where rows lack an answer of an arm, 1 where the assertion is not supported."""
    with printing.reporting_errors(as_json=as_json):
        if typed.asserts not in {"", NO_WORSE}:
            raise UsageError(f"--assert takes {NO_WORSE}, and not {typed.asserts!r}.")
        app = App(invocation().settings())
        if typed.example == bool(typed.rows):
            raise UsageError("An evaluation takes a table or --example, and not both.", hint="Name a table of rows.")
        if typed.example:
            typed = replace(typed, rows=f"{typed.output}/{EXAMPLE_FILE}", group=typed.group or "kind")
            replace_file(app.settings.cwd / typed.rows, example_table())
        evaluating = Evaluating(app, evaluation_job(typed))
        if typed.plan:
            for deviation in evaluating.declare():
                printing.print_notice(deviation)
            printing.print_result(evaluating.plan, lambda plan: "\n".join(plan_lines(plan)), as_json=as_json)
            return
        for line in (*plan_lines(evaluating.plan), *_too_little(typed, evaluating.plan)):
            printing.print_notice(line)
        evaluation = anyio.run(runs.until_done_or_stopped, lambda: evaluating.evaluate(printing.print_notice))
        if evaluation is None:
            printing.print_stopped(runs.WAY_ON, as_json=as_json)
        paths = output.write(app, evaluation, app.settings.cwd / typed.output, typed.ledger)
        printing.print_result(evaluation.evaluation, report_of, as_json=as_json)
        printing.print_notice(f"Written: {', '.join(str(path) for path in paths)}")
        raise typer.Exit(exit_code(evaluation.evaluation, typed.asserts))


def exit_code(evaluation: Evaluation, asserts: str) -> ExitCode:
    """Return the exit code: the assertion comes first, then whether every row was evaluated."""
    if asserts and not is_no_worse(evaluation):
        return ExitCode.FAILED
    stopped = evaluation.plan.looks and evaluation.verdict in {EvaluationVerdict.BETTER, EvaluationVerdict.WORSE}
    return ExitCode.DONE if evaluation.rows == evaluation.plan.rows or stopped else ExitCode.NO_VERDICT


def _too_little(typed: TypedOptions, plan: EvaluationPlan) -> Iterator[str]:
    if typed.max_calls is not None and typed.max_calls < plan.price.calls:
        yield (
            f"[WARN] The limit of {typed.max_calls:,} calls is less than the about {plan.price.calls:,} that these "
            "arms take: rows will be left out. Take fewer rows or arms, or raise it."
        )


def is_no_worse(evaluation: Evaluation) -> bool:
    """Return whether the rows show that the arm of the first sentence is better, or no worse within the margin."""
    pair = next(pair for pair in evaluation.pairs if pair.arm == evaluation.plan.about)
    if pair.verdict is EvaluationVerdict.WORSE:
        return False
    return pair.verdict is EvaluationVerdict.BETTER or pair.tost.p_no_worse <= ALPHA


def evaluation_job(typed: TypedOptions) -> EvaluationJob:
    """Return the typed options as an evaluation; raises ``UsageError``."""
    if typed.budget not in set(SpendUnit):
        raise UsageError(f"budget takes {', '.join(SpendUnit)}, and not {one_line(repr(typed.budget), _SHOWN)}.")
    if typed.gate not in {"", "code"}:
        raise UsageError(f"--gate takes code, and not {one_line(repr(typed.gate), _SHOWN)}.")
    options: dict[str, Any] = _options(typed)
    if typed.participants:
        options["participants"] = typed.participants
    limits = valid(
        lambda: typed_limits(max_calls=typed.max_calls, max_tokens=typed.max_tokens, max_cost=typed.max_cost)
    )
    job = Job(
        kind=typed.format,
        inputs=(typed.rows,),
        output=typed.output,
        options=options,
        columns=typed.column,
        ledger=typed.ledger,
        at_once=typed.at_once,
        limits=limits,
        is_fresh=typed.fresh,
    )
    return EvaluationJob(
        job=job,
        arms=tuple(name.strip() for name in typed.arms.split(",") if name.strip()),
        budget=SpendUnit(typed.budget),
        against=typed.against,
        margin=typed.margin,
        group=typed.group,
        is_gated=bool(typed.gate),
        looks=_looks(typed.look),
        seed=typed.seed,
    )


def _options(typed: TypedOptions) -> dict[str, Any]:
    """Return the options of the format that were set, by field; a repeatable option has all its values."""
    names = _option_names(typed.format)
    pairs = [spelled.partition("=") for spelled in typed.option]
    values = dict[str, Any]()
    for name, _, value in pairs:
        if names and name not in names:
            known = [*names, *(field.name for field in fields(typed))]
            raise UsageError(no_setting(name, known), hint=parsing.WHERE_SETTINGS)
        field = FORMATS[typed.format].options.model_fields[names[name]] if names else None
        is_list = field is not None and plain_type(field) == tuple[str, ...]
        values[names.get(name, name)] = (*values.get(names[name], ()), value) if is_list else value
    return values


def _option_names(format_: str) -> dict[str, str]:
    """Return the names by which options of a format can be set, each with its field; none if it is not evaluated."""
    rows = FORMATS[format_].rows if format_ in FORMATS else None
    if rows is None or rows.arms is None:
        return {}
    described = {name: Option.of(field) for name, field in FORMATS[format_].options.model_fields.items()}
    typed = {setting_name(each): name for name, option in described.items() for each in option.typed(name)}
    return typed | {name: name for name in described}


def _looks(spelled: str) -> tuple[int, ...]:
    parts = [part.strip() for part in spelled.split(",") if part.strip()]
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise UsageError(f"look takes numbers of rows, such as 100,200,400, and not {one_line(repr(spelled), _SHOWN)}.")
    return tuple(map(int, parts))
