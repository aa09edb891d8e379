"""Which entries are refused, and why: for debates that are run here and for logs that others write."""

import pytest

from sparring.formats.chaired_debate import rulebook
from sparring.schema.chaired_debate import LogDraft, LogEntry
from support.chaired_playing import CITED, draft, written
from support.golden import Golden
from support.playing import NOON

PROMOTERS = draft("opening", "promoter", "opening_statement")
DETRACTORS = draft("opening", "detractor", "opening_statement")
OPENINGS = (PROMOTERS, DETRACTORS)
POINT = draft("rebuttal", "promoter", "new_point")
ANSWER = draft("rebuttal", "detractor", "rebuttal", rebuttal_to_seq=1)
REQUEST = draft("rebuttal", "promoter", "clarification_request", "What does seq 2 mean?", target_seq=2)
CLARIFICATION = draft("rebuttal", "chair", "clarification", "It means what it says.", target_seq=3)
SETUP = draft("system", "chair", "setup", "The session begins.", sources=())
ANNOUNCED = draft("system", "chair", "announcement", "Phase 1 is complete.", sources=())
CUE = draft("rebuttal", "chair", "cue", "The turn passes.")
CLOSED = draft("closing", "detractor", "closing_statement")
CONJECTURE = draft("rebuttal", "detractor", "conjecture", "[CONJECTURE] It may be so.", sources=())
STRUCK = draft("rebuttal", "detractor", "new_point", "[STRUCK] It could not be read.", sources=())
REDACTED = draft("rebuttal", "detractor", "new_point", "[REDACTED] Its source is made up.", sources=())
REDACTION = draft("rebuttal", "chair", "redaction", "Made up.", target_seq=2)
STRUCK_REQUEST = draft("rebuttal", "promoter", "clarification_request", "[STRUCK] It has sources.")


def refusals(entry: LogDraft, *log: LogDraft) -> tuple[str, ...]:
    return rulebook.refusals(entry, written(*log), today=NOON.date(), topic="Close it by 2035.")


def point(content: str = "It is so [1].", **changes: object) -> LogDraft:
    return draft("rebuttal", "promoter", "new_point", content, **changes)


def answer(seq: int | None) -> LogDraft:
    return draft("rebuttal", "promoter", "rebuttal", rebuttal_to_seq=seq)


