"""What a user has told Gemini CLI in a file of variables: many a key is there and nowhere else.

Gemini CLI itself would look for such a file in the project first, and so let a cloned repository choose the endpoint
that the key is sent to. The project's is never read.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from sparring.errors import ConfigurationError

VARIABLES_LIMIT = 1024 * 1024
"""Most bytes of such a file."""

# As the package ``dotenv`` reads them, which Gemini CLI uses (0.61.0).
_VARIABLE = re.compile(
    r"^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)"
    r"""(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\n]+)?[^\S\n]*(?:\#.*)?$""",
    re.MULTILINE,
)
_QUOTED = re.compile(r"""(['"`])(.*)\1""", re.DOTALL)


def users_variables(users: Path, environment: Mapping[str, str], allowed: Iterable[str]) -> dict[str, str]:
    """The variables of the user's file that are not in ``environment``, as far as they are ``allowed``.

    Args:
        users: The user's own folder of Gemini CLI. Only where it holds no such file is the one beside it read.
        environment: What is set there counts, as it would for Gemini CLI.
        allowed: Names, or with a final ``*`` the beginnings of several.

    Raises:
        ConfigurationError: The file cannot be read.
    """
    file = next((file for file in (users / ".env", users.parent / ".env") if file.is_file()), None)
    if file is None:
        return {}
    told = {name: _plain(value) for name, value in _VARIABLE.findall(_text(file))}
    patterns = tuple(allowed)
    return {
        name: value
        for name, value in told.items()
        if name not in environment and "\0" not in value and any(fnmatchcase(name, pattern) for pattern in patterns)
    }


def _plain(written: str) -> str:
    value = written.strip()
    quoted = _QUOTED.fullmatch(value)
    if quoted is None:
        return value
    quote, inner = quoted.groups()
    return inner.replace(r"\n", "\n").replace(r"\r", "\r") if quote == '"' else inner


def _text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as stream:  # every kind of line end becomes one
            text = stream.read(VARIABLES_LIMIT + 1)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    if len(text) > VARIABLES_LIMIT:
        raise ConfigurationError(f"{file} is larger than {VARIABLES_LIMIT} bytes.")
    return text
