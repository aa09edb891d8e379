"""Finished and unfinished chaired debates, built from their logs; what was taken out stands in the turns only."""

from datetime import timedelta

from sparring.schema.base import Role
from sparring.schema.chaired_debate import (
    ChairedDebateOutcome,
    ChairedDebateRequest,
    ChairedDebateStatus,
    CheckedSource,
    DebateDecision,
    DecidedBy,
    EndReason,
    EntryType,
    LogEntry,
    Phase,
    Speaker,
)
from sparring.schema.consultation import Reply
from sparring.schema.context import ContextPart
from sparring.schema.participants import SOURCE_CHECKER, Participant
from sparring.schema.runs import Run
from sparring.schema.sources import Source, SourceFinding, SourceStatus
from sparring.schema.transcript import Turn, TurnKind
from support.runs import CREATED_AT, answer, run, turn

TAKEN_OUT = "Nine of ten walkers were hit, says https://made-up.example/study"
"""What the chair has taken out: it stands in a turn and must be in no report."""


def request(**changes: object) -> ChairedDebateRequest:
    """Claude for and codex against, gemini in the chair, with audience and reporter, and ``changes``."""
    fields: dict[str, object] = {
        "topic": "City centres should be closed to private cars.",
        "context": (ContextPart(name="notes.md", size_bytes=812, text="Notes."),),
        "chair": Participant(tool="gemini"),
        "promoter": Participant(tool="claude", model="opus"),
        "detractor": Participant(tool="codex"),
        "audience": Participant(tool="opencode"),
        "reporter": Participant(tool="copilot"),
        "time_budget_s": 1800,
        "searching": (Role.PROMOTER,),
        "notices": ("[WARN] codex cannot be allowed to search the web.",),
    }
    return ChairedDebateRequest.model_validate(fields | changes)


def entry(seq: int, speaker: Speaker, type_: EntryType, content: str, **more: object) -> LogEntry:
    """An entry of the rebuttal, unless ``more`` says something else, made ``seq`` minutes after the run began."""
    fields: dict[str, object] = {
        "seq": seq,
        "timestamp": CREATED_AT + timedelta(minutes=seq),
        "phase": Phase.REBUTTAL,
        "speaker": speaker,
        "type": type_,
        "content": content,
    }
    return LogEntry.model_validate(fields | more)


PAGE = Source(
    url="https://www.example.org/air_(2024)",
    title="Air in the *centre*",
    accessed="2026-02-21",
    quote="NO2 fell by 17 percent",
)
BARE = Source(url="https://shops.example/turnover")
FINDINGS = (
    CheckedSource(
        seq=1,
        finding=SourceFinding(
            url=PAGE.url,
            quote=PAGE.quote,
            status=SourceStatus.VERIFIED,
            reason="the page holds the quoted words",
            found="NO2 fell by 17 percent",
            final_url="https://www.example.org/air",
            fetched_at=CREATED_AT,
        ),
    ),
    CheckedSource(
        seq=3, finding=SourceFinding(url=BARE.url, status=SourceStatus.UNRELIABLE, reason="nothing was quoted")
    ),
    CheckedSource(
        seq=6, finding=SourceFinding(url="", status=SourceStatus.FABRICATED, reason="there is no such page (404)")
    ),
    CheckedSource(
        seq=9, finding=SourceFinding(url=BARE.url, status=SourceStatus.UNREACHABLE, reason="no answer | in time")
    ),
)
OPENING, CLOSING, CONCLUSION = Phase.OPENING, Phase.CLOSING, Phase.CONCLUSION
PRO, CON, CHAIR, CODE = Speaker.PROMOTER, Speaker.DETRACTOR, Speaker.CHAIR, Speaker.VERIFIER
LOG = (
    entry(1, PRO, EntryType.OPENING_STATEMENT, "The air gets better [1].\n\n# Really", phase=OPENING, sources=(PAGE,)),
    entry(2, CODE, EntryType.SOURCE_CHECK, "Sources of seq 1: source [1] is verified.", phase=OPENING, target_seq=1),
    entry(3, CON, EntryType.OPENING_STATEMENT, "Shops lose [1].", phase=OPENING, sources=(BARE,)),
    entry(4, CODE, EntryType.SOURCE_CHECK, "Sources of seq 3: source [1] is unreliable.", phase=OPENING, target_seq=3),
    entry(5, CHAIR, EntryType.WARNING, "About seq 3: nothing was quoted.", phase=OPENING, target_seq=3),
    entry(6, PRO, EntryType.NEW_POINT, "[REDACTED] Source [1] is fabricated: there is no such page (404)."),
    entry(7, CODE, EntryType.SOURCE_CHECK, "Sources of seq 6: source [1] is fabricated.", target_seq=6),
    entry(8, CHAIR, EntryType.REDACTION, "Seq 6 is taken out of the debate.", target_seq=6),
    entry(
        9,
        CON,
        EntryType.REBUTTAL,
        "[REDACTED], you said. But | shops [1] matter.",
        rebuttal_to_seq=1,
        target_seq=1,
        sources=(BARE, PAGE),
    ),
    entry(10, Speaker.AUDIENCE, EntryType.QUESTION, "What of deliveries?"),
    entry(11, CHAIR, EntryType.RULING, "Dismissed: the page is there.", target_seq=1),
    entry(12, CON, EntryType.CLOSING_STATEMENT, "[STRUCK] A closing statement brings no new source.", phase=CLOSING),
    entry(13, PRO, EntryType.CLOSING_STATEMENT, "As shown in (seq 1).", phase=CLOSING),
    entry(14, CHAIR, EntryType.CONCLUSION, "The air counts for more.", phase=CONCLUSION),
    entry(15, Speaker.REPORTER, EntryType.SUMMARY, "It was about air.", phase=CONCLUSION),
)


