"""Two runs of one format side by side: what differs in what came of them, who answered, what was asked, what was said.

No format is known here. What has a name of its own (an agent, a judge's ballot, a finding) is compared with what has
the same one; of what has none, the words of closed vocabularies are counted: so many quotes found, so many struck.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import cast

from pydantic import BaseModel

from sparring.errors import UsageError
from sparring.reports.runs import spending
from sparring.schema.base import Record, RunId
from sparring.schema.runs import Run
from sparring.schema.transcript import Turn
from sparring.text.tidying import one_line

_SHOWN = 300
_NAMES = ("id", "name", "judge", "order", "part", "role", "round", "agent", "pattern", "dimension")
"""Fields that tell one record of a list from another, as far as no two have the same in all of them."""

_ASIDE = {"kind", "notices", "start", "end"}
"""What is told elsewhere, and places of characters, which move with every word."""


class Difference(Record):
    """Something that differs; empty: it is not there."""

    what: str
    before: str
    after: str


class SpeechChange(StrEnum):
    """What became of the place of a speech."""

    SAME = "same"
    CHANGED = "changed"
    ONLY_BEFORE = "only before"
    ONLY_AFTER = "only after"


class ComparedSpeech(Record):
    """What was said at one place of both runs; the cause of a failure stands in brackets."""

    place: str
    change: SpeechChange
    before: str
    after: str


class RunComparison(Record):
    """Two runs.

    Attributes:
        says: What it comes to, in a sentence.
        outcome: What differs in what came of them, scores among it.
        states: Of what is listed without names, how many there are of each state.
        options: What differs in what was asked for.
        seats: Who answered.
    """

    kind: str
    ids: tuple[RunId, RunId]
    subjects: tuple[str, str]
    says: str
    outcome: tuple[Difference, ...]
    states: tuple[Difference, ...]
    seats: tuple[Difference, ...]
    options: tuple[Difference, ...]
    spent: tuple[Difference, ...]
    speeches: tuple[ComparedSpeech, ...]


def compare_runs(before: Run, after: Run) -> RunComparison:
    """Field by field, speech by speech; raises ``UsageError`` where they are of different formats."""
    if before.header.kind != after.header.kind:
        names = [f"{run.header.run_id} is a {run.header.kind}" for run in (before, after)]
        raise UsageError(f"{', '.join(names)}: runs of different formats are not compared.")
    outcomes, requests = (before.outcome, after.outcome), (before.header.request, after.header.request)
    speeches = tuple(_speeches(before.transcript.turns, after.transcript.turns))
    return RunComparison(
        kind=before.header.kind,
        ids=(before.header.run_id, after.header.run_id),
        subjects=(before.header.request.subject, after.header.request.subject),
        says=_says(before, after, speeches),
        outcome=tuple(_differences(*(dict(_leaves(each)) for each in outcomes))),
        states=tuple(_differences(*(_states(each) for each in outcomes))),
        seats=tuple(_differences(*(_seats(run) for run in (before, after)))),
        options=tuple(_differences(*(dict(_leaves(each)) for each in requests))),
        spent=tuple(_differences(*(_used(run) for run in (before, after)))),
        speeches=speeches,
    )


def _says(before: Run, after: Run, speeches: Sequence[ComparedSpeech]) -> str:
    one, other = (_found(run) for run in (before, after))
    told = f"Both: {one}" if one == other else f"{one} → {other}"
    changed = sum(each.change is not SpeechChange.SAME for each in speeches)
    return f"{told}. {changed} of {len(speeches)} speeches differ."


def _found(run: Run) -> str:
    if run.outcome is None:
        return str(run.status)
    return run.outcome.finding(run.header.request) or str(run.outcome.status)


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    """What differs; of a record that only one of them has, that it is there, and no field of it."""
    alone = tuple(f"{what}, " for what in before.keys() ^ after.keys() if what.endswith(")"))
    for what in dict.fromkeys((*before, *after)):
        one, other = before.get(what, ""), after.get(what, "")
        if one != other and not what.startswith(alone):
            yield Difference(what=what, before=one_line(one, _SHOWN), after=one_line(other, _SHOWN))


def _leaves(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Everything in ``value`` that has a place of its own, as text."""
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
    records = [value for value in values if isinstance(value, BaseModel)]
    if len(records) < len(values):
        yield place, "; ".join(map(str, values))
    names = [_name(record) for record in records]
    if all(names) and len(set(names)) == len(names):
        for name, record in zip(names, records, strict=True):
            yield f"{place} ({name})", getattr(record, "title", "there")
            yield from _leaves(record, f"{place} ({name})")


