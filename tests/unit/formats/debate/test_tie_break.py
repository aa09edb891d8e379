"""The written tie-break, step by step."""

import pytest

from sparring.formats.debate.verdict import Case, Count, count_of, left_unanswered, tie_break
from sparring.schema.base import Role
from sparring.schema.debate import Concession, SpeechLedger, Withdrawal
from sparring.schema.judgement import CitedArgument, Side
from sparring.schema.lookups import CitationKind, CitationStatus, LedgerEntry
from support.debating import entry, speech_ledger
from support.golden import Golden

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
