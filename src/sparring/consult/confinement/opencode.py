"""What keeps OpenCode to answering.

It has no flag that leaves the user's servers, plugins, agents, instructions and commands alone. So it is started in an
empty folder, which is its configuration folder as well, and is given an agent of ours and the user's settings of models
through its environment. Logins lie elsewhere and stay where they are.

The project is never what it is started in, not even when it may be read. Whatever the switches for that say, a part of
it looks for `.opencode` and `opencode.json` from there upwards, and runs the plugins that they name; only in its own
configuration folder does it not. Besides, it would look for instructions beside each file that is read, and a session
could not be continued from anywhere else (all 1.18.33).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sparring.consult.confinement.opencode_config import read_opencode_config
from sparring.consult.confinement.opencode_reading import NOTHING, Rules, reading_rules
from sparring.errors import ConfigurationError
from sparring.prompts import PromptLibrary

AGENT = "sparring"
"""Name of our agent, which ``argv`` asks for."""

VARIABLE_LIMIT = 120_000
"""Most bytes of an environment variable; Linux takes 128 KiB with its name."""

_REFERENCE = re.compile(r"\{(?=env:|file:)")


@dataclass(frozen=True)
class OpencodeConfinement:
    """What has to be added to a call.

    Attributes:
        variables: Its configuration, permissions, sessions and folders.
        passed_on: Environment variables that the user's own settings refer to.
        cwd: Its empty configuration folder.
    """

    variables: Mapping[str, str]
    passed_on: frozenset[str]
    cwd: Path


def confine_opencode(
    environment: Mapping[str, str], project: Path, private_dir: Path, *, reading: bool, remembered: bool
) -> OpencodeConfinement:
    """Make the folders and the settings for one question.

    ``reading`` says whether the project may be read, ``remembered`` whether the session is kept or one that was kept
    is continued.

    Raises:
        ConfigurationError: The user's configuration cannot be understood or left out, or is too large to be passed on.
        OSError: The folders cannot be made.
    """
    config = read_opencode_config(environment, project)
    # It compares paths by their letters, and knows its working directory by the one without links.
    private = private_dir.resolve() / "opencode"
    empty = private / "opencode"  # by this name it finds its configuration
    for folder in (private_dir, private, empty):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    project = project.resolve()
    rules = _reading(project, empty) if reading else NOTHING
    variables = {
        "OPENCODE_CONFIG_CONTENT": _content(config.settings, _ours(project, rules, config.servers, reading=reading)),
        "OPENCODE_PERMISSION": json.dumps(rules),
        "OPENCODE_DB": str(private / "sessions.db") if remembered else ":memory:",
        # The folder `.opencode` is looked for here. Logins are found by HOME, which stays as it is.
        "OPENCODE_TEST_HOME": str(empty),
        "XDG_CONFIG_HOME": str(private),
    }
    _refuse_oversized(variables)
    return OpencodeConfinement(variables, config.variables, empty)


def _reading(project: Path, cwd: Path) -> Rules:
    ignores_case = Path(str(project).swapcase()).exists()
    return reading_rules(project, _worktree(cwd), ignores_case=ignores_case)


def _ours(project: Path, rules: Rules, servers: tuple[str, ...], *, reading: bool) -> dict[str, object]:
    prompts = PromptLibrary()
    prompt = (
        prompts.render("opencode/agent#reading", {"project": str(project)})
        if reading
        else prompts.render("opencode/agent#answering", {})
    )
    return {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "formatter": False,
        "lsp": False,
        "share": "disabled",
        "snapshot": False,
        "agent": {
            AGENT: {"mode": "primary", "prompt": prompt.strip(), "permission": rules},
            "title": {"disable": True},  # else `opencode acp` puts every question to a second, smaller model as well
        },
        # None of them should be there. Should a version look for them where they are after all, it finds them off.
        "mcp": {name: {"enabled": False} for name in servers},
    }


def _content(users: Mapping[str, object], ours: Mapping[str, object]) -> str:
    """One object out of two. What looks like a reference is one in the user's settings only."""
    written = _REFERENCE.sub(r"\\u007b", json.dumps(ours))
    return f"{json.dumps(users, ensure_ascii=False)[:-1]},{written[1:]}" if users else written


def _worktree(folder: Path) -> Path:
    """What OpenCode, started in ``folder``, takes for the root of its work: that of a repository, or of everything."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), Path(folder.anchor))


def _refuse_oversized(variables: Mapping[str, str]) -> None:
    for name, value in variables.items():
        try:
            size = len(value.encode())
        except UnicodeEncodeError as error:
            raise ConfigurationError("The configuration of opencode holds what is not Unicode.") from error
        if size > VARIABLE_LIMIT:
            what = "configuration" if name == "OPENCODE_CONFIG_CONTENT" else "list of what it must not read"
            raise ConfigurationError(f"The {what} that opencode would be given is too long to be passed on.")
