"""Labelled rows: claims with evidence, from a folder of development data or else from the sample in the repository."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.figures import LeftOut, Scale

Row = Mapping[str, Any]

FILES = (
    "vitaminc",
    "vitaminc_covid",
    "vitaminc_synthetic",
    "fever_symmetric",
    "fm2",
    "scifact",
    "xquad_vi_constraints",
    "xquad_en_vi_constraints",
    "software",
)
PARTS = ("development", "unread")
"""Rows that rules are developed on, and the third of the repositories, pages or claims that is never read."""

_GROUPS = ("repo", "page", "title", "fever_id")
"""Fields that name the source of a row, the widest first: rows of one group are in the same part."""

_SAMPLE = Path(__file__).resolve().parents[2] / "tests" / "data"
_SMOKE_ROWS = 12


class Labelled(Struct, frozen=True):
    """The rows of one file that have a label."""

    name: str
    rows: Sequence[Row]

    def parts(self) -> Sequence[tuple[str, Sequence[Row]]]:
        """The rows of each part that has any, with its name."""
        parts = [(part, [row for row in self.rows if part_of(row) == part]) for part in PARTS]
        return [(part, rows) for part, rows in parts if rows]


def labelled(scale: Scale) -> tuple[Sequence[Labelled], Sequence[LeftOut]]:
    """The files that are there, at smoke size a few rows of each, and what is not there."""
    texts = {name: sample_or(name, scale.data) for name in FILES}
    found = [
        Labelled(name, few([row for row in rows_of(text) if row["label"]], scale))
        for name, text in texts.items()
        if text
    ]
    missing = ", ".join(name for name, text in texts.items() if not text)
    why = f"no such rows in {scale.data}; `--data FOLDER` says where they are"
    return found, [LeftOut(missing, why)] if missing else []


def part_of(row: Row) -> str:
    """The one of ``PARTS`` that a row is in, by a hash of its group."""
    digest = int(hashlib.sha256(group_of(row).encode()).hexdigest(), 16)
    return PARTS[digest % 3 == 0]


def group_of(row: Row) -> str:
    """The repository or page that a row comes from; else the row itself."""
    meta: Mapping[str, Any] = row.get("meta") or {}
    return str(next((meta[name] for name in _GROUPS if meta.get(name)), row["id"]))


def sample_or(file: str, folder: Path) -> str:
    """The text of a file of rows, from ``folder`` or else the sample in the repository; empty where neither has it."""
    for path in (folder / f"{file}.dev.jsonl", _SAMPLE / f"{file}.sample.jsonl"):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return ""


def rows_of(text: str) -> Sequence[Row]:
    """The rows of a file of JSON lines."""
    # Some texts hold U+2028, so that splitlines would be wrong.
    return [json.loads(line) for line in text.split("\n") if line]


def few(rows: Sequence[Row], scale: Scale) -> Sequence[Row]:
    """All rows, or at smoke size some from everywhere."""
    return rows[:: max(1, len(rows) // _SMOKE_ROWS)] if scale.is_smoke else rows
