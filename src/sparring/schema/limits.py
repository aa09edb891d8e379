"""What a run may use, and what it has used."""

from pydantic import Field

from sparring.schema.base import Record


class Limits(Record):
    """Most that a run may use; None is no limit.

    A limit on tokens or money counts what the providers tell. What a provider does not tell is unknown, not zero,
    and is reported as such.
    """

    wall_s: float | None = Field(default=None, gt=0)
    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    cost_usd: float | None = Field(default=None, gt=0)


class Spent(Record):
    """What a run has used so far.

    Attributes:
        unpriced_calls: Answers whose provider told no price; with any, ``cost_usd`` is a lower bound.
        uncounted_calls: Answers whose provider told no token counts; with any, ``tokens`` is a lower bound.
    """

    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced_calls: int = 0
    uncounted_calls: int = 0
