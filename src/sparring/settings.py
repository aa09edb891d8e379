"""Environment and configuration, read once and passed down."""

import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from sparring.errors import SettingsError

_LINUX = {"CACHE": ".cache", "CONFIG": ".config"}
_MACOS = {"CACHE": "Library/Caches", "CONFIG": "Library/Application Support"}
_LEDGER_WAIT_S = 600.0


class Settings(Struct, frozen=True):
    """Settings from the environment.

    Attributes:
        environment: The whole environment of this process; children get an allow-listed part of it.
        cwd: Where the user is.
        provider_dir: The user's own provider files. Never a folder of the repository under work, because a cloned
            repository must not choose what is executed.
        private_dir: The user's cache folder, for what must lie outside of any project.
        secrets: What is secret besides what ``environment`` shows to be.
        ledger_wait_s: Seconds that a ledger which does not answer is waited for.
    """

    environment: Mapping[str, str]
    cwd: Path
    provider_dir: Path
    private_dir: Path
    secrets: tuple[str, ...] = ()
    ledger_wait_s: float = _LEDGER_WAIT_S

    @classmethod
    def read(cls, environment: Mapping[str, str], cwd: Path | None) -> "Settings":
        """Return the settings from ``environment`` and ``cwd``, which is None for a folder that no longer exists.

        ``SPARRING_CONFIG_DIR`` replaces the platform's own configuration folder, and ``SPARRING_LEDGER_PATIENCE`` gives
        the seconds to wait for a ledger.

        Raises:
            SettingsError: The folder or the user's home does not exist, or one of these cannot be used.
        """
        if cwd is None:
            raise SettingsError("The current folder does not exist any more.", hint="Change to another one.")
        chosen = environment.get("SPARRING_CONFIG_DIR")
        if chosen and not Path(chosen).is_absolute():
            raise SettingsError(f"SPARRING_CONFIG_DIR must be an absolute path, it is {chosen!r}.")
        config = Path(chosen) if chosen else _user_folder("CONFIG", environment)
        return cls(
            environment=dict(environment),
            cwd=cwd,
            provider_dir=config / "providers",
            private_dir=_user_folder("CACHE", environment),
            ledger_wait_s=_seconds("SPARRING_LEDGER_PATIENCE", environment, _LEDGER_WAIT_S),
        )

    @classmethod
    def of_process(cls) -> "Settings":
        """The settings of this process; raises as ``read``."""
        return cls.read(os.environ, current_folder())


def _seconds(variable: str, environment: Mapping[str, str], usual: float) -> float:
    text = environment.get(variable, "").strip()
    try:
        seconds = float(text) if text else usual
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < math.inf:
        raise SettingsError(f"{variable} must be seconds, e.g. 600; it is {text!r}.")
    return seconds


def current_folder() -> Path | None:
    """The folder that this process works in; None when it does not exist any more."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _user_folder(kind: Literal["CACHE", "CONFIG"], environment: Mapping[str, str]) -> Path:
    """Return the user's folder of that kind, as platformdirs defines it, but from ``environment`` alone."""
    if sys.platform == "win32":
        from platformdirs import user_cache_path, user_config_path  # noqa: PLC0415 -- no other system needs it

        return (user_cache_path if kind == "CACHE" else user_config_path)("sparring", appauthor=False)
    if (chosen := environment.get(f"XDG_{kind}_HOME", "")).startswith("/"):
        return Path(chosen) / "sparring"
    below = _MACOS[kind] if sys.platform == "darwin" else _LINUX[kind]
    home = environment.get("HOME", "")
    return (Path(home) if home.startswith("/") else _registered_home()) / below / "sparring"


def _registered_home() -> Path:
    import pwd  # noqa: PLC0415 -- there is none on Windows

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError as error:
        raise SettingsError("There is no home directory.", hint="Set HOME to one.") from error
