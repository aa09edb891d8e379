"""What is known about a provider: one TOML file each, of one of these shapes.

A new kind of provider (a model API, an ACP agent, the host itself) is a new class in ``ProviderSpec``. Nothing here
knows where the files lie or how a provider is asked.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, TypeAdapter, model_validator

from sparring.schema.base import Effort, PlainText, Record, ToolName

USER_CONFIG_SLOT = "user_config"
"""Where ``argv`` takes what switches off the MCP servers and skills of the user's configuration."""

SLOT = re.compile(r"\{([a-z_]+)\}")
"""A place for something in an element of a command."""


class ProviderKind(StrEnum):
    """How a provider is reached."""

    CLI = "cli"
    OFFLINE = "offline"
    SCRIPTED = "scripted"


class OutputKind(StrEnum):
    """Whose output a program speaks, i.e. which parser reads it."""

    CLAUDE = "claude"
    CODEX = "codex"


class UserConfigKind(StrEnum):
    """Whose configuration files a program reads that we cannot tell it to leave alone."""

    CODEX = "codex"


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
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
VariablePattern = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\*?$")]
"""Name of an environment variable, or with a final ``*`` the beginning of several."""


class CommandLine(Record):
    """How a program is called; it always reads the prompt from its standard input.

    An element ``{name}`` of ``argv`` stands for the fragment of that name, or for nothing when the question does not
    call for it. An empty fragment means that the program cannot do it.

    Attributes:
        argv: Everything after the program.
        version: Arguments that make the program print its version and end.
        model: Chooses the model ``{model}``.
        effort: Chooses the effort ``{effort}``.
        ephemeral: Keeps no session on disk.
        resume: Continues the session ``{session}``.
        session_pattern: Ids of sessions; what does not look so could be taken for a title, or for a new session.
    """

    program: Program
    argv: tuple[PlainText, ...]
    version: tuple[PlainText, ...] = ("--version",)
    model: tuple[PlainText, ...] = ()
    effort: tuple[PlainText, ...] = ()
    ephemeral: tuple[PlainText, ...] = ()
    resume: tuple[PlainText, ...] = ()
    session_pattern: Annotated[str, AfterValidator(_regular_expression)] = ""

    @model_validator(mode="after")
    def _slots_and_fragments_agree(self) -> Self:
        values = {"model": "model", "effort": "effort", "resume": "session"}
        given = {name for name in (*values, "ephemeral") if getattr(self, name)}
        used = {match[1] for element in self.argv if (match := SLOT.fullmatch(element))} - {USER_CONFIG_SLOT}
        if given != used:
            raise ValueError(
                f"argv and the fragments differ: no place in argv for {sorted(given - used)}, "
                f"no fragment for {sorted(used - given)}"
            )
        for name in given & values.keys():
            placeholder = f"{{{values[name]}}}"
            if not any(placeholder in element for element in getattr(self, name)):
                raise ValueError(f"{name} must hold {placeholder}")
        return self


class Environment(Record):
    """What the program gets of our environment, besides what every program gets.

    Attributes:
        allow: Passed on when set.
        defaults: Set unless the user has set them.
        fixed: Set whatever the user has set.
    """

    allow: tuple[VariablePattern, ...] = ()
    defaults: Mapping[VariableName, PlainText] = {}
    fixed: Mapping[VariableName, PlainText] = {}


class _Provider(Record):
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


class CliProvider(_Provider):
    """A program that is started for each question.

    Attributes:
        efforts: Our effort levels in the program's own words; a level that is not there is not supported.
        preamble: Put before every prompt, so that its first line is text and nothing else.
        prompt_limit: Most characters of a prompt that the program takes.
        user_config: Configuration whose MCP servers and skills are switched off and whose key variables are passed on.
    """

    kind: Literal[ProviderKind.CLI] = ProviderKind.CLI
    command: CommandLine
    output: OutputKind
    efforts: Mapping[Effort, PlainText] = {}
    preamble: str = ""
    prompt_limit: int | None = Field(default=None, ge=1)
    environment: Environment = Environment()
    user_config: UserConfigKind | None = None

    @model_validator(mode="after")
    def _efforts_can_be_passed(self) -> Self:
        if bool(self.efforts) != bool(self.command.effort):
            raise ValueError("efforts and command.effort must be given together")
        return self

    @model_validator(mode="after")
    def _user_config_has_a_place(self) -> Self:
        if (self.user_config is None) == (f"{{{USER_CONFIG_SLOT}}}" in self.command.argv):
            raise ValueError(f"user_config and a place for it, {{{USER_CONFIG_SLOT}}} in argv, must be given together")
        return self


class OfflineProvider(_Provider):
    """The built-in one that needs nothing installed and has no opinion of its own."""

    kind: Literal[ProviderKind.OFFLINE] = ProviderKind.OFFLINE


class ScriptedProvider(_Provider):
    """Replies from a file.

    Attributes:
        script: The file; a relative path starts at the folder of the provider file. None until a user names one.
    """

    kind: Literal[ProviderKind.SCRIPTED] = ProviderKind.SCRIPTED
    script: Path | None = None


ProviderSpec = Annotated[CliProvider | OfflineProvider | ScriptedProvider, Field(discriminator="kind")]
PROVIDER_SPEC: TypeAdapter[ProviderSpec] = TypeAdapter(ProviderSpec)
