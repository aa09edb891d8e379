"""Builders of debates that code has looked at and judges have judged, so that a test names only what it is about."""

from sparring.schema.base import Role
from sparring.schema.citations import CitationStatus
from sparring.schema.debate import (
    Abstention,
    Ballot,
    CitedArgument,
    Concession,
    Conduct,
    Convergence,
    DebateOutcome,
    DebateStatus,
    Firmness,
    Flag,
    FlagKind,
    Judgement,
    Order,
    Scores,
    Side,
    SideScores,
    SpeechLedger,
    TieBreak,
    TieBreakStep,
    Verdict,
    Withdrawal,
)
from sparring.schema.ledger import CitationKind, Ledger, LedgerEntry
from sparring.schema.participants import CITATION_CHECKER, Participant
from sparring.schema.runs import Run
from sparring.schema.spans import TextSpan
from sparring.schema.transcript import Turn, TurnKind
from support.runs import answer, debate_request, defense, failure, follow_up, opening, response, run, turn

FIRST, SECOND = Order.PROPOSER_FIRST, Order.CHALLENGER_FIRST
VERIFIED, NOT_FOUND, UNCHECKED = CitationStatus.VERIFIED, CitationStatus.NOT_FOUND, CitationStatus.UNCHECKED
TIE_BREAK = TieBreak(
    step=TieBreakStep.CITATIONS,
    winner=Role.PROPOSER,
    reason="The proposer has 2 verified citations more than it has not found, the challenger 0.",
)


def argument(quote: str, side: Side = Role.PROPOSER, round_number: int = 1) -> CitedArgument:
    return CitedArgument(side=side, round=round_number, quote=quote)


def checked_verdict(winner: Side = Role.PROPOSER, **changes: object) -> Verdict:
    """A verdict for ``winner``, with ``changes``."""
    quote = "Flush each turn." if winner is Role.PROPOSER else "That is slow."
    fields: dict[str, object] = {
        "winner": winner,
        "reasoning": f"The {winner} brought the numbers.",
        "scores": SideScores(
            proposer=Scores(evidence=4, reasoning=3, responsiveness=5, candor=2),
            challenger=Scores(evidence=2, reasoning=3, responsiveness=4, candor=1),
        ),
        "arguments": (argument(quote, winner),),
        "quality": {"genuine_disagreement": "high", "evidence_quality": "medium", "challenge_depth": "low"},
        "agreements": ({"point": "Losing turns is not acceptable", "evidence": "README.md:12"},),
        "disagreements": ({"point": "Flushing", "proposer": "it is cheap", "challenger": "it is slow"},),
        "unresolved_questions": ("How slow is a network drive?",),
        "recommendation": "Keep flushing each turn.",
    }
    return Verdict.model_validate(fields | changes)


def ballot(
    winner: Side = Role.PROPOSER, order: Order = FIRST, *, judge: int = 1, tool: str = "gemini", **changes: object
) -> Ballot:
    fields: dict[str, object] = {"judge": judge, "tool": tool, "order": order, "verdict": checked_verdict(winner)}
    return Ballot.model_validate(fields | changes)


def judgement(
    *ballots: Ballot, winner: Side = Role.PROPOSER, firmness: Firmness = Firmness.UNANIMOUS, **changes: object
) -> Judgement:
    fields: dict[str, object] = {
        "winner": winner,
        "firmness": firmness,
        "order_sensitive": firmness is Firmness.ORDER_SENSITIVE,
        "ballots": ballots or (ballot(), ballot(order=SECOND)),
    }
    return Judgement.model_validate(fields | changes)


def panel_judgement() -> Judgement:
    """Three judges: one for the proposer, one that changes with the order, one that is heard once and dissents."""
    return judgement(
        ballot(),
        ballot(order=SECOND),
        ballot(Role.PROPOSER, judge=2, tool="codex", struck=("Nobody said this.",)),
        ballot(Role.CHALLENGER, SECOND, judge=2, tool="codex"),
        ballot(Role.CHALLENGER, judge=3, tool="opencode"),
        firmness=Firmness.TIE_BREAK,
        order_sensitive=True,
        tie_break=TIE_BREAK,
        abstentions=(Abstention(judge=3, tool="opencode", order=SECOND, cause="failed: timeout: no answer in time"),),
        dissent=(3,),
    )


def entry(text: str, status: CitationStatus, reason: str = "", kind: CitationKind = CitationKind.PATH) -> LedgerEntry:
    return LedgerEntry(text=text, start=0, end=len(text), kind=kind, status=status, reason=reason)


def claim(text: str) -> TextSpan:
    return TextSpan(text=text, start=0, end=len(text))


