"""What keeps a program to answering, where its flags and fixed variables alone do not: one module per program.

Most command lines read configuration of the user and of the project that would start servers, hooks or plugins, or
expand words of a prompt. What has to be added to a call so that they do not is found out here, for one question, by
looking at what is there. Nothing of the user's is written to.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparring.consult.confinement.codex import read_codex_config
from sparring.schema.consultation import Question
from sparring.schema.providers import CliProvider, ConfinementKind

__all__ = ["Confinement", "SettingsFile", "Surroundings", "confine"]


@dataclass(frozen=True)
class Surroundings:
    """Where a program is started.

    Attributes:
        environment: The whole environment of this process.
        project: The project under work.
        private_dir: A folder of the user's outside of any project, for what must lie where no project has a say.
    """

    environment: Mapping[str, str]
    project: Path
    private_dir: Path


@dataclass(frozen=True)
class SettingsFile:
    """A file that is there, 0600, while the program runs; the environment variable ``variable`` holds its path."""

    variable: str
    content: str


@dataclass(frozen=True)
class Confinement:
    """What has to be added to one call of a program.

    Attributes:
        arguments: Fill the place ``{confinement}`` of its ``argv``.
        variables: Set in its environment, whatever the user has set.
        passed_on: Names of further variables of our environment that it needs, such as keys of own model providers.
        settings: A file of settings that it is to read.
        cwd: Where it is started instead of in the project.
    """

    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    passed_on: frozenset[str] = frozenset()
    settings: SettingsFile | None = None
    cwd: Path | None = None


def confine(spec: CliProvider, question: Question, surroundings: Surroundings) -> Confinement:
    """What has to be added so that ``question`` is answered and nothing else happens. Reads files; starts nothing.

    Raises:
        ConfigurationError: Something that would have to be switched off cannot be understood.
    """
    return Confinement() if spec.confinement is None else _CONFINE[spec.confinement](spec, question, surroundings)


def _codex(spec: CliProvider, question: Question, surroundings: Surroundings) -> Confinement:
    del spec, question
    config = read_codex_config(surroundings.environment, surroundings.project)
    return Confinement(arguments=config.arguments, passed_on=config.variables)


_CONFINE: dict[ConfinementKind, Callable[[CliProvider, Question, Surroundings], Confinement]] = {
    ConfinementKind.CODEX: _codex,
}
