"""The winner that follows from the ballots, and the written tie-break, step by step."""

from itertools import accumulate
from typing import Any

import pytest

from sparring.checks.citations import check_ledger
from sparring.formats.debate.verdict import JudgingStage, TieBreakCase, counted, deciding, tie_breaks
from sparring.schema.base import Role
from sparring.schema.debate import SpeechLedger
from sparring.schema.judgement import (
    Ballot,
    CitedArgument,
    Firmness,
    JudgeAbstention,
    Judgement,
    Order,
    Side,
    TieBreak,
    TieBreakStep,
)
from sparring.schema.lookups import CitationKind, CitationStatus, LedgerEntry
from support.debate_runs import checked_verdict
from support.debating import entry, speech_ledger
from support.golden import Golden
from support.texts import texts
from support.working_trees import MemoryTree

P, C = Role.PROPOSER, Role.CHALLENGER
TEXTS = texts("debate")
WINNERS: dict[str, Side] = {"P": P, "C": C}


def received(panel: str) -> tuple[tuple[Ballot, ...], tuple[JudgeAbstention, ...]]:
    """The ballots and abstentions of ``panel``, two letters a judge, the proposer first and then the challenger.

    ``P`` and ``C`` pick a side; in small letters they cite nothing that it has said. ``-`` is a ballot that was lost.
    """
    ballots = list[Ballot]()
    lost = list[JudgeAbstention]()
    for judge, letters in enumerate(panel.split(), start=1):
        for order, letter in zip(Order, letters, strict=True):
            place = {"judge": judge, "tool": "gemini", "order": order}
            if letter == "-":
                lost.append(JudgeAbstention.model_validate({**place, "cause": "why"}))
                continue
            verdict = checked_verdict(WINNERS[letter.upper()])
            said = verdict if letter.isupper() else verdict.model_copy(update={"arguments": ()})
            ballots.append(Ballot.model_validate({**place, "verdict": said}))
    return tuple(ballots), tuple(lost)


def judgement(panel: str, tie_winner: Side | None = C) -> Judgement:
    step = TieBreakStep.CITATIONS
    by_counting = TieBreak(step=step, winner=tie_winner, reason="as given") if tie_winner else None
    stages = [JudgingStage(*received(each), (by_counting,)) for each in accumulate(panel.split(", "), "{} {}".format)]
    first = counted(stages[0])
    return first if first.winner else counted(*stages)  # nobody asks further where the first decide


@pytest.mark.parametrize(("panel", "told"), TEXTS["a-side-wins-only-if-no-ballot-that-is-missing-could-change-that"])
def test_a_side_wins_only_if_no_ballot_that_is_missing_could_change_that(panel: str, told: str) -> None:
    ends = list[str]()
    for tie_winner in (P, C, None):
        found = judgement(panel, tie_winner)
        dissent = "".join(f" -{judge}" for judge in found.dissent)
        ends.append(f"{found.winner} {found.firmness}{dissent}" if found.winner else found.firmness)
        assert (found.winner is None) == (found.firmness is Firmness.UNDECIDED)
        assert found.winner or found.tie_break is None
    assert list(dict.fromkeys(ends)) == told.split("; ")


def test_the_verdict_that_is_shown_is_the_first_one_for_the_winner() -> None:
    cases: tuple[tuple[str, Side], ...]
    cases = (("PP PP", C), ("PC", P), ("PC", C), ("CC PP PP", C), ("CP -P PP", C), ("CC PP", P), ("pP", C))
    shown = [deciding(judgement(panel, winner)) for panel, winner in cases]
    first, second = Order
    # Of "CP -P PP" the first judge has no vote, and of "pP" the first ballot no argument.
    assert [each.order for each in shown] == [first, first, second, first, second, first, second]
    assert [each.judge for each in shown] == [1, 1, 1, 2, 2, 2, 1]


MARKS = {"+": CitationStatus.VERIFIED, "-": CitationStatus.NOT_FOUND, "?": CitationStatus.UNCHECKED}


