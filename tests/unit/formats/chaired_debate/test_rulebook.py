"""Which entries are refused, and why: for debates that are run here and for logs that others write."""

import pytest

from sparring.formats.chaired_debate import refusals
from sparring.schema.chaired_debate import LogDraft, LogEntry
from sparring.schema.sources import Source
from support.chaired_playing import QUOTE, URL, draft, written

PROMOTERS = draft("opening", "promoter", "opening_statement")
DETRACTORS = draft("opening", "detractor", "opening_statement")
OPENED = written(PROMOTERS, DETRACTORS)
POINT = draft("rebuttal", "promoter", "new_point")
ANSWER = draft("rebuttal", "detractor", "rebuttal", rebuttal_to_seq=1)
REQUEST = draft("rebuttal", "promoter", "clarification_request", "What does seq 2 mean?", target_seq=2)
CLARIFICATION = draft("rebuttal", "chair", "clarification", "It means what it says.", target_seq=3)
CUE = draft("rebuttal", "chair", "cue", "The turn passes.")
CLOSED = draft("closing", "detractor", "closing_statement")


@pytest.mark.parametrize(
    ("log", "entry"),
    [
        ((), PROMOTERS),
        ((PROMOTERS,), DETRACTORS),
        ((PROMOTERS, DETRACTORS), POINT),
        ((PROMOTERS, DETRACTORS, POINT), ANSWER),
        ((PROMOTERS, DETRACTORS, POINT, ANSWER), POINT),
        ((PROMOTERS, DETRACTORS), REQUEST),
        ((PROMOTERS, DETRACTORS, REQUEST), POINT),
        ((PROMOTERS, DETRACTORS, REQUEST, CLARIFICATION), POINT),
        ((PROMOTERS, DETRACTORS, CUE), ANSWER),
        ((PROMOTERS, DETRACTORS, POINT, CUE), POINT),
        ((PROMOTERS, DETRACTORS), CLOSED),
        ((PROMOTERS, DETRACTORS, CLOSED), draft("closing", "promoter", "closing_statement")),
        ((PROMOTERS, DETRACTORS, draft("closing", "chair", "cue")), draft("closing", "promoter", "closing_statement")),
        ((), draft("opening", "chair", "cue", "The promoter opens.")),
        ((PROMOTERS,), draft("opening", "verifier", "source_check", "Verified.", target_seq=1)),
        ((PROMOTERS,), draft("opening", "chair", "redaction", "Made up.", target_seq=1)),
        ((PROMOTERS, DETRACTORS), draft("rebuttal", "audience", "question", "Who pays?")),
        ((PROMOTERS, DETRACTORS, CLOSED), draft("conclusion", "chair", "conclusion", "draw: it is even.")),
        ((PROMOTERS,), draft("conclusion", "reporter", "summary", "There was a debate.")),
        (
            (PROMOTERS, DETRACTORS),
            draft("rebuttal", "promoter", "conjecture", "**[CONJECTURE]** By 2040 it may be so.", sources=()),
        ),
        ((), draft("opening", "promoter", "opening_statement", "[CONJECTURE] It may be so.", sources=())),
        (
            (PROMOTERS, DETRACTORS),
            draft("closing", "detractor", "closing_statement", "It fell by 12 % (seq 1).", sources=()),
        ),
    ],
)
def test_an_entry_within_the_rules_is_let_in(log: tuple[LogDraft, ...], entry: LogDraft) -> None:
    assert refusals(entry, written(*log)) == ()


