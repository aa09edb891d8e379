"""A home of its own for Codex, with nothing in it but the user's login and choice of model.

Whatever stands in the user's folder can be put before a prompt or named by one: ``AGENTS.md``, which no setting leaves
out, instructions in the configuration, skills, rules (0.169.0). So Codex gets another folder for its own.

The login stays the user's: ``auth.json`` is a link to theirs, through which Codex also renews it. A login that the
system's keyring holds is found by the path of the folder, so in that case the folder stays the user's as well.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from sparring.providers.cli.confinement import kept_sessions
from sparring.schema.consultation import Question

_LOGIN = "auth.json"
_LINKED = (_LOGIN, ".env", "installation_id", "models_cache.json")
_SESSIONS = "sessions"
_BY_DAY = "*/*/*"

_TAKEN_OVER = frozenset(
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
"""How often Codex asks anew by itself; 30 requests for one question otherwise. Whoever asks decides about more."""


@dataclass(frozen=True)
class CodexHome:
    """What goes into the folder.

    Attributes:
        users: The user's own folder of Codex.
        settings: The user's configuration.
        sessions: Where sessions are kept that are to be continued.
        question: What is asked.
    """

    users: Path
    settings: Mapping[str, JsonValue]
    sessions: Path
    question: Question

    @property
    def is_tied(self) -> bool:
        """Whether the login can only be found with the user's own folder."""
        return self.settings.get("cli_auth_credentials_store") in _IN_KEYRING and not (self.users / _LOGIN).is_file()


def furnish(folder: Path, home: CodexHome) -> dict[str, str]:
    """Fill the empty ``folder`` as ``home`` says; the variables by which Codex finds it.

    Raises:
        OSError: Something cannot be linked or written.
    """
    for name in _LINKED:
        if (home.users / name).is_file():
            (folder / name).symlink_to(home.users / name)
    lines = (f"{json.dumps(name)} = {toml(value)}" for name, value in _settings(home))
    (folder / "config.toml").write_text("\n".join(lines), encoding="utf-8")
    _place_sessions(folder / _SESSIONS, home)
    return {"CODEX_HOME": str(folder), "CODEX_SQLITE_HOME": str(folder)}


def _settings(home: CodexHome) -> Iterator[tuple[str, JsonValue]]:
    for name, value in home.settings.items():
        if name == "model_providers" and isinstance(value, dict):
            yield name, {each: _patient(provider) for each, provider in value.items()}
        elif name == _CATALOG and isinstance(value, str):
            yield name, str(home.users / value)  # else it would be looked for beside the new file
        elif name in _TAKEN_OVER or (name.startswith("model") and name != _INSTRUCTIONS):
            yield name, value
    features = home.settings.get("features")
    if isinstance(features, dict):
        yield "features", {name: features[name] for name in _TRANSPORT if name in features}
    yield from _ALWAYS.items()


def _patient(provider: JsonValue) -> JsonValue:
    return {**_LEAST_TRIES, **provider} if isinstance(provider, dict) else provider


def _place_sessions(place: Path, home: CodexHome) -> None:
    question = home.question
    if not (question.keep_session or question.session_id):
        return
    kept = kept_sessions(home.sessions, f"{_BY_DAY}/*.jsonl")
    found = _session(question.session_id, kept, home.users / _SESSIONS) if question.session_id else None
    if question.keep_session:
        # A session that the user began, or an older version of ours, goes on where it lies.
        root = kept if found is None or found.is_relative_to(kept) else home.users / _SESSIONS
        place.symlink_to(root, target_is_directory=True)
    elif found is not None:  # it adds to the copy
        copy = place.joinpath(*found.parts[-4:])
        copy.parent.mkdir(parents=True)
        shutil.copyfile(found, copy)


def _session(session_id: str, *roots: Path) -> Path | None:
    return next((file for root in roots for file in root.glob(f"{_BY_DAY}/*{session_id}.jsonl")), None)


def toml(value: JsonValue) -> str:
    """``value`` as it stands in a file of TOML, on one line."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{toml(name)}={toml(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(toml, value)) + "]"
    if isinstance(value, str):
        # A JSON string is a TOML basic string, but for DEL and for characters beyond the basic plane when escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value, default=str)
