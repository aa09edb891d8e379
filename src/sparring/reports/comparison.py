"""Two judged tables side by side: which rows were fixed and which broken, and whether that may be chance."""

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum

from sparring.errors import UsageError
from sparring.schema.base import Record, RunId
from sparring.schema.pairs import JudgedTable, RowResult
from sparring.text.intervals import exact_mcnemar
from sparring.text.tidying import one_line

_SEEN_AS_CHANCE = 0.05
"""From this on what differs is what chance alone brings about at least once in twenty times."""

_NAME_SHOWN = 60


class RowChange(StrEnum):
    """What became of a row. The first four are of rows with a gold label; UNDECIDED: a verdict is missing."""

    FIXED = "fixed"
    BROKEN = "broken"
    STILL_WRONG = "still wrong"
    STILL_RIGHT = "still right"
    CHANGED = "changed"
    SAME = "same"
    UNDECIDED = "undecided"


class ComparedRow(Record):
    """A row that both tables have; ``row`` is its number in the second one, a verdict is empty where there is none."""

    row: int
    row_id: str | None
    dataset: str | None
    claim: str
    gold: str | None
    before: str
    after: str
    change: RowChange
    runs: tuple[RunId | None, RunId | None]


class TableComparison(Record):
    """Two tables.

    Attributes:
        only: How many rows the first and the second have alone.
        p_value: Of the exact McNemar test, two-sided; None without a gold label.
        says: What it comes to, in a sentence.
    """

    kind: str
    names: tuple[str, str]
    says: str
    counts: Mapping[RowChange, int]
    only: tuple[int, int]
    p_value: float | None
    rows: tuple[ComparedRow, ...]
    notices: tuple[str, ...] = ()

    @property
    def is_better(self) -> bool:
        """Whether more rows were fixed than broken, and chance alone would rarely do that."""
        gained = self.counts.get(RowChange.FIXED, 0) - self.counts.get(RowChange.BROKEN, 0)
        return self.p_value is not None and self.p_value < _SEEN_AS_CHANCE and gained > 0


def compare_tables(before: JudgedTable, after: JudgedTable) -> TableComparison:
    """Row by row; raises ``UsageError`` where they are of different formats or share no row."""
    if before.kind != after.kind:
        raise UsageError(f"{before.name} is of a {before.kind}, {after.name} of a {after.kind}: nothing compares them.")
    ones, others = _keyed(before), _keyed(after)
    rows = tuple(_compared(ones[key], row, before.labels) for key, row in others.items() if key in ones)
    if not rows:
        raise UsageError("The two tables have no row in common.", hint="Rows are matched by their ids.")
    counts = Counter(row.change for row in rows)
    has_gold = any(change in counts for change in list(RowChange)[:4])
    return TableComparison(
        kind=before.kind,
        names=(before.name, after.name),
        says=_says(counts, len(rows), has_gold=has_gold),
        counts={change: counts[change] for change in RowChange if counts[change]},
        only=(len(ones) - len(rows), len(others) - len(rows)),
        p_value=exact_mcnemar(counts[RowChange.FIXED], counts[RowChange.BROKEN]) if has_gold else None,
        rows=rows,
        notices=tuple(_notices(ones, others)),
    )


_Key = tuple[str, str]


def _keyed(table: JudgedTable) -> dict[_Key, RowResult]:
    found: dict[_Key, RowResult] = {}
    for row in table.rows:
        if found.setdefault(key := _key(row), row) is not row:
            shown = one_line(repr(key[1]), _NAME_SHOWN)
            raise UsageError(f"Two rows of {table.name} are called {shown}.", hint="Compare one table at a time.")
    return found


def _key(row: RowResult) -> _Key:
    # A row without an id is the same one where its place and its claim are.
    return (row.dataset or "", row.row_id) if row.row_id else (f"row {row.row}", row.claim)


def _compared(before: RowResult, after: RowResult, labels: tuple[str, ...]) -> ComparedRow:
    golds = {row.gold for row in (before, after) if row.gold in labels}
    gold = golds.pop() if len(golds) == 1 else None
    return ComparedRow(
        row=after.row,
        row_id=after.row_id,
        dataset=after.dataset,
        claim=after.claim,
        gold=gold,
        before=before.word,
        after=after.word,
        change=_change(before.word, after.word, gold),
        runs=(before.run_id, after.run_id),
    )


def _change(before: str, after: str, gold: str | None) -> RowChange:
    if not before or not after:
        return RowChange.UNDECIDED
    if gold is None:
        return RowChange.SAME if before == after else RowChange.CHANGED
    if after == gold:
        return RowChange.STILL_RIGHT if before == gold else RowChange.FIXED
    return RowChange.BROKEN if before == gold else RowChange.STILL_WRONG


def _says(counts: Mapping[RowChange, int], rows: int, *, has_gold: bool) -> str:
    if not has_gold:
        other = counts[RowChange.CHANGED]
        return f"{other:,} of {rows:,} rows have another label; without gold labels none is better."
    fixed, broken = counts[RowChange.FIXED], counts[RowChange.BROKEN]
    if not fixed and not broken:
        return "No row was fixed and none broken: there is nothing that chance would have to explain."
    p_value = exact_mcnemar(fixed, broken)
    told = "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.2g}"
    meaning = "this may be chance" if p_value >= _SEEN_AS_CHANCE else "chance alone would rarely do this"
    return f"{fixed:,} fixed, {broken:,} broken: {told}, {meaning}."


def _notices(ones: Mapping[_Key, RowResult], others: Mapping[_Key, RowResult]) -> Iterator[str]:
    both = [(ones[key], row) for key, row in others.items() if key in ones]
    claims = sum(bool(one.claim and other.claim) and one.claim != other.claim for one, other in both)
    golds = sum(bool(one.gold and other.gold) and one.gold != other.gold for one, other in both)
    if claims:
        yield f"With another claim now: {claims:,}."
    if golds:
        yield f"With another gold label now, which then counts as none: {golds:,}."


def comparison_text(found: TableComparison, most: int = 40) -> str:
    """For a terminal: the sentence, the counts, and the rows that changed."""
    counted = ", ".join(f"{count:,} {change}" for change, count in found.counts.items())
    alone = [f"Only in {name}: {count:,}" for count, name in zip(found.only, found.names, strict=True) if count]
    changed = [row for row in found.rows if row.before != row.after and row.change is not RowChange.STILL_WRONG]
    lines = [
        found.says,
        f"{len(found.rows):,} rows in both: {counted}.",
        *(f"{told}." for told in alone),
        *found.notices,
    ]
    lines += [_line(row) for row in changed[:most]]
    lines += [f"and {len(changed) - most:,} more; --json has all"] if len(changed) > most else []
    return "\n".join(lines) + "\n"


def _line(row: ComparedRow) -> str:
    name = one_line(row.row_id or f"row {row.row}", _NAME_SHOWN)
    gold = f" (gold {row.gold})" if row.gold else ""
    return f"{row.change:<9}  {name}  {row.before or 'no verdict'} -> {row.after or 'no verdict'}{gold}"
