"""``config.toml`` in the user's configuration directory: read, shown and changed, comments and all else kept.

The project under work has no say: a file that lies in it is not read.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.formats.registry import FORMATS
from sparring.hosts.toml import read_toml, with_table, without_key
from sparring.providers.cli.process import home_folder
from sparring.providers.known import is_users_own
from sparring.seating.defaults import TABLE, Table, checked, defaults_of, option_names, parsed
from sparring.seating.options import Options
from sparring.seating.seats import quoted
from sparring.settings import Settings
from sparring.store.files import read_bounded, replace_file
from sparring.text.tidying import did_you_mean

_LIMIT = 256 * 1024


@dataclass(frozen=True)
class Configuration:
    """The file of one user. What is read is read anew each time.

    Attributes:
        is_read: Whether it is the user's word: it is not where it lies in the project.
    """

    file: Path
    is_read: bool = True

    @classmethod
    def of(cls, settings: Settings, project: Path) -> "Configuration":
        """That of the user who has these settings and works on ``project``."""
        file, home = settings.provider_dir.parent / "config.toml", home_folder(settings.environment)
        folders = (file.parent, Path(os.path.realpath(file)).parent)
        return cls(file, all(is_users_own(folder, project, home) for folder in folders))

    def defaults(self) -> Table:
        """The table ``[defaults]``; empty where there is none.

        Raises:
            ConfigurationError: The file cannot be understood, or that is no table.
        """
        return self.table(TABLE)

    def table(self, name: str) -> Table:
        """The table of that name; raises as ``defaults``."""
        table = self._content().get(name, {}) if self.is_read else {}
        if not isinstance(table, dict):
            raise ConfigurationError(f"{self.file}: {name} must be a table.")
        return table

    def defaults_for(self, kind: type[Options[Any]]) -> Table:
        """The same for runs of one format; raises also where something is set that no option is called."""
        table = self.defaults()
        own = table.get(kind.format, {})
        if not isinstance(own, dict):
            raise ConfigurationError(f"{self.file}: {TABLE}.{kind.format} must be a table.")
        names = option_names(kind)
        strange = [key for key in table if key not in names and key not in FORMATS]
        for key in (*strange, *(f"{kind.format}.{key}" for key in own if key not in names)):
            refuse_unknown(key, self.file)
        return table

    def checked(self) -> dict[str, JsonValue]:
        """Every default by its key, ``rounds`` or ``debate.rounds``; raises ``ConfigurationError`` as reading does."""
        table = self.defaults()
        for name in FORMATS:
            kind = FORMATS[name].options
            checked(kind, defaults_of(kind, self.defaults_for(kind)))
        own = {
            f"{name}.{key}": value for name, of in table.items() if isinstance(of, dict) for key, value in of.items()
        }
        return {key: value for key, value in table.items() if key not in FORMATS} | own

    def set(self, key: str, text: str) -> JsonValue:
        """Make ``text`` the default of the option; raises ``ConfigurationError``, and ``StoreError``."""
        path, option = _place(key)
        kinds = [FORMATS[name].options for name in (path[1:] or FORMATS)]
        values = [parsed(kind, names[option], text) for kind in kinds if option in (names := option_names(kind))]
        self._write(with_table(self._text(), path, {option: values[0]}))
        return values[0]

    def unset(self, key: str) -> bool:
        """Take the default of the option out; whether there was one."""
        path, option = _place(key)
        table = self.defaults()
        of = table.get(path[1], {}) if path[1:] else table
        if not isinstance(of, dict) or option not in of:
            return False
        self._write(without_key(self._text(), [*path, option]))
        return True

    def _content(self) -> dict[str, JsonValue]:
        try:
            return read_toml(self._text())
        except ValueError as error:
            raise ConfigurationError(f"{self.file} is not TOML: {error}") from error

    def _text(self) -> str:
        try:
            return (read_bounded(self._real, _LIMIT) or b"").decode()
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{self.file} is not UTF-8 text.") from error

    def _write(self, text: str) -> None:
        replace_file(self._real, text.encode())

    @property
    def _real(self) -> Path:
        # Who keeps such files in one place, under version control, has links to them here.
        return Path(os.path.realpath(self.file))


def refuse_unknown(key: str, file: Path | None = None) -> None:
    """Raise ``ConfigurationError`` where nothing is called ``key``, which stands in ``file`` if there is one."""
    own = {name: option_names(FORMATS[name].options) for name in FORMATS}
    known = [*dict.fromkeys(option for options in own.values() for option in options)]
    known += [f"{name}.{option}" for name, options in own.items() for option in options]
    kind, _, option = key.rpartition(".")
    if (f"{kind}." if kind else "") + option.replace("-", "_") not in known:
        place = f"{file}: there" if file else "There"
        raise ConfigurationError(f"{place} is no option {quoted(key)} to have a default.{did_you_mean(key, known)}")


def _place(key: str) -> tuple[list[str], str]:
    """The table in which a key stands, and how it is spelled there; raises ``ConfigurationError``."""
    refuse_unknown(key)
    kind, _, option = key.rpartition(".")
    return [TABLE, *([kind] if kind else [])], option.replace("-", "_")
