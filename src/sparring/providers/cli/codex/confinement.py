"""Servers and skills that a user's Codex configuration would start, and the options that switch them off.

Codex gets a separate home (see ``home``). Configuration elsewhere, in the system's folder and in the project's, has no
flag against it, so each MCP server and skill is named and disabled. An unreadable file is an error and never "no
servers": otherwise we would start what we promise not to start. The project's files may be hostile: reading
them always ends soon.

It reads by shell commands. Its ``-s read-only`` prevents writing, and permits reading everything; only a
permission profile limits reading (0.169.0): to one project, and no other file of the user. This was
confirmed on Linux only.
"""

import itertools
import json
import os
import re
import secrets
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from pydantic import BaseModel, JsonValue

from sparring.errors import ConfigurationError
from sparring.processes.children import find_program, home_folder
from sparring.providers.cli import confinement
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import QuestionTerms
from sparring.schema.providers import CliProvider, ProgramProvider

SYSTEM_FOLDER = Path("/etc/codex")
_CONFIG = "config.toml"
SKILL_DEPTH = 6
"""Depth of folders in which Codex looks for skills (0.169.0)."""

FOLDER_LIMIT = 10_000
"""Most folders of skills that are examined in one place; Codex itself stops at 2,000 of them."""


_LOGIN = "auth.json"
_LINKED = (_LOGIN, ".env", "installation_id", "models_cache.json")
_SESSIONS = "sessions"
_BY_DAY = "*/*/*"

_INHERITED = frozenset(
    {
        "chatgpt_base_url", "cli_auth_credentials_store", "forced_chatgpt_workspace_id", "forced_login_method",
        "openai_base_url", "oss_provider", "service_tier",
    }
)  # fmt: skip
"""Settings of the user that say how a model is reached; those that say which one, and how, begin with ``model``."""

_INSTRUCTIONS = "model_instructions_file"
_CATALOG = "model_catalog_json"
_IN_KEYRING = ("auto", "keyring")
_TRANSPORT = ("respect_system_proxy", "secret_auth_storage", "system_proxy_fallback")
"""Features that say how a model and a login are reached."""

_ALWAYS: Mapping[str, JsonValue] = {"analytics": {"enabled": False}, "check_for_update_on_startup": False}

_LEAST_TRIES = {"request_max_retries": 1, "stream_max_retries": 1}
"""Least number of retries that Codex makes by itself; 30 requests for one question otherwise.

The caller decides about more.
"""


def confine(
    spec: ProgramProvider, terms: QuestionTerms, surroundings: confinement.Surroundings, own: confinement.MakeOwn
) -> confinement.Addition:
    """Return the additions for ``terms``."""
    environment, project = surroundings.environment, surroundings.project
    reads = terms.repo_access is RepoAccess.READ
    cwd = project if reads else confinement.empty_folder(surroundings, spec.name)
    users = codex_folder(environment, project)
    home = {"CODEX_HOME": str(users)}
    confined = replace(configured_off({**environment, **home}, cwd), cwd=cwd)
    if not Path(environment.get("CODEX_HOME", "/")).is_absolute():  # it begins in the project
        confined = replace(confined, variables=home)
    if reads:
        program = spec.command.program if isinstance(spec, CliProvider) else spec.program
        located = find_program(program, environment.get("PATH"))
        confined = replace(
            confined, arguments=confined.arguments + reading_profile(located, project, surroundings.closed_inside())
        )
    settings = _table(users / _CONFIG)
    if settings.get("cli_auth_credentials_store") in _IN_KEYRING and not (users / _LOGIN).is_file():
        return confined
    folder = own()
    _fill(folder, users, settings)
    if terms.keep_session or terms.session_id:
        kept = confinement.kept_sessions(surroundings.private_dir / "codex" / _SESSIONS, f"{_BY_DAY}/*.jsonl")
        _place_sessions(folder / _SESSIONS, users / _SESSIONS, kept, terms)
    return replace(confined, variables={"CODEX_HOME": str(folder), "CODEX_SQLITE_HOME": str(folder)})


def _fill(folder: Path, users: Path, settings: Mapping[str, JsonValue]) -> None:
    """Fill the empty ``folder``: Codex's own in place of that of ``users``."""
    for name in _LINKED:
        if (users / name).is_file():
            (folder / name).symlink_to(users / name)
    lines = (f"{json.dumps(name)} = {toml(value)}" for name, value in _inherited_settings(users, settings))
    (folder / _CONFIG).write_text("\n".join(lines), encoding="utf-8")


