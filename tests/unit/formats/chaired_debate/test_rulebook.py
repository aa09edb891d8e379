"""Which entries are refused, and why: for debates that are run here and for logs that others write."""

from collections.abc import Sequence

import pytest

from sparring.formats.chaired_debate import rulebook
from sparring.schema.chaired_debate import LogDraft, LogEntry
from support.chaired_playing import CITED, draft, written
from support.playing import NOON

PROMOTERS = draft("opening", "promoter", "opening_statement")
DETRACTORS = draft("opening", "detractor", "opening_statement")
OPENINGS = (PROMOTERS, DETRACTORS)
POINT = draft("rebuttal", "promoter", "new_point")
ANSWER = draft("rebuttal", "detractor", "rebuttal", rebuttal_to_seq=1)
REQUEST = draft("rebuttal", "promoter", "clarification_request", "What does seq 2 mean?", target_seq=2)
CLARIFICATION = draft("rebuttal", "chair", "clarification", "It means what it says.", target_seq=3)
CUE = draft("rebuttal", "chair", "cue", "The turn passes.")
CLOSED = draft("closing", "detractor", "closing_statement")
CONJECTURE = draft("rebuttal", "detractor", "conjecture", "[CONJECTURE] It may be so.", sources=())
STRUCK = draft("rebuttal", "detractor", "new_point", "[STRUCK] It could not be read.", sources=())
REDACTED = draft("rebuttal", "detractor", "new_point", "[REDACTED] Its source is made up.", sources=())
REDACTION = draft("rebuttal", "chair", "redaction", "Made up.", target_seq=2)
STRUCK_REQUEST = draft("rebuttal", "promoter", "clarification_request", "[STRUCK] It has sources.")
TAKEN_OUT = "and that entry was taken out of the debate."
UNSOURCED = (
    "There are figures without a source of this entry, a (seq n) for a source given earlier, or the label "
    "[CONJECTURE], in paragraph {}."
)


def refusals(entry: LogDraft, log: Sequence[LogEntry], topic: str = "") -> tuple[str, ...]:
    return rulebook.refusals(entry, log, today=NOON.date(), topic=topic)


def point(content: str = "It is so [1].", **changes: object) -> LogDraft:
    return draft("rebuttal", "promoter", "new_point", content, **changes)


def answer(seq: int | None) -> LogDraft:
    return draft("rebuttal", "promoter", "rebuttal", rebuttal_to_seq=seq)


