"""A separate home for Gemini CLI, with nothing in it but the user's login and choice of model.

Gemini CLI starts what it finds in the user's folder (MCP servers, hooks, extensions, agents) and, where it trusts the
folder that it is started in, in that folder, whose files can also choose the endpoint and the key. Settings that
outweigh both would have to lie where only their owner can write, up to the root, and some things no setting
switches off, such as a project's ``GEMINI.md`` (0.61.0). So it gets a separate home, is started in an empty
folder, trusts none, and gets the project as an additional folder.

The login stays the user's: its files are links to theirs, through which Gemini CLI also renews it.

The end of an answer, by a limit or by a filter, is reported in its telemetry only (0.61.0). So that goes
into a file in its own folder, and nowhere else.

It abandons a request whose answer does not begin within a minute, and has no setting for that, only a flag that
Google sets for users who are signed in there (0.61.0). For all others a file next to the settings has the flag.

Many keys exist only in the user's file of variables. Gemini CLI itself would look
for such a file in the project first, and so let a cloned repository choose the endpoint that the key is sent to. The
project's file is never read.

Rules about the arguments of its tools limit what it may read in a project. The tools themselves stay
inside the folders that they were given, links followed (0.61.0). But the folder of
the session is one of these. And inside the project there may be secrets. So a rule denies every path outside the
project, and others deny file names that are meant for secrets.

A rule is a regular expression over the arguments as JSON, where a NUL stands before each name. Paths are decoded like
parts of URLs, resolved, and matched against globs only after the rules; a path that this could turn into another one
is denied altogether.
"""

import json
import math
import os
import re
import shutil
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.processes.children import home_folder
from sparring.providers.cli import confinement
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import QuestionTerms
from sparring.schema.providers import CliProvider, ProgramProvider
from sparring.text.jsonc import merged
from sparring.text.secret_shapes import may_hold_secrets

_FOLDER = ".gemini"
_LOGIN = ("gemini-credentials.json", "google_accounts.json", "installation_id", "oauth_creds.json")
_FLAGS = "flags.json"
_TEMPORARY = "temporary"
_PATIENCE = 45773134
"""Flag for the seconds that a request may take until its answer begins."""


def confine(
    spec: ProgramProvider, terms: QuestionTerms, surroundings: confinement.Surroundings, own: confinement.MakeOwn
) -> confinement.Addition:
    """Return the additions for ``terms``, and Gemini CLI's own folder in place of the user's."""
    environment = surroundings.environment
    users = gemini_folder(environment, surroundings.project)
    variables = users_variables(users, environment, spec.environment.allow)
    known = {**variables, **environment}
    refuse_outweighing(Path(known.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or MANAGED))
    folder, private = own(), surroundings.private_dir / "gemini"
    report = folder / "telemetry.json"
    files = _files(spec, terms, surroundings, known, report)
    _fill(folder, users, files)
    variables |= {
        "GEMINI_CLI_HOME": str(folder),
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(folder / "none.json"),
        "TMPDIR": str(folder / _TEMPORARY),  # where it writes reports of errors, with the whole conversation
    }
    if _FLAGS in files:
        variables["GEMINI_EXP"] = str(folder / _FLAGS)
    note = spec.reading_note if isinstance(spec, CliProvider) else ""
    return confinement.Addition(
        arguments=_place_sessions(folder / _FOLDER / "tmp", private / "sessions", terms),
        variables=variables,
        cwd=_empty_folder(private / "empty", folder / _TEMPORARY),
        preamble=note if terms.repo_access is RepoAccess.READ else "",
        report=report,
    )


def gemini_folder(environment: Mapping[str, str], project: Path) -> Path:
    """Return the folder of the user's Gemini CLI configuration, when it is started in ``project``."""
    return project / (environment.get("GEMINI_CLI_HOME") or home_folder(environment)) / _FOLDER


