"""Job of a batch: its options and limits, its spelling on a command line, and the reading of its rows."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field
from pydantic import Field, PositiveFloat, PositiveInt

from sparring.batch.rows import BatchRow, Columns
from sparring.batch.tables import WHOLE, Shard, TableRow, blocks
from sparring.errors import UsageError
from sparring.schema.base import Record, ToolName
from sparring.schema.batch import Form
from sparring.schema.providers import AcpProvider, ApiProvider, CliProvider, ProviderSpec
from sparring.text.tidying import one_line

PROGRAMS_AT_ONCE = 4
"""Programs of one tool that run at the same time on a machine: each needs some hundred megabytes."""

APIS_AT_ONCE = 64
"""Concurrent requests to one API from a machine."""

_TOOL = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_SHOWN = 60
_DIGITS = 15  # JSON represents all numbers with this many digits exactly


class LimitRules(Record):
    """The limits of one batch, over all of its workers.

    Attributes:
        rpm: Requests a minute, by tool.
        tpm: Tokens a minute, by tool: of prompts and answers.
        at_once: Concurrent questions to a tool from one machine. A tool that is not named has no such limit
            (see ``with_usual_at_once``).
        max_cost_usd: Dollars for the whole batch; answers without a known price do not count.
        max_calls: Questions for the whole batch.
        max_tokens: Tokens for the whole batch; answers without a known token count do not count.
    """

    rpm: Mapping[ToolName, PositiveInt] = Field(default={})
    tpm: Mapping[ToolName, PositiveInt] = Field(default={})
    at_once: Mapping[ToolName, PositiveInt] = Field(default={})
    max_cost_usd: PositiveFloat | None = None
    max_calls: PositiveInt | None = None
    max_tokens: PositiveInt | None = None

    @property
    def tools(self) -> frozenset[ToolName]:
        """Return the tools that are named."""
        return frozenset({*self.rpm, *self.tpm, *self.at_once})

    def with_usual_at_once(self, specs: Iterable[ProviderSpec]) -> "LimitRules":
        """Return these rules, with the usual concurrency for those of ``specs`` that are not named."""
        usual = {spec.name: number for spec in specs if (number := usual_at_once(spec)) is not None}
        return self.model_copy(update={"at_once": {**usual, **self.at_once}})


def usual_at_once(spec: ProviderSpec) -> int | None:
    """Return how many questions a tool of that kind gets at once; None if it needs neither memory nor money."""
    match spec:
        case CliProvider() | AcpProvider():
            return PROGRAMS_AT_ONCE
        case ApiProvider():
            return APIS_AT_ONCE
        case _:
            return None


def numbers_by_tool(option: str, values: Sequence[str]) -> dict[ToolName, int]:
    """Parse ``values`` of ``option``, each spelled ``TOOL=N``.

    Raises:
        UsageError: One has another form, its number is invalid, or a tool has two.
    """
    numbers = dict[ToolName, int]()
    for value in values:
        tool, sign, text = (part.strip() for part in value.partition("="))
        if not sign or not _TOOL.fullmatch(tool):
            shown = one_line(repr(value), _SHOWN)
            raise UsageError(f"{option} takes TOOL=N, and not {shown}.", hint=f"Write e.g. --set {option}=openai=500.")
        number = _whole_number(option, text)
        if numbers.setdefault(tool, number) != number:
            raise UsageError(f"{option} gives {tool} two numbers.", hint="Leave one of them out.")
    return numbers


def _whole_number(option: str, text: str) -> int:
    digits = text.replace("_", "")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _DIGITS or int(digits) < 1:
        shown = one_line(repr(text), _SHOWN)
        raise UsageError(f"{option} takes a whole number from 1 on after the `=`, and not {shown}.")
    return int(digits)


def typed_limits(*, max_calls: int | None, max_tokens: int | None, max_cost: str | None, **rates: Any) -> LimitRules:
    """Return the limits that were typed; ``rates`` are further fields of ``LimitRules``.

    Raises:
        UsageError: ``max_cost`` is not an amount.
        ValidationError: A limit is out of its range.
    """
    cost = dollars("--max-cost", max_cost) if max_cost else None
    return LimitRules(max_calls=max_calls, max_tokens=max_tokens, max_cost_usd=cost, **rates)


def dollars(option: str, text: str) -> float:
    """Parse an amount in dollars, e.g. ``5`` or ``$0.50``.

    Raises:
        UsageError: The text is not an amount, or the amount is not positive.
    """
    try:
        amount = float(text.strip().removeprefix("$"))
    except ValueError:
        amount = math.nan
    if not (math.isfinite(amount) and amount > 0):
        raise UsageError(f"{option} takes dollars, e.g. `{option} 5`, and not {one_line(repr(text), _SHOWN)}.")
    return amount


BLOCK = 256
"""Rows that are read, and looked up in the ledger, together; processes that share a table divide it into these."""

USUAL_AT_ONCE = 64
USUAL_BY_BATCH = 1_000
"""Usual number of concurrent rows when tools are asked by batch: each adds a question to it."""

VERIFY = "verify"
"""Value of ``kind`` that is not a format: code alone checks the rows."""

NO_LIMITS = LimitRules()

Engine = Literal["local", "ray"]


class Job(Struct, frozen=True):
    """A table, the question about each of its rows, and the place of the results.

    Attributes:
        kind: The name of a format that judges tables, or ``verify``.
        inputs: Files, folders, globs or addresses of tables.
        output: The folder or address of the results.
        options: Options of the format, by the names of its fields.
        columns: Mapping of fields to columns, e.g. ``claim=Headline``.
        form: File format of the shards.
        ledger: Place of the answers: a file, or the address of a database; empty: the project's own.
        shard: The part of the table that belongs to this process.
        at_once: Rows that are judged concurrently; None: the usual number.
        processes: Number of processes that check rows, or of workers in a cluster; 0: chosen automatically.
        limits: Limits of usage and rates for all workers together.
        wall_s: Seconds after which unfinished work is left to the next call.
        is_fresh: Ask again about rows that were judged before.
        reuses_rows: Reuse results of the same row under other settings.
        is_gated: Let code decide the rows that it can, and ask only about the others.
        by_batch: Ask APIs by the batch interfaces of their providers.
        engine: One machine, or a cluster of many.
        address: Address of the cluster, such as ``ray://head:10001``, or ``auto`` for the one of this machine.
            Empty: that of ``RAY_ADDRESS``, or else a temporary cluster on this machine.
    """

    kind: str
    inputs: Sequence[str]
    output: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    columns: Sequence[str] = ()
    form: Form = "parquet"
    ledger: str = ""
    shard: Shard = WHOLE
    rows_per_shard: int = 10_000
    at_once: int | None = None
    processes: int = 0
    limits: LimitRules = NO_LIMITS
    wall_s: float | None = None
    is_fresh: bool = False
    reuses_rows: bool = False
    is_gated: bool = False
    by_batch: bool = False
    engine: Engine = "local"
    address: str = ""

    @property
    def concurrent_rows(self) -> int:
        """Return the number of rows judged concurrently: if APIs are asked by batch, enough to fill one."""
        return self.at_once if self.at_once is not None else USUAL_BY_BATCH if self.by_batch else USUAL_AT_ONCE


def rows_in(job: Job, columns: Columns, cwd: Path, block: int = BLOCK) -> Iterator[list[BatchRow]]:
    """Yield the rows of the job's part of its tables, in blocks of this many.

    Raises:
        UsageError: A table cannot be read, or a required column is missing.
    """
    read = partial(blocks, job.inputs, cwd=cwd, rows=block, shard=job.shard)
    for number, rows in enumerate(read(columns=columns.wanted)):
        if number == 0 and _all_lack(rows, columns):
            columns.refuse(next(row for row in next(read()) if row.cells))  # the message lists all columns of this row
        yield [columns.row(row) for row in rows]


def _all_lack(rows: Sequence[TableRow], columns: Columns) -> bool:
    """Return whether none of the first rows can be judged because a column is missing."""
    usable = [row for row in rows if row.cells]
    return bool(usable) and all(map(columns.lacking, usable))
