"""The facts that every provider has, whatever its kind."""

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
        family: Family of its models (``schema.families``), where all are of one; it overrides
            the id of a model. None: by the id of each model. ``none`` for a program without a model.
        usual_family: The family where no id names one.
        title: Its name as people write it.
        install: How to install it.
        failures: Regular expressions: an answer that one matches from beginning to end is a failure, and its text the
            reason, as in ``["You've hit your limit.*"]``.
        context_tokens: Tokens that a prompt and its answer may have together; None: as the server reports it.
        at_once: Most questions at the same time; None: one to a server on this machine, else any number.
        notice: A notice for its users, which ``doctor`` prints where it is installed.
        preference: Seats that the user left open go to the tools with the highest values; the default is 0.
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
