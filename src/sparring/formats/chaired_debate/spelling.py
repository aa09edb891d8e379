"""What is forgiven in the JSON of a model: how a label is spelled, and how it says that there is nothing."""

from typing import Any, cast

_NOTHING = frozenset({"", "null", "none", "n/a"})


def plain(value: object) -> object:
    """A label in lower case with underscores: ``Closing statement`` is ``closing_statement``."""
    return value.strip().lower().replace(" ", "_").replace("-", "_") if isinstance(value, str) else value


def or_none(value: object) -> object:
    """None where somebody wrote ``"null"``."""
    return None if isinstance(value, str) and value.strip().lower() in _NOTHING else value


def or_empty(value: object) -> object:
    """An empty list where somebody wrote null."""
    return [] if value is None else cast("Any", value)
