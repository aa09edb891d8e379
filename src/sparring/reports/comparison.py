"""Two judged tables, or two runs of one format, side by side.

Of tables: rows that were fixed and broken, and whether that may be chance. Of runs: differences of
outcomes, participants, options and speeches. No format is known here: a part with a name (an agent, a
judge's ballot, a finding) is compared with the one of the same name; for parts without, words of closed vocabularies
are counted, so many quotes found, so many struck.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import cast

from pydantic import BaseModel

from sparring.errors import UsageError
from sparring.reports.runs import number_of, spending_text
from sparring.schema.base import Record, RunId
from sparring.schema.pairs import JudgedTable, RowResult
from sparring.schema.runs import Run
from sparring.schema.transcript import Turn
from sparring.text.intervals import exact_mcnemar
from sparring.text.tidying import one_line

_SEEN_AS_CHANCE = 0.05
"""From this on what differs is what chance alone brings about at least once in twenty times."""

_NAME_SHOWN = 60


class RowChange(StrEnum):
    """Change of a row between two tables.

    The first four are of rows with a gold label; UNDECIDED: a verdict is missing.
    """

    FIXED = "fixed"
    BROKEN = "broken"
    STILL_WRONG = "still wrong"
    STILL_RIGHT = "still right"
    CHANGED = "changed"
    SAME = "same"
    UNDECIDED = "undecided"


_WITH_GOLD = (RowChange.FIXED, RowChange.BROKEN, RowChange.STILL_WRONG, RowChange.STILL_RIGHT)


class ComparedRow(Record):
    """A row of both tables; ``row`` is its number in the second one, a verdict is empty where there is none."""

    row: int
    row_id: str | None
    dataset: str | None
    gold: str | None
    before: str
    after: str
    change: RowChange
    keys: tuple[str, str]


class TableComparison(Record):
    """Two tables.

    Attributes:
        only: Numbers of rows that only the first and only the second have.
        p_value: Of the exact McNemar test, two-sided; None without a gold label.
        sentence: The result, in a sentence.
    """

    kind: str
    names: tuple[str, str]
    sentence: str
    counts: Mapping[RowChange, int]
    only: tuple[int, int]
    p_value: float | None
    rows: tuple[ComparedRow, ...]
    notices: tuple[str, ...] = ()

    @property
    def is_better(self) -> bool:
        """True if more rows were fixed than broken, and chance alone would rarely do that."""
        gained = self.counts.get(RowChange.FIXED, 0) - self.counts.get(RowChange.BROKEN, 0)
        return self.p_value is not None and self.p_value < _SEEN_AS_CHANCE and gained > 0


def compare_tables(before: JudgedTable, after: JudgedTable) -> TableComparison:
    """Row by row; raises ``UsageError`` where they are of different formats or share no row."""
    if before.kind != after.kind:
        raise UsageError(f"{before.name} is of a {before.kind}, {after.name} of a {after.kind}: nothing compares them.")
    earlier, later = _rows_by_key(before), _rows_by_key(after)
    pairs = [(earlier[key], row) for key, row in later.items() if key in earlier]
    if not pairs:
        raise UsageError("The two tables have no row in common.", hint="Rows are matched by their ids.")
    rows = tuple(_compared(one, other, before.labels) for one, other in pairs)
    counts = Counter(row.change for row in rows)
    has_gold = any(change in counts for change in _WITH_GOLD)
    return TableComparison(
        kind=before.kind,
        names=(before.name, after.name),
        sentence=_sentence_about_rows(counts, len(rows), has_gold=has_gold),
        counts={change: counts[change] for change in RowChange if counts[change]},
        only=(len(earlier) - len(rows), len(later) - len(rows)),
        p_value=exact_mcnemar(counts[RowChange.FIXED], counts[RowChange.BROKEN]) if has_gold else None,
        rows=rows,
        notices=tuple(_notices(pairs)),
    )


def _rows_by_key(table: JudgedTable) -> dict[tuple[str, str], RowResult]:
    """Return the rows by data set and id; one without an id is recognised by its number."""
    rows: dict[tuple[str, str], RowResult] = {}
    for row in table.rows:
        key = (row.dataset or "", row.row_id) if row.row_id else ("", f"row {row.row}")
        if key in rows:
            shown = one_line(repr(key[1]), _NAME_SHOWN)
            raise UsageError(f"Two rows of {table.name} are called {shown}.", hint="Compare one table at a time.")
        rows[key] = row
    return rows


def _compared(before: RowResult, after: RowResult, labels: tuple[str, ...]) -> ComparedRow:
    golds = {row.gold for row in (before, after) if row.gold in labels}
    gold = golds.pop() if len(golds) == 1 else None
    return ComparedRow(
        row=after.row,
        row_id=after.row_id,
        dataset=after.dataset,
        gold=gold,
        before=before.word,
        after=after.word,
        change=_change(before.word, after.word, gold),
        keys=(before.key, after.key),
    )


def _change(before: str, after: str, gold: str | None) -> RowChange:
    if not before or not after:
        return RowChange.UNDECIDED
    if gold is None:
        return RowChange.SAME if before == after else RowChange.CHANGED
    if after == gold:
        return RowChange.STILL_RIGHT if before == gold else RowChange.FIXED
    return RowChange.BROKEN if before == gold else RowChange.STILL_WRONG


def _sentence_about_rows(counts: Mapping[RowChange, int], rows: int, *, has_gold: bool) -> str:
    if not has_gold:
        other = counts[RowChange.CHANGED]
        return f"{other:,} of {rows:,} rows have another label; without gold labels none is better."
    fixed, broken = counts[RowChange.FIXED], counts[RowChange.BROKEN]
    if not fixed and not broken:
        return "No row was fixed and none broken: there is nothing that chance would have to explain."
    p_value = exact_mcnemar(fixed, broken)
    p_shown = "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.2g}"
    meaning = "this may be chance" if p_value >= _SEEN_AS_CHANCE else "chance alone would rarely do this"
    return f"{fixed:,} fixed, {broken:,} broken: {p_shown}, {meaning}."


def _notices(pairs: Sequence[tuple[RowResult, RowResult]]) -> Iterator[str]:
    golds = sum(bool(one.gold and other.gold) and one.gold != other.gold for one, other in pairs)
    if golds:
        yield f"With another gold label now, which then counts as none: {golds:,}."


def comparison_text(result: TableComparison, most: int = 40) -> str:
    """For a terminal: the sentence, the counts, and the rows that changed."""
    changes = ", ".join(f"{count:,} {change}" for change, count in result.counts.items())
    lines = [result.sentence, f"{number_of(len(result.rows), 'row')} in both: {changes}."]
    for name, count in zip(result.names, result.only, strict=True):
        if count:
            lines.append(f"Only in {name}: {count:,}.")
    lines += result.notices
    changed = [row for row in result.rows if row.before != row.after and row.change is not RowChange.STILL_WRONG]
    lines += [_line(row) for row in changed[:most]]
    if len(changed) > most:
        lines.append(f"and {len(changed) - most:,} more; --json has all")
    return "\n".join(lines) + "\n"


def _line(row: ComparedRow) -> str:
    name = one_line(row.row_id or f"row {row.row}", _NAME_SHOWN)
    gold = f" (gold {row.gold})" if row.gold else ""
    return f"{row.change:<9}  {name}  {row.before or 'no verdict'} -> {row.after or 'no verdict'}{gold}"


_SHOWN = 300
_NAMES = ("id", "name", "judge", "order", "part", "role", "round", "agent", "pattern", "dimension")
"""Fields that distinguish the records of a list, as far as no two have the same in all of them."""

_ASIDE = {"kind", "notices", "start", "end"}
"""Fields shown elsewhere, and places of characters, which move with every word."""


class Difference(Record):
    """Something that differs; empty: it is not there."""

    name: str
    before: str
    after: str


class SpeechChange(StrEnum):
    """Change of the speech at one place."""

    SAME = "same"
    CHANGED = "changed"
    ONLY_BEFORE = "only before"
    ONLY_AFTER = "only after"


class ComparedSpeech(Record):
    """Speech at one place of both runs; the cause of a failure is in brackets."""

    place: str
    change: SpeechChange
    before: str
    after: str


class RunComparison(Record):
    """Two runs.

    Attributes:
        sentence: The result, in a sentence.
        outcome: Differences of the outcomes, scores among them.
        states: For lists without names, the number of entries in each state.
        options: Differences of the requests.
        seats: Differences of the participants.
    """

    kind: str
    ids: tuple[RunId, RunId]
    subjects: tuple[str, str]
    sentence: str
    outcome: tuple[Difference, ...]
    states: tuple[Difference, ...]
    seats: tuple[Difference, ...]
    options: tuple[Difference, ...]
    spent: tuple[Difference, ...]
    speeches: tuple[ComparedSpeech, ...]

    @property
    def parts(self) -> Mapping[str, tuple[Difference, ...]]:
        """Differences other than speeches, by their headings."""
        return {
            "Outcomes": self.outcome,
            "Counts of findings": self.states,
            "Request": self.options,
            "Who answered": self.seats,
            "Usage": self.spent,
        }


def compare_runs(before: Run, after: Run) -> RunComparison:
    """Field by field, speech by speech; raises ``UsageError`` where they are of different formats."""
    if before.header.kind != after.header.kind:
        names = [f"{run.header.run_id} is a {run.header.kind}" for run in (before, after)]
        raise UsageError(f"{', '.join(names)}: runs of different formats are not compared.")
    requests = (before.header.request, after.header.request)
    speeches = tuple(_speeches(before.transcript.turns, after.transcript.turns))
    return RunComparison(
        kind=before.header.kind,
        ids=(before.header.run_id, after.header.run_id),
        subjects=(requests[0].subject, requests[1].subject),
        sentence=_sentence_about_runs(before, after, speeches),
        outcome=_differences(dict(_leaves(before.outcome)), dict(_leaves(after.outcome))),
        states=_differences(_states(before.outcome), _states(after.outcome)),
        seats=_differences(_seats(before), _seats(after)),
        options=_differences(dict(_leaves(requests[0])), dict(_leaves(requests[1]))),
        spent=_differences(_used(before), _used(after)),
        speeches=speeches,
    )


def _sentence_about_runs(before: Run, after: Run, speeches: Sequence[ComparedSpeech]) -> str:
    one, other = (_result_of(run) for run in (before, after))
    headline = f"Both: {one}" if one == other else f"{one} → {other}"
    changed = sum(each.change is not SpeechChange.SAME for each in speeches)
    return f"{headline}. {changed} of {len(speeches)} speeches differ."


def _result_of(run: Run) -> str:
    if run.outcome is None:
        return str(run.status)
    return run.outcome.finding(run.header.request) or str(run.outcome.status)


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Difference, ...]:
    """Return the differences; a record that only one side has counts once, without its fields."""
    # The place of a record ends with its name in brackets, see _listed_leaves.
    fields_of_single_records = tuple(f"{place}, " for place in before.keys() ^ after.keys() if place.endswith(")"))
    differences: list[Difference] = []
    for place in dict.fromkeys((*before, *after)):
        one, other = before.get(place, ""), after.get(place, "")
        if one != other and not place.startswith(fields_of_single_records):
            shown = Difference(name=place, before=one_line(one, _SHOWN), after=one_line(other, _SHOWN))
            differences.append(shown)
    return tuple(differences)


def _leaves(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield every part of ``value`` with its place, as text."""
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            if name not in _ASIDE:
                yield from _leaves(getattr(value, name), _joined(place, name.replace("_", " ")))
    elif isinstance(value, tuple | list):
        yield from _listed_leaves(cast("Sequence[object]", value), place)
    elif isinstance(value, Mapping):
        for name, each in cast("Mapping[str, object]", value).items():
            yield from _leaves(each, _joined(place, name))
    elif value is not None:
        yield place, str(value)