CONJECTURED = (*OPENINGS, POINT, CONJECTURE)
SOURCES: tuple[dict[str, str], ...] = (
    {"url": "https://example.com/paper?a=1#b", "accessed": "2026-02-21"},
    {"url": "http://127.0.0.1:8080/"},
    {"url": "http://[::1]/"},
    {"accessed": "2026-11-22"},  # it is that day already somewhere
    {"accessed": "2026-11-23"},
    {"title": "  "},
    *({"url": url} for url in ("notaurl", "ftp://example.org", "https://", "https://nowhere", "http://[::1")),
    {"url": "https://a b.org"},
    *({"accessed": day} for day in ("", "yesterday", "20260221", "2026-02-30", "2026-W08-6")),
)
ENTRIES: list[tuple[tuple[LogDraft, ...], LogDraft]] = [
    ((), PROMOTERS),
    ((PROMOTERS,), DETRACTORS),
    (OPENINGS, POINT),
    ((*OPENINGS, POINT), ANSWER),
    (OPENINGS, REQUEST),
    ((*OPENINGS, REQUEST), POINT),
    ((*OPENINGS, REQUEST, CLARIFICATION), POINT),
    ((*OPENINGS, CUE), ANSWER),
    (OPENINGS, CLOSED),
    ((*OPENINGS, STRUCK_REQUEST), ANSWER),
    ((*OPENINGS, draft("closing", "chair", "cue")), draft("closing", "promoter", "closing_statement")),
    ((), draft("opening", "chair", "cue", "The promoter opens.")),
    ((PROMOTERS,), draft("opening", "verifier", "source_check", "Verified.", target_seq=1)),
    (OPENINGS, draft("rebuttal", "audience", "question", "Who pays?")),
    ((*OPENINGS, CLOSED), draft("conclusion", "chair", "conclusion", "draw: it is even.")),
    (OPENINGS, draft("rebuttal", "promoter", "conjecture", "**[CONJECTURE]** By 2040 it may be so.", sources=())),
    ((), draft("opening", "promoter", "opening_statement", "[CONJECTURE] It may be so.", sources=())),
    (OPENINGS, draft("closing", "detractor", "closing_statement", "It fell by 12 % (seq 1).", sources=())),
    # A reasoned point needs no source, and the sources of an entry belong to all of it.
    ((), draft("opening", "promoter", "opening_statement", "One cannot pay twice.", sources=())),
    (OPENINGS, point("Whoever pays twice pays too much.", sources=())),
    ((*OPENINGS, POINT), draft("rebuttal", "detractor", "rebuttal", "So what?", sources=(), rebuttal_to_seq=3)),
    (OPENINGS, point("It is so.\n\nIt fell by 12 % in 1999.")),
    (OPENINGS, point("By 2035 it would be done.", sources=())),  # figures of the topic need no mark
    # Whoever keeps a log may say so at any time: it moves no phase.
    ((), SETUP),
    ((SETUP,), PROMOTERS),
    ((SETUP, *OPENINGS, ANNOUNCED), POINT),
    ((SETUP, *OPENINGS, CLOSED), ANNOUNCED),
    (OPENINGS, draft("rebuttal", "chair", "announcement", "Round 1 of 8 begins.", sources=())),
    # These are refused.
    (OPENINGS, draft("rebuttal", "chair", "setup", "The session begins.", sources=())),
    ((), draft("system", "promoter", "setup", "The session begins.", sources=())),
    ((SETUP,), draft("system", "promoter", "opening_statement")),
    ((*OPENINGS, CLOSED, ANNOUNCED), POINT),
    ((), DETRACTORS),
    ((PROMOTERS,), PROMOTERS),
    ((PROMOTERS,), CLOSED),
    ((*OPENINGS, POINT), POINT),
    ((*OPENINGS, REQUEST), ANSWER),
    ((*OPENINGS, REQUEST, CLARIFICATION), REQUEST),
    (OPENINGS, draft("closing", "promoter", "closing_statement")),
    ((*OPENINGS, CLOSED), POINT),
    (OPENINGS, draft("rebuttal", "promoter", "closing_statement")),
    (OPENINGS, draft("conclusion", "promoter", "closing_statement")),
    ((), draft("opening", "promoter", "ruling")),
    ((), draft("opening", "chair", "source_check")),
    ((), draft("opening", "audience", "question")),
    ((), draft("opening", "chair", "conclusion")),
    ((PROMOTERS, draft("opening", "chair", "disqualification", "It cheats.", target_seq=1), DETRACTORS), POINT),
    # Without a source of the entry each paragraph with figures says where they come from.
    (OPENINGS, point("So it is.\n\nIt fell by 12 %.\n\nIt rose by 3 % (seq 2).\n\nBy 5 % (seq 9).", sources=())),
    (OPENINGS, point("It is 5.\n\n" * 30, sources=())),
    (OPENINGS, draft("rebuttal", "promoter", "conjecture", "It may be so.")),
    # A rebuttal answers an entry of the opponent that stands.
    (OPENINGS, answer(9)),
    (OPENINGS, answer(1)),
    ((*OPENINGS, CUE), answer(3)),
    ((*OPENINGS, POINT, STRUCK), answer(4)),
    ((*OPENINGS, POINT, REDACTED), answer(4)),
    ((*OPENINGS, REDACTION), answer(2)),
    # Any other reference fits what it is for.
    (OPENINGS, point(target_seq=9)),
    (OPENINGS, point(target_seq=1)),
    (OPENINGS, draft("rebuttal", "promoter", "clarification_request", target_seq=9)),
    (OPENINGS, draft("rebuttal", "promoter", "clarification_request", sources=(CITED,))),
    (OPENINGS, point("[REDACTED] It is so.")),
    (OPENINGS, draft("rebuttal", "chair", "redaction")),
    (OPENINGS, draft("rebuttal", "chair", "ruling", target_seq=9)),
    ((PROMOTERS, draft("opening", "detractor", "opening_statement", sources=())), point(target_seq=2)),
    (
        (PROMOTERS, draft("opening", "chair", "cue", "Now the detractor.")),
        draft("opening", "chair", "redaction", "Made up.", target_seq=2),
    ),
    ((*OPENINGS, STRUCK_REQUEST), POINT),
    # A conjecture alone is no basis of a rebuttal.
    *(
        (CONJECTURED, draft("rebuttal", "promoter", "rebuttal", content, sources=sources, rebuttal_to_seq=2))
        for content, sources in (
            ("[CONJECTURE] It may not be so.", ()),
            ("Seq 4 suggests otherwise.", ()),
            ("Seq 4 and seq 1 suggest otherwise, by 12 %.", ()),
            ("It does not follow.", ()),
            ("Seq 9 suggests otherwise.", ()),
            ("[CONJECTURE] It may not be so, as a page suggests [1].", (CITED,)),
        )
    ),
    # A source is an address with a title and a day that has been.
    *((OPENINGS, point(sources=(CITED.model_copy(update=changes),))) for changes in SOURCES),
]


def told(entry: LogDraft | LogEntry) -> str:
    about = f"to {entry.rebuttal_to_seq} about {entry.target_seq}".replace(" about None", "").replace("to None", "")
    return f"{entry.phase} {entry.speaker} {entry.type} {about}: {entry.content[:70]!r}"


def test_an_entry_is_accepted_or_refused_with_the_reason(golden: Golden) -> None:
    lines: list[str] = []
    for log, entry in ENTRIES:
        sources = "; ".join(f"{each.url} {each.title!r} {each.accessed}" for each in entry.sources if each != CITED)
        lines += [f"== {told(entry)} {sources}".rstrip(), *(f"  after {told(each)}" for each in log)]
        lines += [f"- {reason}" for reason in refusals(entry, *log)] or ["let in"]
    golden.holds("rulebook/chaired-debate.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("content", "challenge"),
    [
        ("SOURCE CHALLENGE: seq 4 — there is no such page.", (4, "there is no such page.")),
        ("It is not so.\n\n**SOURCE CHALLENGE:** seq {12} - it says 3 %.\nAnd more.", (12, "it says 3 %.")),
        ("source challenge: seq 4", (4, "")),
        ("SOURCE CHALLENGE: seq 2: made up.\nSOURCE CHALLENGE: seq 4: made up.", (2, "made up.")),
        ("SOURCE CHALLENGE: seq 0 — there is none.", None),
        ("I raise no SOURCE CHALLENGE: seq 4 is fine.", None),
        ("> SOURCE CHALLENGE: seq 4 — as the opponent wrote.", None),
        ("SOURCE CHALLENGE: the page is gone.", None),
    ],
)
def test_a_source_challenge_may_use_the_words_of_the_specification(
    content: str, challenge: tuple[int, str] | None
) -> None:
    assert rulebook.challenge_in(content) == challenge
