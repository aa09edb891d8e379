"""``config.toml`` in the user's configuration directory: read, shown and changed; comments and layout are kept.

A file inside the project is not read: the project must not decide anything.

The table ``[defaults]`` has the user's defaults for every run. Any option of any format may be set there by its typed
name: in ``[defaults]`` for all formats that have it, in ``[defaults.debate]`` for one. Options of a call take
precedence, also over defaults that they replace: with ``--with a,b`` the default proposer is not used.
"""

import os
import re
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from pydantic import JsonValue

from sparring.disk import alone
from sparring.errors import ConfigurationError, UsageError
from sparring.formats.registry import FORMATS
from sparring.hosts.toml import read_toml, with_table, without_key
from sparring.participants.options import Option, Options, subject_of, valid
from sparring.participants.seats import NamedTool, quoted, seat_entry, split_tools
from sparring.processes.children import home_folder
from sparring.providers.known import is_users_own
from sparring.schema import base
from sparring.settings import Settings
from sparring.store.files import accessing, make_folder, read_bounded, replace_file
from sparring.text.tidying import did_you_mean

NO_CONFIG_FOLDER_HINT = "Set SPARRING_CONFIG_DIR to a folder that can be written."
"""Advice where the configuration cannot be written."""

_LIMIT = 256 * 1024
_TABLE = "defaults"
Table = Mapping[str, JsonValue]

_OF_ONE_RUN = frozenset({"session_id", "row_id"})
_SETTLES: Mapping[str, frozenset[str]] = {
    "count": frozenset({"participants"}),
    "participants": frozenset({"count", "tool", "proposer", "challenger"}),
    "session_id": frozenset({"tool", "participants", "model", "effort", "count"}),
    "tool": frozenset({"participants"}),
}
"""Options that another option determines."""

_SIDES = frozenset({base.Role.PROPOSER, base.Role.CHALLENGER, base.Role.PROMOTER, base.Role.DETRACTOR})
"""A tool in one of these seats takes no other seat by default; the other has to be given as well."""

_SEAT = "seat"

_COMMA = re.compile(",")
_BEFORE_SEAT = re.compile(r",(?=[^,=]*=)")
"""A comma between two seats, not between the providers of one: ``judge=a,b,proposer=c``."""

O = TypeVar("O", bound=Options[Any])  # noqa: E741 -- for options


