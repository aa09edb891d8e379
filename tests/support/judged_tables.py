"""Judged tables of any length, made without anybody being asked."""

import random
from typing import Any

from sparring.schema.claims import Label
from sparring.schema.pairs import JudgedTable, PairStatus, RowResult, SeatLabel
from sparring.schema.runs import Spent

WORDS = ("The bridge", "was closed", "in March 2019", "after an inspection", "had found", "cracks", "in June 2020")
_TOOLS = ("claude", "codex", "gemini")


def result(row: int, label: str | None = "SUPPORTED", *votes: str, gold: str | None = None, **more: Any) -> RowResult:
    """A row of a fact-check, with what its agents said blind; without votes nobody's is known."""
    fields: dict[str, Any] = {"row_id": f"n{row}", "dataset": None, "claim": f"Claim {row}.", "truth": "It is so."}
    seats = tuple(
        SeatLabel(seat=f"Agent {number}", tool=tool, blind=vote, label=vote)
        for number, tool, vote in zip((1, 2, 3), _TOOLS, votes, strict=False)
    )
    status = PairStatus.JUDGED if label else PairStatus.UNJUDGED
    judged: dict[str, Any] = {
        "word": label or "",
        "gold": gold,
        "status": status,
        "reasons": ("majority",) if label else (),
    }
    if votes and label:
        judged["firmness"] = votes.count(label) / len(votes)
    return RowResult.model_validate({**fields, "row": row, "seats": seats, **judged, **more})


def table(*rows: RowResult, name: str = "claims.csv") -> JudgedTable:
    return JudgedTable(name, "fact-check", rows, tuple(Label), "which label they gave")


def long_table(count: int) -> JudgedTable:
    """As many rows, the same each time; three of four are as the gold label has it, some are contested or cost more."""
    chance = random.Random(1)  # noqa: S311 -- nothing secret
    rows = [_any_row(number, chance) for number in range(1, count + 1)]
    return table(*rows, name=f"{count} rows")


def _any_row(number: int, chance: random.Random) -> RowResult:
    gold = chance.choice(list(Label))
    votes = [gold if chance.random() < 0.75 else chance.choice(list(Label)) for _ in range(3)]
    return result(
        number,
        max(votes, key=votes.count),
        *votes,
        gold=gold,
        claim=" ".join(chance.choices(WORDS, k=6)),
        truth=" ".join(chance.choices(WORDS, k=14)),
        doubted=("Code finds the opposite.",) if chance.random() < 0.05 else (),
        spent=Spent(calls=3, tokens=4200, cost_usd=round(chance.lognormvariate(-4, 0.5), 4)),
    )
