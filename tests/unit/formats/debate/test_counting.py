"""How a winner comes of the ballots."""

import pytest

from sparring.formats.debate.verdict import changed_with_the_order, counted, counted_without_arguments, deciding
from sparring.schema.base import Role
from sparring.schema.judgement import Ballot, Firmness, Judgement, Order, Side, TieBreak, TieBreakStep
from support.runs import verdict

P, C = Role.PROPOSER, Role.CHALLENGER
UNANIMOUS, MAJORITY, ONE_ORDER = Firmness.UNANIMOUS, Firmness.MAJORITY, Firmness.ONE_ORDER
SENSITIVE, TIE = Firmness.ORDER_SENSITIVE, Firmness.TIE_BREAK
WINNERS: dict[str, Side] = {"P": P, "C": C}


def ballots(panel: str) -> tuple[Ballot, ...]:
    """``PP C-`` is a judge for the proposer in both orders, and one for the challenger who abstained in the other."""
    return tuple(
        Ballot(judge=judge, tool="gemini", order=order, verdict=verdict(winner=WINNERS[letter]))
        for judge, letters in enumerate(panel.split(), start=1)
        for order, letter in zip(Order, letters, strict=True)
        if letter != "-"
    )


def judgement(panel: str, tie_winner: Side = C) -> Judgement:
    tie_break = TieBreak(step=TieBreakStep.BURDEN, winner=tie_winner, reason="as given")
    return counted(ballots(panel), (), len(panel.split()), tie_break)


@pytest.mark.parametrize(
    ("panel", "winner", "firmness", "dissent"),
    [
        # one judge
        ("PP", P, UNANIMOUS, ()),
        ("CC", C, UNANIMOUS, ()),
        ("P-", P, ONE_ORDER, ()),
        ("-P", P, ONE_ORDER, ()),
        ("PC", C, SENSITIVE, ()),
        ("CP", C, SENSITIVE, ()),
        # two
        ("PP PP", P, UNANIMOUS, ()),
        ("PP P-", P, MAJORITY, ()),
        ("P- -P", P, ONE_ORDER, ()),
        ("PP --", P, MAJORITY, ()),
        ("P- --", P, ONE_ORDER, ()),
        ("PP PC", P, MAJORITY, ()),
        ("P- PC", P, ONE_ORDER, ()),
        ("PP CC", C, TIE, (1,)),
        ("P- C-", C, TIE, (1,)),
        ("PP -C", C, TIE, (1,)),
        ("PC CP", C, SENSITIVE, ()),
        ("PC --", C, SENSITIVE, ()),
        # three
        ("PP PP PP", P, UNANIMOUS, ()),
        ("PP PP CC", P, MAJORITY, (3,)),
        ("PP PP -C", P, MAJORITY, (3,)),
        ("PP P- CC", P, ONE_ORDER, (3,)),
        ("PP PP P-", P, MAJORITY, ()),
        ("PP P- P-", P, MAJORITY, ()),
        ("PP PC CC", C, TIE, (1,)),
        ("P- PC C-", C, SENSITIVE, (1,)),
        ("PP PC CP", P, MAJORITY, ()),
        ("PC PC PC", C, SENSITIVE, ()),
        # four and five
        ("PP PP CC CC", C, TIE, (1, 2)),
        ("PP PP PP CC", P, MAJORITY, (4,)),
        ("PP P- P- CC CC", P, ONE_ORDER, (4, 5)),
        ("CC CC CC PP P-", C, MAJORITY, (4, 5)),
        ("CC CC C- PP P-", C, ONE_ORDER, (4, 5)),
    ],
)
def test_whoever_judges_alike_in_both_orders_has_a_vote_and_most_votes_win(
    panel: str, winner: Side, firmness: Firmness, dissent: tuple[int, ...]
) -> None:
    found = judgement(panel)
    assert (found.winner, found.firmness, found.dissent) == (winner, firmness, dissent)
    assert (found.tie_break is not None) == (firmness in {SENSITIVE, TIE})


@pytest.mark.parametrize(
    ("panel", "changed"), [("PP", ()), ("P-", ()), ("PC", (1,)), ("CC CP -P PC", (2, 4)), ("PP PP", ())]
)
def test_a_judge_whose_ballots_differ_changed_with_the_order(panel: str, changed: tuple[int, ...]) -> None:
    assert changed_with_the_order(ballots(panel)) == changed
    assert judgement(panel).order_sensitive == bool(changed)


@pytest.mark.parametrize(
    ("panel", "tie_winner", "shown"),
    [
        ("PP PP", C, (1, Order.PROPOSER_FIRST)),
        ("PC", P, (1, Order.PROPOSER_FIRST)),
        ("PC", C, (1, Order.CHALLENGER_FIRST)),
        ("CC PP PP", C, (2, Order.PROPOSER_FIRST)),
        ("CP -P", C, (1, Order.CHALLENGER_FIRST)),
        ("CC PP", P, (2, Order.PROPOSER_FIRST)),
    ],
)
def test_the_verdict_that_is_shown_is_the_first_one_for_the_winner(
    panel: str, tie_winner: Side, shown: tuple[int, Order]
) -> None:
    found = deciding(judgement(panel, tie_winner))
    assert (found.judge, found.order) == shown


@pytest.mark.parametrize(
    ("panel", "winner", "heard", "dissent"),
    [
        ("PP", P, [1, 1], ()),
        ("PP CC CC", C, [1, 1, 2, 2, 3, 3], (1,)),
        ("PP C- -C", P, [1, 1], ()),  # one order alone decides nothing here
        ("PP PC", P, [1, 1], ()),
        ("P-", None, [], ()),
        ("PC", None, [], ()),
        ("PP CC", None, [], ()),
        ("--", None, [], ()),
    ],
)
def test_without_arguments_only_those_who_say_the_same_in_both_orders_decide(
    panel: str, winner: Side | None, heard: list[int], dissent: tuple[int, ...]
) -> None:
    found = counted_without_arguments(ballots(panel), ())
    assert (found.winner if found else None) is winner
    if found:
        assert found.firmness is Firmness.UNSUPPORTED
        assert [ballot.judge for ballot in found.ballots] == heard
        assert found.dissent == dissent