def entries(written: str) -> tuple[LedgerEntry, ...]:
    """``+a -b`` is a citation of ``a`` that holds and one of ``b`` that was not found."""
    return tuple(entry(each[1:], MARKS[each[0]]) for each in written.split())


def case(*speeches: str, **changes: Any) -> TieBreakCase:
    """The sides speak in turns; each of ``speeches`` is what one cites."""
    ledgers = (
        speech_ledger(C if place % 2 else P, place // 2 + 1, *entries(cited)) for place, cited in enumerate(speeches)
    )
    fields: dict[str, Any] = {"ledgers": tuple(ledgers), "unanswered": ()}
    return TieBreakCase(**fields | changes)


def challenge(side: Side, quote: str, round_: int = 1) -> CitedArgument:
    return CitedArgument(side=side, round=round_, quote=quote)


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
    # (2) fewer left unanswered, as every ballot has it
    case("+a", "+b", unanswered=((PAID,),)),
    case("+a", "+b", unanswered=((ELSE,), (ELSE,))),
    case(unanswered=((PAID, ELSE, SINCE), (ELSE,))),
    case(unanswered=((PAID, challenge(C, "What else?"), SINCE),)),
    case(unanswered=((PAID,), (ELSE,))),
    case(unanswered=((PAID,), ())),
    case(unanswered=((PAID,), (PAID, ELSE))),
    # A ballot that was lost might have said the same, or nothing.
    case(unanswered=((PAID,), None)),
    case(unanswered=((), None)),
    case(unanswered=(None, None)),
    # Neither: nobody wins by default.
    case("+a", "+b"),
    case(),
    case("+a -x", "?b"),
    case("?a", "+b -x"),
    case(unanswered=((PAID, ELSE),)),
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
    case(unanswered=((PAID, LONGER, PAID, LATER, challenge(P, "Who pays?")),)),
)


def test_the_first_step_that_separates_the_sides_decides_and_states_its_counts(golden: Golden) -> None:
    decided = (tie_breaks(found) for found in CASES)
    lines = (
        f"{number}. " + "; or ".join(f"{each.step}, {each.winner}: {each.reason}" if each else "none" for each in found)
        for number, found in enumerate(decided, start=1)
    )
    golden.holds("read/tie-breaks.txt", "".join(f"{line}\n" for line in lines))


SHOP = MemoryTree(
    {
        "app.py": "import os\n\nTOP_LIMIT = 5\n# The limit is never raised.\n\n\ndef charge(card):\n"
        "    return card(\n        TOP_LIMIT\n    )\n",
        "README.md": "# Orders\n\nTwelve thousand orders a day.\n",
    }
)
HONEST = "Each charge is bounded: `TOP_LIMIT = 5` (app.py:3)."
FIFTY = " ".join(f"So it is (app.py:{first}-{last})." for first in range(1, 11) for last in range(first, 11))


@pytest.mark.parametrize("hostile", [*TEXTS["places-that-are-there-and-show-nothing"], FIFTY])
@pytest.mark.parametrize("side", [P, C])
def test_no_number_of_places_that_show_nothing_changes_a_winner(hostile: str, side: Side) -> None:
    ledgers = tuple(
        SpeechLedger(round=1, role=role, ledger=check_ledger(HONEST if role is side else hostile, SHOP))
        for role in (P, C)
    )
    assert all(each.ledger and each.ledger.entries for each in ledgers)
    (found, *_) = tie_breaks(TieBreakCase(ledgers=ledgers))
    assert found is not None
    assert (found.step, found.winner) == (TieBreakStep.CITATIONS, side)


def test_places_that_are_there_and_show_nothing_win_nothing_by_themselves() -> None:
    ledgers = (SpeechLedger(round=1, role=P, ledger=check_ledger(FIFTY, SHOP)), speech_ledger(C, 1))
    assert tie_breaks(TieBreakCase(ledgers=ledgers)) == (None,)
