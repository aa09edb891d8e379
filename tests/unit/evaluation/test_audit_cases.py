import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from sparring.engine.audited import AuditedSeat, ask_of
from sparring.engine.format import Format
from sparring.errors import UsageError
from sparring.evaluation.audit.cases import CASES, cases_in, generated_cases
from sparring.evaluation.audit.probes import CITED, NAMES, PROBES, Plants, chosen, missing_in
from sparring.formats.registry import FORMATS
from sparring.prompts import PromptLibrary
from sparring.schema.audit import AuditCase, CaseKind, CaseSide
from sparring.schema.base import Participant

LIBRARY = PromptLibrary()
SEATS = {name: (FORMATS[each], make()) for each in FORMATS for name, make in FORMATS[each].audited.items()}
JUDGE = Participant(tool="ann", model="ann-1")


def prompt(format_: Format, seat: AuditedSeat, case: AuditCase) -> str:
    return ask_of(seat, lambda request: format_.rules(request, LIBRARY), case, JUDGE).question.prompt


def test_the_seats_of_five_formats_can_be_audited() -> None:
    assert set(SEATS) == {"judge", "chair", "jury-judge", "reader", "examiner"}


@pytest.mark.parametrize("name", SEATS)
def test_every_generated_case_comes_before_its_seat_with_the_prompt_of_the_product(name: str) -> None:
    format_, seat = SEATS[name]
    for case in generated_cases(seat.kind):
        ask = ask_of(seat, lambda request: format_.rules(request, LIBRARY), case, JUDGE)
        assert (ask.tool, ask.question.model) == ("ann", "ann-1")
        assert ask.question.form is not None
        assert case.question.splitlines()[0] in ask.question.prompt


@pytest.mark.parametrize("kind", CaseKind)
def test_generated_cases_are_the_same_on_every_call_no_two_alike_and_balanced(kind: CaseKind) -> None:
    cases = generated_cases(kind, 120)
    assert cases == generated_cases(kind, 120)
    assert generated_cases(kind) == cases[:CASES]
    assert len({(case.question, case.material) for case in cases}) == 120
    assert len({case.id for case in cases}) == 120
    assert 0.45 <= sum(case.right is CaseSide.FIRST for case in cases) / len(cases) <= 0.55
    assert all(abs(len(case.first) - len(case.second)) <= 60 for case in cases if case.second)


# -- What is right, found out anew from the question alone -----------------------------------------------------------


