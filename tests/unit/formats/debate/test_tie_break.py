"""The written tie-break, step by step."""

import pytest

from sparring.formats.debate.verdict import Case, Count, count_of, left_unanswered, tie_break
from sparring.schema.base import Role
from sparring.schema.debate import Concession, SpeechLedger, Withdrawal
from sparring.schema.judgement import CitedArgument, Side, TieBreak, TieBreakStep
from sparring.schema.lookups import CitationKind, CitationStatus, LedgerEntry
from support.debating import entry, speech_ledger

P, C = Role.PROPOSER, Role.CHALLENGER
MARKS = {"+": CitationStatus.VERIFIED, "-": CitationStatus.NOT_FOUND, "?": CitationStatus.UNCHECKED}
CONCEDED = "I concede: it is slow."


def entries(written: str) -> tuple[LedgerEntry, ...]:
    """``+a -b`` is a citation of ``a`` that holds and one of ``b`` that was not found."""
    return tuple(entry(each[1:], MARKS[each[0]]) for each in written.split())


def case(*speeches: str, **changes: object) -> Case:
    """The sides speak in turns; each of ``speeches`` is what one cites."""
    ledgers = tuple(
        speech_ledger(C if place % 2 else P, place // 2 + 1, *entries(written))
        for place, written in enumerate(speeches)
    )
    fields: dict[str, object] = {"ledgers": ledgers, "concessions": (), "unanswered": (), **changes}
    return Case(**fields)  # pyright: ignore[reportArgumentType] -- a table of fields


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


@pytest.mark.parametrize(
    ("found", "step", "winner"),
    [
        # (1) more verified and fewer not found
        (case("+a +b", "+c"), TieBreakStep.CITATIONS, P),
        (case("+a", "+c +d"), TieBreakStep.CITATIONS, C),
        (case("+a +b -x -y", "+c"), TieBreakStep.CITATIONS, C),
        (case("+a", "-x"), TieBreakStep.CITATIONS, P),
        # (2) fewer left unanswered
        (case("+a", "+b", unanswered=(challenge(C, "Who pays?"),)), TieBreakStep.UNANSWERED, C),
        (case("+a", "+b", unanswered=(challenge(P, "What else?"),)), TieBreakStep.UNANSWERED, P),
        (
            case(unanswered=(challenge(C, "Who pays?"), challenge(P, "What else?"), challenge(P, "Since when?"))),
            TieBreakStep.UNANSWERED,
            P,
        ),
        # (3) the challenger's burden
        (case("+a", "+b"), TieBreakStep.BURDEN, P),
        (case(concessions=(concession(),)), TieBreakStep.BURDEN, C),
        (case(concessions=(concession(C),)), TieBreakStep.BURDEN, P),
        (case(concessions=(concession(withdrawn=TAKEN_BACK),)), TieBreakStep.BURDEN, P),
        (case("+a -x", "?b"), TieBreakStep.BURDEN, C),
        (case("?a", "+b -x"), TieBreakStep.BURDEN, P),
        (case(unanswered=(challenge(C, "Who pays?"), challenge(P, "What else?"))), TieBreakStep.BURDEN, P),
    ],
)
def test_the_first_step_that_tells_the_sides_apart_decides(found: Case, step: TieBreakStep, winner: Side) -> None:
    decided = tie_break(found)
    assert (decided.step, decided.winner) == (step, winner)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (
            case("+a +b -x", ""),
            "Of the proposer's citations 2 hold and 1 were not found, of the challenger's 0 hold and 0 were not found.",
        ),
        (
            case(unanswered=(challenge(C, "Who pays?"), challenge(C, "What else?"), challenge(P, "Since when?"))),
            "The proposer left 2 challenges unanswered, the challenger 1.",
        ),
        (case(unanswered=(challenge(C, "Who pays?"),)), "The proposer left 1 challenge unanswered, the challenger 0."),
        (case(), "The challenger has shown no flaw: no concession stands, and no citation of the proposer is missing."),
        (
            case("+a -x", "", concessions=(concession(), concession())),
            (
                "The challenger has shown a flaw: 2 concessions of the proposer stand, "
                "and 1 of its citations was not found."
            ),
        ),
        (
            case(concessions=(concession(),)),
            (
                "The challenger has shown a flaw: 1 concession of the proposer stands, "
                "and 0 of its citations were not found."
            ),
        ),
    ],
)
def test_what_was_counted_is_told_in_one_sentence(found: Case, reason: str) -> None:
    assert tie_break(found).reason == reason


def test_no_side_loses_by_a_ledger_that_could_not_be_had() -> None:
    ledgers = (speech_ledger(P, 1, *entries("+a +b")), SpeechLedger(role=C, round=1, problem="timeout: none in time"))
    assert tie_break(case(ledgers=ledgers)) == TieBreak(
        step=TieBreakStep.BURDEN,
        winner=P,
        reason="The challenger has shown no flaw: no concession stands, and no citation of the proposer is missing.",
    )


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
