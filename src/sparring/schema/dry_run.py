"""Estimate of a run, or of a table of them, without asking."""

from pydantic import Field

from sparring.schema.base import Effort, Record, Role, ToolName


class TableState(Record):
    """State of the rows of a table before anything is asked.

    Attributes:
        rejected: Rows that cannot be judged.
        repeated: Rows with the same content as an earlier one, whose judgement counts for both.
        judged_before: Rows that were judged under these settings, and are not asked again.
        reused: Rows that were judged under others, and are taken over.
        remaining: Rows still to be asked.
    """

    rows: int = 0
    rejected: int = 0
    repeated: int = 0
    judged_before: int = 0
    reused: int = 0
    remaining: int = 0


class CallRange(Record):
    """Calls: the fewest of a regular run, the usual number, and the most of any run."""

    fewest: int = Field(ge=0)
    usual: int = Field(ge=0)
    most: int = Field(ge=0)


class SeatCalls(Record):
    """A tool that would be asked in a role, and the number of calls if all goes its usual way.

    Attributes:
        model: None is the default of the tool.
    """

    tool: ToolName
    role: Role
    model: str | None = None
    effort: Effort | None = None
    calls: int = Field(ge=0)


class DryRun(Record):
    """Seats, calls and costs of a run that was not started.

    Attributes:
        kind: The name of the format.
        rows: Status counts of the rows of a table; None for a single run.
        calls: Of all runs together.
        prompt_tokens: Of all prompts together, by a rule of thumb, for the usual number of calls.
        cost_usd: 0 where no paid provider is asked; None where the price is not known in advance.
        expected_if: The condition of the usual number.
        first_prompt: The first prompt; empty unless it was requested.
        notices: Notes on how the request was completed.
    """

    kind: str
    seats: tuple[SeatCalls, ...]
    rows: TableState | None = None
    calls: CallRange
    prompt_tokens: int = Field(ge=0)
    cost_usd: float | None
    expected_if: str = ""
    first_prompt: str = ""
    notices: tuple[str, ...] = ()