def _listed_leaves(values: Sequence[object], place: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a list: its text, or the parts of records whose names tell them apart."""
    records = [value for value in values if isinstance(value, BaseModel)]
    if len(records) < len(values):
        yield place, "; ".join(map(str, values))
    names = [_name(record) for record in records]
    if all(names) and len(set(names)) == len(names):
        for name, record in zip(names, records, strict=True):
            yield f"{place} ({name})", getattr(record, "title", "there")
            yield from _leaves(record, f"{place} ({name})")


def _name(record: BaseModel) -> str:
    values = [getattr(record, field) for field in _NAMES if field in type(record).model_fields]
    return ", ".join(one_line(str(value).replace("_", " "), 60) for value in values if value not in (None, ""))


def _joined(place: str, name: str) -> str:
    return f"{place}, {name}" if place else name


def _states(outcome: object) -> dict[str, str]:
    """Count the words of closed vocabularies in lists."""
    return {what: str(count) for what, count in Counter(_words(outcome, "", is_listed=False)).items()}


def _words(value: object, place: str, *, is_listed: bool) -> Iterator[str]:
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            if name not in _ASIDE | set(_NAMES):
                yield from _words(getattr(value, name), _joined(place, name.replace("_", " ")), is_listed=is_listed)
    elif isinstance(value, tuple | list):
        for each in cast("Sequence[object]", value):
            yield from _words(each, place, is_listed=True)
    elif is_listed and isinstance(value, StrEnum):
        yield f"{place}: {value.replace('_', ' ')}"


def _seats(run: Run) -> dict[str, str]:
    """Return the tool in each seat, with the model that it named."""
    seats: dict[str, dict[str, None]] = {}
    for turn in run.transcript.turns:
        if turn.answer:
            model = f" ({turn.answer.model})" if turn.answer.model else ""
            seats.setdefault(_seat(turn), {})[f"{turn.answer.tool}{model}"] = None
    return {seat: ", ".join(who) for seat, who in seats.items()}


def _seat(turn: Turn) -> str:
    return f"{turn.role.display_name} {turn.number}" if turn.number else turn.role.display_name


def _used(run: Run) -> dict[str, str]:
    turns = run.transcript.turns
    took_s = (turns[-1].at - run.header.created_at).total_seconds() if turns else 0
    return {"used": spending_text(run.spent), "time": f"{took_s:.0f} s", "status": run.status}


def _speeches(before: Sequence[Turn], after: Sequence[Turn]) -> Iterator[ComparedSpeech]:
    repeated = _repeated(before) | _repeated(after)
    ones, others = _placed(before, repeated), _placed(after, repeated)
    for place in dict.fromkeys((*ones, *others)):
        one, other = ones.get(place, ""), others.get(place, "")
        if place not in others:
            change = SpeechChange.ONLY_BEFORE
        elif place not in ones:
            change = SpeechChange.ONLY_AFTER
        else:
            change = SpeechChange.SAME if one == other else SpeechChange.CHANGED
        yield ComparedSpeech(place=place, change=change, before=one, after=other)


def _repeated(turns: Sequence[Turn]) -> set[str]:
    """Return the places that occur in more than one round; for the others the round is not named."""
    rounds: dict[str, set[int]] = {}
    for turn in turns:
        rounds.setdefault(_place(turn), set()).add(turn.round)
    return {place for place, numbers in rounds.items() if len(numbers) > 1}


def _place(turn: Turn) -> str:
    place = f"{_seat(turn)}, {turn.kind.replace('_', ' ')}"
    if turn.order == 2:
        place += ", other order"
    if turn.attempt > 1:
        place += ", asked again"
    return place


def _placed(turns: Sequence[Turn], repeated: set[str]) -> dict[str, str]:
    """Return the speeches by place; several at one place are numbered."""
    speeches: dict[str, str] = {}
    counts = Counter[str]()
    for turn in turns:
        place = _place(turn)
        if place in repeated:
            place = f"round {turn.round}, {place}"
        counts[place] += 1
        if counts[place] > 1:
            place = f"{place} ({counts[place]})"
        cause = turn.failure.cause if turn.failure else ""
        speeches[place] = turn.answer.response if turn.answer else f"[{cause}]"
    return speeches


def runs_text(result: RunComparison, most: int = 30) -> str:
    """For a terminal: the sentence, then what differs, part by part."""
    lines = [f"{result.ids[0]} → {result.ids[1]}", result.sentence]
    for title, differences in result.parts.items():
        if differences:
            lines += ["", title]
        for difference in differences[:most]:
            lines.append(f"  {difference.name}: {difference.before or '–'} → {difference.after or '–'}")
        if len(differences) > most:
            lines.append(f"  and {len(differences) - most} more; --json has all")
    changed = [speech for speech in result.speeches if speech.change is not SpeechChange.SAME]
    if changed:
        lines += ["", "Speeches"]
    lines += [f"  {speech.change}: {speech.place}" for speech in changed]
    return "\n".join(lines) + "\n"
