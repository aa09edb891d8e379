"""A provider that is a program, started for each question: one TOML file each says how it is called."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from sparring.schema.base import Effort, PlainText, Record, RepoAccess
from sparring.schema.providers.common import (
    Pattern,
    Program,
    Provider,
    ProviderKind,
    VariableName,
    VariablePattern,
)

CONFINEMENT_SLOT = "confinement"
"""Where ``argv`` takes what ``consult.confinement`` adds to it."""

SLOT = re.compile(r"\{([a-z_]+)\}")
"""A place for something in an element of a command."""


class OutputKind(StrEnum):
    """Whose output a program speaks, i.e. which parser reads it."""

    CLAUDE = "claude"
    CODEX = "codex"
    COPILOT = "copilot"
    GEMINI = "gemini"
    OPENCODE = "opencode"


class ConfinementKind(StrEnum):
    """Which program's own configuration has to be kept from doing anything."""

    CLAUDE = "claude"
    CODEX = "codex"
    COPILOT = "copilot"
    GEMINI = "gemini"
    OPENCODE = "opencode"


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
        access: What each kind of access to the repository takes; fills ``{access}``.
        web: What searching the web takes; fills ``{access}`` instead, so that nobody who searches sees the repository.
        session_pattern: Ids of sessions; what does not look so could be taken for a title, or for a new session.
    """

    program: Program
    argv: tuple[PlainText, ...]
    version: tuple[PlainText, ...] = ("--version",)
    model: tuple[PlainText, ...] = ()
    effort: tuple[PlainText, ...] = ()
    ephemeral: tuple[PlainText, ...] = ()
    resume: tuple[PlainText, ...] = ()
    access: Mapping[RepoAccess, tuple[PlainText, ...]] = {}
    web: tuple[PlainText, ...] = ()
    session_pattern: Pattern = ""

    @model_validator(mode="after")
    def _slots_and_fragments_agree(self) -> Self:
        values = {"model": "model", "effort": "effort", "resume": "session"}
        given = {name for name in (*values, "access", "ephemeral") if getattr(self, name)}
        used = {match[1] for element in self.argv if (match := SLOT.fullmatch(element))} - {CONFINEMENT_SLOT}
        if given != used:
            raise ValueError(
                f"argv and the fragments differ: no place in argv for {sorted(given - used)}, "
                f"no fragment for {sorted(used - given)}"
            )
        for name in given & values.keys():
            placeholder = f"{{{values[name]}}}"
            if not any(placeholder in element for element in getattr(self, name)):
                raise ValueError(f"{name} must hold {placeholder}")
        if self.web and not self.access:
            raise ValueError("web takes the place of access, which is not there")
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


class CliProvider(Provider):
    """A program that is started for each question.

    Attributes:
        efforts: Our effort levels in the program's own words; a level that is not there is not supported.
        effort_settings: What a level is where it is told in a file of settings: by the program's own names of models.
        preamble: Put before every prompt, so that its first line is text and nothing else.
        reading_note: Put before a prompt that comes with access to the project, by a program that is not started in it;
            ``{project}`` stands for the project's folder.
        guarded: A regular expression: words that the program would follow, such as a path with ``@`` before it.
        prompt_limit: Most characters of a prompt that the program takes.
        repo_access: What it can be allowed to see of the project; reading never means writing, or reading outside.
        web_tools: Its own tools that search the web and read pages, in its own words; without any it cannot do that.
        confinement: Which module of ``consult.confinement`` knows what else keeps it to answering.
    """

    kind: Literal[ProviderKind.CLI] = ProviderKind.CLI
    command: CommandLine
    output: OutputKind
    efforts: Mapping[Effort, PlainText] = {}
    effort_settings: Mapping[Effort, Mapping[str, Mapping[str, JsonValue]]] = {}
    preamble: str = ""
    reading_note: str = ""
    guarded: Pattern = ""
    prompt_limit: int | None = Field(default=None, ge=1)
    environment: Environment = Environment()
    repo_access: tuple[RepoAccess, ...] = (RepoAccess.NONE,)
    web_tools: tuple[PlainText, ...] = ()
    confinement: ConfinementKind | None = None

    @property
    def can_search(self) -> bool:
        """Whether it can be allowed to search the web."""
        return bool(self.web_tools)

    @model_validator(mode="after")
    def _web_tools_can_be_allowed(self) -> Self:
        # As with efforts: what confines a program may also be what allows it something.
        if bool(self.web_tools) != bool(self.command.web) and (self.command.web or self.confinement is None):
            raise ValueError("web_tools and command.web must be given together")
        return self

    @model_validator(mode="after")
    def _efforts_can_be_passed(self) -> Self:
        # What confines a program may also be what tells it how hard to think.
        if self.confinement is None and bool(self.efforts) != bool(self.command.effort):
            raise ValueError("efforts and command.effort must be given together")
        return self