OPENING_LEDGER = Ledger(
    entries=(
        entry("src/a.py:3", VERIFIED, "the line is there"),
        entry("`src/x.py:99`", NOT_FOUND, "the file has 40 lines"),
        entry("src/a.py:3", VERIFIED, "the line is there"),
        entry("`Journal`", VERIFIED, "in 3 files", CitationKind.SYMBOL),
        entry("https://example.org/a_(b)", UNCHECKED, "nobody fetches it here", CitationKind.URL),
        entry("2 ms", UNCHECKED, "nobody measures it here", CitationKind.BENCHMARK),
    ),
    unsupported=(claim("It is the usual way."),),
    left_out=4,
)
LEDGERS = (
    SpeechLedger(round=1, role=Role.PROPOSER, ledger=OPENING_LEDGER),
    SpeechLedger(round=1, role=Role.CHALLENGER, ledger=Ledger(unsupported=(claim("It is slow."), claim("So is it.")))),
    SpeechLedger(round=2, role=Role.PROPOSER, problem="timeout: no finding in time"),
    SpeechLedger(
        round=2, role=Role.CHALLENGER, ledger=Ledger(entries=(entry("src/a.py:3", VERIFIED, "the line is there"),))
    ),
)
CONDUCT = Conduct(
    concessions=(
        Concession(
            text="I concede the cost.",
            start=0,
            end=19,
            role=Role.PROPOSER,
            round=1,
            withdrawn=Withdrawal(text="I take that back.", start=0, end=17, round=2),
        ),
        Concession(text="You are right about disks.", start=0, end=26, role=Role.CHALLENGER, round=2),
    ),
    flags=(
        Flag(text="Great point!", start=0, end=12, kind=FlagKind.PRAISE, role=Role.CHALLENGER, round=1),
        Flag(
            text="You are right about disks.",
            start=0,
            end=26,
            kind=FlagKind.UNSUPPORTED_AGREEMENT,
            role=Role.CHALLENGER,
            round=2,
        ),
    ),
    convergence=Convergence.UNSUPPORTED,
)


def looked_up(round_number: int, role: Side, *, is_done: bool = True) -> Turn:
    """That code has looked up what a speech cites. What it found stands in the outcome."""
    reply = (
        answer("{}", tool=CITATION_CHECKER, duration_ms=0) if is_done else failure(tool=CITATION_CHECKER, duration_ms=0)
    )
    ask_id = f"r{round_number}.{role}.ledger"
    return turn(TurnKind.CITATIONS, Role.VERIFIER, reply, round_number=round_number, ask_id=ask_id)


def asked_judge(ask_id: str, reply: str = '{"winner": "A"}', *, tool: str = "gemini", model: str | None = None) -> Turn:
    """A judge's reply, e.g. to ``judge1.ab.1``."""
    said = answer(reply, tool=tool, model=model, duration_ms=3000)
    return turn(TurnKind.SYNTHESIS, Role.JUDGE, said, round_number=2, minute=9, ask_id=ask_id)


def speeches() -> tuple[Turn, ...]:
    """Two rounds, each speech followed by the look at what it cites."""
    return (
        opening(answer("Flush each turn.", model="opus-4")),
        looked_up(1, Role.PROPOSER),
        response(answer("That is slow.", tool="codex", duration_ms=12_000)),
        looked_up(1, Role.CHALLENGER),
        defense(answer("It is measured: 2 ms.", model="opus-4", duration_ms=9200)),
        looked_up(2, Role.PROPOSER, is_done=False),
        follow_up(answer("Not on a network drive.", tool="codex", duration_ms=11_000)),
        looked_up(2, Role.CHALLENGER),
    )


def checked_outcome(**changes: object) -> DebateOutcome:
    """A judged debate of two rounds whose citations were looked up, with ``changes``."""
    fields: dict[str, object] = {
        "status": DebateStatus.COMPLETED,
        "rounds_completed": 2,
        "verdict": checked_verdict(),
        "judgement": judgement(),
        "ledgers": LEDGERS,
        "conduct": CONDUCT,
    }
    return DebateOutcome.model_validate(fields | changes)


def checked_debate(*judged: Turn, outcome: DebateOutcome | None = None, **request_changes: object) -> Run:
    """Claude against codex, looked at by code, judged in both orders unless ``judged`` says otherwise."""
    turns = judged or (asked_judge("judge1.ab.1", model="g-1"), asked_judge("judge1.ba.1"))
    return run(debate_request(**request_changes), (*speeches(), *turns), outcome or checked_outcome())


def panel_debate() -> Run:
    """A panel of three that the tie-break decides; the second judge had to be asked twice."""
    turns = (
        asked_judge("judge1.ab.1"),
        asked_judge("judge1.ba.1"),
        asked_judge("judge2.ab.1", "Both have merit.", tool="codex"),
        asked_judge("judge2.ba.1", tool="codex"),
        asked_judge("judge3.ab.1", tool="opencode", model="m-3"),
        turn(
            TurnKind.SYNTHESIS,
            Role.JUDGE,
            failure(tool="opencode"),
            round_number=2,
            minute=9,
            ask_id="judge3.ba.1",
        ),
        asked_judge("judge2.ab.2", tool="codex"),
    )
    notices = ("[WARN] Judge 2 is codex, the challenger's own tool, in a fresh session.",)
    panel = (Participant(tool="codex"), Participant(tool="opencode"))
    outcome = checked_outcome(judgement=panel_judgement())
    return checked_debate(*turns, outcome=outcome, panel=panel, notices=notices)
