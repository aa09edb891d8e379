"""Tables of texts, and of what is to be made of them: ``data/texts/NAME.toml``, a row a case."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parents[1] / "data" / "texts"


def texts(name: str) -> dict[str, list[Any]]:
    """The tables of that file, by their names; ``"<none>"`` stands for None, which TOML does not know."""
    tables = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return {table: [_read(row) for row in rows] for table, rows in tables.items()}


def cases(name: str) -> list[Any]:
    """The rows of all tables of that file, each behind the name of its table, which says what it shows."""
    return [
        pytest.param(table, *row, id=f"{table}: {row[0]}".encode("ascii", "backslashreplace").decode()[:80])
        for table, rows in texts(name).items()
        for row in rows
    ]


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(each) for each in value]  # pyright: ignore[reportUnknownVariableType] -- whatever stands there
    return None if value == "<none>" else value