class Configuration(Struct, frozen=True):
    """Configuration file of one user. Every access reads the file again.

    Attributes:
        is_read: Whether the file is used: it is not if it is inside the project.
    """

    file: Path
    is_read: bool = True

    @classmethod
    def of(cls, settings: Settings, project: Path) -> "Configuration":
        """Return the configuration of the user with these settings, working on ``project``."""
        file = settings.provider_dir.parent / "config.toml"
        home = home_folder(settings.environment)
        folders = (file.parent, Path(os.path.realpath(file)).parent)  # the file may be a link
        return cls(file, all(is_users_own(folder, project, home) for folder in folders))

    def defaults(self) -> Table:
        """Return the table ``[defaults]``; empty if there is none.

        Raises:
            ConfigurationError: The file cannot be parsed, or the entry is not a table.
        """
        return self.table(_TABLE)

    def table(self, name: str) -> Table:
        """Return the table of that name; raises as ``defaults``."""
        if not self.is_read:
            return {}
        table = self._content().get(name, {})
        if not isinstance(table, dict):
            raise ConfigurationError(f"{self.file}: {name} must be a table.")
        return table

    def defaults_for(self, kind: type[Options[Any]]) -> Table:
        """Return the defaults for fields of ``kind``, those of its own format last.

        Raises:
            ConfigurationError: As ``defaults``; or an entry is not the name of an option.
        """
        table = self.defaults()
        own = table.get(kind.format, {})
        if not isinstance(own, dict):
            raise ConfigurationError(f"{self.file}: {_TABLE}.{kind.format} must be a table.")
        names = _option_names(kind)
        # The name of an option of other formats alone is known, and has no effect; any other name is a mistake.
        for key in table:
            if key not in names and key not in FORMATS:
                refuse_unknown(key, self.file)
        for key in own:
            if key not in names:
                refuse_unknown(f"{kind.format}.{key}", self.file)
        shared = {names[key]: value for key, value in table.items() if key in names}
        if _SEAT in shared:
            shared[_SEAT] = _of_format(kind, shared[_SEAT])
        return shared | {names[key]: value for key, value in own.items()}

    def completed(self, options: O) -> tuple[O, tuple[str, ...]]:
        """Return ``options`` with the user's defaults for unset fields, and the names of the defaults that were used.

        Raises:
            ConfigurationError: As ``defaults_for``; or a default is invalid for its option.
        """
        kind = type(options)
        defaults = self.defaults_for(kind)
        given: dict[str, Any] = {}
        for name in options.model_fields_set:
            value = getattr(options, name)
            if value not in ("", ()) or name == subject_of(kind):
                given[name] = value
        seats = _given_seats(kind, given)
        debating = {named.tool for role, several in seats.items() if role in _SIDES for named in several}

        settled = {*given, *_settled(kind, given)}
        added: dict[str, Any] = {}
        for name, value in defaults.items():
            if name == _SEAT or name in settled:
                continue
            if _names_tools(kind, name) and not debating.isdisjoint(_tools(value)):
                continue
            added[name] = value
        # Seats that were named one by one leave the default of all others in force.
        usual = _usual_seats(kind, seats, defaults, debating)
        if usual:
            added[_SEAT] = [*given.get(_SEAT, ()), *usual]
        if not added:
            return options, ()
        return _checked(kind, {**given, **added}), tuple(added)

    def checked(self) -> dict[str, JsonValue]:
        """Return every default by key, ``rounds`` or ``debate.rounds``; raises ``ConfigurationError`` as reading."""
        table = self.defaults()
        for name in FORMATS:
            kind = FORMATS[name].options
            _checked(kind, self.defaults_for(kind))
        shared = {key: value for key, value in table.items() if key not in FORMATS}
        of_formats: dict[str, JsonValue] = {}
        for name, own in table.items():
            if isinstance(own, dict):
                of_formats |= {f"{name}.{key}": value for key, value in own.items()}
        return shared | of_formats

    def set(self, key: str, text: str) -> JsonValue:
        """Make ``text`` the default of the option; raises ``ConfigurationError``, and ``StoreError``."""
        path, option = _place(key)
        values: list[JsonValue] = []
        for format_ in path[1:] or FORMATS:  # it must be valid in every format that has the option
            kind = FORMATS[format_].options
            names = _option_names(kind)
            if option in names:
                values.append(_parsed(kind, names[option], text))
        with self._alone():
            self._edit(lambda text: with_table(text, path, {option: values[0]}))
        return values[0]

    def unset(self, key: str) -> bool:
        """Remove the default of the option; return whether there was one."""
        path, option = _place(key)
        with self._alone():
            table = self.defaults()
            if path[1:]:
                table = table.get(path[1], {})
            if not isinstance(table, dict) or option not in table:
                return False
            self._edit(lambda text: without_key(text, [*path, option]))
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

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Let one process at a time read and change the file."""
        folder = self._real.parent
        with accessing(self._real, NO_CONFIG_FOLDER_HINT):
            make_folder(folder)
        with alone(folder):
            yield

    def _edit(self, change: Callable[[str], str]) -> None:
        try:
            text = change(self._text())
        except ValueError as error:
            raise ConfigurationError(f"{self.file} cannot be changed: {error}.", hint="Edit it by hand.") from error
        replace_file(self._real, text.encode(), hint=NO_CONFIG_FOLDER_HINT)

    @property
    def _real(self) -> Path:
        # Users who keep such files in one place, under version control, link to them from here.
        return Path(os.path.realpath(self.file))


def refuse_unknown(key: str, file: Path | None = None) -> None:
    """Raise ``ConfigurationError`` if ``key``, which is in ``file`` if given, is not the name of an option."""
    own = {name: _option_names(FORMATS[name].options) for name in FORMATS}
    known = [*dict.fromkeys(option for options in own.values() for option in options)]
    known += [f"{name}.{option}" for name, options in own.items() for option in options]
    kind, dot, option = key.rpartition(".")
    spelled = option if file else option.replace("-", "_")  # typed names may have hyphens, as flags have
    if f"{kind}{dot}{spelled}" not in known:
        place = f"{file}: there" if file else "There"
        close = did_you_mean(key, known)
        listed = f"`sparring {kind if kind in FORMATS else 'FORMAT'} --help` and `sparring help settings` list them."
        raise ConfigurationError(
            f"{place} is no option {quoted(key)} that can have a default.{close}", hint="" if close or file else listed
        )


def _place(key: str) -> tuple[list[str], str]:
    """Return the table of a key, and its spelling there; raises ``ConfigurationError``."""
    refuse_unknown(key)
    kind, _, option = key.rpartition(".")
    return [_TABLE, *([kind] if kind else [])], option.replace("-", "_")


def _option_names(kind: type[Options[Any]]) -> dict[str, str]:
    """Return the options that may have a user's default, by spelling, and the field of each."""
    spellings: dict[str, str] = {}
    fields: dict[str, str] = {}
    for name, field in kind.model_fields.items():
        option = Option.of(field)
        if option.is_subject or option.file_of or option.input or name in _OF_ONE_RUN:
            continue
        fields[name] = name
        for typed in option.typed(name):
            spellings[typed.removeprefix("--").replace("-", "_")] = name
    return spellings | fields


