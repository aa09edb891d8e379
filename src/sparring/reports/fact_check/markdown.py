"""A finished fact-check as Markdown: the label first, then what it rests on, then the way there."""

from collections.abc import Iterator

from sparring.reports.compared import compared, mismatches
from sparring.reports.fact_check.checked import FinishedFactCheck
from sparring.reports.fact_check.grounds import votes_with_grounds
from sparring.reports.fact_check.rounds import rounds_of, unread
from sparring.reports.fact_check.votes import decided, paths, tallies
from sparring.reports.fitting import Section, fitted, joined
from sparring.reports.foreign import inline, literal, quoted
from sparring.reports.phrases import byte_size, context_line
from sparring.reports.runs import about_the_run
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

_CLAIM_SHOWN = 500
"""Characters of a claim in the decision: whoever reads it knows what was asked."""

_HARD_BREAK = "  \n"


def report(run: Run) -> str:
    """The whole of a finished fact-check.

    Raises:
        DeliberationError: The run is not a finished fact-check.
    """
    fact_check = FinishedFactCheck.of(run)
    return joined(
        [
            *_head(fact_check, f"Claim:\n\n{quoted(fact_check.request.claim)}"),
            *votes_with_grounds(fact_check),
            Section("## Found by code", compared(fact_check.outcome.check, fact_check.names)),
            *_rounds(fact_check),
            Section("## Evidence", _evidence(fact_check)),
            Section("## Run", _about_the_run(fact_check)),
        ]
    )


def decision(run: Run, *, limit: int) -> str:
    """The label of a finished fact-check and what it rests on, in fewer than ``limit`` characters.

    Raises:
        DeliberationError: The run is not a finished fact-check.
    """
    fact_check = FinishedFactCheck.of(run)
    closing = f"The whole: `sparring runs show {run.header.run_id}`\n\n{_about_the_run(fact_check)}"
    return fitted(
        [
            *_head(fact_check, f"Claim: {literal(one_line(fact_check.request.claim, _CLAIM_SHOWN))}"),
            Section("## Found by code", mismatches(fact_check.outcome.check, fact_check.names)),
            *votes_with_grounds(fact_check),
            Section("", closing),
        ],
        limit=limit,
    )


def _head(fact_check: FinishedFactCheck, claim: str) -> list[Section]:
    outcome = fact_check.outcome
    notices = (*_contested(fact_check), *(inline(notice) for notice in fact_check.notices))
    evidence = f"Evidence: {literal(context_line(fact_check.request.evidence))}"
    separator = "\n\n" if "\n" in claim else _HARD_BREAK
    return [
        Section(f"# Fact-check: {outcome.label or 'no verdict'}", decided(fact_check)),
        *([Section("", "\n\n".join(notices))] if notices else []),
        Section("", _HARD_BREAK.join((f"{claim}{separator}{evidence}", _verified(fact_check)))),
        Section("## Votes", f"{tallies(outcome)}\n\n{paths(outcome)}"),
    ]


def _contested(fact_check: FinishedFactCheck) -> list[str]:
    """Why the label should be doubted."""
    if not fact_check.outcome.is_contested:
        return []
    doubt = f"[WARN] **Contested**: the label is {fact_check.outcome.label}, yet code found a critical mismatch."
    return [f"{doubt} {literal(found.why)}" for found in fact_check.outcome.check.critical_mismatches]


def _verified(fact_check: FinishedFactCheck) -> str:
    quotes = f"{fact_check.verbatim_quotes} of {len(fact_check.quotes)} quotes stand in the evidence word for word"
    return f"Verified by code: {quotes}; each vote follows from its parts by rule, and moves by a new quote only."


def _rounds(fact_check: FinishedFactCheck) -> Iterator[Section]:
    yield Section("## Rounds", "What each agent said in each round, and what of it counts.")
    for agent in fact_check.outcome.agents:
        yield from rounds_of(agent, fact_check.request.evidence)
        yield from unread(agent, fact_check.run.transcript)


def _evidence(fact_check: FinishedFactCheck) -> str:
    sizes = (
        f"- {literal(one_line(part.name, 200))}: {byte_size(part.size_bytes)}" for part in fact_check.request.evidence
    )
    return "\n".join(sizes)


def _about_the_run(fact_check: FinishedFactCheck) -> str:
    request = fact_check.request
    facts = {"Escalation": request.escalation.value, "Language": request.language, "Effort": request.effort.value}
    return about_the_run(fact_check.run, facts)
