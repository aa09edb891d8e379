"""What a debate gives up and takes back, by the marks that its prompts ask for."""

import pytest

from sparring.checks.concessions import Spoken, conduct, marks
from sparring.schema.base import Role
from sparring.schema.debate import Concession, Convergence, FlagKind, Withdrawal
from sparring.schema.judgement import Side
from sparring.schema.lookups import CitationKind, CitationLedger, CitationStatus, LedgerEntry
from support.texts import texts

TEXTS = texts("quotes")

VERIFIED, NOT_FOUND = CitationStatus.VERIFIED, CitationStatus.NOT_FOUND
LOOP = "The retry loop has no upper bound."


def spoken(text: str, role: Side, round_: int = 1, *, left_out: int = 0, **cited: CitationStatus) -> Spoken:
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
    return Spoken(role, round_, text, CitationLedger(entries=entries, left_out=left_out))


def proposer(text: str, round_: int = 1) -> Spoken:
    return spoken(text, Role.PROPOSER, round_)


def challenger(text: str, round_: int = 1, left_out: int = 0, **cited: CitationStatus) -> Spoken:
    return spoken(text, Role.CHALLENGER, round_, left_out=left_out, **cited)


@pytest.mark.parametrize("text", TEXTS["a-line-with-the-mark-is-a-concession-of-its-words"])
def test_a_line_with_the_mark_is_a_concession_of_its_words(text: str) -> None:
    (found,) = marks(text)
    assert (found.span.text, found.is_withdrawal) == (LOOP, False)
    assert text[found.span.start : found.span.end] == found.span.text


@pytest.mark.parametrize("text", TEXTS["nothing-else-is"])
def test_nothing_else_is(text: str) -> None:
    assert marks(text) == ()


@pytest.mark.parametrize(("later", "is_taken_back"), TEXTS["who-takes-a-concession-back-repeats-its-words"])
def test_who_takes_a_concession_back_repeats_its_words(later: str, *, is_taken_back: bool) -> None:
    found = conduct([proposer(f"I concede: {LOOP}"), challenger(later), proposer(later, 2)]).concessions
    (mine,) = [each for each in found if each.role is Role.PROPOSER]
    assert (mine.round, mine.text) == (1, LOOP)
    assert (mine.withdrawn is not None) == is_taken_back
    if mine.withdrawn:
        assert later[mine.withdrawn.start : mine.withdrawn.end] == mine.withdrawn.text
        assert mine.withdrawn.round == 2


def test_what_was_taken_back_can_be_conceded_again() -> None:
    found = conduct([proposer(f"I concede: {LOOP}\nI withdraw: {LOOP}\nI concede: {LOOP}")]).concessions
    assert found == (
        Concession(
            role=Role.PROPOSER,
            round=1,
            text=LOOP,
            start=11,
            end=45,
            withdrawn=Withdrawal(round=1, text=LOOP, start=58, end=92),
        ),
        Concession(role=Role.PROPOSER, round=1, text=LOOP, start=104, end=138),
    )


@pytest.mark.parametrize(
    ("speech", "convergence", "flagged"),
    [
        (challenger("It is wrong."), Convergence.NONE, False),
        (proposer(f"I concede: {LOOP}"), Convergence.NONE, True),
        (challenger(f"I concede: {LOOP} See loop_py.", loop_py=VERIFIED), Convergence.SUPPORTED, False),
        (challenger(f"I concede: {LOOP}\nSee loop_py.", loop_py=VERIFIED), Convergence.SUPPORTED, False),
        (challenger(f"I concede: {LOOP} See loop_py.", loop_py=NOT_FOUND), Convergence.UNSUPPORTED, False),
        (challenger(f"I concede: {LOOP}\n\nSee loop_py.", loop_py=VERIFIED), Convergence.UNSUPPORTED, True),
        (
            challenger(f"I concede: {LOOP} loop_py\n\nI concede: it is slow", loop_py=VERIFIED),
            Convergence.UNSUPPORTED,
            True,
        ),
        (Spoken(Role.CHALLENGER, 1, f"I concede: {LOOP}", None), Convergence.UNCHECKED, False),
        (challenger(f"loop_py\n\nI concede: {LOOP}", left_out=1, loop_py=VERIFIED), Convergence.UNCHECKED, False),
    ],
)
def test_a_concession_is_supported_by_what_is_cited_in_its_paragraph(
    speech: Spoken, convergence: Convergence, *, flagged: bool
) -> None:
    found = conduct([speech])
    assert found.convergence is convergence
    assert [flag.kind for flag in found.flags] == [FlagKind.UNSUPPORTED_AGREEMENT] * flagged


def test_a_speech_full_of_marks_is_read_up_to_fifty_of_them() -> None:
    assert len(marks("\n".join(f"I concede: point number {number}" for number in range(500)))) == 50
