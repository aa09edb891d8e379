"""Specification of a provider: one TOML file each, of one of these shapes.

A new kind of provider is a new class in ``ProviderSpec``. Nothing here knows where the files lie or how a provider
is asked.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, StringConstraints, TypeAdapter, model_validator

from sparring.schema.apis import ApiProvider
from sparring.schema.base import Effort, PlainText, Record, RepoAccess
from sparring.schema.provider import Pattern, Provider, ProviderKind, VariableName

__all__ = [
    "CONFINEMENT_SLOT",
    "PROVIDER_SPEC",
    "SLOT",
    "TEXT",
    "AcpProvider",
    "ApiProvider",
    "CliProvider",
    "CommandLine",
    "Environment",
    "HostProvider",
    "KnownProgram",
    "OfflineProvider",
    "Program",
    "ProgramProvider",
    "Provider",
    "ProviderKind",
    "ProviderSpec",
    "ScriptedProvider",
    "VariablePattern",
]


def _bare_or_absolute(program: str) -> str:
    bare = not {"/", "\\"} & set(program)
    if not bare and not PurePosixPath(program).is_absolute() and not PureWindowsPath(program).is_absolute():
        # A relative path would be looked up in the project, and a cloned repository must not choose what runs.
        raise ValueError("must be a bare name, looked up on PATH, or an absolute path")
    return program


Program = Annotated[PlainText, Field(min_length=1), AfterValidator(_bare_or_absolute)]
VariablePattern = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\*?$")]
"""Name of an environment variable, or with a final ``*`` the beginning of several."""


class HostProvider(Provider):
    """The calling agent: it finds questions in the results of its calls, and answers by a call of its own."""

    kind: Literal[ProviderKind.HOST] = ProviderKind.HOST


class OfflineProvider(Provider):
    """The built-in provider, which needs no installation and has no opinion."""

    kind: Literal[ProviderKind.OFFLINE] = ProviderKind.OFFLINE


class ScriptedProvider(Provider):
    """Replies from a file: a relative path starts at the folder of the provider file. None until a user names one."""

    kind: Literal[ProviderKind.SCRIPTED] = ProviderKind.SCRIPTED
    script: Path | None = None


CONFINEMENT_SLOT = "confinement"
"""Slot of ``argv`` that receives the additions of ``providers.cli.confinement``."""

SLOT = re.compile(r"\{([a-z_]+)\}")
"""A place for something in an element of a command."""


KnownProgram = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
"""Name of a program that has a folder in ``providers.cli``."""


TEXT = "text"
"""The output of a program that prints its answer and nothing else."""


class CommandLine(Record):
    """Command line of a program; it always reads the prompt from its standard input.

    An element ``{name}`` of ``argv`` stands for the fragment of that name, or for nothing when the question does not
    need it. An empty fragment means that the program lacks the feature.

    Attributes:
        argv: Everything after the program.
        version: Arguments that make the program print its version and end.
        model: Chooses the model ``{model}``.
        effort: Chooses the effort ``{effort}``.
        ephemeral: Keeps no session on disk.
        resume: Continues the session ``{session}``.
        access: Arguments for each kind of access to the repository; fills ``{access}``.
        web: Arguments for web search; fills ``{access}`` instead, so that a search never comes with the repository.
        session_pattern: Ids of sessions; a string that does not match could be taken for a title, or a new session.
        oldest: The oldest version that can be used, e.g. ``1.2.10``; ``doctor`` compares. Empty: any.
    """

    program: Program
    argv: tuple[PlainText, ...] = ()
    version: tuple[PlainText, ...] = ("--version",)
    model: tuple[PlainText, ...] = ()
    effort: tuple[PlainText, ...] = ()
    ephemeral: tuple[PlainText, ...] = ()
    resume: tuple[PlainText, ...] = ()
    access: Mapping[RepoAccess, tuple[PlainText, ...]] = {}
    web: tuple[PlainText, ...] = ()
    session_pattern: Pattern = ""
    oldest: Annotated[str, StringConstraints(pattern=r"^(\d+(\.\d+)+)?$")] = ""

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
                raise ValueError(f"{name} must contain {placeholder}")
        if self.web and not self.access:
            raise ValueError("web takes the place of access, which is not there")
        return self


class Environment(Record):
    """Environment of a program, in addition to the variables that every program gets.

    Attributes:
        allow: Passed on when set.
        defaults: Set unless the user has set them.
        fixed: Set always, even against the user's settings.
        one_of: Variables of which one must be set, or the program cannot be asked; empty: none is needed.
    """

    allow: tuple[VariablePattern, ...] = ()
    defaults: Mapping[VariableName, PlainText] = {}
    fixed: Mapping[VariableName, PlainText] = {}
    one_of: tuple[VariableName, ...] = ()


class _StartedProvider(Provider):
    """A program of the user's machine, started for each question.

    Attributes:
        preamble: Put before every prompt, so that its first line is text and nothing else.
        guarded: A regular expression of words that the program would interpret, such as a path with ``@`` before it.
        prompt_limit: Most characters of a prompt that the program accepts.
        repo_access: Possible access to the project; reading never includes writing, or reading outside.
        confinement: The program whose configuration must be disabled.
        tries: Attempts after transient failures. A program that asks its model many times itself
            before it gives up is asked once.
    """

    efforts: Mapping[Effort, PlainText] = {}
    preamble: str = ""
    guarded: Pattern = ""
    prompt_limit: int | None = Field(default=None, ge=1)
    environment: Environment = Environment()
    repo_access: tuple[RepoAccess, ...] = (RepoAccess.NONE,)
    confinement: KnownProgram | None = None
    tries: int = Field(default=2, ge=1, le=5)


class CliProvider(_StartedProvider):
    """A program that is called on its command line.

    Attributes:
        output: Name of the output reader; ``text``: all of the output is the answer.
        efforts: Our effort levels in the program's own words; a level that is missing is not supported. Without any
            it is asked with its default, and the user gets a notice.
        effort_settings: Levels that need a file of settings: by the program's own names of models.
        reading_note: Prefix of a prompt with access to the project, for a program that is not started in it;
            ``{project}`` stands for the project's folder.
        reads_safely_on: The systems, as Python names them, on which it provably reads nothing else then.
        web_tools: Its own tools for web search and pages, in its own words; without any it cannot search.
    """

    kind: Literal[ProviderKind.CLI] = ProviderKind.CLI
    command: CommandLine
    output: KnownProgram
    effort_settings: Mapping[Effort, Mapping[str, Mapping[str, JsonValue]]] = {}
    reading_note: str = ""
    reads_safely_on: tuple[PlainText, ...] = ()
    web_tools: tuple[PlainText, ...] = ()

    @property
    def can_search(self) -> bool:
        """True if it can be allowed to search the web."""
        return bool(self.web_tools)

    @property
    def prints_text(self) -> bool:
        """True if all that it prints is its answer: any program of the user's own."""
        return self.output == TEXT

    @property
    def version(self) -> tuple[str, ...]:
        """Arguments that make it print its version; empty if it is not known to have any."""
        is_guess = self.prints_text and "version" not in self.command.model_fields_set
        return () if is_guess else self.command.version

    @model_validator(mode="after")
    def _text_has_no_session(self) -> Self:
        if self.prints_text and self.command.resume:
            raise ValueError(f"command.resume is not for output = '{TEXT}', which reports no session")
        return self

    @model_validator(mode="after")
    def _web_tools_can_be_allowed(self) -> Self:
        # As with efforts: what confines a program may also be what allows it something.
        if bool(self.web_tools) != bool(self.command.web) and (self.command.web or self.confinement is None):
            raise ValueError("web_tools and command.web must be given together")
        return self

    @model_validator(mode="after")
    def _efforts_can_be_passed(self) -> Self:
        # The settings that confine a program may also set its effort.
        if self.confinement is None and bool(self.efforts) != bool(self.command.effort):
            raise ValueError("efforts and command.effort must be given together")
        return self


