"""What a run will probably use, told before it begins."""

from pydantic import Field

from sparring.schema.base import Record

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English; code and other languages take more tokens."""


class Estimate(Record):
    """An estimate from the length of prompts. What a tool adds of its own, and what it answers, is not in it.

    Attributes:
        calls: Consultations, if nothing fails.
        prompt_tokens: Tokens of all prompts together.
    """

    calls: int = Field(ge=1)
    prompt_tokens: int = Field(ge=0)
