"""A chaired debate as people and programs read it; what the chair took out is in nothing of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.errors import DeliberationError
from sparring.reports import chaired_debate
from sparring.reports.chaired_debate import last, remaining, result, summary
from sparring.reports.markdown import DECISION_LIMIT, decision, report
from sparring.schema.base import Role
from sparring.schema.chaired_debate import (
    ChairedDebateResult,
    ChairedDebateStatus,
    CheckedSource,
    DebateDecision,
    EndReason,
    EntryType,
    Speaker,
)
from sparring.schema.chaired_debate.outcome import Seat
from sparring.schema.runs import Run
from sparring.schema.sources import Source, SourceFinding, SourceStatus
from sparring.schema.transcript import Turn
from support.chaired_runs import (
    ACTED,
    CONCLUDED,
    FINDINGS,
    LOG,
    OPENED,
    OPENING,
    PAGE,
    READY,
    TAKEN_OUT,
    disqualified,
    entry,
    finished,
    outcome,
    request,
    unjudged,
)
from support.reading import INERT, block_types, inline_types, read
from support.runs import CREATED_AT, finished_debate, run

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
HOSTILE = "# **Verdict**\n\x1b]0;owned\x07\x1b[31m`{x}`\u202e\n| a | [b](https://bad.example) |\n<!-- hide\n```\n1. *x*"
GOLDEN_TEXTS = {
    "chaired-debate-transcript.md": report(finished()),
    "chaired-debate-decision.md": decision(finished()),
    "chaired-debate-summary.md": summary(finished()),
    "chaired-debate-disqualified-summary.md": summary(disqualified()),
    "chaired-debate-unjudged-decision.md": decision(unjudged()),
    "chaired-debate-result.json": result(finished()).model_dump_json(indent=2) + "\n",
}
SHOWN: tuple[Callable[[Run], str], ...] = (report, decision, summary)


def said_by_all(words: str, *, reported: str = "Done.", **changes: object) -> Run:
    """A debate in which everybody says the same, and pages hold nothing else."""
    source = Source(url=words[:2_000], title=words[:500], accessed=words[:40], quote=words[:2_000])
    finding = SourceFinding(
        url=source.url, quote=source.quote, status=SourceStatus.UNRELIABLE, reason=words, found=words, final_url=words
    )
    content = words[:20_000]
    log = (
        entry(1, Speaker.PROMOTER, EntryType.OPENING_STATEMENT, content, phase=OPENING, sources=(source,)),
        entry(2, Speaker.DETRACTOR, EntryType.REBUTTAL, content, rebuttal_to_seq=1),
        entry(3, Speaker.PROMOTER, EntryType.NEW_POINT, f"[STRUCK] {content[:9_000]}"),
        entry(4, Speaker.PROMOTER, EntryType.NEW_POINT, f"[REDACTED] {content[:9_000]}"),
        entry(5, Speaker.CHAIR, EntryType.REDACTION, content, target_seq=4),
    )
    checked = (CheckedSource(seq=1, finding=finding),)
    ended = outcome(reasoning=words, decisive=(1, 2), log=log, sources=checked, summary=reported, notices=(), **changes)
    return run(request(topic="# *T*\n```\n<b>[a](https://bad.example)"), (), ended)


@pytest.mark.parametrize("name", GOLDEN_TEXTS)
def test_a_text_is_as_it_was_read_and_approved(name: str) -> None:
    assert GOLDEN_TEXTS[name] == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("show", SHOWN)
@pytest.mark.parametrize("reported", [HOSTILE, ""], ids=["with a reporter's summary", "without one"])
def test_nothing_that_was_said_acts_outside_of_a_quotation(show: Callable[[Run], str], reported: str) -> None:
    shown = show(said_by_all(HOSTILE, reported=reported))
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    outside = read(shown).outside
    assert inline_types(outside) <= INERT
    assert {"fence", "html_block", "ordered_list_open"}.isdisjoint(block_types(outside))


def test_our_headings_are_the_only_ones_outside_of_quotations() -> None:
    assert read(report(said_by_all(HOSTILE))).headings == [
        "# Chaired debate: the affirmative wins",
        "## Topic",
        "## Reasoning",
        "## Decisive entries",
        "## Taken out of the debate",
        "## Seats",
        "## Opening",
        "### Seq 1, promoter: opening statement",
        "## Rebuttal",
        "### Seq 2, detractor: rebuttal to seq 1",
        "### Seq 3, promoter: new point",
        "### Seq 4, promoter: new point",
        "### Seq 5, chair: redaction of seq 4",
        "## Sources",
        "## Run",
    ]


@pytest.mark.parametrize("show", SHOWN)
@pytest.mark.parametrize("debate", [finished(), finished(summary=""), disqualified(), unjudged()])
def test_what_was_taken_out_is_not_shown(debate: Run, show: Callable[[Run], str]) -> None:
    shown = show(debate)
    assert "made-up.example" not in shown
    assert "walkers" not in shown


def test_of_an_unfinished_debate_nothing_that_was_said_is_shown() -> None:
    shown = report(run(request(), (*READY, *OPENED, *ACTED)))
    assert TAKEN_OUT not in shown
    assert "Said." not in shown
    assert "- round 1, promoter (claude): answered in 8.5 s" in shown


def test_an_entry_that_only_repeated_what_was_redacted_later_is_shown_without_that() -> None:
    shown = report(finished()).split("### Seq 9, detractor: rebuttal to seq 1, about seq 1\n\n")[1]
    assert shown.startswith("> [REDACTED], you said. But | shops [1] matter.")


def test_what_a_page_really_says_stands_beside_a_quote_that_is_not_on_it() -> None:
    differs = SourceFinding(
        url=PAGE.url, quote=PAGE.quote, status=SourceStatus.UNRELIABLE, reason="altered", found="fell by *7* percent"
    )
    shown = report(finished(sources=(CheckedSource(seq=1, finding=differs),)))
    assert "  - quoted: “NO2 fell by 17 percent”\n  - on the page: “fell by \\*7\\* percent”\n\n### Seq 2" in shown


@pytest.mark.parametrize("limit", [2000, DECISION_LIMIT])
@pytest.mark.parametrize("decided", [DebateDecision.VOID, None])
def test_a_decision_stays_below_its_limit_and_says_first_what_came_of_it_and_where_the_whole_is(
    limit: int, decided: DebateDecision | None
) -> None:
    status = ChairedDebateStatus.COMPLETED if decided else ChairedDebateStatus.UNJUDGED
    long = said_by_all("word " * 20_000, decision=decided, status=status)
    text = decision(long, limit=limit)
    assert len(text) < limit
    title = "# Chaired debate: void\n\n**Void**" if decided else "# Chaired debate: no decision\n\n**No decision**"
    assert text.startswith(title)
    assert long.header.run_id in text


@pytest.mark.parametrize(
    ("debate", "told"),
    [
        (unjudged(), "**No decision**: the chair gave none that could be used."),
        (unjudged(ChairedDebateStatus.FAILED, log=(), sources=()), "**No decision**: a debater never spoke."),
        (finished(decision=DebateDecision.DRAW), "**A draw**, decided by the chair, gemini (gemini-pro)."),
        (disqualified(), "**The negative wins**, decided by the rules."),
    ],
)
def test_how_it_was_decided_stands_below_the_title(debate: Run, told: str) -> None:
    assert [show(debate).split("\n\n")[1] for show in SHOWN] == [told] * len(SHOWN)


@pytest.mark.parametrize(
    ("debate", "warnings"),
    [
        (finished(), 2),
        (finished(status=ChairedDebateStatus.INCOMPLETE), 3),
        (finished(sources=FINDINGS[1:]), 3),
        (finished(sources=()), 3),
        (unjudged(sources=()), 1),
        (disqualified(), 2),
    ],
    ids=["usual", "incomplete", "nothing verified", "nothing looked up", "no decision", "disqualified"],
)
def test_what_makes_a_decision_weak_is_said_at_the_top(debate: Run, warnings: int) -> None:
    top = decision(debate).split("\n\nTopic: ")[0].split("\n\n")[2:]
    assert len(top) == warnings
    assert all(line.startswith(("[WARN] ", "A debater could not be had")) for line in top)


@pytest.mark.parametrize("ended", EndReason)
def test_why_no_further_round_was_held_is_said(ended: EndReason) -> None:
    (line,) = (line for line in decision(finished(ended=ended)).splitlines() if line.startswith("Rebuttal rounds: "))
    assert line.rstrip().split("; then ")[1]


@pytest.mark.parametrize(("least", "most", "told"), [(0, 2, "0 to 2"), (2, 2, "2")])
def test_how_many_rounds_were_asked_for_is_said(least: int, most: int, told: str) -> None:
    debate = run(request(min_rounds=least, max_rounds=most), (*READY, *OPENED, *CONCLUDED), outcome())
    assert f"({told} were asked for)" in report(debate)


def test_a_decision_names_the_folder_that_holds_the_whole() -> None:
    debate = run(request(output_dir="debates/first_*one*"), (*READY, *OPENED, *CONCLUDED), outcome())
    where = f"The whole: `sparring runs show {debate.header.run_id}`, and below the project in debates/first"
    assert where in decision(debate)
    assert "*one*" not in decision(debate).replace("\\*", "")


def test_a_chair_that_names_no_entry_is_said_to() -> None:
    assert "## Decisive entries\n\nThe chair names none." in decision(finished(decisive=()))
    assert "## Reasoning" not in decision(finished(reasoning=""))


def test_a_debate_without_sources_or_points_says_so() -> None:
    shown = summary(finished(log=(), sources=(), summary="", decisive=()))
    sections = ("## Position of the promoter (affirmative)", "## Points in the rebuttal rounds", "## Sources")
    told = [shown.split(f"{section}\n\n")[1].split("\n\n")[0] for section in sections]
    assert told == ["None that stands.", "None.", "None was given."]


def test_points_are_listed_by_their_number_and_long_positions_are_cut() -> None:
    long = LOG[0].model_copy(update={"content": "word " * 1_000})
    shown = summary(finished(log=(long, *LOG[1:]), summary=""))
    assert "| 9 | detractor | rebuttal to seq 1, about seq 1 | \\[REDACTED], you said. But \\| shops" in shown
    assert "| 6 |" not in shown.split("## Sources")[0]
    position = shown.split("Seq 1, opening statement:\n\n")[1].split("\n\n")[0]
    assert len(position) < 1_600
    assert position.endswith("\n> […]")


def test_the_record_has_every_seat_with_the_model_that_its_tool_reported() -> None:
    kept = result(finished())
    assert ChairedDebateResult.model_validate_json(kept.model_dump_json()) == kept
    assert kept.timestamp == CREATED_AT.replace(minute=15)
    assert kept.seats == (
        Seat(role=Role.CHAIR, tool="gemini", model="gemini-pro"),
        Seat(role=Role.PROMOTER, tool="claude", model="opus-4", web=True),
        Seat(role=Role.DETRACTOR, tool="codex", model=None),
        Seat(role=Role.AUDIENCE, tool="opencode", model=None),
        Seat(role=Role.REPORTER, tool="copilot", model=None),
    )


def test_a_chaired_debate_leaves_no_file_of_the_last_one() -> None:
    assert last(finished()) is None


READY_MISSING = ["ready, promoter (claude)", "ready, detractor (codex)"]
OPENING_MISSING = ["opening, promoter (claude)", "opening, detractor (codex)"]
FIRST_MISSING = ["round 1, promoter (claude)", "round 1, detractor (codex)", "round 1, audience (opencode)"]
SECOND_MISSING = [line.replace("round 1", "round 2 (if it is held)") for line in FIRST_MISSING]
LAST_MISSING = [
    "closing, detractor (codex)",
    "closing, promoter (claude)",
    "conclusion, chair (gemini)",
    "summary, reporter (copilot)",
]


@pytest.mark.parametrize(
    ("turns", "missing"),
    [
        ((), [*READY_MISSING, *OPENING_MISSING, *FIRST_MISSING, *SECOND_MISSING, *LAST_MISSING]),
        ((*READY, *OPENED[:2]), [*OPENING_MISSING[1:], *FIRST_MISSING, *SECOND_MISSING, *LAST_MISSING]),
        ((*READY, *OPENED, *ACTED[:2]), [*FIRST_MISSING[2:], *SECOND_MISSING, *LAST_MISSING]),
        ((*READY, *OPENED, *ACTED, *CONCLUDED[:1]), LAST_MISSING[1:]),
        ((*READY, *OPENED, *ACTED, *CONCLUDED), []),
    ],
    ids=["nobody spoke", "one has opened", "in the first round", "closing", "all have spoken"],
)
def test_an_unfinished_debate_says_what_is_missing(turns: tuple[Turn, ...], missing: list[str]) -> None:
    assert remaining(run(request(max_rounds=2), turns)) == tuple(missing)


def test_a_seat_that_nobody_has_is_not_missing() -> None:
    empty = request(audience=None, reporter=None, max_rounds=1)
    assert remaining(run(empty, (*READY, *OPENED))) == (*FIRST_MISSING[:2], *LAST_MISSING[:3])


def test_another_kind_of_run_or_an_unfinished_one_is_refused() -> None:
    for show in (chaired_debate.report, summary, result, last):
        for other in (finished_debate(), run(request())):
            with pytest.raises(DeliberationError):
                show(other)
    with pytest.raises(DeliberationError):
        chaired_debate.decision(run(request()), limit=DECISION_LIMIT)
    with pytest.raises(DeliberationError):
        remaining(finished_debate())
