"""What a run, or a table of them, would take, found out without asking anybody."""

from collections.abc import Mapping

from pydantic import Field

from sparring.schema.base import Record
from sparring.schema.batch import TableStanding


class CallRange(Record):
    """Calls if nothing fails: the fewest, the usual number, and the most."""

    fewest: int = Field(ge=0)
    usual: int = Field(ge=0)
    most: int = Field(ge=0)


class DryRun(Record):
    """Who would be asked, how often, and what that would take; nothing was asked.

    Attributes:
        kind: The name of the format.
        seats: Who would have which seat: a tool, and a model where one is named.
        rows: How the rows of a table stand; None for a single run.
        calls: Of all runs together.
        prompt_tokens: Of all prompts together, by a rule of thumb, for the usual number of calls.
        cost_usd: None where no price is known before.
        expected_if: The condition of the usual number.
        first_prompt: The first one that would be put; empty unless it was asked for.
        notices: How the request was completed.
    """

    kind: str
    seats: Mapping[str, str]
    rows: TableStanding | None = None
    calls: CallRange
    prompt_tokens: int = Field(ge=0)
    cost_usd: float | None = None
    expected_if: str = ""
    first_prompt: str = ""
    notices: tuple[str, ...] = ()