def _inherited_settings(users: Path, settings: Mapping[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    for name, value in settings.items():
        if name == "model_providers" and isinstance(value, dict):
            yield name, {each: _patient(provider) for each, provider in value.items()}
        elif name == _CATALOG and isinstance(value, str):
            yield name, str(users / value)  # else it would be resolved from the folder of the new file
        elif name in _INHERITED or (name.startswith("model") and name != _INSTRUCTIONS):
            yield name, value
    features = settings.get("features")
    if isinstance(features, dict):
        yield "features", {name: features[name] for name in _TRANSPORT if name in features}
    yield from _ALWAYS.items()


def _patient(provider: JsonValue) -> JsonValue:
    return {**_LEAST_TRIES, **provider} if isinstance(provider, dict) else provider


def _place_sessions(place: Path, users: Path, kept: Path, terms: QuestionTerms) -> None:
    session = _session(terms.session_id, kept, users) if terms.session_id else None
    if terms.keep_session:
        # A session of the user, or of an older version of ours, continues at its place.
        root = kept if session is None or session.is_relative_to(kept) else users
        place.symlink_to(root, target_is_directory=True)
    elif session is not None:  # it adds to the copy
        copy = place.joinpath(*session.parts[-4:])
        copy.parent.mkdir(parents=True)
        shutil.copyfile(session, copy)


def _session(session_id: str, *roots: Path) -> Path | None:
    return next((file for root in roots for file in root.glob(f"{_BY_DAY}/*{session_id}.jsonl")), None)


def toml(value: JsonValue) -> str:
    """Return ``value`` as TOML on one line."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{toml(name)}={toml(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(toml, value)) + "]"
    if isinstance(value, str):
        # A JSON string is a TOML basic string, but for DEL and for characters beyond the basic plane when escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value, default=str)


def codex_folder(environment: Mapping[str, str], project: Path) -> Path:
    """Return the folder of the user's Codex configuration, when Codex is started in ``project``."""
    return project / (environment.get("CODEX_HOME") or home_folder(environment) / ".codex")


def configured_off(
    environment: Mapping[str, str], project: Path, *, folder_limit: int = FOLDER_LIMIT
) -> confinement.Addition:
    """Return the options that switch off every server and skill in the files that Codex would read in ``project``.

    The variables with the keys of the user's own model providers are passed on. In each place for skills, at
    most ``folder_limit`` folders are examined.

    Raises:
        ConfigurationError: A file is there but cannot be parsed, or there are too many folders.
    """
    home, user = home_folder(environment), codex_folder(environment, project)
    layers = [user, SYSTEM_FOLDER, *(folder / ".codex" for folder in (project, *project.parents))]
    files = [_read(folder / _CONFIG) for folder in layers]
    roots = [layer / "skills" for layer in layers]
    roots += [folder / ".agents" / "skills" for folder in (home, project, *project.parents)]
    servers = {name: server for file in files for name, server in file.mcp_servers.items()}
    # Only the user's own file may name variables: a project could name any secret and its own endpoint to send it to.
    keys = {name for provider in files[0].model_providers.values() for name in provider.variables()}
    arguments = (*servers_off(servers), *_skills_off(_skill_files(roots, folder_limit)))
    return confinement.Addition(arguments=arguments, passed_on=frozenset(keys))


def servers_off(servers: Mapping[str, Mapping[str, object]]) -> tuple[str, ...]:
    """The arguments that switch these MCP servers off."""
    # One inline table, since the dotted form takes no quoted names (0.169.0). A harmless transport of the same kind is
    # given with it: Codex refuses a server without one, as those of a project that it does not trust would be.
    off = [f"{toml(name)}={{{_harmless(server)},enabled=false}}" for name, server in servers.items()]
    return ("-c", f"mcp_servers={{{','.join(off)}}}") if off else ()


def _skills_off(files: Iterable[str]) -> tuple[str, ...]:
    """The arguments that switch these skills off; else ``$name`` in a prompt would be followed by its instructions."""
    # By path: YAML has more ways to write a name than we could read, and any that we missed would be expanded.
    off = [f"{{path={toml(file)},enabled=false}}" for file in files]
    return ("-c", f"skills.config=[{','.join(off)}]") if off else ()


class _ModelProvider(BaseModel):
    env_key: str | None = None
    env_http_headers: Mapping[str, str] = {}

    def variables(self) -> tuple[str, ...]:
        return (*([self.env_key] if self.env_key else []), *self.env_http_headers.values())


class _File(BaseModel):
    mcp_servers: Mapping[str, Mapping[str, object]] = {}
    model_providers: Mapping[str, _ModelProvider] = {}


def _read(file: Path) -> _File:
    try:
        return _File.model_validate(_table(file))
    except ValueError as error:
        raise _unclear(file) from error


def _table(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((confinement.users_file(file) or b"").decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _unclear(file) from error


def _unclear(file: Path) -> ConfigurationError:
    return ConfigurationError(f"{file} cannot be parsed, so what it would start cannot be switched off.")


def _harmless(server: Mapping[str, object]) -> str:
    return 'url="http://127.0.0.1:9"' if "url" in server else 'command="true"'


def _skill_files(roots: Iterable[Path], folder_limit: int) -> list[str]:
    # Codex ignores a skill whose path is not UTF-8 (0.169.0), and an argument could not name it.
    return sorted({file for root in roots for file in _skill_files_below(root, folder_limit) if _is_utf8(file)})


def _is_utf8(file: str) -> bool:
    return file.encode(errors="ignore").decode() == file


def _skill_files_below(root: Path, folder_limit: int) -> Iterator[str]:
    """Level by level, each folder once, however many links lead to it."""
    seen: set[str] = set()
    level = {os.path.realpath(root)}
    for _ in range(SKILL_DEPTH + 1):
        seen |= level
        if len(seen) > folder_limit:
            raise ConfigurationError(f"{root} has too many folders, so its skills cannot be switched off.")
        below: set[str] = set()
        for folder in level:
            for _, folders, files in itertools.islice(os.walk(folder), 1):
                below |= {os.path.realpath(Path(folder, name)) for name in folders}
                if "SKILL.md" in files:
                    yield str(Path(folder, "SKILL.md"))
        level = below - seen


GLOB_DEPTH = 64
"""Depth of folders in which Codex looks for files that are denied by name."""

_DEEPER = (
    ".git/config", ".docker/config.json", ".kube/config", ".aws/*", ".azure/*", ".gcloud/*", ".gnupg/*", ".ssh/*",
)  # fmt: skip
"""Files below the top of a denied folder that are denied one by one; a rule for every file would be too much."""

_SPECIAL = re.compile(r"[][{}*?,!\\]")

_SYSTEM = {
    ":minimal": "read",  # what any program needs to run: /usr, /lib and the like
    "/etc": "deny",
    "/usr/local/etc": "deny",
}


def reading_profile(
    program: str | None, project: Path, closed: Iterable[str] = (), *, system: str = sys.platform
) -> tuple[str, ...]:
    """The arguments that let the commands of ``program``, which is Codex, read ``project`` without ``closed``.

    A denied file is not only unreadable: where there is any, Codex lets no rule or request lead out of the sandbox.

    Raises:
        ConfigurationError: Codex cannot be confined here.
        OSError: The project cannot be looked into.
    """
    if system != "linux":
        raise ConfigurationError("codex can be kept to reading the project on Linux only; give it context instead.")
    # A random name, because a profile of that name in a configuration file would be mixed with ours.
    name = f"sparring-{secrets.token_hex(8)}"
    own = {str(file): "read" for file in _own_files(program)}
    filesystem: dict[str, Any] = {
        "glob_scan_max_depth": GLOB_DEPTH,
        **_SYSTEM,
        **own,
        ":workspace_roots": _project(project, closed),
    }
    profile: dict[str, Any] = {"filesystem": filesystem, "network": {"enabled": False}}
    return ("-c", f"permissions.{name}={toml(profile)}", "-c", f"default_permissions={toml(name)}")


def _project(project: Path, closed: Iterable[str]) -> dict[str, str]:
    # What is not there cannot be denied below another folder.
    folders = dict.fromkeys(
        (*confinement.FOLDERS, *(folder for folder in closed if (project / folder).is_dir())), "deny"
    )
    # A pattern that matches inside of a denied folder would prevent the sandbox from starting (0.169.0), so it lists
    # the folders of the project to which it applies. Few patterns, because Codex shows the model each of them.
    top = _alternatives(map(confinement.in_any_case, confinement.FILES))
    deeper = _alternatives(map(confinement.in_any_case, (*confinement.FILES, *_DEEPER)))
    below = f"{_alternatives(_other_folders(project))}/**/{deeper}"
    return {".": "read", **folders, top: "deny", below: "deny"}


def _other_folders(project: Path) -> list[str]:
    """Globs of all folders at the top of the project but those that are denied."""
    hidden = (entry.name for entry in project.iterdir() if entry.name.startswith(".") and entry.is_dir())
    return ["[!.]*", *(_SPECIAL.sub(r"[\g<0>]", name) for name in sorted(hidden) if name not in confinement.FOLDERS)]


def _alternatives(globs: Iterable[str]) -> str:
    return f"{{{','.join(globs)}}}"


def _own_files(program: str | None) -> list[Path]:
    """Return Codex's native program, which starts itself again inside the sandbox, and its own search program."""
    natives = list(_native_programs(Path(program).resolve())) if program else []
    if not natives:
        raise ConfigurationError(
            f"Codex's own program was not found behind {program or 'codex'}, so it cannot read the project."
        )
    return [place for native in natives for place in (native, native.parent.parent / "codex-path") if place.exists()]


def _native_programs(program: Path) -> Iterator[Path]:
    if program.suffix != ".js":
        if _is_native(program):
            yield program
        return
    package = program.parent.parent
    for folder in (package.parent, package / "node_modules" / "@openai", package):
        for native in (*folder.glob("codex-linux-*/vendor/*/bin/codex"), *folder.glob("vendor/*/bin/codex")):
            if _is_native(native):
                yield native.resolve()


def _is_native(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(4) == b"\x7fELF"
    except OSError:
        return False
