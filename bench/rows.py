"""Labelled rows: claims with evidence, from a folder of development data or else from the sample in the repository."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import LeftOut, Scale
from bench.scores import Scored
from sparring.schema.claims import Label

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
HALVES = ("tuned", "unseen")
"""The half of the pages on which thresholds were tuned, and the other."""

_SAMPLE = Path(__file__).resolve().parents[1] / "tests" / "data"
_SMOKE_ROWS = 12


@dataclass(frozen=True)
class Labelled:
    """The rows of one file that have a label."""

    name: str
    rows: Sequence[Row]

    def halves(self) -> Sequence[tuple[str, Sequence[Row]]]:
        """The rows of each half that has any, with its name."""
        halves = [[row for row in self.rows if half_of(row) == half] for half in range(len(HALVES))]
        return [(name, rows) for name, rows in zip(HALVES, halves, strict=True) if rows]


def labelled(scale: Scale) -> tuple[Sequence[Labelled], Sequence[LeftOut]]:
    """The files that are there, at smoke size a few rows of each, and what is not there."""
    texts = {name: _text(name, scale.data) for name in FILES}
    found = [Labelled(name, _few(_rows(text), scale)) for name, text in texts.items() if text]
    missing = ", ".join(name for name, text in texts.items() if not text)
    why = f"no such rows in {scale.data}; `--data FOLDER` says where they are"
    return found, [LeftOut(missing, why)] if missing else []


def half_of(row: Row) -> int:
    """Which of the ``HALVES`` the page of a row is in."""
    return Scored(row, Label.NEI).half


def page_of(row: Row) -> str:
    """The page that a row is from."""
    return str(row["meta"].get("page", row["id"]))


def _text(name: str, folder: Path) -> str:
    for file in (folder / f"{name}.dev.jsonl", _SAMPLE / f"{name}.sample.jsonl"):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    return ""


def _rows(text: str) -> Sequence[Row]:
    # Some texts hold U+2028, so that splitlines would be wrong.
    return [row for line in text.split("\n") if line and (row := json.loads(line))["label"]]


def _few(rows: Sequence[Row], scale: Scale) -> Sequence[Row]:
    return rows[:: max(1, len(rows) // _SMOKE_ROWS)] if scale.is_smoke else rows
