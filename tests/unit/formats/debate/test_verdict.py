"""How a winner comes of the ballots, and the written tie-break, step by step."""

from typing import Any

import pytest

from sparring.formats.debate.verdict import (
    TieBreakCase,
    counted,
    counted_without_arguments,
    deciding,
    tie_break,
)
from sparring.schema.base import Role
from sparring.schema.debate import Concession, SpeechLedger, Withdrawal
from sparring.schema.judgement import Ballot, CitedArgument, Firmness, Judgement, Order, Side, TieBreak, TieBreakStep
from sparring.schema.lookups import CitationKind, CitationStatus, LedgerEntry
from support.debate_runs import checked_verdict
from support.debating import entry, speech_ledger
from support.golden import Golden
from support.texts import texts

P, C = Role.PROPOSER, Role.CHALLENGER
TEXTS = texts("debate")
WINNERS: dict[str, Side] = {"P": P, "C": C}


def ballots(panel: str) -> tuple[Ballot, ...]:
    """``PP C-`` is a judge for the proposer in both orders, and one for the challenger who abstained in the other."""
    return tuple(
        Ballot(judge=judge, tool="gemini", order=order, verdict=checked_verdict(WINNERS[letter]))
        for judge, letters in enumerate(panel.split(), start=1)
        for order, letter in zip(Order, letters, strict=True)
        if letter != "-"
    )


def judgement(panel: str, tie_winner: Side = C) -> Judgement:
    tie_break = TieBreak(step=TieBreakStep.BURDEN, winner=tie_winner, reason="as given")
    return counted(ballots(panel), (), len(panel.split()), tie_break)


@pytest.mark.parametrize(("panel", "told"), TEXTS["whoever-judges-alike-in-both-orders-has-a-vote-and-most-votes-win"])
def test_whoever_judges_alike_in_both_orders_has_a_vote_and_most_votes_win(panel: str, told: str) -> None:
    found = judgement(panel)
    dissent = "".join(f" -{judge}" for judge in found.dissent)
    assert f"{found.winner} {found.firmness}{dissent}" == told
    assert (found.tie_break is not None) == (found.firmness in {Firmness.ORDER_SENSITIVE, Firmness.TIE_BREAK})


def test_the_verdict_that_is_shown_is_the_first_one_for_the_winner() -> None:
    cases: tuple[tuple[str, Side], ...]
    cases = (("PP PP", C), ("PC", P), ("PC", C), ("CC PP PP", C), ("CP -P", C), ("CC PP", P))
    shown = [deciding(judgement(panel, winner)) for panel, winner in cases]
    first, second = Order
    # Of "CP -P" the first judge has no vote.
    assert [each.order for each in shown] == [first, first, second, first, second, first]
    assert [each.judge for each in shown] == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("panel", "winner", "heard", "dissent"),
    [
        ("PP CC CC", C, [1, 1, 2, 2, 3, 3], (1,)),
        ("PP C- -C", P, [1, 1], ()),  # one order alone decides nothing here
        ("PP PC", P, [1, 1], ()),
    ],
)
def test_without_arguments_only_those_who_say_the_same_in_both_orders_decide(
    panel: str, winner: Side, heard: list[int], dissent: tuple[int, ...]
) -> None:
    found = counted_without_arguments(ballots(panel), ())
    assert found
    judges = [ballot.judge for ballot in found.ballots]
    assert (found.winner, found.firmness, judges, found.dissent) == (winner, Firmness.UNSUPPORTED, heard, dissent)
    assert not any(counted_without_arguments(ballots(nobody), ()) for nobody in ("P-", "PC", "PP CC", "--"))


MARKS = {"+": CitationStatus.VERIFIED, "-": CitationStatus.NOT_FOUND, "?": CitationStatus.UNCHECKED}
CONCEDED = "I concede: it is slow."


def entries(written: str) -> tuple[LedgerEntry, ...]:
    """``+a -b`` is a citation of ``a`` that holds and one of ``b`` that was not found."""
    return tuple(entry(each[1:], MARKS[each[0]]) for each in written.split())


def case(*speeches: str, **changes: Any) -> TieBreakCase:
    """The sides speak in turns; each of ``speeches`` is what one cites."""
    ledgers = (
        speech_ledger(C if place % 2 else P, place // 2 + 1, *entries(cited)) for place, cited in enumerate(speeches)
    )
    fields: dict[str, Any] = {"ledgers": tuple(ledgers), "concessions": (), "unanswered": ()}
    return TieBreakCase(**fields | changes)


def challenge(side: Side, quote: str, round_: int = 1) -> CitedArgument:
    return CitedArgument(side=side, round=round_, quote=quote)


def concession(role: Side = P, withdrawn: Withdrawal | None = None) -> Concession:
    return Concession(text=CONCEDED, start=0, end=len(CONCEDED), role=role, round=1, withdrawn=withdrawn)


TAKEN_BACK = Withdrawal(text="I withdraw it.", start=0, end=14, round=2)


PAID, ELSE, SINCE = challenge(C, "Who pays?"), challenge(P, "What else?"), challenge(P, "Since when?")
LONGER, LATER = challenge(C, "Who pays? And when?"), challenge(C, "Who pays?", round_=2)
TWO_KINDS = (entry("a", kind=CitationKind.PATH), entry("a", kind=CitationKind.SYMBOL))
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
    # A citation counts once for its side, and a place only for the side that brought it first.
    case("+a +a", "-c -c"),
    case("+a", "+b +d", "+b +a", "+a"),
    case("-a", "-a"),  # whoever repeats what is not there has not looked
    case("?a", "?b ?c"),
    # With blind openings nobody has a place of round one from the other.
    case("+a", "+a +b +d", "+b +c", "+c", blind_openings=True),
    # The same text as two kinds of citation is two.
    case(ledgers=(speech_ledger(P, 1, *TWO_KINDS),)),
    # One challenge quoted at different lengths is one.
    case(unanswered=(PAID, LONGER, PAID, LATER, challenge(P, "Who pays?"))),
)


def test_the_first_step_that_tells_the_sides_apart_decides_and_what_was_counted_is_told(golden: Golden) -> None:
    decided = (tie_break(found) for found in CASES)
    lines = (f"{number}. {each.step}, {each.winner}: {each.reason}\n" for number, each in enumerate(decided, start=1))
    golden.holds("read/tie-breaks.txt", "".join(lines))