def _name(record: BaseModel) -> str:
    named = (getattr(record, name) for name in _NAMES if name in type(record).model_fields)
    return ", ".join(one_line(str(each).replace("_", " "), 60) for each in named if each not in (None, ""))


def _joined(place: str, name: str) -> str:
    return f"{place}, {name}" if place else name


def _states(outcome: object) -> dict[str, str]:
    """How often each word of a closed vocabulary stands in lists."""
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
    """Who answered in each seat, with the model that its tool named."""
    found: dict[str, dict[str, None]] = {}
    for turn in run.transcript.turns:
        if turn.answer:
            model = f" ({turn.answer.model})" if turn.answer.model else ""
            found.setdefault(_seat(turn), {})[f"{turn.answer.tool}{model}"] = None
    return {seat: ", ".join(who) for seat, who in found.items()}


def _seat(turn: Turn) -> str:
    return f"{turn.role.spoken} {turn.number}" if turn.number else turn.role.spoken


def _used(run: Run) -> dict[str, str]:
    turns = run.transcript.turns
    took_s = (turns[-1].at - run.header.created_at).total_seconds() if turns else 0
    return {"used": spending(run.spent), "time": f"{took_s:.0f} s", "status": run.status}


def _speeches(before: Sequence[Turn], after: Sequence[Turn]) -> Iterator[ComparedSpeech]:
    repeated = _repeated(before) | _repeated(after)
    ones, others = _placed(before, repeated), _placed(after, repeated)
    for place in dict.fromkeys((*ones, *others)):
        one, other = ones.get(place, ""), others.get(place, "")
        change = SpeechChange.SAME if one == other else SpeechChange.CHANGED
        if place not in ones or place not in others:
            change = SpeechChange.ONLY_BEFORE if place in ones else SpeechChange.ONLY_AFTER
        yield ComparedSpeech(place=place, change=change, before=one, after=other)


def _repeated(turns: Sequence[Turn]) -> set[str]:
    """What comes in more than one round; of the rest the round says nothing, for a judge speaks after any number."""
    rounds = Counter(place for place, _ in {(_place(turn), turn.round) for turn in turns})
    return {place for place, count in rounds.items() if count > 1}


def _place(turn: Turn) -> str:
    order, again = ", other order" * (turn.order == 2), ", asked again" * (turn.attempt > 1)
    return f"{_seat(turn)}, {turn.kind.replace('_', ' ')}{order}{again}"


def _placed(turns: Sequence[Turn], repeated: set[str]) -> dict[str, str]:
    """What was said by where; what comes at one place more than once is numbered."""
    found, times = dict[str, str](), Counter[str]()
    for turn in turns:
        place = _place(turn)
        place = f"round {turn.round}, {place}" if place in repeated else place
        times[place] += 1
        said = turn.answer.response if turn.answer else f"[{turn.failure.cause if turn.failure else ''}]"
        found[f"{place} ({times[place]})" if times[place] > 1 else place] = said
    return found


def runs_text(found: RunComparison, most: int = 30) -> str:
    """For a terminal: the sentence, then what differs, part by part."""
    lines = [f"{found.ids[0]} → {found.ids[1]}", found.says]
    parts = {
        "What came of them": found.outcome,
        "What was found, counted": found.states,
        "What was asked for": found.options,
        "Who answered": found.seats,
        "What it took": found.spent,
    }
    for title, differences in parts.items():
        lines += ["", title] if differences else []
        lines += [f"  {each.what}: {each.before or '–'} → {each.after or '–'}" for each in differences[:most]]
        lines += [f"  and {len(differences) - most} more; --json has all"] if len(differences) > most else []
    changed = [each for each in found.speeches if each.change is not SpeechChange.SAME]
    lines += ["", "Speeches"] if changed else []
    lines += [f"  {each.change}: {each.place}" for each in changed]
    return "\n".join(lines) + "\n"
