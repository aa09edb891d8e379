"""The facts that every provider has, of whatever kind it is."""

import re
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from sparring.schema.base import Record, ToolName


class ProviderKind(StrEnum):
    """Kind of access to a provider."""

    ACP = "acp"
    API = "api"
    CLI = "cli"
    HOST = "host"
    OFFLINE = "offline"
    SCRIPTED = "scripted"


def _regular_expression(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from error
    return pattern


Pattern = Annotated[str, AfterValidator(_regular_expression)]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Provider(Record):
    """The facts that every provider has.

    Attributes:
        family: Who trained the models behind it (``schema.families``), where all are of one; it counts for more than
            the id of a model. None: the id of each model says it. ``none`` for a program without a model.
        usual_family: The family where no id says one.
        title: Its name as people write it.
        install: What to do when it is missing.
        failures: Regular expressions: an answer of which one matches the whole, from its beginning to its end, is none;
            it says why there is none, as in ``["You've hit your limit.*"]``.
        context_tokens: Tokens that a prompt and its answer may have together; None: as the server reports it.
        at_once: Most questions that are put at the same time; None: one to a server on this machine, else any number.
        notice: What its users should know of it, which ``doctor`` says where it is installed.
        preference: Seats that the user did not name go to the tools with the highest first; without one it is 0.
    """

    name: ToolName
    family: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")] | None = None
    usual_family: str = ""
    title: str = Field(min_length=1)
    install: str = ""
    failures: tuple[Pattern, ...] = ()
    context_tokens: int | None = Field(default=None, ge=256)
    at_once: int | None = Field(default=None, ge=1)
    notice: str = ""
    preference: int = Field(default=0, ge=-1000, le=1000)

    @property
    def can_search(self) -> bool:
        """True if it can be allowed to search the web."""
        return False

    @property
    def shown_family(self) -> str | None:
        """The family that its models have, if it is known without looking at any; None: each model has its own."""
        return self.family or self.usual_family or None
