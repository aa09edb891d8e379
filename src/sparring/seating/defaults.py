"""What the user has set once for every run, in the table ``[defaults]`` of the configuration, and when it counts.

Any option of any format may stand there by the name it is typed by: in ``[defaults]`` for all formats that have it, in
``[defaults.debate]`` for one. What a call says goes before it, and so does what it says in other words: who names a
panel has named the judge.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import JsonValue

from sparring.errors import ConfigurationError, UsageError
from sparring.seating.options import Option, Options, subject_of, valid

TABLE = "defaults"
Table = Mapping[str, JsonValue]

_OF_ONE_RUN = frozenset({"session_id", "row_id"})
_SETTLES: Mapping[str, frozenset[str]] = {
    "agents": frozenset({"count", "provider"}),
    "challenger": frozenset({"devil"}),
    "count": frozenset({"agents"}),
    "devil": frozenset({"proposer", "challenger", "model_proposer", "model_challenger"}),
    "judge": frozenset({"judges"}),
    "judges": frozenset({"judge", "model_judge"}),
    "proposer": frozenset({"devil"}),
    "session_id": frozenset({"tool", "model", "effort", "count"}),
}
"""What is settled as well by whoever says an option."""

_SIDES = frozenset({"proposer", "challenger", "promoter", "detractor"})
"""Whoever sits there sits nowhere else unless that is said as well."""

_PROVIDER = "provider"

O = TypeVar("O", bound=Options[Any])  # noqa: E741 -- for options


def option_names(kind: type[Options[Any]]) -> dict[str, str]:
    """The options that may have a default of the user's, as they may be spelled, and the field that each is."""
    fields = {name: Option.of(field) for name, field in kind.model_fields.items()}
    kept = {
        name: option
        for name, option in fields.items()
        if not (option.is_subject or option.file_of or option.input) and name not in _OF_ONE_RUN
    }
    typed = {
        flag.removeprefix("--").replace("-", "_"): name for name, option in kept.items() for flag in option.typed(name)
    }
    return typed | {name: name for name in kept}


def defaults_of(kind: type[Options[Any]], table: Table) -> dict[str, JsonValue]:
    """The fields of ``kind`` that ``table`` has values for, those of its own format last."""
    names, own = option_names(kind), table.get(kind.format, {})
    of_own = own if isinstance(own, dict) else {}
    return {names[key]: value for key, value in (*table.items(), *of_own.items()) if key in names}


def completed(options: O, table: Table) -> tuple[O, tuple[str, ...]]:
    """``options`` with the user's defaults for what they leave open, and the names of those that count.

    Raises:
        ConfigurationError: A default is not one that the option may have.
    """
    kind = type(options)
    found = defaults_of(kind, table) if table else {}
    said = {name: value for name in options.model_fields_set if (value := getattr(options, name)) not in ("", ())}
    settled = {*said, *_settled(kind, said)}
    sitting = {tool for name in _SIDES.intersection(said) for tool in _tools(said[name])}
    added = {
        name: value
        for name, value in found.items()
        if name not in settled and not (_is_seat(kind, name) and sitting.intersection(_tools(value)))
    }
    return (checked(kind, {**said, **added}), tuple(added)) if added else (options, ())


def checked(kind: type[O], values: Mapping[str, object]) -> O:
    """The options with these values; raises ``ConfigurationError`` for one that cannot be."""
    name = subject_of(kind)
    subject = {name: "-"} if kind.model_fields[name].is_required() else {}
    try:
        return valid(lambda: kind.model_validate(subject | dict(values)))
    except UsageError as error:
        raise ConfigurationError(f"A default cannot be used: {error}") from error


def _settled(kind: type[Options[Any]], said: Iterable[str]) -> Iterator[str]:
    for name in said:
        yield from _SETTLES.get(name, ())
        if name == _PROVIDER:
            yield from (other for other in kind.model_fields if _is_seat(kind, other) or other.startswith("model"))
        elif _is_seat(kind, name):
            yield from ("model", f"model_{name}")


def _is_seat(kind: type[Options[Any]], name: str) -> bool:
    return Option.of(kind.model_fields[name]).value.startswith("TOOL")


def _tools(said: object) -> set[str]:
    """The tools that a seat names, which spells them with their models."""
    return {entry.partition(":")[0].strip() for entry in str(said).split(",")}


def parsed(kind: type[Options[Any]], name: str, text: str) -> JsonValue:
    """What was typed for a field, as the configuration keeps it; raises ``ConfigurationError``."""
    is_list = kind.model_fields[name].annotation == tuple[str, ...]
    said: object = [part.strip() for part in text.split(",")] if is_list else text
    value: JsonValue = checked(kind, {name: said}).model_dump(mode="json")[name]
    return int(value) if isinstance(value, float) and value.is_integer() else value
