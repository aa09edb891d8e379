"""Ballots and findings of a debate, so that a test names only what it is about."""

from sparring.schema.base import Role
from sparring.schema.debate import DebateOutcome, SpeechLedger
from sparring.schema.judgement import Ballot, Firmness, Judgement, Order, Side, Verdict
from sparring.schema.lookups import CitationLedger, CitationStatus, LedgerEntry, TextSpan
from support.stored_runs import stored

FIRST, SECOND = Order.PROPOSER_FIRST, Order.CHALLENGER_FIRST
EXISTS, NOT_FOUND, UNCHECKED = CitationStatus.EXISTS, CitationStatus.NOT_FOUND, CitationStatus.UNCHECKED


def checked_verdict(winner: Side = Role.PROPOSER, **changes: object) -> Verdict:
    """A verdict for ``winner``, with ``changes``."""
    outcome = stored("debate").outcome
    assert isinstance(outcome, DebateOutcome)
    assert outcome.verdict
    quote = "Flush each turn." if winner is Role.PROPOSER else "That is slow."
    fields: dict[str, object] = {
        "winner": winner,
        "reasoning": f"The {winner} brought the numbers.",
        "arguments": ({"side": winner, "round": 1, "quote": quote},),
    }
    return Verdict.model_validate(dict(outcome.verdict) | fields | changes)


def ballot(
    winner: Side = Role.PROPOSER, order: Order = FIRST, *, judge: int = 1, tool: str = "gemini", **changes: object
) -> Ballot:
    fields: dict[str, object] = {"judge": judge, "tool": tool, "order": order, "verdict": checked_verdict(winner)}
    return Ballot.model_validate(fields | changes)


def judgement(*ballots: Ballot, firmness: Firmness = Firmness.BOTH_ORDERS, **changes: object) -> Judgement:
    fields: dict[str, object] = {
        "winner": Role.PROPOSER,
        "firmness": firmness,
        "order_sensitive": firmness is Firmness.ORDER_SENSITIVE,
        "ballots": ballots or (ballot(), ballot(order=SECOND)),
    }
    return Judgement.model_validate(fields | changes)


def cited(*entries: LedgerEntry, claims: tuple[str, ...] = (), left_out: int = 0) -> tuple[SpeechLedger, ...]:
    """The ledgers of a debate in which the opening alone cites something; ``claims`` cite nothing."""
    unsupported = tuple(TextSpan(text=text, start=0, end=len(text)) for text in claims)
    ledger = CitationLedger(entries=entries, unsupported=unsupported, left_out=left_out)
    return (SpeechLedger(round=1, role=Role.PROPOSER, ledger=ledger),)
