"""A fact-check as people read it."""

from sparring.formats.reports import report
from sparring.schema.fact_check import AgentPath, CheckedPart, FactCheckOutcome, PartStatus
from support.decisions import decision
from support.reading import read
from support.stored_runs import ended, said_by_all, stored

HOSTILE = "# **Verdict**\n`{x}`\n| a | [b](https://bad.example) |\n<!-- hide\n```\n1. *x*"


def agents() -> tuple[AgentPath, ...]:
    outcome = ended("fact-check")
    assert isinstance(outcome, FactCheckOutcome)
    return outcome.agents


def test_a_quote_that_is_full_of_marks_is_bold_as_a_whole() -> None:
    marked = read(decision(said_by_all(HOSTILE, stored("fact-check")))).strong
    assert "# **Verdict** `{x}` | a | [b](https://bad.example) | <!-- hide ``` 1. *x*" in marked


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