@pytest.mark.parametrize(
    ("log", "entry"),
    [
        ((), PROMOTERS),
        ((PROMOTERS,), DETRACTORS),
        (OPENINGS, POINT),
        ((*OPENINGS, POINT), ANSWER),
        ((*OPENINGS, POINT, ANSWER), POINT),
        (OPENINGS, REQUEST),
        ((*OPENINGS, REQUEST), POINT),
        ((*OPENINGS, REQUEST, CLARIFICATION), POINT),
        ((*OPENINGS, CUE), ANSWER),
        ((*OPENINGS, POINT, CUE), POINT),
        (OPENINGS, CLOSED),
        ((*OPENINGS, STRUCK_REQUEST), ANSWER),
        ((*OPENINGS, CLOSED), draft("closing", "promoter", "closing_statement")),
        ((*OPENINGS, draft("closing", "chair", "cue")), draft("closing", "promoter", "closing_statement")),
        ((), draft("opening", "chair", "cue", "The promoter opens.")),
        ((PROMOTERS,), draft("opening", "verifier", "source_check", "Verified.", target_seq=1)),
        ((PROMOTERS,), draft("opening", "chair", "redaction", "Made up.", target_seq=1)),
        (OPENINGS, draft("rebuttal", "audience", "question", "Who pays?")),
        ((*OPENINGS, CLOSED), draft("conclusion", "chair", "conclusion", "draw: it is even.")),
        ((PROMOTERS,), draft("conclusion", "reporter", "summary", "There was a debate.")),
        (OPENINGS, draft("rebuttal", "promoter", "conjecture", "**[CONJECTURE]** By 2040 it may be so.", sources=())),
        ((), draft("opening", "promoter", "opening_statement", "[CONJECTURE] It may be so.", sources=())),
        (OPENINGS, draft("closing", "detractor", "closing_statement", "It fell by 12 % (seq 1).", sources=())),
        # A reasoned point needs no source, and the sources of an entry belong to all of it.
        ((), draft("opening", "promoter", "opening_statement", "One cannot pay twice.", sources=())),
        (OPENINGS, point("Whoever pays twice pays too much.", sources=())),
        ((*OPENINGS, POINT), draft("rebuttal", "detractor", "rebuttal", "So what?", sources=(), rebuttal_to_seq=3)),
        (OPENINGS, point("It is so.\n\nIt fell by 12 % in 1999.")),
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
        (OPENINGS, ANSWER, "It is the promoter's turn."),
        ((*OPENINGS, POINT), POINT, "It is the detractor's turn."),
        ((*OPENINGS, REQUEST), ANSWER, "It is the promoter's turn."),
        (
            (*OPENINGS, REQUEST, CLARIFICATION),
            REQUEST,
            "A second clarification request in the same turn is not allowed: argue, with what is clear.",
        ),
        (OPENINGS, draft("closing", "promoter", "closing_statement"), "It is the detractor's turn."),
        ((*OPENINGS, CLOSED), POINT, "The rebuttal phase is over; the debate is in the closing phase."),
        (
            OPENINGS,
            draft("rebuttal", "promoter", "closing_statement"),
            (
                "In the rebuttal phase a debater may write new_point, rebuttal, conjecture, clarification_request, "
                "not closing_statement."
            ),
        ),
        (
            OPENINGS,
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
        # Without a source of the entry each paragraph with figures says where they come from.
        (
            OPENINGS,
            point("So it is.\n\nIt fell by 12 %.\n\nIt rose by 3 % (seq 2).\n\nBy 5 % (seq 9).", sources=()),
            UNSOURCED.format("2, 4"),
        ),
        (OPENINGS, point("It is 5.\n\n" * 30, sources=()), UNSOURCED.format("1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …")),
        (
            OPENINGS,
            draft("rebuttal", "promoter", "conjecture", "It may be so."),
            "A conjecture begins with the label [CONJECTURE].",
        ),
        # A rebuttal answers an entry of the opponent that stands.
        (OPENINGS, answer(None), "A rebuttal needs rebuttal_to_seq: the entry of the opponent that it answers."),
        (OPENINGS, answer(9), "rebuttal_to_seq is 9, and there is no such entry."),
        (OPENINGS, answer(1), "rebuttal_to_seq names an entry of the detractor; seq 1 is your own."),
        ((*OPENINGS, CUE), answer(3), "rebuttal_to_seq names an entry of the detractor; seq 3 is the chair's."),
        ((*OPENINGS, POINT, STRUCK), answer(4), f"rebuttal_to_seq is 4, {TAKEN_OUT}"),
        ((*OPENINGS, POINT, REDACTED), answer(4), f"rebuttal_to_seq is 4, {TAKEN_OUT}"),
        ((*OPENINGS, REDACTION), answer(2), f"rebuttal_to_seq is 2, {TAKEN_OUT}"),
        # Any other reference fits what it is for.
        (OPENINGS, point(rebuttal_to_seq=2), "Only an entry of type rebuttal has a rebuttal_to_seq."),
        (OPENINGS, point(target_seq=9), "target_seq is 9, and there is no such entry."),
        (OPENINGS, point(target_seq=1), "target_seq names an entry of the detractor; seq 1 is your own."),
        (
            OPENINGS,
            draft("rebuttal", "promoter", "clarification_request", target_seq=9),
            "target_seq is 9, and there is no such entry.",
        ),
        (
            OPENINGS,
            draft("rebuttal", "promoter", "clarification_request", sources=(CITED,)),
            "A clarification request asks, and has no sources.",
        ),
        (
            OPENINGS,
            point("[REDACTED] It is so."),
            "Content may not begin with [REDACTED] or [STRUCK]: these mark what was taken out.",
        ),
        (
            OPENINGS,
            draft("rebuttal", "chair", "redaction"),
            "An entry of type redaction needs target_seq: the entry that it is about.",
        ),
        (OPENINGS, draft("rebuttal", "chair", "ruling", target_seq=9), "target_seq is 9, and there is no such entry."),
        (
            (PROMOTERS, draft("opening", "detractor", "opening_statement", sources=())),
            point(target_seq=2),
            "target_seq names the entry whose sources are challenged, and seq 2 has none.",
        ),
        (
            (PROMOTERS, draft("opening", "chair", "cue", "Now the detractor.")),
            draft("opening", "chair", "redaction", "Made up.", target_seq=2),
            "target_seq of a redaction names an entry of a debater; seq 2 is the chair's.",
        ),
        ((*OPENINGS, STRUCK_REQUEST), POINT, "It is the detractor's turn."),
    ],
)
def test_an_entry_against_the_rules_is_refused_with_the_reason(
    log: tuple[LogDraft, ...], entry: LogDraft, reason: str
) -> None:
    assert refusals(entry, written(*log)) == (reason,)


def test_figures_of_the_topic_need_no_mark() -> None:
    entry = point("By 2035 it would be done.", sources=())
    assert refusals(entry, written(*OPENINGS), topic="Close it by 2035.") == ()


ALONE = "A conjecture alone cannot carry a rebuttal: pair it with sourced evidence."


@pytest.mark.parametrize(
    ("content", "sources", "reasons"),
    [
        ("[CONJECTURE] It may not be so.", False, (ALONE,)),
        ("Seq 4 suggests otherwise.", False, (ALONE,)),
        ("Seq 4 and seq 1 suggest otherwise, by 12 %.", False, ()),
        ("It does not follow.", False, ()),
        ("Seq 9 suggests otherwise.", False, ()),
        ("[CONJECTURE] It may not be so, as a page suggests [1].", True, ()),
    ],
)
def test_a_conjecture_is_no_basis_of_a_rebuttal(content: str, sources: bool, reasons: tuple[str, ...]) -> None:  # noqa: FBT001 -- a table's column
    log = written(*OPENINGS, POINT, CONJECTURE)
    given = (CITED,) if sources else ()
    entry = draft("rebuttal", "promoter", "rebuttal", content, sources=given, rebuttal_to_seq=2)
    assert refusals(entry, log) == reasons


NO_ADDRESS = "Source 1: url must be an address that begins with http:// or https://; it is {!r}."
NO_DAY = "Source 1: accessed must be a day as YYYY-MM-DD; it is {!r}."


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"url": "https://example.com/paper?a=1#b", "accessed": "2026-02-21"}, ""),
        ({"url": "http://127.0.0.1:8080/"}, ""),
        ({"url": "http://[::1]/"}, ""),
        ({"accessed": "2026-11-22"}, ""),  # it is that day already somewhere
        ({"accessed": "2026-11-23"}, "Source 1: accessed must not be in the future; it is '2026-11-23'."),
        *(
            ({"url": url}, NO_ADDRESS.format(url))
            for url in ("notaurl", "ftp://example.org", "https://", "https://nowhere", "http://[::1", "https://a b.org")
        ),
        ({"title": "  "}, "Source 1: title must not be empty."),
        *(({"accessed": day}, NO_DAY.format(day)) for day in ("", "yesterday", "20260221", "2026-02-30", "2026-W08-6")),
    ],
)
def test_a_source_is_an_address_with_a_title_and_a_day_that_has_been(changes: dict[str, str], reason: str) -> None:
    entry = point(sources=(CITED.model_copy(update=changes),))
    assert refusals(entry, written(*OPENINGS)) == ((reason,) if reason else ())
