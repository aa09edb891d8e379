"""When the debate is called for, when it ends, and what the votes come to."""

from collections.abc import Sequence

import pytest

from sparring.formats.fact_check.rules import Decided, decide
from sparring.schema.claims import Label
from sparring.schema.fact_check import Decision, Escalation, FactCheckStatus, StopReason, Tally
from support.fact_checking import (
    CROISSANTS,
    IN_1889,
    IN_PARIS,
    IS_TALL,
    NEI,
    PARIS,
    POSTER,
    SUPPORTED,
    Json,
    Said,
    analysis,
    check,
    conflict,
    covered,
    missing,
    rebuttal,
    request,
)
from support.playing import failure

S, R, N = Label.SUPPORTED, Label.REFUTED, Label.NEI


@pytest.mark.parametrize(
    ("votes", "decided"),
    [
        ([S, S], Decided(S, Decision.UNANIMOUS)),
        ([S, S, R], Decided(S, Decision.MAJORITY)),
        ([S, R, N, R, R], Decided(R, Decision.MAJORITY)),
        ([S, S, R, N, S, R, N], Decided(S, Decision.PLURALITY)),
        ([S, S, R, N], Decided(S, Decision.PLURALITY)),  # half of them is no majority
        ([S, R], Decided(N, Decision.SPLIT)),
        ([S, R, N], Decided(N, Decision.SPLIT)),
        ([S, S, R, R, N], Decided(N, Decision.SPLIT)),
        ([S, S, N, N], Decided(N, Decision.SPLIT)),
    ],
)
def test_the_label_is_what_most_votes_say_and_two_with_the_most_make_none_of_them(
    votes: Sequence[Label], decided: Decided
) -> None:
    assert decide(votes) == decided
    assert decide(tuple(reversed(votes))) == decided


FAILED_QUOTES = [
    covered("330 metres tall", "The height is a state secret"),
    covered("330 metres tall", "the tower is 339 metres tall"),
    covered("330 metres tall", None),
    covered("330 metres tall", CROISSANTS),
    covered("330 metres tall", POSTER),
]


@pytest.mark.parametrize("part", FAILED_QUOTES)
def test_agreement_with_a_quote_that_failed_calls_for_a_debate(part: Json) -> None:
    said = dict.fromkeys(("r1.a1", "r1.a2", "r1.a3"), NEI) | {"r1.a1": analysis("SUPPORTED", PARIS, part, IN_1889)}
    _, outcome = check(said)
    assert outcome.blind == Tally(nei=3)
    assert (outcome.stop_reason, outcome.rounds_completed) == (StopReason.STABLE, 2)


@pytest.mark.parametrize(
    "said",
    [
        SUPPORTED,
        analysis("NEI", missing("Eiffel Tower in Paris"), missing("330 metres tall"), IN_1889),
        analysis("SUPPORTED", PARIS, missing("330 metres tall"), IN_1889),
        analysis("SUPPORTED", covered("popular croissants", CROISSANTS)),
    ],
)
def test_agreement_whose_quotes_all_hold_calls_for_none(said: Json) -> None:
    _, outcome = check(dict.fromkeys(("r1.a1", "r1.a2", "r1.a3"), said))
    assert (outcome.stop_reason, outcome.rounds_completed) == (StopReason.NOT_ESCALATED, 1)


@pytest.mark.parametrize(
    ("escalation", "max_rounds", "said", "ended"),
    [
        (Escalation.AUTO, 3, {}, (StopReason.NOT_ESCALATED, 1)),
        (Escalation.AUTO, 3, {"r1.a1": NEI}, (StopReason.MAX_ROUNDS, 3)),
        (Escalation.AUTO, 1, {"r1.a1": NEI}, (StopReason.MAX_ROUNDS, 1)),
        (Escalation.ALWAYS, 3, {}, (StopReason.STABLE, 2)),
        (Escalation.ALWAYS, 1, {}, (StopReason.MAX_ROUNDS, 1)),
        (Escalation.NEVER, 3, {"r1.a1": NEI}, (StopReason.NOT_ESCALATED, 1)),
        # Whoever has just moved may have moved too far: all are heard once more.
        (Escalation.AUTO, 3, {"r1.a1": NEI, "r2.a1": rebuttal("SUPPORTED", IS_TALL)}, (StopReason.STABLE, 3)),
        (Escalation.AUTO, 2, {"r1.a1": NEI, "r2.a1": rebuttal("SUPPORTED", IS_TALL)}, (StopReason.MAX_ROUNDS, 2)),
        # A change that was rejected is no movement.
        (Escalation.ALWAYS, 3, {"r2.a1": rebuttal("REFUTED", IN_PARIS)}, (StopReason.STABLE, 2)),
    ],
)
def test_it_ends_when_all_agree_and_nobody_has_moved_or_when_the_rounds_are_used_up(
    escalation: Escalation, max_rounds: int, said: dict[str, Said], ended: tuple[StopReason, int]
) -> None:
    _, outcome = check(said, request(escalation=escalation, max_rounds=max_rounds))
    assert (outcome.stop_reason, outcome.rounds_completed) == ended
    assert outcome.status is FactCheckStatus.COMPLETED


@pytest.mark.parametrize(
    ("said", "status", "rounds"),
    [
        ({"r1.a1": failure, "r1.a2": failure}, FactCheckStatus.NO_QUORUM, 0),
        ({"r1.a1": failure, "r1.a2": failure, "r1.a3": failure}, FactCheckStatus.FAILED, 0),
        ({"r1.a1": NEI, "r2.a1": failure, "r2.a2": failure}, FactCheckStatus.NO_QUORUM, 1),
        ({"r1.a1": NEI, "r2.a1": failure, "r2.a2": failure, "r2.a3": failure}, FactCheckStatus.FAILED, 1),
    ],
)
def test_fewer_than_two_valid_votes_are_no_verdict_and_nobody_is_asked_any_more(
    said: dict[str, Said], status: FactCheckStatus, rounds: int
) -> None:
    played, outcome = check(said)
    assert (outcome.status, outcome.label, outcome.decision) == (status, None, None)
    assert (outcome.stop_reason, outcome.rounds_completed) == (StopReason.NO_QUORUM, rounds)
    assert len(played.steps) == rounds + 1


def test_two_valid_votes_are_enough() -> None:
    _, outcome = check({"r1.a1": failure})
    assert (outcome.status, outcome.label, outcome.decision) == (FactCheckStatus.COMPLETED, S, Decision.UNANIMOUS)
    assert outcome.blind == Tally(supported=2, abstained=1)


def test_lies_of_most_do_not_carry_a_label() -> None:
    lie = analysis("REFUTED", PARIS, conflict("330 metres tall", "The tower was torn down in 1990"), IN_1889)
    _, outcome = check({"r1.a1": lie, "r1.a2": lie})
    assert outcome.label is not R
    assert outcome.debated == Tally(supported=1, nei=2)