@pytest.mark.parametrize(
    ("log", "entry", "reason"),
    [
        ((), DETRACTORS, "It is the promoter's turn."),
        ((PROMOTERS,), PROMOTERS, "The promoter has made its opening_statement already."),
        ((PROMOTERS,), POINT, "The rebuttal phase begins when both debaters have opened."),
        ((PROMOTERS,), CLOSED, "The closing phase begins when both debaters have opened."),
        ((PROMOTERS, DETRACTORS), ANSWER, "It is the promoter's turn."),
        ((PROMOTERS, DETRACTORS, POINT), POINT, "It is the detractor's turn."),
        ((PROMOTERS, DETRACTORS, REQUEST), ANSWER, "It is the promoter's turn."),
        (
            (PROMOTERS, DETRACTORS, REQUEST, CLARIFICATION),
            REQUEST,
            "A second clarification request in the same turn is not allowed: argue, with what is clear.",
        ),
        ((PROMOTERS, DETRACTORS), draft("closing", "promoter", "closing_statement"), "It is the detractor's turn."),
        ((PROMOTERS, DETRACTORS, CLOSED), POINT, "The rebuttal phase is over; the debate is in the closing phase."),
        (
            (PROMOTERS, DETRACTORS),
            draft("rebuttal", "promoter", "closing_statement"),
            (
                "In the rebuttal phase a debater may write new_point, rebuttal, conjecture, clarification_request, "
                "not closing_statement."
            ),
        ),
        (
            (PROMOTERS, DETRACTORS),
            draft("conclusion", "promoter", "closing_statement"),
            "In the conclusion phase a debater may write nothing, not closing_statement.",
        ),
        ((), draft("opening", "promoter", "ruling"), "An entry of type ruling is not the promoter's to write."),
        ((), draft("opening", "chair", "new_point"), "An entry of type new_point is not the chair's to write."),
        ((), draft("opening", "chair", "source_check"), "An entry of type source_check is not the chair's to write."),
        ((), draft("rebuttal", "reporter", "question"), "An entry of type question is not the reporter's to write."),
        ((), draft("opening", "audience", "question"), "An entry of type question belongs to the rebuttal phase."),
        ((), draft("opening", "chair", "conclusion"), "An entry of type conclusion belongs to the conclusion phase."),
        (
            (PROMOTERS, draft("opening", "chair", "disqualification", "It cheats.", target_seq=1), DETRACTORS),
            POINT,
            "The promoter has been disqualified and may not speak any more.",
        ),
    ],
)
def test_nobody_speaks_out_of_turn_or_writes_what_is_not_theirs(
    log: tuple[LogDraft, ...], entry: LogDraft, reason: str
) -> None:
    assert refusals(entry, written(*log)) == (reason,)


@pytest.mark.parametrize(("phase", "type_"), [("opening", "opening_statement"), ("rebuttal", "new_point")])
def test_a_claim_needs_a_source_or_the_label_of_a_conjecture(phase: str, type_: str) -> None:
    entry = draft(phase, "promoter", type_, "It is so, as (seq 2) says.", sources=())
    assert refusals(entry, () if phase == "opening" else OPENED) == (
        f"An entry of type {type_} needs at least one source, or must begin with the label [CONJECTURE].",
    )


def test_figures_need_a_mark_in_their_paragraph() -> None:
    content = "It is so [1].\n\nIt fell by 12 % in 1999.\n\nIt rose by 3 % (seq 2).\n\nBy 5 % (seq 9)."
    (reason,) = refusals(draft("rebuttal", "promoter", "new_point", content), OPENED)
    assert reason == (
        "There are figures without a mark such as [1] for a source of this entry, a (seq n) for a source given "
        "earlier, or the label [CONJECTURE], in paragraph 2, 4."
    )


def test_of_many_paragraphs_without_a_mark_the_first_are_named() -> None:
    (reason,) = refusals(draft("rebuttal", "promoter", "new_point", "It is 5.\n\n" * 30), OPENED)
    assert reason.endswith("in paragraph 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ….")


def test_figures_of_the_topic_need_no_mark() -> None:
    entry = draft("rebuttal", "promoter", "new_point", "By 2035 it would be done.")
    assert refusals(entry, OPENED, topic="Close it by 2035.") == ()


CONJECTURE = draft("rebuttal", "detractor", "conjecture", "[CONJECTURE] It may be so.", sources=())
ALONE = "A conjecture alone cannot carry a rebuttal: pair it with sourced evidence."
NO_SOURCE = "A rebuttal needs a source of its own, or a (seq n) for a source given earlier."


@pytest.mark.parametrize(
    ("content", "sources", "reasons"),
    [
        ("[CONJECTURE] It may not be so.", False, (ALONE,)),
        ("Seq 4 suggests otherwise.", False, (ALONE, NO_SOURCE)),
        ("Seq 4 and seq 1 suggest otherwise, by 12 %.", False, ()),
        ("It does not follow.", False, (NO_SOURCE,)),
        ("Seq 9 suggests otherwise.", False, (NO_SOURCE,)),
        ("[CONJECTURE] It may not be so, as a page suggests [1].", True, ()),
    ],
)
def test_a_conjecture_is_no_basis_of_a_rebuttal(content: str, sources: bool, reasons: tuple[str, ...]) -> None:  # noqa: FBT001 -- a table's column
    log = written(PROMOTERS, DETRACTORS, POINT, CONJECTURE)
    given = (Source(url=URL, quote=QUOTE),) if sources else ()
    entry = draft("rebuttal", "promoter", "rebuttal", content, sources=given, rebuttal_to_seq=2)
    assert refusals(entry, log) == reasons


