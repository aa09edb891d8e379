"""What the words of a debate show: who gives something up, takes it back, agrees or applauds."""

from collections.abc import Mapping

import pytest

from sparring.checks.conduct import Spoken, concessions, conduct, withdrawals
from sparring.schema.base import Role
from sparring.schema.citations import CitationStatus
from sparring.schema.debate import Concession, Conduct, Convergence, FlagKind, Side, Withdrawal
from sparring.schema.ledger import CitationKind, Ledger, LedgerEntry

VERIFIED, NOT_FOUND = CitationStatus.VERIFIED, CitationStatus.NOT_FOUND


Cited = Mapping[str, CitationStatus]


def spoken(role: Side, text: str, round_: int, cited: Cited, left_out: int = 0) -> Spoken:
    """A speech, and the ledger in which those words of it are its citations."""
    entries = tuple(
        LedgerEntry(
            text=word,
            start=text.index(word),
            end=text.index(word) + len(word),
            kind=CitationKind.SYMBOL,
            status=status,
            reason="as the test has it",
        )
        for word, status in cited.items()
    )
    return Spoken(role, round_, text, Ledger(entries=entries, left_out=left_out))


def proposer(text: str, round_: int = 1, cited: Cited | None = None) -> Spoken:
    return spoken(Role.PROPOSER, text, round_, cited or {})


def challenger(text: str, round_: int = 1, cited: Cited | None = None, left_out: int = 0) -> Spoken:
    return spoken(Role.CHALLENGER, text, round_, cited or {}, left_out)


@pytest.mark.parametrize(
    ("text", "given_up", "taken_back"),
    [
        ("I concede: the retry loop has no upper bound.", 1, 0),
        ("You’re right – the cache is never invalidated on rename.", 1, 0),
        ("Claude is correct about the exit code, it is 4 and not 3.", 1, 0),
        ("I withdraw the claim that no caller depends on it.", 1, 0),
        ("Your reading of `journal.py` is accurate: the tail is dropped silently.", 1, 0),
        ("C1.1 is correct and I concede it.", 1, 0),
        ("I have no rebuttal to the Windows objection.", 1, 0),
        ("Tôi đã sai về kiểm thử.", 1, 0),
        ("I withdraw my concession on the lock order.", 0, 1),
        ("Contrary to what I granted in round 1, the flag is used.", 0, 1),
        ("I conceded too quickly that nobody calls it.", 0, 1),
        ("I no longer concede that the cache is stale.", 0, 1),
        ("Tôi rút lại sự nhượng bộ về kiểm thử.", 0, 1),
        ("I do not concede this point.", 0, 0),
        ("I will concede once you cite a line.", 0, 0),
        ("If you are right, I would change the default.", 0, 0),
        ("Why should I concede a point that has no evidence?", 0, 0),
        ("The proposer concedes that the lock is missing.", 0, 0),
        ("You claim that you are right, but cite nothing.", 0, 0),
        ("Your point is not supported by any line.", 0, 0),
        ("The lock is right, and we accept JSON and YAML.", 0, 0),
        ("Claiming “I was wrong about the lock” would be premature.", 0, 0),
        ("If that test fails, I withdraw my concession.", 0, 0),
        ("My concession on the parser stands.", 0, 0),
        ("> You are right that the lock is missing. I withdraw my concession.", 0, 0),
        ("```\nI concede: the lock is missing.\n```", 0, 0),
        ("You’re right\n\nYou’re right", 1, 0),
    ],
)
def test_a_sentence_gives_up_takes_back_or_only_looks_so(text: str, given_up: int, taken_back: int) -> None:
    assert (len(concessions(text)), len(withdrawals(text))) == (given_up, taken_back)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Not so.\n\n- **C1.3** — *I concede* that `run()` leaks. So.", ["**C1.3** — *I concede* that `run()` leaks."]),
        ("Conceded. The lock order is wrong. More follows.", ["Conceded. The lock order is wrong."]),
        ("**C1.2 Lock order.** Conceded.", ["**C1.2 Lock order.** Conceded."]),
        ("You are right. However, the lock order is right as well.", ["You are right."]),
        ("I was wrong about the lock order. Conceded.", ["I was wrong about the lock order.", "Conceded."]),
        (
            "# Concessions\n\n- The loop is unbounded. So?\n- None here.\n- I concede the name.\n\n# New\n\n- No.",
            ["The loop is unbounded.", "I concede the name."],
        ),
        ("**Concessions:**\n\n1. Windows has no test.\n\nIt stands.\n\n- As this.", ["Windows has no test."]),
        ("### What I concede\n\nThe lock is missing.\n\nSo is it.", ["The lock is missing.", "So is it."]),
        ("# Concessions\n\nNone.\n\n# More\n\nThe lock is held.", []),
        ("# Concessions\n\n- The proposer has conceded the lock.", []),
    ],
)
def test_a_concession_is_quoted_with_what_it_is_about(text: str, expected: list[str]) -> None:
    found = concessions(text)
    assert [span.text for span in found] == [text[span.start : span.end] for span in found] == expected


