"""Environment and configuration, read once and passed down."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sparring.errors import SettingsError


@dataclass(frozen=True)
class Settings:
    """What the world around us says.

    Attributes:
        environment: The whole environment of this process; children get an allow-listed part of it.
        cwd: Where the user is.
        provider_dir: The user's own provider files. Never a folder of the repository under work, because a cloned
            repository must not choose what is executed.
        private_dir: The user's cache folder, for what must lie outside of any project.
        secrets: What is secret besides what ``environment`` shows to be.
        is_shared: Whether others ask the same tools on this machine. Sessions that a tool knows are then no proof
            that they are ours.
    """

    environment: Mapping[str, str]
    cwd: Path
    provider_dir: Path
    private_dir: Path
    secrets: tuple[str, ...] = ()
    is_shared: bool = False

    @classmethod
    def read(cls, environment: Mapping[str, str], cwd: Path) -> "Settings":
        """The settings that ``environment`` and ``cwd`` give.

        ``SPARRING_CONFIG_DIR`` replaces the platform's own configuration folder.

        Raises:
            SettingsError: ``SPARRING_CONFIG_DIR`` is not an absolute path.
        """
        chosen = environment.get("SPARRING_CONFIG_DIR")
        if chosen and not Path(chosen).is_absolute():
            raise SettingsError(f"SPARRING_CONFIG_DIR must be an absolute path, it is {chosen!r}.")
        config = Path(chosen) if chosen else _user_config_dir()
        return cls(
            environment=dict(environment), cwd=cwd, provider_dir=config / "providers", private_dir=_user_cache_dir()
        )

    @classmethod
    def of_process(cls) -> "Settings":
        """The settings of this process.

        Raises:
            SettingsError: As ``read``, or the folder that this process works in is gone.
        """
        try:
            cwd = Path.cwd()
        except OSError as error:
            raise SettingsError("The current folder does not exist any more.", hint="Change to another one.") from error
        return cls.read(os.environ, cwd)


def _user_cache_dir() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 -- not needed by most of what imports this module

    return user_cache_path("sparring", appauthor=False)


def _user_config_dir() -> Path:
    from platformdirs import user_config_path  # noqa: PLC0415 -- not needed by most of what imports this module

    return user_config_path("sparring", appauthor=False)
