"""Finished and unfinished juries, built from what each seat said and where its phrases are."""

from sparring.schema.base import Role
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.jury import (
    ChecklistDimension,
    ChecklistEntry,
    ChecklistStatus,
    CriticalDifference,
    Faithfulness,
    JudgeVerdict,
    JuryOutcome,
    JuryRequest,
    JuryStatus,
    MinorityView,
    Phrase,
    Statement,
    TextName,
)
from sparring.schema.participants import Participant
from sparring.schema.runs import Run
from sparring.schema.spans import Span, TextSpan
from sparring.schema.transcript import Turn, TurnKind
from support.runs import answer, failure, run, turn

JURY_ID = "jury-20260301T120000Z-c0de"
TRUTH = "As of March 25, more than 645,000 people in 180 countries had been *tested*."
CLAIM = "Before March 26, under 650,000 people in 180 countries showed symptoms."
TEXTS = {TextName.TRUTH: TRUTH, TextName.CLAIM: CLAIM}


def request(**changes: object) -> JuryRequest:
    """Four tools in four seats, with ``changes``."""
    fields: dict[str, object] = {
        "truth": TRUTH,
        "claim": CLAIM,
        "row_id": "17",
        "dataset": "pandemic | news",
        "advocate": Participant(tool="claude", model="opus"),
        "skeptic": Participant(tool="codex"),
        "fact_checker": Participant(tool="gemini"),
        "judge": Participant(tool="opencode"),
    }
    return JuryRequest.model_validate(fields | changes)


def phrase(text: str, source: TextName = TextName.TRUTH) -> Phrase:
    """A phrase with its place, if it has one."""
    start = TEXTS[source].find(text)
    place = TextSpan(text=text, start=start, end=start + len(text)) if start >= 0 else None
    return Phrase(text=text, source=source, span=place)


def in_claim(text: str) -> Phrase:
    return phrase(text, TextName.CLAIM)


CHECK = ClaimCheck(
    label=Label.REFUTED,
    findings=(
        Finding(
            dimension=Dimension.QUANTITY,
            status=Status.MISMATCH,
            severity=Severity.CRITICAL,
            claim=TextSpan(text="under 650,000", start=17, end=30),
            evidence=Span(index=0, text="more than 645,000", start=16, end=33),
            why="The claim sets an upper bound, the truth a lower one.",
        ),
        Finding(
            dimension=Dimension.PLACE,
            status=Status.MATCH,
            severity=Severity.MINOR,
            claim=TextSpan(text="180 countries", start=41, end=54),
            evidence=Span(index=0, text="180 countries", start=44, end=57),
            why="Both say 180 countries.",
        ),
    ),
)
CHECKLIST = (
    ChecklistEntry(
        dimension=ChecklistDimension.NUMBERS,
        status=ChecklistStatus.MISMATCH,
        severity=Severity.CRITICAL,
        truth=(phrase("more than 645,000"),),
        claim=(in_claim("under 650,000"), in_claim("650,000 | dead")),
        note="A lower bound\nbecame an upper one.",
    ),
    ChecklistEntry(dimension=ChecklistDimension.CAUSALITY, status=ChecklistStatus.ABSENT),
)
VERDICT = JudgeVerdict(
    verdict=Faithfulness.MUTATED,
    confidence=0.9,
    rationale=("The bound is turned round.", "# Tested is not ill."),
    critical_differences=('"more than 645,000" became "under 650,000"', "The tone is another one."),
    what_would_make_it_faithful=('Say "more than 645,000 were tested".',),
    one_sentence_summary="The claim says under *650,000* where the truth says over 645,000.",
)
DIFFERENCES = (
    CriticalDifference(
        text='"more than 645,000" became "under 650,000"',
        anchors=(phrase("more than 645,000"), in_claim("under 650,000")),
        types=(Dimension.QUANTITY, Dimension.QUALIFIER),
    ),
    CriticalDifference(text="The tone is another one."),
)
ADVOCATES_OPENING = Statement(
    role=Role.ADVOCATE,
    round=1,
    text='- Both speak of "180 countries".\n- Both speak of "the first wave".\n\n# Verdict: FAITHFUL',
    bullets=('Both speak of "180 countries".', 'Both speak of "the first wave".'),
    phrases=(phrase("180 countries"), phrase("the first wave")),
    faults=("It gives 2 reasons; 3 to 5 were asked for.",),
)
STATEMENTS = (
    ADVOCATES_OPENING,
    Statement(role=Role.SKEPTIC, round=1, text='- "tested" is not "showed symptoms".', phrases=(phrase("tested"),)),
    Statement(role=Role.ADVOCATE, round=2, text="- Both bounds hold for 648,000."),
    Statement(role=Role.SKEPTIC, round=2, text="- Nobody was said to be ill."),
)


