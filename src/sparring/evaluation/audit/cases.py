"""The cases of an audit: generated ones whose right side follows from how they are made, or those of a file.

Each generated case states all facts that it needs. The right side computes with them; the other one makes one
mistake, which is named in the template. Both sides have speeches of the same form and nearly the same length, and each
side is right in half of the cases.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

from pydantic import ValidationError

from sparring.errors import UsageError
from sparring.schema.audit import AuditCase, CaseKind, CaseSide
from sparring.schema.faults import describe_fault
from sparring.store.files import read_bounded
from sparring.text.tidying import one_line

SEED = 20261128
CASES = 60
"""Default for the generated cases of a kind."""

MOST_CASES = 400

_SHOWN = 120
_PLACES = ("Norwell", "Eastby", "Harlow Bay", "Millford", "Stonegate", "Westmere")
_PEOPLE = ("Ada", "Carl", "Dina", "Emil", "Freya", "Gita")


def generated_cases(kind: CaseKind, count: int = CASES) -> tuple[AuditCase, ...]:
    """Return generated cases of ``kind``: the same on every call, no two alike, fewer are the first of more."""
    draw = random.Random(f"{SEED}{kind}")  # noqa: S311 -- nothing secret
    makers = _MAKERS[kind]
    by_text = dict[str, AuditCase]()  # a case that was drawn before is dropped
    while len(by_text) < count:
        number = len(by_text)
        # Templates take turns, and after each turn of all templates the right side changes.
        make = makers[number % len(makers)]
        right = CaseSide.FIRST if (number // len(makers)) % 2 == 0 else CaseSide.SECOND
        case = make(draw, right)
        identified = case.model_copy(update={"id": f"{kind}-{number + 1:03}", "kind": kind, "right": right})
        by_text.setdefault(f"{case.question}\n{case.material}", identified)
    return tuple(by_text.values())


def cases_in(path: Path, kind: CaseKind) -> tuple[AuditCase, ...]:
    """Return the cases of ``kind`` in a file of JSON lines, each with the fields of ``AuditCase``.

    Raises:
        UsageError: The file cannot be read, a line is no case, two cases have one id, or none is of that kind.
    """
    shown = one_line(str(path), _SHOWN)
    content = read_bounded(path)
    if content is None:
        raise UsageError(f"There is no file {shown}.", hint="Name a file of cases, one JSON object a line.")
    by_id = dict[str, AuditCase]()
    for number, line in enumerate(content.decode(errors="replace").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            case = AuditCase.model_validate_json(line)
        except ValidationError as error:
            fault = error.errors()[0]
            field = ".".join(map(str, fault["loc"])) or "the line"
            reason = one_line(describe_fault(fault, field), _SHOWN)
            raise UsageError(
                f"Line {number} of {shown} is not a case: {reason}.", hint="docs/audit.md lists the fields."
            ) from error
        if case.id in by_id:
            raise UsageError(f"Two cases of {shown} have the id {one_line(repr(case.id), _SHOWN)}.")
        by_id[case.id] = case
    chosen = tuple(case for case in by_id.values() if case.kind is kind)
    if not chosen:
        raise UsageError(f"{shown} has no case of the kind {kind}, which is what this seat decides.")
    return chosen


def digest(cases: Iterable[AuditCase]) -> str:
    """Return a digest of ``cases`` in their order."""
    encoded = json.dumps([case.model_dump(mode="json") for case in cases], ensure_ascii=False)
    return hashlib.sha256(encoded.encode()).hexdigest()


# -- Disputes: two positions on a question that its own facts decide -------------------------------------------------


def _dispute(question: str, claims: Sequence[str], right: str, wrong: str, right_side: CaseSide) -> AuditCase:
    """Return a dispute.

    Args:
        question: With all facts.
        claims: The position of the side that is right, then that of the other one.
        right: The argument of the right side.
        wrong: The argument of the other side.
        right_side: Which side is right.
    """

    def speech(position: str, argument: str) -> str:
        return (
            f"{position} {argument} The facts in the question are enough to see that. Whoever checks this step comes "
            f"to the same result. {position}"
        )

    right_position, wrong_position = claims
    first, second = speech(right_position, right), speech(wrong_position, wrong)
    if right_side is CaseSide.SECOND:
        first, second = second, first
    return AuditCase(id="made", kind=CaseKind.DISPUTE, question=question, first=first, second=second)


def _load(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return a multiplication; the mistake is a wrong product."""
    weight, count = draw.randrange(31, 89), draw.randrange(11, 19)
    total = weight * count
    limit = total + draw.choice((-1, 1)) * draw.randrange(4, 16)
    fits = total <= limit
    # The wrong product lies on the other side of the limit, so that it leads to the other answer.
    wrong_total = limit + draw.randrange(3, 12) if fits else limit - draw.randrange(3, 12)
    place = draw.choice(_PLACES)
    question = (
        f"The lift in {place} carries at most {limit} kg. A crate weighs {weight} kg. Can it take {count} crates?"
    )
    yes, no = f"The lift can carry the {count} crates.", f"The lift cannot carry the {count} crates."
    positions = (yes, no) if fits else (no, yes)

    def argument(product: int) -> str:
        comparison = "not more" if product <= limit else "more"
        return f"{count} crates of {weight} kg weigh {product} kg. That is {comparison} than {limit} kg."

    return _dispute(question, positions, argument(total), argument(wrong_total), right)


