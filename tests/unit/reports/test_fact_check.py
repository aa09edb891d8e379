"""A fact-check as people read it."""

from pathlib import Path

import pytest

from sparring.errors import DeliberationError
from sparring.reports import fact_check
from sparring.reports.markdown import DECISION_LIMIT, decision, report
from sparring.schema.claims import ClaimCheck, Label
from sparring.schema.context import ContextPart
from sparring.schema.fact_check import (
    AgentPath,
    CheckedPart,
    CheckedRebuttal,
    Decision,
    Fault,
    FaultFound,
    Movement,
    PartStatus,
    Position,
    StopReason,
)
from sparring.schema.fact_check import Path as VotePath
from sparring.schema.participants import Participant
from sparring.schema.runs import Run
from support.fact_check_runs import (
    CHECK,
    MATCH,
    NOT_FOUND,
    contested,
    finished,
    outcome,
    request,
    verbatim,
    without_quorum,
)
from support.reading import INERT, block_types, inline_types, read
from support.runs import finished_debate, run

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
HOSTILE = "# **Verdict**\n\x1b]0;owned\x07\x1b[31m`{x}`\u202e\n| a | [b](https://bad.example) |\n<!-- hide\n```\n1. *x*"
GOLDEN_TEXTS = {
    "fact-check-report.md": report(finished()),
    "fact-check-decision.md": decision(finished()),
    "fact-check-contested-decision.md": decision(contested()),
    "fact-check-no-quorum-decision.md": decision(without_quorum()),
}


def hostile() -> Run:
    """Everything that anybody else worded is as hostile as it gets, and one quote marks the whole source."""
    source = (ContextPart(name="a|*b*\n# c", size_bytes=1, text=HOSTILE),)
    quote = verbatim(HOSTILE, evidence=source)
    part = CheckedPart(part=HOSTILE, status=PartStatus.COVERED, claimed=PartStatus.COVERED, quote=HOSTILE, found=quote)
    invented = part.model_copy(update={"status": PartStatus.MISSING, "found": NOT_FOUND})
    position = Position(
        round=1,
        verdict=Label.NEI,
        claimed=Label.SUPPORTED,
        movement=Movement.BLIND,
        parts=(part, invented),
        parts_checked=(HOSTILE,),
        key_quote=HOSTILE,
        key_quote_found=quote,
        rebuttals=(CheckedRebuttal(agent=HOSTILE, their_quote=HOSTILE, counter_quote=HOSTILE, found=NOT_FOUND),),
        faults=(FaultFound(fault=Fault.FOREIGN_PART, why=HOSTILE, quote=HOSTILE),),
    )
    agent = AgentPath(
        name="Agent 1",
        tool="claude",
        model=HOSTILE,
        positions=(position,),
        blind=Label.NEI,
        debated=Label.NEI,
        path=VotePath.KEPT,
    )
    check = CHECK.model_copy(update={"findings": (MATCH.model_copy(update={"why": HOSTILE}),)})
    ended = outcome(label=Label.NEI, agents=(agent, agent), check=check, rounds_completed=1)
    return run(request(claim="# **Verdict**\n```\n<!--", evidence=source), (), ended)


HOSTILE_RUN = hostile()


def huge() -> Run:
    """Seven agents who talk much about much evidence."""
    long = "x y " * 10_000
    source = tuple(ContextPart(name=f"{long}{number}", size_bytes=9, text=long) for number in range(9))
    part = CheckedPart(part=long, status=PartStatus.COVERED, claimed=PartStatus.COVERED, quote=long)
    part = part.model_copy(update={"found": verbatim(long, evidence=source)})
    votes = (*Label, None) * 2
    agents = tuple(
        AgentPath(
            name=f"Agent {number}",
            tool="a" * 40,
            model=long,
            positions=(
                Position(
                    round=1,
                    verdict=Label.NEI,
                    claimed=Label.NEI,
                    movement=Movement.BLIND,
                    parts=(part,) * 5,
                    reason=long,
                ),
            ),
            blind=vote,
            debated=vote,
            path=VotePath.KEPT,
        )
        for number, vote in enumerate(votes[:7], start=1)
    )
    seats = (Participant(tool="a" * 40),) * 7
    ended = outcome(agents=agents, check=CHECK.model_copy(update={"findings": CHECK.findings * 500}))
    ended = ended.model_copy(update={"notices": (long,), "is_contested": True})
    return run(request(claim="word " * 4000, evidence=source, agents=seats), (), ended)


HUGE_RUN = huge()


@pytest.mark.parametrize("name", GOLDEN_TEXTS)
def test_a_text_is_as_it_was_read_and_approved(name: str) -> None:
    assert GOLDEN_TEXTS[name] == (GOLDEN / name).read_text(encoding="utf-8")


STABLE = "The debate ended after round 2: all agree, and nobody moved any more."
UNCALLED = "Nothing called for a debate after the blind round."
ACTING = {"fence", "html_block", "ordered_list_open"}


def test_nothing_that_was_said_acts_not_even_in_a_quotation_of_the_evidence() -> None:
    assert not {"\x1b", "\x07", "\u202e"} & set(report(HOSTILE_RUN) + decision(HOSTILE_RUN))
    for blocks in (read(decision(HOSTILE_RUN)).blocks, read(report(HOSTILE_RUN)).outside):
        assert inline_types(blocks) <= INERT
        assert ACTING.isdisjoint(block_types(blocks))


