import json
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import product
from math import prod, sqrt
from typing import Any

import pytest

from sparring.evaluation import statistics
from sparring.evaluation.inspect_logs import inspect_logs
from sparring.evaluation.measure import blind_vote, counted, gated, measured, rows_to_tell, verdict_of
from sparring.evaluation.rows_file import lines_of
from sparring.evaluation.statistics import Discordance
from sparring.schema.evaluation import ArmRow, ArmUse, EvaluatedRow, EvaluationPlan, EvaluationVerdict
from sparring.schema.pairs import SeatLabel
from support.evaluated_rows import rows_from

YES, NO = "SUPPORTED", "REFUTED"
ROWS = 2_000


def plan(**other: Any) -> EvaluationPlan:
    fields: dict[str, Any] = {
        "format": "fact-check",
        "arms": ("vote", "debate"),
        "about": "debate",
        "against": "vote",
        "seats": (),
        "options": {},
        "budget": "calls",
        "margin": 0.03,
        "seed": 1,
        "rows": ROWS,
        "assumed_discordance": 0.2,
        "rows_needed": 1917,
        "detectable": 0.03,
        "calls": (1, 2),
        "price": {"calls": 2, "prompt_tokens": 10, "tokens": None, "cost_usd": None, "answers": 0},
        "prompts_sha256": "0",
        "table_sha256": "0",
        "sparring_version": "1",
        "declared_at": datetime(2026, 11, 28, tzinfo=UTC),
    }
    return EvaluationPlan.model_validate(fields | other)


def arm(label: str | None, calls: int = 3, **other: Any) -> ArmRow:
    return ArmRow(label=label, use=ArmUse(calls=calls, tokens=100 * calls, cost_usd=None, seconds=1.0), **other)


def row(number: int, blind: Sequence[str | None], last: Sequence[str | None], **other: Any) -> EvaluatedRow:
    """A row whose gold label is YES; the debate counts the last votes."""
    seats = tuple(
        SeatLabel(seat=f"Agent {place}", tool="ann", blind=before, label=after)
        for place, (before, after) in enumerate(zip(blind, last, strict=True), start=1)
    )
    arms = {"vote": arm(counted(blind), votes=tuple(blind)), "debate": arm(counted(last), calls=5)}
    return EvaluatedRow(row=number, gold=YES, seats=seats, arms=arms, **other)


Moves = Callable[[Sequence[str | None], random.Random], Sequence[str | None]]


def simulated(accuracies: Sequence[float], moves: Moves, rows: int = ROWS, seed: int = 5) -> list[EvaluatedRow]:
    """Rows with independent seats of these accuracies, who then move."""
    source = random.Random(seed)
    blind = [[YES if source.random() < each else NO for each in accuracies] for _ in range(rows)]
    return [row(number, votes, moves(votes, source)) for number, votes in enumerate(blind, start=1)]


def stay(votes: Sequence[str | None], source: random.Random) -> Sequence[str | None]:
    del source
    return votes


def conform(votes: Sequence[str | None], source: random.Random) -> Sequence[str | None]:
    del source
    return [counted(votes)] * len(votes)


def know(votes: Sequence[str | None], source: random.Random) -> Sequence[str | None]:
    """Debaters who recognise a right answer once one of them has given it."""
    del source
    return [YES] * len(votes) if YES in votes else votes


def wander(votes: Sequence[str | None], source: random.Random) -> Sequence[str | None]:
    """A martingale: each takes over the vote of a seat that is drawn at random, so that no mean changes."""
    return [source.choice(list(votes)) for _ in votes]


def by_vote(accuracies: Sequence[float]) -> float:
    """The probability that most of independent seats are right."""
    whole = len(accuracies)
    return sum(
        prod(p if right else 1 - p for p, right in zip(accuracies, rights, strict=True))
        for rights in product((True, False), repeat=whole)
        if 2 * sum(rights) > whole
    )


@pytest.mark.parametrize(
    ("accuracies", "expected"),
    [((0.7,) * 3, 0.784), ((0.7,) * 5, 0.8369), ((0.9, 0.7, 0.6), 0.834), ((0.8,) * 3, 0.896)],
)
def test_independent_seats_vote_to_the_closed_form(accuracies: Sequence[float], expected: float) -> None:
    assert by_vote(accuracies) == pytest.approx(expected, abs=5e-4)
    found = measured(simulated(accuracies, stay), plan())
    vote = next(each for each in found.arms if each.name == "vote")
    assert vote.whole.accuracy == pytest.approx(expected, abs=2.576 * sqrt(expected * (1 - expected) / ROWS))