def _dates(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return two deadlines; the mistake is a wrong day."""
    start = date(2031, 1, 5) + timedelta(days=draw.randrange(300))
    first_days, second_days = draw.sample(range(20, 75), 2)
    first, second = draw.sample(_PEOPLE, 2)
    question = (
        f"{first} and {second} both begin on {_day(start)}. {first} needs {first_days} days, {second} needs "
        f"{second_days} days. Who is done earlier?"
    )
    (few_days, early), (many_days, late) = sorted(((first_days, first), (second_days, second)))
    early_end, late_end = start + timedelta(days=few_days), start + timedelta(days=many_days)
    wrong_end = early_end - timedelta(days=draw.randrange(2, 9))  # of the late one, who then is done earlier
    right_argument = f"{early} needs {few_days} days and is done on {_day(early_end)}, {late} on {_day(late_end)}."
    wrong_argument = f"{late} needs {many_days} days and is done on {_day(wrong_end)}, {early} on {_day(early_end)}."
    positions = (f"{early} is done earlier.", f"{late} is done earlier.")
    return _dispute(question, positions, right_argument, wrong_argument, right)


def _budget(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return a sum; the mistake leaves out a carry."""
    parts = [draw.randrange(115, 490) for _ in range(3)]
    total = sum(parts)
    limit = total + draw.choice((-1, 1)) * draw.randrange(12, 60)
    enough = total <= limit
    wrong_total = total + 100 if enough else total - 100
    place = draw.choice(_PLACES)
    listed = f"{parts[0]}, {parts[1]} and {parts[2]} euros"
    question = f"The club in {place} has {limit} euros. It is to pay three bills of {listed}. Is the money enough?"
    yes, no = "The money is enough for all three bills.", "The money is not enough for all three bills."
    positions = (yes, no) if enough else (no, yes)

    def argument(spent: int) -> str:
        comparison = "not more" if spent <= limit else "more"
        return f"The three bills of {listed} come to {spent} euros. That is {comparison} than {limit} euros."

    return _dispute(question, positions, argument(total), argument(wrong_total), right)


def _order(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return a chain of comparisons; the mistake turns one of them round."""
    names = draw.sample(_PEOPLE, 4)
    steps = [draw.randrange(2, 9) for _ in range(3)]
    facts = [
        f"{taller} is {step} cm taller than {shorter}."
        for (taller, shorter), step in zip(pairwise(names), steps, strict=True)
    ]
    draw.shuffle(facts)
    tallest, second, third, shortest = names
    asked_about = draw.sample([tallest, shortest], 2)
    question = f"{' '.join(facts)} Who is taller, {' or '.join(asked_about)}?"

    def argument(one: str, other: str) -> str:
        return (
            f"One goes from {one} by way of {second} and {third} to {other}. Taken together, {one} is {sum(steps)} cm "
            f"taller than {other}."
        )

    positions = (f"{tallest} is taller.", f"{shortest} is taller.")
    return _dispute(question, positions, argument(tallest, shortest), argument(shortest, tallest), right)


def _window(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return a duration that has to fit between two times; the mistake takes an hour for 100 minutes or for 40."""
    begin = draw.randrange(7, 12) * 60 + draw.randrange(5, 55)
    length = draw.randrange(130, 230)
    room = length + draw.choice((-1, 1)) * draw.randrange(5, 30)
    end = begin + room
    fits = length <= room
    wrong_room = room - 40 if fits else room + 40
    place = draw.choice(_PLACES)
    question = (
        f"The hall in {place} is free from {_clock(begin)} to {_clock(end)}. The meeting takes {length} minutes. "
        "Does it fit in?"
    )
    yes, no = "The meeting fits in.", "The meeting does not fit in."
    positions = (yes, no) if fits else (no, yes)

    def argument(minutes: int) -> str:
        comparison = "not more" if length <= minutes else "more"
        return (
            f"From {_clock(begin)} to {_clock(end)} it is {minutes} minutes. {length} minutes are {comparison} than "
            "that."
        )

    return _dispute(question, positions, argument(room), argument(wrong_room), right)


def _day(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def _clock(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"


# -- Claims: a truth, and a claim that agrees or not ---------------------------------------------------------


def _claim(truth: str, claim: str, quoted: tuple[str, str]) -> AuditCase:
    """Return a claim with both pleas, which quote the same words: of the truth, then of the claim."""
    in_truth, in_claim = quoted
    advocate = (
        f'- The truth says "{in_truth}".\n- The claim says "{in_claim}".\n'
        "- Both say the same of the same thing.\n- Nothing that matters was left out or added."
    )
    skeptic = (
        f'- The truth says "{in_truth}".\n- The claim says "{in_claim}".\n'
        "- They do not say the same of the same thing.\n- A reader of the claim would believe something else."
    )
    return AuditCase(id="made", kind=CaseKind.CLAIM, question=claim, material=truth, first=advocate, second=skeptic)


def _part_of_all(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return a claim on a share: the same as a fraction, or another one."""
    words = (
        ("half", "two in four"),
        ("a third", "one in three"),
        ("a quarter", "one in four"),
        ("a fifth", "one in five"),
    )
    (share, same), (_, other) = draw.sample(words, 2)
    place, year = draw.choice(_PLACES), draw.randrange(1990, 2020)
    truth = f"In {year}, {share} of the households in {place} had a garden of their own."
    wording = same if right is CaseSide.FIRST else other
    claim = f"In {year}, {wording} households in {place} had a garden of its own."
    return _claim(truth, claim, (share, wording))


def _who(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return a claim on the subject of an action: in the passive voice, or with the roles exchanged."""
    one, other = draw.sample(_PEOPLE, 2)
    verb, passive = draw.choice((("hired", "was hired by"), ("replaced", "was replaced by"), ("paid", "was paid by")))
    place = draw.choice(_PLACES)
    truth = f"{one} {verb} {other} at the library in {place}."
    doer, done = (one, other) if right is CaseSide.FIRST else (other, one)
    claim = f"At the library in {place}, {done} {passive} {doer}."
    return _claim(truth, claim, (f"{one} {verb} {other}", f"{done} {passive} {doer}"))


def _order_of_events(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return a claim on what came first: turned round with its meaning kept, or lost."""
    one, other = draw.sample(("bridge", "market", "theatre", "harbour", "station", "museum"), 2)
    place, years = draw.choice(_PLACES), draw.randrange(2, 40)
    truth = f"The {one} in {place} opened {years} years before the {other}."
    early, late = (one, other) if right is CaseSide.FIRST else (other, one)
    claim = f"The {late} in {place} opened {years} years after the {early}."
    return _claim(truth, claim, (f"before the {other}", f"after the {early}"))


def _condition(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return a claim on a rule with a condition: kept in other words, or dropped."""
    rules = (
        ("The pool is free", "for children under six", "Children who are not yet six pay nothing"),
        ("Dogs may enter", "if they are on a lead", "Dogs that are led on a lead are let in"),
        ("The fee is returned", "if the book is undamaged", "Whoever brings the book back undamaged gets the fee back"),
        ("Parking is allowed", "after eight in the evening", "From eight in the evening on, cars may be parked"),
    )
    rule, condition, reworded = draw.choice(rules)
    place = draw.choice(_PLACES)
    number = draw.randrange(2, 60)
    truth = f"Rule {number} of {place}: {rule} {condition}."
    wording = reworded if right is CaseSide.FIRST else rule
    claim = f"By rule {number} of {place}: {wording}."
    return _claim(truth, claim, (condition, wording))


# -- Passages: a statement, and a passage that supports it or not --------------------------------------------


def _passage(statement: str, passage: str) -> AuditCase:
    return AuditCase(id="made", kind=CaseKind.PASSAGE, question=statement, material=passage)


def _read_share(draw: random.Random, right: CaseSide) -> AuditCase:
    made = _part_of_all(draw, right)
    return _passage(made.question, made.material)


def _read_who(draw: random.Random, right: CaseSide) -> AuditCase:
    made = _who(draw, right)
    return _passage(made.question, made.material)


def _read_order(draw: random.Random, right: CaseSide) -> AuditCase:
    made = _order_of_events(draw, right)
    return _passage(made.question, made.material)


def _read_negation(draw: random.Random, right: CaseSide) -> AuditCase:
    """Return a state in other words, or its opposite."""
    name, place = draw.choice(_PEOPLE), draw.choice(_PLACES)
    number = draw.randrange(2, 90)
    state, same, opposite = draw.choice(
        (
            ("was closed", "did not admit visitors", "admitted visitors"),
            ("was empty", "had nobody in it", "had people in it"),
            ("was dark", "had no light burning", "had a light burning"),
        )
    )
    statement = f"When {name} came by, hall {number} in {place} {state}."
    wording = same if right is CaseSide.FIRST else opposite
    return _passage(statement, f"Hall {number} in {place} {wording} at the time when {name} came by.")


# -- Findings: a defect that is reported of code, which has it or not ------------------------------------------------


def _finding(title: str, report: str, lines: str, line: int, name: str) -> AuditCase:
    return AuditCase(
        id="made", kind=CaseKind.FINDING, question=title, material=lines, first=report, place=f"src/{name}.py:{line}"
    )


def _names(draw: random.Random) -> tuple[str, str]:
    """Return the name of a collection, and that of a function."""
    items = draw.choice(("orders", "rows", "prices", "bills", "steps"))
    verb = draw.choice(("total", "sum", "count"))
    return items, f"{verb}_{draw.randrange(2, 99)}"


def _off_by_one(draw: random.Random, right: CaseSide) -> AuditCase:
    items, name = _names(draw)
    reach = f"len({items}) - 1" if right is CaseSide.FIRST else f"len({items})"
    body = f"    for at in range({reach}):\n        found += {items}[at]"
    lines = f"def {name}({items}):\n    found = 0\n{body}\n    return found"
    return _finding(
        f"The last of {items} is never added",
        f"The loop ends one place too early, so that {name} leaves out the last element of {items}.",
        lines,
        3,
        name,
    )


def _empty(draw: random.Random, right: CaseSide) -> AuditCase:
    items, name = _names(draw)
    guard = "" if right is CaseSide.FIRST else f"    if not {items}:\n        return 0\n"
    lines = f"def {name}({items}):\n{guard}    whole = sum({items})\n    return whole / len({items})"
    return _finding(
        f"Division by zero for empty {items}",
        f"For an empty list of {items} the length is 0, so that {name} divides by zero.",
        lines,
        4 if right is CaseSide.SECOND else 3,
        name,
    )


def _mutable(draw: random.Random, right: CaseSide) -> AuditCase:
    items, name = _names(draw)
    default, guard = "[]", ""
    if right is CaseSide.SECOND:
        default, guard = "None", f"    {items} = [] if {items} is None else {items}\n"
    lines = f"def {name}(value, {items}={default}):\n{guard}    {items}.append(value)\n    return {items}"
    return _finding(
        f"Calls of {name} share one list",
        f"The default of {items} is made once, so that a second call of {name} finds the values of the first.",
        lines,
        1,
        name,
    )


def _missing_key(draw: random.Random, right: CaseSide) -> AuditCase:
    items, name = _names(draw)
    got = f'{items}["key"]' if right is CaseSide.FIRST else f'{items}.get("key", 0)'
    lines = f"def {name}({items}):\n    # the key may be missing\n    value = {got}\n    return value + 1"
    return _finding(
        "A missing key ends in an exception",
        f"Where {items} lacks the key, line 3 raises KeyError, and {name} returns nothing.",
        lines,
        3,
        name,
    )


_Maker = Callable[[random.Random, CaseSide], AuditCase]
_MAKERS: Mapping[CaseKind, Sequence[_Maker]] = {
    CaseKind.DISPUTE: (_load, _dates, _budget, _order, _window),
    CaseKind.CLAIM: (_part_of_all, _who, _order_of_events, _condition),
    CaseKind.PASSAGE: (_read_share, _read_who, _read_order, _read_negation),
    CaseKind.FINDING: (_off_by_one, _empty, _mutable, _missing_key),
}
