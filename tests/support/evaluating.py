"""Voters behind an endpoint, whose answers are a seeded hash of row and tool; and labelled rows that they vote on."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable

from msgspec.structs import replace

from sparring.testing import ModelEndpoint, Refuse, Request, Say
from support.fact_checkers import READINGS
from support.fact_checking import CLAIM, NEI, REFUTED, SOURCES, SUPPORTED, rebuttal
from support.workbench import Workbench

LABELS = ("SUPPORTED", "REFUTED", "NEI")
TOOLS = ("ann", "bob", "cy")

_ROW = re.compile(r"This is page (\d+) of")


def drawn(*key: object) -> float:
    """A number from 0 to 1 that follows from ``key`` alone."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8]) / 2**64


def gold_of(row: int) -> str:
    return LABELS[row % 3]


def labelled(count: int) -> str:
    """A table of so many rows, in which every label can be argued for."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(("id", "claim", "evidence", "gold", "topic"))
    for row in range(1, count + 1):
        evidence = f"{' '.join(SOURCES)} This is page {row} of the brochure."
        writer.writerow((f"n{row}", CLAIM, evidence, gold_of(row), "odd" if row % 2 else "even"))
    return text.getvalue()


def said(label: str) -> str:
    """An analysis that comes to ``label``, with quotes that code finds."""
    return json.dumps({"SUPPORTED": SUPPORTED, "REFUTED": REFUTED, "NEI": NEI}[label])


def blind_label(tool: str, row: int, accuracy: float = 0.7) -> str:
    """Return the label of ``tool`` for ``row`` before it hears others."""
    gold = gold_of(row)
    others = [label for label in LABELS if label != gold]
    return gold if drawn(tool, row) < accuracy else others[drawn(tool, row, "wrong") < 0.5]


Voter = Callable[[Request], Say | Refuse]


def voter(tool: str, accuracy: float = 0.7, fails: float = 0.0, *, refuses: bool = False, usd: float = 0.0) -> Voter:
    """Return the behaviour of ``tool``: it keeps its blind label in a debate, and sometimes is unusable.

    ``usd`` is its price for 1,000 characters of a prompt; 0: it reports none.
    """

    def behave(request: Request) -> Say | Refuse:
        reply = answer(request)
        is_priced = usd and isinstance(reply, Say)
        return replace(reply, cost=usd * len(request.prompt) / 1000) if is_priced else reply

    def answer(request: Request) -> Say | Refuse:
        row = int(next(iter(_ROW.findall(request.prompt)), "0"))
        if '"readings"' in request.prompt:
            return Say(json.dumps(READINGS))
        if drawn(tool, row, "fails") < fails:
            return Refuse(400, "invalid_request_error", "no") if refuses else Say("I cannot tell.")
        label = blind_label(tool, row, accuracy)
        return Say(json.dumps(rebuttal(label)) if "**ROUND" in request.prompt else said(label))

    return behave


def add_voters(bench: Workbench, endpoints: dict[str, ModelEndpoint]) -> None:
    """Make each endpoint a tool of its name."""
    for name, endpoint in endpoints.items():
        bench.add_api(name, endpoint.url, f'model = "{name}-1"', "key_optional = true")
