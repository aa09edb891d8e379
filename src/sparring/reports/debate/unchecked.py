"""What nobody has checked, so that nobody takes it for checked."""

from collections.abc import Iterator

from sparring.reports.debate.citations import counted_kinds
from sparring.reports.debate.finished import FinishedDebate
from sparring.reports.fitting import Section
from sparring.reports.foreign import inline
from sparring.schema.citations import CitationStatus

_MEANING = (
    "Whether a citation that is there supports what is said of it, and whether the reasoning holds: the judges weigh "
    "that, and code does not."
)

_NAMED_BY_JUDGES = "What the judge names as evidence of an agreement."


def unchecked_sections(debate: FinishedDebate) -> list[Section]:
    """What was left out of the checks, and what no check can tell."""
    if not debate.outcome.ledgers:
        return []
    lines = "\n".join(f"- {inline(line)}" for line in _lines(debate))
    return [Section("## What was not checked", lines)]


def _lines(debate: FinishedDebate) -> Iterator[str]:
    yield _MEANING
    if debate.agreements:
        yield _NAMED_BY_JUDGES
    if unchecked := debate.cited(CitationStatus.UNCHECKED):
        yield f"Citations that code cannot settle here: {counted_kinds(unchecked)}."
    for each in debate.outcome.ledgers:
        if each.ledger is None:
            yield f"What round {each.round}, {each.role}, cites: {each.problem.rstrip('.')}."
        elif each.ledger.left_out:
            yield f"{each.ledger.left_out} more citations of round {each.round}, {each.role}."
    if bare := sum(len(each.ledger.unsupported) for each in debate.outcome.ledgers if each.ledger):
        yield "1 claim that cites nothing." if bare == 1 else f"{bare} claims that cite nothing."
