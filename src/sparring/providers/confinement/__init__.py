"""What keeps a program to answering, where its flags and fixed variables alone do not: mostly one module per program.

Most command lines read configuration of the user and of the project that would start servers, hooks or plugins, or
expand words of a prompt. What has to be added to a call so that they do not is found out here, for one question, by
looking at what is there. Nothing of the user's is written to.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparring.providers.confinement.codex import read_codex_config, reading_profile
from sparring.providers.confinement.copilot import CopilotHome, furnish, users_folder
from sparring.providers.confinement.gemini import (
    MANAGED,
    GeminiHome,
    furnish_gemini,
    gemini_folder,
    gemini_settings,
    reading_policies,
    refuse_outweighing,
    users_variables,
)
from sparring.providers.confinement.opencode import confine_opencode
from sparring.providers.confinement.secret_names import FILES, FOLDERS, in_any_case
from sparring.providers.process import find_program
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Question
from sparring.schema.providers import CliProvider, ConfinementKind, ProgramProvider

__all__ = ["Confinement", "Surroundings", "confine"]


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
class Confinement:
    """What has to be added to one call of a program.

    Attributes:
        arguments: Fill the place ``{confinement}`` of its ``argv``.
        variables: Set in its environment, whatever the user has set.
        passed_on: Names of further variables of our environment that it needs, such as keys of own model providers.
        cwd: Where it is started instead of in the project.
        preamble: Put before the prompt.
        report: A file in which it tells what its output does not.
        furnish: Fills an empty folder that is its own while it runs, and says what has to be added then.
    """

    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    passed_on: frozenset[str] = frozenset()
    cwd: Path | None = None
    preamble: str = ""
    report: Path | None = None
    furnish: "Callable[[Path], Confinement] | None" = None


def confine(spec: ProgramProvider, question: Question, surroundings: Surroundings) -> Confinement:
    """What has to be added so that ``question`` is answered and nothing else happens.

    Reads files, and makes empty folders in ``private_dir``; starts nothing.

    Raises:
        ConfigurationError: Something that would have to be switched off cannot be understood, or the program cannot
            be kept here to what ``question`` allows.
    """
    return Confinement() if spec.confinement is None else _CONFINE[spec.confinement](spec, question, surroundings)


def _claude(spec: ProgramProvider, question: Question, surroundings: Surroundings) -> Confinement:
    del spec
    if question.repo_access is not RepoAccess.READ:
        return Confinement()
    return Confinement(arguments=reading_rules(surroundings.environment, surroundings.project))


_SPECIAL = re.compile(r"([\\*?\[\]!#])")


def reading_rules(environment: Mapping[str, str], project: Path) -> tuple[str, ...]:
    """The arguments that deny what Claude Code must not read; a denial outweighs whatever else is allowed.

    ``--restricted`` keeps its tools inside the project, but for one place: its own temporary folder, where earlier
    sessions left things (2.1.329). And inside the project there may be secrets.
    """
    rules = [f"Read({pattern})" for pattern in _denied(environment, project)]
    return ("--settings", json.dumps({"permissions": {"deny": rules}}))


def _denied(environment: Mapping[str, str], project: Path) -> Iterator[str]:
    yield from (f"**/{in_any_case(name)}" for name in FILES)
    yield from (f"**/{in_any_case(name)}/**" for name in FOLDERS)
    temporary = Path(environment.get("TMPDIR") or "/tmp")  # noqa: S108 - Claude Code puts it there, not we
    for folder in dict.fromkeys((temporary, temporary.resolve())):
        # An agent may have been given a folder in there to work in; then that is the project.
        if not any(parent.parent == folder for parent in project.parents if parent.name.startswith("claude-")):
            escaped = _SPECIAL.sub(r"\\\1", str(folder))
            yield f"/{escaped}/claude-*/**"  # a second slash makes it begin at the root


def _codex(spec: ProgramProvider, question: Question, surroundings: Surroundings) -> Confinement:
    config = read_codex_config(surroundings.environment, surroundings.project)
    arguments = config.arguments
    if question.repo_access is RepoAccess.READ:
        program = spec.command.program if isinstance(spec, CliProvider) else spec.program
        found = find_program(program, surroundings.environment.get("PATH"))
        arguments += reading_profile(found, surroundings.project)
    return Confinement(arguments=arguments, passed_on=config.variables)


def _copilot(spec: ProgramProvider, question: Question, surroundings: Surroundings) -> Confinement:
    project, reads = surroundings.project, question.repo_access is RepoAccess.READ
    home = CopilotHome(
        users=users_folder(surroundings.environment, project),
        sessions=surroundings.private_dir / "copilot" / "sessions",
        session_id=question.session_id,
        keeps_session=question.keep_session,
        reads=project if reads else None,
    )
    note = spec.reading_note if reads and isinstance(spec, CliProvider) else ""

    def furnished(folder: Path) -> Confinement:
        own = furnish(folder, home)
        return Confinement(
            arguments=own.arguments,
            variables=own.variables,
            cwd=own.work,
            preamble=note.replace("{project}", str(project.resolve())),
            report=own.report,
        )

    return Confinement(furnish=furnished)


def _gemini(spec: ProgramProvider, question: Question, surroundings: Surroundings) -> Confinement:
    environment, private = surroundings.environment, surroundings.private_dir / "gemini"
    reads = surroundings.project.resolve() if question.repo_access is RepoAccess.READ else None
    users = gemini_folder(environment, surroundings.project)
    variables = users_variables(users, environment, spec.environment.allow)
    known = {**variables, **environment}
    refuse_outweighing(Path(known.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or MANAGED))
    cli = spec if isinstance(spec, CliProvider) else None
    home = GeminiHome(
        users=users,
        sessions=private / "sessions",
        work=private / "empty",
        settings=gemini_settings(
            users / "settings.json",
            reads=reads,
            web_tools=cli.web_tools if cli and question.web else (),
            effort=cli.effort_settings.get(question.effort) if cli and question.effort else None,
            model=question.model or known.get("GEMINI_MODEL"),
        ),
        policies=reading_policies(reads) if reads else "",
        session_id=question.session_id,
        keeps_session=question.keep_session,
    )

    def furnished(folder: Path) -> Confinement:
        own = furnish_gemini(folder, home)
        return Confinement(
            arguments=own.arguments,
            variables=variables | own.variables,
            cwd=home.work,
            preamble=cli.reading_note if cli and reads else "",
        )

    return Confinement(furnish=furnished)


def _opencode(spec: ProgramProvider, question: Question, surroundings: Surroundings) -> Confinement:
    del spec
    confined = confine_opencode(
        surroundings.environment,
        surroundings.project,
        surroundings.private_dir,
        reading=question.repo_access is RepoAccess.READ,
        remembered=question.keep_session or question.session_id is not None,
    )
    return Confinement(variables=confined.variables, passed_on=confined.passed_on, cwd=confined.cwd)


_CONFINE: dict[ConfinementKind, Callable[[ProgramProvider, Question, Surroundings], Confinement]] = {
    ConfinementKind.CLAUDE: _claude,
    ConfinementKind.CODEX: _codex,
    ConfinementKind.COPILOT: _copilot,
    ConfinementKind.GEMINI: _gemini,
    ConfinementKind.OPENCODE: _opencode,
}
