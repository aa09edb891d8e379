"""Output record of a row: its run's result, and the row's own fields.

A shard has all rows; the page of a batch has the first ones, to sort, search and filter.
"""

import json
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sparring.batch.rows import BatchRow
from sparring.engine.format import Format
from sparring.reports.page.table import table_page
from sparring.schema.batch import BatchSpent, ShardRow
from sparring.schema.pairs import JudgedTable, PairStatus, RowResult, SeatLabel
from sparring.schema.runs import Run, Spent, lost_seats
from sparring.schema.transcript import Turn
from sparring.store.exchanges.sql import Key

Result = Mapping[str, Any]
"""The fields of a row of a shard that follow from its run alone; they are equal for all rows with the same texts."""

NOTHING_SPENT = Spent()


class JudgedRow(Struct, frozen=True):
    """Result of a row.

    Attributes:
        is_reused: Whether it was judged, and paid for, earlier.
        key: Key in the ledger; None for a row that is not there.
        paid: Usage of this process for it.
    """

    row: BatchRow
    result: Result
    is_reused: bool = False
    key: Key | None = None
    paid: Spent = NOTHING_SPENT


NO_VERDICT = "no_verdict"
"""The code of a row without a verdict although all participants answered."""


def unjudged_result(status: PairStatus, code: str, problem: str) -> dict[str, Any]:
    """Return the result of a row that was not judged."""
    return {
        "status": status.value,
        "label": None,
        "firmness": None,
        "votes": [],
        "blind_votes": [],
        "quotes": [],
        "contested": [],
        "text": "",
        "incomplete": False,
        "lost": [],
        "calls": 0,
        "tokens": 0,
        "cost_usd": 0.0,
        "unpriced_calls": 0,
        "uncounted_calls": 0,
        "run": None,
        "error_code": code or None,
        "problem": problem,
    }


def spent_on(result: Result) -> Spent:
    """Return the usage of a row."""
    return Spent(**{name: result[name] for name in BatchSpent.model_fields})


def result_of(format_: Format, run: Run, key: Key, *, with_quotes: bool = True) -> Result:
    """Return the result of a finished run in the form of a row of a shard."""
    if format_.rows is None or run.outcome is None:
        raise ValueError(f"{run.header.run_id} is not a finished run of a row")
    lost = lost_seats(run.transcript.turns)
    verdict = format_.rows.verdict(run)
    if verdict is None:
        code = next((turn.failure.code for turn in lost if turn.failure), NO_VERDICT)
        problem = " ".join(run.outcome.notices) or f"The {format_.title.lower()} is {run.outcome.status}."
        result = unjudged_result(PairStatus.UNJUDGED, code, problem)
    else:
        causes = dict.fromkeys(f"{turn.tool} did not answer ({turn.failure.cause})" for turn in lost if turn.failure)
        result = unjudged_result(
            PairStatus.INCOMPLETE if lost else PairStatus.JUDGED, "", f"{'; '.join(causes)}." if causes else ""
        )
        voters = [seat for seat in verdict.seats if seat.tool]  # findings of code have no tool, and are not votes
        result |= {
            "label": verdict.word or None,
            "firmness": verdict.firmness,
            "votes": [_vote(seat, seat.label) for seat in voters if seat.label],
            "blind_votes": [_vote(seat, seat.blind) for seat in voters if seat.blind],
            "quotes": [quote.model_dump(mode="json") for quote in format_.rows.quotes(run)] if with_quotes else [],
            "contested": list(verdict.doubted),
            "text": "\n\n".join(verdict.reasons),
            "incomplete": bool(lost),
        }
    result |= run.spent.model_dump(include=set(BatchSpent.model_fields))
    result["lost"] = [_lost_seat(turn) for turn in lost]
    result["run"] = key.hex()
    return result


def _vote(seat: SeatLabel, label: str) -> dict[str, str | None]:
    return {"seat": seat.seat, "tool": seat.tool, "label": label}


def _lost_seat(turn: Turn) -> dict[str, str]:
    number = f" {turn.number}" if turn.number else ""
    return {"seat": f"{turn.role}{number}", "tool": turn.tool, "code": turn.failure.code if turn.failure else ""}


