"""A fact-check as people read it."""

import pytest

from sparring.formats.reports import report
from sparring.schema.claims import ClaimCheck, Label
from sparring.schema.fact_check import AgentPath, CheckedPart, Decision, FactCheckOutcome, PartStatus, StopReason
from support.decisions import decision
from support.reading import read
from support.stored_runs import ended, said_by_all, stored

HOSTILE = "# **Verdict**\n`{x}`\n| a | [b](https://bad.example) |\n<!-- hide\n```\n1. *x*"
STABLE = "The debate ended after round 2: all agree, and nobody moved any more."
UNCALLED = "Nothing called for a debate after the blind round."


def agents() -> tuple[AgentPath, ...]:
    outcome = ended("fact-check")
    assert isinstance(outcome, FactCheckOutcome)
    return outcome.agents


def test_a_quote_that_is_full_of_marks_is_bold_as_a_whole() -> None:
    marked = read(decision(said_by_all(HOSTILE, stored("fact-check")))).strong
    assert "# **Verdict** `{x}` | a | [b](https://bad.example) | <!-- hide ``` 1. *x*" in marked


@pytest.mark.parametrize(
    ("changes", "told"),
    [
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
    ids=["majority", "plurality", "split"],
)
def test_the_label_stands_with_how_it_was_decided(changes: dict[str, object], told: str) -> None:
    assert decision(stored("fact-check", **changes)).split("## Verdict\n\n")[1].split("\n\n")[0] == told


def test_votes_for_the_label_that_won_come_first() -> None:
    refuted, _, lost = agents()
    whole = stored(
        "fact-check", label=Label.NEI, agents=(lost, refuted, refuted.model_copy(update={"debated": Label.NEI}))
    )
    found = read(decision(whole)).headings
    assert [line for line in found if line.startswith("## ")][3:] == ["## NEI: 1", "## REFUTED: 1", "## No vote: 1"]


def test_what_has_no_quote_stands_without_one() -> None:
    agent, *_ = agents()
    blind, rebuttal = agent.positions
    part = CheckedPart(part="It reopened.", status=PartStatus.MISSING, claimed=PartStatus.MISSING)
    silent = rebuttal.model_copy(update={"key_quote": None, "key_quote_found": None, "faults": (), "reason": ""})
    unquoted = agent.model_copy(
        update={"positions": (blind.model_copy(update={"parts": (part,), "reason": ""}), silent)}
    )
    text = report(stored("fact-check", agents=(unquoted,)))
    assert text.split("### Agent 1 (claude)\n\n")[1].startswith("- **MISSING**: It reopened.\n\n## Found by code")
    assert "Claimed REFUTED, counted REFUTED: blind.\n\n- MISSING: It reopened.\n\n" in text
    unquoted = agent.model_copy(update={"positions": (blind, silent)})
    assert "Key quote" not in decision(stored("fact-check", agents=(unquoted,)))


def test_a_decision_says_so_when_code_found_no_mismatch() -> None:
    outcome = ended("fact-check")
    assert isinstance(outcome, FactCheckOutcome)
    matching = ClaimCheck(label=Label.SUPPORTED, findings=outcome.check.findings[:1])
    texts = [decision(stored("fact-check", check=check)) for check in (matching, ClaimCheck(label=Label.NEI))]
    told = [text.split("## Found by code\n\n")[1] for text in texts]
    assert told[0].startswith("No mismatch in 1 findings.")
    assert told[1].startswith("Code found no quantity, date or changed word to compare.")
