"""Finished and unfinished fact-checks, built from what each agent said and where its quotes are."""

from sparring.schema.base import Role
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.context import ContextPart
from sparring.schema.fact_check import (
    Abstention,
    AgentPath,
    ChangeTrigger,
    CheckedPart,
    CheckedRebuttal,
    Decision,
    DecisionChange,
    FactCheckOutcome,
    FactCheckRequest,
    FactCheckStatus,
    Fault,
    FaultFound,
    Issue,
    Movement,
    PartStatus,
    Path,
    Position,
    StopReason,
    Tally,
)
from sparring.schema.participants import Participant
from sparring.schema.quotes import Nearest, QuoteFinding, QuoteVerdict
from sparring.schema.runs import Run
from sparring.schema.spans import Span, TextSpan
from sparring.schema.transcript import Turn, TurnKind
from support.runs import answer, failure, run, turn

FACT_CHECK_ID = "fact-check-20260301T120000Z-c0de"
CLAIM = "The Harbour Bridge, closed in March 2019, reopened in June 2020."
REPORT = (
    "# Annual report\n\nOn behalf of the council we can say that the **Harbour Bridge** was closed in March 2019 after "
    "an\ninspection had found cracks in two of its piers. It reopened in June 2021, later than was planned in the year "
    "of its closing.\n"
)
MINUTES = "The council voted 7 to 4 to rebuild `pier 3`; the cost was put at 12 million euros."
EVIDENCE = (
    ContextPart(name="report.md", size_bytes=len(REPORT), text=REPORT),
    ContextPart(name="minutes.txt", size_bytes=len(MINUTES), text=MINUTES),
)


def request(**changes: object) -> FactCheckRequest:
    """Three agents hold the claim against two sources, in at most two rounds, with ``changes``."""
    fields: dict[str, object] = {
        "claim": CLAIM,
        "evidence": EVIDENCE,
        "agents": (Participant(tool="claude", model="opus"), Participant(tool="codex"), Participant(tool="gemini")),
        "max_rounds": 2,
    }
    return FactCheckRequest.model_validate(fields | changes)


def span(text: str, index: int = 0, evidence: tuple[ContextPart, ...] = EVIDENCE) -> Span:
    """Where ``text`` stands in the source of that index."""
    start = evidence[index].text.index(text)
    return Span(index=index, start=start, end=start + len(text), text=text)


def verbatim(*quotes: str, index: int = 0, evidence: tuple[ContextPart, ...] = EVIDENCE) -> QuoteFinding:
    """A quote that was found; several: one with ellipses inside."""
    parts = tuple(span(quote, index, evidence) for quote in quotes)
    start, end = parts[0].start, parts[-1].end
    whole = Span(index=index, start=start, end=end, text=evidence[index].text[start:end])
    return QuoteFinding(verdict=QuoteVerdict.VERBATIM, span=whole, parts=parts)


def altered(place: str, difference: str) -> QuoteFinding:
    return QuoteFinding(verdict=QuoteVerdict.ALTERED, nearest=Nearest(span=span(place), difference=difference))


NOT_FOUND = QuoteFinding(verdict=QuoteVerdict.NOT_FOUND)

CLOSED = "was closed in March 2019 after an\ninspection had found cracks"
REOPENED = "It reopened in June 2021"
COST = "rebuild `pier 3`; the cost was put at 12 million euros."

CLOSED_COVERED = CheckedPart(
    part="The bridge was closed in March 2019",
    status=PartStatus.COVERED,
    claimed=PartStatus.COVERED,
    quote=CLOSED,
    found=verbatim(CLOSED),
)
REOPENED_CONFLICT = CheckedPart(
    part="It reopened in June 2020",
    status=PartStatus.CONFLICT,
    claimed=PartStatus.CONFLICT,
    quote=REOPENED,
    found=verbatim(REOPENED),
)
REOPENED_ALTERED = CheckedPart(
    part="It reopened in June 2020",
    status=PartStatus.MISSING,
    claimed=PartStatus.COVERED,
    quote="It reopened in June 2020",
    found=altered(REOPENED, "It reopened in June [-2020-] {+2021+}"),
)
REOPENED_INVENTED = CheckedPart(
    part="It reopened in June 2020",
    status=PartStatus.MISSING,
    claimed=PartStatus.COVERED,
    quote="the *bridge* is open",
    found=NOT_FOUND,
)
MISMATCH = Finding(
    dimension=Dimension.TIME,
    status=Status.MISMATCH,
    severity=Severity.CRITICAL,
    claim=TextSpan(text="June 2020", start=54, end=63),
    evidence=span("June 2021"),
    why="The claim says June 2020, the evidence June 2021.",
)
MATCH = Finding(
    dimension=Dimension.TIME,
    status=Status.MATCH,
    severity=Severity.MINOR,
    claim=TextSpan(text="March 2019", start=30, end=40),
    evidence=span("March 2019"),
    why="Both say March 2019.",
)
CHECK = ClaimCheck(label=Label.REFUTED, findings=(MATCH, MISMATCH))

