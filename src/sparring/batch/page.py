"""The page of a batch: its first rows, to sort, search and filter; of a long table not all of them."""

from collections.abc import Callable, Sequence
from typing import Any

from sparring.batch.results import Result, Told
from sparring.batch.rows import BatchRow
from sparring.reports.page.table import table_page
from sparring.schema.batch import BatchSpent
from sparring.schema.pairs import JudgedTable, SeatLabel, ToldResult
from sparring.schema.runs import Spent

PAGE_NAME = "table.html"
PAGE_ROWS = 2_000
"""Rows of the page: all of it is in memory, and in that of whoever opens it."""

_TEXT_SHOWN = 300


class PageRows:
    """The first rows of a batch, as they come."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._rows = list[ToldResult]()
        self._count = 0

    def add(self, told: Sequence[Told]) -> None:
        """Keep those of ``told`` for which there is room."""
        self._count += len(told)
        shown = told[: PAGE_ROWS - len(self._rows)]
        texts = [tuple(text[:_TEXT_SHOWN] for text in each.row.texts.values()) for each in shown]
        # Looked at together: secrets are rare, and each look has its price.
        together = "\n".join(text for each in texts for text in each)
        is_harmless = self._redact(together) == together
        for each, (claim, truth) in zip(shown, (_two(each) for each in texts), strict=True):
            said = (claim, truth) if is_harmless else (self._redact(claim), self._redact(truth))
            self._rows.append(_row(each.row, each.result, *said))

    def page(self, name: str, kind: str, labels: tuple[str, ...], seats: str, whole: str) -> str:
        """The page; ``whole`` is where all rows are."""
        shown = len(self._rows)
        title = name if shown == self._count else f"{name}, the first {shown:,} of {self._count:,} rows"
        return table_page(JudgedTable(title, kind, tuple(self._rows), labels, seats), whole)


def _two(texts: Sequence[str]) -> tuple[str, str]:
    claim, truth = (*texts, "", "")[:2]
    return claim, truth


def _row(row: BatchRow, result: Result, claim: str, truth: str) -> ToldResult:
    told: dict[str, Any] = {"finding": result["label"] or "", "said": (result["text"],) if result["text"] else ()}
    return ToldResult(
        row=row.number,
        row_id=row.row_id or None,
        dataset=row.dataset or None,
        claim=claim,
        truth=truth,
        gold=row.gold or None,
        seats=tuple(_seats(result)),
        status=result["status"],
        problem=result["problem"],
        doubts=tuple(result["contested"]),
        sure=result["firmness"],
        spent=Spent(**{name: result[name] for name in BatchSpent.model_fields}),
        key=result["run"] or "",
        **told,
    )


def _seats(result: Result) -> list[SeatLabel]:
    """What each who has a seat said, before others were heard and in the end."""
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
