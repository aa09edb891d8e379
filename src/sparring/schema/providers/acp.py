"""A provider that is an agent which speaks the Agent Client Protocol on its standard input and output."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from sparring.schema.base import Effort, PlainText, RepoAccess
from sparring.schema.providers.cli import ConfinementKind, Environment
from sparring.schema.providers.common import Pattern, Program, Provider, ProviderKind


class AcpProvider(Provider):
    """An agent, started for each question.

    What it can do it tells itself once it runs: models, levels of effort and sessions are refused then, before the
    prompt is sent, and not before it is started.

    Attributes:
        argv: Everything after the program.
        mode: The session mode that it is put into before it is asked; an agent that does not offer it is not asked.
            None leaves it in its own.
        efforts: Our effort levels as values of the agent's own option for them. Empty for an agent that has no such
            option: it answers with its own effort, and the answer says so.
        preamble: Put before every prompt. A prompt that begins with ``/`` would be run as a command of the agent
            (seen 2026-11 with opencode 1.18.33), so its first line must be text.
        guarded: A regular expression: words that the agent would follow.
        prompt_limit: Most characters of a prompt that the agent takes.
        repo_access: What it may be given to see of the project. Whoever is not to see it is started elsewhere.
        confinement: Which module of ``consult.confinement`` knows what else keeps it to answering.
    """

    kind: Literal[ProviderKind.ACP] = ProviderKind.ACP
    program: Program
    argv: tuple[PlainText, ...] = ()
    mode: PlainText | None = None
    efforts: Mapping[Effort, PlainText] = {effort: effort.value for effort in Effort}
    preamble: str = "The question follows.\n\n"
    guarded: Pattern = ""
    prompt_limit: int | None = Field(default=None, ge=1)
    environment: Environment = Environment()
    repo_access: tuple[RepoAccess, ...] = (RepoAccess.NONE,)
    confinement: ConfinementKind | None = None