def test_a_conformist_debate_equals_the_vote_and_gains_what_a_vote_gains() -> None:
    found = measured(simulated((0.7, 0.7, 0.7), conform), plan())
    assert found.debate
    (pair,) = found.pairs
    assert (pair.wins, pair.losses, pair.difference) == (0, 0, 0)
    vote = found.arms[0].whole.accuracy
    single = sum(seat.accuracy or 0 for seat in found.seats) / 3
    assert vote
    assert (found.debate.fixed - found.debate.broke) / (3 * ROWS) == pytest.approx(vote - single)
    assert found.debate.conformed == found.debate.could_conform > 0
    assert found.escalation == "never"


def test_debaters_that_recognise_the_truth_are_right_if_any_seat_was() -> None:
    found = measured(simulated((0.5, 0.4, 0.3), know), plan())
    debate = found.arms[1].whole.accuracy
    assert debate == pytest.approx(1 - 0.5 * 0.6 * 0.7, abs=0.025)
    assert found.debate
    assert found.debate.oracle == debate
    assert found.debate.oracle_gap == 0
    assert found.debate.broke == 0
    assert found.verdict is EvaluationVerdict.BETTER
    assert found.escalation == "auto"


def test_debaters_who_change_at_random_equal_a_vote_of_one() -> None:
    rows = [
        each.model_copy(update={"arms": {"vote": arm(each.seats[0].blind), "debate": arm(each.seats[0].label)}})
        for each in simulated((0.7, 0.7, 0.7), wander)
    ]
    found = measured(rows, plan())
    assert found.verdict is EvaluationVerdict.CANNOT_TELL
    assert found.pairs[0].rows_needed
    assert found.pairs[0].rows_needed > ROWS
    assert "cannot tell debate from vote" in found.sentence


def test_arms_of_equal_accuracy_differ_in_at_most_a_twentieth_of_repeats() -> None:
    source, told = random.Random(9), 0
    for _ in range(1_000):
        drawn = source.choices((1, -1, 0), (0.1, 0.1, 0.8), k=200)
        pair = Discordance(drawn.count(1), drawn.count(-1), 200)
        told += verdict_of(pair, statistics.exact_p(pair), 0.03, is_cheaper=False) is not EvaluationVerdict.CANNOT_TELL
    assert told <= 50 + 3 * sqrt(1_000 * 0.05 * 0.95)


def test_seats_that_err_together_are_one_vote_and_independent_ones_three() -> None:
    apart = measured(simulated((0.7, 0.7, 0.7), stay), plan())
    together = measured(
        [row(each.row, [each.seats[0].blind] * 3, [each.seats[0].blind] * 3) for each in simulated((0.7,), stay)],
        plan(),
    )
    assert apart.effective_votes == pytest.approx(3.0, abs=0.3)
    assert together.effective_votes == pytest.approx(1.0, abs=0.1)
    assert together.krippendorff_alpha == pytest.approx(1.0)


def test_failures_favour_no_arm() -> None:
    source = random.Random(13)
    told, differences = 0, list[float]()
    for repeat in range(60):
        rows = simulated((0.7,), stay, rows=300, seed=repeat)
        failing = [
            each.model_copy(
                update={
                    "arms": {
                        name: arm(None if source.random() < share else YES if source.random() < 0.7 else NO)
                        for name, share in (("vote", 0.2), ("debate", 0.0))
                    }
                }
            )
            for each in rows
        ]
        found = measured(failing, plan())
        told += found.verdict in {EvaluationVerdict.BETTER, EvaluationVerdict.WORSE}
        differences.append(found.pairs[0].difference)
        assert any("vote abstained" in notice for notice in found.notices)
    assert told <= 3 + 3 * sqrt(60 * 0.05 * 0.95)
    assert sum(differences) / len(differences) == pytest.approx(0, abs=0.02)


def test_an_abstention_is_wrong_on_all_rows_and_left_out_of_the_comparison() -> None:
    rows = [row(1, [YES], [YES]), row(2, [YES], [None]), row(3, [NO], [YES]), row(4, [None], [NO])]
    found = measured(rows, plan(rows=4))
    vote, debate = found.arms
    assert (vote.whole.right, vote.answered.rows, vote.abstained) == (2, 2, 1)
    assert (debate.whole.right, debate.answered.right, debate.abstained) == (2, 2, 1)
    assert found.pairs[0].rows == 2
    assert found.pairs[0].difference == 0.5
    assert found.pairs[0].difference_all == 0
    assert found.debate
    assert found.debate.flow == {
        "right->right": 1,
        "right->abstained": 1,
        "wrong->right": 1,
        "abstained->wrong": 1,
    }