def test_a_conjecture_begins_with_its_label() -> None:
    entry = draft("rebuttal", "promoter", "conjecture", "It may be so.")
    assert refusals(entry, OPENED) == ("A conjecture begins with the label [CONJECTURE].",)


STRUCK = draft("rebuttal", "detractor", "new_point", "[STRUCK] It could not be read.", sources=())
REDACTED = draft("rebuttal", "detractor", "new_point", "[REDACTED] Its source is made up.", sources=())
REDACTION = draft("rebuttal", "chair", "redaction", "Made up.", target_seq=2)
TAKEN_OUT = "and that entry was taken out of the debate."


@pytest.mark.parametrize(
    ("behind", "seq", "reason"),
    [
        ((), None, "A rebuttal needs rebuttal_to_seq: the entry of the opponent that it answers."),
        ((), 9, "rebuttal_to_seq is 9, and there is no such entry."),
        ((), 1, "rebuttal_to_seq names an entry of the detractor; seq 1 is your own."),
        ((CUE,), 3, "rebuttal_to_seq names an entry of the detractor; seq 3 is the chair's."),
        ((POINT, STRUCK), 4, f"rebuttal_to_seq is 4, {TAKEN_OUT}"),
        ((POINT, REDACTED), 4, f"rebuttal_to_seq is 4, {TAKEN_OUT}"),
        ((REDACTION,), 2, f"rebuttal_to_seq is 2, {TAKEN_OUT}"),
    ],
)
def test_a_rebuttal_answers_an_entry_of_the_opponent_that_stands(
    behind: tuple[LogDraft, ...], seq: int | None, reason: str
) -> None:
    entry = draft("rebuttal", "promoter", "rebuttal", rebuttal_to_seq=seq)
    assert refusals(entry, written(PROMOTERS, DETRACTORS, *behind)) == (reason,)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (
            draft("rebuttal", "promoter", "new_point", rebuttal_to_seq=2),
            "Only an entry of type rebuttal has a rebuttal_to_seq.",
        ),
        (draft("rebuttal", "promoter", "new_point", target_seq=9), "target_seq is 9, and there is no such entry."),
        (
            draft("rebuttal", "promoter", "new_point", target_seq=1),
            "target_seq names an entry of the detractor; seq 1 is your own.",
        ),
        (
            draft("rebuttal", "promoter", "clarification_request", target_seq=9),
            "target_seq is 9, and there is no such entry.",
        ),
        (
            draft("rebuttal", "promoter", "clarification_request", sources=(Source(url=URL),)),
            "A clarification request asks, and has no sources.",
        ),
        (
            draft("rebuttal", "promoter", "new_point", "[REDACTED] It is so."),
            "Content may not begin with [REDACTED] or [STRUCK]: these mark what was taken out.",
        ),
        (
            draft("rebuttal", "chair", "redaction"),
            "An entry of type redaction needs target_seq: the entry that it is about.",
        ),
        (draft("rebuttal", "chair", "ruling", target_seq=9), "target_seq is 9, and there is no such entry."),
    ],
)
def test_a_reference_fits_what_it_is_for(entry: LogDraft, reason: str) -> None:
    assert refusals(entry, OPENED) == (reason,)


def test_only_an_entry_with_sources_can_be_challenged() -> None:
    log = written(PROMOTERS, draft("opening", "detractor", "opening_statement", sources=()))
    assert refusals(draft("rebuttal", "promoter", "new_point", target_seq=2), log) == (
        "target_seq names the entry whose sources are challenged, and seq 2 has none.",
    )


def test_only_an_entry_of_a_debater_is_taken_out() -> None:
    log: tuple[LogEntry, ...] = written(PROMOTERS, draft("opening", "chair", "cue", "Now the detractor."))
    assert refusals(draft("opening", "chair", "redaction", "Made up.", target_seq=2), log) == (
        "target_seq of a redaction names an entry of a debater; seq 2 is the chair's.",
    )


def test_a_struck_clarification_request_ends_the_turn() -> None:
    struck = draft("rebuttal", "promoter", "clarification_request", "[STRUCK] It has sources.")
    log = written(PROMOTERS, DETRACTORS, struck)
    assert (refusals(ANSWER, log), refusals(POINT, log)) == ((), ("It is the detractor's turn.",))
