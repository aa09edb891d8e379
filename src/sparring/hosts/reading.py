"""Read what a host has, and see whether it may be changed, before anything is."""

import errno
import os
from pathlib import Path

from sparring.errors import ConfigurationError

SETTINGS_LIMIT = 64 * 1024 * 1024
"""Most bytes of a host's settings: Claude Code keeps what it remembers of every project in the same file."""

LEFT = "Nothing was changed anywhere."


def resolved(path: Path, within: Path | None = None) -> Path:
    """The file itself that ``path`` leads to, whether it is there or not.

    Args:
        path: A file, or a link to one.
        within: Where it has to lie; anywhere, if not given.

    Raises:
        ConfigurationError: It is a link to itself, or leads out of ``within``.
    """
    try:
        found = path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError before Python 3.13
        raise _leads_nowhere(path) from error
    if _is_loop(found):  # from Python 3.13 on it is resolved without a word, as far as it goes
        raise _leads_nowhere(path)
    if within is not None and not found.is_relative_to(within.resolve()):
        raise ConfigurationError(f"{path} leads out of {within}. {LEFT}", hint="Change what it leads to yourself.")
    return found


def _is_loop(path: Path) -> bool:
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _leads_nowhere(path: Path) -> ConfigurationError:
    return ConfigurationError(f"{path} is a link that leads nowhere. {LEFT}", hint="Move it away.")


def read_file(path: Path) -> bytes | None:
    """All of a file of a host, or None if there is none.

    Raises:
        ConfigurationError: It is no file, is too large or cannot be read.
    """
    try:
        if path.exists() and not path.is_file():
            raise ConfigurationError(f"{path} is not a file. {LEFT}", hint="Move it away.")
        if path.exists() and path.stat().st_size > SETTINGS_LIMIT:
            raise ConfigurationError(f"{path} is larger than {SETTINGS_LIMIT:,} bytes. {LEFT}")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}. {LEFT}") from error


def text_of(content: bytes | None) -> str:
    """The text in ``content``, which is UTF-8 or nothing; raises ``UnicodeDecodeError``, a ``ValueError``."""
    return (content or b"").decode()


def not_understood(path: Path, error: ValueError) -> ConfigurationError:
    """What is raised for settings that cannot be read, or hold what is not expected."""
    reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error).splitlines()[0]
    return ConfigurationError(f"{path} cannot be understood: {reason}. {LEFT}", hint="Mend it, then try again.")


def check_writable(path: Path) -> None:
    """See that neither the file at ``path`` nor the folder in which it stands, or would be made, is protected.

    A new file takes the place of the old one, so whoever has protected that would not be heard by the system alone.

    Raises:
        ConfigurationError: One of them is.
    """
    folder = next(folder for folder in path.parents if folder.exists())
    for place in (path, folder) if path.exists() else (folder,):
        if not place.stat().st_mode & 0o222 or not os.access(place, os.W_OK):
            raise ConfigurationError(f"{place} is read-only. {LEFT}", hint="Allow writing to it, then try again.")
