"""What a debate gives up and takes back, by the marks that its prompts ask for."""

from functools import partial

import pytest

from sparring.checks.concessions import CheckedSpeech, analyse_conduct, marks
from sparring.schema.base import Role
from sparring.schema.debate import Concession, Convergence, FlagKind, Withdrawal
from sparring.schema.judgement import Side
from sparring.schema.lookups import CitationKind, CitationLedger, CitationStatus
from support.texts import texts

TEXTS = texts("quotes")

VERIFIED, SUPPORTED, UNSUPPORTED = CitationStatus.VERIFIED, Convergence.SUPPORTED, Convergence.UNSUPPORTED
LOOP = "The retry loop has no upper bound."


def spoken(text: str, role: Side, round_: int = 1, *, left_out: int = 0, **cited: CitationStatus) -> CheckedSpeech:
    """A speech, and the ledger in which those words of it are its citations."""
    places = {word: {"start": text.index(word), "end": text.index(word) + len(word)} for word in cited}
    said = {"kind": CitationKind.SYMBOL, "reason": "as the test has it"}
    entries = [{"text": word, "status": status, **said, **places[word]} for word, status in cited.items()]
    return CheckedSpeech(role, round_, text, CitationLedger.model_validate({"entries": entries, "left_out": left_out}))


proposer, challenger = (partial(spoken, role=role) for role in (Role.PROPOSER, Role.CHALLENGER))
ATTACKED = tuple(CheckedSpeech(role, 1, "The retry loop is slow.", None) for role in (Role.PROPOSER, Role.CHALLENGER))
"""What makes it possible to give up anything about the loop."""


@pytest.mark.parametrize("text", TEXTS["a-line-with-the-mark-is-a-concession-of-its-words"])
def test_a_line_with_the_mark_is_a_concession_of_its_words(text: str) -> None:
    (found,) = marks(text)
    assert (found.span.text, found.is_withdrawal) == (LOOP, False)
    assert text[found.span.start : found.span.end] == found.span.text


@pytest.mark.parametrize("text", TEXTS["nothing-else-is"])
def test_nothing_else_is_and_nothing_after_the_fiftieth(text: str) -> None:
    assert marks(text) == ()
    assert len(marks(f"I concede: {LOOP}\n" * 500)) == 50


def test_each_item_of_a_list_below_the_mark_is_one() -> None:
    text = "I withdraw:\n1. The loop\n   ends.\n2. It is slow.\nAfter.\n\n3. Behind."
    assert [(each.span.text, each.is_withdrawal) for each in marks(text)] == [("The loop", True), ("It is slow.", True)]


@pytest.mark.parametrize(("later", "is_taken_back"), TEXTS["who-takes-a-concession-back-repeats-its-words"])
def test_a_withdrawal_repeats_the_words_of_its_concession(later: str, *, is_taken_back: bool) -> None:
    found = analyse_conduct(
        [*ATTACKED, proposer(f"I concede: {LOOP}"), challenger(later), proposer(later, round_=2)]
    ).concessions
    (mine,) = [each for each in found if each.role is Role.PROPOSER]
    assert (mine.round, mine.text, mine.withdrawn is not None) == (1, LOOP, is_taken_back)
    if mine.withdrawn:
        assert later[mine.withdrawn.start : mine.withdrawn.end] == mine.withdrawn.text
        assert mine.withdrawn.round == 2


def test_a_withdrawn_point_can_be_conceded_again() -> None:
    found = analyse_conduct(
        [*ATTACKED, proposer(f"I concede: {LOOP}\nI withdraw: {LOOP}\nI concede: {LOOP}")]
    ).concessions
    withdrawn = Withdrawal(round=1, text=LOOP, start=58, end=92)
    first = Concession(role=Role.PROPOSER, round=1, text=LOOP, start=11, end=45, withdrawn=withdrawn)
    assert found == (first, Concession(role=Role.PROPOSER, round=1, text=LOOP, start=104, end=138))


@pytest.mark.parametrize(
    ("speech", "convergence", "flagged"),
    [
        (challenger("It is wrong."), Convergence.NONE, False),
        (proposer(f"I concede: {LOOP}"), Convergence.NONE, True),
        (challenger(f"I concede: {LOOP} See loop_py.", loop_py=VERIFIED), SUPPORTED, False),
        (challenger(f"I concede: {LOOP}\nSee loop_py.", loop_py=VERIFIED), SUPPORTED, False),
        (challenger(f"I concede: {LOOP} See loop_py.", loop_py=CitationStatus.NOT_FOUND), UNSUPPORTED, False),
        (challenger(f"I concede: {LOOP}\n\nSee loop_py.", loop_py=VERIFIED), UNSUPPORTED, True),
        (challenger(f"I concede: {LOOP} loop_py\n\nI concede: it is slow", loop_py=VERIFIED), UNSUPPORTED, True),
        (CheckedSpeech(Role.CHALLENGER, 1, f"I concede: {LOOP}", None), Convergence.UNCHECKED, False),
        (challenger(f"loop_py\n\nI concede: {LOOP}", left_out=1, loop_py=VERIFIED), Convergence.UNCHECKED, False),
    ],
)
def test_a_concession_is_supported_by_what_is_cited_in_its_paragraph(
    speech: CheckedSpeech, convergence: Convergence, *, flagged: bool
) -> None:
    found = analyse_conduct([*ATTACKED, speech])
    assert found.convergence is convergence
    assert [flag.kind for flag in found.flags] == [FlagKind.UNSUPPORTED_AGREEMENT] * flagged


@pytest.mark.parametrize("words", TEXTS["gives-up-nothing"])
def test_empty_and_unrelated_statements_concede_nothing(words: str) -> None:
    speeches = [challenger("Reads are cached, and nothing else counts at any point."), proposer(f"I concede: {words}")]
    assert analyse_conduct(speeches).concessions == ()


@pytest.mark.parametrize(("said", "words"), TEXTS["gives-up-what-the-other-side-said"])
def test_a_statement_that_shares_words_with_the_other_side_is_a_concession(said: str, words: str) -> None:
    speeches = [challenger(said), proposer(f"I concede: {words}")]
    assert [each.text for each in analyse_conduct(speeches).concessions] == [words]
