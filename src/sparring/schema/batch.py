"""Output of a batch: a line for each row of a table, the same for every format, and the manifest.

These records are the documentation of the columns. ``sparring.batch.shards`` derives the schema of Parquet from them,
and rows are written as dictionaries of exactly these fields, in this order: validating a million rows would take
longer than writing them.
"""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_serializer

from sparring.schema.base import SCHEMA_VERSION, Moment, Record
from sparring.schema.dry_run import TableState
from sparring.schema.pairs import PairStatus
from sparring.schema.runs import Known

Form = Literal["parquet", "jsonl"]
"""Format of the rows of a shard."""

TableForm = Literal["csv", "jsonl", "parquet"]
"""Format of an input table."""


class BatchVote(Record):
    """Label that a participant, or code (``tool`` is None), gives a row, as the format spells it; None: no label."""

    seat: str
    tool: str | None
    label: str | None


class BatchQuote(Record):
    """A participant's quote with the result of its lookup.

    Attributes:
        source: The text that it is quoted from, as the format names it.
        start: First character of the passage in its source, counted from 0; None where nothing was found.
        end: The character after the passage.
        verdict: ``verbatim``, ``altered`` or ``not_found``.
    """

    seat: str
    text: str
    source: str | None
    start: int | None
    end: int | None
    verdict: str


class LostSeat(Record):
    """A seat whose participant gave no answer; ``code`` is that of the failure."""

    seat: str
    tool: str | None
    code: str


class ShardRow(Record):
    """A row of the output: the result of a row of the input.

    Attributes:
        row: Its number in the whole input, counted from 1.
        id: Its id in the table.
        dataset: Its data set, where the table names one.
        source: The file that contains it.
        line: Number of its first line in the file; in Parquet its number in the file.
        status: Its status.
        label: The verdict, as the format spells its labels; a failure never is one.
        firmness: From 0 to 1; None where the firmness of the verdict is unknown.
        votes: The final vote of each participant.
        blind_votes: The vote of each participant before it saw others.
        fixed: Votes that were wrong blind and right in the end, against ``gold``; None without gold.
        broke: Votes that were right and became wrong.
        kept: Votes that stayed the same.
        quotes: All quotes, with the places at which code found them.
        contested: Why the verdict counts as contested; empty where it does not.
        text: The result in words: answers of a consultation, recommendation of the judge of a debate, reasons
            of a jury.
        incomplete: Whether a participant failed, so that another start asks it again.
        lost: The participants that failed.
        calls: Requests for this run in all starts, with failed attempts.
        tokens: As far as the providers report them; likewise ``cost_usd``.
        unpriced_calls: Answers whose provider reported no price; with any, ``cost_usd`` is a lower bound.
        uncounted_calls: Answers whose provider reported no token counts; with any, ``tokens`` is a lower bound.
        run: The key of the row in the ledger, in hexadecimal digits; a prefix suffices for ``sparring batch show``.
        error_code: Why there is no verdict, for programs; None where there is one.
        problem: The same in a sentence, or why votes are missing.
        gold: The true label of the row, where the table has one; no participant sees it.
    """

    row: int
    id: str | None
    dataset: str | None
    source: str
    line: int
    status: PairStatus
    label: str | None
    firmness: float | None
    votes: tuple[BatchVote, ...]
    blind_votes: tuple[BatchVote, ...]
    fixed: int | None
    broke: int | None
    kept: int | None
    quotes: tuple[BatchQuote, ...]
    contested: tuple[str, ...]
    text: str
    incomplete: bool
    lost: tuple[LostSeat, ...]
    calls: int
    tokens: int
    cost_usd: float
    unpriced_calls: int
    uncounted_calls: int
    run: str | None
    error_code: str | None
    problem: str
    gold: str | None


class RejectedRow(Record):
    """A line of ``rejected.jsonl``: a row that could not be read or used. No tool was called about it."""

    row: int
    source: str
    line: int
    problem: str


class InputFile(Record):
    """A file that rows were read from.

    Attributes:
        address: Its path or address, without secrets.
        bytes: Its size; None where the source does not report it.
        rows: Number of its rows, where that is known without reading it.
        columns: Their names, where the file begins with them.
    """

    address: str
    form: TableForm
    bytes: int | None = None
    rows: int | None = None
    columns: tuple[str, ...] = ()


class OutputFile(Record):
    """A file that was written, by its name in the folder."""

    file: str
    rows: int
    bytes: int
    sha256: str