_NEW_QUOTE = Position(
    round=2,
    verdict=Label.REFUTED,
    claimed=Label.REFUTED,
    movement=Movement.CHANGED,
    parts_checked=("It reopened in June 2020",),
    key_quote=REOPENED,
    key_quote_found=verbatim(REOPENED),
    quotes=(REOPENED,),
    rebuttals=(
        CheckedRebuttal(
            agent="Agent 3",
            their_verdict=Label.NEI,
            their_quote="(no verified quote)",
            issue=Issue.NO_SUPPORTING_QUOTE,
            counter_quote=COST,
            found=verbatim(COST, index=1),
        ),
    ),
    decision_change=DecisionChange.CHANGE,
    change_trigger=ChangeTrigger.STRONGER_QUOTE,
    reason="The year of the reopening is another one.",
)
_FIRM = AgentPath(
    name="Agent 1",
    tool="claude",
    model="opus-4",
    positions=(
        Position(
            round=1,
            verdict=Label.REFUTED,
            claimed=Label.REFUTED,
            movement=Movement.BLIND,
            parts=(CLOSED_COVERED, REOPENED_CONFLICT),
            quotes=(CLOSED, REOPENED),
            reason="The closing is covered.\n# The reopening is not.",
        ),
        Position(
            round=2,
            verdict=Label.REFUTED,
            claimed=Label.NEI,
            movement=Movement.CHANGE_REJECTED,
            key_quote=CLOSED,
            key_quote_found=verbatim(CLOSED),
            faults=(
                FaultFound(fault=Fault.CHANGE_WITHOUT_NEW_QUOTE, why="It quotes what it quoted before.", quote=CLOSED),
                FaultFound(fault=Fault.CONFORMED, why="Most others said NEI the round before."),
            ),
            reason="The others convince me.",
        ),
    ),
    blind=Label.REFUTED,
    debated=Label.REFUTED,
    path=Path.KEPT,
)
_FIXED = AgentPath(
    name="Agent 2",
    tool="codex",
    model=None,
    positions=(
        Position(
            round=1,
            verdict=Label.NEI,
            claimed=Label.SUPPORTED,
            movement=Movement.BLIND,
            parts=(CLOSED_COVERED, REOPENED_ALTERED),
            faults=(
                FaultFound(
                    fault=Fault.ALTERED_QUOTE,
                    why="The quote is not in the evidence as it is given.",
                    quote="It reopened in June 2020",
                ),
            ),
            reason="Both parts are covered.",
        ),
        _NEW_QUOTE,
    ),
    blind=Label.NEI,
    debated=Label.REFUTED,
    path=Path.FIXED,
)
_LOST = AgentPath(
    name="Agent 3",
    tool="gemini",
    model=None,
    positions=(
        Position(
            round=1,
            verdict=Label.NEI,
            claimed=Label.SUPPORTED,
            movement=Movement.BLIND,
            parts=(REOPENED_INVENTED,),
            faults=(FaultFound(fault=Fault.FABRICATED_QUOTE, why="Nothing like it is in the evidence."),),
        ),
    ),
    abstention=Abstention(round=2, code=FailureCode.TIMEOUT, detail="no answer in 240 s"),
    blind=Label.NEI,
    debated=None,
    path=Path.ABSTAINED,
)
SILENT = AgentPath(
    name="Agent 2",
    tool="codex",
    model=None,
    abstention=Abstention(round=1, code=FailureCode.PARSE, detail="no JSON object"),
    blind=None,
    debated=None,
    path=Path.ABSTAINED,
)