def outcome(**changes: object) -> ChairedDebateOutcome:
    """The affirmative wins after one round, with ``changes``."""
    fields: dict[str, object] = {
        "status": ChairedDebateStatus.COMPLETED,
        "decision": DebateDecision.AFFIRMATIVE_WINS,
        "decided_by": DecidedBy.CHAIR,
        "reasoning": "The air counts for more.\n\n# Than shops",
        "decisive": (1, 13),
        "ended": EndReason.NATURAL,
        "rounds_completed": 1,
        "log": LOG,
        "sources": FINDINGS,
        "summary": "## Air\n\nIt was about air.",
        "notices": ("[WARN] Seq 6 of the promoter was taken out of the debate.",),
    }
    return ChairedDebateOutcome.model_validate(fields | changes)


def said(ask_id: str, kind: TurnKind, role: Role, reply: Reply, *, minute: int) -> Turn:
    return turn(kind, role, reply, ask_id=ask_id, minute=minute)


READY = (
    said("ready.promoter", TurnKind.READY, Role.PROMOTER, answer(model="opus-4"), minute=0),
    said("ready.detractor", TurnKind.READY, Role.DETRACTOR, answer(tool="codex"), minute=0),
)
OPENED = (
    said("opening.promoter.1", TurnKind.OPENING, Role.PROMOTER, answer(model="opus-4"), minute=1),
    said("opening.promoter.1.sources", TurnKind.SOURCES, Role.VERIFIER, answer("{}", tool=SOURCE_CHECKER), minute=2),
    said("opening.detractor.1", TurnKind.OPENING, Role.DETRACTOR, answer(tool="codex"), minute=3),
)
ACTED = (
    said("r1.promoter.1", TurnKind.ACTION, Role.PROMOTER, answer(TAKEN_OUT, model="opus-4"), minute=6),
    said("r1.detractor.1", TurnKind.ACTION, Role.DETRACTOR, answer(tool="codex"), minute=9),
    said("r1.audience", TurnKind.QUESTIONS, Role.AUDIENCE, answer(tool="opencode"), minute=10),
)
CONCLUDED = (
    said("closing.detractor.1", TurnKind.CLOSING, Role.DETRACTOR, answer(TAKEN_OUT, tool="codex"), minute=12),
    said("closing.promoter.1", TurnKind.CLOSING, Role.PROMOTER, answer(model="opus-4"), minute=13),
    said("conclusion.1", TurnKind.CONCLUSION, Role.CHAIR, answer(tool="gemini", model="gemini-pro"), minute=14),
    said("report.1", TurnKind.REPORT, Role.REPORTER, answer(tool="copilot"), minute=15),
)


def finished(**changes: object) -> Run:
    """A debate with one round in which an entry was redacted, with changes to its outcome."""
    return run(request(), (*READY, *OPENED, *ACTED, *CONCLUDED), outcome(**changes))


def disqualified() -> Run:
    """The promoter was sent away by the rules after a second source that does not exist; nobody reports."""
    log = (
        *LOG[:8],
        entry(9, PRO, EntryType.CONJECTURE, "[REDACTED] Source [1] is fabricated: there is no such page (404)."),
        entry(10, CHAIR, EntryType.REDACTION, "Seq 9 is taken out of the debate.", target_seq=9),
        entry(11, CHAIR, EntryType.DISQUALIFICATION, "The promoter is disqualified.", target_seq=9),
    )
    ended = outcome(
        decision=DebateDecision.NEGATIVE_WINS,
        decided_by=DecidedBy.RULE,
        reasoning="The promoter was disqualified.",
        decisive=(),
        ended=EndReason.DISQUALIFICATION,
        rounds_completed=0,
        disqualified=(Role.PROMOTER,),
        log=log,
        sources=FINDINGS[1:3],
        summary="",
    )
    alone = request(audience=None, reporter=None, context=(), time_budget_s=None, notices=())
    return run(alone, (*READY, *OPENED), ended)


def unjudged(status: ChairedDebateStatus = ChairedDebateStatus.UNJUDGED, **changes: object) -> Run:
    """A debate without a decision."""
    ended = outcome(
        status=status, decision=None, decided_by=None, reasoning="", decisive=(), summary="", notices=(), **changes
    )
    return run(request(), (*READY, *OPENED), ended)