class BatchSpent(Record):
    """Usage of a batch, in all of its starts and on all machines.

    Attributes:
        calls: Requests, without those that a provider refused for free; a request whose answer was lost counts.
        tokens: As far as the providers report them; null in JSON where none did; likewise ``cost_usd``.
        unpriced_calls: Requests whose provider reported no price; with any, ``cost_usd`` is a lower bound.
        uncounted_calls: Requests whose provider reported no token counts; with any, ``tokens`` is a lower bound.
    """

    calls: int = 0
    tokens: Annotated[int, Known] = 0
    cost_usd: Annotated[float, Known] = 0.0
    unpriced_calls: int = 0
    uncounted_calls: int = 0

    @field_serializer("tokens", when_used="json")
    def _known_tokens(self, tokens: int) -> int | None:
        return tokens or (None if self.uncounted_calls else 0)

    @field_serializer("cost_usd", when_used="json")
    def _known_cost(self, cost_usd: float) -> float | None:
        return cost_usd or (None if self.unpriced_calls else 0.0)


class LedgerUse(Record):
    """Requests that the ledger has counted.

    Attributes:
        asked: Requests that were sent.
        answered: Those of them that were answered.
        failed: Those that failed.
        lost: Those whose answer was lost with the process that waited for it; they may have been paid.
        asked_again: Lost ones that were sent again: only these may be paid twice.
    """

    asked: int = 0
    answered: int = 0
    failed: int = 0
    lost: int = 0
    asked_again: int = 0


class LimitUse(Record):
    """The limits of a batch over all of its starts, and by how much they were exceeded.

    Attributes:
        exceeded_calls, exceeded_tokens, exceeded_cost_usd: By answers that cost more than could be known before.
        is_open: Whether money is limited and answers came without a price, so that more may have been spent.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    exceeded_calls: int = 0
    exceeded_tokens: int = 0
    exceeded_cost_usd: float = 0.0
    is_open: bool = False


class EstimatedAmount(Record):
    """An amount for a whole, estimated from a sample: its mean, and its range in 95 of 100 such samples."""

    mean: float
    low: float
    high: float


class BatchEstimate(TableState):
    """Estimated cost and time of the rest of a batch, from ``sampled`` rows that were judged for it.

    Attributes:
        calls: None where no row of the sample was judged; likewise the other fields.
        tokens: None where a provider reported no token counts.
        cost_usd: None where a provider reported no price.
        seconds: At the requested number of parallel rows; a limit on requests a minute may increase it.
        spent_calls: Requests that the sample took.
        spent_cost_usd: Cost of the sample; None where a provider reported no price.
        problem: Why fewer rows were judged than the sample has; empty where all were.
    """

    sampled: int
    calls: EstimatedAmount | None
    tokens: EstimatedAmount | None
    cost_usd: EstimatedAmount | None
    seconds: EstimatedAmount | None
    spent_calls: int
    spent_cost_usd: float | None
    problem: str = ""


class DecidedByCode(Record):
    """Rows that code decided, so that no tool was called.

    Attributes:
        with_gold: Of them, rows with a gold label.
        right: Of these, rows whose label is right.
    """

    rows: int = 0
    with_gold: int = 0
    right: int = 0

    def __add__(self, other: "DecidedByCode") -> "DecidedByCode":
        """Return both together."""
        return DecidedByCode(
            rows=self.rows + other.rows, with_gold=self.with_gold + other.with_gold, right=self.right + other.right
        )


class Manifest(Record):
    """``_manifest.json``, written last: its existence means that all other files exist. ``Shards`` fills in the counts.

    Attributes:
        format: The format that judged the rows.
        rules_version: Of the format's rules.
        prompts: Digest of the prompts that were used.
        options: Of the format, as they were given, without secrets.
        seats: The tool of each seat, and its model where one was named.
        shard: ``i/n`` where the table was divided between several machines.
        outputs: The files with rows, in the order of their rows.
        statuses: How many rows have each status.
        labels: How many rows have each label.
        contested: How many of these are in doubt.
        by_code: Rows that code decided.
        rejected: Rows in ``rejected.jsonl``.
        spent: Usage of the batch in all of its starts, lost answers included.
        ledger: Its requests, in all of its starts and on all machines.
        process: Requests of the process that wrote this.
        limits: Its limits, for all starts.
        is_whole: Whether every row of the input is in the output or rejected; False where its time was over before.
    """

    schema_version: int = SCHEMA_VERSION
    sparring_version: str
    format: str
    rules_version: str = ""
    prompts: str = ""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    seats: dict[str, str] = Field(default_factory=dict)
    engine: str = "local"
    shard: str = ""
    job: str = ""
    inputs: tuple[InputFile, ...] = ()
    outputs: tuple[OutputFile, ...] = ()
    rows: int = 0
    statuses: dict[str, int] = Field(default_factory=dict)
    labels: dict[str, int] = Field(default_factory=dict)
    contested: int = 0
    by_code: DecidedByCode = Field(default=DecidedByCode(), exclude_if=lambda by_code: not by_code.rows)
    rejected: int = 0
    spent: BatchSpent = BatchSpent()
    ledger: LedgerUse = LedgerUse()
    process: LedgerUse = LedgerUse()
    limits: LimitUse = LimitUse()
    started_at: Moment
    ended_at: Moment
    is_whole: bool = True
