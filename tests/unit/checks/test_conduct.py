"""What code finds in the words of a whole debate."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sparring.checks.conduct import Spoken, concessions, conduct
from sparring.schema.base import Role
from sparring.schema.citations import CitationStatus
from sparring.schema.debate import Concession, Conduct, Convergence, Flag, FlagKind, Side, Withdrawal
from sparring.schema.ledger import CitationKind, Ledger, LedgerEntry

SPEECHES = Path(__file__).parents[2] / "data" / "conduct"
VERIFIED, NOT_FOUND = CitationStatus.VERIFIED, CitationStatus.NOT_FOUND


def ledger(text: str, cited: Mapping[str, CitationStatus], *, left_out: int = 0) -> Ledger:
    """The ledger of ``text`` whose citations are those words of it."""
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
    return Ledger(entries=entries, left_out=left_out)


def proposer(text: str, round_: int = 1, found: Ledger | None = None) -> Spoken:
    return Spoken(Role.PROPOSER, round_, text, found)


def challenger(text: str, round_: int = 1, found: Ledger | None = None) -> Spoken:
    return Spoken(Role.CHALLENGER, round_, text, found)


def said(text: str) -> list[str]:
    return [span.text for span in concessions(text)]


def test_a_concession_is_the_sentence_with_its_emphasis_and_nothing_around_it() -> None:
    text = "Not so.\n\n- **C1.3** — *I concede* that `run()` leaks. It stays small."
    (found,) = concessions(text)
    assert found.text == "**C1.3** — *I concede* that `run()` leaks."
    assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Conceded. The lock order is wrong. More follows.", ["Conceded. The lock order is wrong."]),
        ("**C1.2 Lock order.** Conceded.", ["**C1.2 Lock order.** Conceded."]),
        ("You're right. I was wrong about the lock order.", ["You're right.", "I was wrong about the lock order."]),
        ("I was wrong about the lock order. Conceded.", ["I was wrong about the lock order.", "Conceded."]),
        ("Conceded.", ["Conceded."]),
        ("You are right. However, the lock order is right as well.", ["You are right."]),
        ("Conceded. I withdraw my concession.", ["Conceded."]),
    ],
)
def test_a_sentence_that_does_not_say_what_is_given_up_comes_with_one_that_does(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# Concessions\n\n- The loop is unbounded. So?\n- None here.\n- I concede the name.\n\n# New\n\n- No.",
            ["The loop is unbounded.", "I concede the name."],
        ),
        ("**Concessions:**\n\n1. No test on Windows exists.\n\nThe rest stands.\n", []),
        (
            "**Concessions:**\n\n1. Windows has no test.\n\nThe rest stands.\n\n- As does this.",
            ["Windows has no test."],
        ),
        ("### What I concede\n\nThe lock is missing.\n\nSo is the test.", ["The lock is missing.", "So is the test."]),
        ("# Concessions\n\nNone.\n\n# More\n\nThe lock is held.", []),
        (
            "Concessions:\n- The lock is missing.\n\nConcessions:\n- So is the test.",
            ["The lock is missing.", "So is the test."],
        ),
        ("# Concessions\n\nThese are the points:\n\n- The lock is missing.", ["The lock is missing."]),
        ("# Concessions\n\n- The proposer has conceded the lock.\n- You now admit the race.", []),
        ("# Concessions of the proposer\n\n- The lock is missing.", []),
        ("# I concede: the lock is missing\n\nIt goes on here.", []),
        ("# Concessions\n\n- ...", []),
    ],
)
def test_entries_under_a_heading_of_concessions_are_concessions(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "> You are right that the lock is missing.",
        "```\nI concede: the lock is missing.\n```",
        "| I concede | the lock |\n|---|---|\n",
        "",
    ],
)
def test_what_is_quoted_or_code_is_not_the_speakers_own(text: str) -> None:
    assert said(text) == []


def test_of_a_whole_defense_the_concessions_are_found_and_nothing_else() -> None:
    assert said((SPEECHES / "defense.md").read_text(encoding="utf-8")) == [
        "**This is correct, and I concede it.** `src/store/files.py:41-58` takes no lock before the read.",
        "Codex is right that the temporary file is created with the default umask (`files.py:33`).",
        "I had missed this.",
        "Lost updates (C1.1): conceded.",
        "Umask (C1.2): conceded, with the caveat above.",
    ]


def test_of_a_whole_follow_up_the_agreements_are_told_with_what_they_rest_on() -> None:
    text = (SPEECHES / "follow-up.md").read_text(encoding="utf-8")
    found = conduct([challenger(text, 2, ledger(text, {"docs/tools.md:88": VERIFIED}))])
    assert [made.text for made in found.concessions] == [
        "**C1.3 (inspection):** I withdraw this challenge; `docs/tools.md:88` documents it.",
        "You're right that an fsync takes 4 ms on ext4, but nobody measured APFS.",
        "Fair enough on the naming. I agree now.",
    ]
    assert [flag.text.split()[0] for flag in found.flags] == ["I'm", "You're", "Fair"]
    assert found.convergence is Convergence.UNSUPPORTED


def test_a_withdrawn_concession_is_told_with_both_quotes() -> None:
    first = "I concede that the lock order is wrong. I concede that the name misleads."
    second = "I withdraw my concession about the locks."
    found = conduct([proposer(first), challenger("I take that back."), proposer(second, 2)])
    lock, name = (Concession(role=Role.PROPOSER, round=1, **span.model_dump()) for span in concessions(first))
    withdrawal = Withdrawal(round=2, text=second, start=0, end=len(second))
    assert found == Conduct(concessions=(lock.model_copy(update={"withdrawn": withdrawal}), name))


@pytest.mark.parametrize(
    ("withdrawal", "still_standing"),
    [
        ("I withdraw my concession.", ["lock", "parser", "index"]),
        ("I withdraw my concession of round 2.", ["lock", "parser"]),
        ("I withdraw my concession of round 1.", ["lock", "parser", "index"]),
        ("I withdraw my concession of round 9 on the parser.", ["lock", "index"]),
        ("I withdraw all of my concessions.", []),
        ("I withdraw my concession on the lock and the parser.", ["lock", "index"]),
        ("I withdraw my concession on zebras.", ["lock", "parser", "index"]),
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


def test_the_only_concession_that_stands_is_the_one_meant() -> None:
    found = conduct([challenger("I concede: the lock leaks. Later on: I take that back.")])
    assert [made.withdrawn is None for made in found.concessions] == [False]


def test_a_withdrawal_before_any_concession_is_none() -> None:
    assert conduct([challenger("I withdraw my concession."), proposer("I concede: no lock.")]).concessions == (
        Concession(role=Role.PROPOSER, round=1, text="I concede: no lock.", start=0, end=19),
    )


@pytest.mark.parametrize(
    "text",
    [
        "_Rule-based answer._\n\n# Response\n\nThe lock is missing. The test is too. Great point about the name!",
        "The lock is missing.",
    ],
)
def test_praise_counts_only_where_a_speech_begins(text: str) -> None:
    assert conduct([challenger(text)]).flags == ()


def test_praise_after_headings_and_asides_is_at_the_beginning() -> None:
    text = "_An aside._\n\n# Response\n\nFirst this. Great point about the name!"
    quote = "Great point about the name!"
    start = text.index(quote)
    assert conduct([challenger(text)]).flags == (
        Flag(kind=FlagKind.PRAISE, role=Role.CHALLENGER, round=1, text=quote, start=start, end=start + len(quote)),
    )


@pytest.mark.parametrize(
    ("text", "cited", "flagged"),
    [
        ("I agree that the lock is needed.", {}, True),
        ("I agree that the lock is needed.", {"lock": VERIFIED}, False),
        ("I agree that the lock is needed.", {"lock": NOT_FOUND}, False),
        ("I agree with the proposer.\n\nThe lock is held.", {"lock": VERIFIED}, True),
        ("I'm convinced now.", {}, True),
        ("I’m convinced because `lock` is held.", {"lock": VERIFIED}, False),
        ("I am not convinced.", {}, False),
        ("I'm convinced that the lock is missing.", {}, False),
        ("We do not agree on the lock.", {}, False),
        ("The proposer claims that we agree on the lock.", {}, False),
        ("My concern C1.1 is now resolved.", {}, True),
        ("You are right about the lock.", {}, True),
        ("I concede these points:\n\n- the lock is missing\n- the test is missing", {"lock": VERIFIED}, False),
        ("I concede these points:\n\nThe lock is missing.", {"lock": VERIFIED}, True),
        ("I concede these points:", {}, True),
        ("Tôi đồng ý với điểm này.", {}, True),
    ],
)
@pytest.mark.parametrize("role", [Role.PROPOSER, Role.CHALLENGER])
def test_agreement_beside_which_nothing_is_cited_is_flagged(
    role: Side, text: str, cited: dict[str, CitationStatus], *, flagged: bool
) -> None:
    found = conduct([Spoken(role, 1, text, ledger(text, cited))])
    assert [flag.kind for flag in found.flags] == [FlagKind.UNSUPPORTED_AGREEMENT] * flagged


def test_without_a_ledger_nobody_can_say_that_nothing_is_cited() -> None:
    found = conduct([challenger("I agree that the lock is needed.")])
    assert found == Conduct(convergence=Convergence.UNCHECKED)


def test_behind_the_end_of_a_full_ledger_nobody_can_say_so_either() -> None:
    text = "I agree on one.\n\nThe lock is held.\n\nI agree on two."
    found = conduct([challenger(text, 1, ledger(text, {"lock": VERIFIED}, left_out=1))])
    assert [flag.text for flag in found.flags] == ["I agree on one."]
    full = conduct([challenger("I agree on all of it.", 1, Ledger(left_out=1))])
    assert full == Conduct(convergence=Convergence.UNCHECKED)


CONVERGENCE: list[tuple[dict[str, dict[str, CitationStatus]], Convergence]] = [
    ({"The lock is missing.": {}}, Convergence.NONE),
    ({"I concede that the lock is held.": {"lock": VERIFIED}}, Convergence.SUPPORTED),
    ({"I concede that the lock is held.": {"lock": NOT_FOUND}}, Convergence.UNSUPPORTED),
    ({"I concede that the lock is held.": {}}, Convergence.UNSUPPORTED),
    ({"I'm convinced by `lock`.": {"lock": VERIFIED}, "I agree on the rest.": {}}, Convergence.UNSUPPORTED),
]


@pytest.mark.parametrize(("speeches", "expected"), CONVERGENCE)
def test_convergence_says_whether_the_challenger_gave_way_and_by_what(
    speeches: dict[str, dict[str, CitationStatus]], expected: Convergence
) -> None:
    spoken = [
        challenger(text, number, ledger(text, cited)) for number, (text, cited) in enumerate(speeches.items(), start=1)
    ]
    assert conduct([proposer("I concede all of it.", 1, Ledger()), *spoken]).convergence is expected


def test_what_a_speech_concedes_again_in_the_same_words_is_told_once() -> None:
    told = conduct([challenger("I concede that the lock is held. " * 3, 1, Ledger())])
    assert [found.start for found in told.concessions] == [0]
    assert [(flag.kind, flag.start) for flag in told.flags] == [(FlagKind.UNSUPPORTED_AGREEMENT, 0)]


def test_what_is_conceded_anew_after_it_was_taken_back_stands() -> None:
    conceded = "I concede that the lock is held."
    told = conduct([challenger(f"{conceded} I withdraw my concession about the lock. {conceded}", 1, Ledger())])
    assert [found.withdrawn is None for found in told.concessions] == [False, True]


def test_of_what_was_not_looked_up_no_more_is_said_than_that_the_challenger_gave_way() -> None:
    text = "I agree that the `lock` is needed."
    unknown, known = challenger(text), challenger(text, 2, ledger(text, {"lock": VERIFIED}))
    assert conduct([unknown, known]).convergence is Convergence.UNCHECKED
    assert conduct([unknown, challenger(text, 2, ledger(text, {}))]).convergence is Convergence.UNSUPPORTED


def test_a_debate_without_speeches_shows_nothing() -> None:
    assert conduct([]) == Conduct()