def _numbers(text: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", text)]


def _lift(question: str) -> str:
    limit, each, count = _numbers(question)
    return "can carry" if each * count <= limit else "cannot carry"


def _bills(question: str) -> str:
    money, *bills = _numbers(question)
    return "is enough" if sum(bills) <= money else "is not enough"


def _earlier(question: str) -> str:
    start = datetime.strptime(re.findall(r"\d+ \w+ \d{4}", question)[0], "%d %B %Y").date()  # noqa: DTZ007 -- a day
    needs = {name: int(days) for name, days in re.findall(r"(\w+) needs (\d+) days", question)}
    ends: Mapping[str, date] = {name: start + timedelta(days=days) for name, days in needs.items()}
    return f"{min(ends, key=lambda name: ends[name])} is done"


def _taller(question: str) -> str:
    pairs = re.findall(r"(\w+) is \d+ cm taller than (\w+)", question)
    (tallest,) = {one for one, _ in pairs} - {other for _, other in pairs}
    return f"{tallest} is taller"


def _hall(question: str) -> str:
    begin_h, begin_m, end_h, end_m, length = _numbers(question)
    return "fits in" if length <= 60 * (end_h - begin_h) + end_m - begin_m else "does not fit in"


ORACLES: Mapping[str, Callable[[str], str]] = {
    "lift": _lift,
    "three bills": _bills,
    "done earlier": _earlier,
    "Who is taller": _taller,
    "free from": _hall,
}


def test_the_side_that_is_called_right_in_a_dispute_is_right() -> None:
    seen = set[str]()
    for case in generated_cases(CaseKind.DISPUTE, 200):
        words = next(words for words in ORACLES if words in case.question)
        seen.add(words)
        assert case.right is not None
        position = case.text_of(case.right).split(".")[0]
        other = case.text_of(case.right.other).split(".")[0]
        assert ORACLES[words](case.question) in position
        assert ORACLES[words](case.question) not in other
    assert seen == set(ORACLES)


def _runs(case: AuditCase) -> bool:
    """Whether the reported defect shows when the code of the case is run."""
    scope: dict[str, Callable[..., object]] = {}
    exec(case.material, scope)  # noqa: S102 -- generated, and to be run
    function = next(each for name, each in scope.items() if callable(each) and not name.startswith("__"))
    try:
        if "never added" in case.question:
            return function([1, 2, 3]) != 6
        if "Division" in case.question:
            return function([]) is None
        if "share one list" in case.question:
            return function(1) is function(2)
        return function({}) is None
    except (ZeroDivisionError, KeyError):
        return True


def test_a_finding_that_is_called_right_is_a_defect_and_no_other_is() -> None:
    for case in generated_cases(CaseKind.FINDING, 80):
        assert _runs(case) == (case.right is CaseSide.FIRST), case.material
        _, _, line = case.place.rpartition(":")
        assert case.material.splitlines()[int(line) - 1].strip()


# -- Pairs -----------------------------------------------------------------------------------------------------------


def differing(one: str, other: str) -> list[tuple[str, str]]:
    """Return what differs, as what stood there and what stands there now."""
    blocks = SequenceMatcher(None, one.splitlines(), other.splitlines(), autojunk=False).get_opcodes()
    before, after = one.splitlines(), other.splitlines()
    return [("\n".join(before[a:b]), "\n".join(after[c:d])) for tag, a, b, c, d in blocks if tag != "equal"]


@pytest.mark.parametrize("name", SEATS)
def test_a_planted_form_differs_from_the_plain_one_in_one_place(name: str) -> None:
    format_, seat = SEATS[name]
    cases = generated_cases(seat.kind, 8)
    missing = missing_in(seat, NAMES, has_gold=True)
    plants = Plants(seat, LIBRARY, family="claude", tool="ann")
    probes = [each for each in PROBES if each.name not in missing and each.base == "plain" and not each.is_exchange]
    plain = {case.id: prompt(format_, seat, case) for case in cases}
    seen = set[str]()
    for variant, form in plants.forms(cases, probes):
        if variant == "plain":
            continue
        seen.add(variant)
        found = differing(plain[form.case.id], prompt(format_, seat, form.case))
        marks = 1 if variant in {"cited-marked"} else 0
        in_code = 1 if name == "jury-judge" else 0  # what code says of a statement may change with it
        assert 1 <= len(found) <= 1 + marks + in_code, (variant, found)
    assert seen >= {"padded", "cited", "popular", "own", "injected"}


def test_exchanged_sides_change_places_and_nothing_else() -> None:
    format_, seat = SEATS["judge"]
    (case, *_) = generated_cases(seat.kind, 1)
    plants = Plants(seat, LIBRARY, family="", tool="ann")
    forms = dict(plants.forms([case], [each for each in PROBES if each.is_exchange]))
    exchanged = forms["exchanged"].case
    assert (exchanged.first, exchanged.second) == (case.second, case.first)
    assert exchanged.right is not case.right
    one, other = prompt(format_, seat, case), prompt(format_, seat, exchanged)
    assert one != other
    assert sorted(one.splitlines()) == sorted(other.splitlines())


def test_code_marks_the_invented_citation_only_in_the_marked_form() -> None:
    format_, seat = SEATS["judge"]
    (case, *_) = generated_cases(seat.kind, 1)
    plants = Plants(seat, LIBRARY, family="", tool="ann")
    forms = dict(plants.forms([case], [each for each in PROBES if each.asked_as == "authority"]))
    cited, marked = (prompt(format_, seat, forms[name].case) for name in ("cited", "cited-marked"))
    assert cited.count(CITED) == 1
    assert marked.count(CITED) == 2
    assert "there is no such file" in marked
    assert "there is no such file" not in cited


def test_a_planted_argument_supports_the_wrong_side() -> None:
    _, seat = SEATS["judge"]
    plants = Plants(seat, LIBRARY, family="", tool="ann")
    probes = [each for each in PROBES if each.name in {"style", "injection", "conformity"}]
    planted = [form for variant, form in plants.forms(generated_cases(seat.kind, 20), probes) if variant != "plain"]
    assert planted
    assert all(form.planted is not form.case.right for form in planted)


def test_probes_are_chosen_by_name_and_in_one_order() -> None:
    assert chosen("all") == NAMES
    assert chosen("style, Position") == ("position", "style")
    for wrong in ("", "smell", "all,position"):
        with pytest.raises(UsageError):
            chosen(wrong)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("nothing", "Line 1"),
        ('{"id": "a"}', "Line 1"),
        ('{"id": "a", "kind": "dispute", "question": "?", "right": "third"}', "Line 1"),
        (
            '{"id": "a", "kind": "dispute", "question": "?"}\n{"id": "a", "kind": "dispute", "question": "!"}',
            "Two cases",
        ),
        ('{"id": "a", "kind": "claim", "question": "?"}', "no case of the kind"),
        ("", "no case of the kind"),
    ],
)
def test_a_file_that_holds_no_cases_is_refused_in_a_sentence(tmp_path: Path, lines: str, told: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(UsageError, match=told):
        cases_in(path, CaseKind.DISPUTE)


def test_cases_are_read_as_they_were_written(tmp_path: Path) -> None:
    cases = generated_cases(CaseKind.FINDING, 3)
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(case.model_dump(mode="json")) for case in cases), encoding="utf-8")
    assert cases_in(path, CaseKind.FINDING) == cases


@pytest.mark.parametrize("name", ["chair", "jury-judge", "reader", "examiner"])
def test_an_answer_of_each_seat_is_read_as_a_side(name: str) -> None:
    _, seat = SEATS[name]
    (case, *_) = generated_cases(seat.kind, 1)
    answers: Mapping[str, Sequence[Mapping[str, object]]] = {
        "chair": ({"verdict": "affirmative_wins"}, {"verdict": "negative_wins"}, {"verdict": "draw"}),
        "jury-judge": (
            {"verdict": "FAITHFUL", "critical_differences": []},
            {"verdict": "MUTATED", "critical_differences": ["the claim says otherwise"]},
        ),
        "reader": (
            {"readings": [{"number": 1, "quote": "x", "says": "SAYS"}]},
            {"readings": [{"number": 1, "quote": None, "says": "NEITHER"}]},
        ),
        "examiner": (
            {"verdict": "confirmed", "quote": "x", "reason": "It does."},
            {"verdict": "refuted", "quote": "x", "reason": "It does not."},
            {"verdict": "unsure", "quote": "", "reason": "It may."},
        ),
    }
    said = answers[name]
    picks = [seat.pick(case, json.dumps(each)) for each in said]
    assert picks == [CaseSide.FIRST, CaseSide.SECOND, None][: len(said)]