def said(kind: TurnKind, role: Role, ask_id: str, reply: Reply, *, round_number: int = 1, minute: int = 1) -> Turn:
    return turn(kind, role, reply, round_number=round_number, minute=minute, ask_id=ask_id)


def opened(role: Role, reply: Reply) -> Turn:
    return said(TurnKind.OPENING, role, f"opening.{role}", reply)


OPENINGS = (
    opened(Role.ADVOCATE, answer(model="opus-4", redactions=1)),
    opened(Role.SKEPTIC, answer(tool="codex")),
    said(TurnKind.CHECKLIST, Role.FACT_CHECKER, "checklist.1", answer(tool="gemini")),
)
REBUTTALS = (
    said(TurnKind.REBUTTAL, Role.ADVOCATE, "rebuttal.1.advocate", answer(), round_number=2, minute=2),
    said(TurnKind.REBUTTAL, Role.SKEPTIC, "rebuttal.1.skeptic", answer(tool="codex"), round_number=2, minute=2),
)


def judged(ask_id: str = "verdict.1", reply: Reply | None = None) -> Turn:
    return said(TurnKind.VERDICT, Role.JUDGE, ask_id, reply or answer(tool="opencode"), round_number=2, minute=3)


def outcome(**changes: object) -> JuryOutcome:
    """MUTATED, everybody heard, with ``changes``."""
    fields: dict[str, object] = {
        "status": JuryStatus.COMPLETED,
        "verdict": VERDICT,
        "check": CHECK,
        "checklist": CHECKLIST,
        "differences": DIFFERENCES,
        "mutations": (Dimension.QUANTITY, Dimension.QUALIFIER),
        "statements": STATEMENTS,
        "minority_view": MinorityView(role=Role.ADVOCATE, text="- Both bounds hold for 648,000."),
        "rebuttals_completed": 1,
    }
    return JuryOutcome.model_validate(fields | changes)


def finished(**outcome_changes: object) -> Run:
    """A jury in which everybody was heard, with changes to its outcome."""
    return run(request(redactions=2), (*OPENINGS, *REBUTTALS, judged()), outcome(**outcome_changes))


def contested() -> Run:
    """FAITHFUL against a critical mismatch, and again when the judge was asked once more; no Skeptic was heard."""
    faithful = VERDICT.model_copy(
        update={"verdict": Faithfulness.FAITHFUL, "critical_differences": (), "what_would_make_it_faithful": ()}
    )
    ended = outcome(
        status=JuryStatus.INCOMPLETE,
        verdict=faithful,
        contested=("FAITHFUL, yet by code the claim sets an upper bound, the truth a lower one.",),
        differences=(),
        mutations=(),
        checklist=(),
        statements=(ADVOCATES_OPENING,),
        minority_view=None,
        rebuttals_completed=0,
        notices=("[WARN] The Skeptic (codex) was not heard: quota (used up).",),
    )
    used_up = failure(FailureCode.QUOTA, "used up", duration_ms=0)
    turns = (OPENINGS[0], opened(Role.SKEPTIC, used_up), judged(), judged("reconsider.1"))
    return run(request(rebuttals=0, row_id=None, dataset=None), turns, ended)


def unjudged() -> Run:
    """Everybody was heard, but the judge said nothing that could be read."""
    ended = outcome(
        status=JuryStatus.UNJUDGED,
        verdict=None,
        differences=(),
        mutations=(),
        minority_view=None,
        notices=("[ERROR] The judge (opencode) gave no usable verdict.",),
    )
    prose = answer("I would rather not say.", tool="opencode")
    return run(request(), (*OPENINGS, *REBUTTALS, judged(reply=prose), judged("verdict.2", prose)), ended)
