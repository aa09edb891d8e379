"""What every provider tells, and the vocabulary that several kinds share."""

import re
from enum import StrEnum
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from sparring.schema.base import PlainText, Record, ToolName


class ProviderKind(StrEnum):
    """How a provider is reached."""

    ACP = "acp"
    API = "api"
    CLI = "cli"
    HOST = "host"
    OFFLINE = "offline"
    SCRIPTED = "scripted"


def _bare_or_absolute(program: str) -> str:
    bare = not {"/", "\\"} & set(program)
    if not bare and not PurePosixPath(program).is_absolute() and not PureWindowsPath(program).is_absolute():
        # A relative path would be looked up in the project, and a cloned repository must not choose what runs.
        raise ValueError("must be a bare name, looked up on PATH, or an absolute path")
    return program


def _regular_expression(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from error
    return pattern


Program = Annotated[PlainText, Field(min_length=1), AfterValidator(_bare_or_absolute)]
Pattern = Annotated[str, AfterValidator(_regular_expression)]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
VariablePattern = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\*?$")]
"""Name of an environment variable, or with a final ``*`` the beginning of several."""


class Provider(Record):
    """What every provider tells.

    Attributes:
        family: Who trained the models behind it, so that a jury can be mixed.
        title: Its name as people write it.
        install: What to do when it is missing.
    """

    name: ToolName
    family: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    title: str = Field(min_length=1)
    install: str = ""

    @property
    def can_search(self) -> bool:
        """Whether it can be allowed to search the web."""
        return False