def _files(
    spec: ProgramProvider,
    terms: QuestionTerms,
    surroundings: confinement.Surroundings,
    known: Mapping[str, str],
    report: Path,
) -> dict[str, str]:
    """Return the content of each file in its own folder."""
    reads = surroundings.project.resolve() if terms.repo_access is RepoAccess.READ else None
    cli = spec if isinstance(spec, CliProvider) else None
    settings = gemini_settings(
        gemini_folder(surroundings.environment, surroundings.project) / "settings.json",
        reads=reads,
        web_tools=cli.web_tools if cli and terms.web else (),
        effort=cli.effort_settings.get(terms.effort) if cli and terms.effort else None,
        model=terms.model or known.get("GEMINI_MODEL"),
        report=report,
    )
    files = {f"{_FOLDER}/settings.json": json.dumps(settings)}
    if reads:
        files[f"{_FOLDER}/policies/sparring.toml"] = reading_policies(reads, surroundings.closed_inside())
    if not _is_signed_in_to_google(settings, known):
        flag = {"flagId": _PATIENCE, "intValue": str(math.ceil(terms.timeout_s) + _SPARE_S)}
        files[_FLAGS] = json.dumps({"flags": [flag], "experimentIds": []})
    return files


def _fill(folder: Path, users: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    for name in _LOGIN:
        if (users / name).is_file():
            (folder / _FOLDER / name).symlink_to(users / name)
    (folder / _TEMPORARY).mkdir()


def _empty_folder(work: Path, temporary: Path) -> Path:
    """Return a folder to start it in; always the same one, because a session belongs to its folder.

    It ignores names from a prompt there, and so does not look for them in the project.
    """
    work.mkdir(mode=0o700, parents=True, exist_ok=True)
    ignored = temporary / "ignored"
    ignored.write_text("*\n", encoding="utf-8")
    return ignored.replace(work / ".geminiignore").parent  # whole at once: others may be starting there


def _place_sessions(place: Path, sessions: Path, terms: QuestionTerms) -> tuple[str, ...]:
    """Put the session where Gemini CLI looks for it; return the arguments that name a new one which is to be kept.

    Each has its own folder: a program that may read the project may read the neighbours of the session as well.
    """
    is_new = terms.session_id is None
    session = terms.session_id or str(uuid.uuid4())
    kept = sessions / session
    if not is_new and not kept.is_dir():
        return ()  # it reports the missing session itself
    if terms.keep_session:
        confinement.kept_sessions(sessions)
        kept.mkdir(mode=0o700, exist_ok=True)
        place.symlink_to(kept, target_is_directory=True)
        return (f"--session-id={session}",) if is_new else ()
    if not is_new:
        shutil.copytree(kept, place, symlinks=True)  # it may add to the copy
    return ()


# As the package ``dotenv`` reads them, which Gemini CLI uses (0.61.0).
_VARIABLE = re.compile(
    r"^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)"
    r"""(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\n]+)?[^\S\n]*(?:\#.*)?$""",
    re.MULTILINE,
)
_QUOTED = re.compile(r"""(['"`])(.*)\1""", re.DOTALL)


def users_variables(users: Path, environment: Mapping[str, str], allowed: Iterable[str]) -> dict[str, str]:
    """Return the variables of the user's file that are not in ``environment``, as Gemini CLI would use them.

    The file lies in its own folder, ``users``, or else next to it. ``allowed`` are names, or with a
    final ``*`` the beginnings of several.

    Raises:
        ConfigurationError: The file cannot be read.
    """
    file = next((file for file in (users / ".env", users.parent / ".env") if file.is_file()), None)
    if file is None:
        return {}
    text = (confinement.users_file(file) or b"").decode("utf-8-sig", errors="replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    variables = {name: _plain(value) for name, value in _VARIABLE.findall(lines)}
    patterns = tuple(allowed)
    return {
        name: value
        for name, value in variables.items()
        if name not in environment and "\0" not in value and any(fnmatchcase(name, pattern) for pattern in patterns)
    }


def _plain(written: str) -> str:
    value = written.strip()
    quoted = _QUOTED.fullmatch(value)
    if quoted is None:
        return value
    quote, inner = quoted.groups()
    return inner.replace(r"\n", "\n").replace(r"\r", "\r") if quote == '"' else inner


MANAGED = Path(
    {
        "darwin": "/Library/Application Support/GeminiCli/settings.json",
        "win32": "C:/ProgramData/gemini-cli/settings.json",
    }.get(sys.platform, "/etc/gemini-cli/settings.json")
)
"""Settings of the administrator, which override all others in Gemini CLI (0.61.0)."""

READING_TOOLS = ("read_file", "list_directory", "glob")
"""Tools with which Gemini CLI reads a project.

Not among them: ``grep_search``, which searches secrets as well, and hands the words that it searches for to
``git grep`` as an argument that can be an option, one of which runs a program (0.61.0).
"""

Efforts = Mapping[str, Mapping[str, JsonValue]]
"""Effort settings, by the names that Gemini CLI has for its models and for groups of them."""

_Path = tuple[str, ...]

_INHERITED: tuple[_Path, ...] = (
    ("security", "auth"),
    ("billing",),
    ("model", "name"),
    ("general", "maxAttempts"),
    ("advanced", "dnsResolutionOrder"),
)
"""Settings of the user that say which model is asked, how it is reached, and how often it is tried."""

_OUTWEIGHING: tuple[_Path, ...] = (
    ("agents",),
    ("context",),
    ("experimental",),
    ("hooksConfig",),
    ("policyPaths",),
    ("security", "folderTrust"),
    ("skills",),
    ("tools",),
)
"""Settings that an administrator could use to undo the restrictions."""

_NO_ROUTER: dict[str, JsonValue] = {"classifier": {"extends": "none"}}
"""Without it, a small model first reads the whole prompt and chooses the model that answers. With a classifier of no
kind it uses the model that it would use after a failure of the classifier."""


def gemini_settings(
    users: Path,
    *,
    reads: Path | None = None,
    web_tools: tuple[str, ...] = (),
    effort: Efforts | None = None,
    model: str | None = None,
    report: Path | None = None,
) -> dict[str, JsonValue]:
    """Return the settings for one question, with those that are taken over from the user.

    ``reads`` is the project, if it may be read; never together with a web search by ``web_tools``. ``model`` is the one
    in the question or the environment. The end of an answer is written into ``report``.

    Raises:
        ConfigurationError: The user's settings cannot be parsed, so the login that they name would not be used.
    """
    own = confinement.users_table(users)
    settings = _always(reads, web_tools)
    if report:
        settings["telemetry"] = {"enabled": True, "target": "local", "outfile": str(report), "logPrompts": False}
    for path in _INHERITED:
        if (value := _at(own, path)) is not None:
            settings = merged(settings, _nested(path, value))
    named = model or _at(own, ("model", "name"))
    aliases: dict[str, JsonValue] = {**_NO_ROUTER}
    if effort and isinstance(named, str):
        # A model that it does not know would be in neither group: those that know budgets of tokens to think with, and
        # those that know levels.
        group = "chat-base-2.5" if named.startswith("gemini-2.") else "chat-base-3"
        aliases[named] = {"extends": group, "modelConfig": {"model": named}}
    settings["modelConfigs"] = {"customAliases": aliases, "customOverrides": [*map(_override, (effort or {}).items())]}
    return settings


_KEYED = ("gateway", "gemini-api-key", "vertex-ai")
_SPARE_S = 60


def _is_signed_in_to_google(settings: JsonValue, environment: Mapping[str, str]) -> bool:
    """Return whether it asks Google for flags, such as which models there are, that ours would take the place of."""
    chosen = _at(settings, ("security", "auth", "selectedType"))
    return bool(environment.get("GOOGLE_GENAI_USE_GCA")) if chosen is None else chosen not in _KEYED


def refuse_outweighing(managed: Path) -> None:
    """Raise ``ConfigurationError`` if ``managed`` sets what would outweigh these settings, or cannot be parsed."""
    theirs = confinement.users_table(managed)
    if conflicting := [".".join(path) for path in _OUTWEIGHING if _at(theirs, path) is not None]:
        raise ConfigurationError(
            f"{managed} sets {', '.join(conflicting)}, which would outweigh what keeps gemini to answering."
        )


def _always(reads: Path | None, web_tools: tuple[str, ...]) -> dict[str, JsonValue]:
    return {
        # Together with GEMINI_CLI_TRUST_WORKSPACE=false: no folder is trusted, and that is no reason to refuse to work.
        "security": {"folderTrust": {"enabled": False}},
        "tools": {"core": [*(READING_TOOLS if reads else web_tools or ("none",))], "useRipgrep": False},
        "context": {
            "includeDirectoryTree": reads is not None,
            "includeDirectories": [str(reads)] if reads else [],
            "loadMemoryFromIncludeDirectories": False,
            # See the file that is in the folder in which it is started.
            "fileFiltering": {"respectGeminiIgnore": True, "enableRecursiveFileSearch": False},
        },
        # Else, after many steps, it has other models judge whether they lead anywhere. The time limit ends them, too.
        "model": {"disableLoopDetection": True},
        "skills": {"enabled": False},
        "hooksConfig": {"enabled": False},
        "ide": {"enabled": False},
        "general": {
            # Ten tries take minutes. The caller decides whether a failure is worth another try.
            "maxAttempts": 2,
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "sessionRetention": {"enabled": False},
        },
        # Variables of the user come in another way (see users_variables); those of a project are excluded.
        "advanced": {"ignoreLocalEnv": True, "autoConfigureMemory": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }


def _override(effort: tuple[str, Mapping[str, JsonValue]]) -> JsonValue:
    model, thinking = effort
    return {"match": {"model": model}, "modelConfig": {"generateContentConfig": {"thinkingConfig": {**thinking}}}}


def _at(settings: JsonValue, path: _Path) -> JsonValue:
    for name in path:
        settings = settings.get(name) if isinstance(settings, dict) else None
    return settings


def _nested(path: _Path, value: JsonValue) -> dict[str, JsonValue]:
    first, *rest = path
    return {first: _nested(tuple(rest), value) if rest else value}


PATTERN_LIMIT = 2048
"""Most characters of a rule; it drops a longer one (0.61.0)."""

_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\/]")
_UNWRITABLE = re.compile(r'[%\\"${}\x00-\x1f\x7f\ud800-\udfff]')


def reading_policies(project: Path, closed: Iterable[str] = ()) -> str:
    """Return the rules, as a file, for reading ``project`` without ``closed``; its own path must contain no links.

    Raises:
        ConfigurationError: The project is too large to be scanned, or its path cannot be written as a rule.
    """
    root = project.as_posix()
    if match := _UNWRITABLE.search(root):
        raise ConfigurationError(f"gemini cannot be restricted to {project}: its path contains a {match[0]!r}.")
    paths = f"Name files and folders by their whole path, which begins with {root}."
    straight = "Paths and patterns may not contain empty parts or dots in place of names."
    rules = [
        _rule(rf'\x00"file_path":"(?!{_escaped(root)}/)', paths),
        _rule(rf'\x00"dir_path":"(?!{_escaped(root)}["/])', paths),
        _rule(r'\x00"pattern":"/', "A pattern may not begin with a slash."),
        _rule(r'["/]\.\.["/]', straight),
        _rule(r"/\.?/", straight),
        # The one brace that the arguments themselves end with has a NUL before it.
        _rule(r"[%\\]|[^\x00]\}", "Paths and patterns may not contain a percent sign, a backslash or a brace."),
    ]
    rules += (_rule(pattern, "This may contain secrets.") for pattern in _secrets(project))
    rules += (_rule(rf'/{_any_case(folder)}["/]', "These are records of what is asked.") for folder in closed)
    return "\n".join(rules)


def _rule(pattern: str, message: str) -> str:
    if len(pattern) > PATTERN_LIMIT:
        raise ConfigurationError("gemini cannot be restricted to a project with a path of that length.")
    rule = {"toolName": "*", "argsPattern": pattern, "decision": "deny", "priority": 999, "denyMessage": message}
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in rule.items())
    return "\n".join(("[[rule]]", *lines, ""))


def _secrets(project: Path) -> Iterator[str]:
    # What follows a name would be dropped when the path is resolved.
    yield from (rf'["/]{_any_case(name)}[/.]*"' for name in confinement.FILES)
    yield from (rf'["/]{_any_case(name)}["/]' for name in confinement.FOLDERS)
    yield from (rf'/{_any_case(path)}["/]' for path in _links_to_secrets(project))


def _any_case(name: str) -> str:
    """``name``, in which ``*`` stands for anything, as a regular expression that no other spelling of it escapes."""
    return "".join(map(_spelled, name))


def _spelled(letter: str) -> str:
    if letter == "*" or not letter.isascii() or not letter.isprintable():
        return '[^/"]*'
    return f"[{letter.lower()}{letter.upper()}]" if letter.isalpha() else _escaped(letter)


def _escaped(path: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", path)


def _links_to_secrets(project: Path) -> list[str]:
    leading: list[str] = []
    for folder, folders, files in confinement.walk_folder(project, "gemini"):
        links = (Path(folder, name) for name in (*folders, *files))
        leading += (link.relative_to(project).as_posix() for link in links if _leads_to_secret(project, link))
    return confinement.few(leading)


def _leads_to_secret(project: Path, link: Path) -> bool:
    if not link.is_symlink():
        return False
    target = Path(os.path.realpath(link))
    if not target.is_relative_to(project):
        return False  # the tools themselves do not follow it
    path = target.relative_to(project).as_posix()
    return may_hold_secrets(path) or may_hold_secrets(f"{path}/anything")