def analysis(number: int, reply: Reply, *, attempt: int = 1, minute: int = 1) -> Turn:
    """What agent ``number`` says in the blind round."""
    ask_id = f"r1.a{number}" if attempt == 1 else f"r1.a{number}.{attempt}"
    return turn(TurnKind.ANALYSIS, Role.FACT_CHECKER, reply, minute=minute, ask_id=ask_id)


def rebuttal(number: int, reply: Reply, *, round_number: int = 2, minute: int = 2) -> Turn:
    """What agent ``number`` says in a debate round."""
    ask_id = f"r{round_number}.a{number}"
    role, kind = Role.FACT_CHECKER, TurnKind.REBUTTAL
    return turn(kind, role, reply, round_number=round_number, minute=minute, ask_id=ask_id)


BLIND_TURNS = (
    analysis(1, answer(model="opus-4", redactions=1)),
    analysis(2, answer(tool="codex")),
    analysis(3, answer(tool="gemini")),
)


def outcome(**changes: object) -> FactCheckOutcome:
    """Refuted after a debate in which one agent moved, one was held back, and one fell out; with ``changes``."""
    fields: dict[str, object] = {
        "status": FactCheckStatus.COMPLETED,
        "label": Label.REFUTED,
        "decision": Decision.UNANIMOUS,
        "stop_reason": StopReason.MAX_ROUNDS,
        "rounds_completed": 2,
        "blind": Tally(refuted=1, nei=2),
        "debated": Tally(refuted=2, abstained=1),
        "agents": (_FIRM, _FIXED, _LOST),
        "check": CHECK,
        "notices": ("[WARN] Agent 3 (gemini) has no vote from round 2 on: timeout (no answer in 240 s).",),
    }
    return FactCheckOutcome.model_validate(fields | changes)


def finished(**outcome_changes: object) -> Run:
    """The debated fact-check, with changes to its outcome."""
    turns = (
        *BLIND_TURNS,
        rebuttal(1, answer(model="opus-4")),
        rebuttal(2, answer(tool="codex")),
        rebuttal(3, failure(tool="gemini")),
    )
    return run(request(redactions=2), turns, outcome(**outcome_changes))


def contested() -> Run:
    """SUPPORTED by all votes of the blind round, against what code finds."""
    believer = Position(
        round=1,
        verdict=Label.SUPPORTED,
        claimed=Label.SUPPORTED,
        movement=Movement.BLIND,
        parts=(CLOSED_COVERED,),
        reason="The closing is covered.",
    )
    agents = tuple(
        AgentPath(
            name=f"Agent {number}",
            tool="offline",
            model=None,
            positions=(believer,),
            blind=Label.SUPPORTED,
            debated=Label.SUPPORTED,
            path=Path.KEPT,
        )
        for number in (1, 2)
    )
    ended = outcome(
        label=Label.SUPPORTED,
        decision=Decision.UNANIMOUS,
        stop_reason=StopReason.NOT_ESCALATED,
        rounds_completed=1,
        blind=Tally(supported=2),
        debated=Tally(supported=2),
        agents=agents,
        is_contested=True,
        notices=(),
    )
    offline = Participant(tool="offline")
    turns = (analysis(1, answer(tool="offline")), analysis(2, answer(tool="offline")))
    return run(request(agents=(offline, offline), max_rounds=1), turns, ended)


def without_quorum() -> Run:
    """Of two agents one gave nothing that could be read."""
    heard = _FIRM.model_copy(update={"positions": _FIRM.positions[:1]})
    ended = outcome(
        status=FactCheckStatus.NO_QUORUM,
        label=None,
        decision=None,
        stop_reason=StopReason.NO_QUORUM,
        rounds_completed=1,
        blind=Tally(refuted=1, abstained=1),
        debated=Tally(refuted=1, abstained=1),
        agents=(heard, SILENT),
        check=ClaimCheck(label=Label.NEI),
        notices=("[ERROR] Fewer than two agents have a vote: Agent 2 (codex): parse (no JSON object).",),
    )
    turns = (
        BLIND_TURNS[0],
        BLIND_TURNS[1],
        analysis(2, answer("I think so.", tool="codex"), attempt=2, minute=2),
    )
    return run(request(agents=request().agents[:2]), turns, ended)