def test_our_headings_are_the_only_ones_outside_of_quotations() -> None:
    assert read(decision(HOSTILE_RUN)).headings == [
        "# Fact-check: NEI",
        "## Votes",
        "## Found by code",
        "## NEI: 2",
        "### Agent 1 (claude), Agent 1 (claude)",
    ]


def test_a_quote_that_is_full_of_marks_is_bold_as_a_whole() -> None:
    marked = {text for text in read(decision(HOSTILE_RUN)).strong if "Verdict" in text}
    assert marked == {"# **Verdict** `{x}` | a | [b](https://bad.example) | <!-- hide ``` 1. *x*"}


@pytest.mark.parametrize("limit", [2000, DECISION_LIMIT])
def test_a_decision_stays_below_its_limit_and_says_first_what_came_of_it_and_where_the_whole_is(limit: int) -> None:
    text = decision(HUGE_RUN, limit=limit)
    assert len(text) < limit
    assert text.startswith("# Fact-check: REFUTED\n\n**REFUTED** by all votes.")
    assert HUGE_RUN.header.run_id in text


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "**REFUTED** by all votes. All rounds that were allowed are used up (2)."),
        (
            {"decision": Decision.MAJORITY, "stop_reason": StopReason.STABLE},
            f"**REFUTED** by more than half of the votes. {STABLE}",
        ),
        (
            {"decision": Decision.PLURALITY, "stop_reason": StopReason.NOT_ESCALATED},
            f"**REFUTED** by the most votes, though not by more than half. {UNCALLED}",
        ),
        (
            {"label": Label.NEI, "decision": Decision.SPLIT},
            "**NEI** since two labels have the most votes. All rounds that were allowed are used up (2).",
        ),
    ],
    ids=["unanimous", "majority", "plurality", "split"],
)
def test_the_label_stands_with_how_it_was_decided(changes: dict[str, object], told: str) -> None:
    assert decision(finished(**changes)).split("\n\n")[1] == told


def test_votes_for_the_label_that_won_come_first() -> None:
    refuted, _, lost = outcome().agents
    agents = (lost, refuted, refuted.model_copy(update={"debated": Label.NEI}))
    found = read(decision(finished(label=Label.NEI, agents=agents))).headings
    assert [line for line in found if line.startswith("## ")][2:] == ["## NEI: 1", "## REFUTED: 1", "## No vote: 1"]


def test_grounds_that_several_give_word_for_word_stand_once() -> None:
    text = decision(contested())
    assert text.count("**COVERED**") == 1
    assert "### Agent 1 (offline), Agent 2 (offline)" in read(text).headings


def test_what_has_no_quote_stands_without_one() -> None:
    agent, *_ = outcome().agents
    blind, rebuttal = agent.positions
    part = CheckedPart(part="It reopened.", status=PartStatus.MISSING, claimed=PartStatus.MISSING)
    silent = rebuttal.model_copy(update={"key_quote": None, "key_quote_found": None, "faults": (), "reason": ""})
    unquoted = agent.model_copy(
        update={"positions": (blind.model_copy(update={"parts": (part,), "reason": ""}), silent)}
    )
    text = report(finished(agents=(unquoted,)))
    assert text.split("### Agent 1 (claude)\n\n")[1].startswith("- **MISSING**: It reopened.\n\n## Found by code")
    assert "Claimed REFUTED, counted REFUTED: blind.\n\n- MISSING: It reopened.\n\n" in text
    assert "Key quote" not in decision(finished(agents=(agent.model_copy(update={"positions": (blind, silent)}),)))


def test_what_cost_an_agent_its_vote_can_be_read_in_the_report() -> None:
    found = read(report(without_quorum())).headings
    assert "### Agent 2, round 1: no vote" in found
    text = report(without_quorum()).split("### Agent 2, round 1 (again): could not be read\n\n")[1]
    assert text.startswith("> I think so.\n")
    assert "could not be read" not in report(finished())


def test_an_altered_quote_is_shown_with_what_the_evidence_has() -> None:
    text = report(finished())
    assert "Altered: “It reopened in June 2020”" in text
    assert " — altered, report.md, 164–188 has: It reopened in June \\[-2020-] {+2021+}" in text


@pytest.mark.parametrize(
    ("check", "told"),
    [
        (ClaimCheck(label=Label.SUPPORTED, findings=(MATCH,)), "No mismatch in 1 findings."),
        (ClaimCheck(label=Label.NEI), "Nothing to compare: code found no quantity, date or word in the claim that"),
    ],
)
def test_a_decision_says_so_when_code_found_no_mismatch(check: ClaimCheck, told: str) -> None:
    assert decision(finished(check=check)).split("## Found by code\n\n")[1].startswith(told)


def test_another_kind_of_run_or_an_unfinished_one_is_refused() -> None:
    with pytest.raises(DeliberationError):
        fact_check.report(finished_debate())
    with pytest.raises(DeliberationError):
        fact_check.decision(run(request()), limit=DECISION_LIMIT)