@pytest.mark.parametrize(
    ("wins", "losses", "is_cheaper", "verdict"),
    [
        (60, 20, False, EvaluationVerdict.BETTER),
        (20, 60, True, EvaluationVerdict.WORSE),
        (30, 30, True, EvaluationVerdict.NO_WORSE),
        (30, 30, False, EvaluationVerdict.CANNOT_TELL),
        (30, 30, None, EvaluationVerdict.CANNOT_TELL),
        (0, 0, False, EvaluationVerdict.CANNOT_TELL),
        (5, 9, True, EvaluationVerdict.NO_WORSE),
    ],
)
def test_the_sentence_follows_by_rule(
    wins: int,
    losses: int,
    is_cheaper: bool | None,  # noqa: FBT001 -- pytest passes it by its name
    verdict: EvaluationVerdict,
) -> None:
    pair = Discordance(wins, losses, 1_000)
    assert verdict_of(pair, statistics.exact_p(pair), 0.03, is_cheaper=is_cheaper) is verdict


def test_no_worse_is_never_concluded_at_an_interim_look() -> None:
    pair = Discordance(30, 30, 1_000)
    assert verdict_of(pair, 1.0, 0.03, is_cheaper=True, is_last=False) is EvaluationVerdict.CANNOT_TELL


@pytest.mark.parametrize(("wins", "losses", "rows"), [(0, 0, 1), (0, 0, 5_000), (3, 1, 10), (100, 100, 100_000)])
def test_more_rows_are_needed_than_there_are(wins: int, losses: int, rows: int) -> None:
    assert rows_to_tell(Discordance(wins, losses, rows), 0.03) > rows


def test_spends_that_differ_are_a_deviation() -> None:
    rows = [row(1, [YES], [YES]), row(2, [NO], [NO])]
    found = measured(rows, plan(rows=3))
    assert found.deviations == ("2 of 3 planned rows were evaluated.", "vote used 40 % less than debate.")
    assert [each.spend_ratio for each in found.arms] == [0.6, 1.0]


def test_a_gate_saves_and_risks_what_code_decides() -> None:
    rows = [
        row(1, [YES], [YES], by_code=YES),
        row(2, [YES], [YES], by_code=NO),
        row(3, [NO], [NO], by_code=YES),
        row(4, [NO], [YES]),
    ]
    rows = [each.model_copy(update={"arms": {**each.arms, "gate:debate": gated(each, "debate")}}) for each in rows]
    found = measured(rows, plan(rows=4, gate="debate"))
    gate = found.gate
    assert gate
    assert (gate.decided, gate.right, gate.gained, gate.lost, gate.saved.calls) == (3, 2, 1, 1, 15)
    assert found.arms[2].use.calls == 5
    assert found.arms[2].whole.right == 3


def test_ties_go_to_the_label_that_was_given_first() -> None:
    assert counted([None, NO, YES, YES, NO]) == NO
    assert counted([None, None]) is None
    assert blind_vote(row(1, [YES, NO], [NO, NO])) == YES


def test_rows_survive_their_file() -> None:
    rows = [
        row(1, [YES, None], [NO, None], row_id="a", group="g", by_code=NO, about="It is, “so”."),
        row(2, [NO, NO], [None, None]),
    ]
    assert rows_from(lines_of(rows)) == rows


def test_each_arm_is_a_log_of_inspect_ai() -> None:
    rows = [row(1, [YES], [YES], row_id="a", about="It is."), row(2, [NO], [None])]
    logs = inspect_logs(measured(rows, plan(rows=2)), rows)
    assert list(logs) == ["inspect/vote.json", "inspect/debate.json"]
    log = json.loads(logs["inspect/debate.json"])
    assert (log["version"], log["status"], log["eval"]["dataset"]["samples"]) == (2, "success", 2)
    assert log["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 0.5
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (2, 1)
    assert [(each["id"], each["target"], each["scores"]["match"]["value"]) for each in log["samples"]] == [
        (1, YES, "C"),
        (2, YES, "I"),
    ]
