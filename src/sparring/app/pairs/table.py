"""Read a table of pairs: which column is what, and what is wrong with a row, before anybody is asked."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import UsageError
from sparring.schema.pairs import Pair
from sparring.text.tables import Row, TableError, read_csv, read_json_lines
from sparring.text.tidying import is_encodable, one_line

TABLE_LIMIT = 256 * 1024 * 1024
"""Most bytes of a table: all of it is in memory, and read before the first row is judged."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "claim": ("claim",),
    "truth": ("truth", "evidence"),
    "row_id": ("row_id", "id"),
    "dataset": ("dataset",),
}
"""What is taken from a row, and the columns that it is looked for in unless one is named."""

_NEEDED = ("claim", "truth")
_READERS = {".csv": read_csv, ".tsv": read_csv, ".jsonl": read_json_lines, ".ndjson": read_json_lines}
_SHOWN = 5
_NAME_SHOWN = 60


def read_pairs(path: Path, columns: Iterable[str], cwd: Path = Path()) -> tuple[Pair, ...]:
    """The rows of the table at ``path``, as seen from ``cwd``; ``columns`` are spelled ``claim=Headline``.

    Raises:
        UsageError: It cannot be read, a column that is needed is missing, or two rows have the same id.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path} must be a table whose name ends with {', '.join(_READERS)}.")
    named = _named_columns(columns)
    try:
        rows = reader(_content(path, cwd))
    except TableError as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
    _refuse_missing_columns(path, rows, named)
    pairs = tuple(_pair(row, named) for row in rows)
    _refuse_same_ids(path, pairs)
    return pairs


def _content(path: Path, cwd: Path) -> bytes:
    try:
        with (cwd / path).open("rb") as stream:
            content = stream.read(TABLE_LIMIT + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > TABLE_LIMIT:
        raise UsageError(f"{path} has more than {TABLE_LIMIT // 1024 // 1024} MiB; split it.")
    return content


def _named_columns(columns: Iterable[str]) -> dict[str, str]:
    named: dict[str, str] = {}
    for spelling in columns:
        field, _, column = (part.strip() for part in spelling.partition("="))
        if field not in FIELDS or not column:
            shown = one_line(repr(spelling), _NAME_SHOWN)
            raise UsageError(f"There is no column mapping {shown}; write FIELD=COLUMN with one of {', '.join(FIELDS)}.")
        if field in named:
            raise UsageError(f"Two columns are named for {field}.")
        named[field] = column
    return named


def _refuse_missing_columns(path: Path, rows: tuple[Row, ...], named: Mapping[str, str]) -> None:
    usable = [row for row in rows if row.cells]
    for field in dict.fromkeys((*_NEEDED, *named)):
        if usable and all(_column(row, field, named) is None for row in usable):
            wanted = named.get(field) or " or ".join(FIELDS[field])
            found = one_line(", ".join(usable[0].cells), _NAME_SHOWN * 3)
            raise UsageError(
                f"{path} has no column {wanted} for the {field}; it has {found}.",
                hint=f"Name it with --column {field}=COLUMN.",
            )


def _refuse_same_ids(path: Path, pairs: tuple[Pair, ...]) -> None:
    lines: dict[tuple[str | None, str], list[int]] = {}
    for pair in pairs:
        if pair.row_id:
            lines.setdefault((pair.dataset, pair.row_id), []).append(pair.line)
    same = [(row_id, places) for (_, row_id), places in lines.items() if len(places) > 1]
    if same:
        shown = "; ".join(
            f"{one_line(repr(row_id), _NAME_SHOWN)} in lines {', '.join(map(str, places[:_SHOWN]))}"
            for row_id, places in same[:_SHOWN]
        )
        more = f"; and {len(same) - _SHOWN} more" if len(same) > _SHOWN else ""
        raise UsageError(f"Rows of {path} share an id: {shown}{more}.", hint="Give each row its own; nobody was asked.")


def _column(row: Row, field: str, named: Mapping[str, str]) -> str | None:
    """The column of ``row`` that holds ``field``, as it is spelled there."""
    spelled = {column.strip().casefold(): column for column in row.cells}
    wanted = (named[field],) if field in named else FIELDS[field]
    return next((spelled[name.casefold()] for name in wanted if name.casefold() in spelled), None)


def _pair(row: Row, named: Mapping[str, str]) -> Pair:
    found, problem = dict[str, str](), row.problem
    for field in FIELDS:
        column = _column(row, field, named)
        text = _text(row.cells[column]) if column is not None else ""
        if text is None and not problem:
            problem = f"its {field} is no text"
        found[field] = text or ""
    for field in _NEEDED:
        if not problem and not found[field].strip():
            problem = f"it has no {field}"
    return Pair(
        row=row.number,
        line=row.line,
        row_id=_harmless(found["row_id"]) or None,
        dataset=_harmless(found["dataset"]) or None,
        truth="" if problem else found["truth"],
        claim="" if problem else found["claim"],
        problem=problem,
    )


def _text(cell: JsonValue) -> str | None:
    """What a cell says; None when that is no text. Several sentences of evidence are one truth."""
    match cell:
        case None:
            return ""
        case bool() | dict():
            return None
        case str():
            return cell if is_encodable(cell) else None
        case int() | float():
            return str(cell)
        case list():
            parts = [part for part in cell if isinstance(part, str) and is_encodable(part)]
            return "\n".join(parts) if len(parts) == len(cell) else None


def _harmless(name: str) -> str:
    return name.encode(errors="replace").decode().strip()