def test_a_withdrawn_concession_is_told_with_both_quotes() -> None:
    first = "I concede that the lock order is wrong. I concede that the name misleads."
    second = "I withdraw my concession about the locks."
    found = conduct([proposer(first), challenger("I take that back."), proposer(second, 2)])
    lock, name = (Concession(role=Role.PROPOSER, round=1, **span.model_dump()) for span in concessions(first))
    withdrawal = Withdrawal(round=2, text=second, start=0, end=len(second))
    assert found.concessions == (lock.model_copy(update={"withdrawn": withdrawal}), name)
    assert conduct([challenger(second), proposer(first)]).concessions == (lock, name)


@pytest.mark.parametrize(
    ("withdrawal", "still_standing"),
    [
        ("I withdraw my concession.", ["lock", "parser", "index"]),
        ("I withdraw my concession of round 2.", ["lock", "parser"]),
        ("I withdraw my concession of round 9 on the parser.", ["lock", "index"]),
        ("I withdraw all of my concessions.", []),
    ],
)
def test_a_withdrawal_takes_back_what_it_shares_words_with_or_what_else_it_must_mean(
    withdrawal: str, still_standing: list[str]
) -> None:
    speeches = (
        proposer("I concede: the lock leaks memory.\n\nI concede: the parser is slow."),
        proposer("I concede: the index is stale.", 2),
        proposer(withdrawal, 3),
    )
    standing = [made.text.split()[3] for made in conduct(speeches).concessions if made.withdrawn is None]
    assert standing == still_standing


def test_what_is_conceded_anew_after_it_was_taken_back_stands() -> None:
    conceded = "I concede that the lock is held."
    told = conduct([challenger(f"{conceded} {conceded} I withdraw my concession about the lock. {conceded}")])
    assert [found.withdrawn is None for found in told.concessions] == [False, True]


@pytest.mark.parametrize(
    ("text", "applauded"),
    [
        ("_An aside._\n\n# Response\n\nFirst this. Great point about the name!", "Great point about the name!"),
        ("You're absolutely right! See.", "You're absolutely right!"),
        ("Your analysis is very thorough.", "Your analysis is very thorough."),
        ("The lock is missing. The test is too. Great point about the name!", None),
        ("That is not a great argument.", None),
        ("The opening makes a strong claim without a source.", None),
    ],
)
def test_praise_counts_where_a_speech_begins_by_it(text: str, applauded: str | None) -> None:
    flags = conduct([Spoken(Role.CHALLENGER, 2, text, None)]).flags
    told = [(flag.kind, flag.role, flag.round, flag.text, text[flag.start : flag.end]) for flag in flags]
    assert told == [(FlagKind.PRAISE, Role.CHALLENGER, 2, applauded, applauded)] * bool(applauded)


@pytest.mark.parametrize(
    ("text", "cited", "flagged"),
    [
        ("I agree that the lock is needed.", {}, True),
        ("I agree that the lock is needed.", {"lock": NOT_FOUND}, False),
        ("I agree with the proposer.\n\nThe lock is held.", {"lock": VERIFIED}, True),
        ("I'm convinced now.", {}, True),
        ("I'm convinced that the lock is missing.", {}, False),
        ("The proposer claims that we agree on the lock.", {}, False),
        ("My concern C1.1 is now resolved.", {}, True),
        ("You are right about the lock. You are right about the lock.", {}, True),
        ("I concede these points:\n\n- the lock is missing\n- the test is missing", {"lock": VERIFIED}, False),
        ("I concede these points:\n\nThe lock is missing.", {"lock": VERIFIED}, True),
    ],
)
def test_agreement_beside_which_nothing_is_cited_is_flagged_once(
    text: str, cited: dict[str, CitationStatus], *, flagged: bool
) -> None:
    found = conduct([proposer(text, 1, cited)])
    assert [flag.kind for flag in found.flags] == [FlagKind.UNSUPPORTED_AGREEMENT] * flagged


def test_where_nobody_has_looked_nobody_can_say_that_nothing_is_cited() -> None:
    text = "I agree on one.\n\nThe lock is held.\n\nI agree on two."
    unread = conduct([Spoken(Role.CHALLENGER, 1, text, None)])
    full = conduct([challenger(text, 1, {"lock": VERIFIED}, left_out=1)])
    assert unread == Conduct(convergence=Convergence.UNCHECKED)
    assert [flag.text for flag in full.flags] == ["I agree on one."]


AGREED = "I concede that the lock is held."


@pytest.mark.parametrize(
    ("speeches", "expected"),
    [
        ([], Convergence.NONE),
        ([challenger("The lock is missing.")], Convergence.NONE),
        ([challenger(AGREED, 1, {"lock": VERIFIED})], Convergence.SUPPORTED),
        ([challenger(AGREED, 1, {"lock": NOT_FOUND})], Convergence.UNSUPPORTED),
        ([challenger(AGREED, 1, {"lock": VERIFIED}), challenger("I agree on the rest.", 2)], Convergence.UNSUPPORTED),
        ([Spoken(Role.CHALLENGER, 1, AGREED, None), challenger(AGREED, 2, {"lock": VERIFIED})], Convergence.UNCHECKED),
    ],
)
def test_convergence_says_whether_the_challenger_gave_way_and_by_what(
    speeches: list[Spoken], expected: Convergence
) -> None:
    assert conduct([proposer("I concede all of it."), *speeches]).convergence is expected