def _checked(kind: type[O], values: Mapping[str, object]) -> O:
    """Return the options with these values; raises ``ConfigurationError`` for an invalid one."""
    name = subject_of(kind)
    subject = {name: "-"} if kind.model_fields[name].is_required() else {}
    try:
        return valid(lambda: kind.model_validate(subject | dict(values)))
    except UsageError as error:
        raise ConfigurationError(f"A default cannot be used: {error}") from error


def _settled(kind: type[Options[Any]], given: Iterable[str]) -> Iterator[str]:
    """Yield the options that those ``given`` determine, so that their defaults do not apply."""
    for name in given:
        yield from _SETTLES.get(name, ())
        if name == "participants":
            yield from (other for other in kind.model_fields if other.startswith("model"))
        elif _names_tools(kind, name):
            yield from ("model", f"model_{name}")


def _given_seats(kind: type[Options[Any]], values: Mapping[str, Any]) -> dict[base.Role, tuple[NamedTool, ...]]:
    """Return the seats of the format that are given by any option; raises ``UsageError``."""
    if kind.places is None:
        return {}
    seats: dict[base.Role, tuple[NamedTool, ...]] = {}
    participants = split_tools(str(values.get("participants", "")))
    if len(participants) == 1:
        seats |= dict.fromkeys(kind.places.order, participants)
    else:
        seats |= {role: (named,) for role, named in zip(kind.places.all, participants, strict=False)}
    for role in kind.places.all:
        if values.get(role):  # an option of its own, such as --proposer
            seats[role] = split_tools(str(values[role]))
    for entry in values.get(_SEAT, ()):
        role, several = seat_entry(entry, kind.places)
        seats[role] = several
    return seats


def _usual_seats(
    kind: type[Options[Any]], given: Container[base.Role], table: Table, seated: Container[str]
) -> list[JsonValue]:
    """Return the default entries of ``seat`` for seats not in ``given``, without tools that are ``seated``."""
    usual = table.get(_SEAT, [])
    if kind.places is None or not isinstance(usual, list):
        return []
    free = list[JsonValue]()
    for entry in filter(None, map(str, usual)):
        role, several = seat_entry(entry, kind.places)
        if role not in given and not any(each.tool in seated for each in several):
            free.append(entry)
    return free


def _of_format(kind: type[Options[Any]], value: JsonValue) -> JsonValue:
    """Return the entries of ``seat`` for all formats that name a seat of this one."""
    known = {role.display_name for role in kind.places.all} if kind.places else set[str]()
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list):
        return value
    return [each for each in entries if str(each).partition("=")[0].strip().lower().replace("_", "-") in known]


def _names_tools(kind: type[Options[Any]], name: str) -> bool:
    return Option.of(kind.model_fields[name]).names_tools


def _tools(spelled: object) -> set[str]:
    """Return the tools that a seat names; their models are dropped."""
    return {entry.partition(":")[0].strip() for entry in str(spelled).split(",")}


def _parsed(kind: type[Options[Any]], name: str, text: str) -> JsonValue:
    """Parse the text typed for a field into its form in the configuration; raises ``ConfigurationError``."""
    typed: object = text
    if kind.model_fields[name].annotation == tuple[str, ...]:
        separator = _BEFORE_SEAT if name == _SEAT else _COMMA
        typed = [part.strip() for part in separator.split(text)]
    value: JsonValue = _checked(kind, {name: typed}).model_dump(mode="json")[name]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
