"""How a winner comes of the ballots, and the written tie-break, step by step."""

import pytest

from sparring.formats.debate.verdict import (
    Count,
    TieBreakCase,
    changed_with_the_order,
    count_of,
    counted,
    counted_without_arguments,
    deciding,
    left_unanswered,
    tie_break,
)
from sparring.schema.base import Role
from sparring.schema.debate import Concession, SpeechLedger, Withdrawal
from sparring.schema.judgement import Ballot, CitedArgument, Firmness, Judgement, Order, Side, TieBreak, TieBreakStep
from sparring.schema.lookups import CitationKind, CitationStatus, LedgerEntry
from support.debating import entry, speech_ledger
from support.golden import Golden
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
        ("PC", C, SENSITIVE, ()),
        # two
        ("PP PP", P, UNANIMOUS, ()),
        ("PP P-", P, MAJORITY, ()),
        ("PP --", P, MAJORITY, ()),
        ("PP PC", P, MAJORITY, ()),
        ("P- PC", P, ONE_ORDER, ()),
        ("PP CC", C, TIE, (1,)),
        ("P- C-", C, TIE, (1,)),
        ("PP -C", C, TIE, (1,)),
        ("PC CP", C, SENSITIVE, ()),
        # three
        ("PP PP CC", P, MAJORITY, (3,)),
        ("PP P- CC", P, ONE_ORDER, (3,)),
        ("PP P- P-", P, MAJORITY, ()),
        ("PP PC CC", C, TIE, (1,)),
        ("P- PC C-", C, SENSITIVE, (1,)),
        ("PP PC CP", P, MAJORITY, ()),
        # four and five
        ("PP PP CC CC", C, TIE, (1, 2)),
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


def test_a_judge_whose_ballots_differ_changed_with_the_order() -> None:
    assert changed_with_the_order(ballots("CC CP -P PC")) == (2, 4)
    assert [judgement(panel).order_sensitive for panel in ("CC CP -P PC", "PP CC P-")] == [True, False]


@pytest.mark.parametrize(
    ("panel", "tie_winner", "shown"),
    [
        ("PP PP", C, (1, Order.PROPOSER_FIRST)),
        ("PC", P, (1, Order.PROPOSER_FIRST)),
        ("PC", C, (1, Order.CHALLENGER_FIRST)),
        ("CC PP PP", C, (2, Order.PROPOSER_FIRST)),
        ("CP -P", C, (2, Order.CHALLENGER_FIRST)),  # the first judge has no vote
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


MARKS = {"+": CitationStatus.VERIFIED, "-": CitationStatus.NOT_FOUND, "?": CitationStatus.UNCHECKED}
CONCEDED = "I concede: it is slow."


def entries(written: str) -> tuple[LedgerEntry, ...]:
    """``+a -b`` is a citation of ``a`` that holds and one of ``b`` that was not found."""
    return tuple(entry(each[1:], MARKS[each[0]]) for each in written.split())


def case(*speeches: str, **changes: object) -> TieBreakCase:
    """The sides speak in turns; each of ``speeches`` is what one cites."""
    ledgers = tuple(
        speech_ledger(C if place % 2 else P, place // 2 + 1, *entries(written))
        for place, written in enumerate(speeches)
    )
    fields: dict[str, object] = {"ledgers": ledgers, "concessions": (), "unanswered": (), **changes}
    return TieBreakCase(**fields)  # pyright: ignore[reportArgumentType] -- a table of fields


def challenge(side: Side, quote: str, round_: int = 1) -> CitedArgument:
    return CitedArgument(side=side, round=round_, quote=quote)


def concession(role: Side = P, withdrawn: Withdrawal | None = None) -> Concession:
    return Concession(text=CONCEDED, start=0, end=len(CONCEDED), role=role, round=1, withdrawn=withdrawn)


TAKEN_BACK = Withdrawal(text="I withdraw it.", start=0, end=14, round=2)


@pytest.mark.parametrize(
    ("speeches", "proposer", "challenger"),
    [
        (("+a +b", "+c"), Count(2, 0), Count(1, 0)),
        (("+a +a", "-c -c"), Count(1, 0), Count(0, 1)),
        (("+a", "+a +b"), Count(1, 0), Count(1, 0)),  # a place only for the side that brought it first
        (("+a", "+b", "+b +a", "+a"), Count(1, 0), Count(1, 0)),
        (("-a", "-a"), Count(0, 1), Count(0, 1)),  # whoever repeats what is not there has not looked
        (("?a", "?b ?c"), Count(0, 0), Count(0, 0)),
        (("", ""), Count(0, 0), Count(0, 0)),
    ],
)
def test_each_citation_counts_once_for_the_side_that_brought_it(
    speeches: tuple[str, ...], proposer: Count, challenger: Count
) -> None:
    found = case(*speeches)
    assert (count_of(P, found), count_of(C, found)) == (proposer, challenger)


def test_with_blind_openings_nobody_has_a_place_of_round_one_from_the_other() -> None:
    found = case("+a", "+a +b", "+b +c", "+c", blind_openings=True)
    assert (count_of(P, found), count_of(C, found)) == (Count(2, 0), Count(2, 0))


def test_the_same_text_as_two_kinds_of_citation_is_two() -> None:
    kinds = (entry("a", kind=CitationKind.PATH), entry("a", kind=CitationKind.SYMBOL))
    assert count_of(P, case(ledgers=(speech_ledger(P, 1, *kinds),))) == Count(2, 0)


PAID, ELSE, SINCE = challenge(C, "Who pays?"), challenge(P, "What else?"), challenge(P, "Since when?")
CASES = (
    # (1) more verified and fewer not found
    case("+a +b", "+c"),
    case("+a", "+c +d"),
    case("+a +b -x -y", "+c"),
    case("+a", "-x"),
    case("+a +b -x", ""),
    # (2) fewer left unanswered
    case("+a", "+b", unanswered=(PAID,)),
    case("+a", "+b", unanswered=(ELSE,)),
    case(unanswered=(PAID, ELSE, SINCE)),
    case(unanswered=(PAID, challenge(C, "What else?"), SINCE)),
    # (3) the challenger's burden
    case("+a", "+b"),
    case(),
    *(case(concessions=each) for each in ((concession(),), (concession(C),), (concession(withdrawn=TAKEN_BACK),))),
    case("+a -x", "", concessions=(concession(), concession())),
    case("+a -x", "?b"),
    case("?a", "+b -x"),
    case(unanswered=(PAID, ELSE)),
    # No side loses by a ledger that could not be had.
    case(
        ledgers=(speech_ledger(P, 1, *entries("+a +b")), SpeechLedger(role=C, round=1, problem="timeout: none in time"))
    ),
)


def test_the_first_step_that_tells_the_sides_apart_decides_and_what_was_counted_is_told(golden: Golden) -> None:
    decided = (tie_break(found) for found in CASES)
    lines = (f"{number}. {each.step}, {each.winner}: {each.reason}\n" for number, each in enumerate(decided, start=1))
    golden.holds("read/tie-breaks.txt", "".join(lines))


def test_one_challenge_quoted_at_different_lengths_is_one() -> None:
    put = (
        challenge(C, "Who pays?"),
        challenge(C, "Who pays? And when?"),
        challenge(C, "Who pays?"),
        challenge(C, "Who pays?", round_=2),
        challenge(P, "Who pays?"),
    )
    found = case(unanswered=put)
    assert (left_unanswered(P, found), left_unanswered(C, found)) == (2, 1)
