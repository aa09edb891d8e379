"""What the reader of a debate should know beside its verdict, one line each."""

from collections.abc import Iterable, Sequence

from sparring.formats.debate.counting import changed_with_the_order, votes
from sparring.schema.citations import CitationStatus
from sparring.schema.debate import Abstention, Ballot, DebateRequest, Judgement, Order, SpeechLedger

NOTHING_VERIFIED = "[WARN] Nothing in this debate was verified by code."

_FIRST = {Order.PROPOSER_FIRST: "proposer first", Order.CHALLENGER_FIRST: "challenger first"}


def leading(request: DebateRequest, ledgers: Sequence[SpeechLedger]) -> tuple[str, ...]:
    """What stands above everything else."""
    devil = f"[WARN] Devil's advocate: {request.proposer.tool} argues both sides."
    return ((NOTHING_VERIFIED,) if not _is_any_verified(ledgers) else ()) + ((devil,) if request.devil else ())


def of_ledgers(ledgers: Iterable[SpeechLedger]) -> tuple[str, ...]:
    """Whose citations were not looked up, and why."""
    return tuple(
        f"[WARN] What the {found.role} cites in round {found.round} was not looked up: {found.problem}."
        for found in ledgers
        if found.problem
    )


def of_judgement(judgement: Judgement, judges: int) -> tuple[str, ...]:
    """How firm the verdict is, what the panel said, who abstained, and what was struck."""
    lines = (*_order(judgement, judges), *_panel(judgement, judges), *_abstained(judgement.abstentions, judges))
    return lines + tuple(_struck(ballot, judges) for ballot in judgement.ballots if ballot.struck)


def unjudged(abstentions: Sequence[Abstention], judges: int) -> str:
    """Why there is no verdict."""
    return " ".join(("[WARN] No verdict.", *_causes(abstentions, judges)))


def _is_any_verified(ledgers: Sequence[SpeechLedger]) -> bool:
    return any(found.ledger and found.ledger.count(CitationStatus.VERIFIED) for found in ledgers)


def _order(judgement: Judgement, judges: int) -> Iterable[str]:
    changed = changed_with_the_order(judgement.ballots)
    broken = judgement.tie_break
    decided = f"The tie-break decided for the {broken.winner}, by {broken.step}: {broken.reason}" if broken else ""
    if changed:
        tools = {ballot.judge: ballot.tool for ballot in judgement.ballots}
        who = " and ".join(_who(judge, tools[judge], judges) for judge in changed)
        effect = decided or "Such a judge has no vote."
        yield f"[WARN] Order-sensitive: {who} picked the other side when the order was changed. {effect}"
        return
    if decided:
        yield f"[WARN] The judges are evenly split. {decided}"


def _panel(judgement: Judgement, judges: int) -> Iterable[str]:
    if judges == 1:
        return
    cast = votes(judgement.ballots)
    for_winner = sum(vote.winner is judgement.winner for vote in cast)
    dissent = ", ".join(f"judge {judge}" for judge in judgement.dissent)
    against = f", {len(judgement.dissent)} against ({dissent})" if dissent else ""
    yield f"Panel: of {judges} judges {for_winner} for the {judgement.winner}{against}."


def _abstained(abstentions: Sequence[Abstention], judges: int) -> Iterable[str]:
    return (f"[WARN] Abstention. {cause}" for cause in _causes(abstentions, judges))


def _causes(abstentions: Sequence[Abstention], judges: int) -> list[str]:
    """One sentence for each judge and cause; the order is named when it was one of the two."""
    grouped: dict[tuple[int, str, str], list[Order]] = {}
    for each in abstentions:
        grouped.setdefault((each.judge, each.tool, each.cause), []).append(each.order)
    return [
        f"{_capital(_who(judge, tool, judges, orders))} {cause}." for (judge, tool, cause), orders in grouped.items()
    ]


def _struck(ballot: Ballot, judges: int) -> str:
    count = "1 argument" if len(ballot.struck) == 1 else f"{len(ballot.struck)} arguments"
    who = _capital(_who(ballot.judge, ballot.tool, judges, [ballot.order]))
    return f"[WARN] {who} cited {count} that nobody has made; struck."


def _who(judge: int, tool: str, judges: int, orders: Sequence[Order] = ()) -> str:
    name = "the judge" if judges == 1 else f"judge {judge}"
    return f"{name} ({tool}, {_FIRST[orders[0]]})" if len(orders) == 1 else f"{name} ({tool})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