def shard_row(row: BatchRow, result: Result, labels: Container[str]) -> dict[str, Any]:
    """Return a row of a shard, as in ``schema.batch.ShardRow``: the fields of the input row, and its result.

    ``labels`` are the possible verdicts: only votes for one of them can be compared with the gold label.
    """
    fixed, broke, kept = count_changed_votes(result, row.gold, labels)
    known = {
        **result,
        "row": row.number,
        "id": row.row_id or None,
        "dataset": row.dataset or None,
        "source": row.source,
        "line": row.line,
        "fixed": fixed,
        "broke": broke,
        "kept": kept,
        "gold": row.gold or None,
    }
    return {name: known[name] for name in ShardRow.model_fields}


def count_changed_votes(
    result: Result, gold: str, labels: Container[str]
) -> tuple[int, int, int] | tuple[None, None, None]:
    """Count votes that went from wrong to right (fixed), from right to wrong (broke), and stayed (kept).

    A vote counts if it was given twice, blind and at the end. None if there is no such vote, or no gold label.
    """
    if gold not in labels:
        return None, None, None
    blind = {vote["seat"]: vote["label"] for vote in result["blind_votes"]}
    fixed = broke = kept = 0
    for vote in result["votes"]:
        before, after = blind.get(vote["seat"], ""), vote["label"]
        if not vote["tool"] or before not in labels or after not in labels:
            continue
        was_right, is_right = before == gold, after == gold
        if was_right == is_right:
            kept += 1
        elif is_right:
            fixed += 1
        else:
            broke += 1
    if fixed == broke == kept == 0:
        return None, None, None
    return fixed, broke, kept


def packed(result: Result) -> bytes:
    """Return the result in the form that a ledger stores."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode()


PAGE_NAME = "table.html"
PAGE_ROWS = 2_000
"""Rows of the page, which this process and the reader's browser keep in memory."""

_PAGE_TEXT = 300


class PageRows:
    """The first rows of a batch."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._rows = list[RowResult]()
        self._count = 0

    def add(self, judged: Sequence[JudgedRow], total: int) -> None:
        """Keep as many of ``judged`` as there is room for; ``total`` is the number of all rows."""
        self._count = total
        shown = judged[: PAGE_ROWS - len(self._rows)]
        texts = [tuple(text[:_PAGE_TEXT] for text in each.row.texts.values()) for each in shown]
        # Checked together: secrets are rare, and each check takes time.
        together = "\n".join(text for of_row in texts for text in of_row)
        may_hold_secrets = self._redact(together) != together
        for each, of_row in zip(shown, texts, strict=True):
            claim, truth = (*of_row, "", "")[:2]  # a format may judge a row by one text or none
            if may_hold_secrets:
                claim, truth = self._redact(claim), self._redact(truth)
            self._rows.append(_row(each.row, each.result, claim, truth))

    def page(self, table: JudgedTable, whole: str) -> str:
        """Return the page of ``table`` with only these rows; ``whole`` is the place of all rows."""
        shown = len(self._rows)
        title = table.name if shown == self._count else f"{table.name}, the first {shown:,} of {self._count:,} rows"
        return table_page(replace(table, name=title, rows=tuple(self._rows)), whole)


def _row(row: BatchRow, result: Result, claim: str, truth: str) -> RowResult:
    return RowResult(
        row=row.number,
        row_id=row.row_id or None,
        dataset=row.dataset or None,
        claim=claim,
        truth=truth,
        gold=row.gold or None,
        seats=tuple(_seats(result)),
        status=result["status"],
        problem=result["problem"],
        word=result["label"] or "",
        firmness=result["firmness"],
        doubted=tuple(result["contested"]),
        reasons=(result["text"],) if result["text"] else (),
        spent=spent_on(result),
        key=result["run"] or "",
    )


def _seats(result: Result) -> list[SeatLabel]:
    """Return the votes of each seat, before it saw the others' and at the end."""
    blind = {vote["seat"]: vote for vote in result["blind_votes"]}
    final = {vote["seat"]: vote for vote in result["votes"]}
    return [
        SeatLabel(
            seat=seat,
            tool=vote["tool"],
            blind=blind[seat]["label"] if seat in blind else None,
            label=final[seat]["label"] if seat in final else None,
        )
        for seat, vote in (blind | final).items()
    ]
