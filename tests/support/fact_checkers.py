"""Scripted tools that check claims, for a workbench: they agree, disagree, talk prose or fail."""

import json
from collections.abc import Mapping, Sequence

from support.fact_checking import IN_PARIS, POSTER, REFUTED, SOURCES, SUPPORTED, rebuttal
from support.workbench import Workbench

Script = Sequence[Mapping[str, object]]

EVIDENCE = tuple(part for source in SOURCES for part in ("--evidence", source))


def said(answer: Mapping[str, object], **match: object) -> dict[str, object]:
    """A reply of a script."""
    return {"match": match, "response": json.dumps(answer)}


def failing(code: str, **match: object) -> dict[str, object]:
    """A failure of a script."""
    return {"match": match, "failure": {"code": code, "detail": "as scripted"}}


READINGS = {"readings": [{"number": number, "quote": "the", "says": "SAYS"} for number in range(1, 21)]}
"""Every sentence that is quoted has this word."""

FOR: Script = (
    said(READINGS, step="fact-check/reading"),
    said(SUPPORTED, round=1),
    said(rebuttal("SUPPORTED", IN_PARIS)),
)
AGAINST: Script = (
    said(READINGS, step="fact-check/reading"),
    said(REFUTED, round=1),
    said(rebuttal("REFUTED", POSTER)),
)


def add_checkers(bench: Workbench, **scripts: Script) -> None:
    """``ann``, ``bob`` and ``cy`` find the claim supported, unless ``scripts`` say otherwise."""
    for name, script in ({"ann": FOR, "bob": FOR, "cy": FOR} | scripts).items():
        bench.add_tool(name, script)