class AcpProvider(_StartedProvider):
    """An agent.

    It reports its features only once it runs: unsupported models, effort levels and sessions are refused before the
    prompt is sent, and not before it is started.

    Attributes:
        argv: Everything after the program.
        mode: Its session mode for questions; an agent that does not offer it is not asked.
            None keeps its default.
        efforts: Our effort levels as values of the agent's own option for them. Empty for an agent that has no such
            option: it answers with its own effort, which the answer notes.
        preamble: Put before every prompt. A prompt that begins with ``/`` would be run as a command of the agent
            (seen 2026-11 with opencode 1.18.33), so its first line must be text.
        repo_access: An agent without access is started outside the project.
    """

    kind: Literal[ProviderKind.ACP] = ProviderKind.ACP
    program: Program
    argv: tuple[PlainText, ...] = ()
    mode: PlainText | None = None
    efforts: Mapping[Effort, PlainText] = {effort: effort.value for effort in Effort}
    preamble: str = "The question follows.\n\n"


ProgramProvider = CliProvider | AcpProvider
"""A provider that is a program of the user's machine."""

ProviderSpec = Annotated[
    AcpProvider | ApiProvider | CliProvider | HostProvider | OfflineProvider | ScriptedProvider,
    Field(discriminator="kind"),
]

PROVIDER_SPEC: TypeAdapter[ProviderSpec] = TypeAdapter(ProviderSpec)
